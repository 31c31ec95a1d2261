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
	Session string // that it is about; may be ""

	// Answered handles the answer, or what cannot be read as one. The call is no
	// longer open then.
	Answered func(c *Call, m *jsonrpc.Message)

	// Of is what the request is about: a turn, a question. It is the caller's.
	Of any
}

// A Call is a request that was sent on.
type Call = jsonrpc.Call[Request]

type calls = jsonrpc.Calls[Request]

// Ask sends a request on to a side, with another method and other params if they
// are given; members that JSON-RPC does not have stay. The request is about the session that the message
// names, unless r says otherwise. Ask returns nil if too many wait; the request is
// refused then.
func (l *Link) Ask(to translate.Side, m *jsonrpc.Message, method string, params []byte, r Request) *Call {
	c := l.Open(to, m, r)
	if c != nil {
		l.AskAgain(to, c, m, method, params)
	}
	return c
}

// Open notes a request that the caller sends by itself, with AskAgain or AskWith. It
// returns nil if too many wait; the request is refused then.
func (l *Link) Open(to translate.Side, m *jsonrpc.Message, r Request) *Call {
	if r.Session == "" {
		r.Session = string(m.Session)
	}
	if l.Full(to) {
		l.RefuseFull(to, m)
		return nil
	}
	return l.OpenID(to, m.ID, r)
}

// RefuseFull refuses a request to a side that is full.
func (l *Link) RefuseFull(to translate.Side, m *jsonrpc.Message) {
	l.LoseOf(m.Session, translate.LossMemory, "a request of the "+to.Other().String()+" was refused")
	l.Refuse(to.Other(), m.ID, Error{Code: InternalError, Message: "too many requests are open"})
}

// OpenID is Open for a request with a raw id whose message is gone. The caller has
// asked Full before.
func (l *Link) OpenID(to translate.Side, id []byte, r Request) *Call { return l.asked[to].Open(id, r) }

// Adopt notes a request of the agent that the client was asked before there was
// a bridge, under the agent's own raw id.
func (l *Link) Adopt(id []byte, r Request) { l.asked[translate.Client].Adopt(id, r) }

// AskAgain sends the request that a call is for, as Ask does.
func (l *Link) AskAgain(to translate.Side, c *Call, m *jsonrpc.Message, method string, params []byte) {
	w := l.request(c)
	if method != "" {
		w.StringMember("method", []byte(method))
	} else {
		w.JSON(`"method":`)
		w.Raw(m.MethodAt.Of(m.Text))
	}
	if params == nil {
		params = ParamsOf(m)
	}
	w.Member("params", params)
	if m.Others {
		o, _ := rawjson.ReadObject(nil, m.Span.Of(m.Text))
		for _, f := range o {
			switch string(f.Name) {
			case "jsonrpc", "id", "method", "params":
			default:
				if !words.UnreadableMeta(f) {
					w.Field(f)
				}
			}
		}
	}
	l.SendObject(to)
}

// AskWith begins the request that a call is for, up to its params. They come next,
// then SendObject.
func (l *Link) AskWith(c *Call, method string) *words.Writer {
	w := l.request(c)
	w.StringMember("method", []byte(method))
	w.Name("params")
	return w
}

// request begins the request that a call is for, up to its method. It says its version:
// some peers leave that out, and others insist on it.
func (l *Link) request(c *Call) *words.Writer {
	w := l.Write()
	w.JSON(`{"jsonrpc":"2.0","id":`)
	w.Int(c.Number)
	return w
}

// Waiting returns how many requests wait for the answer of a side.
func (l *Link) Waiting(side translate.Side) int { return l.asked[side].Len() }

// Full reports whether no more requests can wait for the answer of a side.
func (l *Link) Full(side translate.Side) bool { return l.Waiting(side) >= MaxOpen }

// Sent returns the open call of a request to that side, to which its sender gave
// the raw id, or nil.
func (l *Link) Sent(to translate.Side, id []byte) *Call { return l.asked[to].Sent(id) }

// Find returns the open call that this side knows by the raw id, or nil.
func (l *Link) Find(side translate.Side, id []byte) *Call { return l.asked[side].Find(id) }

// Each calls f for each open request to that side, the earliest first. f may
// answer any of them.
func (l *Link) Each(to translate.Side, f func(*Call)) { l.asked[to].Each(f) }

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
func (l *Link) Forget(to translate.Side, c *Call) { l.asked[to].Answered(c.FarID()) }

// ForgetAll forgets all calls to a side that has ended, the earliest first, and gives
// each to f. f may look for others that are open still.
func (l *Link) ForgetAll(to translate.Side, f func(*Call)) {
	l.asked[to].Each(func(c *Call) {
		l.Forget(to, c)
		f(c)
	})
}

// Answer answers a request with a raw result.
func (l *Link) Answer(to translate.Side, id, result []byte) {
	l.AnswerWith(id).Raw(result)
	l.SendObject(to)
}

// AnswerAs answers a request of the client with a result that is converted. It reports
// false if the result has no form; nothing is sent then. Some agents say null in place
// of a result without members.
func (l *Link) AnswerAs(id, result []byte, convert words.Convert) bool {
	o, _ := rawjson.ReadObject(nil, result)
	ok := convert(l.AnswerWith(id), o)
	if ok {
		l.SendObject(translate.Client)
	}
	return ok
}

// AnswerWith begins an answer, up to its result. It comes next, then SendObject.
func (l *Link) AnswerWith(id []byte) *words.Writer { return l.respond(id, "result") }

func (l *Link) respond(id []byte, member string) *words.Writer {
	w := l.Write()
	beginResponse(&w.Builder, id, member)
	return w
}

// Refuse answers a request with an error.
func (l *Link) Refuse(to translate.Side, id []byte, e Error) {
	e.Write(&l.respond(id, "error").Builder)
	l.SendObject(to)
}

// RefuseAs answers a request with a raw error of the other side, see [words.WriteError].
func (l *Link) RefuseAs(to translate.Side, id, raw []byte, message string) {
	words.WriteError(l.respond(id, "error"), raw, message)
	l.SendObject(to)
}

// SameParams returns the params of a request that are the same in both versions, see
// [words.Object]. Params that are no object stay.
func SameParams(m *jsonrpc.Message) []byte {
	params := ParamsOf(m)
	if meta := m.Meta.Of(m.Text); len(meta) == 0 || meta[0] == '{' || meta[0] == 'n' {
		return params
	}
	o, ok := rawjson.ReadObject(nil, params)
	if !ok {
		return params
	}
	return words.Text(o)
}

// RequestID returns the raw id that a $/cancel_request names, or nil.
func RequestID(m *jsonrpc.Message) []byte {
	var buf [4]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], ParamsOf(m))
	return o.Get("requestId")
}

// Cancel tells a side that nobody wants the answer to a request any more.
func (l *Link) Cancel(to translate.Side, c *Call) {
	w := l.TellWith("$/cancel_request")
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
