package oldagent

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Errors of the bridge.
var (
	errCancelled = link.Error{Code: link.RequestCancelled, Message: "Request cancelled"}
	errUnread    = link.Error{Code: link.InternalError, Message: "the agent's answer cannot be read"}
)

// noAnswer is the message of an error that has none, and of an answer that cannot be
// read.
const noAnswer = "the answer is no valid one"

// invalid is the error for params with which nothing can be done.
func invalid(why string) link.Error {
	return link.Error{Code: link.InvalidParams, Message: "Invalid params: " + why}
}

// invalidOf is invalid for a value of a type that is not known.
func invalidOf(kind []byte, why string) link.Error {
	e := invalid(why)
	e.Data = naming("type", kind)
	return e
}

// noMethod is the error for a method that there is not.
func noMethod(name string) link.Error {
	return link.Error{Code: link.MethodNotFound, Message: "Method not found: " + name, Data: naming("method", []byte(name))}
}

// noSession is the error for a session that there is not.
func noSession(id []byte) link.Error {
	return link.Error{Code: link.ResourceNotFound, Message: "Resource not found", Data: naming("sessionId", id)}
}

// agentEnded is the error for what the client wants of an agent that has ended.
func agentEnded(l *link.Link) link.Error {
	return link.Error{Code: link.InternalError, Message: l.Ended()}
}

// naming returns an object with one member, which is a string.
func naming(name string, value []byte) []byte {
	return asObject(rawjson.Object(nil).Set(name, rawjson.AppendQuoted(nil, value)))
}

// asObject returns an object as it is written.
func asObject(o rawjson.Object) []byte {
	var w words.Writer
	words.Shape{}.ConvertObject(&w, o)
	return w.Out
}

// failed reports whether an answer is an error, or cannot be read.
func failed(m *jsonrpc.Message) bool { return m.Failed() || !m.Result.Present() }

// passAnswer passes on the answer of the other side.
func passAnswer(l *link.Link, to translate.Side, c *link.Call, m *jsonrpc.Message) {
	switch {
	case !failed(m):
		l.Answer(to, c.ID, link.ResultOf(m))
	case to == translate.Client:
		passError(l, c.ID, c.Asked.Session, m)
	default:
		l.RefuseAs(to, c.ID, link.ErrorOf(m), noAnswer)
	}
}

// passError passes on the agent's error for a request about a session. An answer that
// cannot be read becomes an error too. In version 2 an error that says that something
// was not found names the session.
func passError(l *link.Link, id []byte, session string, m *jsonrpc.Message) {
	raw := link.ErrorOf(m)
	if session != "" && link.ErrorCode(raw) == link.ResourceNotFound {
		o, _ := rawjson.ReadObject(nil, raw)
		raw = asObject(o.Set("data", namingSession(o.Get("data"), session)))
	}
	l.RefuseAs(translate.Client, id, raw, noAnswer)
}

// namingSession returns the data of an error, with the session if it is not there.
func namingSession(data []byte, session string) []byte {
	o, _ := rawjson.ReadObject(nil, data)
	if _, ok := o.Text("sessionId"); ok {
		return asObject(o)
	}
	return asObject(o.Set("sessionId", rawjson.AppendQuoted(nil, session)))
}
