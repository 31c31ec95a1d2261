package oldagent

import (
	"path"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1 a diff is two texts, of a file or of a part of it. In version 2
// it says what becomes of each file, with a patch in the format of git.

// Nearly all of a diff is text that is the same in both. So the texts stay as they
// are inside a JSON string: their lines are compared and copied with their escapes.

// maxDiff is how many bytes the two texts of a diff can have together, as JSON
// has them. A larger one is shown without its lines.
const maxDiff = 1 << 20

// diffItem writes a diff. It reports false if the path or the new text is missing.
func diffItem(w *words.Writer, o rawjson.Object) bool {
	name, hasPath := o.Text("path")
	after, hasText := sideOf(o.Get("newText"))
	before, hadText := sideOf(o.Get("oldText"))
	if !hasPath || !hasText {
		return false
	}
	file := absolute(w.Cwd, string(name))
	operation := "modify"
	if !hadText {
		operation = "add"
	}
	meta, _ := rawjson.ReadObject(nil, o.Get("_meta"))
	if kind, _ := meta.Text("kind"); string(kind) == "add" || string(kind) == "delete" {
		operation = string(kind)
	}
	w.Text(`{"type":"diff","changes":[{"operation":"` + operation + `","path":`)
	w.Quoted([]byte(file))
	w.Text(`,"fileType":"text"}]`)
	switch {
	case len(before.text)+len(after.text) > maxDiff:
		w.Lose(translate.LossLargeDiff, "its lines were left out")
	case before.text != after.text || operation != "modify":
		w.Text(`,"patch":{"format":"git_patch","text":"`)
		writePatch(w, operation, file, before, after)
		w.Text(`"}`)
	}
	for _, f := range o {
		switch string(f.Name) {
		case "type", "path", "oldText", "newText", "changes", "patch":
		default:
			field(w, f)
		}
	}
	w.Text("}")
	return true
}

// A side is one of the two texts of a diff.
type side struct {
	text  string   // the inside of a JSON string
	lines []string // each with its newline; none if the text is too large
}

// sideOf returns the text that a raw JSON value is, if it is a string.
func sideOf(value []byte) (s side, ok bool) {
	if len(value) < 2 || value[0] != '"' {
		return side{}, false
	}
	s.text = string(value[1 : len(value)-1])
	if len(s.text) > maxDiff {
		return s, true
	}
	var usual bool
	if s.lines, usual = splitLines(s.text); !usual {
		s.text = string(rawjson.AppendEscaped(nil, rawjson.Unquote(value)))
		s.lines, _ = splitLines(s.text)
	}
	return s, true
}

// splitLines returns the lines of a text, each with its newline. Where the text
// ends without one, the last line has what git says of that. It reports whether
// the text is spelled as usual: if it is not, equal lines may look different.
func splitLines(text string) (lines []string, usual bool) {
	usual = true
	start := 0
	for i := 0; ; {
		escape := strings.IndexByte(text[i:], '\\')
		if escape < 0 {
			break
		}
		i += escape + 2
		switch text[i-1] {
		case 'n':
			lines = append(lines, text[start:i])
			start = i
		case 'u', '/', 'b', 'f': // AppendEscaped spells these otherwise
			usual = false
		}
	}
	if start < len(text) {
		lines = append(lines, text[start:]+`\n\\ No newline at end of file\n`)
	}
	return lines, usual
}

// writePatch writes a patch in the format of git between two texts of a file, as
// the inside of a JSON string.
func writePatch(w *words.Writer, operation, file string, before, after side) {
	quoted := quotePath(file)
	labeled := quoted
	if strings.Contains(file, " ") && quoted == file {
		labeled += "\t" // ends a name with a blank in it
	}
	header := "diff --git " + quoted + " " + quoted + "\n"
	from, to := labeled, labeled
	switch operation {
	case "add":
		header += "new file mode 100644\n"
		from, before = "/dev/null", side{}
	case "delete":
		header += "deleted file mode 100644\n"
		to, after = "/dev/null", side{}
	}
	if before.text != after.text {
		header += "--- " + from + "\n+++ " + to + "\n"
	}
	w.Out = rawjson.AppendEscaped(w.Out, header)
	writeHunks(w, before.lines, after.lines)
}

// changedLines returns what differs between two texts, from front to back. The
// search for common lines gives up early on texts that have little in common, so
// it takes time in proportion to their length; all of what is left is then said
// to differ.
func changedLines(before, after []string) []lcs.Diff {
	start := 0
	for start < len(before) && start < len(after) && before[start] == after[start] {
		start++
	}
	x, y := before[start:], after[start:]
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	switch {
	case len(x) == 0 && len(y) == 0:
		return nil
	case len(x) == 0 || len(y) == 0:
		return []lcs.Diff{{Start: start, End: start + len(x), ReplStart: start, ReplEnd: start + len(y)}}
	}
	changes := lcs.DiffLines(x, y)
	for i := range changes {
		c := &changes[i]
		c.Start, c.End, c.ReplStart, c.ReplEnd = c.Start+start, c.End+start, c.ReplStart+start, c.ReplEnd+start
	}
	return changes
}

// writeHunks writes what differs with up to three lines around it.
func writeHunks(w *words.Writer, before, after []string) {
	const context = 3
	changes := changedLines(before, after)
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].Start-changes[n-1].End <= 2*context {
			n++
		}
		hunk := changes[:n]
		changes = changes[n:]
		first, last := hunk[0], hunk[n-1]
		start, end := max(0, first.Start-context), min(len(before), last.End+context)
		added := first.ReplStart - (first.Start - start)
		w.Text("@@ -")
		writeRange(w, start, end-start)
		w.Text(" +")
		writeRange(w, added, last.ReplEnd+end-last.End-added)
		w.Text(` @@\n`)
		at := start
		for _, c := range hunk {
			writeLines(w, " ", before[at:c.Start])
			writeLines(w, "-", before[c.Start:c.End])
			writeLines(w, "+", after[c.ReplStart:c.ReplEnd])
			at = c.End
		}
		writeLines(w, " ", before[at:end])
	}
}

// writeRange writes which lines a hunk has of a text. Lines count from 1. If
// the hunk has no lines of the text, the number names the line before.
func writeRange(w *words.Writer, start, count int) {
	if count > 0 {
		start++
	}
	w.Out = strconv.AppendInt(w.Out, int64(start), 10)
	if count != 1 {
		w.Text(",")
		w.Out = strconv.AppendInt(w.Out, int64(count), 10)
	}
}

func writeLines(w *words.Writer, mark string, lines []string) {
	for _, line := range lines {
		w.Text(mark)
		w.Text(line)
	}
}

// quotePath returns a path as git writes it: in quotes, with octal escapes, if
// it has unusual bytes.
func quotePath(file string) string {
	plain := true
	for i := range len(file) {
		c := file[i]
		plain = plain && c >= ' ' && c < 0x7f && c != '"' && c != '\\'
	}
	if plain {
		return file
	}
	var p strings.Builder
	p.WriteByte('"')
	for i := range len(file) {
		switch c := file[i]; {
		case c == '"' || c == '\\':
			p.WriteByte('\\')
			p.WriteByte(c)
		case c == '\t':
			p.WriteString(`\t`)
		case c == '\n':
			p.WriteString(`\n`)
		case c == '\r':
			p.WriteString(`\r`)
		case c < ' ' || c >= 0x7f:
			p.WriteString(`\` + strconv.FormatInt(0o1000|int64(c), 8)[1:])
		default:
			p.WriteByte(c)
		}
	}
	p.WriteByte('"')
	return p.String()
}

// absolute makes a path absolute, if it is known where relative paths begin.
// Paths have the form of the agent's machine: POSIX or Windows.
func absolute(cwd, file string) string {
	switch {
	case isAbsolute(file) || !isAbsolute(cwd):
		return file
	case strings.HasPrefix(cwd, "/"):
		return path.Join(cwd, file)
	}
	return strings.TrimRight(cwd, `\/`) + `\` + strings.TrimPrefix(strings.ReplaceAll(file, "/", `\`), `.\`)
}

func isAbsolute(file string) bool {
	drive := len(file) > 2 && file[1] == ':' && (file[2] == '\\' || file[2] == '/')
	return drive || strings.HasPrefix(file, "/") || strings.HasPrefix(file, `\\`)
}
