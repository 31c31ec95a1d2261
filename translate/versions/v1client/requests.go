package v1client

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Errors of the bridge.
var (
	errNoChoice = calls.InvalidParams("the session has no such choice")
	errNoMethod = jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "Method not found"}
)

// refuse answers a request of the client with an error.
func (b *Bridge) refuse(m *jsonrpc.Message, e jsonrpc.Error) {
	b.link.Refuse(translate.Client, m.ID, e)
}

// ask forwards a request of the client to the agent, see [calls.Link.Ask].
func (b *Bridge) ask(m *jsonrpc.Message, method string, params []byte, onResponse func(*calls.Call, *jsonrpc.Message)) *calls.Call {
	return b.link.Ask(translate.Agent, m, method, params, calls.Request{OnResponse: onResponse})
}

// forwardIfError forwards a response if it is an error, and reports whether it is.
func (b *Bridge) forwardIfError(to translate.Side, c *calls.Call, m *jsonrpc.Message) bool {
	if m.Failed() {
		b.link.RefuseAs(to, c.ID, calls.ErrorOf(m))
	}
	return m.Failed()
}

// resultAs returns a handler that forwards a response to a side, with a result that the shape
// converts. A nil shape copies the result. {} replaces a null result: some agents and clients send
// null in place of an object without members.
func (b *Bridge) resultAs(to translate.Side, shape shapes.Object) func(*calls.Call, *jsonrpc.Message) {
	return func(c *calls.Call, m *jsonrpc.Message) {
		if b.forwardIfError(to, c, m) {
			return
		}
		result := calls.ResultOf(m)
		if rawjson.IsNull(result) {
			result = []byte("{}")
		}
		o, isObject := rawjson.ReadObject(b.members[:0], result)
		switch w := b.link.AnswerWith(c.ID); {
		case shape == nil:
			w.Raw(result)
		case !isObject && len(shape) > 0 || !shape.ToV1(w, o):
			b.link.Refuse(to, c.ID, calls.UnreadableError(to.Other()))
			return
		}
		b.link.SendObject(to)
	}
}

// askSame forwards a request of the client whose result is the same in both versions, see
// [shapes.Shared]. method is its method in version 2.
func (b *Bridge) askSame(m *jsonrpc.Message, method string) {
	b.ask(m, method, nil, b.resultAs(translate.Client, shapes.Shared(method)))
}
