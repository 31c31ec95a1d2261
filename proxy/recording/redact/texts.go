package redact

import (
	"bytes"
	"regexp"
	"slices"
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

// cell writes what is in a cell of a table.
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

// keep writes what a pattern finds at the beginning of a text, and returns the rest.
func (w *writer) keep(pattern *regexp.Regexp, text []byte) (rest []byte) {
	kept := pattern.Find(text)
	w.out = append(w.out, kept...)
	return text[len(kept):]
}

// failure writes the message of an error: what is the same everywhere stays.
func (w *writer) failure(text []byte) { w.hideLines(w.keep(w.standard, text)) }

// onlyMarks reports whether a text is a rule, a fence, or what divides a table.
func onlyMarks(text []byte) bool { return len(bytes.Trim(text, "-=_*|:`~# \t")) == 0 }

// patch writes a patch as git has it: what each line does, and where, stays.
func (w *writer) patch(text []byte) { w.lines(text, (*writer).patchLine) }

func (w *writer) patchLine(line []byte) {
	for _, word := range patchWords {
		if rest, ok := bytes.CutPrefix(line, []byte(word)); ok {
			w.out = append(w.out, word...)
			w.parts(rest, " ", (*writer).patchName)
			return
		}
	}
	if slices.Contains(patchLines, string(line)) {
		w.out = append(w.out, line...)
		return
	}
	rest := w.keep(w.hunk, line)
	if len(rest) == len(line) && len(line) > 0 && bytes.IndexByte([]byte("+- "), line[0]) >= 0 {
		w.out, rest = append(w.out, line[0]), line[1:]
	}
	w.hide(rest)
}

// patchWords begin the lines of a patch that have names of files behind them.
var patchWords = []string{"diff --git ", "--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to "}

// patchLines stay whole.
var patchLines = []string{`\ No newline at end of file`, "new file mode 100644", "new file mode 100755", "deleted file mode 100644", "deleted file mode 100755", "@@"}

// patchName writes a name in a line of a patch. Those with spaces are not told apart.
func (w *writer) patchName(name []byte) {
	switch {
	case string(name) == "/dev/null":
		w.out = append(w.out, name...)
	case bytes.HasPrefix(name, []byte("a/")), bytes.HasPrefix(name, []byte("b/")):
		w.out = append(w.out, name[:2]...)
		w.path(name[2:])
	default:
		w.path(name)
	}
}
