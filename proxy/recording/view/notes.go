package view

import (
	"fmt"
	"io"
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

// print prints them below a title.
func (n *notes) print(w io.Writer, title string) {
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
		fmt.Fprintf(w, "%6s  %s%s\n", fmt.Sprintf("#%d", k.first), Printable(k.text), times)
		said += k.times
	}
	if more := n.count - said; more > 0 {
		fmt.Fprintf(w, "        and %d more\n", more)
	}
}
