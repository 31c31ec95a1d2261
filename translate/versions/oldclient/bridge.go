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
	"slices"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Options are what the two sides said in initialize.
type Options struct {
	Client capabilities.OldClient
	Agent  capabilities.NewAgent
}

// What a Bridge keeps is bounded. Passing a limit costs fidelity.
const (
	maxOpen     = 4096 // requests of a side that wait for an answer
	maxSessions = 512
	maxHeld     = 4 << 20   // bytes of messages that wait for something
	maxKept     = 64 << 20  // bytes of contents and outputs
	maxOptions  = 256 << 10 // bytes of options of a session
)

// A Bridge is one connection after initialize. It implements [versions.Bridge].
type Bridge struct {
	options  Options
	handlers handlers
	toAgent  jsonrpc.Calls[request] // requests of the client
	toClient jsonrpc.Calls[ask]     // requests of the agent
	sessions sessions
	children children             // subagents that the client is shown as tool calls
	overdue  []*jsonrpc.Call[ask] // calls of toClient that have a deadline
	gone     string               // why the agent has ended, "" as long as it has not
	invented int                  // counts the ids that the bridge itself has made

	// Of the message that is being converted:
	now    time.Time
	out    *translate.Out
	w      versions.Writer
	update sessionUpdateMessage
	line   []byte

	item    versions.Writer  // an item of a tool call's content
	fields  [8]rawjson.Field // of that item
	content []byte           // see contentMember
	patch   patchReader

	// releasing tells that the message was held before: it is not the one that
	// has just come, and cannot be forwarded as that.
	releasing bool
}

var _ versions.Bridge = (*Bridge)(nil)

// A request is a request of the client that the agent has not answered.
type request struct {
	session  string
	prompt   *prompt // of session/prompt
	cwd      string  // of session/new and session/fork
	value    []byte  // raw, of what sets an option
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
	return &Bridge{options: o, handlers: handlers{fromClient, noticesFromClient, fromAgent, noticesFromAgent, updates}}
}

// handlers are the tables below. A Bridge has them as a field because handlers
// use them too.
type handlers struct {
	fromClient, noticesFromClient map[string]func(*Bridge, *jsonrpc.Message)
	fromAgent, noticesFromAgent   map[string]func(*Bridge, *jsonrpc.Message)
	updates                       map[string]func(*Bridge, *session)
}

// fromClient says what becomes of the client's requests. Methods that are not
// here pass.
var fromClient = map[string]func(*Bridge, *jsonrpc.Message){
	"initialize":                (*Bridge).initializeAgain,
	"authenticate":              renamed("auth/login"),
	"logout":                    renamed("auth/logout"),
	"session/new":               (*Bridge).newSession,
	"session/fork":              (*Bridge).newSession,
	"session/load":              (*Bridge).loadSession,
	"session/resume":            (*Bridge).loadSession,
	"session/list":              (*Bridge).listSessions,
	"session/status":            (*Bridge).sessionStatus,
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

// fromAgent says what becomes of the agent's requests. Methods that are not
// here pass.
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
	"session/update":   (*Bridge).sessionUpdate,
	"$/cancel_request": (*Bridge).cancelAsk,
}

// begin prepares for a message or a timer.
func (b *Bridge) begin(now time.Time, out *translate.Out) {
	const maxScratch = 1 << 20
	for _, scratch := range []*[]byte{&b.w.Out, &b.line, &b.item.Out, &b.content, &b.patch.out, &b.patch.start, &b.patch.after} {
		if cap(*scratch) > maxScratch {
			*scratch = nil
		}
	}
	b.now, b.out = now, out
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
	b.begin(now, out)
	defer b.end(m.Session)
	switch {
	case m.IsRequest():
		b.requestFromClient(m)
	case m.IsNotification():
		if handle := b.handlers.noticesFromClient[string(m.Method)]; handle != nil {
			handle(b, m)
		} else {
			out.Forward()
		}
	case m.ID != nil && m.Method != nil:
		b.fail(m.ID, invalidRequest, "the message is a request and a response", nil)
	case m.ID != nil:
		b.answerFromClient(m)
	default:
		b.w.Lose("unreadable message", "dropped a message of the client that is neither a request nor a response")
	}
}

func (b *Bridge) requestFromClient(m *jsonrpc.Message) {
	switch handle := b.handlers.fromClient[string(m.Method)]; {
	case b.gone != "":
		b.fail(m.ID, internalError, b.gone, nil)
	case b.toAgent.Len() >= maxOpen:
		b.w.Lose("too many requests", "refused one of the client")
		b.fail(m.ID, internalError, "too many requests wait for an answer", nil)
	case handle != nil:
		handle(b, m)
	default:
		b.ask(m, string(m.Method), paramsOf(m), request{answered: (*Bridge).passAnswer})
	}
}

// FromAgent implements [versions.Bridge].
func (b *Bridge) FromAgent(m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.begin(now, out)
	b.take(m)
	b.end(m.Session)
}

func (b *Bridge) take(m *jsonrpc.Message) {
	switch {
	case m.IsRequest():
		b.requestFromAgent(m)
	case m.IsNotification():
		if handle := b.handlers.noticesFromAgent[string(m.Method)]; handle != nil {
			handle(b, m)
		} else {
			b.out.Forward()
		}
	case m.ID != nil && m.Method != nil:
		b.failAgent(m.ID, invalidRequest, "the message is a request and a response")
	case m.ID != nil:
		b.answerFromAgent(m)
	default:
		b.w.Lose("unreadable message", "dropped a message of the agent that is neither a request nor a response")
	}
}

func (b *Bridge) requestFromAgent(m *jsonrpc.Message) {
	switch handle := b.handlers.fromAgent[string(m.Method)]; {
	case b.toClient.Len() >= maxOpen:
		b.w.Lose("too many requests", "refused one of the agent")
		b.failAgent(m.ID, internalError, "too many requests wait for an answer")
	case b.holds(m):
	case handle != nil:
		handle(b, m)
	default:
		b.askClient(m.ID, string(m.Method), paramsOf(m), ask{session: string(m.Session)})
	}
}

// answerFromAgent takes in the answer to a request of the client. An answer
// that cannot be read is an error: the client must get one.
func (b *Bridge) answerFromAgent(m *jsonrpc.Message) {
	c := b.toAgent.Answered(m.ID)
	if c == nil {
		b.w.Lose("answer to no request", "dropped an answer of the agent to a request that nobody made, or that was answered")
		return
	}
	if !m.IsResponse() {
		broken := jsonrpc.Message{Text: []byte(`{"code":-32603,"message":"the agent's answer cannot be read"}`)}
		broken.Error = jsonrpc.Span{Start: 0, End: len(broken.Text)}
		m = &broken
	}
	c.Asked.answered(b, c, m)
}

// passAnswer passes an answer that is the same in both versions.
func (b *Bridge) passAnswer(c *jsonrpc.Call[request], m *jsonrpc.Message) {
	b.answerAs(c, m, nil)
}

// answerAs passes an answer whose result has a shape.
func (b *Bridge) answerAs(c *jsonrpc.Call[request], m *jsonrpc.Message, shape versions.Shape) {
	result := m.Result.Of(m.Text)
	switch {
	case m.Error.Present() && !rawjson.Null(m.Error.Of(m.Text)):
		b.failWith(c.ID, m.Error.Of(m.Text))
	case rawjson.Null(result):
		b.answer(c.ID, []byte("{}"))
	case shape == nil:
		b.answer(c.ID, result)
	default:
		b.w.Out = b.w.Out[:0]
		if !shape.Convert(&b.w, result) {
			b.unreadable(c.ID)
			return
		}
		b.answer(c.ID, b.w.Out)
	}
}

// unreadable answers a request of the client whose answer means nothing in
// version 1.
func (b *Bridge) unreadable(id []byte) {
	b.fail(id, internalError, "the agent's answer cannot be read", nil)
}

// renamed handles a request that has only another name in version 2.
func renamed(method string) func(*Bridge, *jsonrpc.Message) {
	return func(b *Bridge, m *jsonrpc.Message) {
		b.ask(m, method, paramsOf(m), request{answered: (*Bridge).passAnswer})
	}
}

// initializeAgain refuses a second initialize: the version has been decided.
func (b *Bridge) initializeAgain(m *jsonrpc.Message) {
	b.fail(m.ID, invalidRequest, "initialize may only be requested once per connection", nil)
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
	c := b.toClient.Sent(requestID(m))
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
		b.w.Lose("answer to no request", "dropped an answer of the client to a request that nobody made, or that was answered")
	case c.Asked.permission != nil:
		b.permissionAnswered(c, m)
	case !m.IsResponse():
		b.failAgent(c.ID, internalError, "the client's answer cannot be read")
	case m.Failed():
		b.respond(translate.Agent, c.ID, "error", readable(m.Error.Of(m.Text), "Internal error"))
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
	b.begin(now, out)
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
	b.end(nil)
}

// Next implements [versions.Bridge].
func (b *Bridge) Next() time.Time {
	var next time.Time
	for _, s := range b.sessions.dirty {
		next = earlier(next, s.due)
	}
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
	b.begin(now, out)
	for _, s := range slices.Clone(b.sessions.dirty) {
		if !s.due.After(now) {
			b.flushDue(s)
		}
	}
	for _, c := range slices.Clone(b.overdue) {
		if !c.Asked.deadline.After(now) {
			b.answerForClient(c)
		}
	}
	b.end(nil)
}

func paramsOf(m *jsonrpc.Message) []byte { return m.Params.Of(m.Text) }
