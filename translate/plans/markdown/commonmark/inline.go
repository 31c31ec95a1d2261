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
// A single space replaces white space and control characters.
func Plain(raw []byte) string {
	raw = bytes.TrimSpace(raw)
	if isPlain(raw) {
		return string(raw)
	}
	return OneLine(appendPlain(make([]byte, 0, len(raw)), raw, 0))
}

// OneLine returns text on one line, with single spaces. Control characters are white space. It
// overwrites text.
func OneLine(text []byte) string {
	isGap := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	line := text[:0] // never longer than what is read
	for word := range bytes.FieldsFuncSeq(text, isGap) {
		line = append(append(line, word...), ' ')
	}
	return string(bytes.TrimSuffix(line, []byte(" ")))
}

// isPlain reports whether a trimmed text is its own plain text.
func isPlain(raw []byte) bool {
	for i, b := range raw {
		if b < ' ' || b > '~' || strings.IndexByte("\\`<*_~[&", b) >= 0 || b == ' ' && raw[i-1] == ' ' {
			return false
		}
	}
	return true
}

// Limits that keep the time linear in the length of a text. Syntax beyond them is text.
const (
	maxInline       = 500 // bytes of inline syntax with the enclosed text
	maxNestedInline = 8   // links and emphasis in each other
)

// appendPlain appends text without inline syntax to dst. The text is nested in depth
// links and emphases.
func appendPlain(dst, text []byte, depth int) []byte {
	for i := 0; i < len(text); {
		rest := text[i:min(len(text), i+maxInline)]
		run := runLength(rest)
		var inner []byte // the text in the syntax at i
		length := 0      // of the syntax
		switch rest[0] {
		case '\\':
			if len(rest) > 1 && (isPunctuation(rest[1]) || rest[1] == '\n') {
				dst = append(dst, rest[1])
				length = 2
			}
		case '&':
			if end := bytes.IndexByte(rest, ';'); end > 0 {
				length = end + 1
				dst = append(dst, html.UnescapeString(string(rest[:length]))...)
			}
		case '`':
			if end := closing(text, i, run); end > 0 {
				length = end + run
				dst = append(dst, rest[:length]...)
			}
		case '*', '_', '~':
			if end := closing(text, i, run); end > 0 {
				inner, length = rest[run:end], end+run
			}
		case '<':
			inner, length = tag(rest)
		case '!', '[':
			inner, length = link(rest)
		}
		switch {
		case length == 0:
			if strings.IndexByte("![<&", rest[0]) >= 0 { // the next byte of the run may begin syntax
				run = 1
			}
			dst = append(dst, rest[:run]...)
			length = run
		case depth < maxNestedInline:
			dst = appendPlain(dst, inner, depth+1)
		default:
			dst = append(dst, inner...)
		}
		i += length
	}
	return dst
}

// closing returns the distance from i of the run of delimiters that closes the run at i,
// 0 if the run does not begin emphasis or a code span.
func closing(text []byte, i, run int) int {
	delimiter, isCode := text[i], text[i] == '`'
	before, _ := utf8.DecodeLastRune(text[:i])
	isInside := delimiter == '_' && (isWord(before) || before == '/') // of a word or a path
	most := 3
	if delimiter == '~' {
		most = 2
	}
	end := min(len(text), i+maxInline)
	if i+run >= end || !isCode && (isInside || run > most || isSpace(text[i+run])) {
		return 0
	}
	for j := i + run; j < end; {
		at := bytes.IndexByte(text[j:end], delimiter)
		if at < 0 {
			break
		}
		j += at
		length := runLength(text[j:end])
		after, _ := utf8.DecodeRune(text[j+length:])
		if length == run && (isCode || !isSpace(text[j-1]) && (delimiter != '_' || !isWord(after))) {
			return j - i
		}
		j += length
	}
	return 0
}

// tag returns the length of the HTML tag, comment or autolink at the start of s, and its
// text: the address of an autolink, a space for a line break.
func tag(s []byte) (text []byte, length int) {
	end := ">"
	switch {
	case bytes.HasPrefix(s, []byte("<!--")):
		end = "-->"
	case len(s) < 2 || !isLetter(s[1]) && s[1] != '/':
		return nil, 0
	}
	at := bytes.Index(s, []byte(end))
	if at < 0 {
		return nil, 0
	}
	switch inner := s[1:at]; {
	case bytes.ContainsAny(inner, ":@") && !bytes.ContainsAny(inner, " \t\n"):
		text = inner
	case bytes.HasPrefix(bytes.ToLower(inner), []byte("br")):
		text = []byte(" ")
	}
	return text, at + len(end)
}

// link returns the length of the link or image at the start of s, and its text.
func link(s []byte) (text []byte, length int) {
	label, isLink := bytes.CutPrefix(bytes.TrimPrefix(s, []byte("!")), []byte("["))
	text, destination, found := bytes.Cut(label, []byte("]("))
	end := bytes.IndexByte(destination, ')')
	if !isLink || !found || end < 0 || bytes.ContainsAny(text, "[]") {
		return nil, 0
	}
	if bytes.IndexByte(destination[:end], '(') >= 0 { // parentheses in the destination
		end += 1 + bytes.IndexByte(destination[end+1:], ')')
	}
	return text, len(s) - len(destination) + end + 1
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
