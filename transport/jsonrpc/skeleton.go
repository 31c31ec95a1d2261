package jsonrpc

import "acp-plan-proxy/transport/rawjson"

const (
	// longestKept bounds the names and values that a Skeleton keeps.
	longestKept = 1 << 10

	// longestSkeleton is where a Skeleton keeps no more members. There is room
	// for all that it keeps, unless they come again and again.
	longestSkeleton = 16 << 10
)

// A Skeleton is what is kept of a message that cannot be read whole, because it
// is too long or because something is wrong in its line: as much as tells who
// waits for what. The zero value is ready for Add.
//
// It keeps the id, the method and that there is a result or an error, and of
// params the session and the kind, state and stop reason of an update. It leaves
// out values longer than 1 KiB, and objects and arrays in these places. So it
// takes little memory, whatever the line is.
//
// It follows brackets and quotes, and checks nothing that it skips. Where they are
// wrong it stops, and what came before that counts. A byte order mark in front of
// the message does not count, nor does anything behind it. A batch has no
// skeleton.
type Skeleton struct {
	text   []byte // what is kept, without the braces that are still open
	stop   bool   // the rest of the line does not count
	depth  level  // the object that is followed
	expect expectation
	name   string // of the member whose value is next or being read, if it is kept

	nested  int    // how many brackets are open in the value that is skipped
	inside  inside // what is being read
	escaped bool   // the byte before was a backslash
	token   []byte // as much of it as there is, unless it is not kept
	long    bool   // it is too long to be kept
}

// inside is what a byte can be in the middle of.
type inside uint8

const (
	noToken inside = iota
	aString
	aLiteral // or a number
)

// Reset makes the Skeleton ready for another line.
func (s *Skeleton) Reset() { *s = Skeleton{text: s.text[:0], token: s.token[:0]} }

// Add reads the next piece of the line.
func (s *Skeleton) Add(piece []byte) {
	for i := 0; i < len(piece) && !s.stop; {
		switch {
		case s.inside == aString:
			i = s.readString(piece, i)
		case s.nested > 0:
			i = s.skipNested(piece, i)
		case s.inside == aLiteral:
			i = s.readLiteral(piece, i)
		default:
			s.step(piece[i])
			i++
		}
	}
}

// Text returns the skeleton of what was added: a message of its own. It is empty if
// the line has not begun as an object, and valid until the next call.
func (s *Skeleton) Text() []byte {
	text := s.text
	if s.inside == aString && s.nested == 0 && s.expect == expectComma && s.name == "method" {
		text = append(appendName(text, s.name), `""`...) // the line ends in it
	}
	for range s.depth {
		text = append(text, '}')
	}
	return text
}

// step takes a byte that is in no value.
func (s *Skeleton) step(b byte) {
	switch {
	case b == ' ' || b == '\t' || b == '\r' || b == '\n':
	case s.depth == outside:
		s.begin(b)
	case b == '}' && (s.expect == expectName || s.expect == expectComma):
		s.text = append(s.text, '}')
		s.depth--
		s.expect = expectComma
		s.stop = s.depth == outside
	case b == '"' && s.expect == expectName:
		s.name = ""
		s.beginToken(aString, b)
	case b == ':' && s.expect == expectColon:
		s.expect = expectValue
	case b == ',' && s.expect == expectComma:
		s.expect = expectName
	case b != ':' && b != ',' && b != '}' && b != ']' && s.expect == expectValue:
		s.value(b)
	default:
		s.stop = true
	}
}

// begin takes a byte in front of the message.
func (s *Skeleton) begin(b byte) {
	const byteOrderMark = "\xef\xbb\xbf"
	switch b {
	case '{':
		s.text = append(s.text, '{')
		s.depth, s.expect = inMessage, expectName
	case byteOrderMark[0], byteOrderMark[1], byteOrderMark[2]:
	default:
		s.stop = true
	}
}

// value takes the first byte of a value.
func (s *Skeleton) value(b byte) {
	s.expect = expectComma
	switch s.name {
	case "result":
		s.keep([]byte("null"))
	case "error":
		s.keep([]byte("{}"))
	case "params", "update":
		if b == '{' && len(s.text) < longestSkeleton {
			s.text = append(appendName(s.text, s.name), '{')
			s.depth, s.expect = s.depth+1, expectName
			return
		}
		s.name = ""
	}
	switch b {
	case '{', '[':
		s.nested = 1
		if s.name == "method" {
			s.keep([]byte(`""`))
		}
	case '"':
		s.beginToken(aString, b)
	default:
		s.beginToken(aLiteral, b)
	}
}

func (s *Skeleton) beginToken(what inside, first byte) {
	s.inside, s.token, s.long = what, append(s.token[:0], first), false
}

// take takes a part of the token that is being read.
func (s *Skeleton) take(part []byte) {
	switch {
	case s.nested > 0 || s.expect == expectComma && s.name == "": // it is skipped
	case len(s.token)+len(part) > longestKept:
		s.long = true
	default:
		s.token = append(s.token, part...)
	}
}

// readString reads on in a string, from offset i of the piece, and returns where
// it stopped.
func (s *Skeleton) readString(piece []byte, i int) int {
	end := i
	if s.escaped {
		s.escaped = false
		end++
	} else if end = rawjson.PlainEnd(piece, i); end < len(piece) {
		switch piece[end] {
		case '\\':
			s.escaped = true
		case '"':
			s.inside = noToken
		}
		end++
	}
	s.take(piece[i:end])
	if s.inside == noToken && s.nested == 0 {
		s.endString()
	}
	return end
}

// endString takes the end of a name, or of a string that is a value.
func (s *Skeleton) endString() {
	if s.expect != expectName {
		s.endValue()
		return
	}
	s.expect = expectColon
	if !s.long {
		s.name = s.depth.kept(s.token)
	}
}

// readLiteral reads on in a number, true, false or null.
func (s *Skeleton) readLiteral(piece []byte, i int) int {
	end := i
	for end < len(piece) && !endsScalar(piece[end]) {
		end++
	}
	s.take(piece[i:end])
	switch {
	case end == len(piece):
	case piece[end] == '\n' || piece[end] == '\r':
		s.stop = true // there may have been more of it
	default:
		s.inside = noToken
		s.endValue()
	}
	return end
}

// endValue takes the end of a value that is a string or a literal.
func (s *Skeleton) endValue() {
	if s.name == "" {
		return
	}
	var c rawjson.Cursor
	c.Reset(s.token)
	c.Skip()
	switch valid := !s.long && c.End(); {
	case s.name == "method" && (!valid || s.token[0] != '"'):
		s.keep([]byte(`""`))
	case valid:
		s.keep(s.token)
	}
}

// skipNested passes over objects and arrays, as far as the next string.
func (s *Skeleton) skipNested(piece []byte, i int) int {
	for ; i < len(piece); i++ {
		switch piece[i] {
		case '"':
			s.inside = aString
			return i + 1
		case '{', '[':
			s.nested++
		case '}', ']':
			if s.nested--; s.nested == 0 {
				return i + 1
			}
		}
	}
	return i
}

// keep keeps the member whose value is being read.
func (s *Skeleton) keep(value []byte) {
	if len(s.text) < longestSkeleton {
		s.text = append(appendName(s.text, s.name), value...)
	}
	s.name = ""
}

func appendName(text []byte, name string) []byte {
	if text[len(text)-1] != '{' {
		text = append(text, ',')
	}
	return append(append(append(text, '"'), name...), `":`...)
}

// kept returns the name of a member if it is kept at this level, otherwise "".
func (l level) kept(raw []byte) string {
	switch name := rawjson.Unquote(raw); l {
	case inMessage:
		switch string(name) {
		case "id":
			return "id"
		case "method":
			return "method"
		case "params":
			return "params"
		case "result":
			return "result"
		case "error":
			return "error"
		}
	case inParams:
		switch string(name) {
		case "sessionId":
			return "sessionId"
		case "update":
			return "update"
		}
	case inUpdate:
		switch string(name) {
		case "sessionUpdate":
			return "sessionUpdate"
		case "state":
			return "state"
		case "stopReason":
			return "stopReason"
		}
	}
	return ""
}
