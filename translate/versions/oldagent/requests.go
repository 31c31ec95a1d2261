package oldagent

import (
	"bytes"
	"strconv"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Codes of errors.
const (
	invalidRequest   = -32600
	methodNotFound   = -32601
	invalidParams    = -32602
	internalError    = -32603
	resourceNotFound = -32002
	requestCancelled = -32800
)

// Where a message goes.
const (
	toClient = translate.Client
	toAgent  = translate.Agent
)

// A request is what is known of a request that waits for its answer.
type request struct {
	// answered takes in the answer. The call is no longer open then.
	answered func(c *call, m *jsonrpc.Message)

	session  string // of a request of the client: the session it is about; "" if none
	cwd      string // of one for a new session: where it is to work
	turn     *turn  // of a prompt
	question *question
}

type call = jsonrpc.Call[request]

func idOf(number int64) []byte { return strconv.AppendInt(nil, number, 10) }

// ask sends a request of the client on, with another method and other params if
// they are given.
func (b *Bridge) ask(m *jsonrpc.Message, method string, params []byte, answered func(*call, *jsonrpc.Message)) {
	if c := b.open(m, request{answered: answered, session: string(m.Session)}); c != nil {
		b.readdress(toAgent, m, c.Number, method, params)
	}
}

// open notes a request of the client. It returns nil if there are too many of
// them; the request is refused then.
func (b *Bridge) open(m *jsonrpc.Message, r request) *call {
	if b.asked.Len() >= MaxRequests {
		b.lose(m.Session, translate.LossTooManyRequests, "a request of the client was refused")
		b.refuse(m.ID, internalError, "too many requests are open", nil)
		return nil
	}
	return b.asked.Open(m.ID, r)
}

// askClient sends a request of the agent on, with other params if they are
// given. It returns nil if it was refused.
func (b *Bridge) askClient(m *jsonrpc.Message, params []byte, r request) *call {
	if b.asks.Len() >= MaxRequests {
		b.lose(m.Session, translate.LossTooManyRequests, "a request of the agent was refused")
		b.refuseAgent(m.ID, internalError, "too many requests are open")
		return nil
	}
	c := b.asks.Open(m.ID, r)
	b.readdress(toClient, m, c.Number, "", params)
	return c
}

// Asked implements [versions.Bridge].
func (b *Bridge) Asked(id []byte, method, session string) {
	r := request{answered: b.clientAnswer, session: session}
	switch method {
	case "session/request_permission":
		r.answered = b.permissionAnswered
	case "elicitation/create":
		r.answered = b.elicitationAnswered
	}
	b.asks.Adopt(id, r)
}

// readdress sends a request with another id, and another method and other params
// if they are given.
func (b *Bridge) readdress(to translate.Side, m *jsonrpc.Message, id int64, method string, params []byte) {
	w := b.begin()
	w.Text("{")
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], m.Span.Of(m.Text))
	for _, f := range o {
		switch name := string(f.Name); {
		case name == "id":
			member(w, name)
			w.Out = strconv.AppendInt(w.Out, id, 10)
		case name == "method" && method != "":
			member(w, name)
			w.Quoted([]byte(method))
		case name == "params" && params != nil:
			member(w, name)
			w.Out = append(w.Out, params...)
		default:
			field(w, f)
		}
	}
	if params != nil && !m.Params.Present() {
		member(w, "params")
		w.Out = append(w.Out, params...)
	}
	w.Text("}")
	b.send(to)
}

// agentAnswers takes in an answer of the agent.
func (b *Bridge) agentAnswers(m *jsonrpc.Message) { b.answers(&b.asked, m) }

// clientAnswers takes in an answer of the client.
func (b *Bridge) clientAnswers(m *jsonrpc.Message) { b.answers(&b.asks, m) }

// tell passes on a notification of the agent whose params have a shape.
func (b *Bridge) tell(m *jsonrpc.Message, shape words.Shape) {
	params := m.Params.Of(m.Text)
	w := b.begin()
	w.Text(`{"jsonrpc":"2.0"`)
	member(w, "method")
	w.Quoted(m.Method)
	member(w, "params")
	start := len(w.Out)
	switch {
	case !shape.Convert(w, params):
		b.lose(nil, translate.LossUnreadableNotification, "a "+string(m.Method)+" that cannot be read was dropped")
	case bytes.Equal(w.Out[start:], params):
		b.out.Forward()
	default:
		w.Text("}")
		b.send(toClient)
	}
}

// answers takes in an answer. An answer may come after its request was given
// up. An answer to no request at all is a loss.
func (b *Bridge) answers(calls *jsonrpc.Calls[request], m *jsonrpc.Message) {
	if c := calls.Answered(m.ID); c != nil {
		c.Asked.answered(c, m)
	} else if !calls.Past(m.ID) {
		b.lose(nil, translate.LossNoRequest, "it was dropped")
	}
}

// answer sends the agent's answer on.
func (b *Bridge) answer(c *call, m *jsonrpc.Message) {
	if !m.Result.Present() || m.Failed() {
		b.answerError(c, m)
		return
	}
	b.reply(c.ID, m.Result.Of(m.Text))
}

// logOut signs the user out. An agent of version 1 need not know how.
func (b *Bridge) logOut(m *jsonrpc.Message) {
	if !b.options.Agent.Logout {
		b.refuseMethod(m.ID, "auth/logout")
		return
	}
	b.askSame(m, "logout")
}

// askSame sends on a request that is the same in both versions, but for the
// method's name. Some agents of version 1 say null in place of a result without
// members.
func (b *Bridge) askSame(m *jsonrpc.Message, method string) { b.askWith(m, method, sameParams(m)) }

// askWith is askSame with other params.
func (b *Bridge) askWith(m *jsonrpc.Message, method string, params []byte) {
	shape := words.Result(string(m.Method))
	b.ask(m, method, params, func(c *call, m *jsonrpc.Message) { b.answerSame(c, m, shape) })
}

// answerSame sends on the agent's answer, whose result has a shape.
func (b *Bridge) answerSame(c *call, m *jsonrpc.Message, shape words.Shape) {
	result := m.Result.Of(m.Text)
	if m.Failed() || result == nil {
		b.answerError(c, m)
		return
	}
	if result[0] != '{' {
		result = []byte("{}")
	}
	w := b.begin()
	respond(w, c.ID, "result")
	if !shape.Convert(w, result) {
		b.refuse(c.ID, internalError, "the agent's answer cannot be read", nil)
		return
	}
	w.Text("}")
	b.send(toClient)
}

// sameParams returns the params of a request that are the same in both versions, see
// [words.Shape]; nil if they are no object.
func sameParams(m *jsonrpc.Message) []byte {
	var w words.Writer
	if !(words.Shape{}).Convert(&w, m.Params.Of(m.Text)) {
		return nil
	}
	return w.Out
}

// clientAnswer sends the client's answer on.
func (b *Bridge) clientAnswer(c *call, m *jsonrpc.Message) {
	if !m.Result.Present() || m.Failed() {
		w := b.begin()
		respond(w, c.ID, "error")
		appendError(w, m.Error.Of(m.Text), "")
		w.Text("}")
		b.send(toAgent)
		return
	}
	b.replyAgent(c.ID, m.Result.Of(m.Text))
}

// answerError sends the agent's error on. An answer that cannot be read becomes an
// error too.
func (b *Bridge) answerError(c *call, m *jsonrpc.Message) { b.passError(c.ID, c.Asked.session, m) }

// passError is answerError for any request about a session.
func (b *Bridge) passError(id []byte, session string, m *jsonrpc.Message) {
	w := b.begin()
	respond(w, id, "error")
	appendError(w, m.Error.Of(m.Text), session)
	w.Text("}")
	b.send(toClient)
}

// errorCode returns the code of an error, 0 if it has none.
func errorCode(value []byte) int {
	var buf [4]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], value)
	code, err := strconv.Atoi(string(o.Get("code")))
	if err != nil {
		return 0
	}
	return code
}

// appendError writes an error as every version reads it: a code that is an
// integer and a message that is a string. In version 2 an error that says that
// something was not found names the session, if it is given.
func appendError(w *words.Writer, value []byte, session string) {
	var buf [4]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], value)
	code := errorCode(value)
	if code == 0 {
		code = internalError
	}
	w.Text(`{"code":`)
	w.Out = strconv.AppendInt(w.Out, int64(code), 10)
	member(w, "message")
	if message, ok := o.Text("message"); ok {
		w.Quoted(message)
	} else {
		w.Text(`"the answer is no valid one"`)
	}
	data := o.Get("data")
	if code == resourceNotFound && session != "" {
		member(w, "data")
		appendSessionData(w, data, session)
		data = nil
	}
	if data != nil {
		member(w, "data")
		w.Out = append(w.Out, data...)
	}
	w.Text("}")
}

func appendSessionData(w *words.Writer, data []byte, session string) {
	var buf [4]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], data)
	w.Text("{")
	for _, f := range o {
		field(w, f)
	}
	if _, ok := o.Text("sessionId"); !ok {
		member(w, "sessionId")
		w.Quoted([]byte(session))
	}
	w.Text("}")
}

// reply answers a request of the client.
func (b *Bridge) reply(id, result []byte) { b.replyTo(toClient, id, result) }

// replyAgent answers a request of the agent.
func (b *Bridge) replyAgent(id, result []byte) { b.replyTo(toAgent, id, result) }

func (b *Bridge) replyTo(to translate.Side, id, result []byte) {
	w := b.begin()
	respond(w, id, "result")
	w.Out = append(w.Out, result...)
	w.Text("}")
	b.send(to)
}

// refuse answers a request of the client with an error; data can be nil.
func (b *Bridge) refuse(id []byte, code int, message string, data []byte) {
	w := b.begin()
	respond(w, id, "error")
	errorObject(w, code, message, data)
	w.Text("}")
	b.send(toClient)
}

func (b *Bridge) refuseMethod(id []byte, method string) {
	data := append(rawjson.AppendQuoted([]byte(`{"method":`), method), '}')
	b.refuse(id, methodNotFound, "Method not found: "+method, data)
}

func (b *Bridge) refuseAgent(id []byte, code int, message string) {
	w := b.begin()
	respond(w, id, "error")
	errorObject(w, code, message, nil)
	w.Text("}")
	b.send(toAgent)
}

func errorObject(w *words.Writer, code int, message string, data []byte) {
	w.Text(`{"code":`)
	w.Out = strconv.AppendInt(w.Out, int64(code), 10)
	member(w, "message")
	w.Quoted([]byte(message))
	if data != nil {
		member(w, "data")
		w.Out = append(w.Out, data...)
	}
	w.Text("}")
}

// respond begins a response, up to the value of that member.
func respond(w *words.Writer, id []byte, name string) {
	w.Text(`{"jsonrpc":"2.0","id":`)
	w.Out = append(w.Out, id...)
	member(w, name)
}

// clientCancelsRequest takes in that the client no longer wants an answer.
func (b *Bridge) clientCancelsRequest(m *jsonrpc.Message) {
	id := b.requestID(m)
	if id == nil || b.cancelHeld(id) {
		return
	}
	switch c := b.asked.Sent(id); {
	case c == nil:
	case c.Asked.turn != nil:
		b.withdraw(c.Asked.turn)
	default:
		b.cancelRequest(toAgent, idOf(c.Number))
	}
}

// agentCancelsRequest takes in that the agent no longer wants an answer.
func (b *Bridge) agentCancelsRequest(m *jsonrpc.Message) {
	if id := b.requestID(m); id != nil {
		if c := b.asks.Sent(id); c != nil {
			b.cancelRequest(toClient, c.FarID())
		}
	}
}

func (b *Bridge) requestID(m *jsonrpc.Message) []byte {
	var buf [4]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], m.Params.Of(m.Text))
	return o.Get("requestId")
}

func (b *Bridge) cancelRequest(to translate.Side, id []byte) {
	w := b.begin()
	w.Text(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":`)
	w.Out = append(w.Out, id...)
	w.Text("}}")
	b.send(to)
}

// begin returns a Writer for the next message that is sent.
func (b *Bridge) begin() *words.Writer {
	const maxScratch = 1 << 20
	if cap(b.w.Out) > maxScratch {
		b.w.Out = nil
	}
	b.w.Reset()
	b.w.Cwd = ""
	return &b.w
}

// send sends what the Writer has, and notes what was lost on the way.
func (b *Bridge) send(to translate.Side) {
	b.out.Send(to, b.w.Out)
	for _, l := range b.w.Losses {
		b.lose(b.about, l.Kind, l.Detail)
	}
	b.w.Losses = b.w.Losses[:0]
}

// member writes the name of a member, and a comma before it if it is not the
// first of its object.
func member(w *words.Writer, name string) {
	comma(w)
	w.Text(`"`)
	w.Text(name)
	w.Text(`":`)
}

// field writes a member as it is, see [words.Shape].
func field(w *words.Writer, f rawjson.Field) {
	if words.UnreadableMeta(f) {
		return
	}
	comma(w)
	w.Out = append(w.Out, f.Text...)
}

// optional writes a member that has a value.
func optional(w *words.Writer, name string, value []byte) {
	if value != nil {
		member(w, name)
		w.Out = append(w.Out, value...)
	}
}

func comma(w *words.Writer) {
	if last := w.Out[len(w.Out)-1]; last != '{' && last != '[' {
		w.Text(",")
	}
}
