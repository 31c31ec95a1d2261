// Package patches writes patches in the format of git, as they are inside JSON strings.
//
//	text.go   the lines of a text
//	write.go  a patch of two texts
//	name.go   the names of files
//
// All texts here are the insides of JSON strings: a newline is the two characters
// \n, and two backslashes are one. Lines are found, compared and copied as they
// are, because nearly all of a patch is lines that nobody changes. To unquote them
// and to quote them again was measured: a message with two texts of 200 KiB then takes 1.7
// times as long.
package patches

import (
	"bytes"

	"acp-plan-proxy/transport/rawjson"
)

// Newline ends a line.
const Newline = `\n`

// CutLine returns the first line of a text without its newline, and the rest: nil without a
// newline. It also reports whether the line is spelled as rawjson.AppendEscaped spells it.
func CutLine(text []byte) (line, rest []byte, usual bool) {
	usual = true
	for i := 0; ; i += 2 {
		escape := bytes.IndexByte(text[i:], '\\')
		if escape < 0 {
			return text, nil, usual
		}
		i += escape
		switch text[i+1] {
		case 'n':
			return text[:i], text[i+len(Newline):], usual
		case 'u', '/', 'b', 'f':
			usual = false
		}
	}
}

// respell returns a text with the escapes that [rawjson.AppendEscaped] writes.
func respell(text []byte) []byte { return rawjson.AppendEscaped(nil, Unescape(text)) }

// Unescape returns the unescaped text.
func Unescape(text []byte) []byte {
	return rawjson.Unquote(append(append([]byte{'"'}, text...), '"'))
}
