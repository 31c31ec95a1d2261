// Package patches writes patches in the format of git, as they are inside JSON strings.
//
//	text.go   the lines of a text
//	write.go  a patch of two texts
//	name.go   the names of files
//
// All texts here are the insides of JSON strings: a newline is the two characters \n, and two
// backslashes stand for one. Lines are found, compared and copied without unquoting them. If they
// were unquoted and quoted again, a message with two texts of 200 KiB would take 1.7 times as long.
package patches

import (
	"bytes"
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// Newline ends a line.
const Newline = `\n`

// Inside returns the inside of a raw JSON string, without its quotes. It reports false for any other
// value. The result shares the memory of the value, unless the string has escapes of the form \u0041:
// these could hide newlines and the marks of a patch, so Inside replaces them.
func Inside(value []byte) (text []byte, ok bool) {
	if len(value) < 2 || value[0] != '"' {
		return nil, false
	}
	text = value[1 : len(value)-1]
	for i := 0; ; i += 2 { // bytes.Contains is slow on a text of many newlines
		escape := bytes.IndexByte(text[i:], '\\')
		if escape < 0 {
			return text, true
		}
		if i += escape; text[i+1] == 'u' {
			return rawjson.AppendEscaped(nil, Unescape(text)), true
		}
	}
}

// CutLine returns the first line of a text without its newline, and the rest of the text. ends reports
// that the line has a newline.
func CutLine(text []byte) (line, rest []byte, ends bool) {
	for i := 0; ; i += 2 {
		escape := bytes.IndexByte(text[i:], '\\')
		if escape < 0 {
			return text, nil, false
		}
		if i += escape; text[i+1] == 'n' {
			return text[:i], text[i+len(Newline):], true
		}
	}
}

// Unescape returns the unescaped text.
func Unescape(text []byte) string {
	return string(rawjson.Unquote(slices.Concat([]byte{'"'}, text, []byte{'"'})))
}
