package redact

import (
	"bytes"
	"regexp"
)

// markdown writes a text whose lines keep the marks in front of them, so that it has
// the same headings, lists, tasks and tables.
func (w *writer) markdown(text []byte) { w.lines(text, (*writer).markdownLine) }

func (w *writer) markdownLine(line []byte) {
	mark := w.marks.FindIndex(line)[1]
	if onlyMarks(line) {
		mark = len(line)
	}
	table := bytes.IndexByte(line[:mark], '|') >= 0
	w.out, line = append(w.out, line[:mark]...), line[mark:]
	if table {
		w.parts(line, "|", (*writer).cell)
		return
	}
	w.hide(w.keep(w.unit, line))
}

// cell writes a table cell.
func (w *writer) cell(cell []byte) {
	if onlyMarks(cell) {
		w.out = append(w.out, cell...)
		return
	}
	text := bytes.Trim(cell, " ")
	before, behind, _ := bytes.Cut(cell, text)
	w.out = append(w.out, before...)
	w.hide(text)
	w.out = append(w.out, behind...)
}

// keep copies the match of a pattern at the start of a text, and returns the rest.
func (w *writer) keep(pattern *regexp.Regexp, text []byte) (rest []byte) {
	kept := pattern.Find(text)
	w.out = append(w.out, kept...)
	return text[len(kept):]
}

// failure writes the message of an error. It copies standard messages.
func (w *writer) failure(text []byte) { w.hideLines(w.keep(w.standard, text)) }

// onlyMarks reports whether a text is a rule, a fence, or the delimiter row of a table.
func onlyMarks(text []byte) bool { return len(bytes.Trim(text, "-=_*|:`~# \t")) == 0 }
