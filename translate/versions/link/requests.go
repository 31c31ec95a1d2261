package link

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// MaxOpen is how many requests can wait for the answer of a side.
const MaxOpen = 4096

// A Request is what is known of a request that waits for its answer.
type Request struct {
	Session string // that it is about; "" if there is none

	// Answered handles the answer, or what cannot be read as one. The call is no
	// longer open then.
	Answered func(c *Call, m *jsonrpc.Message)

	// Of is what the request is about: a turn, a question. It is the caller's.
	Of any
}

// A Call is a request that was sent on.
type Call = jsonrpc.Call[Request]

type calls = jsonrpc.Calls[Request]

// Ask sends a request on to the other side, with another method and other params
// if they are given. It returns nil if too many wait; the request is refused
// then.
func (l *Link) Ask(to translate.Side, m *jsonrpc.Message, method string, params []byte, r Request) *Call {
	c := l.Open(to, m, r)
	if c != nil {
		l.readdress(to, m, c.Number, method, params)
	}
	return c
}

// Open notes a request that the caller sends by itself. It returns nil if too many
// wait; the request is refused then.
func (l *Link) Open(to translate.Side, m *jsonrpc.Message, r Request) *Call {
	if l.Full(to, m) {
		return nil
	}
	return l.asked[to].Open(m.ID, r)
}

// Full reports whether too many requests to a side wait. The request is refused
// then. What must do something before it asks finds out first.
func (l *Link) Full(to translate.Side, m *jsonrpc.Message) bool {
	if l.asked[to].Len() < MaxOpen {
		return false
	}
	l.Lose(translate.LossTooManyRequests, "a request of the "+to.Other().String()+" was refused")
	l.Refuse(to.Other(), m.ID, Error{Code: InternalError, Message: "too many requests are open"})
	return true
}

// Adopt notes a request of the agent that the client was asked before there was
// a bridge, under the agent's own raw id.
func (l *Link) Adopt(id []byte, r Request) { l.asked[translate.Client].Adopt(id, r) }

// readdress sends a request with another id, and another method and other params
// if they are given. Other members stay.
func (l *Link) readdress(to translate.Side, m *jsonrpc.Message, id int64, method string, params []byte) {
	w := l.Write()
	w.Object()
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], m.Span.Of(m.Text))
	for _, f := range o {
		switch name := string(f.Name); {
		case name == "id":
			w.Name(name)
			w.Int(id)
		case name == "method" && method != "":
			w.StringMember(name, []byte(method))
		case name == "params" && params != nil:
			w.Member(name, params)
		case !words.UnreadableMeta(f):
			w.Field(f)
		}
	}
	if !m.Params.Present() {
		w.Member("params", params)
	}
	l.SendObject(to)
}

// Waiting returns how many requests wait for the answer of a side.
func (l *Link) Waiting(side translate.Side) int { return l.asked[side].Len() }

// Sent returns the open call of a request to that side, to which its sender gave
// the raw id; nil if there is none.
func (l *Link) Sent(to translate.Side, id []byte) *Call { return l.asked[to].Sent(id) }

// Find returns the open call whose id is the raw id on the side that was asked; nil
// if there is none.
func (l *Link) Find(at translate.Side, id []byte) *Call { return l.asked[at].Find(id) }

// Each calls f for each open request to that side, the earliest first. f may
// answer any of them.
func (l *Link) Each(to translate.Side, f func(*Call)) { l.asked[to].Each(f) }

// Answered gives an answer of that side to the request that waits for it. An
// answer may come after its request was forgotten. An answer to no request at all
// is a loss.
func (l *Link) Answered(by translate.Side, m *jsonrpc.Message) {
	if c := l.asked[by].Answered(m.ID); c != nil {
		c.Asked.Answered(c, m)
	} else if !l.asked[by].Past(m.ID) {
		l.LoseOf(nil, translate.LossNoRequest, "dropped an answer of the "+by.String()+" to a request that nobody made")
	}
}

// Forget forgets a call: if its answer comes, it is dropped.
func (l *Link) Forget(to translate.Side, c *Call) { l.asked[to].Answered(c.FarID()) }

// Answer answers a request with a raw result.
func (l *Link) Answer(to translate.Side, id, result []byte) {
	l.AnswerWith(id).Raw(result)
	l.SendObject(to)
}

// AnswerWith begins an answer, up to its result. It comes next, then SendObject.
func (l *Link) AnswerWith(id []byte) *words.Writer { return l.respond(id, "result") }

// RefuseWith begins a response that is an error, up to the error. It comes next,
// then SendObject.
func (l *Link) RefuseWith(id []byte) *words.Writer { return l.respond(id, "error") }

func (l *Link) respond(id []byte, member string) *words.Writer {
	w := l.Write()
	beginResponse(&w.Builder, id, member)
	return w
}

// Refuse answers a request with an error.
func (l *Link) Refuse(to translate.Side, id []byte, e Error) {
	e.write(&l.RefuseWith(id).Builder)
	l.SendObject(to)
}

// RefuseAs answers a request with a raw error.
func (l *Link) RefuseAs(to translate.Side, id, raw []byte) {
	l.RefuseWith(id).Raw(raw)
	l.SendObject(to)
}

// RequestID returns the raw id that a $/cancel_request names, nil if there is none.
func RequestID(m *jsonrpc.Message) []byte {
	var buf [4]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], ParamsOf(m))
	return o.Get("requestId")
}

// Cancel tells a side that nobody wants the answer to a request any more.
func (l *Link) Cancel(to translate.Side, c *Call) {
	w := l.Tell("$/cancel_request")
	w.Object()
	if c.Number == 0 {
		w.Member("requestId", c.ID)
	} else {
		w.Name("requestId")
		w.Int(c.Number)
	}
	w.EndObject()
	l.SendObject(to)
}
