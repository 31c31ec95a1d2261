package redact

import (
	"bytes"
	"regexp"
)

// hideMarkdown writes a text whose lines keep the marks at their beginning, so that the headings, lists,
// tasks and tables remain.
func (w *writer) hideMarkdown(text []byte) { w.writeLines(text, (*writer).hideMarkdownLine) }

func (w *writer) hideMarkdownLine(line []byte) {
	markEnd := w.marks.FindIndex(line)[1]
	if hasOnlyMarks(line) {
		markEnd = len(line)
	}
	isTable := bytes.IndexByte(line[:markEnd], '|') >= 0
	w.out, line = append(w.out, line[:markEnd]...), line[markEnd:]
	if isTable {
		w.writeParts(line, "|", (*writer).hideCell)
		return
	}
	w.hide(w.copyPrefix(w.stepNumber, line))
}

// hideCell writes a table cell.
func (w *writer) hideCell(cell []byte) {
	if hasOnlyMarks(cell) {
		w.out = append(w.out, cell...)
		return
	}
	text := bytes.Trim(cell, " ")
	before, behind, _ := bytes.Cut(cell, text)
	w.out = append(w.out, before...)
	w.hide(text)
	w.out = append(w.out, behind...)
}

// copyPrefix copies the match of a pattern at the start of a text, and returns the rest.
func (w *writer) copyPrefix(pattern *regexp.Regexp, text []byte) (rest []byte) {
	kept := pattern.Find(text)
	w.out = append(w.out, kept...)
	return text[len(kept):]
}

// hideFailure writes the message of an error. It copies standard messages.
func (w *writer) hideFailure(text []byte) { w.hideLines(w.copyPrefix(w.standardError, text)) }

// hasOnlyMarks reports whether a text is a thematic break, a fence, or the delimiter row of a table.
func hasOnlyMarks(text []byte) bool { return len(bytes.Trim(text, "-=_*|:`~# \t")) == 0 }
