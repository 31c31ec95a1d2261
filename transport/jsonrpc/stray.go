package jsonrpc

import (
	"bytes"
	"regexp"
	"sync"

	"acp-plan-proxy/transport/rawjson"
)

// IsStray reports whether a line is text and was not meant to be a message: its
// first character, blanks aside, begins neither an object nor an array of
// objects. What begins as one of these is never stray, broken or not, and
// neither is a blank line.
func IsStray(line []byte) bool {
	text := skipBlanks(line)
	if len(text) == 0 || text[0] != '[' {
		return len(text) > 0 && text[0] != '{'
	}
	next := skipBlanks(text[1:])
	return len(next) == 0 || next[0] != '{'
}

// CutStray cuts off the text that a stray line begins with. The rest is a
// message or a batch, up to the end of the line, or empty.
// Of a line that is not stray nothing is cut off.
//
// A message may follow text without a line break: an escape sequence, a
// prompt, progress. Only a whole JSON-RPC message, or a batch of such, counts. A
// log line that quotes a message has none of its own. It is known by its text in
// front of the message, which begins with a date or a time, names a level, says
// that something was sent or received, or ends with a colon or an equals sign.
//
// What CutStray costs is linear in the line. It tries no more than 64 brackets as the
// beginning of a batch.
func CutStray(line []byte) (text, rest []byte) {
	if !IsStray(line) {
		return nil, line
	}
	const mostBatches = 64
	var c rawjson.Cursor
	batches := 0
	for at := 0; at < len(line); {
		isBatch := line[at] == '['
		if !beginsWithMember(line[at:]) || isBatch && batches == mostBatches {
			at++
			continue
		}
		c.Reset(line[at:])
		if isMessage(&c, line[at:]) && c.End() {
			if isQuoted(line[:at]) {
				break
			}
			return line[:at], line[at:]
		}
		if isBatch { // the last of the objects in it can be the message
			batches++
			at++
			continue
		}
		// The object is broken, or ends before the line does. What stopped the
		// reading can be where a message begins, and may have been read itself.
		at += max(c.Pos()-1, 1)
	}
	return line, nil
}

// BehindStray is CutStray for a stray line of which only the beginning is known,
// because it is too long. It returns the beginning of a message behind the text,
// or nil.
func BehindStray(beginning []byte) []byte {
	for at := range beginning {
		if !beginsWithMember(beginning[at:]) {
			continue
		}
		if isQuoted(beginning[:at]) {
			return nil
		}
		return beginning[at:]
	}
	return nil
}

// beginsWithMember reports whether a text begins as an object whose first member is
// one of a JSON-RPC message, or as a batch with such an object.
func beginsWithMember(text []byte) bool {
	if text[0] == '[' {
		text = skipBlanks(text[1:])
	}
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	text = skipBlanks(text[1:])
	for _, name := range [...]string{"id", "method", "params", "result", "error"} {
		if rest, ok := bytes.CutPrefix(text, []byte{'"'}); ok && bytes.HasPrefix(rest, []byte(name+`"`)) {
			return true
		}
	}
	return bytes.HasPrefix(text, []byte(`"jsonrpc"`)) || bytes.HasPrefix(text, []byte(`"_meta"`))
}

// skipBlanks returns text without the blanks that it begins with.
func skipBlanks(text []byte) []byte {
	for i, b := range text {
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return text[i:]
		}
	}
	return nil
}

// isMessage reads the value that is next in c, which walks text, and reports whether it
// is a JSON-RPC message or a batch.
func isMessage(c *rawjson.Cursor, text []byte) bool {
	isSingle := func() bool {
		var m Message
		m.Read(c, text, nil)
		answers := m.IsResponse() && (m.Result.Present() || m.failed)
		return m.Versioned && (m.IsRequest() || m.IsNotification() || answers)
	}
	if c.Kind() != '[' {
		return isSingle()
	}
	all := true
	for more := c.Array(); more; more = c.NextElement() {
		all = isSingle() && all
	}
	return all
}

// maxQuoting is how much of the text in front of a message is looked at, in bytes.
const maxQuoting = 4 << 10

// isQuoted reports whether a message behind that text is one that a log line
// quotes.
func isQuoted(text []byte) bool {
	text = Visible(text[max(0, len(text)-maxQuoting):])
	if len(text) > 0 && bytes.IndexByte([]byte("$%#"), text[len(text)-1]) >= 0 {
		return false // a prompt, whatever it says
	}
	return quoting().Match(text)
}

// quoting is what logs have in front of a message and prompts do not. Messages to a user
// begin with "Error", but not in capitals.
var quoting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\[(<]*(\d{4}-\d\d-\d\d|\d{4}/\d\d/\d\d|\d\d:\d\d:\d\d)|[:=]$|` +
		`(^|[^A-Za-z])((?i:trace|debug|info|warn|send|sending|sent|receive|receiving|received|recv)|ERROR|FATAL)([^A-Za-z]|$)`)
})

// Visible returns a text without escape sequences and without the invisible
// characters at its ends.
func Visible(text []byte) []byte {
	return bytes.TrimFunc(escapes().ReplaceAll(text, nil), isUnseen)
}

// isUnseen reports whether nothing is seen of a character.
func isUnseen(r rune) bool { return r <= ' ' || r == '\x7f' || r == '\u00a0' || r == '\ufeff' }

// escapes are escape sequences, as far as they are there: up to a letter, strings that BEL
// or ESC \ ends, and short ones.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\x1b(\[[ -?]*[@-~]?|[\]PX^_][^\a\x1b]*(\a|\x1b\\)?|[ -/]*[0-~]?)`)
})
