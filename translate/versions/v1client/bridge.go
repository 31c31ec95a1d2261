// Package v1client joins a client of version 1 and an agent of version 2.
//
// The client's requests are converted to version 2, the agent's updates and requests to
// version 1. Package shapes converts single objects; conversions that depend on earlier
// messages use the state of their session. The documentation of package versions has the rules.
//
//	bridge.go       dispatch of messages; updates.go dispatch of session updates
//	requests.go     requests without state, responses and errors
//	sessions.go     the state of sessions, which package keep bounds
//	openings.go     new sessions, loaded ones, lists; closing.go their end
//	prompts.go      prompts; turns.go the end of turns; echoes.go the agent's
//	                copies of prompts; early.go updates of sessions unknown to the client;
//	                buffer.go buffered messages
//	messages.go     messages, sent as chunks
//	toolcalls.go    tool calls; contents.go their content, with diff.go and terminals.go;
//	                delays.go delays content
//	subagents.go    subagents, shown as tool calls; notices.go notices and compactions
//	permissions.go  permission requests; elicitation.go forms;
//	                questions.go cancelled ones
//	options.go      options; package selectors adds modes
package v1client

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

// Options are the facts that the bridge keeps of initialize.
type Options struct {
	Client shapes.V1Client
	Agent  shapes.V2Agent
}

// A Bridge is one connection after initialize. It implements [versions.Bridge].
type Bridge struct {
	versions.Everything
	options  Options
	link     calls.Link
	budget   keep.Budget
	sessions keep.Map[*session]
	early    earlyMessages
	ids      ids

	timers  calls.Timers
	prompts map[jsonrpc.ID]*prompt // pending prompts of the client, by the client's ids

	// Scratch memory:
	members [16]rawjson.Field // of a change or an item of a tool call, or of a result
	content rawjson.Builder   // see contentMember
}

var _ versions.Bridge = (*Bridge)(nil)

// New returns the bridge for a connection.
func New(o Options) *Bridge {
	b := &Bridge{options: o, prompts: make(map[jsonrpc.ID]*prompt)}
	b.early.bridge = b
	b.early.share = b.budget.Open(0, nil)
	b.route()
	return b
}

// Receive implements [translate.Stage].
func (b *Bridge) Receive(side translate.Side, m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, m.Session)
	if side == translate.Client || !b.early.hold(m) {
		b.link.Dispatch(side, m)
	}
	b.settle()
}

// settle evicts state if the budget is exhausted.
func (b *Bridge) settle() {
	if b.budget.EvictExcess() {
		b.link.Lose(translate.LossMemory, "memory limit: state was evicted, or new state was refused")
	}
	b.content.Reset() // releases large memory
}

// route adds the handlers of the methods that the bridge converts.
func (b *Bridge) route() {
	request := b.link.Requests.From(translate.Client)
	request(b.newSession, "session/new", "session/fork")
	request(b.loadSession, "session/load", "session/resume")
	request(func(m *jsonrpc.Message) { b.ask(m, "", nil, b.resultAs(translate.Client, shapes.SessionList)) }, "session/list")
	request(b.closeSession, "session/close", "session/delete")
	request(b.prompt, "session/prompt")
	request(b.setOption, "session/set_config_option")
	// Package selectors converts requests for choices that the session has.
	request(func(m *jsonrpc.Message) { b.refuse(m, errNoChoice) }, "session/set_mode", "session/set_model")
	request(func(m *jsonrpc.Message) { b.askSame(m, "auth/login") }, "authenticate")
	request(func(m *jsonrpc.Message) { b.askSame(m, "auth/logout") }, "logout")
	request(func(m *jsonrpc.Message) { b.askSame(m, string(m.Method)) }, "")

	question := b.link.Requests.From(translate.Agent)
	question(b.requestPermission, "session/request_permission")
	question(b.createElicitation, "elicitation/create")
	question(func(m *jsonrpc.Message) { b.link.Refuse(translate.Agent, m.ID, errNoMethod) }, calls.ClientMethods()...)
	question(func(m *jsonrpc.Message) {
		b.link.Ask(translate.Client, m, "", nil, calls.Request{OnResponse: b.resultAs(translate.Agent, nil)})
	}, "")

	notice := b.link.Notifications.From(translate.Client)
	notice(b.cancelPrompts, "session/cancel")
	notice(b.cancelRequest, "$/cancel_request")

	notice = b.link.Notifications.From(translate.Agent)
	notice(b.sessionUpdate, "session/update")
	notice(b.cancelQuestion, "$/cancel_request")
	notice(func(m *jsonrpc.Message) { b.link.NotifyAs(m, shapes.Shared(string(m.Method)).ToV1) }, "elicitation/complete", "auth/status_update")
}

// Adopt implements [versions.Bridge].
func (b *Bridge) Adopt(id []byte, method, session string) {
	r := calls.Request{OnResponse: b.resultAs(translate.Agent, nil)}
	switch method {
	case "session/request_permission":
		r = (&permission{link: &b.link}).request()
	case "elicitation/create":
		r = b.formRequest()
	}
	r.Session = session
	b.link.Pending[translate.Client].Adopt(id, r)
}

// PeerClosed implements [translate.Stage].
func (b *Bridge) PeerClosed(side translate.Side, now time.Time, out *translate.Out) {
	if side == translate.Client {
		return
	}
	b.link.Begin(now, out, nil)
	b.link.Ended = true
	for _, s := range b.sessions.All() {
		s.flush(anyContent)
		for _, p := range s.turns.pending {
			if p.agentAnswered { // the others are pending at the agent, and refused with all such requests
				b.link.Refuse(translate.Client, p.id, calls.ErrAgentEnded)
			}
		}
		s.turns.pending = nil
	}
	b.link.DropPending()
	b.early.take(func(earlyKey) bool { return true })
}

// NextWake implements [translate.TimedStage].
func (b *Bridge) NextWake() time.Time {
	return b.timers.Next()
}

// Wake implements [translate.TimedStage].
func (b *Bridge) Wake(now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	b.timers.Fire(now, b.settle)
}
