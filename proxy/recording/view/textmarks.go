package view

import (
	"fmt"
	"io"
)

// maxMarksSaid is how many messages that the schema does not allow are named.
const maxMarksSaid = 20

// A markList has the messages that the schema of their version does not allow.
type markList struct {
	first []mark
	count int
}

type mark struct {
	line int
	why  string
}

// add notes a message. An empty why allows it.
func (l *markList) add(line int, why string) {
	if why == "" {
		return
	}
	l.count++
	if len(l.first) < maxMarksSaid {
		l.first = append(l.first, mark{line, why})
	}
}

// print prints each with the number of its line.
func (l *markList) print(w io.Writer) {
	if l.count == 0 {
		return
	}
	fmt.Fprintln(w, "Not allowed by the schema:")
	for _, m := range l.first {
		fmt.Fprintf(w, "%6s  %s\n", fmt.Sprintf("#%d", m.line), Printable(m.why))
	}
	if more := l.count - len(l.first); more > 0 {
		fmt.Fprintf(w, "        and %d more\n", more)
	}
}
