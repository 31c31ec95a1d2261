package patches

import (
	"bytes"

	"acp-plan-proxy/transport/rawjson"
)

// A Hunk is one place where a patch changes a file.
type Hunk struct {
	Path          string // as the patch has it, not escaped
	Before, After []byte // the lines, without the last newline; Before is nil if there are none
}

// A Reader reads a patch hunk by hunk:
//
//	for r.Reset(patch); r.Next(); {
//		… r.Hunk …
//	}
//	if !r.OK() …
//
// It reads more than git does, because agents write patches by themselves. Paths are
// taken as they are: agents write absolute ones, without a/ and b/. The numbers in
// the header of a hunk do not matter, and the Reader does not count lines, because
// agents miscount them.
type Reader struct {
	Hunk Hunk // valid until the next call

	patch, rest []byte
	crlf        bool // each line ends in a carriage return and a newline

	found  bool // any file
	broken bool
	inFile bool // only headers and hunks came since the header of the file
	added  bool // the file was not there before
	path   string

	before, after []byte
}

// Reset begins to read a patch. Nil makes the Reader forget the one before. Some of
// its memory is kept, see [rawjson.Reuse].
func (r *Reader) Reset(patch []byte) {
	// Nobody needs to write a line end or a mark as \u00…, but some may.
	if hasEscape(patch, "u00") {
		patch = respell(patch)
	}
	*r = Reader{patch: patch, rest: patch, crlf: endsInCRLF(patch), before: rawjson.Reuse(r.before), after: rawjson.Reuse(r.after)}
}

// Next reads the next hunk that has lines. It reports false at the end, and
// where the patch cannot be read.
func (r *Reader) Next() bool {
	for len(r.rest) > 0 {
		line, next := r.cutLine(r.rest)
		switch {
		case bytes.HasPrefix(line, []byte("--- ")):
			to, behind := r.cutLine(next)
			if !bytes.HasPrefix(to, []byte("+++ ")) {
				r.broken, r.rest = true, nil
				return false
			}
			r.file(nameOf(line[4:]), nameOf(to[4:]))
			r.inFile, r.rest = true, behind
		case r.inFile && bytes.HasPrefix(line, []byte("@@")):
			if r.rest = next; r.hunk() {
				return true
			}
		default: // such as diff --git, or the name before a rename
			r.inFile, r.rest = false, next
		}
	}
	return false
}

// OK reports whether what was read is a patch: one without hunks can be.
func (r *Reader) OK() bool {
	return !r.broken && (r.found || bytes.Contains(r.patch, []byte("diff --git ")) || len(bytes.TrimSpace(unescape(r.patch))) == 0)
}

// endsInCRLF reports whether each line of a patch ends in a carriage return and a
// newline: a program has written the patch so. Otherwise a carriage return belongs
// to the text of its line, and a patch can change it.
func endsInCRLF(patch []byte) (throughout bool) {
	for rest := patch; len(rest) > 0; {
		line, next, _ := cutLine(rest)
		if next == nil {
			break // the last line needs no end
		}
		if !endsInCR(line) {
			return false
		}
		throughout, rest = true, next
	}
	return throughout
}

// cutLine returns the first line of a text, without its end, and what follows.
func (r *Reader) cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = cutLine(text)
	if r.crlf && endsInCR(line) {
		line = line[:len(line)-len(`\r`)]
	}
	return line, rest
}

// file notes the header of a file, with its names before and after.
func (r *Reader) file(before, after string) {
	r.found, r.added = true, before == none
	if r.path = after; after == none || after == "" {
		r.path = before
	}
}

// hunk reads the lines of a hunk. It reports false if there are none.
func (r *Reader) hunk() bool {
	r.before, r.after = r.before[:0], r.after[:0]
	start := r.rest
	for len(r.rest) > 0 {
		line, next := r.cutLine(r.rest)
		mark := byte(' ') // of an empty line: editors cut the blank off
		if len(line) > 0 && string(line) != `\r` {
			mark, line = line[0], line[1:]
		}
		if mark == '-' && r.beginsFile(line, next) || !isMark(mark, line) {
			break
		}
		if mark == ' ' || mark == '-' {
			r.before = append(append(r.before, line...), newline...)
		}
		if mark == ' ' || mark == '+' {
			r.after = append(append(r.after, line...), newline...)
		}
		r.rest = next
	}
	r.Hunk = Hunk{Path: r.path, After: bytes.TrimSuffix(r.after, []byte(newline))}
	if len(r.before) > 0 && !r.added {
		r.Hunk.Before = r.before[:len(r.before)-len(newline)]
	}
	return len(r.rest) < len(start)
}

// isMark reports whether a line of a hunk can begin so. A backslash, which
// another backslash escapes, begins the remark that the last newline is missing.
func isMark(mark byte, line []byte) bool {
	return mark == ' ' || mark == '+' || mark == '-' || mark == '\\' && len(line) > 0 && line[0] == '\\'
}

// beginsFile reports whether a line whose mark was a minus begins the header of
// another file. A line of a hunk may look so too, but a header has a hunk
// after it.
func (r *Reader) beginsFile(line, next []byte) bool {
	if !bytes.HasPrefix(line, []byte("--")) || !bytes.HasPrefix(next, []byte("+++")) {
		return false
	}
	_, third := r.cutLine(next)
	return bytes.HasPrefix(third, []byte("@@"))
}
