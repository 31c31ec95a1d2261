// Package oldagent joins a client of version 2 and an agent of version 1.
//
// Version 2 tells more than version 1 does: when a prompt was inserted, what
// state a session is in, which message a chunk belongs to, what became of a tool
// call. The bridge derives this from the agent's messages, and keeps the state that it
// needs for each session. Where to look:
//
//	bridge.go       which message goes where; updates.go the same for what the agent reports
//	errors.go       errors, and how those of the agent pass
//	sessions.go     what is known of sessions, and how much that may be
//	opening.go      new sessions, resumed ones, lists; closing.go their end
//	turns.go        prompts, turns and states; held.go prompts that wait;
//	                echoes.go agents that repeat the prompt, keys.go clients that do
//	messages.go     messages, which get ids; replays.go those of a session that is loaded
//	toolcalls.go    tool calls, with diff.go and terminals.go
//	permissions.go  permission requests; elicitation.go the other questions
//	options.go      options; modes.go modes and models, which become options
//	commands.go     commands; providers.go providers of models
package oldagent

import (
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
)

// Options are what the handshake found out. All fields must be set.
type Options struct {
	// Agent is what the agent's answer to initialize says, see
	// [words.InitializeResultToV2].
	Agent words.OldAgent

	// NewID returns an id that it never returned before, for a message: a UUID.
	NewID func() string
}

// A Bridge is a [versions.Holder] between a client of version 2 and an agent of
// version 1.
//
// What is kept is bounded: the limits are beside what they bound. Past a limit the
// translation gets worse, or a request is refused; the connection goes on.
type Bridge struct {
	agent     words.OldAgent
	handlers  handlers
	link      link.Link
	sessions  sessions
	opening   opening
	endings   endings
	held      held
	turns     turns
	replays   replays
	messages  messages
	terminals terminals
	toolCalls toolCalls
	questions questions

	earlyProviders bool // see providers.go

}

var _ versions.Holder = (*Bridge)(nil)

// New returns a Bridge for a connection that has been initialized.
func New(o Options) *Bridge {
	b := &Bridge{agent: o.Agent, handlers: handlers{fromClient, noticesFromClient, fromAgent, noticesFromAgent, updates}}
	b.sessions = sessions{
		link: &b.link, all: make(map[string]*session), closed: make(map[string]bool), deleted: make(map[string]bool),
		forgets: b.toolCalls.forgetAll,
	}
	b.replays = replays{link: &b.link, sessions: &b.sessions}
	b.messages = messages{link: &b.link, replays: &b.replays, newID: o.NewID}
	b.turns = turns{link: &b.link, sessions: &b.sessions, replays: &b.replays, held: &b.held, newID: o.NewID}
	b.terminals = terminals{link: &b.link}
	b.toolCalls = toolCalls{link: &b.link, terminals: &b.terminals}
	b.questions = questions{link: &b.link, sessions: &b.sessions, toolCalls: &b.toolCalls, changed: b.turns.tellProgress}
	b.opening = opening{link: &b.link, agent: o.Agent, sessions: &b.sessions, replays: &b.replays, turns: &b.turns}
	b.endings = endings{
		link: &b.link, agent: o.Agent, sessions: &b.sessions, turns: &b.turns, held: &b.held,
		again: b.requestFromClient, open: make(map[string]*ending),
	}
	return b
}

// handlers are the tables below, and updates. A Bridge has them as a field because
// handlers use them too.
type handlers struct {
	fromClient, noticesFromClient map[string]func(*Bridge, *jsonrpc.Message)
	fromAgent, noticesFromAgent   map[string]func(*Bridge, *jsonrpc.Message)
	updates                       map[string]row
}

// fromClient says what becomes of the client's requests. Methods that are not here
// pass.
var fromClient = map[string]func(*Bridge, *jsonrpc.Message){
	"initialize":                (*Bridge).initializeAgain,
	"auth/login":                same("authenticate"),
	"auth/logout":               (*Bridge).logOut,
	"auth/status":               same(""),
	"session/new":               func(b *Bridge, m *jsonrpc.Message) { b.opening.newSession(m) },
	"session/fork":              ofSession(func(b *Bridge, m *jsonrpc.Message) { b.opening.newSession(m) }),
	"session/resume":            afterEnd(func(b *Bridge, m *jsonrpc.Message) { b.opening.resumeSession(m) }),
	"session/list":              func(b *Bridge, m *jsonrpc.Message) { b.opening.listSessions(m) },
	"session/close":             afterEnd(func(b *Bridge, m *jsonrpc.Message) { b.endings.closeSession(m) }),
	"session/delete":            afterEnd(func(b *Bridge, m *jsonrpc.Message) { b.endings.deleteSession(m) }),
	"session/prompt":            ofSession((*Bridge).prompt),
	"session/set_config_option": ofSession((*Bridge).setOption),
	"session/archive":           same(""),
	"session/unarchive":         same(""),
	"session/status":            same(""),
	"session/set_title":         same(""),
	"providers/list":            (*Bridge).listProviders,
	"providers/set":             (*Bridge).askOfProvider,
	"providers/disable":         (*Bridge).askOfProvider,
	"tool_call/cancel":          (*Bridge).refuseCancel,
	"terminal/cancel":           (*Bridge).refuseCancel,
	"authenticate":              (*Bridge).notInV2,
	"logout":                    (*Bridge).notInV2,
	"session/load":              (*Bridge).notInV2,
	"session/set_mode":          (*Bridge).notInV2,
	"session/set_model":         (*Bridge).notInV2,
}

// noticesFromClient is the same for notifications.
var noticesFromClient = map[string]func(*Bridge, *jsonrpc.Message){
	"session/cancel":   func(b *Bridge, m *jsonrpc.Message) { b.turns.cancelPrompts(m) },
	"$/cancel_request": (*Bridge).cancelRequest,
}

// fromAgent says what becomes of the agent's requests. Methods that are not here
// pass.
var fromAgent = map[string]func(*Bridge, *jsonrpc.Message){
	"session/request_permission": func(b *Bridge, m *jsonrpc.Message) { b.questions.requestPermission(m) },
	"elicitation/create":         func(b *Bridge, m *jsonrpc.Message) { b.questions.createElicitation(m) },
	"fs/read_text_file":          (*Bridge).refuseAgent,
	"fs/write_text_file":         (*Bridge).refuseAgent,
	"terminal/create":            (*Bridge).refuseAgent,
	"terminal/output":            (*Bridge).refuseAgent,
	"terminal/wait_for_exit":     (*Bridge).refuseAgent,
	"terminal/kill":              (*Bridge).refuseAgent,
	"terminal/release":           (*Bridge).refuseAgent,
}

// noticesFromAgent is the same for notifications.
var noticesFromAgent = map[string]func(*Bridge, *jsonrpc.Message){
	"session/update":       (*Bridge).sessionUpdate,
	"$/cancel_request":     (*Bridge).cancelQuestion,
	"elicitation/complete": passed(words.Notification("elicitation/complete")),
	"auth/status_update":   passed(words.Notification("auth/status_update")),
}

// ofSession handles a request that names a session.
func ofSession(handle func(*Bridge, *jsonrpc.Message)) func(*Bridge, *jsonrpc.Message) {
	return func(b *Bridge, m *jsonrpc.Message) {
		if m.Session == nil {
			b.link.Refuse(translate.Client, m.ID, invalid("no sessionId"))
			return
		}
		handle(b, m)
	}
}

// afterEnd is ofSession for a request that waits while the session is being closed or
// deleted.
func afterEnd(handle func(*Bridge, *jsonrpc.Message)) func(*Bridge, *jsonrpc.Message) {
	return ofSession(func(b *Bridge, m *jsonrpc.Message) {
		if !b.endings.postpone(m) {
			handle(b, m)
		}
	})
}

// FromClient implements [versions.Bridge].
func (b *Bridge) FromClient(m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, m.Session)
	switch handle := b.handlers.noticesFromClient[string(m.Method)]; {
	case len(m.Session) > maxID:
		b.loseMessage(m, translate.Client)
	case m.IsRequest() && b.link.Ended() != "":
		b.link.Refuse(translate.Client, m.ID, agentEnded(&b.link))
	case m.IsRequest():
		b.requestFromClient(m)
	case m.IsNotification() && handle != nil:
		handle(b, m)
	case m.IsNotification():
		b.link.Forward()
	default:
		b.answered(translate.Client, m)
	}
}

func (b *Bridge) requestFromClient(m *jsonrpc.Message) {
	if handle := b.handlers.fromClient[string(m.Method)]; handle != nil {
		handle(b, m)
		return
	}
	b.link.Ask(translate.Agent, m, "", nil, link.Request{Answered: b.passAnswerToClient})
}

// FromAgent implements [versions.Bridge].
func (b *Bridge) FromAgent(m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, m.Session)
	switch handle := b.handlers.noticesFromAgent[string(m.Method)]; {
	case len(m.Session) > maxID:
		b.loseMessage(m, translate.Agent)
	case m.IsRequest():
		b.requestFromAgent(m)
	case m.IsNotification() && handle != nil:
		handle(b, m)
	case m.IsNotification():
		b.spoke(b.sessions.find(m.Session))
		b.link.Forward()
	default:
		b.answered(translate.Agent, m)
	}
}

func (b *Bridge) requestFromAgent(m *jsonrpc.Message) {
	b.spoke(b.sessions.find(m.Session))
	if handle := b.handlers.fromAgent[string(m.Method)]; handle != nil {
		handle(b, m)
		return
	}
	b.link.Ask(translate.Client, m, "", nil, link.Request{Answered: b.passAnswerToAgent})
}

func (b *Bridge) passAnswerToClient(c *link.Call, m *jsonrpc.Message) {
	passAnswer(&b.link, translate.Client, c, m)
}

func (b *Bridge) passAnswerToAgent(c *link.Call, m *jsonrpc.Message) {
	passAnswer(&b.link, translate.Agent, c, m)
}

// answered handles an answer of a side, or what is none. An answer may come after its
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
	for _, text := range b.turns.spoke(s) {
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
	r, ok := b.handlers.updates[string(u.Kind)]
	if !ok {
		r = unlisted(u.Kind)
	}
	if r.history && s.replay.silent() || r.echo && b.turns.echoes(s, u) {
		return
	}
	b.spoke(s)
	if r.history {
		b.turns.goesOn(s)
	}
	if r.breaks {
		s.breakMessage()
	}
	r.handle(b, s, u)
}

// initializeAgain refuses a second initialize: the version has been decided.
func (b *Bridge) initializeAgain(m *jsonrpc.Message) {
	b.link.Refuse(translate.Client, m.ID, link.Error{Code: link.InvalidRequest, Message: "initialize may only be requested once per connection"})
}

// notInV2 refuses a request of version 1.
func (b *Bridge) notInV2(m *jsonrpc.Message) {
	b.link.Refuse(translate.Client, m.ID, noMethod(string(m.Method)))
}

// refuseCancel refuses to cancel a tool call or a terminal. The client was never told
// that anything can be cancelled by itself.
func (b *Bridge) refuseCancel(m *jsonrpc.Message) {
	b.link.Refuse(translate.Client, m.ID, invalid("it cannot be cancelled by itself"))
}

// refuseAgent refuses a request for what clients of version 2 do not do.
func (b *Bridge) refuseAgent(m *jsonrpc.Message) {
	method := string(m.Method)
	b.link.LoseOf(m.Session, translate.LossClientRequest, method+" was refused: clients of version 2 read no files and run no commands")
	b.link.Refuse(translate.Agent, m.ID, link.Error{Code: link.MethodNotFound, Message: "Method not found: " + method})
}

// prompt handles session/prompt.
func (b *Bridge) prompt(m *jsonrpc.Message) {
	if b.endings.open[string(m.Session)] != nil {
		b.link.Refuse(translate.Client, m.ID, noSession(m.Session))
		return
	}
	b.turns.prompt(m)
}

// logOut signs the user out. An agent of version 1 need not know how.
func (b *Bridge) logOut(m *jsonrpc.Message) {
	if !b.agent.Logout {
		b.link.Refuse(translate.Client, m.ID, noMethod("auth/logout"))
		return
	}
	b.askSame(m, "logout", link.SameParams(m))
}

// same handles a request that is the same in both versions, but for the method's name
// if one is given.
func same(method string) func(*Bridge, *jsonrpc.Message) {
	return func(b *Bridge, m *jsonrpc.Message) { b.askSame(m, method, link.SameParams(m)) }
}

// askSame sends on a request whose answer is the same in both versions, see
// [words.Result].
func (b *Bridge) askSame(m *jsonrpc.Message, method string, params []byte) {
	shape := words.Result(string(m.Method))
	b.link.Ask(translate.Agent, m, method, params, link.Request{Answered: func(c *link.Call, m *jsonrpc.Message) {
		b.answerSame(c, m, shape)
	}})
}

// answerSame sends on the agent's answer, whose result has a shape.
func (b *Bridge) answerSame(c *link.Call, m *jsonrpc.Message, shape words.Shape) {
	switch {
	case failed(m):
		passError(&b.link, c.ID, c.Asked.Session, m)
	case !b.link.AnswerAs(c.ID, link.ResultOf(m), shape):
		b.link.Refuse(translate.Client, c.ID, errUnread)
	}
}

// passed handles a notification of the agent whose params have a shape.
func passed(shape words.Shape) func(*Bridge, *jsonrpc.Message) {
	return func(b *Bridge, m *jsonrpc.Message) {
		b.spoke(b.sessions.find(m.Session))
		if !b.link.TellAs(translate.Client, m, shape) {
			b.link.LoseOf(nil, translate.LossUnreadableNotification, "a "+string(m.Method)+" that cannot be read was dropped")
		}
	}
}

// cancelRequest handles $/cancel_request of the client.
func (b *Bridge) cancelRequest(m *jsonrpc.Message) {
	raw := link.RequestID(m)
	if raw == nil {
		return
	}
	if id := jsonrpc.IDOf(raw); b.turns.cancelHeld(id) || b.endings.cancelHeld(id) {
		return
	}
	c := b.link.Sent(translate.Agent, raw)
	if c == nil {
		return
	}
	if t, ok := c.Asked.Of.(*turn); ok {
		b.turns.withdraw(t)
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
	r := link.Request{Session: session, Answered: b.passAnswerToAgent}
	switch method {
	case "session/request_permission":
		r.Answered = b.questions.permissionAnswered
	case "elicitation/create":
		r.Answered = b.questions.elicitationAnswered
	}
	b.link.Adopt(id, r)
}

// Next implements [versions.Bridge].
func (b *Bridge) Next() time.Time { return link.Earliest(b.turns.due(), b.endings.due()) }

// Wake inserts prompts that the agent has been silent about for a while, ends turns
// that were answered a moment ago, and closes sessions that the agent was given time
// to close.
func (b *Bridge) Wake(now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	for next := b.Next(); !next.IsZero() && !next.After(now); next = b.Next() {
		if !b.turns.wake(next) {
			b.endings.wake()
		}
	}
}

// Holds reports whether prompts wait for their turn, or requests for the end of
// their session.
func (b *Bridge) Holds() bool {
	return b.held.count > 0 && (b.turns.holds() || b.endings.holds())
}

// RefuseHeld refuses the requests that wait.
func (b *Bridge) RefuseHeld(why string, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	e := link.Error{Code: link.RequestCancelled, Message: why}
	b.turns.refuseAllHeld(e)
	b.endings.refuseHeld(e)
}

// Gone implements [versions.Bridge]. Turns end with an error, and whatever else the
// client waits for is refused, now and later.
func (b *Bridge) Gone(why string, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	b.link.End(why)
	b.turns.lostLingering()
	b.link.ForgetAll(translate.Agent, func(c *link.Call) {
		switch of := c.Asked.Of.(type) {
		case *turn:
			b.turns.lost(of)
			return
		case directory:
			b.sessions.budget.unkeep(len(of))
		}
		b.link.Refuse(translate.Client, c.ID, agentEnded(&b.link))
	})
	b.endings.lost()
}
