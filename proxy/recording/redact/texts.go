package redact

import (
	"bytes"
	"slices"
	"strings"
)

// markdown writes a text whose lines keep the marks in front of them, so that it has
// the same headings, lists, tasks and tables.
func (w *writer) markdown(text []byte) { w.lines(text, (*writer).markdownLine) }

func (w *writer) markdownLine(line []byte) {
	mark := markOf(line)
	table := bytes.IndexByte(line[:mark], '|') >= 0
	w.out, line = append(w.out, line[:mark]...), line[mark:]
	if !table {
		unit := unitOf(line)
		w.out = append(w.out, line[:unit]...)
		w.hide(line[unit:])
		return
	}
	for more := true; more; {
		var cell []byte
		cell, line, more = bytes.Cut(line, []byte("|"))
		if onlyMarks(cell) {
			w.out = append(w.out, cell...)
		} else {
			text := bytes.Trim(cell, " ")
			before, behind, _ := bytes.Cut(cell, text)
			w.out = append(w.out, before...)
			w.hide(text)
			w.out = append(w.out, behind...)
		}
		if more {
			w.out = append(w.out, '|')
		}
	}
}

// markOf returns how long the marks are in front of a line's text: of quotes,
// headings, items, tasks, tables and code.
func markOf(line []byte) int {
	if onlyMarks(line) {
		return len(line)
	}
	i := 0
	for i < len(line) {
		switch b := line[i]; {
		case bytes.IndexByte([]byte(" \t>#|"), b) >= 0:
			i++
			continue
		case bytes.IndexByte([]byte("-*+"), b) >= 0 && i+1 < len(line) && line[i+1] == ' ':
			i += 2
			continue
		case bytes.HasPrefix(line[i:], []byte("```")), bytes.HasPrefix(line[i:], []byte("~~~")):
			return i + 3
		case b == '[' && i+3 < len(line) && line[i+2] == ']' && line[i+3] == ' ' && bytes.IndexByte([]byte(" xX-~/>"), line[i+1]) >= 0:
			return i + 4
		}
		const digits = 4 // of the number of an item; more may be another number
		n := 0
		for i+n < len(line) && n < digits && '0' <= line[i+n] && line[i+n] <= '9' {
			n++
		}
		if n == 0 || i+n+1 >= len(line) || line[i+n] != '.' && line[i+n] != ')' || line[i+n+1] != ' ' {
			break
		}
		i += n + 2
	}
	return i
}

// unitOf returns the length of the number of a step that a line begins with, as in
// "Phase 2: ". That too is a mark: steps are found by it.
func unitOf(line []byte) int {
	rest := bytes.TrimLeft(line, "*")
	word, rest, _ := bytes.Cut(rest, []byte(" "))
	if !slices.Contains(units, strings.ToLower(string(word))) {
		return 0
	}
	digits := len(rest) - len(bytes.TrimLeft(rest, "0123456789"))
	if digits == 0 {
		return 0
	}
	rest = rest[min(digits, 3):]
	if len(rest) > 0 && bytes.IndexByte([]byte(":.)"), rest[0]) >= 0 {
		rest = rest[1:]
	}
	rest = bytes.TrimPrefix(bytes.TrimLeft(rest, "*"), []byte(" "))
	return len(line) - len(rest)
}

var units = []string{"step", "phase", "task", "stage", "part", "milestone"}

// onlyMarks reports whether a text is a rule, a fence, or what divides a table.
func onlyMarks(text []byte) bool { return len(bytes.Trim(text, "-=_*|:`~# \t")) == 0 }

// patch writes a patch as git has it: what each line does, and where, stays.
func (w *writer) patch(text []byte) { w.lines(text, (*writer).patchLine) }

func (w *writer) patchLine(line []byte) {
	for _, word := range patchWords {
		rest, ok := bytes.CutPrefix(line, []byte(word))
		if !ok {
			continue
		}
		w.out = append(w.out, word...)
		w.patchNames(rest)
		return
	}
	if slices.Contains(patchLines, string(line)) {
		w.out = append(w.out, line...)
		return
	}
	if at := hunk(line); at > 0 {
		w.out = append(w.out, line[:at]...)
		w.hide(line[at:])
		return
	}
	if len(line) > 0 && bytes.IndexByte([]byte("+- "), line[0]) >= 0 {
		w.out, line = append(w.out, line[0]), line[1:]
	}
	w.hide(line)
}

// patchWords begin the lines of a patch that have names of files behind them.
var patchWords = []string{"diff --git ", "--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to "}

// patchLines stay whole.
var patchLines = []string{`\ No newline at end of file`, "new file mode 100644", "new file mode 100755", "deleted file mode 100644", "deleted file mode 100755", "@@"}

// patchNames writes the names in a line of a patch. Those with spaces are not told
// apart.
func (w *writer) patchNames(names []byte) {
	for more := true; more; {
		var name []byte
		name, names, more = bytes.Cut(names, []byte(" "))
		switch {
		case string(name) == "/dev/null":
			w.out = append(w.out, name...)
		case bytes.HasPrefix(name, []byte("a/")), bytes.HasPrefix(name, []byte("b/")):
			w.out = append(w.out, name[:2]...)
			w.path(name[2:])
		default:
			w.path(name)
		}
		if more {
			w.out = append(w.out, ' ')
		}
	}
}

// hunk returns how long the head of a hunk is that a line begins with, 0 if it begins
// with none.
func hunk(line []byte) int {
	if !bytes.HasPrefix(line, []byte("@@ -")) {
		return 0
	}
	end := bytes.Index(line[4:], []byte(" @@"))
	if end < 0 || len(bytes.Trim(line[4:4+end], "0123456789,+ ")) > 0 {
		return 0
	}
	return 4 + end + 3
}
