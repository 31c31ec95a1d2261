package view

import (
	"fmt"
	"io"

	"acp-plan-proxy/proxy/recording/timeline"
)

// maxLossKinds bounds the losses that are told apart.
const maxLossKinds = 256

// lossCounts are what was lost in translation, in the order in which it was lost first.
type lossCounts []lossCount

type lossCount struct {
	timeline.Loss     // the first of them
	first         int // the number of its row
	times         int
}

// add counts what a row has lost.
func (c *lossCounts) add(r *timeline.Row) {
	for _, l := range r.Lost {
		c.count(l, r.Number)
	}
}

func (c *lossCounts) count(l timeline.Loss, row int) {
	for i := range *c {
		if known := &(*c)[i]; known.Kind == l.Kind && known.Name == l.Name {
			known.times++
			return
		}
	}
	if len(*c) < maxLossKinds {
		*c = append(*c, lossCount{l, row, 1})
	}
}

// print prints them, each with the number of the first message that lost it.
func (c lossCounts) print(w io.Writer) {
	if len(c) == 0 {
		return
	}
	fmt.Fprintln(w, "Lost in translation:")
	for _, l := range c {
		what := l.Kind
		if l.Name != "" {
			what += " " + l.Name
		}
		if l.Detail != "" {
			what += ": " + l.Detail
		}
		fmt.Fprintf(w, "%6d  %s (first in #%d)\n", l.times, Printable(what), l.first)
	}
}
