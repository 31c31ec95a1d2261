package v1client

import (
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
)

// An agent can cancel what it asks the user. Clients of version 1 do not know that
// notification, and go on to ask. So if the client does not answer for a while, the
// bridge does: nothing was chosen. What a [link.Request] of a question is of is that answer.

// A cancelledQuestion is a question that the agent has cancelled.
type cancelledQuestion struct {
	call     *link.Call
	deadline time.Time // when the bridge answers for the client
}

// cancelQuestion handles $/cancel_request of the agent. If the client has the question, it
// is given a while to answer.
func (b *Bridge) cancelQuestion(m *jsonrpc.Message) {
	const patience = time.Second
	id := link.RequestID(m)
	if id == nil {
		return
	}
	for _, h := range b.held.take(func(h heldMessage) bool { return h.request == jsonrpc.IDOf(id) }) {
		b.dismiss(jsonrpc.MessageOf(h.text))
	}
	c := b.link.Sent(translate.Client, id)
	if c == nil {
		return
	}
	again := slices.ContainsFunc(b.cancelled, func(e cancelledQuestion) bool { return e.call == c })
	if _, ok := c.Asked.Of.(string); ok && !again {
		b.cancelled = append(b.cancelled, cancelledQuestion{c, b.link.After(patience)})
	}
	b.link.Cancel(translate.Client, c)
}

// dismiss answers a request that the client never got.
func (b *Bridge) dismiss(m jsonrpc.Message) {
	switch string(m.Method) {
	case "session/request_permission":
		b.link.Answer(translate.Agent, m.ID, []byte(words.NoPermission))
	case "elicitation/create":
		b.link.Answer(translate.Agent, m.ID, []byte(words.NoForm))
	default:
		b.link.Refuse(translate.Agent, m.ID, errCancelled)
	}
}

// answerCancelled answers the questions that the client has not answered in time.
func (b *Bridge) answerCancelled() {
	b.cancelled = slices.DeleteFunc(b.cancelled, func(e cancelledQuestion) bool {
		if e.deadline.After(b.link.Now()) {
			return false
		}
		if id := e.call.FarID; b.link.Find(translate.Client, id) == e.call {
			m := jsonrpc.MessageOf(translate.Answer(id, "result", []byte(e.call.Asked.Of.(string))))
			b.link.Answered(translate.Client, &m)
		}
		return true
	})
}
