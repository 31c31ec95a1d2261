package oldclient

import (
	"bytes"
	"slices"
	"strconv"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// The error codes that the bridge itself uses.
const (
	invalidRequest = -32600
	methodNotFound = -32601
	invalidParams  = -32602
	internalError  = -32603
	cancelled      = -32800
)

// ask sends a request of the client on to the agent, under an id of the
// bridge's own.
func (b *Bridge) ask(m *jsonrpc.Message, method string, params []byte, r request) *jsonrpc.Call[request] {
	if r.session == "" {
		r.session = string(m.Session)
	}
	c := b.toAgent.Open(m.ID, r)
	b.sendRequest(translate.Agent, c.Number, method, params)
	return c
}

// askClient sends a request of the agent on to the client. The id is the
// agent's.
func (b *Bridge) askClient(id []byte, method string, params []byte, a ask) *jsonrpc.Call[ask] {
	c := b.toClient.Open(id, a)
	b.sendRequest(translate.Client, c.Number, method, params)
	return c
}

func (b *Bridge) sendRequest(to translate.Side, id int64, method string, params []byte) {
	b.line = append(b.line[:0], `{"jsonrpc":"2.0","id":`...)
	b.line = append(strconv.AppendInt(b.line, id, 10), `,"method":`...)
	b.line = rawjson.AppendQuoted(b.line, method)
	if len(params) > 0 {
		b.line = append(append(b.line, `,"params":`...), params...)
	}
	b.out.Send(to, append(b.line, '}'))
}

// notify sends a notification. The object of its params is given without the
// closing brace.
func (b *Bridge) notify(to translate.Side, method string, params []byte) {
	b.line = append(b.line[:0], `{"jsonrpc":"2.0","method":"`...)
	b.line = append(append(b.line, method...), `","params":`...)
	b.out.Send(to, append(append(b.line, params...), '}', '}'))
}

// respond answers a request; member is "result" or "error".
func (b *Bridge) respond(to translate.Side, id []byte, member string, value []byte) {
	b.line = append(append(b.line[:0], `{"jsonrpc":"2.0","id":`...), id...)
	b.line = append(append(b.line, `,"`...), member...)
	b.line = append(append(b.line, `":`...), value...)
	b.out.Send(to, append(b.line, '}'))
}

// answer answers a request of the client with a result.
func (b *Bridge) answer(id, result []byte) { b.respond(translate.Client, id, "result", result) }

// fail answers a request of the client with an error. The raw data may be nil.
func (b *Bridge) fail(id []byte, code int, message string, data []byte) {
	b.respond(translate.Client, id, "error", appendError(nil, code, message, data))
}

// failWith answers a request of the client with an error of the agent.
func (b *Bridge) failWith(id, raw []byte) {
	b.respond(translate.Client, id, "error", readable(raw, "Internal error"))
}

// failAgent answers a request of the agent with an error.
func (b *Bridge) failAgent(id []byte, code int, message string) {
	b.respond(translate.Agent, id, "error", appendError(nil, code, message, nil))
}

func appendError(dst []byte, code int, message string, data []byte) []byte {
	dst = append(strconv.AppendInt(append(dst, `{"code":`...), int64(code), 10), `,"message":`...)
	dst = rawjson.AppendQuoted(dst, message)
	if data != nil {
		dst = append(append(dst, `,"data":`...), data...)
	}
	return append(dst, '}')
}

// readable returns an error object that version 1 can read. The message is for
// an error that has none.
func readable(raw []byte, message string) []byte {
	var w words.Writer
	words.Failure(message)(&w, orNull(raw))
	return w.Out
}

// errorCode returns the code of a raw error object.
func errorCode(raw []byte) int {
	o, _ := rawjson.ReadObject(nil, raw)
	code, _ := strconv.Atoi(string(o.Get("code")))
	return code
}

// member returns the raw value of a member of a raw object, nil if there is none.
func member(object []byte, name string) []byte {
	o, _ := rawjson.ReadObject(nil, object)
	return o.Get(name)
}

// appendMember appends a member to the members of an object that begins with {.
func appendMember(dst []byte, name string, text []byte) []byte {
	return rawjson.AppendQuoted(appendName(dst, name), text)
}

func appendRaw(dst []byte, name string, value []byte) []byte {
	return append(appendName(dst, name), value...)
}

func appendName(dst []byte, name string) []byte {
	if last := dst[len(dst)-1]; last != '{' && last != '[' {
		dst = append(dst, ',')
	}
	return append(append(append(dst, '"'), name...), '"', ':')
}

// appendObject appends an object, see [words.Shape].
func appendObject(dst []byte, o rawjson.Object) []byte {
	size := len("{}")
	for _, f := range o {
		size += len(f.Text) + len(",")
	}
	dst = append(slices.Grow(dst, size), '{')
	for _, f := range o {
		if !words.UnreadableMeta(f) {
			dst = append(appendComma(dst), f.Text...)
		}
	}
	return append(dst, '}')
}

func cloned(raw []byte) []byte { return append([]byte(nil), raw...) }

func orNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}

func appendNumber(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// textIn returns what a raw JSON value says if it is a string. That is a part of
// the value or, if it has escapes, appended to buf.
func textIn(buf, value []byte) (text []byte, ok bool) {
	switch {
	case len(value) < 2 || value[0] != '"':
		return nil, false
	case bytes.IndexByte(value, '\\') < 0:
		return value[1 : len(value)-1], true
	}
	return rawjson.AppendUnquoted(buf, value), true
}

// A sessionUpdateMessage is a session/update that is being converted.
type sessionUpdateMessage struct {
	m       *jsonrpc.Message
	span    jsonrpc.Span // of params.update
	members rawjson.Object
	content rawjson.Object // the members of its content
	kind    []byte
	session []byte // in which the client is shown it, if that is another one
	plain   bool   // what is around the update can stay
	plan    bool   // it concerns a plan
}

// read finds the update in a session/update. It reports false if there is none.
func (u *sessionUpdateMessage) read(m *jsonrpc.Message) bool {
	*u = sessionUpdateMessage{m: m, span: m.Update, members: m.Members, content: m.Content}
	if !m.Update.Present() || m.Session == nil {
		return false
	}
	if len(u.members) == 0 { // the plan translation has read the message
		u.members, _ = rawjson.ReadObject(nil, u.span.Of(m.Text))
		u.content, _ = rawjson.ReadObject(nil, u.members.Get("content"))
	}
	version := []byte(`"jsonrpc"`)
	u.plain = (!m.Meta.Present() || m.Text[m.Meta.Start] == '{' || m.Text[m.Meta.Start] == 'n') &&
		(bytes.Contains(m.Text[m.Start:m.Params.Start], version) || bytes.Contains(m.Text[m.Params.End:m.End], version))
	var ok bool
	u.kind, ok = u.members.Text("sessionUpdate")
	u.plan = translate.IsPlan(u.kind)
	return ok
}

// pass sends the client the update as it came.
func (b *Bridge) pass() {
	u := &b.update
	if u.plain && u.session == nil && !b.releasing {
		b.out.Forward()
		b.sentUpdate()
		return
	}
	b.w.Out = append(b.w.Out[:0], u.span.Of(u.m.Text)...)
	b.emit()
}

// emit sends the client what the Writer has as a session/update. What is around
// the update is as in the message that is being converted.
func (b *Bridge) emit() {
	u := &b.update
	switch {
	case u.session != nil:
		b.emitTo(u.session)
	case u.plain:
		text := u.m.Text
		b.out.Send(translate.Client, text[u.m.Start:u.span.Start], b.w.Out, text[u.span.End:u.m.End])
		b.sentUpdate()
	default:
		b.emitTo(u.m.Session)
	}
}

// emitTo sends the client what the Writer has as a session/update of the
// bridge's own.
func (b *Bridge) emitTo(session []byte) {
	b.line = append(b.line[:0], `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":`...)
	b.line = append(rawjson.AppendQuoted(b.line, session), `,"update":`...)
	b.out.Send(translate.Client, b.line, b.w.Out, []byte("}}"))
	b.sentUpdate()
}

// sentUpdate is called when an update was sent. The bridge itself never makes one
// that concerns a plan.
func (b *Bridge) sentUpdate() {
	b.w.Out = b.w.Out[:0]
	if !b.update.plan {
		b.out.NoPlan()
	}
}
