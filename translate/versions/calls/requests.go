package calls

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// MaxOpen is the number of requests that may be pending on one side.
const MaxOpen = 4096

var errTooManyOpen = jsonrpc.Error{Code: jsonrpc.InternalError, Message: "too many requests are open"}

// A Request is the state of a pending request.
type Request struct {
	Session string // may be ""; set by Ask

	// Answered is called with the response, which may be unreadable. The call is no longer
	// pending.
	Answered func(c *Call, m *jsonrpc.Message)

	// Of is the caller's: a turn, a question.
	Of any
}

// A Call is a pending request.
type Call = jsonrpc.Call[Request]

type calls = jsonrpc.Calls[Request]

// Ask sends a request to a side, with another method and other params if these are given.
// Members outside JSON-RPC are copied. The request has a jsonrpc member: some peers omit it,
// and others require it.
func (l *Link) Ask(to translate.Side, m *jsonrpc.Message, method string, params []byte, r Request) *Call {
	r.Session = string(m.Session)
	c := l.asked[to].Open(m.ID, r)
	w := l.Write()
	w.JSON(`{"jsonrpc":"2.0","id":`)
	w.Raw(c.FarID)
	if method != "" {
		w.Texts("method", method)
	} else {
		w.JSON(`"method":`)
		w.Raw(m.MethodAt.Of(m.Text))
		l.topic = m.Method
	}
	if params == nil {
		params = ParamsOf(m)
	}
	if params != nil {
		w.JSON(`"params":`)
		w.Raw(params)
	}
	if m.Others {
		o := rawjson.Members(m.Span.Of(m.Text))
		w.Others(o, "jsonrpc", "id", "method", "params")
	}
	l.SendObject(to)
	return c
}

// Adopt registers a request of the agent that was forwarded, under the agent's own raw id,
// before the bridge existed.
func (l *Link) Adopt(id []byte, r Request) { l.asked[translate.Client].Adopt(id, r) }

// Waiting returns the number of requests pending on a side.
func (l *Link) Waiting(side translate.Side) int { return l.asked[side].Len() }

// Sent returns the pending call to a side whose sender used the raw id, or nil.
func (l *Link) Sent(to translate.Side, id []byte) *Call { return l.asked[to].Sent(id) }

// Find returns the pending call that a side has under the raw id, or nil.
func (l *Link) Find(side translate.Side, id []byte) *Call { return l.asked[side].Find(id) }

// Answered passes a response to the request that it answers. It reports false if no such
// request is pending.
func (l *Link) Answered(by translate.Side, m *jsonrpc.Message) bool {
	c := l.asked[by].Answered(m.ID)
	if c == nil {
		return false
	}
	c.Asked.Answered(c, m)
	return true
}

// Late reports whether a response answers a request that was answered or dropped before.
func (l *Link) Late(by translate.Side, m *jsonrpc.Message) bool { return l.asked[by].Past(m.ID) }

// Forget drops a call; a response to it is late.
func (l *Link) Forget(to translate.Side, c *Call) { l.asked[to].Answered(c.FarID) }

// ForgetAll drops all calls to a side that has ended, the earliest first, and passes each to
// f, which may look up the others.
func (l *Link) ForgetAll(to translate.Side, f func(*Call)) {
	l.asked[to].Each(func(c *Call) {
		l.Forget(to, c)
		f(c)
	})
}

// Answer sends a response with a raw result.
func (l *Lines) Answer(to translate.Side, id, result []byte) {
	l.AnswerWith(id).Raw(result)
	l.SendObject(to)
}

// AnswerWith begins a response, up to its result. SendObject completes it.
func (l *Lines) AnswerWith(id []byte) *shapes.Writer { return l.respond(id, "result") }

func (l *Lines) respond(id []byte, member string) *shapes.Writer {
	w := l.Write()
	w.JSON(`{"jsonrpc":"2.0","id":`)
	w.Raw(id)
	w.Name(member)
	l.topic = scan.Response
	return w
}

// Refuse sends an error response.
func (l *Lines) Refuse(to translate.Side, id []byte, e jsonrpc.Error) {
	e.Write(&l.respond(id, "error").Builder)
	l.SendObject(to)
}

// RefuseAs sends an error response with a raw error of the other side, see
// [shapes.WriteError].
func (l *Lines) RefuseAs(to translate.Side, id, raw []byte, message string) {
	shapes.WriteError(l.respond(id, "error"), raw, message)
	l.SendObject(to)
}

// SameParams returns the params of a request whose params are the same in both versions, see
// [shapes.Object]. Params of another type than object are returned unchanged.
func SameParams(m *jsonrpc.Message) []byte {
	params := ParamsOf(m)
	if meta := m.Meta.Of(m.Text); len(meta) == 0 || meta[0] == '{' || meta[0] == 'n' {
		return params
	}
	o, ok := rawjson.ReadObject(nil, params)
	if !ok {
		return params
	}
	return shapes.Text(o)
}

// RequestID returns the raw id in a $/cancel_request, or nil.
func RequestID(m *jsonrpc.Message) []byte {
	var buf [4]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], ParamsOf(m))
	return o.Get("requestId")
}

// Cancel sends a side $/cancel_request for a call.
func (l *Lines) Cancel(to translate.Side, c *Call) {
	w := l.TellWith("$/cancel_request")
	w.Object()
	w.Member("requestId", c.FarID)
	w.EndObject()
	l.SendObject(to)
}
