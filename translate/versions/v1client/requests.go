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
	errNoChoice = invalid("the session has no such choice")
	errNoMethod = jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "Method not found"}
)

// invalid is the error for params that cannot be used.
func invalid(why string) jsonrpc.Error {
	return jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: why}
}

// refuse answers a request of the client with an error.
func (b *Bridge) refuse(m *jsonrpc.Message, e jsonrpc.Error) {
	b.link.Refuse(translate.Client, m.ID, e)
}

// ask sends a request of the client to the agent, with another method and other params if
// these are given.
func (b *Bridge) ask(m *jsonrpc.Message, method string, params []byte, onResponse func(*calls.Call, *jsonrpc.Message)) *calls.Call {
	return b.link.Ask(translate.Agent, m, method, params, calls.Request{OnResponse: onResponse})
}

// passIfError forwards an error response. It reports whether the response is one.
func (b *Bridge) passIfError(to translate.Side, c *calls.Call, m *jsonrpc.Message) bool {
	if m.Failed() {
		b.link.RefuseAs(to, c.ID, calls.ErrorOf(m))
	}
	return m.Failed()
}

// passOn returns a handler that forwards a response with a converted result. A nil shape
// copies the result. A null result becomes {}: some agents and clients send null where an
// object without members is meant.
func (b *Bridge) passOn(to translate.Side, shape shapes.Object) func(*calls.Call, *jsonrpc.Message) {
	return func(c *calls.Call, m *jsonrpc.Message) {
		if b.passIfError(to, c, m) {
			return
		}
		result := calls.ResultOf(m)
		if rawjson.Null(result) {
			result = []byte("{}")
		}
		o, isObject := rawjson.ReadObject(nil, result)
		switch w := b.link.AnswerWith(c.ID); {
		case shape == nil:
			w.Raw(result)
		case !isObject && len(shape) > 0 || !shape.ToV1(w, o):
			b.link.LoseAll(w.Losses)
			b.link.Refuse(to, c.ID, calls.UnreadableError(to.Other()))
			return
		}
		b.link.SendObject(to)
	}
}

// askSame forwards a request of the client whose result is the same in both versions, see
// [shapes.Shared]. The method may have another name.
func (b *Bridge) askSame(m *jsonrpc.Message, method string) {
	b.ask(m, method, nil, b.passOn(translate.Client, shapes.Shared(method)))
}
