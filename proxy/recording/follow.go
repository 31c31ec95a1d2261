package recording

import (
	"bytes"
	"cmp"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Limits of a Follower's state. It ignores requests with longer methods, and sessions with
// longer ids.
const (
	maxOpen     = 4096  // pending requests, counted for each leg
	maxSessions = 16384 // sessions
	maxMethod   = 256   // bytes
	maxSession  = 1024  // bytes
)

// A Follower tracks pending requests, sessions, turns and versions while a recording is
// read. The zero value is ready for the first message of a recording.
type Follower struct {
	open     map[requestKey]*Request
	sessions map[string]*Session
	count    int    // of sessions
	versions [2]int // by leg
	evicted  bool
}

// A Request is a request on one leg of its way. The Follower keeps it while it is pending.
type Request struct {
	Method   string
	Protocol string
	Session  string // "" if it names none
	ID       []byte
	ToClient bool
	Line     int
	Seconds  float64
	Version  int   // of its sender; the requested version of an initialize
	Turn     *Turn // the turn in which it was sent; for a prompt, the turn that it began or joined
	Note     any   // belongs to the caller
}

// A Session is the state of a session.
type Session struct {
	Number    int // from 1, in the order of creation or first mention
	TurnCount int // number of turns so far, including the running one
	Note      any // belongs to the caller
	turn      *Turn
}

// A Turn is the work on a prompt.
type Turn struct {
	Prompt       *Request
	Ended        bool
	firstPrompts [2]*Request // its first prompt, by leg
}

// The legs of a connection through the proxy. A forwarded message takes both.
const (
	clientLeg = iota // between the client and the proxy
	agentLeg
)

type requestKey struct {
	leg      int
	toClient bool
	id       jsonrpc.ID
}

// legs returns the leg of the message's sender and that of its receiver.
func legs(m *Message) (legs [2]int) {
	if m.From == trace.Agent || m.From != trace.Client && m.To != trace.Client {
		legs[0] = agentLeg
	}
	if m.To == trace.Agent || m.From != trace.Client && m.To != trace.Client {
		legs[1] = agentLeg
	}
	return legs
}

// Follow reads the next message of the recording and sets its members Request, Version,
// Session, In, Turn and Stop. If the recording lacks directions, it sets From and To as well. It ignores a
// message without a type.
func (f *Follower) Follow(m *Message) {
	if m.Type == "" {
		return
	}
	if f.open == nil {
		f.open, f.sessions = make(map[requestKey]*Request), make(map[string]*Session)
	}
	if m.From == "" {
		m.From = trace.Agent
		if f.sentByClient(m) {
			m.From = trace.Client
		}
		m.To = across(m.From)
	}
	if m.Session == "" {
		m.Session = rawjson.StringAt(m.Params, "sessionId")
	}
	m.Version = f.versions[legs(m)[0]]
	switch m.Type {
	case trace.Request:
		f.ask(m)
	case trace.Response:
		f.answer(m)
	}
	if m.In = f.Session(m.Session); m.In != nil {
		m.In.advance(m)
	}
}

// Session returns the session of that name, nil if there is none. A new name adds one.
func (f *Follower) Session(name string) *Session {
	s := f.sessions[name]
	if s != nil || name == "" || len(name) > maxSession {
		return s
	}
	if len(f.sessions) >= maxSessions {
		clear(f.sessions)
		f.evicted = true
	}
	f.count++
	s = &Session{Number: f.count}
	f.sessions[strings.Clone(name)] = s
	return s
}

// Events is [trace.Events] with a Follower.
func Events(r io.Reader) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		var follower Follower
		for e, err := range trace.Events(r) {
			m := Message{Event: e}
			if err == nil {
				follower.Follow(&m)
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

// Messages reads the messages of a recording in any form, and follows them. Of a trace it
// reads those that a side sent or received, or all if side is "". A line that is
// neither blank, an event nor a message yields a Message without a type. If the whole recording has
// no message and no event, the error is [ErrForeign].
func Messages(r io.Reader, side trace.Component) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		var follower Follower
		lines := trace.NewLines(r)
		isRecording := false
		for number := 1; ; number++ {
			offset := lines.Offset()
			line, ended := lines.Next()
			m := Parse(bytes.Clone(line), side)
			isRecording = isRecording || m != nil
			if m == nil && !trace.Blank(line) {
				if _, isEvent := ReadEvent(line); isEvent {
					isRecording = true
				} else {
					m = new(Message)
				}
			}
			if m != nil {
				m.Line, m.Offset, m.End = number, offset, lines.Offset()
				follower.Follow(m)
				if !yield(*m, nil) {
					return
				}
			}
			switch {
			case ended == io.EOF && !isRecording:
				yield(Message{}, ErrForeign)
				return
			case ended == io.EOF:
				return
			case ended != nil:
				yield(Message{}, ended)
				return
			}
		}
	}
}

// ask adds a pending request. The response to a forwarded request can arrive on either leg.
func (f *Follower) ask(m *Message) {
	m.Request = &Request{
		Method: m.Method, Protocol: m.Protocol, ID: bytes.Clone(m.ID), ToClient: m.ToClient(),
		Line: m.Line, Seconds: m.Seconds, Version: m.Version,
	}
	if len(m.Session) <= maxSession {
		m.Request.Session = strings.Clone(m.Session)
	}
	if m.Method == "initialize" {
		m.Request.Version = 1
		if asked, err := capabilities.ReadRequest(m.Params); err == nil && asked.Version > 0 {
			m.Request.Version = asked.Version
		}
	}
	if len(m.Method) > maxMethod {
		f.evicted = true
		return
	}
	if len(f.open) >= maxOpen {
		clear(f.open)
		f.evicted = true
	}
	for _, leg := range legs(m) {
		f.open[requestKey{leg, m.ToClient(), jsonrpc.IDOf(m.ID)}] = m.Request
	}
}

// answer finds the request of a response, which has the opposite direction.
func (f *Follower) answer(m *Message) {
	for _, leg := range legs(m) {
		key := requestKey{leg, !m.ToClient(), jsonrpc.IDOf(m.ID)}
		if r := f.open[key]; m.Request == nil {
			m.Request = r
		}
		delete(f.open, key)
	}
	r := m.Request
	if r == nil {
		return
	}
	m.Session = r.Session
	if r.Method == "session/new" || r.Method == "session/fork" {
		f.Session(rawjson.StringAt(m.Payload, "sessionId")) // numbered before its first message
	}
	if r.Method != "initialize" || r.Protocol == "mcp" || m.IsError {
		return
	}
	m.Version = r.Version // the requested one, if the response has none
	if said, err := capabilities.ReadAnswer(m.Payload); err == nil && said.Version > 0 {
		m.Version = said.Version
	}
	for _, leg := range legs(m) {
		f.versions[leg] = m.Version
	}
}

// Complete reports whether the follower still has all pending requests and all sessions of
// the recording: neither was evicted.
func (f *Follower) Complete() bool { return !f.evicted }

// Pending returns the pending request with the id of m that the sender of m has sent, nil if
// there is none.
func (f *Follower) Pending(m *Message) *Request {
	return f.open[requestKey{legs(m)[0], m.ToClient(), jsonrpc.IDOf(m.ID)}]
}

// Unanswered returns the pending requests, in their order.
func (f *Follower) Unanswered() []*Request {
	byLine := func(a, b *Request) int { return a.Line - b.Line }
	return slices.Compact(slices.SortedFunc(maps.Values(f.open), byLine))
}

// advance sets the turn of a message, and its stop reason if it ends the turn.
func (s *Session) advance(m *Message) {
	isPrompt := m.Type == trace.Request && m.Method == "session/prompt" && !m.ToClient()
	if s.turn == nil && isPrompt {
		s.turn = &Turn{Prompt: m.Request}
		s.TurnCount++
	}
	t := s.turn
	m.Turn = t
	if m.Type == trace.Request {
		m.Request.Turn = t
	}
	switch {
	case t == nil:
	case isPrompt:
		for _, leg := range legs(m) {
			if t.firstPrompts[leg] == nil {
				t.firstPrompts[leg] = m.Request
			}
		}
	default:
		if m.Stop = t.stop(m); m.Stop != "" {
			t.Ended, s.turn = true, nil
		}
	}
}

// stop returns the stop reason of a message that ends the turn, otherwise "". The refusal of
// a further prompt does not end the turn.
func (t *Turn) stop(m *Message) string {
	if m.Type == trace.Response {
		if m.Called() != "session/prompt" {
			return ""
		}
		reason := ""
		if own := slices.Contains(t.firstPrompts[:], m.Request); own && m.IsError {
			reason = "error"
		} else if own && m.Version == 1 {
			reason = "without a reason"
		}
		return cmp.Or(rawjson.StringAt(m.Payload, "stopReason"), reason)
	}
	if m.Type != trace.Notification || m.Method != "session/update" || !bytes.Contains(m.Params, []byte(`"idle"`)) {
		return ""
	}
	update := rawjson.Members(rawjson.Get(m.Params, "update"))
	if update.String("sessionUpdate") != "state_update" || update.String("state") != "idle" {
		return ""
	}
	return cmp.Or(update.String("stopReason"), "idle")
}

// sentByClient reports whether the client probably sent a message: a response if the agent waits
// for one with its id, and it is not that of a prompt. The client may wait for one with the same
// id, for longer.
func (f *Follower) sentByClient(m *Message) bool {
	if m.Type == trace.Response {
		return f.open[requestKey{clientLeg, true, jsonrpc.IDOf(m.ID)}] != nil && rawjson.Get(m.Payload, "stopReason") == nil
	}
	return isClientMethod(m.Method)
}

// isClientMethod reports whether clients call a method.
func isClientMethod(method string) bool {
	switch method {
	case "session/update", "session/request_permission", "auth/status_update":
		return false
	case "initialize", "authenticate", "logout", "$/cancel_request":
		return true
	}
	for _, family := range []string{"session/", "auth/", "providers/", "nes/", "document/"} {
		if strings.HasPrefix(method, family) {
			return true
		}
	}
	return false
}
