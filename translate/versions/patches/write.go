package patches

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"acp-plan-proxy/transport/rawjson"
)

// linesOf returns the lines of a text with their newlines. If the text has no final newline, git's
// note about that follows the last line.
func linesOf(text []byte) []string {
	const usualLine = 40 // bytes
	lines := make([]string, 0, len(text)/usualLine+1)
	for all := string(text); len(text) > 0; {
		_, rest, ends := CutLine(text)
		line := all[len(all)-len(text) : len(all)-len(rest)]
		if !ends {
			line += Newline + `\\ No newline at end of file` + Newline
		}
		lines, text = append(lines, line), rest
	}
	return lines
}

// Append appends the patch of a file. The operation is add, delete or modify, as in a change of
// version 2.
func Append(dst []byte, operation, path string, before, after []byte) []byte {
	name := quoteName(path)
	labeled := name
	if strings.Contains(path, " ") && name == path {
		labeled += "\t" // as git does after a name with a blank
	}
	header := "diff --git " + name + " " + name + "\n"
	from, to := labeled, labeled
	switch operation {
	case "add":
		header += "new file mode 100644\n"
		from, before = none, nil
	case "delete":
		header += "deleted file mode 100644\n"
		to, after = none, nil
	}
	if !bytes.Equal(before, after) {
		header += "--- " + from + "\n+++ " + to + "\n"
	}
	return appendHunks(rawjson.AppendEscaped(dst, header), linesOf(before), linesOf(after))
}

// appendHunks appends the differences with up to three lines of context. The search for common lines
// gives up early on texts with little in common, and then returns one difference for the rest. Its
// time is therefore linear in the length of the texts.
func appendHunks(dst []byte, before, after []string) []byte {
	const context = 3
	changes := lcs.DiffLines(before, after)
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
		next := start
		for _, c := range hunk {
			dst = appendLines(dst, ' ', before[next:c.Start])
			dst = appendLines(dst, '-', before[c.Start:c.End])
			dst = appendLines(dst, '+', after[c.ReplStart:c.ReplEnd])
			next = c.End
		}
		dst = appendLines(dst, ' ', before[next:end])
	}
	return dst
}

// appendRange appends the range of a hunk in one of the texts: the number of its first line, counted
// from 1, and the number of lines. For an empty range, the first number is that of the preceding line.
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
