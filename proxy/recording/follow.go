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

// Limits of a Follower's state. It does not track a request with a longer method, or a session with a
// longer id.
const (
	maxPending    = 4096  // keys of pending requests; a request that takes both legs has two
	maxSessions   = 16384 // sessions
	maxMethodName = 256   // bytes
	maxSessionID  = 1024  // bytes
)

// A Follower tracks pending requests, sessions, turns and versions while a recording is
// read. The zero value is ready for the first message of a recording.
type Follower struct {
	pending      map[requestKey]*Request // each request has a key per leg
	sessions     map[string]*Session     // by id
	sessionCount int                     // number of sessions so far, including evicted ones
	versions     [2]int                  // protocol versions, by leg
	incomplete   bool                    // a request or a session is not tracked because of the limits
}

// A Request is a recorded request. The Follower keeps it while it is pending.
type Request struct {
	Method   string
	Protocol string // as of trace.Event
	Session  string // "" if the request names none
	ID       []byte
	ToClient bool
	Line     int
	Seconds  float64
	Version  int   // of the sender; for initialize the requested version
	Turn     *Turn // the turn in which the request was sent; for a prompt, the turn that it began or joined
	Note     any   // for the caller's use
}

// A Session is the state of a session.
type Session struct {
	Number    int   // from 1, in the order of creation or first mention
	TurnCount int   // number of turns so far, including the running one
	Note      any   // for the caller's use
	turn      *Turn // nil if none is running
}

// A Turn is the work on a prompt, and on the prompts that the client sends meanwhile.
type Turn struct {
	Prompt       *Request // the one that began the turn
	Ended        bool
	firstPrompts [2]*Request // the first prompt on each leg
}

// The legs of a connection through the proxy. A message between client and agent takes both.
const (
	clientLeg = iota // between the client and the proxy
	agentLeg
)

type requestKey struct {
	leg      int
	toClient bool
	id       jsonrpc.ID
}

// legs returns the leg on which m is sent and the leg on which it is received.
func legs(m *Message) [2]int { return [2]int{senderLeg(m), legOf(m.To, m.From)} }

func senderLeg(m *Message) int { return legOf(m.From, m.To) }

// legOf returns the leg of a client or an agent. For the proxy it returns the leg to the peer.
func legOf(component, peer trace.Component) int {
	if component == trace.Agent || component != trace.Client && peer != trace.Client {
		return agentLeg
	}
	return clientLeg
}

// Follow processes the next message of the recording. It sets Request, Version, Session, SessionState,
// Turn and Stop of the message, and From and To if the recording lacks directions. It ignores a message
// without a type.
func (f *Follower) Follow(m *Message) {
	if m.Type == "" {
		return
	}
	if f.pending == nil {
		f.pending, f.sessions = make(map[requestKey]*Request), make(map[string]*Session)
	}
	if m.From == "" {
		m.From = trace.Agent
		if f.sentByClient(m) {
			m.From = trace.Client
		}
		m.To = peerOf(m.From)
	}
	if m.Session == "" {
		m.Session = rawjson.StringAt(m.Params, "sessionId")
	}
	f.incomplete = f.incomplete || len(m.Session) > maxSessionID
	m.Version = f.versions[senderLeg(m)]
	switch m.Type {
	case trace.Request:
		f.addRequest(m)
	case trace.Response:
		f.matchResponse(m)
	}
	if m.SessionState = f.OpenSession(m.Session); m.SessionState != nil {
		m.SessionState.setTurn(m)
	}
}

// OpenSession returns the session with the given id, and adds it if it is new. It returns nil if the id is
// empty or too long.
func (f *Follower) OpenSession(id string) *Session {
	s := f.sessions[id]
	if s != nil || id == "" || len(id) > maxSessionID {
		return s
	}
	if len(f.sessions) >= maxSessions {
		clear(f.sessions)
		f.incomplete = true
	}
	f.sessionCount++
	s = &Session{Number: f.sessionCount}
	f.sessions[strings.Clone(id)] = s
	return s
}

// Events reads the events of a trace like [trace.Events], and follows them.
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

// Messages reads the messages of a recording in any form, and follows them. Of a trace it reads only
// the messages that side sent or received, or all if side is "". A line that is neither blank, an
// event nor a message yields a Message without a type. If the recording has no message and no event,
// the error is [ErrForeign].
func Messages(r io.Reader, side trace.Component) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		var follower Follower
		lines := trace.NewLines(r)
		isRecording := false
		for number := 1; ; number++ {
			offset := lines.Offset()
			line, err := lines.Next()
			m := Parse(bytes.Clone(line), side)
			isRecording = isRecording || m != nil
			if m == nil && !trace.IsBlank(line) {
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
			case err == io.EOF && !isRecording:
				yield(Message{}, ErrForeign)
				return
			case err == io.EOF:
				return
			case err != nil:
				yield(Message{}, err)
				return
			}
		}
	}
}

// addRequest adds a pending request on each of its legs: the response can arrive on either one.
func (f *Follower) addRequest(m *Message) {
	m.Request = &Request{
		Method: m.Method, Protocol: m.Protocol, ID: bytes.Clone(m.ID), ToClient: m.ToClient(),
		Line: m.Line, Seconds: m.Seconds, Version: m.Version,
	}
	if len(m.Session) <= maxSessionID {
		m.Request.Session = strings.Clone(m.Session)
	}
	if m.Method == "initialize" {
		m.Request.Version = 1
		if request, err := capabilities.ReadRequest(m.Params); err == nil && request.Version > 0 {
			m.Request.Version = request.Version
		}
	}
	if len(m.Method) > maxMethodName {
		f.incomplete = true
		return
	}
	if len(f.pending) >= maxPending {
		clear(f.pending)
		f.incomplete = true
	}
	for _, leg := range legs(m) {
		f.pending[requestKey{leg, m.ToClient(), jsonrpc.IDOf(m.ID)}] = m.Request
	}
}

// matchResponse finds the pending request that a response answers, and removes it.
func (f *Follower) matchResponse(m *Message) {
	for _, leg := range legs(m) {
		key := requestKey{leg, !m.ToClient(), jsonrpc.IDOf(m.ID)}
		if r := f.pending[key]; m.Request == nil {
			m.Request = r
		}
		delete(f.pending, key)
	}
	r := m.Request
	if r == nil {
		return
	}
	m.Session = r.Session
	if r.Method == "session/new" || r.Method == "session/fork" {
		// Sessions are numbered in the order of their creation, not of their first message.
		f.OpenSession(rawjson.StringAt(m.Payload, "sessionId"))
	}
	if r.Method != "initialize" || r.Protocol == "mcp" || m.IsError {
		return
	}
	m.Version = r.Version // the requested version, if the response has none
	if result, err := capabilities.ReadResult(m.Payload); err == nil && result.Version > 0 {
		m.Version = result.Version
	}
	for _, leg := range legs(m) {
		f.versions[leg] = m.Version
	}
}

// Complete reports whether the follower still has all pending requests and all sessions of the
// recording. It returns false once one was evicted, or exceeded a limit.
func (f *Follower) Complete() bool { return !f.incomplete }

// Pending returns the pending request of the sender of m that has the id of m, or nil.
func (f *Follower) Pending(m *Message) *Request {
	return f.pending[requestKey{senderLeg(m), m.ToClient(), jsonrpc.IDOf(m.ID)}]
}

// Unanswered returns the pending requests in the order of their lines.
func (f *Follower) Unanswered() []*Request {
	byLine := func(a, b *Request) int { return a.Line - b.Line }
	return slices.Compact(slices.SortedFunc(maps.Values(f.pending), byLine))
}

// setTurn sets the turn of a message, and its stop reason if it ends the turn.
func (s *Session) setTurn(m *Message) {
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
		if m.Stop = t.stopReason(m); m.Stop != "" {
			t.Ended, s.turn = true, nil
		}
	}
}

// stopReason returns the stop reason of a message that ends the turn, and otherwise "". Two kinds of
// responses end the turn without a stop reason, but only as responses to its first prompt: an error
// and, in version 1, any other response.
func (t *Turn) stopReason(m *Message) string {
	if m.Type == trace.Response {
		if m.CalledMethod() != "session/prompt" {
			return ""
		}
		assumed := ""
		if isFirst := slices.Contains(t.firstPrompts[:], m.Request); isFirst && m.IsError {
			assumed = "error"
		} else if isFirst && m.Version == 1 {
			assumed = "without a reason"
		}
		return cmp.Or(rawjson.StringAt(m.Payload, "stopReason"), assumed)
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

// sentByClient reports whether the client probably sent a message. A response with a stopReason is the
// agent's. Any other response is the client's if a request of the agent with that id is pending, even
// if a request of the client with the same id is also pending.
func (f *Follower) sentByClient(m *Message) bool {
	if m.Type == trace.Response {
		return f.pending[requestKey{clientLeg, true, jsonrpc.IDOf(m.ID)}] != nil && rawjson.Get(m.Payload, "stopReason") == nil
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
