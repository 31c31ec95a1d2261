package commonmark

import (
	"bytes"
	"html"
	"regexp"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Plain returns the plain text of a block's text, or of a part of it, on one line. It
// resolves emphasis, strikethrough, inline links and images, autolinks, escapes and
// character references. It drops HTML tags and comments. Code spans keep their backticks.
// A single space replaces white space and control characters.
func Plain(raw []byte) string {
	return OneLine(appendPlain(make([]byte, 0, len(raw)), raw, 0))
}

// OneLine returns text on one line, with single spaces. Control characters are white space. It
// overwrites text.
func OneLine(text []byte) string {
	isGap := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	line := text[:0] // never longer than the text read so far
	for word := range bytes.FieldsFuncSeq(text, isGap) {
		line = append(append(line, word...), ' ')
	}
	return string(bytes.TrimSuffix(line, []byte(" ")))
}

// syntax has the bytes that may begin inline syntax.
const syntax = "\\`<*_~[!&"

// Limits that keep the time linear in the length of a text. Syntax beyond them is text.
const (
	maxInline       = 500 // bytes of inline syntax with the enclosed text
	maxNestedInline = 8   // links and emphasis in each other
)

// markup matches inline syntax at the start of a text. Its groups hold the text without the syntax;
// the text of a link can contain more syntax.
var markup = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\\([[:punct:]\n])` + // an escape
		`|(&[#\w]+;)` + // a character reference
		`|!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)?\)` + // a link or an image
		`|<([^\s<>]+[:@][^\s<>]*)>` + // an autolink
		`|</?[A-Za-z][^<>]*>)`) // a tag
})

// appendPlain appends text without inline syntax to dst. The text is nested in depth
// links and emphases.
func appendPlain(dst, text []byte, depth int) []byte {
	for i := 0; i < len(text); {
		plain := bytes.IndexAny(text[i:], syntax)
		if plain < 0 {
			return append(dst, text[i:]...)
		}
		dst = append(dst, text[i:i+plain]...)
		i += plain
		rest := text[i:min(len(text), i+maxInline)]
		run := runLength(rest)
		var inner []byte // the text in the syntax at i
		length := 0      // of the syntax
		switch rest[0] {
		case '`':
			if end := closing(text, i, run); end > 0 {
				length = end + run
				dst = append(dst, rest[:length]...)
			}
		case '*', '_', '~':
			if end := closing(text, i, run); end > 0 {
				inner, length = rest[run:end], end+run
			}
		case '\\', '&', '<', '!', '[':
			run = 1 // the next byte of the run may begin syntax
			isComment := bytes.HasPrefix(rest, []byte("<!--"))
			if _, after, ends := bytes.Cut(rest, []byte("-->")); ends && isComment {
				length = len(rest) - len(after)
			} else if m := markup().FindSubmatch(rest); m != nil {
				dst = append(append(dst, m[1]...), html.UnescapeString(string(m[2]))...)
				inner, length = bytes.Join(m[3:], nil), len(m[0])
				if bytes.HasPrefix(bytes.ToLower(m[0]), []byte("<br")) {
					inner = []byte(" ")
				}
			}
		}
		switch {
		case length == 0:
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
