// Package patches reads and writes patches in the format of git, as they are
// inside JSON strings.
//
//	text.go   the lines of a text
//	read.go   a patch becomes hunks, each with the lines before and after it
//	write.go  two texts become a patch
//	name.go   the names of files
//
// All texts here are the insides of JSON strings: a newline is the two characters
// \n, and two backslashes are one. Lines are found, compared and copied as they
// are, because nearly all of a patch is lines that nobody changes. To unquote them
// and to quote them again was measured: a message with a patch of 200 KiB then takes
// 1.8 times as long, and one with two texts of that size 1.7 times. The lines would
// also leave in another spelling than they came in.
package patches

import (
	"bytes"

	"acp-plan-proxy/transport/rawjson"
)

// newline is how a line ends.
const newline = `\n`

// cutLine returns the first line of a text, without its newline, and what follows:
// nil without a newline. It also reports whether the line is spelled as respell
// does it.
func cutLine(text []byte) (line, rest []byte, usual bool) {
	usual = true
	for i := 0; ; i += 2 {
		escape := bytes.IndexByte(text[i:], '\\')
		if escape < 0 {
			return text, nil, usual
		}
		i += escape
		switch text[i+1] {
		case 'n':
			return text[:i], text[i+len(newline):], usual
		case 'u', '/', 'b', 'f':
			usual = false
		}
	}
}

// isEscaped reports whether the byte that follows a text is escaped.
func isEscaped(text []byte) bool {
	return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1
}

// endsInCR reports whether a line ends in a carriage return.
func endsInCR(line []byte) bool {
	before, isR := bytes.CutSuffix(line, []byte("r"))
	return isR && isEscaped(before)
}

// hasEscape reports whether a text has an escape sequence that begins so, behind the
// backslash: there are many more backslashes.
func hasEscape(text []byte, beginning string) bool {
	for {
		i := bytes.Index(text, []byte(beginning))
		if i < 0 {
			return false
		}
		if isEscaped(text[:i]) {
			return true
		}
		text = text[i+1:]
	}
}

// respell returns a text with the escapes that [rawjson.AppendEscaped] writes.
func respell(text []byte) []byte { return rawjson.AppendEscaped(nil, unescape(text)) }

// unescape returns what a text says.
func unescape(text []byte) []byte {
	return rawjson.Unquote(append(append([]byte{'"'}, text...), '"'))
}
