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

// A screen writes the output of the demo until the first error, which it stores.
type screen struct {
	terminal.Painter
	w   io.Writer
	err error
}

func (s *screen) println(text string) {
	if s.err == nil {
		_, s.err = fmt.Fprintln(s.w, strings.TrimRight(text, " "))
	}
}

// paint returns a line with its colours.
func (s *screen) paint(line spans) string {
	var b strings.Builder
	for _, piece := range line {
		b.WriteString(s.Paint(piece.color, piece.text))
	}
	return b.String()
}

// A table has three columns of fixed widths.
type table struct {
	*screen
	label, without, with int
}

// newTable returns a table for a screen of a width, within limits that keep it readable.
func newTable(s *screen, width int) table {
	const least, most = 40, 100
	width = max(least, min(width, most))
	column := min(24, width*3/10)
	return table{s, column, column, width - 2*column}
}

func (t table) width() int { return t.label + t.without + t.with }

func (t table) rule() { t.println(t.Paint(terminal.Dim, strings.Repeat("─", t.width()))) }

// text prints a wrapped text.
func (t table) text(color terminal.Color, text string) {
	for _, line := range terminal.Wrap(text, t.width()) {
		t.println(t.Paint(color, line))
	}
}

// row prints a row.
func (t table) row(title string, without, with []spans) {
	const gap = 2 // behind a column
	var label []spans
	for _, line := range terminal.Wrap(title, t.label-gap) {
		label = append(label, spans{{terminal.Bold, line}})
	}
	for i := range max(len(label), len(without), len(with)) {
		t.println(t.paint(slices.Concat(cell(label, i, t.label-gap), spans{{"", "  "}},
			cell(without, i, t.without-gap), spans{{"", "  "}}, cell(with, i, t.with))))
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
