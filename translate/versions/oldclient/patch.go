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
// The header of a hunk does not matter, and the reader does not count lines,
// because agents miscount them.
type patchReader struct {
	meta  []byte // raw, for each diff; nil if there is none
	limit int    // bytes of all diffs

	// spelled tells that a line end or mark may be written as \u00…, which
	// nobody needs.
	spelled bool
	crlf    bool // see separatedByCRLF

	out   []byte          // the diffs, with commas between the diffs of an item
	ends  []int           // where each item ends
	shown map[string]bool // the paths that have a diff

	// Of the file that is being read:
	path  string
	start []byte // how its diffs begin
	added bool

	after []byte // the new text of a hunk
}

// reset forgets the patch. Some of its memory is kept for the next one.
func (p *patchReader) reset() {
	const maxShown = 1024
	if clear(p.shown); len(p.shown) > maxShown {
		p.shown = nil
	}
	*p = patchReader{out: rawjson.Reuse(p.out), ends: rawjson.Reuse(p.ends), shown: p.shown, start: rawjson.Reuse(p.start), after: rawjson.Reuse(p.after)}
}

// appendTo appends the diffs as items. An item has several diffs, because most
// diffs are short. It does not have all of them, because the first items of a
// long content are left out.
func (p *patchReader) appendTo(items []item) []item {
	start := 0
	for _, end := range p.ends {
		items = append(items, item{json: cloned(p.out[start:end])})
		start = end
	}
	return items
}

// read reads a patch. It reports false if that cannot be read, or if the diffs
// would be longer than the limit.
func (p *patchReader) read(patch []byte) bool {
	ok := p.files(patch)
	if p.spelled {
		p.out, p.ends = p.out[:0], p.ends[:0]
		ok = p.files(rawjson.AppendEscaped(nil, unescaped(patch)))
	}
	p.endItem(0)
	return ok
}

// begun returns where the item that is being written begins.
func (p *patchReader) begun() int {
	if len(p.ends) == 0 {
		return 0
	}
	return p.ends[len(p.ends)-1]
}

// endItem ends an item that is longer than so many bytes.
func (p *patchReader) endItem(size int) {
	if len(p.out)-p.begun() > size {
		p.ends = append(p.ends, len(p.out))
	}
}

// files is read for a patch that is spelled as usual; if it is not, p.spelled
// tells that in the end.
func (p *patchReader) files(patch []byte) bool {
	p.crlf = p.separatedByCRLF(patch)
	found := false  // any file
	inFile := false // no other line came since the header of a file or a hunk
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
			if rest = p.hunk(next); len(p.out) > p.limit {
				return false
			}
		default: // such as diff --git, or the name before a rename
			inFile, rest = false, next
		}
	}
	return found || bytes.Contains(patch, []byte("diff --git ")) || len(bytes.TrimSpace(unescaped(patch))) == 0
}

// separatedByCRLF reports whether each line of a patch ends in a carriage return
// and a newline: a program has written the patch so. Otherwise a carriage return
// belongs to the text of its line, and a patch can change it.
func (p *patchReader) separatedByCRLF(patch []byte) (throughout bool) {
	for rest := patch; len(rest) > 0; {
		_, next, cr := p.cutNewline(rest)
		if next == nil {
			break // the last line needs no end
		}
		if !cr {
			return false
		}
		throughout, rest = true, next
	}
	return throughout
}

// cutLine returns the first line of a text, without its end, and what follows.
func (p *patchReader) cutLine(text []byte) (line, rest []byte) {
	line, rest, cr := p.cutNewline(text)
	if cr && p.crlf {
		line = line[:len(line)-len(`\r`)]
	}
	return line, rest
}

// cutNewline returns the text before the first newline, whether that ends in a
// carriage return, and the text behind the newline: nil if there is none.
func (p *patchReader) cutNewline(text []byte) (line, rest []byte, cr bool) {
	for i := 0; ; {
		escape := bytes.IndexByte(text[i:], '\\')
		if escape < 0 {
			return text, nil, endsInCR(text, i == len(text))
		}
		switch escape += i; text[escape+1] {
		case 'n':
			return text[:escape], text[escape+2:], endsInCR(text[:escape], escape == i)
		case 'u':
			p.spelled = p.spelled || bytes.HasPrefix(text[escape:], []byte(`\u00`))
		}
		i = escape + 2
	}
}

// endsInCR reports whether a line ends in a carriage return. escaped tells that it
// ends in an escape sequence.
func endsInCR(line []byte, escaped bool) bool {
	return escaped && bytes.HasSuffix(line, []byte(`\r`))
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

// hunk appends the diff of the hunk whose lines are next, and returns what
// follows them. A hunk without lines has no diff.
func (p *patchReader) hunk(text []byte) (rest []byte) {
	const newline = `\n`
	before := len(p.out)
	if before > p.begun() {
		p.out = append(p.out, ',')
	}
	p.out = append(p.out, p.start...)
	start := len(p.out)
	p.out = append(p.out, `,"oldText":"`...)
	empty := len(p.out)
	p.after = p.after[:0]
	rest = text
	for len(rest) > 0 {
		line, next := p.cutLine(rest)
		mark := byte(' ') // of an empty line: editors cut the blank off
		if len(line) > 0 && string(line) != `\r` {
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
		rest = next
	}
	if len(rest) == len(text) {
		p.out = p.out[:before]
		return rest
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
	p.endItem(maxPatchItem)
	if p.shown == nil {
		p.shown = make(map[string]bool)
	}
	p.shown[p.path] = true
	return rest
}

// isMark reports whether a line of a hunk can begin so. A backslash, which
// another backslash escapes, begins the remark that the last newline is missing.
func isMark(mark byte, line []byte) bool {
	return mark == ' ' || mark == '+' || mark == '-' || mark == '\\' && len(line) > 0 && line[0] == '\\'
}

// beginsFile reports whether a line whose mark was a minus begins the header of
// another file. A line of a hunk may look so too, but a header has a hunk
// after it.
func (p *patchReader) beginsFile(line, next []byte) bool {
	if !bytes.HasPrefix(line, []byte("--")) || !bytes.HasPrefix(next, []byte("+++")) {
		return false
	}
	_, third := p.cutLine(next)
	return bytes.HasPrefix(third, []byte("@@"))
}
