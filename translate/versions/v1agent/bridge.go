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
//	options.go      options; modes.go modes and models, which become options
package v1agent

import (
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
)

// Options are what the handshake found out. All fields must be set.
type Options struct {
	// Client is what the client's initialize says, see [words.InitializeToV1].
	Client words.V2Client

	// Agent is what the agent's answer to initialize says, see
	// [words.InitializeResultToV2].
	Agent words.V1Agent

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
	options  Options
	link     link.Link
	sessions *sessions
	held     heldRequests
	timers   link.Timers
	closings keep.Map[*closing] // by the id of the session
	early    bool               // the agent lists providers as those of May and June 2026 do
}

var _ interface {
	versions.Bridge
	translate.Holder
} = (*Bridge)(nil)

// New returns a Bridge for a connection that has been initialized.
func New(o Options) *Bridge {
	b := &Bridge{options: o}
	b.sessions = newSessions(&b.link)
	b.held = heldRequests{kept: b.sessions.beside, behind: make(map[any][]heldRequest)}
	return b
}

// From implements [translate.Stage].
func (b *Bridge) From(side translate.Side, m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, m.Session)
	switch fromClient := side == translate.Client; {
	case len(m.Session) > maxID:
		b.loseMessage(m, side)
	case m.IsRequest() && b.link.Full(side.Other()):
		b.link.RefuseFull(side.Other(), m)
	case m.IsRequest() && fromClient:
		b.requestFromClient(m)
	case m.IsRequest():
		b.requestFromAgent(m)
	case m.IsNotification() && fromClient:
		b.noticeFromClient(m)
	case m.IsNotification():
		b.noticeFromAgent(m)
	default:
		b.answered(side, m)
	}
	b.settle()
}

// settle does what the message, or the time that has passed, makes possible, and has the
// oldest of what is kept go if it is too much.
func (b *Bridge) settle() {
	b.finishIdle()
	for r, ok := b.held.next(); ok; r, ok = b.held.next() {
		b.goOn(r)
		b.finishIdle()
	}
	if b.sessions.budget.Settle() {
		b.link.Lose(translate.LossMemory, "too much is kept: the oldest was forgotten, or what is new left out")
	}
}

// goOn handles a request that has waited. There is room for its call: what waits is bounded.
func (b *Bridge) goOn(r heldRequest) {
	m := jsonrpc.MessageOf(r.text)
	if s, isPrompt := r.behind.(*session); isPrompt {
		b.start(s, &m, r.key)
	} else {
		b.requestFromClient(&m)
	}
}

// requestFromClient handles a request of the client. Methods that neither version has pass.
func (b *Bridge) requestFromClient(m *jsonrpc.Message) {
	if b.link.Ended() {
		b.refuse(m, link.AgentEnded)
		return
	}
	switch method := string(m.Method); method {
	case "initialize":
		b.refuse(m, errInitialized)
	case "auth/login":
		b.askSame(m, "authenticate")
	case "auth/logout":
		if b.options.Agent.Logout {
			b.askSame(m, "logout")
		} else {
			b.refuse(m, noMethod(method))
		}
	case "session/new":
		b.newSession(m)
	case "session/list":
		b.listSessions(m)
	case "session/fork", "session/resume", "session/close", "session/delete", "session/prompt", "session/set_config_option":
		if m.Session == nil {
			b.refuse(m, invalid("no sessionId"))
		} else {
			b.requestOfSession(m)
		}
	case "tool_call/cancel", "terminal/cancel":
		// The client was never told that anything can be cancelled by itself.
		b.refuse(m, invalid("it cannot be cancelled by itself"))
	case "authenticate", "logout", "session/load", "session/set_mode", "session/set_model":
		b.refuse(m, noMethod(method))
	default:
		b.askSame(m, "")
	}
}

// requestOfSession handles a request that names a session.
func (b *Bridge) requestOfSession(m *jsonrpc.Message) {
	closing := b.closings.Find(m.Session)
	switch method := string(m.Method); {
	case method == "session/fork":
		b.newSession(m)
	case method == "session/set_config_option":
		b.setOption(m)
	case method == "session/prompt" && closing != nil:
		b.refuse(m, noSession(m.Session))
	case method == "session/prompt":
		b.prompt(m)
	case closing != nil:
		b.wait(closing, m)
	case method == "session/resume":
		b.resumeSession(m)
	case method == "session/close":
		b.closeSession(m)
	default:
		b.deleteSession(m)
	}
}

func (b *Bridge) noticeFromClient(m *jsonrpc.Message) {
	switch string(m.Method) {
	case "session/cancel":
		b.cancelPrompts(m)
	case "$/cancel_request":
		b.cancelRequest(m)
	default:
		b.link.Forward()
	}
}

func (b *Bridge) requestFromAgent(m *jsonrpc.Message) {
	b.spoke(b.sessions.find(m.Session))
	switch string(m.Method) {
	case "session/request_permission":
		b.requestPermission(m)
	case "elicitation/create":
		b.createElicitation(m)
	case "fs/read_text_file", "fs/write_text_file",
		"terminal/create", "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release":
		b.notInV2(m)
	default:
		b.link.Ask(translate.Client, m, "", nil, link.Request{Answered: b.answerTo("")})
	}
}

func (b *Bridge) noticeFromAgent(m *jsonrpc.Message) {
	switch string(m.Method) {
	case "session/update":
		b.sessionUpdate(m)
	case "$/cancel_request":
		if c := b.link.Sent(translate.Client, link.RequestID(m)); c != nil {
			b.link.Cancel(translate.Client, c)
		}
	case "elicitation/complete", "auth/status_update":
		b.passed(m)
	default:
		b.spoke(b.sessions.find(m.Session))
		b.link.Forward()
	}
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
func (b *Bridge) loseMessage(m *jsonrpc.Message, from translate.Side) {
	b.link.LoseOf(m.Session[:min(len(m.Session), maxID)], translate.LossUnreadableMessage, "a message that is no request, notification or response, or whose sessionId is too long, was dropped")
	if m.ID != nil && m.Method != nil {
		b.link.Refuse(from, m.ID, link.Error{Code: link.InvalidRequest, Message: "Invalid request"})
	}
}

// cancelRequest handles $/cancel_request of the client.
func (b *Bridge) cancelRequest(m *jsonrpc.Message) {
	raw := link.RequestID(m)
	id := jsonrpc.IDOf(raw)
	held := b.held.all()
	if i := slices.IndexFunc(held, func(r heldRequest) bool { return jsonrpc.IDOf(r.id) == id }); i >= 0 {
		b.held.remove(held[i])
		b.refusePrompt(held[i].id, held[i].key, errCancelled.Raw())
		return
	}
	c := b.link.Sent(translate.Agent, raw)
	if c == nil {
		return
	}
	if t, ok := c.Asked.Of.(*turn); ok {
		b.withdraw(t)
	} else {
		b.link.Cancel(translate.Agent, c)
	}
}

// Asked implements [versions.Bridge].
func (b *Bridge) Asked(id []byte, method, session string) {
	b.link.Adopt(id, link.Request{Session: session, Answered: b.answerTo(method)})
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
	e := link.Error{Code: link.RequestCancelled, Message: why}.Raw()
	for _, r := range b.held.all() {
		if r.isNew() {
			b.held.remove(r)
			b.refusePrompt(r.id, r.key, e)
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
	e := link.AgentEnded.Raw()
	breakOff := func(t *turn) {
		b.refuseHeld(t.session, e)
		b.breakOff(t, "error", e)
	}
	for _, s := range b.sessions.all.All() {
		if s.turn != nil && s.turn.answer != nil { // its call is open no more
			breakOff(s.turn)
		}
	}
	b.link.ForgetAll(translate.Agent, func(c *link.Call) {
		if t, ok := c.Asked.Of.(*turn); ok {
			breakOff(t)
		} else {
			b.link.Refuse(translate.Client, c.ID, link.AgentEnded)
		}
	})
	for _, e := range b.closings.All() {
		b.finish(e)
	}
	b.settle()
}
