package proxy

import (
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/rawjson"
)

// An inspection tells, from as few bytes of a line as possible, whether the
// line can be a message that the proxy has business with. It is what almost
// all traffic sees of the proxy, so it is fast; and a line that it lets pass is
// seen by nothing else, so it is sound: FuzzInspect holds it against the full
// reading, rpcMessage.read.
//
// It follows the structure of the line, not its spelling: the members of the
// message, of its params and of the update in them, in any order, with any
// escapes; every other value is skipped. It remembers where it stopped when the
// rest of the line has not arrived yet. It does not check that the line is
// valid JSON: what is not, is no plan message, and the full reading finds out.
//
// A line passes as soon as one of these is certain: it is no JSON object or
// array; its method is of no interest; its session update is no plan; it is a
// response and none is awaited. This is why a message is defined to be neither
// a plan message nor a response if it has one of the deciding members twice, or
// those of both (see rpcMessage.ambiguous): otherwise nothing could be said of
// any line before its end.
type inspection struct {
	pos    int   // up to here the line has been followed
	depth  level // the object that pos is in
	expect expectation
	name   memberName // of the member whose value is next or being skipped
	nested int        // how many brackets are open in the value being skipped
	text   bool       // pos is inside a string in the value being skipped
	scalar bool       // pos is inside a number or literal being skipped
}

// interest is what one direction looks for.
type interest struct {
	// method reports whether the proxy has business with messages of a method;
	// if updates is set too, only those whose session update is a plan.
	method  func(name []byte) bool
	updates bool
	// awaited reports whether responses matter at present.
	awaited func() bool
}

type level uint8

const (
	outside  level = iota // before the message
	message               // in the message object
	params                // in its params
	update                // in the update in those
	finished              // behind the message
)

type expectation uint8

const (
	expectName expectation = iota
	expectColon
	expectValue
	expectComma
)

type memberName uint8

const (
	otherName memberName = iota
	methodName
	paramsName
	resultName // or error
	updateName
	kindName // sessionUpdate
)

// longestName bounds the strings that have to be read whole: no name or value
// that the inspection compares is longer, even if every byte of it is escaped.
const longestName = 6*len("session/update") + 2

// follow looks at the line, whose first bytes an earlier call may have seen.
func (s *inspection) follow(line []byte, want *interest) transport.Verdict {
	for s.pos < len(line) {
		if s.text || s.nested > 0 || s.scalar {
			if !s.skip(line) {
				return transport.More
			}
			continue
		}
		switch b := line[s.pos]; b {
		case ' ', '\t', '\r', '\n':
			s.pos++
			continue
		case '[':
			if s.depth == outside {
				return transport.Hold // a batch
			}
		case '{':
		default:
			if s.depth == outside {
				return transport.Pass
			}
		}
		if s.depth == finished {
			return transport.Pass
		}
		if v, ok := s.token(line, want); ok {
			return v
		}
	}
	return transport.More
}

// token takes one token of an object that is being followed. It reports true
// if that decides on the line or if the token has not arrived whole.
func (s *inspection) token(line []byte, want *interest) (transport.Verdict, bool) {
	b := line[s.pos]
	switch {
	case s.depth == outside:
		s.depth = message
		s.pos++
		s.expect = expectName

	case b == '}' && (s.expect == expectName || s.expect == expectComma):
		s.pos++
		s.expect = expectComma
		switch s.depth {
		case update, params: // it had no session update, so it is none
			return transport.Pass, true
		}
		s.depth = finished

	case s.expect == expectName:
		raw, ok := s.shortString(line)
		if !ok {
			return transport.More, true
		}
		s.name = s.nameOf(raw, want)
		s.expect = expectColon
		if s.name == resultName {
			if want.awaited() {
				return transport.Hold, true
			}
			return transport.Pass, true
		}

	case s.expect == expectColon:
		s.pos++ // it is one, or this is not JSON
		s.expect = expectValue

	case s.expect == expectComma:
		s.pos++
		s.expect = expectName

	default:
		return s.value(line, want)
	}
	return transport.More, false
}

// nameOf says which member a name is, if it is one that matters where it stands.
func (s *inspection) nameOf(raw []byte, want *interest) memberName {
	if len(raw) < 2 {
		return otherName
	}
	name := rawjson.Unquote(raw)
	switch s.depth {
	case message:
		switch string(name) {
		case "method":
			return methodName
		case "result", "error":
			return resultName
		case "params":
			if want.updates {
				return paramsName
			}
		}
	case params:
		if string(name) == "update" {
			return updateName
		}
	case update:
		if string(name) == "sessionUpdate" {
			return kindName
		}
	}
	return otherName
}

// value takes a value, or steps into it.
func (s *inspection) value(line []byte, want *interest) (transport.Verdict, bool) {
	b := line[s.pos]
	switch s.name {
	case methodName, kindName:
		if b != '"' {
			return transport.Pass, true
		}
		raw, ok := s.shortString(line)
		if !ok {
			return transport.More, true
		}
		s.expect = expectComma
		switch {
		case len(raw) < 2:
			return transport.Pass, true
		case s.name == kindName:
			if plans.IsPlan(rawjson.Unquote(raw)) {
				return transport.Hold, true
			}
			return transport.Pass, true
		case !want.method(rawjson.Unquote(raw)):
			return transport.Pass, true
		case !want.updates:
			return transport.Hold, true
		}
		return transport.More, false

	case paramsName, updateName:
		if b != '{' {
			return transport.Pass, true
		}
		s.depth++
		s.pos++
		s.expect = expectName
		return transport.More, false
	}
	s.expect = expectComma
	switch b {
	case '"':
		s.text = true
		s.pos++
	case '{', '[':
		s.nested = 1
		s.pos++
	default:
		s.scalar = true
	}
	return transport.More, false
}

func endsScalar(b byte) bool {
	return b == ',' || b == '}' || b == ']' || b <= ' '
}

// shortString returns the string at pos, with its quotes, and steps behind it;
// of one that is too long to matter, nothing, and has it skipped. It reports
// false if the string has not arrived whole.
func (s *inspection) shortString(line []byte) ([]byte, bool) {
	if line[s.pos] != '"' {
		s.pos++
		return nil, true
	}
	for i := s.pos + 1; ; i++ {
		i = rawjson.PlainEnd(line, i)
		switch {
		case i-s.pos > longestName:
			s.pos++
			s.text = true
			return nil, true
		case i >= len(line):
			return nil, false
		case line[i] == '"':
			raw := line[s.pos : i+1]
			s.pos = i + 1
			return raw, true
		case line[i] == '\\':
			i++
		}
	}
}

// skip passes over the rest of a value, as far as it has arrived, and reports
// whether its end has.
func (s *inspection) skip(line []byte) bool {
	i := s.pos
	if s.scalar {
		for i < len(line) && !endsScalar(line[i]) {
			i++
		}
		s.pos = i
		s.scalar = i == len(line)
		return !s.scalar
	}
	for i < len(line) {
		if s.text {
			i = rawjson.PlainEnd(line, i)
			if i == len(line) {
				break
			}
			switch line[i] {
			case '"':
				s.text = false
				i++
			case '\\':
				i += 2 // what is escaped may not have arrived yet
			default:
				i++
			}
			if s.text || s.nested > 0 {
				continue
			}
			s.pos = i
			return true
		}
		switch line[i] {
		case '"':
			s.text = true
		case '{', '[':
			s.nested++
		case '}', ']':
			s.nested--
			if s.nested == 0 {
				s.pos = i + 1
				return true
			}
		}
		i++
	}
	s.pos = i
	return false
}
