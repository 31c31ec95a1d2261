package oldclient

import (
	"bytes"
	"strconv"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// A patchReader turns a git patch into diffs of version 1, one for each hunk. It
// reads the patch as it is inside a JSON string and copies lines with their
// escapes, because most of a stream with diffs is the text of patches.
//
// Paths are taken as they are: agents write absolute ones, without a/ and b/.
// Lines are not counted, because agents miscount them.
type patchReader struct {
	meta  []byte // raw, for each diff; nil if there is none
	limit int    // bytes of all diffs

	// spelled tells that a line end or mark may be written as \u00…, which
	// nobody needs.
	spelled bool

	out   []byte          // the diffs, with commas between them
	shown map[string]bool // the paths that have one

	// Of the file that is being read:
	path  string
	start []byte // how its diffs begin
	added bool

	after []byte // the new text of a hunk
}

// reset forgets the patch before, whose memory is used again.
func (p *patchReader) reset() {
	const maxShown = 1024 // paths for which memory is kept
	p.out, p.meta, p.spelled = p.out[:0], nil, false
	if p.shown == nil || len(p.shown) > maxShown {
		p.shown = make(map[string]bool)
	}
	clear(p.shown)
}

// read reads a patch. It reports false if that cannot be read, or if the diffs
// would be longer than the limit.
func (p *patchReader) read(patch []byte) bool {
	ok := p.files(patch)
	if p.spelled {
		p.out = p.out[:0]
		return p.files(rawjson.AppendEscaped(nil, unescaped(patch)))
	}
	return ok
}

// files is read for a patch in the usual spelling. Whether it is that turns out
// meanwhile.
func (p *patchReader) files(patch []byte) bool {
	found, inFile := false, false // any file; the header of one is right before
	for rest := patch; len(rest) > 0; {
		line, next := p.cutLine(rest)
		switch {
		case bytes.HasPrefix(line, []byte("--- ")):
			to, behind := p.cutLine(next)
			if !bytes.HasPrefix(to, []byte("+++ ")) {
				return false
			}
			p.file(line[4:], to[4:])
			found, inFile, rest = true, true, behind
		case inFile && bytes.HasPrefix(line, []byte("@@")):
			if !isHunkHeader(line) {
				return false
			}
			if rest = p.hunk(next); len(p.out) > p.limit {
				return false
			}
		default: // such as diff --git, or the name before a rename
			inFile, rest = false, next
		}
	}
	return found || bytes.Contains(patch, []byte("diff --git ")) || p.isBlank(patch)
}

// cutLine returns the first line of a text, without its end, and what follows.
func (p *patchReader) cutLine(text []byte) (line, rest []byte) {
	for i := 0; ; {
		escape := bytes.IndexByte(text[i:], '\\')
		if escape < 0 {
			return text, nil
		}
		switch escape += i; text[escape+1] {
		case 'n':
			line = text[:escape]
			if escape == i && bytes.HasSuffix(line, []byte(`\r`)) { // right behind another escape
				line = line[:len(line)-2]
			}
			return line, text[escape+2:]
		case 'u':
			p.spelled = p.spelled || bytes.HasPrefix(text[escape:], []byte(`\u00`))
		}
		i = escape + 2
	}
}

// isBlank reports whether a text has nothing but white space.
func (p *patchReader) isBlank(text []byte) bool {
	for len(text) > 0 {
		line, rest := p.cutLine(text)
		if len(bytes.TrimSpace(line)) > 0 {
			return false
		}
		text = rest
	}
	return true
}

// file takes in the header of a file.
func (p *patchReader) file(from, to []byte) {
	const none = "/dev/null"
	before := patchName(from)
	p.added = before == none
	if p.path = patchName(to); p.path == none || p.path == "" {
		p.path = before
	}
	p.start = rawjson.AppendQuoted(append(p.start[:0], `{"type":"diff","path":`...), p.path)
}

// patchName returns the name in the header of a file. What follows a tab is a
// time, and git quotes unusual names.
func patchName(header []byte) string {
	name, _, _ := strings.Cut(strings.TrimSpace(string(unescaped(header))), "\t")
	if strings.HasPrefix(name, `"`) {
		if unquoted, err := strconv.Unquote(name); err == nil {
			return unquoted
		}
	}
	return name
}

// unescaped returns what the inside of a JSON string says.
func unescaped(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	return rawjson.Unquote(append(append([]byte{'"'}, text...), '"'))
}

// isHunkHeader reports whether a line is like @@ -1,2 +1,3 @@, with anything
// behind that.
func isHunkHeader(line []byte) bool {
	marks, line, _ := bytes.Cut(line, []byte(" "))
	before, line, _ := bytes.Cut(line, []byte(" "))
	after, line, _ := bytes.Cut(line, []byte(" "))
	end, _, _ := bytes.Cut(line, []byte(" "))
	return string(marks) == "@@" && isRange(before, '-') && isRange(after, '+') && string(end) == "@@"
}

func isRange(text []byte, mark byte) bool {
	if len(text) == 0 || text[0] != mark {
		return false
	}
	start, count, counts := bytes.Cut(text[1:], []byte(","))
	return isNumber(start) && (!counts || isNumber(count))
}

func isNumber(text []byte) bool {
	for _, b := range text {
		if b < '0' || '9' < b {
			return false
		}
	}
	return len(text) > 0
}

// hunk appends the diff of the hunk whose lines are next, and returns what
// follows them.
func (p *patchReader) hunk(text []byte) (rest []byte) {
	const newline = `\n`
	before, lines := len(p.out), len(text)
	if before > 0 {
		p.out = append(p.out, ',')
	}
	p.out = append(p.out, p.start...)
	start := len(p.out)
	p.out = append(p.out, `,"oldText":"`...)
	empty := len(p.out)
	p.after = p.after[:0]
	for len(text) > 0 {
		line, next := p.cutLine(text)
		mark := byte(' ') // of an empty line: editors cut the blank off
		if len(line) > 0 {
			mark, line = line[0], line[1:]
		}
		if mark == '-' && p.beginsFile(line, next) || !isMark(mark, line) {
			break
		}
		if mark == ' ' || mark == '-' {
			p.out = append(append(p.out, line...), newline...)
		}
		if mark == ' ' || mark == '+' {
			p.after = append(append(p.after, line...), newline...)
		}
		text = next
	}
	if len(text) == lines {
		p.out = p.out[:before]
		return text
	}
	if len(p.out) == empty || p.added {
		p.out = p.out[:start]
	} else {
		p.out = append(p.out[:len(p.out)-len(newline)], '"')
	}
	p.out = append(append(p.out, `,"newText":"`...), bytes.TrimSuffix(p.after, []byte(newline))...)
	p.out = append(p.out, '"')
	if p.meta != nil {
		p.out = appendRaw(p.out, "_meta", p.meta)
	}
	p.out = append(p.out, '}')
	p.shown[p.path] = true
	return text
}

// isMark reports whether a line of a hunk can begin so. A backslash, which has
// another one as its escape, begins a remark: that no newline is at the end.
func isMark(mark byte, line []byte) bool {
	return mark == ' ' || mark == '+' || mark == '-' || mark == '\\' && len(line) > 0 && line[0] == '\\'
}

// beginsFile reports whether a line, whose mark was a minus, begins the header of
// another file. It may be a line of the hunk that looks so, unless a hunk follows.
func (p *patchReader) beginsFile(line, next []byte) bool {
	if !bytes.HasPrefix(line, []byte("--")) || !bytes.HasPrefix(next, []byte("+++")) {
		return false
	}
	_, third := p.cutLine(next)
	return bytes.HasPrefix(third, []byte("@@"))
}
