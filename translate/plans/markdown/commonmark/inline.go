package commonmark

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain returns the plain text of a block's text, or of a part of it, on one
// line: emphasis, strikethrough, links, images, autolinks, escapes, character
// references and line breaks are resolved, HTML tags are left out, code spans
// keep their backticks, and white space and control characters are single
// spaces between words.
func (d *Document) Plain(raw []byte) string {
	raw = bytes.TrimSpace(raw)
	if isPlain(raw) {
		return string(raw)
	}
	t := &d.inline
	t.resolve(d, raw)
	return t.plain()
}

// resolve finds out what becomes of a text.
func (t *inline) resolve(d *Document, raw []byte) {
	t.text = raw
	t.uses = append(t.uses[:0], make([]use, len(raw))...)
	t.runs, t.brackets, t.deadLinks = t.runs[:0], t.brackets[:0], 0
	t.parts = t.parts[:0]
	t.unclosedTicks, t.unclosedComment = 0, false
	t.read(d)
	t.resolveRuns(0)
}

// isPlain reports whether a text without space around it is as its plain text.
func isPlain(raw []byte) bool {
	for i, b := range raw {
		if special[b] || b == ' ' && raw[i-1] == ' ' {
			return false
		}
	}
	return true
}

// special are the bytes that inline syntax is made of, and all that are not
// printable ASCII.
var special = func() (special [256]bool) {
	for b := range special {
		special[b] = b < ' ' || b > '~' || strings.IndexByte("\\`<*_~[]&", byte(b)) >= 0
	}
	return special
}()

// A use says what becomes of a byte of a text.
type use uint8

const (
	content use = iota // it is text, or may start a character reference
	syntax             // it is left out
	literal            // it is text, whatever it looks like
	space              // it is a space
)

// inline resolves the inline syntax of a text. Its slices are used again for
// the next one.
type inline struct {
	text      []byte
	uses      []use
	runs      []run
	brackets  []bracket
	parts     []part
	deadLinks int    // open brackets before that index do not start a link
	line      []byte // what is plain of it

	// What nothing further on in the text ends:
	unclosedTicks   uint64 // code spans, by how many backticks they begin with
	unclosedComment bool
}

// A bracket is a '[' or '![' that may start a link or an image.
type bracket struct {
	pos   int
	image bool
	runs  int // how many runs are before it
}

// use sets what becomes of the bytes from start to end.
func (t *inline) use(u use, start, end int) {
	for i := start; i < end; i++ {
		t.uses[i] = u
	}
}

// read reads the text once and finds all of its syntax but emphasis, which is
// resolved for the text of each link, and then for the rest.
func (t *inline) read(d *Document) {
	for i := 0; i < len(t.text); {
		switch c := t.text[i]; c {
		case '\\':
			i += t.escape(i)
		case '`':
			i += t.codeSpan(i)
		case '<':
			i += t.tag(i)
		case '*', '_', '~':
			i += t.addRun(i)
		case '!':
			if i+1 < len(t.text) && t.text[i+1] == '[' {
				t.openBracket(i, true)
				i++
			}
			i++
		case '[':
			t.openBracket(i, false)
			i++
		case ']':
			i += t.closeBracket(d, i)
		case 'h', 'w':
			i += t.bareURL(i)
		default:
			i++
		}
	}
}

func (t *inline) escape(i int) int {
	if i+1 == len(t.text) {
		return 1
	}
	switch next := t.text[i+1]; {
	case isPunctuation(next):
		t.uses[i], t.uses[i+1] = syntax, literal
		return 2
	case next == '\n':
		t.uses[i] = syntax
	}
	return 1
}

// codeSpan keeps a code span as it is written.
func (t *inline) codeSpan(i int) int {
	length := runLength(t.text[i:])
	if length >= 64 || t.unclosedTicks&(1<<length) != 0 {
		return length
	}
	for j := i + length; j < len(t.text); {
		tick := bytes.IndexByte(t.text[j:], '`')
		if tick < 0 {
			break
		}
		j += tick
		closing := runLength(t.text[j:])
		if closing == length {
			t.use(literal, i, j+closing)
			t.parts = append(t.parts, part{kind: codeSpan, start: i + length, end: j, at: i})
			return j + closing - i
		}
		j += closing
	}
	t.unclosedTicks |= 1 << length
	return length
}

// runLength returns how many bytes like its first s starts with.
func runLength(s []byte) int {
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

// tag resolves an autolink, or leaves a tag, comment or the like out.
func (t *inline) tag(i int) int {
	s := t.text[i:]
	if length := autolinkLength(s); length > 0 {
		t.uses[i], t.uses[i+length-1] = syntax, syntax
		t.use(literal, i+1, i+length-1)
		t.parts = append(t.parts, part{kind: address, start: i + 1, end: i + length - 1, at: i})
		return length
	}
	length := 0
	if len(s) > 1 && (isLetter(s[1]) || s[1] == '/') {
		length = tagLength(s)
	} else {
		length = t.commentLength(s)
	}
	if length == 0 {
		return 1
	}
	t.use(syntax, i, i+length)
	t.parts = append(t.parts, part{kind: tag, start: i, end: i + length, at: i})
	if len(s) > 3 && bytes.EqualFold(s[1:3], []byte("br")) && !isLetter(s[3]) {
		t.uses[i] = space
	}
	return length
}

// autolinkLength returns the length of the autolink that s starts with, 0 if it starts with
// none.
func autolinkLength(s []byte) int {
	if end := bytes.IndexAny(s[1:], "<> "); end < 0 || s[1+end] != '>' || !bytes.ContainsAny(s[1:1+end], ":@") {
		return 0
	}
	return len(autolink.find(s))
}

// autolink is a URI or an address in angle brackets.
var autolink = pattern{text: `^<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00- <>]*|[A-Za-z0-9.!#$%&'*+/=?^_` + "`" + `{|}~-]+@[A-Za-z0-9.-]*[A-Za-z])>`}

// bareURL keeps a URL without brackets as it is, as GFM does.
func (t *inline) bareURL(i int) int {
	s := t.text[i:]
	if len(t.brackets) > 0 || i > 0 && !isSpace(t.text[i-1]) && bytes.IndexByte([]byte("*_~("), t.text[i-1]) < 0 ||
		!bytes.HasPrefix(s, []byte("http")) && !bytes.HasPrefix(s, []byte("www.")) {
		return 1
	}
	length := len(bareURL.find(s))
	if length == 0 {
		return 1
	}
	t.use(literal, i, i+length)
	t.parts = append(t.parts, part{kind: address, start: i, end: i + length, at: i})
	return length
}

// bareURL leaves out what belongs to the sentence around it: punctuation at the end, and
// parentheses that are not both in it.
var bareURL = pattern{text: `^(?:https?://|www\.)(?:[!-'*-;=-~]|\([!-'*-;=-~]*\))*(?:[#-&+/-9;=>@-^` + "`" + `-}-]|\([!-'*-;=-~]*\))`}

func (t *inline) openBracket(i int, image bool) {
	t.brackets = append(t.brackets, bracket{i, image, len(t.runs)})
}

// closeBracket resolves the link or image that the bracket at i ends, if there
// is one.
func (t *inline) closeBracket(d *Document, i int) int {
	last := len(t.brackets) - 1
	if last < 0 {
		return 1
	}
	b := t.brackets[last]
	t.brackets = t.brackets[:last]
	dead := last < t.deadLinks
	t.deadLinks = min(t.deadLinks, last)
	if dead && !b.image {
		return 1
	}
	start := b.pos + 1
	if b.image {
		start++
	}
	destination, length := t.target(d, start, i)
	if length == 0 {
		return 1
	}
	t.use(syntax, b.pos, start)
	t.use(syntax, i, i+length)
	kind := link
	if b.image {
		kind = image
	}
	t.parts = append(t.parts, part{kind, b.pos, start, i, destination}, part{kind: ends, at: i})
	t.resolveRuns(b.runs)
	t.runs = t.runs[:b.runs]
	if !b.image { // no link in a link
		t.deadLinks = last
	}
	return length
}

// target returns where the text in brackets from start to end leads, and the length of what
// makes a link of it, the closing bracket included, 0 if nothing does.
func (t *inline) target(d *Document, start, end int) (destination []byte, length int) {
	after := t.text[end+1:]
	if destination, length = inlineLink(after); length > 0 {
		return destination, 1 + length
	}
	length = labelLength(after)
	switch {
	case length > len("[]"):
		destination = d.link(after[1 : length-1])
	case len(d.links) > 0 && labelLength(t.text[start-1:]) == end-start+len("[]"):
		destination = d.link(t.text[start:end])
	}
	if destination == nil {
		return nil, 0
	}
	return destination, 1 + length
}

// plain returns what is left of the text, on one line.
func (t *inline) plain() string {
	l := line{text: t.line[:0]}
	for i, size := 0, 0; i < len(t.text); i += size {
		size = 1
		switch c := t.text[i]; {
		case t.uses[i] == syntax:
		case t.uses[i] == space:
			l.gap = true
		case c == '&' && t.uses[i] == content:
			var character string
			character, size = reference(t.text[i:])
			for _, r := range character {
				l.add(r)
			}
		case ' ' < c && c <= '~' && !l.gap:
			l.text = append(l.text, c)
		default:
			var r rune
			r, size = utf8.DecodeRune(t.text[i:])
			l.add(r)
		}
	}
	t.line = l.text
	return string(l.text)
}

// A line is text with single spaces between words.
type line struct {
	text []byte
	gap  bool // space follows, if more text does
}

func (l *line) add(r rune) {
	if unicode.IsSpace(r) || unicode.IsControl(r) {
		l.gap = true
		return
	}
	if l.gap && len(l.text) > 0 {
		l.text = append(l.text, ' ')
	}
	l.gap = false
	l.text = utf8.AppendRune(l.text, r)
}

// reference returns the character that the reference at the start of s names, and
// the length of the reference. Without a reference, it returns the ampersand.
func reference(s []byte) (character string, length int) {
	end := 1
	for end < len(s) && end < 34 && (isLetter(s[end]) || '0' <= s[end] && s[end] <= '9' || end == 1 && s[end] == '#') {
		end++
	}
	if end == len(s) || s[end] != ';' || s[1] == '#' && end > 9 {
		return "&", 1
	}
	written := string(s[:end+1])
	character = html.UnescapeString(written)
	// Only HTML reads a reference without its semicolon.
	if character == written || len(character) > 1 && strings.HasSuffix(character, ";") {
		return "&", 1
	}
	return character, end + 1
}
