package scan

import (
	"bytes"
	"slices"
	"sync/atomic"

	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/rawjson"
)

const (
	// toolLimit is the length of the part of a line that is searched for a tool name. The
	// line is buffered until so much has arrived.
	toolLimit = 4 << 10

	// headLimit is the length of the part of a line that is searched for a head. A longer
	// line is forwarded while its head is collected.
	headLimit = 64 << 10

	// answerLimit is headLimit for responses. A response that a stage awaits must not be
	// forwarded unread, so its id is searched for behind every result of ordinary length.
	answerLimit = 1 << 20
)

// undecided is the verdict of a Scanner before it has read the next member.
const undecided transport.Verdict = 0xff

// A Scanner matches lines against a Filter and reads as few bytes of each as possible.
// Most lines are read by nothing else, so it is fast. It must be sound, because a line that
// it passes is not read again: FuzzScanner compares it with Message.Read.
//
// A Scanner follows the message, its params and the update in them, with members in any order
// and any spelling. It skips all other values. It passes a line as soon as no later member can
// make the filter match. A message that repeats a deciding member, or has members of a request
// and of a response, is Message.Ambiguous and never matches.
//
// A Scanner must not be used by two goroutines at once.
type Scanner struct {
	// Filter is loaded at the start of each line. Any goroutine may replace it.
	Filter *atomic.Pointer[Filter]

	// Strays holds lines that begin as neither an object nor an array, see
	// jsonrpc.IsStray.
	Strays bool

	// Head holds the head of the line after Scan has returned Follow.
	Head Head

	filter *Filter // nil between lines
	scanState
}

// A scanState holds the position in a line, and the results of the bytes before it.
type scanState struct {
	walker       rawjson.Walker
	member       member // the member with the current value
	hasID        bool
	hasParams    bool
	isUpdate     bool    // the method is session/update
	byMethodOnly bool    // the params have no update that matches whole: the method decides
	headMatches  bool    // the head of the update matches
	atTool       bool    // the update is a tool_call whose tool decides
	need         members // of the head, if only the head matches
	headBytes    int     // the length of the part of the line that was added to Head
}

// Reset prepares the scanner for another line.
func (s *Scanner) Reset() { s.filter, s.scanState = nil, scanState{} }

// Scan reads a line. Earlier calls may have read its beginning. It returns Pass if the
// filter cannot match, Hold if it may match the whole message, and More if the rest of the
// line decides. If only the head of the message matches, Scan returns Follow as soon as
// Head is complete or the line exceeds a limit. Reset must follow the last call for a line.
func (s *Scanner) Scan(line []byte) transport.Verdict {
	if s.filter == nil {
		s.filter = s.Filter.Load()
	}
	if s.filter.All {
		return transport.Hold
	}
	if s.need == 0 {
		if v := s.decide(line); v != transport.Follow {
			return v
		}
		s.Head.Reset()
	}
	s.Head.Add(line[s.headBytes:])
	s.headBytes = len(line)
	limit := headLimit
	if s.need == headOfAnswer {
		limit = answerLimit
	}
	if s.HasHead() || len(line) > limit {
		return transport.Follow
	}
	return transport.More
}

// HasHead reports whether Head is complete.
func (s *Scanner) HasHead() bool { return s.Head.has(s.need) }

// decide is Scan without collecting the head. It sets need and returns Follow if only the head
// matches.
func (s *Scanner) decide(line []byte) transport.Verdict {
	if s.atTool {
		if v := s.tool(line); v != undecided {
			return v
		}
	}
	for {
		v := undecided
		switch s.walker.Next(line) {
		case rawjson.Partial:
			return transport.More
		case rawjson.Invalid:
			return transport.Pass
		case rawjson.NameRead:
			v = s.name()
		case rawjson.ValueNext:
			v = s.value(line)
		case rawjson.ObjectEnd:
			v = s.end()
		}
		if v != undecided {
			return v
		}
	}
}

// name processes the name of a member.
func (s *Scanner) name() transport.Verdict {
	s.member = otherMember
	switch s.walker.Depth {
	case 1:
		switch string(s.walker.Name) {
		case "id":
			s.hasID = true
		case "method":
			s.member = method
		case "params":
			s.member, s.hasParams = params, true
		case "result", "error":
			if s.member = result; !s.filter.Responses {
				return transport.Pass
			}
		}
	case 2:
		if string(s.walker.Name) == "update" {
			s.member = update
		}
	case 3:
		if string(s.walker.Name) == "sessionUpdate" {
			s.member = kind
		}
	}
	return undecided
}

// value processes a value or enters it.
func (s *Scanner) value(line []byte) transport.Verdict {
	b := line[s.walker.Pos]
	hasUpdates := len(s.filter.Updates) > 0
	switch {
	case s.walker.Depth == 0:
		return s.begin(b)
	case s.member == method:
		return s.method(line)
	case s.member == result:
		return s.onlyHead(headOfAnswer)
	case s.byMethodOnly || !hasUpdates:
	case s.member == kind && b == '"':
		return s.kind(line)
	case s.member == params || s.member == update:
		if b == '{' {
			s.walker.Enter()
			return undecided
		}
		fallthrough
	case s.member == kind:
		if v := s.withoutUpdate(); v != undecided {
			return v
		}
	}
	s.walker.Skip(line)
	return undecided
}

// begin processes the first byte of a line.
func (s *Scanner) begin(b byte) transport.Verdict {
	switch {
	case b == '{':
		s.walker.Enter()
		return undecided
	case s.Strays:
		return transport.Hold
	}
	return transport.Pass
}

// method processes the value of the method.
func (s *Scanner) method(line []byte) transport.Verdict {
	if line[s.walker.Pos] != '"' {
		return transport.Pass
	}
	name, ok := s.walker.String(line, rawjson.MaxName)
	switch {
	case !ok:
		return transport.More
	case len(s.filter.Updates) > 0 && string(name) == "session/update":
		s.isUpdate = true
		if s.byMethodOnly {
			return s.withoutUpdate()
		}
		return undecided
	case isOneOf(s.filter.Heads, name):
		return s.onlyHead(headOfRequest)
	case isOneOf(s.filter.Methods, name):
		return transport.Hold
	}
	return transport.Pass
}

// kind processes the kind of an update.
func (s *Scanner) kind(line []byte) transport.Verdict {
	kind, ok := s.walker.String(line, rawjson.MaxName)
	if !ok {
		return transport.More
	}
	s.headMatches = isOneOf(s.filter.HeadUpdates, kind)
	switch {
	case isOneOf(s.filter.Updates, kind):
		return transport.Hold
	case len(s.filter.Tools) > 0 && string(kind) == "tool_call":
		s.atTool = true
		return s.tool(line)
	}
	return s.withoutUpdate()
}

// tool searches the beginning of a line for the tool, once it has arrived.
func (s *Scanner) tool(line []byte) transport.Verdict {
	switch {
	case len(line) < toolLimit && line[len(line)-1] != '\n':
		return transport.More
	case hasTool(line[:min(len(line), toolLimit)], s.filter.Tools):
		return transport.Hold
	}
	s.atTool = false
	return s.withoutUpdate()
}

// withoutUpdate decides on a message whose update does not match whole. A method after the
// params may still match.
func (s *Scanner) withoutUpdate() transport.Verdict {
	switch {
	case s.isUpdate && s.headMatches:
		return s.onlyHead(headOfCall)
	case s.isUpdate, !s.headMatches && len(s.filter.Methods) == 0:
		return transport.Pass
	}
	s.byMethodOnly = true
	return undecided
}

// end processes the end of an object that was entered.
func (s *Scanner) end() transport.Verdict {
	switch {
	case s.walker.Depth > 0:
		return s.withoutUpdate()
	case s.filter.Responses && s.hasID && !s.isUpdate && !s.hasParams: // neither a result nor an error
		return s.onlyHead(headOfAnswer)
	}
	return transport.Pass
}

// onlyHead decides that only the head matches.
func (s *Scanner) onlyHead(need members) transport.Verdict {
	s.need = need
	return transport.Follow
}

// hasTool reports whether the beginning of a line names a tool, see [Filter.Tools].
func hasTool(text []byte, tools []string) bool {
	plain := make([]byte, 0, 256)
	var c rawjson.Cursor
	for _, name := range [...]string{`"title"`, `"name"`, `"_meta"`} {
		for _, rest, found := bytes.Cut(text, []byte(name)); found; _, rest, found = bytes.Cut(rest, []byte(name)) {
			rest = bytes.TrimLeft(rest, ": ")
			c.Reset(rest)
			c.Skip() // the value may be truncated
			plain = plain[:0]
			for _, b := range rest[:c.Pos()] {
				switch {
				case b == ' ' || b == '_' || b == '-':
				case 'A' <= b && b <= 'Z':
					plain = append(plain, b|0x20)
				default:
					plain = append(plain, b)
				}
			}
			if slices.ContainsFunc(tools, func(t string) bool { return bytes.Contains(plain, []byte(t)) }) {
				return true
			}
		}
	}
	return false
}

// isOneOf reports whether a value is one of names, or begins with one that ends in a
// slash.
func isOneOf(names []string, value []byte) bool {
	for _, name := range names {
		if len(name) == len(value) || len(name) < len(value) && name[len(name)-1] == '/' {
			if string(value[:len(name)]) == name {
				return true
			}
		}
	}
	return false
}
