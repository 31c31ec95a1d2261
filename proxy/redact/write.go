package redact

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"net/url"
	"regexp"
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// A writer writes what is kept of a text that its Cursor walks.
type writer struct {
	rawjson.Cursor
	key  []byte
	out  []byte
	text []byte // of the string that is being written, before it is quoted
	hash hash.Hash
	sum  []byte
}

func newWriter(r *Redactor, dst []byte) *writer {
	return &writer{key: r.key[:], out: dst, hash: sha256.New()}
}

// value writes the value that is next.
func (w *writer) value(r *rule, depth int) {
	switch kind := w.Kind(); kind {
	case '{', '[':
		switch {
		case depth >= maxDepth:
			w.Skip()
			w.out = append(w.out, "null"...)
		case kind == '{':
			w.object(r, depth+1)
		default:
			w.array(r, depth+1)
		}
	case '"':
		w.str(w.Value(), r)
	case '0':
		const longest = 32
		if value := w.Value(); r.numbers && len(value) <= longest {
			w.out = append(w.out, value...)
		} else {
			w.out = append(w.out, '0')
		}
	case 't', 'f':
		if value := w.Value(); r.flags {
			w.out = append(w.out, value...)
		} else {
			w.out = append(w.out, "false"...)
		}
	default:
		w.Skip()
		w.out = append(w.out, "null"...)
	}
}

// array writes an array, whose elements are what the array is.
func (w *writer) array(r *rule, depth int) {
	w.out = append(w.out, '[')
	for i, more := 0, w.Array(); more; i, more = i+1, w.NextElement() {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.value(r, depth)
	}
	w.out = append(w.out, ']')
}

func (w *writer) object(r *rule, depth int) {
	w.out = append(w.out, '{')
	for i, more := 0, w.Object(); more; i, more = i+1, w.NextMember() {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		name := w.Name()
		if w.Err() != nil {
			return
		}
		kept := r.object[string(name)]
		switch {
		case kept != nil:
			w.out = rawjson.AppendQuoted(w.out, name)
		default:
			w.quoted(name, (*writer).hide)
			if kept = r.others; kept == nil {
				kept = hidden
			}
		}
		w.out = append(w.out, ':')
		w.value(kept, depth)
	}
	w.out = append(w.out, '}')
}

// str writes a string, as it is if the rule keeps it.
func (w *writer) str(raw []byte, r *rule) {
	if raw == nil {
		return
	}
	text := rawjson.Unquote(raw)
	switch {
	case r.keeps != nil && r.keeps(text):
		w.out = rawjson.AppendQuoted(w.out, text)
	case r.hides != nil:
		w.quoted(text, r.hides)
	default:
		w.quoted(text, (*writer).hideLines)
	}
}

// quoted writes what hide writes for a text as a string.
func (w *writer) quoted(text []byte, hide func(*writer, []byte)) {
	out := w.out
	w.out = w.text[:0]
	hide(w, text)
	w.out, w.text = rawjson.AppendQuoted(out, w.out), rawjson.Reuse(w.out)
}

// letters are those of placeholders. No word has only these.
const letters = "cdghjkmpqvwz"

// tagLength is how many letters of a placeholder depend on the text.
const tagLength = 8

// placeholder writes n bytes that are the same for the same text, and most likely others
// for another.
func (w *writer) placeholder(text []byte, n int) {
	w.hash.Reset()
	w.hash.Write(w.key)
	w.hash.Write(text)
	w.sum = w.hash.Sum(w.sum[:0])
	for _, b := range w.sum[:tagLength] {
		w.out = append(w.out, letters[b%byte(len(letters))])
	}
	for range n - tagLength {
		w.out = append(w.out, 'x')
	}
}

// class returns the length of the placeholder for n bytes.
func class(n int) int {
	c := tagLength
	for c <= n/2 {
		c *= 2
	}
	return c
}

// hide writes the placeholder of a text without line breaks.
func (w *writer) hide(text []byte) {
	if len(text) > 0 {
		w.placeholder(text, class(len(text)))
	}
}

// hideLines writes a text line by line.
func (w *writer) hideLines(text []byte) { w.lines(text, (*writer).hide) }

// lines writes each line of a text with write, and the line breaks as they are.
func (w *writer) lines(text []byte, write func(*writer, []byte)) {
	for len(text) > 0 {
		n := bytes.IndexAny(text, "\r\n")
		if n < 0 {
			n = len(text)
		}
		write(w, text[:n])
		if text = text[n:]; len(text) > 0 {
			w.out, text = append(w.out, text[0]), text[1:]
		}
	}
}

// path writes a path with a placeholder for each name in it, so that what is below a
// folder stays there. The letter of a drive stays.
func (w *writer) path(text []byte) {
	for len(text) > 0 {
		n := bytes.IndexAny(text, `/\`)
		if n < 0 {
			n = len(text)
		}
		switch name := text[:n]; {
		case n == 0, string(name) == ".", string(name) == "..", n == 2 && name[1] == ':':
			w.out = append(w.out, name...)
		default:
			w.hide(name)
		}
		if text = text[n:]; len(text) > 0 {
			w.out, text = append(w.out, text[0]), text[1:]
		}
	}
}

// uri writes a URI. In one of a file the names are those of [writer.path]. Other
// schemes stay if they are on the list.
func (w *writer) uri(text []byte) {
	scheme, rest, found := bytes.Cut(text, []byte("://"))
	if !found || !slices.Contains(schemes, string(scheme)) {
		w.path(text)
		return
	}
	w.out = append(append(w.out, scheme...), "://"...)
	if plain, err := url.PathUnescape(string(rest)); err == nil {
		rest = []byte(plain)
	}
	w.path(rest)
}

var schemes = []string{"file", "http", "https"}

// bytes64 writes what base64 says, line by line, in base64.
func (w *writer) bytes64(text []byte) {
	plain, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		w.hideLines(text)
		return
	}
	start := len(w.out)
	w.hideLines(plain)
	hidden := bytes.Clone(w.out[start:])
	w.out = base64.StdEncoding.AppendEncode(w.out[:start], hidden)
}

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
	return len(unit.Find(line))
}

var unit = regexp.MustCompile(`^(?i)\**(?:step|phase|task|stage|part|milestone) \d{1,3}[:.)]?\** ?`)

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
