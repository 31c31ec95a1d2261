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
	"hash/maphash"
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

// What a Bridge keeps is bounded. Passing a limit costs fidelity.
const (
	maxSessions = 512
	maxHeld     = 4 << 20   // bytes of messages that wait for something
	maxKept     = 64 << 20  // bytes of what is kept of sessions, see contents.go
	maxOptions  = 256 << 10 // bytes of options of a session
	maxID       = 4 << 10   // bytes of an id of a session or what is shown
	maxKey      = 128       // bytes of an id that is compared only; of a longer one a digest is kept
)

// A Bridge is one connection after initialize. It implements [versions.Bridge].
type Bridge struct {
	options     Options
	link        link.Link
	handlers    handlers
	sessions    sessions
	contents    contents
	subagents   subagents // that the client is shown as tool calls
	permissions permissions
	overdue     questions // requests that the agent has cancelled
	ids         ids
	seed        maphash.Seed // of digests

	// Of the message that is being converted:
	now    time.Time
	out    *translate.Out
	w      words.Writer
	update sessionUpdateMessage
	u      link.Update
	line   []byte

	// releasing tells that the message was held before: it is not the one that
	// has just come, and cannot be forwarded as that.
	releasing bool
}

var _ versions.Bridge = (*Bridge)(nil)

// New returns the bridge for a connection.
func New(o Options) *Bridge {
	b := &Bridge{options: o, handlers: handlers{fromClient, noticesFromClient, fromAgent, noticesFromAgent, updates}, seed: maphash.MakeSeed()}
	b.contents.link = &b.link
	b.subagents = subagents{link: &b.link, find: b.sessions.find, get: func(id []byte) *session { return b.sessions.get(b, id) }}
	b.permissions = permissions{link: &b.link, subagents: &b.subagents, ids: &b.ids}
	return b
}

// handlers are the tables below. A Bridge has them as a field because handlers
// use them too.
type handlers struct {
	fromClient, noticesFromClient map[string]func(*Bridge, *jsonrpc.Message)
	fromAgent, noticesFromAgent   map[string]func(*Bridge, *jsonrpc.Message)
	updates                       map[string]func(*Bridge, *session)
}

// fromClient says what becomes of the client's requests. Methods that are not
// here pass. A method that is here is dropped if it comes as a notification:
// nobody would answer it, and the agent may know it by another name only.
var fromClient = map[string]func(*Bridge, *jsonrpc.Message){
	"initialize":                (*Bridge).initializeAgain,
	"authenticate":              renamed("auth/login"),
	"logout":                    renamed("auth/logout"),
	"session/new":               (*Bridge).newSession,
	"session/fork":              (*Bridge).newSession,
	"session/load":              (*Bridge).loadSession,
	"session/resume":            (*Bridge).loadSession,
	"session/list":              (*Bridge).listSessions,
	"session/close":             (*Bridge).endSession,
	"session/delete":            (*Bridge).endSession,
	"session/prompt":            (*Bridge).prompt,
	"session/set_mode":          (*Bridge).setMode,
	"session/set_model":         (*Bridge).setModel,
	"session/set_config_option": (*Bridge).setOption,
}

// noticesFromClient is the same for notifications.
var noticesFromClient = map[string]func(*Bridge, *jsonrpc.Message){
	"session/cancel":   (*Bridge).cancelPrompts,
	"$/cancel_request": (*Bridge).cancelRequest,
}

// fromAgent says what becomes of the agent's requests. Methods that are not here
// pass. A method that is here is dropped if it comes as a notification.
var fromAgent = map[string]func(*Bridge, *jsonrpc.Message){
	"session/request_permission": (*Bridge).requestPermission,
	"elicitation/create":         (*Bridge).createElicitation,
	"fs/read_text_file":          (*Bridge).notInV2,
	"fs/write_text_file":         (*Bridge).notInV2,
	"terminal/create":            (*Bridge).notInV2,
	"terminal/output":            (*Bridge).notInV2,
	"terminal/wait_for_exit":     (*Bridge).notInV2,
	"terminal/kill":              (*Bridge).notInV2,
	"terminal/release":           (*Bridge).notInV2,
}

// noticesFromAgent is the same for notifications.
var noticesFromAgent = map[string]func(*Bridge, *jsonrpc.Message){
	"session/update":       (*Bridge).sessionUpdate,
	"$/cancel_request":     (*Bridge).cancelQuestion,
	"elicitation/complete": passed(words.Notification("elicitation/complete")),
	"auth/status_update":   passed(words.Notification("auth/status_update")),
}

// begin prepares for a message or a timer.
func (b *Bridge) begin(now time.Time, out *translate.Out, session []byte) {
	const maxScratch = 1 << 20
	for _, scratch := range []*[]byte{&b.w.Out, &b.line} {
		if cap(*scratch) > maxScratch {
			*scratch = nil
		}
	}
	b.now, b.out = now, out
	b.link.Begin(now, out, session)
	b.w.Reset()
	b.w.Cwd = ""
}

// end reports the losses that converting has noted.
func (b *Bridge) end(session []byte) {
	for _, l := range b.w.Losses {
		l.Session = string(session)
		b.out.Lose(l)
	}
	b.w.Losses = b.w.Losses[:0]
}

// FromClient implements [versions.Bridge].
func (b *Bridge) FromClient(m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.begin(now, out, m.Session)
	defer b.end(m.Session)
	switch {
	case m.IsRequest():
		b.requestFromClient(m)
	case m.IsNotification():
		if handle := b.handlers.noticesFromClient[string(m.Method)]; handle != nil {
			handle(b, m)
		} else if b.handlers.fromClient[string(m.Method)] != nil {
			b.w.Lose(translate.LossNoID, "dropped a "+string(m.Method)+" of the client, which nobody would answer")
		} else {
			out.Forward()
		}
	case m.ID != nil && m.Method != nil:
		b.link.Refuse(translate.Client, m.ID, twoInOne)
	case m.ID != nil:
		b.responseFromClient(m)
	default:
		b.w.Lose(translate.LossUnreadableMessage, "dropped a message of the client that is neither a request nor a response")
	}
}

func (b *Bridge) requestFromClient(m *jsonrpc.Message) {
	switch handle := b.handlers.fromClient[string(m.Method)]; {
	case b.link.Ended() != "":
		b.link.Refuse(translate.Client, m.ID, link.Error{Code: link.InternalError, Message: b.link.Ended()})
	case len(m.Session) > maxID:
		b.link.Lose(translate.LossLongID, "refused a request of the client")
		b.link.Refuse(translate.Client, m.ID, longID)
	case b.link.Full(translate.Agent):
		b.link.RefuseFull(translate.Agent, m)
	case handle != nil:
		handle(b, m)
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
	b.begin(now, out, m.Session)
	b.take(m)
	b.sessions.makeRoom(&b.link, b.sessions.find(string(b.shownIn(m.Session))))
	b.end(m.Session)
}

func (b *Bridge) take(m *jsonrpc.Message) {
	switch {
	case m.IsRequest():
		b.requestFromAgent(m)
	case m.IsNotification():
		if handle := b.handlers.noticesFromAgent[string(m.Method)]; handle != nil {
			handle(b, m)
		} else if b.handlers.fromAgent[string(m.Method)] != nil {
			b.w.Lose(translate.LossNoID, "dropped a "+string(m.Method)+" of the agent, which nobody would answer")
		} else {
			b.out.Forward()
		}
	case m.ID != nil && m.Method != nil:
		b.link.Refuse(translate.Agent, m.ID, twoInOne)
	case m.ID != nil:
		b.responseFromAgent(m)
	default:
		b.w.Lose(translate.LossUnreadableMessage, "dropped a message of the agent that is neither a request nor a response")
	}
}

func (b *Bridge) requestFromAgent(m *jsonrpc.Message) {
	switch handle := b.handlers.fromAgent[string(m.Method)]; {
	case len(m.Session) > maxID:
		b.link.Lose(translate.LossLongID, "refused a request of the agent")
		b.link.Refuse(translate.Agent, m.ID, longID)
	case b.link.Full(translate.Client):
		b.link.RefuseFull(translate.Client, m)
	case b.holds(m):
	case handle != nil:
		handle(b, m)
	default:
		b.askClient(m, nil, nil, b.clientAnswered)
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
	b.begin(now, out, nil)
	if why == "" {
		why = "agent exited"
	}
	b.link.End(why)
	gone := link.Error{Code: link.InternalError, Message: why}
	for _, s := range b.sessions.all {
		b.flush(s)
		for _, p := range s.prompts {
			if p.call == nil {
				b.link.Refuse(translate.Client, p.id, gone)
			}
		}
		s.prompts = nil
	}
	b.link.ForgetAll(translate.Agent, func(c *link.Call) { b.link.Refuse(translate.Client, c.ID, gone) })
	b.link.ForgetAll(translate.Client, func(*link.Call) {})
	b.overdue = questions{}
	b.sessions.held, b.sessions.heldUntil = nil, time.Time{}
	b.end(nil)
}

// Next implements [versions.Bridge].
func (b *Bridge) Next() time.Time {
	return link.Earliest(b.sessions.heldUntil, b.contents.next(), b.overdue.next())
}

// Wake implements [versions.Bridge].
func (b *Bridge) Wake(now time.Time, out *translate.Out) {
	b.begin(now, out, nil)
	b.releaseAsked()
	b.contents.flushDue()
	for _, c := range b.overdue.due(now) {
		b.answerForClient(c)
	}
	b.end(nil)
}

// shortID returns what is kept of an id that is compared only.
func shortID(id []byte) []byte {
	if len(id) <= maxKey {
		return id
	}
	digest := sha256.Sum256(id)
	return digest[:]
}
