package patches

import (
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"acp-plan-proxy/transport/rawjson"
)

// A Text is a file's text or a part of it. The zero value is empty.
type Text struct {
	text  string
	lines []string // each with its newline
}

// TextOf returns the text that a raw JSON value is. It reports false if that is
// no string. A Text of more bytes than the limit has no lines: only its Size counts.
func TextOf(value []byte, limit int) (t Text, ok bool) {
	if len(value) < 2 || value[0] != '"' {
		return Text{}, false
	}
	text := value[1 : len(value)-1]
	t.text = string(text)
	if len(text) > limit {
		return t, true
	}
	var usual bool
	if t.lines, usual = linesOf(t.text, text); !usual { // equal lines could look different
		text = respell(text)
		t.text = string(text)
		t.lines, _ = linesOf(t.text, text)
	}
	return t, true
}

// Size returns the length of the text in bytes.
func (t Text) Size() int { return len(t.text) }

// Equal reports whether two texts are the same.
func (t Text) Equal(u Text) bool { return t.text == u.text }

// linesOf returns the lines of a text, which is given twice, and whether all are spelled as
// usual. If the text has no final newline, the last line has git's remark.
func linesOf(text string, same []byte) (lines []string, usual bool) {
	const usualLine = 40 // bytes
	lines, usual = make([]string, 0, len(text)/usualLine), true
	for rest := same; len(rest) > 0; {
		_, next, asUsual := CutLine(rest)
		line := text[len(text)-len(rest) : len(text)-len(next)]
		if next == nil {
			line += Newline + `\\ No newline at end of file` + Newline
		}
		lines, rest, usual = append(lines, line), next, usual && asUsual
	}
	return lines, usual
}

// Append appends a patch of a file. The operation is that of a change in version 2:
// to add, delete or modify it.
func Append(dst []byte, operation, path string, before, after Text) []byte {
	name := quoteName(path)
	labeled := name
	if strings.Contains(path, " ") && name == path {
		labeled += "\t" // ends a name with a blank in it
	}
	header := "diff --git " + name + " " + name + "\n"
	from, to := labeled, labeled
	switch operation {
	case "add":
		header += "new file mode 100644\n"
		from, before = none, Text{}
	case "delete":
		header += "deleted file mode 100644\n"
		to, after = none, Text{}
	}
	if !before.Equal(after) {
		header += "--- " + from + "\n+++ " + to + "\n"
	}
	return appendHunks(rawjson.AppendEscaped(dst, header), before.lines, after.lines)
}

// changedLines returns the differences between two texts in order. The search for common lines
// gives up early on texts with little in common, so it takes time linear in their length; the
// rest is then one difference.
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

// appendHunks appends the differences with up to three lines of context.
func appendHunks(dst []byte, before, after []string) []byte {
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
		dst = appendRange(append(dst, "@@ -"...), start, end-start)
		dst = appendRange(append(dst, " +"...), added, last.ReplEnd+end-last.End-added)
		dst = append(dst, " @@"+Newline...)
		at := start
		for _, c := range hunk {
			dst = appendLines(dst, ' ', before[at:c.Start])
			dst = appendLines(dst, '-', before[c.Start:c.End])
			dst = appendLines(dst, '+', after[c.ReplStart:c.ReplEnd])
			at = c.End
		}
		dst = appendLines(dst, ' ', before[at:end])
	}
	return dst
}

// appendRange appends the lines of a hunk in one of the texts. Lines are counted from 1. For a
// hunk without lines, the number is that of the preceding line.
func appendRange(dst []byte, start, count int) []byte {
	if count > 0 {
		start++
	}
	dst = strconv.AppendInt(dst, int64(start), 10)
	if count != 1 {
		dst = strconv.AppendInt(append(dst, ','), int64(count), 10)
	}
	return dst
}

func appendLines(dst []byte, mark byte, lines []string) []byte {
	for _, line := range lines {
		dst = append(append(dst, mark), line...)
	}
	return dst
}
