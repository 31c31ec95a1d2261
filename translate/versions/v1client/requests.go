package v1client

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Errors of the bridge.
var (
	errAmbiguous    = link.Error{Code: link.InvalidRequest, Message: "the message is a request and a response"}
	errLongID       = link.Error{Code: link.InvalidRequest, Message: "the sessionId is longer than 4 KiB"}
	errCancelled    = link.Error{Code: link.RequestCancelled, Message: "Request cancelled"}
	errUnread       = link.Error{Code: link.InternalError, Message: "the agent's answer cannot be read"}
	errUnreadClient = link.Error{Code: link.InternalError, Message: "the client's answer cannot be read"}
	initializeAgain = link.Error{Code: link.InvalidRequest, Message: "initialize may only be requested once per connection"}
	noMethod        = link.Error{Code: link.MethodNotFound, Message: "Method not found"}
)

// noAnswer is the message of an error that has none.
const noAnswer = "Internal error"

// invalid is the error for params with which nothing can be done.
func invalid(why string) link.Error { return link.Error{Code: link.InvalidParams, Message: why} }

// passedToAgent returns what passes on the answer of the client.
func passedToAgent(l *link.Link) func(*link.Call, *jsonrpc.Message) {
	return func(c *link.Call, m *jsonrpc.Message) {
		if !refusedByClient(l, c, m) {
			l.Answer(translate.Agent, c.ID, orEmpty(link.ResultOf(m)))
		}
	}
}

// refusedByClient passes on an answer that is an error, or cannot be read. It reports
// whether that was one.
func refusedByClient(l *link.Link, c *link.Call, m *jsonrpc.Message) bool {
	switch {
	case !m.IsResponse():
		l.Refuse(translate.Agent, c.ID, errUnreadClient)
	case m.Failed():
		l.RefuseAs(translate.Agent, c.ID, link.ErrorOf(m), noAnswer)
	default:
		return false
	}
	return true
}

// refusedByAgent passes on an answer that is an error. It reports whether it was one.
func refusedByAgent(l *link.Link, c *link.Call, m *jsonrpc.Message) bool {
	raw := link.ErrorOf(m)
	if rawjson.Null(raw) {
		return false
	}
	l.RefuseAs(translate.Client, c.ID, raw, noAnswer)
	return true
}

// answeredAs returns what passes on an answer of the agent whose result has a shape. If
// that is nil, the result passes as it is. Some agents say null in place of a result
// without members.
func answeredAs(l *link.Link, shape words.Object) func(*link.Call, *jsonrpc.Message) {
	return func(c *link.Call, m *jsonrpc.Message) {
		if refusedByAgent(l, c, m) {
			return
		}
		result := orEmpty(link.ResultOf(m))
		if shape == nil {
			l.Answer(translate.Client, c.ID, result)
			return
		}
		o, isObject := rawjson.ReadObject(nil, result)
		w := l.AnswerWith(c.ID)
		if (isObject || len(shape) == 0) && shape.ToV1(w, o) {
			l.SendObject(translate.Client)
		} else {
			l.LoseAll(w.Losses)
			l.Refuse(translate.Client, c.ID, errUnread)
		}
	}
}

// same handles a request that is the same in both versions. Its method's name may
// differ.
func (b *Bridge) same(method string) func(*jsonrpc.Message) {
	return func(m *jsonrpc.Message) { askSame(&b.link, m, method) }
}

// askSame passes a request whose answer is the same in both versions, see
// [words.Result].
func askSame(l *link.Link, m *jsonrpc.Message, method string) {
	shape := words.Result(method)
	var params []byte
	if shape != nil {
		params = link.SameParams(m)
	}
	l.Ask(translate.Agent, m, method, params, link.Request{Answered: answeredAs(l, shape)})
}

// refused handles a request of a side that is refused.
func (b *Bridge) refused(by translate.Side, e link.Error) func(*jsonrpc.Message) {
	return func(m *jsonrpc.Message) { b.link.Refuse(by, m.ID, e) }
}

// passed handles a notification of the agent whose params have a shape.
func (b *Bridge) passed(m *jsonrpc.Message) {
	if lost, ok := b.link.TellAs(translate.Client, m, words.Notification(string(m.Method)).ToV1); !ok {
		b.link.LoseAll(lost)
		b.link.Lose(translate.LossUnreadableNotification, "dropped a "+string(m.Method)+" that cannot be read")
	}
}

func orNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}

// orEmpty returns an object in place of a result that is null: some agents and clients
// say that.
func orEmpty(result []byte) []byte {
	if rawjson.Null(result) {
		return []byte("{}")
	}
	return result
}
