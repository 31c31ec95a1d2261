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

// What is remembered is bounded: so many requests without an answer, so many sessions, and
// names of so many bytes. A request with a longer method is not remembered, nor is the
// session of one that is longer.
const (
	maxOpen     = 4096
	maxSessions = 16384
	maxMethod   = 256
	maxSession  = 1024
)

// A Follower follows a recording: it says of each message what those before it tell.
// The zero value is ready for a recording that begins.
type Follower struct {
	open     map[requestKey]*Request
	sessions map[string]*Session
	count    int    // of sessions
	spoken   [2]int // by leg
	evicted  bool
}

// A Request is what is remembered of one until it is answered, on one part of its way.
type Request struct {
	Method   string
	Protocol string
	Session  string // "" if it names none
	ID       []byte
	ToClient bool
	Line     int
	Seconds  float64
	Version  int // that its sender speaks; of initialize the one that it asks for
	Note     any // of the reader
}

// A Session is what is remembered of one.
type Session struct {
	Number int // from 1, as they come
	Turns  int // that have begun
	Note   any // of the reader
	turn   *Turn
}

// A Turn begins with a prompt of the client.
type Turn struct {
	Prompt *Request
	asked  [2]*Request // the first prompt of it, by leg
}

// The legs are the two parts of a way. What is forwarded takes both, as one message.
const (
	clientLeg = iota // between the client and the proxy
	agentLeg
)

type requestKey struct {
	leg      int
	toClient bool
	id       jsonrpc.ID
}

// legs returns those that a message takes, its sender's first and its receiver's last.
func legs(m *Message) (legs [2]int) {
	if m.From == trace.Agent || m.From != trace.Client && m.To != trace.Client {
		legs[0] = agentLeg
	}
	if m.To == trace.Agent || m.From != trace.Client && m.To != trace.Client {
		legs[1] = agentLeg
	}
	return legs
}

// Follow reads the next message of the recording, and sets what it says of it. If the
// form of the recording does not tell who said it, From and To are set, too. A line that is
// no event says nothing.
func (f *Follower) Follow(m *Message) {
	if m.Type == "" {
		return
	}
	if f.open == nil {
		f.open, f.sessions = make(map[requestKey]*Request), make(map[string]*Session)
	}
	if m.From == "" {
		m.From = trace.Agent
		if f.isClients(m) {
			m.From = trace.Client
		}
		m.To = across(m.From)
	}
	if m.Session == "" {
		m.Session = TextOf(m.Params, "sessionId")
	}
	m.Version = f.spoken[legs(m)[0]]
	switch m.Type {
	case trace.Request:
		f.ask(m)
	case trace.Response:
		f.answer(m)
	}
	if m.In = f.Session(m.Session); m.In != nil {
		m.In.follow(m)
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

// Events reads the events of a trace as [trace.Events] does, and follows them.
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
// reads those that a side sent or received, or all if side is "". A line without a message
// yields one without a type. The raw members of a message are valid until the next one.
func Messages(r io.Reader, side trace.Component) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		var follower Follower
		lines := trace.NewLines(r)
		for number := 1; ; number++ {
			line, ended := lines.Next()
			found := Parse(line, side)
			if _, isEvent := readEvent(line); len(found) == 0 && !isEvent && !trace.Blank(line) {
				found = []Message{{}}
			}
			for _, m := range found {
				m.Line = number
				follower.Follow(&m)
				if !yield(m, nil) {
					return
				}
			}
			if ended != nil {
				if ended != io.EOF {
					yield(Message{}, ended)
				}
				return
			}
		}
	}
}

// ask remembers a request. One that is forwarded can be answered on either leg.
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

// answer finds the request that an answer is to: it went the other way.
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
	if r.Method != "initialize" || r.Protocol == "mcp" || m.IsError {
		return
	}
	m.Version = r.Version // the one that was asked for, if the answer does not say
	if said, err := capabilities.ReadAnswer(m.Payload); err == nil && said.Version > 0 {
		m.Version = said.Version
	}
	for _, leg := range legs(m) {
		f.spoken[leg] = m.Version
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

// follow sets in which turn a message is, and whether it ends it.
func (s *Session) follow(m *Message) {
	prompts := m.Type == trace.Request && m.Method == "session/prompt" && !m.ToClient()
	if s.turn == nil && prompts {
		s.turn = &Turn{Prompt: m.Request}
		s.Turns++
	}
	t := s.turn
	m.Turn = t
	switch {
	case t == nil:
	case prompts:
		for _, leg := range legs(m) {
			if t.asked[leg] == nil {
				t.asked[leg] = m.Request
			}
		}
	default:
		if m.Stop = t.stop(m); m.Stop != "" {
			s.turn = nil
		}
	}
}

// stop returns why a message ends the turn, "" if it does not. A prompt that is refused
// does not end the turn in which it came.
func (t *Turn) stop(m *Message) string {
	if m.Type == trace.Response {
		if m.Called() != "session/prompt" {
			return ""
		}
		reason := ""
		if own := m.Request == t.asked[clientLeg] || m.Request == t.asked[agentLeg]; own && m.IsError {
			reason = "error"
		} else if own && m.Version == 1 {
			reason = "without a reason"
		}
		return cmp.Or(TextOf(m.Payload, "stopReason"), reason)
	}
	if m.Type != trace.Notification || m.Method != "session/update" || !bytes.Contains(m.Params, []byte(`"idle"`)) {
		return ""
	}
	update, _ := rawjson.ReadObject(nil, rawjson.Get(m.Params, "update"))
	if update.String("sessionUpdate") != "state_update" || update.String("state") != "idle" {
		return ""
	}
	return cmp.Or(update.String("stopReason"), "idle")
}

// isClients reports whether the client says a message, as far as that can be known. Of an
// answer, the open requests tell it. If both ends have asked with its id, or none has,
// what it says decides.
func (f *Follower) isClients(m *Message) bool {
	if m.Type != trace.Response {
		return isClients(m.Method)
	}
	id := jsonrpc.IDOf(m.ID)
	client, agent := f.open[requestKey{clientLeg, false, id}], f.open[requestKey{clientLeg, true, id}]
	if (client != nil) != (agent != nil) {
		return agent != nil
	}
	if m.IsError {
		return false
	}
	o, _ := rawjson.ReadObject(nil, m.Payload)
	for _, name := range []string{"outcome", "action", "content", "terminalId", "exitStatus"} {
		if o.Get(name) != nil {
			return true
		}
	}
	return false
}

// isClients reports whether a method is one that clients call.
func isClients(method string) bool {
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
