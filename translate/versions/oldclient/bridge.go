// Package oldclient joins a client that speaks version 1 of the protocol with
// an agent that speaks version 2.
//
// The client's requests get the names and shapes of version 2, the agent's
// updates and requests get the names and shapes of version 1. Most of that is a
// matter of shapes. What needs memory is in a file of its own: when a prompt is
// answered (prompts.go), what of a message the client has (messages.go), which
// tool calls it knows (toolcalls.go), which option is the mode (options.go),
// what a terminal shows (terminals.go).
package oldclient

import (
	"crypto/sha256"
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
)

// Options are what the two sides said in initialize.
type Options struct {
	Client words.OldClient
	Agent  words.NewAgent
}

const maxKey = 128 // bytes of an id that is compared only; of a longer one a digest is kept

// A Bridge is one connection after initialize. It implements [versions.Bridge].
type Bridge struct {
	options     Options
	link        link.Link
	sessions    sessions
	held        held
	prompts     prompts
	openings    openings
	closings    closings
	contents    contents
	subagents   subagents // that the client is shown as tool calls
	permissions permissions
	overdue     questions // requests that the agent has cancelled
	ids         ids
	choices     choices
	waiting     room // for messages that wait for something

	// What becomes of a message. Methods that are not here pass. A method of a request
	// is dropped if it comes as a notification: nobody would answer it, and the other
	// side may know it by another name only.
	fromClient, noticesFromClient map[string]func(*jsonrpc.Message)
	fromAgent, noticesFromAgent   map[string]func(*jsonrpc.Message)
	updates                       map[string]row

	scratch link.Update // the update at hand
}

var _ versions.Bridge = (*Bridge)(nil)

// New returns the bridge for a connection.
func New(o Options) *Bridge {
	b := &Bridge{options: o, waiting: room{most: maxHeld}}
	b.sessions = sessions{link: &b.link, prepare: b.prepare, forget: b.forget}
	b.held.room = &b.waiting
	b.prompts = prompts{link: &b.link, sessions: &b.sessions, texts: room{most: maxPromptTexts}, convert: b.convertHeld}
	b.closings = closings{link: &b.link, sessions: &b.sessions, prompts: &b.prompts}
	b.choices = choices{link: &b.link, sessions: &b.sessions, toV1: words.OptionsToV1(o.Client.Booleans)}
	b.openings = openings{
		link: &b.link, options: o, sessions: &b.sessions, held: &b.held,
		choices: &b.choices, release: b.release, forgetShown: b.forgetShown,
	}
	b.contents.link = &b.link
	b.subagents = subagents{link: &b.link, find: b.sessions.find, get: b.sessions.get}
	b.permissions = permissions{link: &b.link, subagents: &b.subagents, ids: &b.ids}
	b.fromClient, b.noticesFromClient = b.requestsFromClient(), b.notificationsFromClient()
	b.fromAgent, b.noticesFromAgent = b.requestsFromAgent(), b.notificationsFromAgent()
	b.updates = b.updateRows()
	return b
}

func (b *Bridge) requestsFromClient() map[string]func(*jsonrpc.Message) {
	return map[string]func(*jsonrpc.Message){
		"initialize":                b.initializeAgain,
		"authenticate":              b.renamed("auth/login"),
		"logout":                    b.renamed("auth/logout"),
		"session/new":               b.openings.newSession,
		"session/fork":              b.openings.newSession,
		"session/load":              b.openings.loadSession,
		"session/resume":            b.openings.loadSession,
		"session/list":              b.openings.listSessions,
		"session/close":             b.closings.closeSession,
		"session/delete":            b.closings.closeSession,
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
	return map[string]func(*jsonrpc.Message){
		"session/request_permission": b.permissions.requestPermission,
		"elicitation/create":         b.createElicitation,
		"fs/read_text_file":          b.notInV2,
		"fs/write_text_file":         b.notInV2,
		"terminal/create":            b.notInV2,
		"terminal/output":            b.notInV2,
		"terminal/wait_for_exit":     b.notInV2,
		"terminal/kill":              b.notInV2,
		"terminal/release":           b.notInV2,
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

// prepare gives a new session what it shares with others.
func (b *Bridge) prepare(s *session) {
	kept := tally{&s.kept, &b.sessions.kept}
	s.messages.link = &b.link
	s.echoes.texts, s.echoes.room = &b.prompts.texts, &b.waiting
	s.terminals = terminals{link: &b.link, session: []byte(s.id), convention: b.options.Client.TerminalOutput, kept: kept}
	s.tools = toolCalls{contents: &b.contents, session: []byte(s.id), terminals: &s.terminals, kept: kept}
}

// forget forgets what others know of a session that has ended.
func (b *Bridge) forget(s *session) {
	b.contents.close(&s.tools)
	b.subagents.forget(s.id)
}

// forgetShown forgets what the client was shown in a session.
func (b *Bridge) forgetShown(s *session) {
	s.messages.forget()
	s.tools.forget()
	s.terminals.forget()
	b.subagents.forget(s.id)
}

// FromClient implements [versions.Bridge].
func (b *Bridge) FromClient(m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, m.Session)
	switch {
	case m.IsRequest():
		b.requestFromClient(m)
	case m.IsNotification():
		if handle := b.noticesFromClient[string(m.Method)]; handle != nil {
			handle(m)
		} else if b.fromClient[string(m.Method)] != nil {
			b.link.Lose(translate.LossNoID, "dropped a "+string(m.Method)+" of the client, which nobody would answer")
		} else {
			out.Forward()
		}
	case m.ID != nil && m.Method != nil:
		b.link.Refuse(translate.Client, m.ID, twoInOne)
	case m.ID != nil:
		b.responseFromClient(m)
	default:
		b.link.Lose(translate.LossUnreadableMessage, "dropped a message of the client that is neither a request nor a response")
	}
}

func (b *Bridge) requestFromClient(m *jsonrpc.Message) {
	switch handle := b.fromClient[string(m.Method)]; {
	case b.link.Ended() != "":
		b.link.Refuse(translate.Client, m.ID, link.Error{Code: link.InternalError, Message: b.link.Ended()})
	case len(m.Session) > maxID:
		b.link.Lose(translate.LossLongID, "refused a request of the client")
		b.link.Refuse(translate.Client, m.ID, longID)
	case b.link.Full(translate.Agent):
		b.link.RefuseFull(translate.Agent, m)
	case handle != nil:
		handle(m)
	default:
		b.askSame(m, string(m.Method))
	}
}

var (
	twoInOne = link.Error{Code: link.InvalidRequest, Message: "the message is a request and a response"}
	longID   = link.Error{Code: link.InvalidRequest, Message: "the sessionId is longer than 4 KiB"}
)

// FromAgent implements [versions.Bridge].
func (b *Bridge) FromAgent(m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, m.Session)
	b.messageFromAgent(m)
	b.sessions.makeRoom(&b.link, b.sessions.find(string(b.subagents.shownIn(m.Session))))
}

func (b *Bridge) messageFromAgent(m *jsonrpc.Message) {
	switch {
	case m.IsRequest():
		b.requestFromAgent(m)
	case m.IsNotification():
		if handle := b.noticesFromAgent[string(m.Method)]; handle != nil {
			handle(m)
		} else if b.fromAgent[string(m.Method)] != nil {
			b.link.Lose(translate.LossNoID, "dropped a "+string(m.Method)+" of the agent, which nobody would answer")
		} else {
			b.link.Forward()
		}
	case m.ID != nil && m.Method != nil:
		b.link.Refuse(translate.Agent, m.ID, twoInOne)
	case m.ID != nil:
		b.responseFromAgent(m)
	default:
		b.link.Lose(translate.LossUnreadableMessage, "dropped a message of the agent that is neither a request nor a response")
	}
}

func (b *Bridge) requestFromAgent(m *jsonrpc.Message) {
	switch handle := b.fromAgent[string(m.Method)]; {
	case len(m.Session) > maxID:
		b.link.Lose(translate.LossLongID, "refused a request of the agent")
		b.link.Refuse(translate.Agent, m.ID, longID)
	case b.link.Full(translate.Client):
		b.link.RefuseFull(translate.Client, m)
	case b.holds(m):
	case handle != nil:
		handle(m)
	default:
		b.link.Ask(translate.Client, m, "", nil, link.Request{Answered: b.clientAnswered})
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
	b.link.Lose(translate.LossTooManyNewMessages, "sent them before the client knows the session")
	b.release(func(heldMessage) bool { return true })
	return false
}

// release converts messages that were held, and those of the subagents that they
// announce. What comes of their sessions later is not held.
func (b *Bridge) release(which func(heldMessage) bool) {
	for _, h := range b.held.take(which) {
		b.sessions.get([]byte(h.session))
		b.convertHeld(h.text)
	}
	announced := func(h heldMessage) bool { return b.subagents.of([]byte(h.session)) != nil }
	if slices.ContainsFunc(b.held.messages, announced) {
		b.release(announced)
	}
}

// convertHeld converts a message that was held.
func (b *Bridge) convertHeld(text []byte) {
	if m := link.MessageOf(text); m.IsRequest() {
		b.requestFromAgent(&m)
	} else {
		b.updateOf(&m, &link.Update{Held: true})
	}
}

// Asked implements [versions.Bridge].
func (b *Bridge) Asked(id []byte, method, session string) {
	r := link.Request{Session: session, Answered: b.clientAnswered}
	switch method {
	case "session/request_permission":
		r.Of, r.Answered = &permission{}, b.permissions.answered
	case "elicitation/create":
		r.Of, r.Answered = elicitation{}, b.elicitationAnswered
	}
	b.link.Adopt(id, r)
}

// Gone implements [versions.Bridge].
func (b *Bridge) Gone(why string, now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	if why == "" {
		why = "agent exited"
	}
	b.link.End(why)
	gone := link.Error{Code: link.InternalError, Message: why}
	for _, s := range b.sessions.all {
		s.tools.flush()
		b.prompts.gone(s, gone)
	}
	b.link.ForgetAll(translate.Agent, func(c *link.Call) { b.link.Refuse(translate.Client, c.ID, gone) })
	b.link.ForgetAll(translate.Client, func(*link.Call) {})
	b.overdue = questions{}
	b.held.gone()
}

// Next implements [versions.Bridge].
func (b *Bridge) Next() time.Time {
	return link.Earliest(b.held.until, b.contents.next(), b.overdue.next())
}

// Wake implements [versions.Bridge].
func (b *Bridge) Wake(now time.Time, out *translate.Out) {
	b.link.Begin(now, out, nil)
	if asked := b.held.asked(now); asked != nil {
		b.release(func(h heldMessage) bool { return asked[h.session] })
	}
	b.contents.flushDue()
	for _, c := range b.overdue.due(now) {
		b.answerForClient(c)
	}
}

// shortID returns what is kept of an id that is compared only.
func shortID(id []byte) []byte {
	if len(id) <= maxKey {
		return id
	}
	digest := sha256.Sum256(id)
	return digest[:]
}
