package jsonrpc

import (
	"bytes"
	"regexp"
	"sync"

	"acp-plan-proxy/transport/rawjson"
)

// blanks are the white space of JSON.
const blanks = " \t\r\n"

// IsStray reports whether a line is text rather than a message: its first character, after
// white space, begins neither an object nor an array of objects. Broken objects and blank
// lines are not stray.
func IsStray(line []byte) bool {
	text := bytes.TrimLeft(line, blanks)
	if len(text) == 0 || text[0] != '[' {
		return len(text) > 0 && text[0] != '{'
	}
	next := bytes.TrimLeft(text[1:], blanks)
	return len(next) == 0 || next[0] != '{'
}

// CutStray splits a stray line into text and the message that follows the text, up to the end of the
// line. Without such a message, rest is empty. A line that is not stray has no text.
//
// A message may follow an escape sequence, a prompt or progress output. Only a complete JSON-RPC
// message counts. A log line that quotes a message is text as a whole. CutStray detects such a line
// by the text in front of the message: a date, a time, a log level, a verb such as "sent", or a
// colon or equals sign at the end of that text.
//
// The cost is linear in the length of the line.
func CutStray(line []byte) (text, rest []byte) {
	if !IsStray(line) {
		return nil, line
	}
	var c rawjson.Cursor
	for i := 0; i < len(line); {
		if !beginsWithMember(line[i:]) {
			i++
			continue
		}
		c.Reset(line[i:])
		if isMessage(&c, line[i:]) && c.End() {
			if isQuoted(line[:i]) {
				break
			}
			return line[:i], line[i:]
		}
		// The object is broken, or ends before the line does. A message may begin at the byte
		// of the error, which the cursor may have consumed.
		i += max(c.Pos()-1, 1)
	}
	return line, nil
}

// BehindStray is CutStray for a stray line that is too long to be held. It receives the beginning of
// the line and returns the beginning of the message that follows the text, or nil.
func BehindStray(beginning []byte) []byte {
	for i := range beginning {
		if !beginsWithMember(beginning[i:]) {
			continue
		}
		if isQuoted(beginning[:i]) {
			return nil
		}
		return beginning[i:]
	}
	return nil
}

// beginsWithMember reports whether text begins with an object whose first member is _meta or
// one of JSON-RPC.
func beginsWithMember(text []byte) bool {
	if text[0] != '{' {
		return false
	}
	text = bytes.TrimLeft(text[1:], blanks)
	for _, name := range [...]string{"id", "method", "params", "result", "error"} {
		if rest, ok := bytes.CutPrefix(text, []byte{'"'}); ok && bytes.HasPrefix(rest, []byte(name+`"`)) {
			return true
		}
	}
	return bytes.HasPrefix(text, []byte(`"jsonrpc"`)) || bytes.HasPrefix(text, []byte(`"_meta"`))
}

// isMessage reads the value that is next in c, a cursor on text, and reports whether it is a
// JSON-RPC message.
func isMessage(c *rawjson.Cursor, text []byte) bool {
	var m Message
	m.Read(c, text, nil)
	answers := m.IsResponse() && (m.Result.Present() || m.failed)
	return m.Versioned && (m.IsRequest() || m.IsNotification() || answers)
}

// maxQuoting limits the text in front of a message that isQuoted examines, in bytes.
const maxQuoting = 4 << 10

// isQuoted reports whether text marks the message behind it as quoted in a log line.
func isQuoted(text []byte) bool {
	text = Visible(text[max(0, len(text)-maxQuoting):])
	if len(text) > 0 && bytes.IndexByte([]byte("$%#"), text[len(text)-1]) >= 0 {
		return false // a prompt
	}
	return quoting().Match(text)
}

// quoting matches text that logs write in front of a message and prompts do not. Only
// ERROR in capitals matches, because messages to a user begin with "Error".
var quoting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\[(<]*(\d{4}-\d\d-\d\d|\d{4}/\d\d/\d\d|\d\d:\d\d:\d\d)|[:=]$|` +
		`(^|[^A-Za-z])((?i:trace|debug|info|warn|send|sending|sent|receive|receiving|received|recv)|ERROR|FATAL)([^A-Za-z]|$)`)
})

// Visible returns text without escape sequences, and without invisible characters at its
// start and end.
func Visible(text []byte) []byte {
	return bytes.TrimFunc(escapes().ReplaceAll(text, nil), isUnseen)
}

// isUnseen reports whether a character is invisible.
func isUnseen(r rune) bool { return r <= ' ' || r == '\x7f' || r == '\u00a0' || r == '\ufeff' }

// escapes matches complete and truncated escape sequences: those that end with a letter,
// strings that end with BEL or ESC \, and short ones.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\x1b(\[[ -?]*[@-~]?|[\]PX^_][^\a\x1b]*(\a|\x1b\\)?|[ -/]*[0-~]?)`)
})
