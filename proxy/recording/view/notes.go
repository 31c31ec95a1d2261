package view

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxNotes bounds the notes that are kept, and maxNotesSaid those that are printed.
const (
	maxNotes     = 256
	maxNotesSaid = 20
)

// notes are what there is to look at, in the order in which it came first.
type notes struct {
	kept  []note
	count int // of all, those that are not kept too
}

type note struct {
	key, text string
	first     int // the number of its first row or line
	times     int
}

// add adds a note. Those with the same key are one.
func (n *notes) add(key, text string, number int) {
	n.count++
	for i := range n.kept {
		if known := &n.kept[i]; known.key == key {
			known.times++
			return
		}
	}
	if len(n.kept) < maxNotes {
		n.kept = append(n.kept, note{key, text, number, 1})
	}
}

// print prints the notes below a title, in lines of at most width characters; 0 is any width.
func (n *notes) print(w io.Writer, title string, width int) {
	if n.count == 0 {
		return
	}
	fmt.Fprintln(w, title)
	said := 0
	for _, k := range n.kept[:min(len(n.kept), maxNotesSaid)] {
		times := ""
		if k.times > 1 {
			times = fmt.Sprintf(" (%d times)", k.times)
		}
		fmt.Fprintf(w, "%6s  %s\n", fmt.Sprintf("#%d", k.first), wrap(Printable(k.text)+times, width))
		said += k.times
	}
	if more := n.count - said; more > 0 {
		fmt.Fprintf(w, "        and %d more\n", more)
	}
}

// indent is how far the text of a note is indented.
const indent = 8

// wrap returns text in lines that fit into width characters behind the indentation.
func wrap(text string, width int) string {
	if width <= 0 {
		return text
	}
	lines, length := "", 0
	for _, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case length == 0:
		case indent+length+1+n > width:
			lines, length = lines+"\n"+strings.Repeat(" ", indent), 0
		default:
			lines, length = lines+" ", length+1
		}
		lines, length = lines+word, length+n
	}
	return lines
}
