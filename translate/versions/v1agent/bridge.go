// Package v1agent joins a client of version 2 and an agent of version 1.
//
// Version 2 reports more than version 1: the insertion of a prompt, the state of a session,
// the message of a chunk, the end of a tool call. The bridge derives these from the agent's
// messages, and keeps state for each session. The documentation of package versions has the
// rules.
//
//	bridge.go       dispatch of messages; updates.go dispatch of session updates
//	requests.go     requests without state, responses and errors
//	sessions.go     the state of sessions, which package keep bounds
//	openings.go     new sessions, resumed ones, lists; closing.go their end
//	prompts.go      prompts; turns.go their turns, states.go the reported states;
//	                queue.go queued requests,
//	                echoes.go agents that repeat the prompt
//	messages.go     messages, which get ids; replays.go the history of a loaded session
//	toolcalls.go    tool calls, with diff.go and terminals.go
//	questions.go    questions of the agent: permissions.go, elicitation.go
//	options.go      requests that set options; package selectors converts modes and models
package v1agent

import (
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Options are the facts that the bridge keeps of initialize. All fields must be set.
type Options struct {
	// Client are the facts of the client's initialize, see [shapes.InitializeToV1].
	Client shapes.V2Client

	// Agent are the facts of the agent's result, see [shapes.InitializeResultToV2].
	Agent shapes.V1Agent

	// Options returns the options of a session for the client in version 1, see
	// [selectors.Stage.Options].
	Options func(session []byte) []byte

	// NewID returns a new unique id of a message.
	NewID func() string
}

// A Bridge is a [versions.Bridge] between a client of version 2 and an agent of version 1.
//
// Its state is bounded, see package keep. Beyond a limit, the translation gets worse, or the Bridge
// refuses a request; the connection continues.
type Bridge struct {
	versions.Everything
	options Options
	link    calls.Link
	timers  calls.Timers

	budget   keep.Budget
	share    *keep.Share // of the state that belongs to no session
	sessions keep.Map[*session]
	closed   keep.Map[struct{}] // ids of closed sessions that the agent has not confirmed since, see confirm

	queue      []*queuedRequest // queued requests of the client, the earliest first
	mayBeReady bool             // a turn or a closing has ended since the last call of nextQueued

	members [16]rawjson.Field // of a result
}

var _ versions.Bridge = (*Bridge)(nil)

// New returns the bridge of a connection after initialize.
func New(o Options) *Bridge {
	b := &Bridge{options: o}
	b.share = b.budget.Open(0, nil)
	b.route()
	return b
}

// Receive implements [translate.Stage].
func (b *Bridge) Receive(side translate.Side, m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, m.Session)
	if s := b.sessions.Find(m.Session); s != nil && s.turn != nil && side == translate.Agent && m.Method != nil {
		if m.ID != nil || !s.replay.hasHistory() { // a replayed update is older than the prompt
			s.turn.insert()
		}
	}
	b.link.Dispatch(side, m)
	b.settle()
}

// settle processes the queued requests that are ready, and evicts state beyond the limits.
func (b *Bridge) settle() {
	for r := b.nextQueued(); r != nil; r = b.nextQueued() {
		// start does not check calls.MaxOpen, because the number of queued requests is bounded.
		m := jsonrpc.MessageOf(r.text)
		if r.prompt != nil {
			b.start(r.session, &m, r.prompt)
		} else {
			b.link.Dispatch(translate.Client, &m)
		}
	}
	if b.budget.EvictExcess() {
		b.link.Lose(translate.LossMemory, "memory limit: state was evicted, or new state was refused")
	}
}

// route adds the handlers of the methods that the bridge converts. Other messages are forwarded.
func (b *Bridge) route() {
	request := b.link.Requests.From(translate.Client)
	request(b.newSession, "session/new")
	request(b.listSessions, "session/list")
	request(b.askSame("authenticate"), "auth/login")
	// The bridge announces no such capability.
	request(func(m *jsonrpc.Message) { b.refuse(m, calls.InvalidParams("it cannot be cancelled by itself")) }, "tool_call/cancel", "terminal/cancel")
	request(b.notFound, "authenticate", "logout", "session/load", "session/set_mode", "session/set_model", "session/delete", "auth/logout")
	withSession := func(handle calls.Handler, method string) {
		request(func(m *jsonrpc.Message) {
			if m.Session == nil {
				b.refuse(m, calls.InvalidParams("no sessionId"))
			} else {
				handle(m)
			}
		}, method)
	}
	request(b.askSame(""), "")
	withSession(b.newSession, "session/fork")
	withSession(b.setOption, "session/set_config_option")
	withSession(b.prompt, "session/prompt")
	withSession(b.unlessClosing(b.resumeSession), "session/resume")
	withSession(b.unlessClosing(b.closeSession), "session/close")
	if b.options.Agent.Delete {
		withSession(b.unlessClosing(b.endSession), "session/delete")
	}
	if b.options.Agent.Logout {
		request(b.askSame("logout"), "auth/logout")
	}

	question := b.link.Requests.From(translate.Agent)
	question(b.requestPermission, "session/request_permission")
	question(b.createElicitation, "elicitation/create")
	question(b.refuseToAgent, calls.ClientMethods()...)
	question(func(m *jsonrpc.Message) {
		b.link.Ask(translate.Client, m, "", nil, calls.Request{OnResponse: b.answerTo("")})
	}, "")

	notice := b.link.Notifications.From(translate.Client)
	notice(b.cancelPrompts, "session/cancel")
	notice(b.cancelRequest, "$/cancel_request")

	notice = b.link.Notifications.From(translate.Agent)
	notice(b.sessionUpdate, "session/update")
	notice(b.cancelQuestion, "$/cancel_request")
	notice(func(m *jsonrpc.Message) { b.link.NotifyAs(m, shapes.Shared(string(m.Method)).ToV2) }, "elicitation/complete", "auth/status_update")
}

// cancelRequest forwards $/cancel_request of the client.
func (b *Bridge) cancelRequest(m *jsonrpc.Message) {
	raw := translate.RequestID(m)
	id := jsonrpc.IDOf(raw)
	if r := b.takeQueued(func(r *queuedRequest) bool { return jsonrpc.IDOf(r.id) == id }); r != nil {
		b.refuseWithRepeats(r.id, r.prompt, calls.ErrCancelled.Raw())
		return
	}
	c := b.link.Pending[translate.Agent].FindSent(raw)
	if c == nil {
		return
	}
	if t, ok := c.Request.Tag.(*turn); ok {
		t.withdraw()
	} else {
		b.link.Cancel(translate.Agent, c)
	}
}

// cancelQuestion forwards $/cancel_request of the agent.
func (b *Bridge) cancelQuestion(m *jsonrpc.Message) {
	if c := b.link.Pending[translate.Client].FindSent(translate.RequestID(m)); c != nil {
		b.link.Cancel(translate.Client, c)
	}
}

// Adopt implements [versions.Bridge].
func (b *Bridge) Adopt(id []byte, method, session string) {
	b.link.Pending[translate.Client].Adopt(id, calls.Request{Session: session, OnResponse: b.answerTo(method)})
}

// NextWake implements [translate.TimedStage].
func (b *Bridge) NextWake() time.Time { return b.timers.Next() }

// Wake fires the timers: it acknowledges prompts of silent agents, ends answered turns, and
// ends sessions that the agent had time to close.
func (b *Bridge) Wake(now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	b.timers.Fire(now, b.settle)
}

// HasQueued reports whether prompts or other requests are queued.
func (b *Bridge) HasQueued() bool { return len(b.queue) > 0 }

// RefuseQueued refuses the queued requests, in order.
func (b *Bridge) RefuseQueued(why string, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	b.refuseEachQueued(func(*queuedRequest) bool { return true }, jsonrpc.Error{Code: jsonrpc.RequestCancelled, Message: why}.Raw())
}

// PeerClosed implements [translate.Stage]. After the end of the agent, turns end with an error, and
// all other requests of the client are refused.
func (b *Bridge) PeerClosed(side translate.Side, now time.Time, out *translate.Out) {
	if side == translate.Client {
		return
	}
	b.link.Begin(now, out, nil)
	b.link.Ended = true
	e := calls.ErrAgentEnded.Raw()
	for _, s := range b.sessions.All() {
		if s.turn != nil {
			b.refuseEachQueued(isPromptOf(s), e)
			s.turn.endWithoutResult("error", e)
		}
		if s.closing != nil {
			s.closing.finish()
		}
	}
	b.link.DropPending()
	b.settle()
}
