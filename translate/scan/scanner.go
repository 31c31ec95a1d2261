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

	// responseLimit is headLimit for responses. A response that a stage awaits must not be
	// forwarded unread, so its id is searched for behind every result of ordinary length.
	responseLimit = 1 << 20
)

// readOn is an internal verdict: the Scanner takes the next step of its walker.
const readOn transport.Verdict = 0xff

// A Scanner matches lines against a Filter and reads as few bytes of each line as possible.
// It has to be fast, because the proxy reads most lines in no other way. It has to be sound, because
// nothing reads a line again that it passes: FuzzScanner compares it with Message.Read.
//
// A Scanner follows the message, its params and the update in them, with members in any order
// and any spelling. It skips all other values. It passes a line as soon as no later member can
// make the filter match. A message that repeats a deciding member, or has members of a request
// and of a response, is Message.Ambiguous, and the Scanner may pass it.
//
// A Scanner must not be used by two goroutines at once.
type Scanner struct {
	// Filter is loaded at the start of each line. Any goroutine may replace it.
	Filter *atomic.Pointer[Filter]

	// HoldsStrays makes Scan return Hold for lines that do not begin as an object, see jsonrpc.IsStray.
	HoldsStrays bool

	// Head holds the head of the line after Scan has returned Follow.
	Head Head

	filter *Filter // nil between lines
	scanState
}

// A scanState holds the position in a line, and the results of the bytes before it.
type scanState struct {
	walker       rawjson.Walker
	member       member // the member whose value is next
	hasID        bool
	hasParams    bool
	isUpdate     bool    // the method is session/update
	byMethodOnly bool    // the method decides, because the filter selects the update by its head or not at all
	headMatches  bool    // HeadUpdates of the filter selects the update
	needsTool    bool    // the name of the tool decides: the update is a tool_call
	needed       members // of the head, if the filter selects only the head; otherwise 0
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
	if s.needed == 0 {
		if v := s.decide(line); v != transport.Follow {
			return v
		}
		s.Head.Reset()
	}
	s.Head.Add(line[s.headBytes:])
	s.headBytes = len(line)
	limit := headLimit
	if s.needed == headOfResponse {
		limit = responseLimit
	}
	if s.HasHead() || len(line) > limit {
		return transport.Follow
	}
	return transport.More
}

// HasHead reports whether Head is complete.
func (s *Scanner) HasHead() bool { return s.Head.isComplete(s.needed) }

// decide is Scan without collecting the head. If only the head matches, it sets needed and returns
// Follow.
func (s *Scanner) decide(line []byte) transport.Verdict {
	if s.needsTool {
		if v := s.searchTool(line); v != readOn {
			return v
		}
	}
	for {
		v := readOn
		switch s.walker.Next(line) {
		case rawjson.Partial:
			return transport.More
		case rawjson.Invalid:
			return transport.Pass
		case rawjson.NameRead:
			v = s.readName()
		case rawjson.ValueNext:
			v = s.readValue(line)
		case rawjson.ObjectEnd:
			v = s.endObject()
		}
		if v != readOn {
			return v
		}
	}
}

// readName processes the name of a member.
func (s *Scanner) readName() transport.Verdict {
	s.member = otherMember
	switch s.walker.Depth {
	case 1:
		switch string(s.walker.Name) {
		case "id":
			s.hasID = true
		case "method":
			s.member = methodMember
		case "params":
			s.member, s.hasParams = paramsMember, true
		case "result", "error":
			s.member = resultMember
			if !s.filter.Responses {
				return transport.Pass
			}
		}
	case 2:
		if string(s.walker.Name) == "update" {
			s.member = updateMember
		}
	case 3:
		if string(s.walker.Name) == "sessionUpdate" {
			s.member = kindMember
		}
	}
	return readOn
}

// readValue processes a value, skips it, or enters the object.
func (s *Scanner) readValue(line []byte) transport.Verdict {
	first := line[s.walker.Pos]
	switch {
	case s.walker.Depth == 0:
		return s.readFirstByte(first)
	case s.member == methodMember:
		return s.readMethod(line)
	case s.member == resultMember:
		return s.followHead(headOfResponse)
	case s.byMethodOnly || !s.filter.selectsUpdates():
	case s.member == kindMember && first == '"':
		return s.readKind(line)
	case s.member == paramsMember || s.member == updateMember:
		if first == '{' {
			s.walker.Enter()
			return readOn
		}
		fallthrough
	case s.member == kindMember:
		if v := s.decideByMethod(); v != readOn {
			return v
		}
	}
	s.walker.Skip(line)
	return readOn
}

// readFirstByte processes the first byte of a line.
func (s *Scanner) readFirstByte(b byte) transport.Verdict {
	switch {
	case b == '{':
		s.walker.Enter()
		return readOn
	case s.HoldsStrays:
		return transport.Hold
	}
	return transport.Pass
}

// readMethod processes the value of the method.
func (s *Scanner) readMethod(line []byte) transport.Verdict {
	if line[s.walker.Pos] != '"' {
		return transport.Pass
	}
	name, ok := s.walker.String(line, rawjson.MaxName)
	switch {
	case !ok:
		return transport.More
	case s.filter.selectsUpdates() && string(name) == "session/update":
		s.isUpdate = true
		if s.byMethodOnly {
			return s.decideByMethod()
		}
		return readOn
	case isOneOf(s.filter.Heads, name):
		return s.followHead(headOfRequest)
	case isOneOf(s.filter.Methods, name):
		return transport.Hold
	}
	return transport.Pass
}

// readKind processes the kind of an update.
func (s *Scanner) readKind(line []byte) transport.Verdict {
	kind, ok := s.walker.String(line, rawjson.MaxName)
	if !ok {
		return transport.More
	}
	s.headMatches = isOneOf(s.filter.HeadUpdates, kind)
	switch {
	case isOneOf(s.filter.Updates, kind):
		return transport.Hold
	case len(s.filter.Tools) > 0 && string(kind) == "tool_call":
		s.needsTool = true
		return s.searchTool(line)
	}
	return s.decideByMethod()
}

// searchTool searches the beginning of a line for the tool, once it has arrived.
func (s *Scanner) searchTool(line []byte) transport.Verdict {
	switch {
	case len(line) < toolLimit && line[len(line)-1] != '\n':
		return transport.More
	case hasTool(line[:min(len(line), toolLimit)], s.filter.Tools):
		return transport.Hold
	}
	s.needsTool = false
	return s.decideByMethod()
}

// decideByMethod decides on a message whose update the filter does not select whole. If the method
// follows the params, it may still match.
func (s *Scanner) decideByMethod() transport.Verdict {
	switch {
	case s.isUpdate && s.headMatches:
		return s.followHead(headOfUpdate)
	case s.isUpdate, !s.headMatches && len(s.filter.Methods)+len(s.filter.Heads) == 0:
		return transport.Pass
	}
	s.byMethodOnly = true
	return readOn
}

// endObject processes the end of an object that the Scanner has entered.
func (s *Scanner) endObject() transport.Verdict {
	switch {
	case s.walker.Depth > 0:
		return s.decideByMethod()
	case s.filter.Responses && s.hasID && !s.isUpdate && !s.hasParams: // neither a result nor an error
		return s.followHead(headOfResponse)
	}
	return transport.Pass
}

// followHead decides that the filter selects only the head, which needs these members.
func (s *Scanner) followHead(need members) transport.Verdict {
	s.needed = need
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
