package view

import (
	"fmt"
	"io"

	"acp-plan-proxy/proxy/terminal"
)

// maxNotes limits the notes in memory, and maxPrinted those printed.
const (
	maxNotes   = 256
	maxPrinted = 20
)

// notes are the items of one part of the summary, in order of first occurrence.
type notes struct {
	kept  []note
	count int // of all notes, including those not in memory
}

type note struct {
	key, text string
	first     int // the number of the first row or line
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
	printed := 0
	for _, k := range n.kept[:min(len(n.kept), maxPrinted)] {
		times := ""
		if k.times > 1 {
			times = fmt.Sprintf(" (%d times)", k.times)
		}
		fmt.Fprintln(w, terminal.Hang(fmt.Sprintf("%6s  ", fmt.Sprintf("#%d", k.first)), terminal.Printable(k.text)+times, width))
		printed += k.times
	}
	if more := n.count - printed; more > 0 {
		fmt.Fprintf(w, "        and %d more\n", more)
	}
}
