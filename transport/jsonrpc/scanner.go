package jsonrpc

import (
	"bytes"
	"sync/atomic"

	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/rawjson"
)

// methodUpdate is the notification whose params hold a session update.
const methodUpdate = "session/update"

// A Filter says which lines of one direction matter. It is data, so that the
// scanner knows no translation. Names must be no longer than 32 bytes. A Filter must
// not be changed once a Scanner has it.
type Filter struct {
	All       bool // every line, whatever it is
	Responses bool // responses

	// Methods are those of requests and notifications. One that ends in a slash is
	// what others begin with.
	Methods []string

	// Updates are kinds of session update. Of session/update only these matter, if
	// there are any.
	Updates []string

	// Titles are what titles of tool calls begin with, in small letters and without
	// blanks, _ and -. Besides Updates, a session update tool_call matters if its
	// title begins with one of them, however it is spelled, and comes early. Titles
	// need Updates.
	Titles []string

	// NoParamsReader is for who reads a line that matters: no [ParamsReader] takes
	// part. To the Scanner it means nothing.
	NoParamsReader bool
}

// Matters reports whether a whole line can matter.
func (f *Filter) Matters(line []byte) bool {
	s := Scanner{want: f}
	return s.Scan(line) != transport.Pass
}

// A Scanner tells, from as few bytes of a line as possible, whether the line
// can matter. Almost all traffic meets nothing of the proxy but this, so the
// scanner is fast. Nothing else looks at a line that it lets pass, so the
// scanner is sound: FuzzScanner checks it against the full reading,
// Message.Read.
//
// The scanner follows the structure of a line, not its spelling: the members of
// the message, of its params and of the update in them, in any order, with any
// escapes. It skips every other value. It remembers where it stopped when the
// rest of the line has not arrived yet. It does not check that the line is valid
// JSON: the full reading finds that out.
//
// A line passes as soon as one of these is certain: it is not a JSON object or
// array, unless Strays says otherwise; its method does not matter; its session
// update does not matter; it is a response and responses do not matter. A later
// member cannot change that, because a message in which a deciding member occurs
// twice, or which has members of a request and of a response, is defined to be
// neither (Message.Ambiguous).
//
// A Scanner must not be used by two goroutines at once.
type Scanner struct {
	// Filter is loaded at the start of each line, so it may be replaced from
	// any goroutine. A filter is always there before the first line that it is
	// for: an earlier line of the same direction sets it, or the request that
	// the line answers.
	Filter *atomic.Pointer[Filter]

	// Strays: a line that begins as neither an object nor an array matters, so
	// that all lines can be found that IsStray names.
	Strays bool

	want   *Filter // nil between lines
	pos    int     // up to here the line has been followed
	depth  level   // the object that pos is in
	expect expectation
	name   memberName // of the member whose value is next or being skipped
	nested int        // how many brackets are open in the value being skipped
	text   bool       // pos is inside a string in the value being skipped
	scalar bool       // pos is inside a number or literal being skipped
	update bool       // the method is session/update
	other  bool       // the params have no update that matters: the method decides
	begins bool       // the update is a tool_call, whose title decides
	titled titleMatch
}

// A titleMatch says whether a title matters.
type titleMatch uint8

const (
	noTitle titleMatch = iota // none was seen
	wantedTitle
	otherTitle
)

// titleLimit is how far into a line the title of a tool call is looked for. Else what
// comes before it, which may be long, would be held until then.
const titleLimit = 4 << 10

type level uint8

const (
	outside level = iota // before the message
	inMessage
	inParams
	inUpdate
	finished // behind the message
)

// inner is the object that the value of a member opens.
var inner = [...]level{paramsName: inParams, updateName: inUpdate}

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
	titleName
)

// longestName bounds the strings that have to be read whole: no name or value
// that the scanner compares is longer, even if every byte of it is escaped.
const longestName = 6*32 + 2

// Reset makes the scanner ready for another line.
func (s *Scanner) Reset() { *s = Scanner{Filter: s.Filter, Strays: s.Strays} }

// Scan looks at a line, whose first bytes an earlier call may have seen. It
// returns Hold if the line can matter, Pass if it cannot, and More if the rest
// of the line has to tell. Reset ends a line.
func (s *Scanner) Scan(line []byte) transport.Verdict {
	if s.want == nil {
		s.want = s.Filter.Load()
	}
	if s.want.All {
		return transport.Hold
	}
	for s.pos < len(line) {
		if s.begins && s.pos > titleLimit {
			if v, ok := s.noUpdate(); ok {
				return v
			}
		}
		if s.text || s.nested > 0 || s.scalar {
			s.skip(line)
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
				if s.Strays {
					return transport.Hold
				}
				return transport.Pass
			}
		}
		if s.depth == finished {
			return transport.Pass
		}
		if v, ok := s.token(line); ok {
			return v
		}
	}
	if s.begins && s.pos > titleLimit {
		v, _ := s.noUpdate()
		return v
	}
	return transport.More
}

// noUpdate is called when it is certain that the params have no update that matters. If
// methods matter besides session/update, one that comes behind the params has to tell.
func (s *Scanner) noUpdate() (transport.Verdict, bool) {
	if s.update || len(s.want.Methods) == 0 {
		return transport.Pass, true
	}
	s.other, s.begins = true, false
	return transport.More, false
}

// token takes one token of an object that is being followed. It reports true
// if that decides on the line or if the token has not arrived whole.
func (s *Scanner) token(line []byte) (transport.Verdict, bool) {
	b := line[s.pos]
	switch {
	case s.depth == outside:
		s.depth = inMessage
		s.pos++
		s.expect = expectName

	case b == '}' && (s.expect == expectName || s.expect == expectComma):
		s.pos++
		s.expect = expectComma
		switch s.depth {
		case inUpdate, inParams: // the message has no session update
			s.depth--
			return s.noUpdate()
		}
		s.depth = finished

	case s.expect == expectName:
		raw, ok := s.shortString(line)
		if !ok {
			return transport.More, true
		}
		s.name = s.nameOf(raw)
		s.expect = expectColon
		if s.name == resultName {
			if s.want.Responses {
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
		return s.value(line)
	}
	return transport.More, false
}

// nameOf says which member a name is, if that member matters at this depth.
func (s *Scanner) nameOf(raw []byte) memberName {
	if len(raw) < 2 {
		return otherName
	}
	name := rawjson.Unquote(raw)
	switch s.depth {
	case inMessage:
		switch string(name) {
		case "method":
			return methodName
		case "result", "error":
			return resultName
		case "params":
			if len(s.want.Updates) > 0 && !s.other {
				return paramsName
			}
		}
	case inParams:
		if string(name) == "update" && !s.other {
			return updateName
		}
	case inUpdate:
		switch {
		case s.other:
		case string(name) == "sessionUpdate":
			return kindName
		case string(name) == "title":
			if len(s.want.Titles) > 0 {
				return titleName
			}
		}
	}
	return otherName
}

// value takes a value, or steps into it.
func (s *Scanner) value(line []byte) (transport.Verdict, bool) {
	b := line[s.pos]
	switch s.name {
	case methodName, kindName:
		if b != '"' {
			if s.name == methodName {
				return transport.Pass, true
			}
			if v, ok := s.noUpdate(); ok {
				return v, true
			}
			break
		}
		raw, ok := s.shortString(line)
		if !ok {
			return transport.More, true
		}
		s.expect = expectComma
		switch {
		case len(raw) < 2 && s.name == kindName:
			return s.noUpdate()
		case len(raw) < 2:
			return transport.Pass, true
		case s.name == kindName:
			return s.kind(raw)
		case len(s.want.Updates) > 0 && !s.other && string(rawjson.Unquote(raw)) == methodUpdate:
			s.update = true
			return transport.More, false
		}
		return verdictIn(s.want.Methods, raw), true

	case titleName:
		if b == '"' {
			return s.title(line)
		}

	case paramsName, updateName:
		if b != '{' {
			if v, ok := s.noUpdate(); ok {
				return v, true
			}
			break
		}
		s.depth = inner[s.name]
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

// kind takes the kind of an update. That of a tool call that begins may leave it to
// the title.
func (s *Scanner) kind(raw []byte) (transport.Verdict, bool) {
	v := verdictIn(s.want.Updates, raw)
	switch {
	case v == transport.Hold:
		return v, true
	case len(s.want.Titles) == 0, string(rawjson.Unquote(raw)) != "tool_call":
		return s.noUpdate()
	}
	s.begins = true
	return s.titleVerdict()
}

// title takes the title of a tool call. Of a long one the beginning tells.
func (s *Scanner) title(line []byte) (transport.Verdict, bool) {
	start := s.pos
	raw, ok := s.shortString(line)
	if !ok {
		return transport.More, true
	}
	s.expect = expectComma
	switch {
	case raw != nil:
		raw = rawjson.Unquote(raw)
	case s.text:
		raw = line[start+1 : start+longestName]
	}
	if s.titled = otherTitle; beginsAs(raw, s.want.Titles) {
		s.titled = wantedTitle
	}
	if !s.begins {
		return transport.More, false
	}
	return s.titleVerdict()
}

func (s *Scanner) titleVerdict() (transport.Verdict, bool) {
	switch s.titled {
	case wantedTitle:
		return transport.Hold, true
	case otherTitle:
		return s.noUpdate()
	}
	return transport.More, false
}

// beginsAs reports whether a text begins with one of names, see [Filter.Titles].
func beginsAs(text []byte, names []string) bool {
	var buf [32]byte
	plain := buf[:0]
	for _, b := range text {
		switch {
		case len(plain) == cap(plain):
		case b == ' ' || b == '_' || b == '-':
		case 'A' <= b && b <= 'Z':
			plain = append(plain, b|0x20)
		default:
			plain = append(plain, b)
		}
	}
	for _, name := range names {
		if bytes.HasPrefix(plain, []byte(name)) {
			return true
		}
	}
	return false
}

// verdictIn is Hold if the string, given with its quotes, is one of names, or begins
// with one that ends in a slash.
func verdictIn(names []string, raw []byte) transport.Verdict {
	value := rawjson.Unquote(raw)
	for _, name := range names {
		if string(value) == name || name[len(name)-1] == '/' && bytes.HasPrefix(value, []byte(name)) {
			return transport.Hold
		}
	}
	return transport.Pass
}

func endsScalar(b byte) bool {
	return b == ',' || b == '}' || b == ']' || b <= ' '
}

// shortString returns the string at pos, with its quotes, and steps behind it.
// If the string is too long to matter, it returns nothing and has the string
// skipped. It reports false if the string has not arrived whole.
func (s *Scanner) shortString(line []byte) ([]byte, bool) {
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
func (s *Scanner) skip(line []byte) bool {
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
