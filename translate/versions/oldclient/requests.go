package oldclient

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Most requests and notifications are the same in both versions, but for a name
// or for the shape of what they carry. Those that need no more are here.

// responseFromAgent handles an answer to a request of the client. One that cannot
// be read becomes an error: the client must get one. To a request that was answered
// when its session was closed, an answer may still come.
func (b *Bridge) responseFromAgent(m *jsonrpc.Message) {
	if !m.IsResponse() {
		broken := jsonrpc.Message{ID: m.ID, Text: []byte(`{"code":-32603,"message":"the agent's answer cannot be read"}`)}
		broken.Error = jsonrpc.Span{Start: 0, End: len(broken.Text)}
		m = &broken
	}
	if !b.link.Answered(translate.Agent, m) && !b.link.Late(translate.Agent, m) {
		b.link.Lose(translate.LossNoRequest, "dropped an answer of the agent to a request that nobody made")
	}
}

// responseFromClient handles an answer to a request of the agent.
func (b *Bridge) responseFromClient(m *jsonrpc.Message) {
	b.overdue.forget(b.link.Find(translate.Client, m.ID))
	if !b.link.Answered(translate.Client, m) {
		b.link.Lose(translate.LossNoRequest, "dropped an answer of the client to a request that nobody made, or that was answered")
	}
}

// clientAnswered passes the answer to a request that is the same in both versions.
func (b *Bridge) clientAnswered(c *link.Call, m *jsonrpc.Message) {
	if !refusedByClient(&b.link, c, m) {
		b.link.Answer(translate.Agent, c.ID, orEmpty(link.ResultOf(m)))
	}
}

// refusedByClient passes an answer that is an error, or cannot be read. It reports
// whether that was one.
func refusedByClient(l *link.Link, c *link.Call, m *jsonrpc.Message) bool {
	switch {
	case !m.IsResponse():
		l.Refuse(translate.Agent, c.ID, link.Error{Code: link.InternalError, Message: "the client's answer cannot be read"})
	case m.Failed():
		l.RefuseAs(translate.Agent, c.ID, link.ErrorOf(m), "Internal error")
	default:
		return false
	}
	return true
}

// refusedByAgent passes an answer that is an error. It reports whether it was one.
func refusedByAgent(l *link.Link, c *link.Call, m *jsonrpc.Message) bool {
	raw := link.ErrorOf(m)
	if rawjson.Null(raw) {
		return false
	}
	l.RefuseAs(translate.Client, c.ID, raw, "Internal error")
	return true
}

// answeredAs returns what handles an answer whose result has a shape. If that is
// nil, the result passes as it is. Some agents say null in place of a result without
// members.
func answeredAs(l *link.Link, shape words.Shape) func(*link.Call, *jsonrpc.Message) {
	return func(c *link.Call, m *jsonrpc.Message) {
		if refusedByAgent(l, c, m) {
			return
		}
		result := orEmpty(link.ResultOf(m))
		if shape != nil && len(shape) == 0 && result[0] != '{' {
			result = []byte("{}")
		}
		if shape == nil {
			l.Answer(translate.Client, c.ID, result)
			return
		}
		w := l.AnswerWith(c.ID)
		if shape.Convert(w, result) {
			l.SendObject(translate.Client)
		} else {
			l.LoseAll(w.Losses)
			refuseAnswer(l, c.ID)
		}
	}
}

// refuseAnswer answers a request of the client whose answer means nothing in version 1.
func refuseAnswer(l *link.Link, id []byte) {
	l.Refuse(translate.Client, id, link.Error{Code: link.InternalError, Message: "the agent's answer cannot be read"})
}

// refuseParams refuses a request of the client for its params.
func refuseParams(l *link.Link, id []byte, why string) {
	l.Refuse(translate.Client, id, link.Error{Code: link.InvalidParams, Message: why})
}

// askSame passes a request that is the same in both versions, but for the method's
// name. So is its answer, see [words.Result].
func (b *Bridge) askSame(m *jsonrpc.Message, method string) {
	shape := words.Result(method)
	var params []byte
	if shape != nil {
		params = link.SameParams(m)
	}
	b.link.Ask(translate.Agent, m, method, params, link.Request{Answered: answeredAs(&b.link, shape)})
}

// renamed handles a request that has only another name in version 2.
func (b *Bridge) renamed(method string) func(*jsonrpc.Message) {
	return func(m *jsonrpc.Message) { b.askSame(m, method) }
}

// initializeAgain refuses a second initialize: the version has been decided.
func (b *Bridge) initializeAgain(m *jsonrpc.Message) {
	b.link.Refuse(translate.Client, m.ID, link.Error{Code: link.InvalidRequest, Message: "initialize may only be requested once per connection"})
}

// passed handles a notification of the agent whose params have a shape.
func (b *Bridge) passed(m *jsonrpc.Message) {
	params := link.ParamsOf(m)
	w := b.link.TellWith(string(m.Method))
	start := len(w.Out)
	switch {
	case !words.Notification(string(m.Method)).Convert(w, orNull(params)):
		b.link.LoseAll(w.Losses)
		b.link.Lose(translate.LossUnreadableNotification, "dropped a "+string(m.Method)+" that cannot be read")
	case bytes.Equal(w.Out[start:], params):
		b.link.LoseAll(w.Losses)
		b.link.Forward()
	default:
		b.link.SendObject(translate.Client)
	}
}

// notInV2 refuses what an agent of version 2 must not ask for.
func (b *Bridge) notInV2(m *jsonrpc.Message) {
	b.link.Refuse(translate.Agent, m.ID, link.Error{Code: link.MethodNotFound, Message: "Method not found"})
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
