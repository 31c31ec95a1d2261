package jsonrpc

import (
	"bytes"
	"slices"
	"strings"
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
	Responses bool // the heads of responses

	// Methods are those of requests and notifications. One that ends in a slash
	// means all that begin with it and have at most 192 bytes.
	Methods []string

	// Heads are methods of requests of which only the head matters.
	Heads []string

	// Updates are kinds of session update. Of session/update only these matter, if
	// there are any.
	Updates []string

	// Tools are parts of names of tools, in small letters and without blanks, _ and -.
	// Besides Updates, a session update tool_call matters if a title, name or _meta has one
	// of them in it, with any capitals, blanks, _ and -. Only the beginning of the line
	// counts, and nothing that is escaped. Tools need Updates.
	Tools []string

	// HeadUpdates are kinds of session update of a tool call of which only the head
	// matters: the session, the call and its status. They need Updates.
	HeadUpdates []string
}

// Add adds what matters to another, which may be nil.
func (f *Filter) Add(other *Filter) {
	if other == nil {
		return
	}
	f.All, f.Responses = f.All || other.All, f.Responses || other.Responses
	add := func(to *[]string, names []string) {
		if len(*to) == 0 {
			*to = slices.Clip(names)
			return
		}
		for _, name := range names {
			if !slices.Contains(*to, name) {
				*to = append(*to, name)
			}
		}
	}
	add(&f.Methods, other.Methods)
	add(&f.Heads, other.Heads)
	add(&f.Updates, other.Updates)
	add(&f.Tools, other.Tools)
	add(&f.HeadUpdates, other.HeadUpdates)
}

// Matters reports whether a whole line can matter.
func (f *Filter) Matters(line []byte) bool {
	s := Scanner{want: f}
	return s.Scan(line) != transport.Pass
}

// MattersRead reports whether a message that has been read can matter. It may report true
// for a message that Matters rejects.
func (f *Filter) MattersRead(m *Message) bool {
	switch {
	case f.All || m.Ambiguous:
		return true
	case m.Method == nil:
		return f.Responses
	case len(f.Updates) == 0 || !m.Update.Present() || string(m.Method) != methodUpdate:
		return isOneOf(f.Methods, m.Method) || isOneOf(f.Heads, m.Method)
	}
	kind, _ := m.Members.Text("sessionUpdate")
	return slices.Contains(f.Updates, string(kind)) || slices.Contains(f.HeadUpdates, string(kind)) ||
		len(f.Tools) > 0 && string(kind) == "tool_call"
}

// A Scanner follows the structure of a line, not its spelling: the members of
// the message, of its params and of the update in them, in any order, with any
// escapes. It skips every other value. It remembers where it stopped when the
// rest of the line has not arrived yet. It is used in two ways.
//
// Scan tells, from as few bytes of a line as possible, whether the line can matter.
// Almost all traffic meets nothing of the proxy but this, so it is fast. Nothing else
// looks at a line that it lets pass, so it is sound: FuzzScanner checks it against the
// full reading, Message.Read.
//
// A line passes as soon as one of these is certain: it is not a JSON object or
// array, unless Strays says otherwise; it is broken; its method does not matter; its
// session update does not matter; it is a response and responses do not matter. A later
// member cannot change that, because a message in which a deciding member occurs
// twice, or which has members of a request and of a response, is defined to be
// neither (Message.Ambiguous).
//
// Keep, Add and Kept tell of a message that is not read whole as much as tells who
// waits for what: see [Scanner.Keep].
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

	want *Filter // nil between lines, and while a message is kept
	cursorState
	kept []byte // of a message, without the braces that are still open
	rest []byte // of a piece: the beginning of a token that goes on in the next one
}

// A cursorState is the position in a line and the facts known of it.
type cursorState struct {
	pos    int   // up to here the text has been followed
	depth  level // the object that pos is in
	expect expectation
	name   memberName // of the member whose value is next or being skipped
	nested int        // how many brackets are open in the value being skipped
	text   bool       // pos is inside a string in the value being skipped
	scalar bool       // pos is inside a number or literal being skipped
	over   bool       // the rest of the line does not count

	update bool    // the method is session/update
	other  bool    // the params have no update that matters: the method decides
	begins bool    // the update is a tool_call, whose tool decides
	head   bool    // the head of the update matters, if nothing else of it does
	need   members // of the head; none if the head of the line does not matter
	have   members // whose values were passed over
}

const (
	// toolLimit is how far into a line the tool of a tool call is looked for. What comes
	// before it may be long, and would be held until then.
	toolLimit = 4 << 10

	// headLimit is the same for a head. A longer line passes while its head is collected.
	headLimit = 64 << 10

	// answerLimit is the same for the head of an answer. One that is waited for must not
	// pass, so the id is looked for behind results longer than those that are.
	answerLimit = 1 << 20
)

type level uint8

const (
	outside level = iota // before the message, or behind it
	inMessage
	inParams
	inUpdate
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
	idName
	methodName
	paramsName
	resultName
	errorName
	sessionName
	updateName
	kindName // sessionUpdate
	callName // toolCallId
	statusName
	stateName
	reasonName
)

// names are the members of which something is kept.
var names = [...]string{
	idName: "id", methodName: "method", paramsName: "params", resultName: "result", errorName: "error",
	sessionName: "sessionId", updateName: "update", kindName: "sessionUpdate",
	callName: "toolCallId", statusName: "status", stateName: "state", reasonName: "stopReason",
}

// members have a bit for each memberName.
type members uint16

const (
	headOfAnswer  members = 1 << idName
	headOfRequest members = 1<<idName | 1<<sessionName
	headOfCall    members = 1<<methodName | 1<<sessionName | 1<<callName | 1<<statusName
)

const (
	// longestName bounds the strings that have to be read whole to tell whether a line
	// matters: no name or value that the scanner compares is longer, even if every byte
	// of it is escaped.
	longestName = 6*32 + 2

	// longestKept bounds the names and values of a message that is kept.
	longestKept = 1 << 10

	// mostKept is where no more members are kept. There is room for all that matter,
	// unless they come again and again.
	mostKept = 16 << 10
)

// Reset makes the scanner ready for another line.
func (s *Scanner) Reset() {
	s.want, s.cursorState = nil, cursorState{}
	s.kept, s.rest = s.kept[:0], s.rest[:0]
}

// Scan looks at a line, whose first bytes an earlier call may have seen. It
// returns Hold if the line can matter, Pass if it cannot, and More if the rest
// of the line has to tell. It returns Follow if only the head of the message matters,
// which is its id and, of a request, its session: when these are known, or else when the
// line has become long. The head of an update is its session, its tool call and the
// status of that. Reset ends a line.
func (s *Scanner) Scan(line []byte) transport.Verdict {
	if s.want == nil {
		s.want = s.Filter.Load()
	}
	if s.want.All {
		return transport.Hold
	}
	return s.follow(line)
}

// HasHead reports whether the head is known of a line for which Scan has returned Follow.
func (s *Scanner) HasHead() bool { return s.need&^s.have == 0 || s.depth == outside }

// Keep begins to keep what tells, of a message that is not read whole, who waits for
// what. The message may be too long for that, or something may be wrong in its line.
// Keep is given the beginning of the line, and Add the rest of it, piece by piece.
//
// The id, the method and that there is a result or an error are kept, and of
// params the session and the kind, call, status, state and stop reason of an update. Values longer
// than 1 KiB are left out, and objects and arrays in these places. So this takes little
// memory, whatever the line is.
//
// Brackets and quotes are followed, and nothing is checked that is skipped. Where they
// are wrong the reading stops, and what came before that counts. A byte order mark in
// front of the message does not count, nor does anything behind it. Of a batch nothing
// is kept.
func (s *Scanner) Keep(beginning []byte) {
	s.Reset()
	s.Add(beginning)
}

// Add takes the next piece of the line. See [Scanner.Keep].
func (s *Scanner) Add(piece []byte) {
	if before := len(s.rest); before > 0 && !s.over {
		s.rest = append(s.rest, piece[:min(len(piece), 2*longestKept)]...)
		if s.follow(s.rest); s.pos < before { // the token goes on
			s.rest, s.pos = append(s.rest[:0], s.rest[s.pos:]...), 0
			return
		}
		s.rest, s.pos = s.rest[:0], s.pos-before
	}
	if s.over {
		return
	}
	s.follow(piece)
	if s.pos < len(piece) && !s.over {
		s.rest, s.pos = append(s.rest, piece[s.pos:]...), 0
	} else {
		s.pos -= len(piece) // what is escaped can be in the next piece
	}
}

// Kept returns what was kept: a message of its own. It is empty if the line has not
// begun as an object, and valid until the next call.
func (s *Scanner) Kept() []byte {
	text := s.kept
	for range s.depth {
		text = append(text, '}')
	}
	return text
}

// follow follows a text from pos on.
func (s *Scanner) follow(text []byte) transport.Verdict {
	if s.begins {
		if v, ok := s.tool(text); ok {
			return v
		}
	}
	for s.pos < len(text) {
		if s.text || s.nested > 0 || s.scalar {
			s.skip(text)
			continue
		}
		switch text[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
			continue
		}
		if v, ok := s.token(text); ok {
			return v
		}
	}
	if s.need != 0 && s.pos > s.headLimit() {
		return transport.Follow
	}
	return transport.More
}

// noUpdate is called when it is certain that the params have no update that matters. If
// methods matter besides session/update, one that comes behind the params has to tell.
func (s *Scanner) noUpdate() (transport.Verdict, bool) {
	if s.head {
		s.head = false
		return s.needs(headOfCall)
	}
	if s.update || len(s.want.Methods) == 0 {
		return transport.Pass, true
	}
	s.other = true
	return transport.More, false
}

// token takes one token of an object that is being followed. It reports true
// if that decides on the line or if the token has not arrived whole.
func (s *Scanner) token(text []byte) (transport.Verdict, bool) {
	switch b := text[s.pos]; {
	case s.depth == outside:
		return s.begin(b)

	case b == '}' && (s.expect == expectName || s.expect == expectComma):
		s.pos++
		s.have |= 1 << s.name
		s.expect = expectComma
		return s.end()

	case b == '"' && s.expect == expectName:
		name, ok := s.shortString(text)
		if !ok {
			return transport.More, true
		}
		s.name = s.nameOf(name)
		s.expect = expectColon
		if s.pos < len(text) && text[s.pos] == ':' { // as it mostly is
			s.pos++
			s.expect = expectValue
		}
		if s.want != nil && !s.want.Responses && s.isAnswer() {
			return transport.Pass, true
		}

	case b == ':' && s.expect == expectColon:
		s.pos++
		s.expect = expectValue

	case b == ',' && s.expect == expectComma:
		s.pos++
		s.expect = expectName
		if s.have |= 1 << s.name; s.need != 0 {
			return s.needs(s.need)
		}

	case b != ':' && b != ',' && b != '}' && b != ']' && s.expect == expectValue:
		if s.want == nil {
			return s.keepValue(text)
		}
		return s.value(text)

	default: // this is not JSON
		s.over = true
		return transport.Pass, true
	}
	return transport.More, false
}

// begin takes a byte in front of the message.
func (s *Scanner) begin(b byte) (transport.Verdict, bool) {
	switch {
	case b == '{':
		s.pos++
		s.depth = inMessage
		if s.want == nil {
			s.kept = append(s.kept, '{')
		}
		return transport.More, false
	case s.want != nil && s.Strays:
		return transport.Hold, true
	case s.want == nil && strings.IndexByte("\xef\xbb\xbf", b) >= 0: // of a byte order mark
		s.pos++
		return transport.More, false
	}
	s.over = true
	return transport.Pass, true
}

// end leaves an object that was followed.
func (s *Scanner) end() (transport.Verdict, bool) {
	if s.depth == inUpdate { // what it has not had will not come
		s.have |= 1<<callName | 1<<statusName
	}
	s.depth--
	s.over = s.depth == outside
	switch {
	case s.want == nil:
		s.kept = append(s.kept, '}')
		return transport.Pass, s.over
	case s.over && s.need != 0:
		return transport.Follow, true
	case s.over && s.want.Responses && s.have&(1<<idName|1<<methodName|1<<paramsName) == 1<<idName:
		return s.needs(headOfAnswer) // neither a result nor an error
	case s.over:
		return transport.Pass, true
	case s.need != 0:
		return s.needs(s.need)
	case len(s.want.Updates) > 0: // the message has no session update
		return s.noUpdate()
	}
	return transport.More, false
}

// needs is called when it is certain that only the head of the message matters.
func (s *Scanner) needs(head members) (transport.Verdict, bool) {
	s.need = head
	return transport.Follow, s.HasHead()
}

// headLimit returns how far into the line its head is looked for.
func (s *Scanner) headLimit() int {
	if s.need == headOfAnswer {
		return answerLimit
	}
	return headLimit
}

// isAnswer reports whether only an answer has the member at hand.
func (s *Scanner) isAnswer() bool { return s.name == resultName || s.name == errorName }

// nameOf says which member a name is, if it is one that can matter at this depth.
func (s *Scanner) nameOf(name []byte) memberName {
	switch s.depth {
	case inMessage:
		switch string(name) {
		case "id":
			return idName
		case "method":
			return methodName
		case "params":
			return paramsName
		case "result":
			return resultName
		case "error":
			return errorName
		}
	case inParams:
		switch string(name) {
		case "sessionId":
			return sessionName
		case "update":
			return updateName
		}
	case inUpdate:
		switch string(name) {
		case "sessionUpdate":
			return kindName
		case "toolCallId":
			return callName
		case "status":
			return statusName
		case "state":
			return stateName
		case "stopReason":
			return reasonName
		}
	}
	return otherName
}

// value takes a value of a line that is scanned, or steps into it.
func (s *Scanner) value(line []byte) (transport.Verdict, bool) {
	b := line[s.pos]
	switch {
	case s.name == methodName:
		return s.method(line)

	case s.isAnswer():
		if v, ok := s.needs(headOfAnswer); ok {
			return v, true
		}

	case s.other, len(s.want.Updates) == 0 && s.name != paramsName:

	case s.name == kindName && b == '"':
		kind, ok := s.shortString(line)
		if !ok {
			return transport.More, true
		}
		s.expect = expectComma
		return s.kind(kind, line)

	case b == '{' && (s.name == updateName || s.name == paramsName && len(s.want.Updates)+len(s.want.Heads) > 0):
		s.have |= 1 << s.name
		s.depth++
		s.pos++
		s.expect = expectName
		return transport.More, false

	case len(s.want.Updates) > 0 && (s.name == kindName || s.name == paramsName || s.name == updateName):
		if v, ok := s.noUpdate(); ok {
			return v, true
		}
	}
	s.skipValue(b)
	return transport.More, false
}

// skipValue has the value that begins with b at pos skipped.
func (s *Scanner) skipValue(b byte) {
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
}

// method takes the method.
func (s *Scanner) method(line []byte) (transport.Verdict, bool) {
	if line[s.pos] != '"' {
		return transport.Pass, true
	}
	method, ok := s.shortString(line)
	if !ok {
		return transport.More, true
	}
	s.expect = expectComma
	switch {
	case len(s.want.Updates) > 0 && !s.other && string(method) == methodUpdate:
		s.update = true
		return transport.More, false
	case isOneOf(s.want.Heads, method):
		return s.needs(headOfRequest)
	case isOneOf(s.want.Methods, method):
		return transport.Hold, true
	}
	return transport.Pass, true
}

// kind takes the kind of an update. That of a tool call that begins may leave it to
// the tool.
func (s *Scanner) kind(kind, line []byte) (transport.Verdict, bool) {
	s.head = isOneOf(s.want.HeadUpdates, kind)
	switch {
	case isOneOf(s.want.Updates, kind):
		return transport.Hold, true
	case len(s.want.Tools) == 0, string(kind) != "tool_call":
		return s.noUpdate()
	}
	s.begins = true
	return s.tool(line)
}

// tool looks for the tool of a tool call, once the beginning of the line is there.
func (s *Scanner) tool(line []byte) (transport.Verdict, bool) {
	switch {
	case len(line) < toolLimit && line[len(line)-1] != '\n':
		return transport.More, true
	case hasTool(line[:min(len(line), toolLimit)], s.want.Tools):
		return transport.Hold, true
	}
	s.begins = false
	return s.noUpdate()
}

// hasTool reports whether the beginning of a line names one of the tools, see
// [Filter.Tools].
func hasTool(text []byte, tools []string) bool {
	plain := make([]byte, 0, 256)
	var c rawjson.Cursor
	for _, name := range [...]string{`"title"`, `"name"`, `"_meta"`} {
		for _, rest, found := bytes.Cut(text, []byte(name)); found; _, rest, found = bytes.Cut(rest, []byte(name)) {
			rest = bytes.TrimLeft(rest, ": ")
			c.Reset(rest)
			c.Skip() // it may not be there whole
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
		if string(value) == name || name[len(name)-1] == '/' && bytes.HasPrefix(value, []byte(name)) {
			return true
		}
	}
	return false
}

// keepValue takes a value of a message that is kept, or steps into it.
func (s *Scanner) keepValue(text []byte) (transport.Verdict, bool) {
	b := text[s.pos]
	switch s.name {
	case resultName:
		s.keep([]byte("null"))
	case errorName:
		s.keep([]byte("{}"))
	case paramsName, updateName:
		if b == '{' && len(s.kept) < mostKept {
			s.kept = append(appendName(s.kept, s.name), '{')
			s.depth++
			s.pos++
			s.expect = expectName
			return transport.More, false
		}
	case otherName:
	default:
		return s.keepShort(text)
	}
	s.skipValue(b)
	return transport.More, false
}

// keepShort keeps a value if it is a short string or literal. Of any other method it keeps
// only that there is one.
func (s *Scanner) keepShort(text []byte) (transport.Verdict, bool) {
	var raw []byte
	ok := true
	switch b, start := text[s.pos], s.pos; b {
	case '{', '[':
		s.skipValue(b)
	case '"':
		if _, ok = s.shortString(text); !s.text {
			raw = text[start:s.pos]
		}
	default:
		raw, ok = s.shortLiteral(text)
	}
	if !ok {
		return transport.More, true
	}
	s.expect = expectComma
	var c rawjson.Cursor
	c.Reset(raw)
	c.Skip()
	switch valid := c.End(); {
	case s.name == methodName && (!valid || raw[0] != '"'):
		s.keep([]byte(`""`))
	case valid:
		s.keep(raw)
	}
	return transport.Pass, s.over
}

// keep keeps the member whose value has been read.
func (s *Scanner) keep(value []byte) {
	if len(s.kept) < mostKept && !s.over {
		s.kept = append(appendName(s.kept, s.name), value...)
	}
}

func appendName(text []byte, name memberName) []byte {
	if text[len(text)-1] != '{' {
		text = append(text, ',')
	}
	return append(append(append(text, '"'), names[name]...), `":`...)
}

func endsScalar(b byte) bool {
	return b == ',' || b == '}' || b == ']' || b <= ' '
}

// shortString returns what the string at pos says, and steps behind it. If the string is
// too long to matter, it returns nothing and has the string skipped. It reports false if
// the string has not arrived whole.
func (s *Scanner) shortString(text []byte) ([]byte, bool) {
	longest := longestName
	if s.want == nil {
		longest = longestKept
	}
	start, escaped := s.pos, false
	for i := start + 1; ; i++ {
		i = rawjson.PlainEnd(text, i)
		switch {
		case i-start > longest:
			s.pos++
			s.text = true
			return nil, true
		case i >= len(text):
			return nil, false
		case text[i] == '"':
			s.pos = i + 1
			if escaped {
				return rawjson.Unquote(text[start:s.pos]), true
			}
			return text[start+1 : i], true
		case text[i] == '\\':
			escaped = true
			i++
		}
	}
}

// shortLiteral is shortString for a number, true, false or null. One that a line ends in
// does not count: there may have been more of it.
func (s *Scanner) shortLiteral(text []byte) ([]byte, bool) {
	end := s.pos
	for end < len(text) && !endsScalar(text[end]) {
		end++
	}
	switch raw := text[s.pos:end]; {
	case len(raw) > longestKept:
		s.scalar = true
	case end == len(text):
		return nil, false
	case text[end] == '\n':
		s.over = true
	default:
		s.pos = end
		return raw, true
	}
	return nil, true
}

// skip passes over the rest of a value, as far as it has arrived.
func (s *Scanner) skip(line []byte) {
	i := s.pos
	if s.scalar {
		for i < len(line) && !endsScalar(line[i]) {
			i++
		}
		s.pos = i
		s.scalar = i == len(line)
		return
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
			break
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
				return
			}
		}
		i++
	}
	s.pos = i
}
