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

// ErrCancelled is the error for a request that its sender has cancelled.
var ErrCancelled = jsonrpc.Error{Code: jsonrpc.RequestCancelled, Message: "Request cancelled"}

// InvalidParams returns the error for params that cannot be used.
func InvalidParams(why string) jsonrpc.Error {
	return jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "Invalid params: " + why}
}

var errTooManyOpen = jsonrpc.Error{Code: jsonrpc.InternalError, Message: "too many requests are open"}

// A Request is the state of a pending request.
type Request struct {
	Session string // "" if the request names none; Ask sets it

	// OnResponse is called with the response, or with an error in place of an unreadable response.
	// The call is no longer pending.
	OnResponse func(c *Call, m *jsonrpc.Message)

	// Tag is for the caller's use.
	Tag any
}

// A Call is a pending request.
type Call = jsonrpc.Call[Request]

// Ask forwards the request m to a side under an id that the Link chooses. A method other than ""
// and params other than nil replace those of m. Members outside JSON-RPC are copied. The request
// always has a jsonrpc member, because some peers omit it and others require it.
func (l *Link) Ask(to translate.Side, m *jsonrpc.Message, method string, params []byte, r Request) *Call {
	r.Session = string(m.Session)
	c := l.Pending[to].Open(m.ID, r)
	w := l.Write()
	w.JSON(`{"jsonrpc":"2.0","id":`)
	w.Raw(c.FarID)
	if method != "" {
		w.Texts("method", method)
	} else {
		w.JSON(`"method":`)
		w.Raw(m.MethodSpan.Of(m.Text))
		l.topic = m.Method
	}
	if params == nil {
		params = ParamsOf(m)
	}
	if params != nil {
		w.JSON(`"params":`)
		w.Raw(params)
	}
	if m.HasOthers {
		o := rawjson.Members(m.Span.Of(m.Text))
		w.CopyOthers(o, "jsonrpc", "id", "method", "params")
	}
	l.SendObject(to)
	return c
}

// DropPending drops all pending requests after the end of the agent, the earliest first. It refuses
// those of the client.
func (l *Link) DropPending() {
	for _, side := range []translate.Side{translate.Agent, translate.Client} {
		l.Pending[side].Each(func(c *Call) {
			l.Pending[side].Take(c.FarID)
			if side == translate.Agent {
				l.Refuse(translate.Client, c.ID, ErrAgentEnded)
			}
		})
	}
}

// Answer sends a response with a raw result.
func (l *Link) Answer(to translate.Side, id, result []byte) {
	l.AnswerWith(id).Raw(result)
	l.SendObject(to)
}

// AnswerWith begins a response, up to its result. SendObject completes it.
func (l *Link) AnswerWith(id []byte) *shapes.Writer { return l.respond(id, "result") }

func (l *Link) respond(id []byte, member string) *shapes.Writer {
	w := l.Write()
	w.JSON(`{"jsonrpc":"2.0","id":`)
	w.Raw(id)
	w.Name(member)
	l.topic = scan.Response
	return w
}

// Refuse sends an error response.
func (l *Link) Refuse(to translate.Side, id []byte, e jsonrpc.Error) {
	e.Write(&l.respond(id, "error").Builder)
	l.SendObject(to)
}

// RefuseAs sends an error response with a raw error of the other side, see
// [shapes.WriteError].
func (l *Link) RefuseAs(to translate.Side, id, raw []byte) {
	shapes.WriteError(l.respond(id, "error"), raw, "Internal error")
	l.SendObject(to)
}

// Cancel sends a side $/cancel_request for a pending request.
func (l *Link) Cancel(to translate.Side, c *Call) {
	l.notify(to, "$/cancel_request", "requestId", c.FarID)
}
