package calls

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// MaxOpen is how many requests that come can wait for the answer of a side.
const MaxOpen = 4096

var errTooManyOpen = jsonrpc.Error{Code: jsonrpc.InternalError, Message: "too many requests are open"}

// A Request is what is known of a request that waits for its answer.
type Request struct {
	Session string // that it is about; may be "". Ask sets it

	// Answered handles the answer, or what cannot be read as one. The call is no
	// longer open then.
	Answered func(c *Call, m *jsonrpc.Message)

	// Of is what the request is about: a turn, a question. It is the caller's.
	Of any
}

// A Call is a request that was sent on.
type Call = jsonrpc.Call[Request]

type calls = jsonrpc.Calls[Request]

// Ask sends a request on to a side, with another method and other params if
// they are given; members that JSON-RPC does not have stay. It says its version: some peers
// leave that out, and others insist on it.
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

// RefuseFull refuses a request to a side that is full.
func (l *Link) RefuseFull(to translate.Side, m *jsonrpc.Message) {
	l.LoseOf(m.Session, translate.LossMemory, "a request of the "+to.Other().String()+" was refused")
	l.Refuse(to.Other(), m.ID, errTooManyOpen)
}

// Adopt notes a request of the agent that the client was asked before there was
// a bridge, under the agent's own raw id.
func (l *Link) Adopt(id []byte, r Request) { l.asked[translate.Client].Adopt(id, r) }

// Waiting returns how many requests wait for the answer of a side.
func (l *Link) Waiting(side translate.Side) int { return l.asked[side].Len() }

// Full reports whether no more requests can wait for the answer of a side.
func (l *Link) Full(side translate.Side) bool { return l.Waiting(side) >= MaxOpen }

// Sent returns the open call of a request to that side, to which its sender gave
// the raw id, or nil.
func (l *Link) Sent(to translate.Side, id []byte) *Call { return l.asked[to].Sent(id) }

// Find returns the open call that this side knows by the raw id, or nil.
func (l *Link) Find(side translate.Side, id []byte) *Call { return l.asked[side].Find(id) }

// Answered gives an answer of that side to the request that waits for it. It reports
// false if none does.
func (l *Link) Answered(by translate.Side, m *jsonrpc.Message) bool {
	c := l.asked[by].Answered(m.ID)
	if c == nil {
		return false
	}
	c.Asked.Answered(c, m)
	return true
}

// Late reports whether an answer of that side is to a request that waited once, and
// that was forgotten or answered since.
func (l *Link) Late(by translate.Side, m *jsonrpc.Message) bool { return l.asked[by].Past(m.ID) }

// Forget forgets a call: if its answer comes, nobody waits for it.
func (l *Link) Forget(to translate.Side, c *Call) { l.asked[to].Answered(c.FarID) }

// ForgetAll forgets all calls to a side that has ended, the earliest first, and gives
// each to f. f may look for others that are open still.
func (l *Link) ForgetAll(to translate.Side, f func(*Call)) {
	l.asked[to].Each(func(c *Call) {
		l.Forget(to, c)
		f(c)
	})
}

// Answer answers a request with a raw result.
func (l *Lines) Answer(to translate.Side, id, result []byte) {
	l.AnswerWith(id).Raw(result)
	l.SendObject(to)
}

// AnswerWith begins an answer, up to its result. It comes next, then SendObject.
func (l *Lines) AnswerWith(id []byte) *shapes.Writer { return l.respond(id, "result") }

func (l *Lines) respond(id []byte, member string) *shapes.Writer {
	w := l.Write()
	w.JSON(`{"jsonrpc":"2.0","id":`)
	w.Raw(id)
	w.Name(member)
	return w
}

// Refuse answers a request with an error.
func (l *Lines) Refuse(to translate.Side, id []byte, e jsonrpc.Error) {
	e.Write(&l.respond(id, "error").Builder)
	l.SendObject(to)
}

// RefuseAs answers a request with a raw error of the other side, see [shapes.WriteError].
func (l *Lines) RefuseAs(to translate.Side, id, raw []byte, message string) {
	shapes.WriteError(l.respond(id, "error"), raw, message)
	l.SendObject(to)
}

// SameParams returns the params of a request that are the same in both versions, see
// [shapes.Object]. Params that are not an object stay.
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

// RequestID returns the raw id that a $/cancel_request names, or nil.
func RequestID(m *jsonrpc.Message) []byte {
	var buf [4]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], ParamsOf(m))
	return o.Get("requestId")
}

// Cancel tells a side that nobody wants the answer to a request any more.
func (l *Lines) Cancel(to translate.Side, c *Call) {
	w := l.TellWith("$/cancel_request")
	w.Object()
	w.Member("requestId", c.FarID)
	w.EndObject()
	l.SendObject(to)
}
