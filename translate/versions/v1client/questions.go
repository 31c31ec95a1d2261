package v1client

import (
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
)

// An agent can cancel what it asks the user. Clients of version 1 do not know that
// notification, and go on to ask. So if the client does not answer for a while, the
// bridge does: nothing was chosen. What a [calls.Request] of a question is of is that answer.

// cancelQuestion handles $/cancel_request of the agent. If the client has the question, it
// is given a while to answer.
func (b *Bridge) cancelQuestion(m *jsonrpc.Message) {
	const patience = time.Second
	id := calls.RequestID(m)
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
	if dismissal, ok := c.Asked.Of.(string); ok {
		c.Asked.Of = nil // the agent may cancel it again
		b.timers.Set(&calls.Timer{Fire: func() { b.answerCancelled(c, dismissal) }}, b.link.After(patience))
	}
	b.link.Cancel(translate.Client, c)
}

// dismiss answers a request that the client never got.
func (p *peers) dismiss(m jsonrpc.Message) {
	switch string(m.Method) {
	case "session/request_permission":
		p.link.Answer(translate.Agent, m.ID, []byte(shapes.NoPermission))
	case "elicitation/create":
		p.link.Answer(translate.Agent, m.ID, []byte(shapes.NoForm))
	default:
		p.link.Refuse(translate.Agent, m.ID, errCancelled)
	}
}

// answerCancelled answers a question, unless the client has answered it in time.
func (p *peers) answerCancelled(c *calls.Call, dismissal string) {
	if p.link.Find(translate.Client, c.FarID) == c {
		m := jsonrpc.MessageOf(translate.Answer(c.FarID, "result", []byte(dismissal)))
		p.link.Answered(translate.Client, &m)
	}
}
