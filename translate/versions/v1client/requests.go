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
	errAmbiguous    = jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "the message is a request and a response"}
	errLongID       = jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "the sessionId is longer than 4 KiB"}
	errCancelled    = jsonrpc.Error{Code: jsonrpc.RequestCancelled, Message: "Request cancelled"}
	initializeAgain = jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "initialize may only be requested once per connection"}
	noMethod        = jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "Method not found"}
)

// noAnswer is the message of an error that has none.
const noAnswer = "Internal error"

// unreadable is the error in place of an answer of a side that cannot be read.
func unreadable(by translate.Side) jsonrpc.Error {
	return jsonrpc.Error{Code: jsonrpc.InternalError, Message: "the " + by.String() + "'s answer cannot be read"}
}

// invalid is the error for params with which nothing can be done.
func invalid(why string) jsonrpc.Error {
	return jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: why}
}

// read returns the members of an object, none if the value is something else.
func read(value []byte) rawjson.Object {
	o, _ := rawjson.ReadObject(nil, value)
	return o
}

// peers are the client and the agent of a connection.
type peers struct {
	options Options
	link    calls.Link
	members [16]rawjson.Field // scratch: of a change of a tool call, or of a result
}

// refuse answers a request of the client with an error.
func (p *peers) refuse(m *jsonrpc.Message, e jsonrpc.Error) { p.link.Refuse(translate.Client, m.ID, e) }

// ask asks the agent what the client asks, with another method and other params if they are
// given.
func (p *peers) ask(m *jsonrpc.Message, method string, params []byte, answered func(*calls.Call, *jsonrpc.Message)) *calls.Call {
	return p.link.Ask(translate.Agent, m, method, params, calls.Request{Answered: answered})
}

// failed passes on an answer that is an error. It reports whether it was one.
func (p *peers) failed(to translate.Side, c *calls.Call, m *jsonrpc.Message) bool {
	raw := calls.ErrorOf(m)
	if rawjson.Null(raw) {
		return false
	}
	p.link.RefuseAs(to, c.ID, raw, noAnswer)
	return true
}

// passOn returns what passes on an answer whose result has a shape. If that is nil, the
// result passes as it is. Some agents and clients say null in place of a result without
// members.
func (p *peers) passOn(to translate.Side, shape shapes.Object) func(*calls.Call, *jsonrpc.Message) {
	return func(c *calls.Call, m *jsonrpc.Message) {
		if p.failed(to, c, m) {
			return
		}
		result := calls.ResultOf(m)
		if rawjson.Null(result) {
			result = []byte("{}")
		}
		o, isObject := rawjson.ReadObject(p.members[:0], result)
		switch w := p.link.AnswerWith(c.ID); {
		case shape == nil:
			w.Raw(result)
		case !isObject && len(shape) > 0 || !shape.ToV1(w, o):
			p.link.LoseAll(w.Losses)
			p.link.Refuse(to, c.ID, unreadable(to.Other()))
			return
		}
		p.link.SendObject(to)
	}
}

// askSame passes a request of the client whose answer is the same in both versions, see
// [shapes.Result]. Its method's name may differ.
func (p *peers) askSame(m *jsonrpc.Message, method string) {
	shape := shapes.Result(method)
	var params []byte
	if shape != nil {
		params = calls.SameParams(m)
	}
	p.ask(m, method, params, p.passOn(translate.Client, shape))
}

// tellSame passes a notification of the agent whose params have a shape.
func (p *peers) tellSame(m *jsonrpc.Message) {
	if lost, ok := p.link.TellAs(translate.Client, m, shapes.Notification(string(m.Method)).ToV1); !ok {
		p.link.LoseAll(lost)
		p.link.Lose(translate.LossUnreadableNotification, "dropped a "+string(m.Method)+" that cannot be read")
	}
}

func orNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}
