package commonmark

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain returns the plain text of a block's text, or of a part of it, on one line. It
// resolves emphasis, strikethrough, inline links and images, autolinks, escapes and
// character references. It drops HTML tags and comments. Code spans keep their backticks.
// White space and control characters become single spaces between words.
func Plain(raw []byte) string {
	raw = bytes.TrimSpace(raw)
	if isPlain(raw) {
		return string(raw)
	}
	t := inline{text: raw}
	t.resolve(0)
	isGap := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	return string(bytes.Join(bytes.FieldsFunc(t.plain, isGap), []byte(" ")))
}

// isPlain reports whether a text without space around it is its own plain text.
func isPlain(raw []byte) bool {
	for i, b := range raw {
		if b < ' ' || b > '~' || strings.IndexByte("\\`<*_~[&", b) >= 0 || b == ' ' && raw[i-1] == ' ' {
			return false
		}
	}
	return true
}

// An inline resolves the inline syntax of a text. Syntax that is not closed is text.
type inline struct {
	text     []byte
	plain    []byte          // the text without syntax
	unclosed map[string]bool // delimiters that the rest of the text does not close
}

// Limits that keep the time linear in the length of a text.
const (
	maxNestedInline = 8    // links and emphasis in each other
	maxTicks        = 64   // backticks that begin a code span
	maxLabel        = 999  // bytes of a link's text
	maxDestination  = 2000 // bytes of a link's destination
	maxReference    = 34   // bytes of a character reference
)

// resolve appends text without syntax to plain.
func (t *inline) resolve(depth int) {
	for i := 0; i < len(t.text); {
		var inner []byte // the text in the syntax at i
		rest := t.text[i:]
		run := runLength(rest)
		length := 0 // of the syntax, with inner
		switch c := rest[0]; c {
		case '\\':
			if len(rest) > 1 && (isPunctuation(rest[1]) || rest[1] == '\n') {
				t.plain = append(t.plain, rest[1])
				length = 2
			}
		case '&':
			if end := bytes.IndexByte(rest[:min(len(rest), maxReference)], ';'); end > 0 {
				length = end + 1
				t.plain = append(t.plain, html.UnescapeString(string(rest[:length]))...)
			}
		case '`':
			if end := t.closing(i, run); end > 0 {
				length = end + run
			}
			t.plain = append(t.plain, rest[:length]...)
		case '*', '_', '~':
			if t.opens(i, run) {
				if end := t.closing(i, run); end > 0 {
					inner, length = rest[run:end], end+run
				}
			}
		case '<':
			inner, length = t.tag(i)
		case '!':
			if inner, length = link(rest[1:]); length > 0 {
				length++
			}
		case '[':
			inner, length = link(rest)
		}
		switch {
		case length == 0:
			if rest[0] == '[' || rest[0] == '<' || rest[0] == '&' { // the next one of the run may begin syntax
				run = 1
			}
			t.plain = append(t.plain, rest[:run]...)
			length = run
		case depth < maxNestedInline:
			in := inline{text: inner, plain: t.plain}
			in.resolve(depth + 1)
			t.plain = in.plain
		default:
			t.plain = append(t.plain, inner...)
		}
		i += length
	}
}

// opens reports whether the run of delimiters at i may begin emphasis.
func (t *inline) opens(i, run int) bool {
	before, _ := utf8.DecodeLastRune(t.text[:i])
	return i+run < len(t.text) && !isSpace(t.text[i+run]) && run <= 3 && (t.text[i] != '~' || run <= 2) &&
		(t.text[i] != '_' || !isWord(before) && before != '/') // not in a path
}

// closing returns the distance from i of the run of delimiters that closes the one at i,
// 0 if none does.
func (t *inline) closing(i, run int) int {
	delimiter := t.text[i : i+run]
	if run >= maxTicks || t.unclosed[string(delimiter)] {
		return 0
	}
	for j := i + run; j < len(t.text); {
		at := bytes.IndexByte(t.text[j:], delimiter[0])
		if at < 0 {
			break
		}
		j += at
		length := runLength(t.text[j:])
		after, _ := utf8.DecodeRune(t.text[j+length:])
		if length == run && (delimiter[0] == '`' || !isSpace(t.text[j-1]) && (delimiter[0] != '_' || !isWord(after))) {
			return j - i
		}
		j += length
	}
	t.noteUnclosed(string(delimiter))
	return 0
}

func (t *inline) noteUnclosed(delimiter string) {
	if t.unclosed == nil {
		t.unclosed = make(map[string]bool)
	}
	t.unclosed[delimiter] = true
}

// tag returns the length of the HTML tag, comment or autolink at i, and its text: the
// address of an autolink, a space for a line break.
func (t *inline) tag(i int) (text []byte, length int) {
	rest, end := t.text[i:], ">"
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		end = "-->"
	case len(rest) < 2 || !isLetter(rest[1]) && rest[1] != '/':
		return nil, 0
	}
	if t.unclosed[end] {
		return nil, 0
	}
	at := bytes.Index(rest, []byte(end))
	if at < 0 {
		t.noteUnclosed(end)
		return nil, 0
	}
	switch inner := rest[1:at]; {
	case bytes.ContainsAny(inner, ":@") && !bytes.ContainsAny(inner, " \t\n"):
		text = inner
	case bytes.HasPrefix(bytes.ToLower(inner), []byte("br")):
		text = []byte(" ")
	}
	return text, at + len(end)
}

// link returns the text of the link that s begins with, and the length of the link.
func link(s []byte) (text []byte, length int) {
	if len(s) == 0 || s[0] != '[' {
		return nil, 0
	}
	text, _, found := bytes.Cut(s[1:min(len(s), maxLabel)], []byte("]("))
	if !found || bytes.ContainsAny(text, "[]") {
		return nil, 0
	}
	start := 1 + len(text) + len("](")
	destination := s[start:min(len(s), start+maxDestination)]
	end := bytes.IndexByte(destination, ')')
	if end < 0 {
		return nil, 0
	}
	if bytes.IndexByte(destination[:end], '(') >= 0 { // parentheses in the destination
		end += 1 + bytes.IndexByte(destination[end+1:], ')')
	}
	return text, start + end + 1
}

// runLength returns the number of bytes like the first one at the start of s.
func runLength(s []byte) int {
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

func isPunctuation(b byte) bool {
	return b < utf8.RuneSelf && (unicode.IsPunct(rune(b)) || unicode.IsSymbol(rune(b)))
}
