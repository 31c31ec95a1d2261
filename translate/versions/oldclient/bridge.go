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
	"bytes"
	"crypto/sha256"
	"hash/maphash"
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Options are what the two sides said in initialize.
type Options struct {
	Client words.OldClient
	Agent  words.NewAgent
}

// What a Bridge keeps is bounded. Passing a limit costs fidelity.
const (
	maxOpen     = 4096 // requests of a side that wait for an answer
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
	toAgent     jsonrpc.Calls[request] // requests of the client
	toClient    jsonrpc.Calls[ask]     // requests of the agent
	sessions    sessions
	contents    contents
	subagents   subagents // that the client is shown as tool calls
	permissions permissions
	overdue     []*jsonrpc.Call[ask] // calls of toClient that have a deadline
	gone        string               // why the agent has ended, "" as long as it has not
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

// A request is a request of the client that the agent has not answered.
type request struct {
	session  string
	prompt   *prompt   // of session/prompt
	ends     []*prompt // of session/close and session/delete: the prompts that it cancels
	cwd      string    // of session/new and session/fork
	loads    bool      // it is session/load
	wasOpen  bool      // of session/load and session/resume: the client had opened the session before
	updates  int       // how many lists of options the agent had sent as updates
	answered func(*Bridge, *jsonrpc.Call[request], *jsonrpc.Message)
}

// An ask is a request of the agent that the client has not answered.
type ask struct {
	session    string
	permission *permission
	form       bool      // it is elicitation/create
	deadline   time.Time // when the bridge answers for the client; zero if never
}

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
	"$/cancel_request":     (*Bridge).cancelAsk,
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
		b.fail(m.ID, invalidRequest, "the message is a request and a response", nil)
	case m.ID != nil:
		b.answerFromClient(m)
	default:
		b.w.Lose(translate.LossUnreadableMessage, "dropped a message of the client that is neither a request nor a response")
	}
}

func (b *Bridge) requestFromClient(m *jsonrpc.Message) {
	switch handle := b.handlers.fromClient[string(m.Method)]; {
	case b.gone != "":
		b.fail(m.ID, internalError, b.gone, nil)
	case len(m.Session) > maxID:
		b.w.Lose(translate.LossLongID, "refused a request of the client")
		b.fail(m.ID, invalidRequest, longID, nil)
	case b.toAgent.Len() >= maxOpen:
		b.w.Lose(translate.LossTooManyRequests, "refused one of the client")
		b.fail(m.ID, internalError, "too many requests wait for an answer", nil)
	case handle != nil:
		handle(b, m)
	default:
		b.askSame(m, string(m.Method))
	}
}

const longID = "the sessionId is longer than 4 KiB"

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
		b.failAgent(m.ID, invalidRequest, "the message is a request and a response")
	case m.ID != nil:
		b.answerFromAgent(m)
	default:
		b.w.Lose(translate.LossUnreadableMessage, "dropped a message of the agent that is neither a request nor a response")
	}
}

func (b *Bridge) requestFromAgent(m *jsonrpc.Message) {
	switch handle := b.handlers.fromAgent[string(m.Method)]; {
	case len(m.Session) > maxID:
		b.w.Lose(translate.LossLongID, "refused a request of the agent")
		b.failAgent(m.ID, invalidRequest, longID)
	case b.toClient.Len() >= maxOpen:
		b.w.Lose(translate.LossTooManyRequests, "refused one of the agent")
		b.failAgent(m.ID, internalError, "too many requests wait for an answer")
	case b.holds(m):
	case handle != nil:
		handle(b, m)
	default:
		b.askClient(m.ID, string(m.Method), paramsOf(m), ask{session: string(m.Session)})
	}
}

// answerFromAgent takes in the answer to a request of the client. An answer
// that cannot be read is an error: the client must get one. To a request that was
// answered when its session was closed, an answer may still come.
func (b *Bridge) answerFromAgent(m *jsonrpc.Message) {
	c := b.toAgent.Answered(m.ID)
	if c == nil {
		if !b.toAgent.Past(m.ID) {
			b.w.Lose(translate.LossNoRequest, "dropped an answer of the agent to a request that nobody made")
		}
		return
	}
	if !m.IsResponse() {
		broken := jsonrpc.Message{Text: []byte(`{"code":-32603,"message":"the agent's answer cannot be read"}`)}
		broken.Error = jsonrpc.Span{Start: 0, End: len(broken.Text)}
		m = &broken
	}
	c.Asked.answered(b, c, m)
}

// answeredAs returns what takes in an answer whose result has a shape. If that is
// nil, the result passes as it is.
func answeredAs(shape words.Shape) func(*Bridge, *jsonrpc.Call[request], *jsonrpc.Message) {
	return func(b *Bridge, c *jsonrpc.Call[request], m *jsonrpc.Message) { b.answerAs(c, m, shape) }
}

// answerAs passes an answer whose result has a shape, see answeredAs. Some agents
// say null in place of a result without members.
func (b *Bridge) answerAs(c *jsonrpc.Call[request], m *jsonrpc.Message, shape words.Shape) {
	result := m.Result.Of(m.Text)
	if m.Error.Present() && !rawjson.Null(m.Error.Of(m.Text)) {
		b.failWith(c.ID, m.Error.Of(m.Text))
		return
	}
	if rawjson.Null(result) || shape != nil && len(shape) == 0 && result[0] != '{' {
		result = []byte("{}")
	}
	b.w.Out = b.w.Out[:0]
	switch {
	case shape == nil:
		b.answer(c.ID, result)
	case shape.Convert(&b.w, result):
		b.answer(c.ID, b.w.Out)
	default:
		b.unreadable(c.ID)
	}
}

// passAnswer passes an answer whose result needs no members.
func (b *Bridge) passAnswer(c *jsonrpc.Call[request], m *jsonrpc.Message) {
	b.answerAs(c, m, words.Shape{})
}

// unreadable answers a request of the client whose answer means nothing in
// version 1.
func (b *Bridge) unreadable(id []byte) {
	b.fail(id, internalError, "the agent's answer cannot be read", nil)
}

// askSame passes a request that is the same in both versions, but for the method's
// name. So is its answer, see [words.Result].
func (b *Bridge) askSame(m *jsonrpc.Message, method string) {
	params, shape := paramsOf(m), words.Result(method)
	if shape != nil {
		params = sameParams(m)
	}
	b.ask(m, method, params, request{answered: answeredAs(shape)})
}

// sameParams returns the params of a request that are the same in both versions, see
// [words.Shape].
func sameParams(m *jsonrpc.Message) []byte {
	params := paramsOf(m)
	if o, ok := rawjson.ReadObject(nil, params); ok {
		return appendObject(nil, o)
	}
	return params
}

// renamed handles a request that has only another name in version 2.
func renamed(method string) func(*Bridge, *jsonrpc.Message) {
	return func(b *Bridge, m *jsonrpc.Message) { b.askSame(m, method) }
}

// initializeAgain refuses a second initialize: the version has been decided.
func (b *Bridge) initializeAgain(m *jsonrpc.Message) {
	b.fail(m.ID, invalidRequest, "initialize may only be requested once per connection", nil)
}

// passed handles a notification of the agent whose params have a shape.
func passed(shape words.Shape) func(*Bridge, *jsonrpc.Message) {
	return func(b *Bridge, m *jsonrpc.Message) {
		b.w.Out = b.w.Out[:0]
		params := paramsOf(m)
		switch {
		case !shape.Convert(&b.w, orNull(params)):
			b.w.Lose(translate.LossUnreadableNotification, "dropped a "+string(m.Method)+" that cannot be read")
		case bytes.Equal(b.w.Out, params):
			b.out.Forward()
		default:
			b.notify(translate.Client, string(m.Method), b.w.Out[:len(b.w.Out)-1])
		}
	}
}

// notInV2 refuses what an agent of version 2 must not ask for.
func (b *Bridge) notInV2(m *jsonrpc.Message) {
	b.failAgent(m.ID, methodNotFound, "Method not found")
}

// cancelRequest handles $/cancel_request of the client.
func (b *Bridge) cancelRequest(m *jsonrpc.Message) {
	id := requestID(m)
	if s, p := b.sessions.promptOf(id); p != nil && p.call == nil {
		// The agent has answered that request, so the turn is what can be
		// cancelled.
		b.cancelTurn(s)
		return
	} else if p != nil {
		p.withdrawn = true
	}
	if c := b.toAgent.Sent(id); id != nil && c != nil {
		b.notify(translate.Agent, "$/cancel_request", appendNumber([]byte(`{"requestId":`), c.Number))
	}
}

// cancelAsk handles $/cancel_request of the agent. Old clients do not know it.
// If such a client does not answer, the bridge does.
func (b *Bridge) cancelAsk(m *jsonrpc.Message) {
	const patience = time.Second
	id := requestID(m)
	if b.withdrawHeld(id) {
		return
	}
	c := b.toClient.Sent(id)
	if c == nil {
		return
	}
	if (c.Asked.permission != nil || c.Asked.form) && c.Asked.deadline.IsZero() {
		c.Asked.deadline = b.now.Add(patience)
		b.overdue = append(b.overdue, c)
	}
	b.notify(translate.Client, "$/cancel_request", append([]byte(`{"requestId":`), c.FarID()...))
}

func requestID(m *jsonrpc.Message) []byte {
	o, _ := rawjson.ReadObject(nil, paramsOf(m))
	return o.Get("requestId")
}

// answerFromClient takes in the answer to a request of the agent.
func (b *Bridge) answerFromClient(m *jsonrpc.Message) {
	c := b.toClient.Find(m.ID)
	b.forgetAsk(c)
	switch {
	case c == nil:
		b.w.Lose(translate.LossNoRequest, "dropped an answer of the client to a request that nobody made, or that was answered")
	case c.Asked.permission != nil:
		b.permissions.answered(c.Asked.permission, c.ID, m)
	case !m.IsResponse():
		b.failAgent(c.ID, internalError, "the client's answer cannot be read")
	case m.Failed():
		b.respond(translate.Agent, c.ID, "error", readable(m.Error.Of(m.Text), "Internal error"))
	case c.Asked.form:
		b.w.Out = b.w.Out[:0]
		words.FormAnswer(&b.w, m.Result.Of(m.Text), words.Same)
		b.respond(translate.Agent, c.ID, "result", b.w.Out)
	default:
		result := m.Result.Of(m.Text)
		if rawjson.Null(result) {
			result = []byte("{}")
		}
		b.respond(translate.Agent, c.ID, "result", result)
	}
}

// forgetAsk forgets a request of the agent that is being answered; c may be nil.
func (b *Bridge) forgetAsk(c *jsonrpc.Call[ask]) {
	if c == nil {
		return
	}
	b.toClient.Answered(c.FarID())
	if !c.Asked.deadline.IsZero() {
		b.overdue = slices.DeleteFunc(b.overdue, func(o *jsonrpc.Call[ask]) bool { return o == c })
	}
}

// Asked implements [versions.Bridge].
func (b *Bridge) Asked(id []byte, method, session string) {
	a := ask{session: session, form: method == "elicitation/create"}
	if method == "session/request_permission" {
		a.permission = &permission{}
	}
	b.toClient.Adopt(id, a)
}

// Gone implements [versions.Bridge].
func (b *Bridge) Gone(why string, now time.Time, out *translate.Out) {
	b.begin(now, out, nil)
	if b.gone = why; why == "" {
		b.gone = "agent exited"
	}
	for _, s := range b.sessions.all {
		b.flush(s)
		for _, p := range s.prompts {
			if p.call == nil {
				b.fail(p.id, internalError, b.gone, nil)
			}
		}
		s.prompts = nil
	}
	b.toAgent.Each(func(c *jsonrpc.Call[request]) { b.fail(c.ID, internalError, b.gone, nil) })
	b.toAgent = jsonrpc.Calls[request]{}
	b.toClient, b.overdue = jsonrpc.Calls[ask]{}, nil
	b.sessions.held, b.sessions.heldUntil = nil, time.Time{}
	b.end(nil)
}

// Next implements [versions.Bridge].
func (b *Bridge) Next() time.Time {
	next := earlier(b.sessions.heldUntil, b.contents.next())
	for _, c := range b.overdue {
		next = earlier(next, c.Asked.deadline)
	}
	return next
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Wake implements [versions.Bridge].
func (b *Bridge) Wake(now time.Time, out *translate.Out) {
	b.begin(now, out, nil)
	b.releaseAsked()
	b.contents.flushDue()
	for _, c := range slices.Clone(b.overdue) {
		if !c.Asked.deadline.After(now) {
			b.answerForClient(c)
		}
	}
	b.end(nil)
}

func paramsOf(m *jsonrpc.Message) []byte { return m.Params.Of(m.Text) }

// shortID returns what is kept of an id that is compared only.
func shortID(id []byte) []byte {
	if len(id) <= maxKey {
		return id
	}
	digest := sha256.Sum256(id)
	return digest[:]
}
