package oldagent

import (
	"path"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1 a diff is two texts, of a file or of a part of it. In version 2 it
// says what becomes of which files, with a patch in the format of git.

// diffItem writes a diff. It reports false if there is no path or no new text.
func diffItem(w *versions.Writer, o rawjson.Object) bool {
	name, hasPath := o.Text("path")
	after, hasText := o.Text("newText")
	before, hadText := o.Text("oldText")
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
	if text := gitPatch(operation, file, string(before), string(after)); text != "" {
		w.Text(`,"patch":{"format":"git_patch","text":`)
		w.Quoted([]byte(text))
		w.Text("}")
	} else if len(before)+len(after) > MaxDiff {
		w.Lose("large diff", "its lines were left out")
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

// gitPatch returns a patch in the format of git between two texts of a file, ""
// if they are the same or too large.
func gitPatch(operation, file, before, after string) string {
	if len(before)+len(after) > MaxDiff || before == after && operation == "modify" {
		return ""
	}
	quoted := quotePath(file)
	labeled := quoted
	if strings.Contains(file, " ") && quoted == file {
		labeled += "\t" // ends a name with a blank in it
	}
	var p strings.Builder
	p.WriteString("diff --git " + quoted + " " + quoted + "\n")
	from, to := labeled, labeled
	switch operation {
	case "add":
		p.WriteString("new file mode 100644\n")
		from, before = "/dev/null", ""
	case "delete":
		p.WriteString("deleted file mode 100644\n")
		to, after = "/dev/null", ""
	}
	if before == after {
		return p.String()
	}
	p.WriteString("--- " + from + "\n+++ " + to + "\n")
	writeHunks(&p, splitLines(before), splitLines(after))
	return p.String()
}

// splitLines returns the lines of a text, each with its newline.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
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
	if len(x) == 0 || len(y) == 0 {
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
func writeHunks(p *strings.Builder, before, after []string) {
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
		p.WriteString("@@ -")
		writeRange(p, start, end-start)
		p.WriteString(" +")
		writeRange(p, added, last.ReplEnd+end-last.End-added)
		p.WriteString(" @@\n")
		at := start
		for _, c := range hunk {
			writeLines(p, ' ', before[at:c.Start])
			writeLines(p, '-', before[c.Start:c.End])
			writeLines(p, '+', after[c.ReplStart:c.ReplEnd])
			at = c.End
		}
		writeLines(p, ' ', before[at:end])
	}
}

// writeRange writes which lines a hunk has of a text. Lines count from 1; no
// lines are after the one that is named.
func writeRange(p *strings.Builder, start, count int) {
	if count > 0 {
		start++
	}
	p.WriteString(strconv.Itoa(start))
	if count != 1 {
		p.WriteString("," + strconv.Itoa(count))
	}
}

func writeLines(p *strings.Builder, mark byte, lines []string) {
	for _, line := range lines {
		p.WriteByte(mark)
		p.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			p.WriteString("\n\\ No newline at end of file\n")
		}
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

// absolute returns a path as an absolute one, if it is known where relative ones
// begin. Paths are those of the agent's machine: of POSIX or of Windows.
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
