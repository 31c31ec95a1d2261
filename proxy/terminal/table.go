package terminal

import (
	"io"
	"strings"
	"unicode/utf8"
)

// A Line is a line of coloured pieces of text.
type Line []span

type span struct {
	color Color
	text  string
}

// Line returns a text in a colour, as a line or a part of one.
func (c Color) Line(text string) Line { return Line{{c, text}} }

// gap is the number of spaces between two columns.
const gap = 2

// A Table has columns of fixed widths, which include the gap behind a column. It prints lines
// until the first error, which it stores in Err.
type Table struct {
	Err error

	out     io.Writer
	painter Painter
	widths  []int
}

// NewTable returns a table that prints to w. The last of widths includes no gap.
func NewTable(w io.Writer, color bool, widths ...int) *Table {
	return &Table{out: w, painter: Painter(color), widths: append(widths[:len(widths)-1:len(widths)-1], widths[len(widths)-1]+gap)}
}

// Text prints a text over the width of the table.
func (t *Table) Text(text string) {
	for _, line := range Wrap(text, t.width()) {
		t.Print(Plain.Line(line))
	}
}

// Rule prints a horizontal line.
func (t *Table) Rule() { t.Print(Dim.Line(strings.Repeat("─", t.width()))) }

func (t *Table) width() int {
	width := -gap
	for _, w := range t.widths {
		width += w
	}
	return width
}

// Cell returns texts as the lines of a cell. Each text begins a line and is wrapped.
func (t *Table) Cell(column int, color Color, texts ...string) (lines []Line) {
	for _, text := range texts {
		for _, line := range Wrap(text, t.widths[column]-gap) {
			lines = append(lines, color.Line(line))
		}
	}
	return lines
}

// Row prints the cells of a row side by side. It truncates lines that are too long.
func (t *Table) Row(cells ...[]Line) {
	for i, more := 0, true; ; i++ {
		more = false
		var line Line
		for column, cell := range cells {
			var part Line
			if i < len(cell) {
				part, more = cell[i], true
			}
			line = append(append(line, fit(part, t.widths[column]-gap)...), span{"", strings.Repeat(" ", gap)})
		}
		if !more {
			return
		}
		t.Print(line)
	}
}

// fit returns a line truncated or padded to a width.
func fit(line Line, width int) (fitted Line) {
	for _, piece := range line {
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

// Print prints a line of any width.
func (t *Table) Print(line Line) {
	text := ""
	for _, piece := range line {
		text += t.painter.Paint(piece.color, piece.text)
	}
	if t.Err == nil {
		_, t.Err = io.WriteString(t.out, strings.TrimRight(text, " ")+"\n")
	}
}
