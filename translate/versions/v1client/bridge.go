// Package v1client joins a client of version 1 and an agent of version 2.
//
// The client's requests get the names and shapes of version 2, the agent's updates and
// requests get the names and shapes of version 1. Most of that is a matter of shapes,
// which package words has. What needs memory is a type of its own, which does not know
// the Bridge. Where to look:
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
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
)

// Options are what the two sides said in initialize.
type Options struct {
	Client words.V1Client
	Agent  words.V2Agent
}

// A Bridge is one connection after initialize. It implements [versions.Bridge].
type Bridge struct {
	versions.Everything
	options   Options
	link      link.Link
	budget    keep.Budget
	sessions  sessions
	held      held
	prompts   prompts
	openings  openings
	shared    shared
	subagents subagents // that the client is shown as tool calls
	questions questions
	ids       ids
	choices   choices

	// What becomes of a message. Methods that are not here pass. A method of a request
	// is dropped if it comes as a notification: nobody would answer it, and the other
	// side may know it by another name only.
	requests, notices [2]map[string]func(*jsonrpc.Message) // by their sender
	updates           map[string]*row
}

var _ versions.Bridge = (*Bridge)(nil)

// New returns the bridge for a connection.
func New(o Options) *Bridge {
	b := &Bridge{options: o}
	b.sessions = sessions{
		link: &b.link, budget: &b.budget, shared: &b.shared, subagents: &b.subagents, convention: o.Client.TerminalOutput,
	}
	b.held.kept = b.budget.Open(0, nil)
	b.prompts = prompts{link: &b.link, sessions: &b.sessions}
	b.choices = choices{link: &b.link, sessions: &b.sessions, toV1: words.OptionsToV1(o.Client.Booleans)}
	b.openings = openings{link: &b.link, options: o, sessions: &b.sessions, choices: &b.choices, prompts: &b.prompts}
	b.shared.link, b.shared.subagents = &b.link, &b.subagents
	b.subagents = subagents{link: &b.link, sessions: &b.sessions, known: o.Client.Subagents}
	b.questions = questions{link: &b.link, sessions: &b.sessions, subagents: &b.subagents, ids: &b.ids}
	b.requests[translate.Client], b.notices[translate.Client] = b.requestsFromClient(), b.notificationsFromClient()
	b.requests[translate.Agent], b.notices[translate.Agent] = b.requestsFromAgent(), b.notificationsFromAgent()
	b.updates = b.updateRows()
	return b
}

func (b *Bridge) requestsFromClient() map[string]func(*jsonrpc.Message) {
	return map[string]func(*jsonrpc.Message){
		"initialize":                b.refused(translate.Client, initializeAgain),
		"authenticate":              b.same("auth/login"),
		"logout":                    b.same("auth/logout"),
		"session/new":               b.newSession,
		"session/fork":              b.newSession,
		"session/load":              b.openings.loadSession,
		"session/resume":            b.openings.loadSession,
		"session/list":              b.openings.listSessions,
		"session/close":             b.openings.closeSession,
		"session/delete":            b.openings.closeSession,
		"session/prompt":            b.prompts.prompt,
		"session/set_mode":          b.choices.setMode,
		"session/set_model":         b.choices.setModel,
		"session/set_config_option": b.choices.setOption,
	}
}

func (b *Bridge) notificationsFromClient() map[string]func(*jsonrpc.Message) {
	return map[string]func(*jsonrpc.Message){
		"session/cancel":   b.prompts.cancelPrompts,
		"$/cancel_request": b.prompts.cancelRequest,
	}
}

func (b *Bridge) requestsFromAgent() map[string]func(*jsonrpc.Message) {
	notInV2 := b.refused(translate.Agent, noMethod)
	return map[string]func(*jsonrpc.Message){
		"session/request_permission": b.questions.requestPermission,
		"elicitation/create":         b.questions.createElicitation,
		"fs/read_text_file":          notInV2,
		"fs/write_text_file":         notInV2,
		"terminal/create":            notInV2,
		"terminal/output":            notInV2,
		"terminal/wait_for_exit":     notInV2,
		"terminal/kill":              notInV2,
		"terminal/release":           notInV2,
	}
}

func (b *Bridge) notificationsFromAgent() map[string]func(*jsonrpc.Message) {
	return map[string]func(*jsonrpc.Message){
		"session/update":       b.sessionUpdate,
		"$/cancel_request":     b.cancelQuestion,
		"elicitation/complete": b.passed,
		"auth/status_update":   b.passed,
	}
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
}

// notification handles a notification of a side.
func (b *Bridge) notification(by translate.Side, m *jsonrpc.Message) {
	switch handle := b.notices[by][string(m.Method)]; {
	case handle != nil:
		handle(m)
	case b.requests[by][string(m.Method)] != nil:
		b.link.Lose(translate.LossNoID, "dropped a "+string(m.Method)+" of the "+by.String()+", which nobody would answer")
	default:
		b.link.Forward()
	}
}

// request handles a request of a side.
func (b *Bridge) request(by translate.Side, m *jsonrpc.Message) {
	switch handle := b.requests[by][string(m.Method)]; {
	case by == translate.Client && b.link.Ended():
		b.link.Refuse(translate.Client, m.ID, link.AgentEnded)
	case b.refuses(by.Other(), m):
	case by == translate.Agent && b.holds(m):
	case handle != nil:
		handle(m)
	case by == translate.Client:
		askSame(&b.link, m, string(m.Method))
	default:
		b.link.Ask(translate.Client, m, "", nil, link.Request{Answered: passedToAgent(&b.link)})
	}
}

// refuses refuses a request to a side that names a session by a long id, or that is one
// too many. It reports whether it has.
func (b *Bridge) refuses(to translate.Side, m *jsonrpc.Message) bool {
	switch {
	case len(m.Session) > maxID:
		b.link.Lose(translate.LossUnreadableMessage, "refused a request of the "+to.Other().String()+" whose sessionId is too long")
		b.link.Refuse(to.Other(), m.ID, errLongID)
	case b.link.Full(to):
		b.link.RefuseFull(to, m)
	default:
		return false
	}
	return true
}

// answered handles an answer of a side, readable or not.
func (b *Bridge) answered(by translate.Side, m *jsonrpc.Message) {
	switch {
	case m.ID != nil && m.Method != nil:
		b.link.Refuse(by, m.ID, errAmbiguous)
	case m.ID == nil:
		b.link.Lose(translate.LossUnreadableMessage, "dropped a message of the "+by.String()+" that is neither a request nor a response")
	case by == translate.Agent:
		b.agentAnswered(m)
	default:
		b.clientAnswered(m)
	}
}

// agentAnswered handles an answer to a request of the client. One that cannot be read
// becomes an error: the client must get one. To a request that was answered when its
// session was closed, an answer may still come.
func (b *Bridge) agentAnswered(m *jsonrpc.Message) {
	if !m.IsResponse() {
		broken := jsonrpc.Message{ID: m.ID, Text: []byte(`{"code":-32603,"message":"the agent's answer cannot be read"}`)}
		broken.Error = jsonrpc.Span{Start: 0, End: len(broken.Text)}
		m = &broken
	}
	if !b.link.Answered(translate.Agent, m) && !b.link.Late(translate.Agent, m) {
		b.link.Lose(translate.LossNoRequest, "dropped an answer of the agent to a request that nobody made")
	}
}

// clientAnswered handles an answer to a request of the agent.
func (b *Bridge) clientAnswered(m *jsonrpc.Message) {
	if !b.link.Answered(translate.Client, m) {
		b.link.Lose(translate.LossNoRequest, "dropped an answer of the client to a request that nobody made, or that was answered")
	}
}

// holds keeps a message of the agent for a session that the client has not heard of
// yet. It reports whether it has.
func (b *Bridge) holds(m *jsonrpc.Message) bool {
	if b.held.opening == 0 || m.Session == nil || b.sessions.find(string(m.Session)) != nil || b.subagents.of(m.Session) != nil {
		return false
	}
	if b.held.hold(m, b.link.Now()) {
		return true
	}
	b.release(func(heldMessage) bool { return true })
	return false
}

// release converts messages that were held, and those of the subagents that they
// announce. What comes of their sessions later is not held.
func (b *Bridge) release(which func(heldMessage) bool) {
	for _, h := range b.held.release(which) {
		b.sessions.get([]byte(h.session))
		b.convertHeld(h.text)
	}
	announced := func(h heldMessage) bool { return b.subagents.of([]byte(h.session)) != nil }
	if slices.ContainsFunc(b.held.messages, announced) {
		b.release(announced)
	}
}

// newSession handles session/new and session/fork.
func (b *Bridge) newSession(m *jsonrpc.Message) {
	params, cwd, ok := b.openings.newSession(m)
	if !ok {
		return
	}
	b.held.opening++
	if !b.held.kept.Fix(len(cwd)) {
		cwd = ""
	}
	b.link.Ask(translate.Agent, m, "", params, link.Request{
		Answered: func(c *link.Call, m *jsonrpc.Message) { b.sessionOpened(c, m, cwd) },
	})
}

// sessionOpened handles the answer to session/new or session/fork, for a session in
// that directory.
func (b *Bridge) sessionOpened(c *link.Call, m *jsonrpc.Message, cwd string) {
	b.held.opening--
	b.held.kept.Free(len(cwd))
	if s, o := b.openings.sessionOpened(c, m, cwd); s != nil {
		b.release(func(h heldMessage) bool { return h.session == s.id })
		b.openings.tellCommands(s, o)
	}
	if b.held.opening == 0 {
		b.release(func(heldMessage) bool { return true })
	}
}

// cancelQuestion handles $/cancel_request of the agent.
func (b *Bridge) cancelQuestion(m *jsonrpc.Message) {
	id := link.RequestID(m)
	if held, ok := b.held.withdraw(id); ok {
		b.questions.dismiss(&held)
	} else if c := b.link.Sent(translate.Client, id); c != nil {
		b.questions.cancel(c)
	}
}

// convertHeld converts a message that was held.
func (b *Bridge) convertHeld(text []byte) {
	if m := link.MessageOf(text); m.IsRequest() {
		b.request(translate.Agent, &m)
	} else {
		b.convert(link.ReadHeld(text))
	}
}

// Asked implements [versions.Bridge].
func (b *Bridge) Asked(id []byte, method, session string) {
	r := link.Request{Answered: passedToAgent(&b.link)}
	switch method {
	case "session/request_permission":
		r = b.questions.aboutPermission(&permission{})
	case "elicitation/create":
		r = b.questions.aboutForm()
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
	gone := link.AgentEnded
	for _, s := range b.sessions.all.All() {
		s.toolCalls.flush()
		b.prompts.gone(s, gone)
	}
	b.link.ForgetAll(translate.Agent, func(c *link.Call) { b.link.Refuse(translate.Client, c.ID, gone) })
	b.link.ForgetAll(translate.Client, func(*link.Call) {})
	b.held.gone()
}

// Next implements [translate.Stage].
func (b *Bridge) Next() time.Time {
	return link.Earliest(b.held.until, b.shared.next(), b.prompts.next(), b.questions.next())
}

// Wake implements [translate.Stage].
func (b *Bridge) Wake(now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	if asked := b.held.asked(now); asked != nil {
		b.release(func(h heldMessage) bool { return asked[h.session] })
	}
	b.shared.flushDue()
	b.prompts.wake()
	b.questions.wake()
	b.settle()
}
