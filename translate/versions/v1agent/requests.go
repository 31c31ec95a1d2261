package v1agent

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

var errTooMany = jsonrpc.Error{Code: jsonrpc.InternalError, Message: "too many prompts wait for their turn"}

// unknownTypeError is the error for params with a value of an unknown type.
func unknownTypeError(kind, why string) jsonrpc.Error {
	e := calls.InvalidParams(why)
	e.Data = objectWith("type", []byte(kind))
	return e
}

// noMethod is the error for an unknown method.
func noMethod(name string) jsonrpc.Error {
	return jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "Method not found: " + name, Data: objectWith("method", []byte(name))}
}

// noSession is the error for an unknown session.
func noSession(id []byte) jsonrpc.Error {
	return jsonrpc.Error{Code: jsonrpc.ResourceNotFound, Message: "Resource not found", Data: objectWith("sessionId", id)}
}

// objectWith returns an object with one string member.
func objectWith(name string, value []byte) []byte {
	return shapes.Text(rawjson.Object(nil).Set(name, rawjson.AppendQuoted(nil, value)))
}

// refuse answers a request of the client with an error.
func (b *Bridge) refuse(m *jsonrpc.Message, e jsonrpc.Error) {
	b.link.Refuse(translate.Client, m.ID, e)
}

// ask forwards a request of the client to the agent, see [calls.Link.Ask].
func (b *Bridge) ask(m *jsonrpc.Message, method string, params []byte, onResponse func(*calls.Call, *jsonrpc.Message)) {
	b.link.Ask(translate.Agent, m, method, params, calls.Request{OnResponse: onResponse})
}

// forwardError forwards an error of the agent.
func (b *Bridge) forwardError(c *calls.Call, m *jsonrpc.Message) {
	b.link.RefuseAs(translate.Client, c.ID, errorOf(m, c.Request.Session))
}

// resultAs returns a handler that forwards a response, with a result that the shape converts. A nil
// shape copies the result.
func (b *Bridge) resultAs(shape shapes.Object) func(*calls.Call, *jsonrpc.Message) {
	return func(c *calls.Call, m *jsonrpc.Message) {
		switch result := calls.ResultOf(m); {
		case m.Failed():
			b.forwardError(c, m)
		case shape == nil:
			b.link.Answer(translate.Client, c.ID, result)
		default:
			o, _ := rawjson.ReadObject(b.members[:0], result)
			b.answerAs(c.ID, o, shape)
		}
	}
}

// errorOf returns the agent's raw error for a request about a session. In version 2, the error
// ResourceNotFound names the session.
func errorOf(m *jsonrpc.Message, session string) []byte {
	raw := calls.ErrorOf(m)
	if session == "" || jsonrpc.ErrorCode(raw) != jsonrpc.ResourceNotFound {
		return raw
	}
	o := rawjson.Members(raw)
	data := o.Object("data")
	if _, ok := data.Text("sessionId"); !ok {
		data = data.Set("sessionId", rawjson.AppendQuoted(nil, session))
	}
	return shapes.Text(o.Set("data", shapes.Text(data)))
}

// notFound refuses a request whose method only version 1 has, or the agent lacks.
func (b *Bridge) notFound(m *jsonrpc.Message) { b.refuse(m, noMethod(string(m.Method))) }

// askSame returns a handler that forwards a request that is the same in both versions, or that
// neither has, see [shapes.Shared]. method replaces the client's method, unless it is "".
func (b *Bridge) askSame(method string) calls.Handler {
	return func(m *jsonrpc.Message) {
		b.ask(m, method, nil, b.resultAs(shapes.Shared(string(m.Method))))
	}
}

// answerAs sends a converted result of the agent.
func (b *Bridge) answerAs(id []byte, result rawjson.Object, shape shapes.Object) {
	if shape.ToV2(b.link.AnswerWith(id), result) {
		b.link.SendObject(translate.Client)
	} else {
		b.link.Refuse(translate.Client, id, calls.UnreadableError(translate.Agent))
	}
}

// refuseToAgent refuses a request of the agent that clients of version 2 do not support.
func (b *Bridge) refuseToAgent(m *jsonrpc.Message) {
	method := string(m.Method)
	b.link.Lose(translate.LossClientRequest, method+" is refused: clients of version 2 read no files and run no commands")
	b.link.Refuse(translate.Agent, m.ID, noMethod(method))
}
