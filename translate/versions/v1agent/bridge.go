// Package v1agent joins a client of version 2 and an agent of version 1.
//
// Version 2 tells more than version 1 does: when a prompt was inserted, what
// state a session is in, which message a chunk belongs to, what became of a tool
// call. The bridge derives this from the agent's messages, and keeps the state that it
// needs for each session. Where to look:
//
//	bridge.go       which message goes where; updates.go the same for what the agent reports
//	requests.go     requests that need no memory, answers and errors
//	sessions.go     what is known of sessions; package keep bounds that
//	openings.go     new sessions, resumed ones, lists; closing.go their end
//	prompts.go      prompts; turns.go what becomes of them, states.go what is told of it;
//	                held.go requests that wait for others,
//	                echoes.go agents that repeat the prompt
//	messages.go     messages, which get ids; replays.go those of a session that is loaded;
//	                given.go the ids that they had before
//	toolcalls.go    tool calls, with diff.go and terminals.go
//	questions.go    what the agent asks: permissions.go, elicitation.go
//	options.go      options; modes and models are options here, see package selectors
package v1agent

import (
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
)

// Options are what the handshake found out. All fields must be set.
type Options struct {
	// Client is what the client's initialize says, see [shapes.InitializeToV1].
	Client shapes.V2Client

	// Agent is what the agent's answer to initialize says, see
	// [shapes.InitializeResultToV2].
	Agent shapes.V1Agent

	// NewID returns an id that it never returned before, for a message: a UUID.
	NewID func() string
}

// A Bridge is a [translate.Holder] between a client of version 2 and an agent of
// version 1.
//
// What is kept is bounded, see package keep. Past a limit the translation gets worse, or a
// request is refused; the connection goes on.
type Bridge struct {
	versions.Everything
	peers
	requests calls.Routes
	notices  calls.Routes
	sessions *sessions
	held     heldRequests
	timers   calls.Timers
	closings closings
}

var _ interface {
	versions.Bridge
	translate.Holder
} = (*Bridge)(nil)

// New returns a Bridge for a connection that has been initialized.
func New(o Options) *Bridge {
	b := &Bridge{peers: peers{options: o}}
	b.sessions = newSessions(b)
	b.closings.bridge = b
	b.held = heldRequests{link: &b.link, kept: b.sessions.beside, behind: make(map[any][]heldRequest)}
	b.route()
	return b
}

// From implements [translate.Stage].
func (b *Bridge) From(side translate.Side, m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, m.Session)
	switch {
	case len(m.Session) > maxID:
		b.loseMessage(m, side)
	case m.IsRequest() && b.link.Full(side.Other()):
		b.link.RefuseFull(side.Other(), m)
	case m.IsRequest():
		b.request(side, m)
	case m.IsNotification():
		b.notification(side, m)
	default:
		b.answered(side, m)
	}
	b.settle()
}

// settle does what the message, or the time that has passed, makes possible, and has the
// oldest of what is kept go if it is too much.
func (b *Bridge) settle() {
	b.closings.finishIdle()
	for r, ok := b.held.next(); ok; r, ok = b.held.next() {
		// There is room for its call: the number of requests that wait is bounded.
		m := jsonrpc.MessageOf(r.text)
		if s, isPrompt := r.behind.(*session); isPrompt {
			b.start(s, &m, r.key)
		} else {
			b.request(translate.Client, &m)
		}
		b.closings.finishIdle()
	}
	if b.sessions.budget.Settle() {
		b.link.Lose(translate.LossMemory, "too much is kept: the oldest was forgotten, or what is new left out")
	}
}

// route fills the tables of the methods that the bridge converts. Other messages pass.
func (b *Bridge) route() {
	request := b.requests.From(translate.Client)
	request(b.newSession, "session/new")
	request(b.listSessions, "session/list")
	request(b.logout, "auth/logout")
	request(func(m *jsonrpc.Message) { b.askSame(m, "authenticate") }, "auth/login")
	request(func(m *jsonrpc.Message) { b.refuse(m, errInitialized) }, "initialize")
	// The client was never told that anything can be cancelled by itself.
	request(func(m *jsonrpc.Message) { b.refuse(m, invalid("it cannot be cancelled by itself")) }, "tool_call/cancel", "terminal/cancel")
	request(b.notInVersion2, "authenticate", "logout", "session/load", "session/set_mode", "session/set_model")
	named := func(handle calls.Handler, method string) {
		request(func(m *jsonrpc.Message) {
			if m.Session == nil {
				b.refuse(m, invalid("no sessionId"))
			} else {
				handle(m)
			}
		}, method)
	}
	named(b.newSession, "session/fork")
	named(b.setOption, "session/set_config_option")
	named(b.prompt, "session/prompt")
	named(b.unlessClosing(b.resumeSession), "session/resume")
	named(b.unlessClosing(b.closings.close), "session/close")
	named(b.unlessClosing(b.closings.delete), "session/delete")

	question := b.requests.From(translate.Agent)
	question(b.requestPermission, "session/request_permission")
	question(b.createElicitation, "elicitation/create")
	question(b.refuseToAgent, calls.ClientWork()...)

	notice := b.notices.From(translate.Client)
	notice(b.cancelPrompts, "session/cancel")
	notice(b.cancelRequest, "$/cancel_request")

	notice = b.notices.From(translate.Agent)
	notice(b.sessionUpdate, "session/update")
	notice(b.cancelQuestion, "$/cancel_request")
	notice(b.passed, "elicitation/complete", "auth/status_update")
}

// request handles a request of a side.
func (b *Bridge) request(by translate.Side, m *jsonrpc.Message) {
	if by == translate.Agent {
		b.sessions.find(m.Session).spoke()
	}
	handle := b.requests[by][string(m.Method)]
	switch {
	case by == translate.Client && b.link.Ended():
		b.refuse(m, calls.AgentEnded)
	case handle != nil:
		handle(m)
	case by == translate.Client:
		b.askSame(m, "")
	default:
		b.link.Ask(translate.Client, m, "", nil, calls.Request{Answered: b.answerTo("")})
	}
}

// unlessClosing returns a handler of requests that wait while their session is being closed.
func (b *Bridge) unlessClosing(handle calls.Handler) calls.Handler {
	return func(m *jsonrpc.Message) {
		if e := b.closings.Find(m.Session); e != nil {
			e.wait(m)
		} else {
			handle(m)
		}
	}
}

// notification handles a notification of a side.
func (b *Bridge) notification(by translate.Side, m *jsonrpc.Message) {
	if handle := b.notices[by][string(m.Method)]; handle != nil {
		handle(m)
		return
	}
	if by == translate.Agent {
		b.sessions.find(m.Session).spoke()
	}
	b.link.Forward()
}

// answered handles an answer of a side, readable or not. An answer may come after its
// request was given up. An answer to no request at all is a loss.
func (b *Bridge) answered(by translate.Side, m *jsonrpc.Message) {
	switch {
	case m.ID == nil || m.Method != nil || m.Ambiguous:
		b.loseMessage(m, by)
	case !b.link.Answered(by, m) && !b.link.Late(by, m):
		b.link.LoseOf(nil, translate.LossNoRequest, "it was dropped")
	}
}

// loseMessage drops a message of a side that cannot be read, or whose sessionId is too
// long. If it looks like a request it is refused.
func (p *peers) loseMessage(m *jsonrpc.Message, from translate.Side) {
	p.link.LoseOf(m.Session[:min(len(m.Session), maxID)], translate.LossUnreadableMessage, "a message that is no request, notification or response, or whose sessionId is too long, was dropped")
	if m.ID != nil && m.Method != nil {
		p.link.Refuse(from, m.ID, jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "Invalid request"})
	}
}

// cancelRequest handles $/cancel_request of the client.
func (b *Bridge) cancelRequest(m *jsonrpc.Message) {
	raw := calls.RequestID(m)
	id := jsonrpc.IDOf(raw)
	held := b.held.all()
	if i := slices.IndexFunc(held, func(r heldRequest) bool { return jsonrpc.IDOf(r.id) == id }); i >= 0 {
		b.held.remove(held[i])
		b.held.refuse(held[i].id, held[i].key, errCancelled.Raw())
		return
	}
	c := b.link.Sent(translate.Agent, raw)
	if c == nil {
		return
	}
	if t, ok := c.Asked.Of.(*turn); ok {
		t.withdraw()
	} else {
		b.link.Cancel(translate.Agent, c)
	}
}

// cancelQuestion handles $/cancel_request of the agent.
func (p *peers) cancelQuestion(m *jsonrpc.Message) {
	if c := p.link.Sent(translate.Client, calls.RequestID(m)); c != nil {
		p.link.Cancel(translate.Client, c)
	}
}

// Asked implements [versions.Bridge].
func (b *Bridge) Asked(id []byte, method, session string) {
	b.link.Adopt(id, calls.Request{Session: session, Answered: b.answerTo(method)})
}

// Next implements [translate.Stage].
func (b *Bridge) Next() time.Time { return b.timers.Next() }

// Wake inserts prompts that the agent has been silent about for a while, ends turns
// that were answered a moment ago, and closes sessions that the agent was given time
// to close.
func (b *Bridge) Wake(now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	b.timers.Fire(now, b.settle)
}

// Holds reports whether prompts wait for their turn, or requests for the end of
// their session.
func (b *Bridge) Holds() bool { return slices.ContainsFunc(b.held.all(), heldRequest.isNew) }

// RefuseHeld refuses the requests that wait, in the order in which they came.
func (b *Bridge) RefuseHeld(why string, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	e := jsonrpc.Error{Code: jsonrpc.RequestCancelled, Message: why}.Raw()
	for _, r := range b.held.all() {
		if r.isNew() {
			b.held.remove(r)
			b.held.refuse(r.id, r.key, e)
		}
	}
}

// Gone implements [translate.Stage]. When the agent has ended, turns end with an error, and
// whatever else the client waits for is refused, now and later.
func (b *Bridge) Gone(side translate.Side, now time.Time, out *translate.Out) {
	if side == translate.Client {
		return
	}
	b.link.Begin(now, out, nil)
	b.link.End()
	e := calls.AgentEnded.Raw()
	breakOff := func(t *turn) {
		b.held.refuseBehind(t.session, e)
		t.breakOff("error", e)
	}
	for _, s := range b.sessions.all.All() {
		if s.turn != nil && s.turn.answer != nil { // its call is open no more
			breakOff(s.turn)
		}
	}
	b.link.ForgetAll(translate.Agent, func(c *calls.Call) {
		if t, ok := c.Asked.Of.(*turn); ok {
			breakOff(t)
		} else {
			b.link.Refuse(translate.Client, c.ID, calls.AgentEnded)
		}
	})
	for _, e := range b.closings.All() {
		e.finish()
	}
	b.settle()
}
