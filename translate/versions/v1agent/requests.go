package v1agent

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Errors of the bridge.
var (
	errTooMany   = link.Error{Code: link.InternalError, Message: "too many prompts wait for their turn"}
	errCancelled = link.Error{Code: link.RequestCancelled, Message: "Request cancelled"}
	// errInitialized: the version has been decided.
	errInitialized = link.Error{Code: link.InvalidRequest, Message: "initialize may only be requested once per connection"}
	errUnread      = link.Error{Code: link.InternalError, Message: "the agent's answer cannot be read"}
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

// naming returns an object with one member, which is a string.
func naming(name string, value []byte) []byte {
	return words.Text(rawjson.Object(nil).Set(name, rawjson.AppendQuoted(nil, value)))
}

// failed reports whether an answer is an error, or cannot be read.
func failed(m *jsonrpc.Message) bool { return m.Failed() || !m.Result.Present() }

// passedTo returns what passes on the answer of the other side.
func passedTo(l *link.Link, to translate.Side) func(*link.Call, *jsonrpc.Message) {
	return func(c *link.Call, m *jsonrpc.Message) {
		switch {
		case !failed(m):
			l.Answer(to, c.ID, link.ResultOf(m))
		case to == translate.Client:
			passError(l, c.ID, c.Asked.Session, m)
		default:
			l.RefuseAs(to, c.ID, link.ErrorOf(m), noAnswer)
		}
	}
}

// answeredAs returns what passes on an answer of the agent whose result has a shape.
func answeredAs(l *link.Link, shape words.Object) func(*link.Call, *jsonrpc.Message) {
	return func(c *link.Call, m *jsonrpc.Message) {
		switch {
		case failed(m):
			passError(l, c.ID, c.Asked.Session, m)
		case !l.AnswerAs(c.ID, link.ResultOf(m), shape.ToV2):
			l.Refuse(translate.Client, c.ID, errUnread)
		}
	}
}

// passError passes on the agent's error for a request about a session. An answer that
// cannot be read becomes an error too.
func passError(l *link.Link, id []byte, session string, m *jsonrpc.Message) {
	l.RefuseAs(translate.Client, id, errorOf(m, session), noAnswer)
}

// errorOf returns the agent's raw error for a request about a session. In version 2 an
// error that says that something was not found names the session.
func errorOf(m *jsonrpc.Message, session string) []byte {
	raw := link.ErrorOf(m)
	if session != "" && link.ErrorCode(raw) == link.ResourceNotFound {
		o, _ := rawjson.ReadObject(nil, raw)
		raw = words.Text(o.Set("data", namingSession(o.Get("data"), session)))
	}
	return raw
}

// namingSession returns the data of an error, with the session if it is not there.
func namingSession(data []byte, session string) []byte {
	o, _ := rawjson.ReadObject(nil, data)
	if _, ok := o.Text("sessionId"); ok {
		return words.Text(o)
	}
	return words.Text(o.Set("sessionId", rawjson.AppendQuoted(nil, session)))
}

// askSame passes a request whose answer is the same in both versions, see
// [words.Result].
func askSame(l *link.Link, m *jsonrpc.Message, method string, params []byte) {
	shape := words.Result(string(m.Method))
	l.Ask(translate.Agent, m, method, params, link.Request{Answered: answeredAs(l, shape)})
}

// logOut handles auth/logout. An agent of version 1 need not know how.
func (b *Bridge) logOut(m *jsonrpc.Message) {
	if !b.agent.Logout {
		b.link.Refuse(translate.Client, m.ID, noMethod("auth/logout"))
		return
	}
	askSame(&b.link, m, "logout", link.SameParams(m))
}

// notInV2 refuses a request of the agent for what clients of version 2 do not do.
func (b *Bridge) notInV2(m *jsonrpc.Message) {
	method := string(m.Method)
	b.link.LoseOf(m.Session, translate.LossClientRequest, method+" was refused: clients of version 2 read no files and run no commands")
	b.link.Refuse(translate.Agent, m.ID, link.Error{Code: link.MethodNotFound, Message: "Method not found: " + method})
}

// passed handles a notification of the agent whose params have a shape.
func (b *Bridge) passed(m *jsonrpc.Message) {
	b.spoke(b.sessions.find(m.Session))
	if _, ok := b.link.TellAs(translate.Client, m, words.Notification(string(m.Method)).ToV2); !ok {
		b.link.LoseOf(nil, translate.LossUnreadableNotification, "a "+string(m.Method)+" that cannot be read was dropped")
	}
}
