package demo

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/proxy/terminal"
)

// spans is a line of coloured pieces of text.
type spans []span

type span struct {
	color terminal.Color
	text  string
}

// A table has three columns of fixed widths. It prints lines until the first error, which it
// stores.
type table struct {
	terminal.Painter
	w                    io.Writer
	label, without, with int
	err                  error
}

// newTable returns a table for lines of a width, within limits that keep it readable.
func newTable(w io.Writer, color bool, width int) *table {
	const least, most = 40, 100
	width = max(least, min(width, most))
	column := min(24, width*3/10)
	return &table{terminal.Painter(color), w, column, column, width - 2*column, nil}
}

func (t *table) width() int { return t.label + t.without + t.with }

func (t *table) rule() { t.println(spans{{terminal.Dim, strings.Repeat("─", t.width())}}) }

// text prints a wrapped text.
func (t *table) text(text string) {
	for _, line := range terminal.Wrap(text, t.width()) {
		t.println(spans{{"", line}})
	}
}

func (t *table) println(line spans) {
	var b strings.Builder
	for _, piece := range line {
		b.WriteString(t.Paint(piece.color, piece.text))
	}
	if t.err == nil {
		_, t.err = fmt.Fprintln(t.w, strings.TrimRight(b.String(), " "))
	}
}

// row prints a row.
func (t *table) row(title string, without, with []spans) {
	const gap = 2 // behind a column
	var label []spans
	for _, line := range terminal.Wrap(title, t.label-gap) {
		label = append(label, spans{{terminal.Bold, line}})
	}
	for i := range max(len(label), len(without), len(with)) {
		t.println(slices.Concat(cell(label, i, t.label-gap), spans{{"", "  "}},
			cell(without, i, t.without-gap), spans{{"", "  "}}, cell(with, i, t.with)))
	}
}

// cell returns a line of a cell, as wide as its column.
func cell(lines []spans, i, width int) (fitted spans) {
	if i >= len(lines) {
		return spans{{"", strings.Repeat(" ", width)}}
	}
	for _, piece := range lines[i] {
		if length := utf8.RuneCountInString(piece.text); length > width {
			piece.text = string([]rune(piece.text)[:max(0, width-1)]) + "…"
		}
		fitted = append(fitted, piece)
		if width -= utf8.RuneCountInString(piece.text); width <= 0 {
			return fitted
		}
	}
	return append(fitted, span{"", strings.Repeat(" ", width)})
}
