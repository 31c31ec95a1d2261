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
//	providers.go    providers of models
package v1agent

import (
	"slices"
	"time"

	"acp-plan-proxy/translate"
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
	agent     words.V1Agent
	link      link.Link
	sessions  *sessions
	openings  openings
	closings  closings
	held      held
	prompts   prompts
	messages  messages
	questions questions

	choices   choices
	providers providers
	updates   map[string]row // what becomes of the agent's
}

var _ interface {
	versions.Bridge
	translate.Holder
} = (*Bridge)(nil)

// New returns a Bridge for a connection that has been initialized.
func New(o Options) *Bridge {
	b := &Bridge{agent: o.Agent}
	b.sessions = newSessions(&b.link)
	b.messages = messages{newID: o.NewID}
	b.prompts = prompts{link: &b.link, sessions: b.sessions, held: &b.held, newID: o.NewID}
	b.questions = questions{link: &b.link, sessions: b.sessions}
	b.openings = openings{link: &b.link, client: o.Client, agent: o.Agent, sessions: b.sessions}
	b.choices = choices{link: &b.link, sessions: b.sessions}
	b.providers = providers{link: &b.link}
	b.closings = closings{
		link: &b.link, agent: o.Agent, sessions: b.sessions, prompts: &b.prompts, held: &b.held,
	}
	b.updates = b.updateRows()
	return b
}

// From implements [translate.Stage].
func (b *Bridge) From(side translate.Side, m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, m.Session)
	switch fromClient := side == translate.Client; {
	case len(m.Session) > maxID:
		b.loseMessage(m, side)
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
	for b.closings.settle(); len(b.closings.ready) > 0; b.closings.settle() {
		m := link.MessageOf(b.closings.ready[0])
		b.closings.ready = b.closings.ready[1:]
		b.requestFromClient(&m)
	}
	if b.sessions.budget.Settle() {
		b.link.Lose(translate.LossMemory, "too much is kept: the oldest was forgotten, or what is new left out")
	}
}

// requestFromClient handles a request of the client. Methods that neither version has pass.
func (b *Bridge) requestFromClient(m *jsonrpc.Message) {
	if b.link.Ended() {
		b.link.Refuse(translate.Client, m.ID, link.AgentEnded)
		return
	}
	switch method := string(m.Method); method {
	case "initialize":
		b.link.Refuse(translate.Client, m.ID, errInitialized)
	case "auth/login":
		askSame(&b.link, m, "authenticate", link.SameParams(m))
	case "auth/logout":
		b.logOut(m)
	case "auth/status", "session/archive", "session/unarchive", "session/status", "session/set_title":
		askSame(&b.link, m, "", link.SameParams(m))
	case "session/new":
		b.openings.newSession(m)
	case "session/list":
		b.openings.listSessions(m)
	case "session/fork", "session/resume", "session/close", "session/delete", "session/prompt", "session/set_config_option":
		if m.Session == nil {
			b.link.Refuse(translate.Client, m.ID, invalid("no sessionId"))
		} else {
			b.requestOfSession(m)
		}
	case "providers/list":
		b.providers.list(m)
	case "providers/set", "providers/disable":
		b.providers.ask(m)
	case "tool_call/cancel", "terminal/cancel":
		// The client was never told that anything can be cancelled by itself.
		b.link.Refuse(translate.Client, m.ID, invalid("it cannot be cancelled by itself"))
	case "authenticate", "logout", "session/load", "session/set_mode", "session/set_model":
		b.link.Refuse(translate.Client, m.ID, noMethod(method))
	default:
		b.link.Ask(translate.Agent, m, "", nil, link.Request{Answered: passedTo(&b.link, translate.Client)})
	}
}

// requestOfSession handles a request that names a session.
func (b *Bridge) requestOfSession(m *jsonrpc.Message) {
	switch method := string(m.Method); method {
	case "session/fork":
		b.openings.newSession(m)
	case "session/set_config_option":
		b.choices.setOption(m)
	case "session/prompt":
		if b.closings.open.Find(m.Session) != nil {
			b.link.Refuse(translate.Client, m.ID, noSession(m.Session))
		} else {
			b.prompts.prompt(m)
		}
	default:
		switch e := b.closings.open.Find(m.Session); {
		case e != nil:
			b.closings.wait(e, m)
		case method == "session/resume":
			b.openings.resumeSession(m)
		case method == "session/close":
			b.closings.closeSession(m)
		default:
			b.closings.deleteSession(m)
		}
	}
}

func (b *Bridge) noticeFromClient(m *jsonrpc.Message) {
	switch string(m.Method) {
	case "session/cancel":
		b.prompts.cancelPrompts(m)
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
		b.questions.requestPermission(m)
	case "elicitation/create":
		b.questions.createElicitation(m)
	case "fs/read_text_file", "fs/write_text_file",
		"terminal/create", "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release":
		b.notInV2(m)
	default:
		b.link.Ask(translate.Client, m, "", nil, link.Request{Answered: passedTo(&b.link, translate.Agent)})
	}
}

func (b *Bridge) noticeFromAgent(m *jsonrpc.Message) {
	switch string(m.Method) {
	case "session/update":
		b.sessionUpdate(m)
	case "$/cancel_request":
		b.cancelQuestion(m)
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

// spoke notes that the agent has said something of a session, which may be nil. Before
// that, the client is shown what waited because it might have repeated the prompt.
func (b *Bridge) spoke(s *session) {
	if s == nil {
		return
	}
	for _, text := range b.prompts.spoke(s) {
		if u := link.ReadHeld(text); u != nil {
			b.messages.chunk(s, u)
		}
	}
}

// sessionUpdate handles session/update.
func (b *Bridge) sessionUpdate(m *jsonrpc.Message) {
	u := b.link.ReadUpdate(m)
	switch {
	case u == nil:
		b.link.LoseOf(m.Session, translate.LossUnreadableUpdate, "an update without a session or without a kind was dropped")
		return
	case b.sessions.isSilent(m.Session): // it comes too late, version 2 wants silence
		return
	}
	s := b.sessions.get(m.Session)
	r := b.rowOf(u.Kind)
	if r.history && s.replay.silent() || r.echo && b.prompts.echoes(s, u) {
		return
	}
	b.spoke(s)
	if r.history {
		b.prompts.saidMore(s)
	}
	if r.breaks {
		s.breakMessage()
	}
	if r.handle != nil {
		r.handle(s, u)
	}
	if r.shaped {
		s.sendShaped(u)
	}
}

// cancelRequest handles $/cancel_request of the client.
func (b *Bridge) cancelRequest(m *jsonrpc.Message) {
	raw := link.RequestID(m)
	if raw == nil {
		return
	}
	if r, ok := b.held.withID(jsonrpc.IDOf(raw)); ok {
		s, _ := r.behind.(*session)
		b.prompts.refuse(s, r.id, r.key, errCancelled.Raw())
		return
	}
	c := b.link.Sent(translate.Agent, raw)
	if c == nil {
		return
	}
	if t, ok := c.Asked.Of.(*turn); ok {
		b.prompts.withdraw(t)
	} else {
		b.link.Cancel(translate.Agent, c)
	}
}

// cancelQuestion handles $/cancel_request of the agent.
func (b *Bridge) cancelQuestion(m *jsonrpc.Message) {
	if id := link.RequestID(m); id != nil {
		if c := b.link.Sent(translate.Client, id); c != nil {
			b.link.Cancel(translate.Client, c)
		}
	}
}

// Asked implements [versions.Bridge].
func (b *Bridge) Asked(id []byte, method, session string) {
	r := link.Request{Session: session, Answered: passedTo(&b.link, translate.Agent)}
	switch method {
	case "session/request_permission":
		r.Answered = b.questions.permissionAnswered
	case "elicitation/create":
		r.Answered = b.questions.elicitationAnswered
	}
	b.link.Adopt(id, r)
}

// Next implements [translate.Stage].
func (b *Bridge) Next() time.Time { return link.Earliest(b.prompts.wakeAt(), b.closings.due()) }

// Wake inserts prompts that the agent has been silent about for a while, ends turns
// that were answered a moment ago, and closes sessions that the agent was given time
// to close.
func (b *Bridge) Wake(now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	for next := b.Next(); !next.IsZero() && !next.After(now); next = b.Next() {
		if !b.prompts.wake(next) {
			b.closings.wake()
		}
		b.settle()
	}
}

// Holds reports whether prompts wait for their turn, or requests for the end of
// their session.
func (b *Bridge) Holds() bool {
	return slices.ContainsFunc(b.held.all, waits)
}

// RefuseHeld refuses the requests that wait, in the order in which they came.
func (b *Bridge) RefuseHeld(why string, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	e := link.Error{Code: link.RequestCancelled, Message: why}.Raw()
	for r, ok := b.held.next(waits); ok; r, ok = b.held.next(waits) {
		s, _ := r.behind.(*session)
		b.prompts.refuse(s, r.id, r.key, e)
	}
}

// waits reports whether the agent has yet to get a request.
func waits(r heldRequest) bool { return !r.repeats() }

// Gone implements [translate.Stage]. When the agent has ended, turns end with an error, and
// whatever else the client waits for is refused, now and later.
func (b *Bridge) Gone(side translate.Side, now time.Time, out *translate.Out) {
	if side == translate.Client {
		return
	}
	b.link.Begin(now, out, nil)
	b.link.End()
	b.prompts.goneLingering()
	b.link.ForgetAll(translate.Agent, func(c *link.Call) {
		switch of := c.Asked.Of.(type) {
		case *turn:
			b.prompts.gone(of)
			return
		case directory:
			b.sessions.beside.Free(len(of))
		}
		b.link.Refuse(translate.Client, c.ID, link.AgentEnded)
	})
	b.closings.gone()
	b.settle()
}
