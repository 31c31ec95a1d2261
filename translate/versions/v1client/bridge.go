// Package v1client joins a client of version 1 and an agent of version 2.
//
// The client's requests get the names and shapes of version 2, the agent's updates and
// requests get the names and shapes of version 1. Most of that is a matter of shapes,
// which package words has. What needs memory is in the session that it is about. Where to
// look:
//
//	bridge.go       which message goes where; updates.go the same for what the agent reports
//	requests.go     requests that need no memory, answers and errors
//	sessions.go     what is known of sessions; package keep bounds that
//	openings.go     new sessions, loaded ones, lists; closing.go their end
//	prompts.go      prompts; turns.go when they are answered; echoes.go the agent's
//	                copies of them; held.go what comes before the client knows the session
//	messages.go     messages, of which version 1 has only chunks
//	toolcalls.go    tool calls; contents.go what they show, with diff.go and terminals.go;
//	                collected.go when that is sent
//	subagents.go    subagents, which become tool calls; notices.go notices and compactions
//	permissions.go  permission requests; elicitation.go the other questions;
//	                questions.go those that the agent has cancelled
//	options.go      options, modes and models
package v1client

import (
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Options are what the two sides said in initialize.
type Options struct {
	Client words.V1Client
	Agent  words.V2Agent
}

// A Bridge is one connection after initialize. It implements [versions.Bridge].
type Bridge struct {
	versions.Everything
	options  Options
	link     link.Link
	budget   keep.Budget
	sessions keep.Map[*session]
	held     held
	made     int64 // ids of the bridge's own

	timers  link.Timers
	prompts map[jsonrpc.ID]*prompt // that the client waits for, by the id that it gave them

	// Memory that is used again:
	members [16]rawjson.Field // of a change of a tool call
	fields  [8]rawjson.Field  // of an item of its content
	content rawjson.Builder   // see contentMember
}

var _ versions.Bridge = (*Bridge)(nil)

// New returns the bridge for a connection.
func New(o Options) *Bridge {
	b := &Bridge{options: o, prompts: make(map[jsonrpc.ID]*prompt)}
	b.held.kept = b.budget.Open(0, nil)
	return b
}

// From implements [translate.Stage].
func (b *Bridge) From(side translate.Side, m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, m.Session)
	switch {
	case m.IsRequest():
		b.request(side, m)
	case m.IsNotification():
		b.notification(side, m)
	default:
		b.answered(side, m)
	}
	b.settle()
}

// settle has the oldest of what is kept go if it is too much.
func (b *Bridge) settle() {
	if b.budget.Settle() {
		b.link.Lose(translate.LossMemory, "too much is kept: the oldest was forgotten, or what is new left out")
	}
	b.content.Reset() // what is large is not kept
}

// request handles a request of a side.
func (b *Bridge) request(by translate.Side, m *jsonrpc.Message) {
	switch {
	case by == translate.Client && b.link.Ended():
		b.link.Refuse(by, m.ID, link.AgentEnded)
	case len(m.Session) > maxID:
		b.link.Lose(translate.LossUnreadableMessage, "refused a request of the "+by.String()+" whose sessionId is too long")
		b.link.Refuse(by, m.ID, errLongID)
	case b.link.Full(by.Other()):
		b.link.RefuseFull(by.Other(), m)
	case by == translate.Client:
		b.requestFromClient(m)
	case !b.holds(m):
		b.requestFromAgent(m)
	}
}

// requestFromClient handles a request of the client. Methods that are not here pass.
func (b *Bridge) requestFromClient(m *jsonrpc.Message) {
	switch method := string(m.Method); method {
	case "initialize":
		b.refuse(m, initializeAgain)
	case "authenticate":
		b.askSame(m, "auth/login")
	case "logout":
		b.askSame(m, "auth/logout")
	case "session/new", "session/fork":
		b.newSession(m)
	case "session/load", "session/resume":
		b.loadSession(m)
	case "session/list":
		b.ask(m, "", link.SameParams(m), b.passOn(translate.Client, words.SessionList))
	case "session/close", "session/delete":
		b.closeSession(m)
	case "session/prompt":
		b.prompt(m)
	case "session/set_mode":
		b.choose(m, "modeId", "mode")
	case "session/set_model":
		b.choose(m, "modelId", "model")
	case "session/set_config_option":
		b.setOption(m)
	default:
		b.askSame(m, method)
	}
}

// requestFromAgent handles a request of the agent. Methods that are not here pass.
func (b *Bridge) requestFromAgent(m *jsonrpc.Message) {
	switch string(m.Method) {
	case "session/request_permission":
		b.requestPermission(m)
	case "elicitation/create":
		b.createElicitation(m)
	case "fs/read_text_file", "fs/write_text_file",
		"terminal/create", "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release":
		b.link.Refuse(translate.Agent, m.ID, noMethod)
	default:
		b.link.Ask(translate.Client, m, "", nil, link.Request{Answered: b.passOn(translate.Agent, nil)})
	}
}

// notification handles a notification of a side. Methods that are not here pass, but not
// those of requests: nobody would answer them, and the other side may know them by another
// name only.
func (b *Bridge) notification(by translate.Side, m *jsonrpc.Message) {
	fromClient := by == translate.Client
	switch method := string(m.Method); {
	case method == "session/update" && !fromClient:
		b.sessionUpdate(m)
	case method == "session/cancel" && fromClient:
		b.cancelPrompts(m)
	case method == "$/cancel_request" && fromClient:
		b.cancelRequest(m)
	case method == "$/cancel_request":
		b.cancelQuestion(m)
	case (method == "elicitation/complete" || method == "auth/status_update") && !fromClient:
		b.tellSame(m)
	case isRequest(method):
		b.link.Lose(translate.LossNoID, "dropped a "+method+" of the "+by.String()+", which nobody would answer")
	default:
		b.link.Forward()
	}
}

// isRequest reports whether a method of either version that the bridge converts is one of
// requests.
func isRequest(method string) bool {
	switch method {
	case "initialize", "authenticate", "logout",
		"session/new", "session/fork", "session/load", "session/resume", "session/list", "session/close", "session/delete",
		"session/prompt", "session/set_mode", "session/set_model", "session/set_config_option",
		"session/request_permission", "elicitation/create", "fs/read_text_file", "fs/write_text_file",
		"terminal/create", "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release":
		return true
	}
	return false
}

// answered handles an answer of a side, readable or not. One that cannot be read becomes an
// error: its receiver must get one. To a request that was answered when its session was
// closed, or for the client, an answer may still come.
func (b *Bridge) answered(by translate.Side, m *jsonrpc.Message) {
	switch {
	case m.ID != nil && m.Method != nil:
		b.link.Refuse(by, m.ID, errAmbiguous)
		return
	case m.ID == nil:
		b.link.Lose(translate.LossUnreadableMessage, "dropped a message of the "+by.String()+" that is neither a request nor a response")
		return
	case !m.IsResponse(), m.Failed() && rawjson.Null(m.Error.Of(m.Text)):
		broken := jsonrpc.MessageOf(unreadable(by).Response(m.ID))
		m = &broken
	}
	if !b.link.Answered(by, m) && !b.link.Late(by, m) {
		b.link.Lose(translate.LossNoRequest, "dropped an answer of the "+by.String()+" to a request that nobody made")
	}
}

// Asked implements [versions.Bridge].
func (b *Bridge) Asked(id []byte, method, session string) {
	r := link.Request{Answered: b.passOn(translate.Agent, nil)}
	switch method {
	case "session/request_permission":
		r = b.aboutPermission(&permission{})
	case "elicitation/create":
		r = b.aboutForm()
	}
	r.Session = session
	b.link.Adopt(id, r)
}

// Gone implements [translate.Stage].
func (b *Bridge) Gone(side translate.Side, now time.Time, out *translate.Out) {
	if side == translate.Client {
		return
	}
	b.link.Begin(now, out, nil)
	b.link.End()
	for _, s := range b.sessions.All() {
		s.flush()
		s.gone()
	}
	b.link.ForgetAll(translate.Agent, func(c *link.Call) { b.link.Refuse(translate.Client, c.ID, link.AgentEnded) })
	b.link.ForgetAll(translate.Client, func(*link.Call) {})
	b.held.take(func(heldMessage) bool { return true })
}

// Next implements [translate.Stage].
func (b *Bridge) Next() time.Time {
	return link.Earliest(b.held.until, b.timers.Next())
}

// Wake implements [translate.Stage].
func (b *Bridge) Wake(now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	b.releaseAsked()
	b.timers.Fire(now, b.settle)
	b.settle()
}
