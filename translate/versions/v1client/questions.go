package v1client

import (
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/jsonrpc"
)

// An agent can cancel its questions. Clients of version 1 do not support that notification,
// and continue to ask. If the client does not answer for a while, the bridge answers the agent that
// the user has chosen nothing. This result is the Tag of a question's [calls.Request].

// cancelQuestion processes $/cancel_request of the agent. If the client has received the question,
// the bridge waits a while for its answer.
func (b *Bridge) cancelQuestion(m *jsonrpc.Message) {
	const patience = time.Second
	id := translate.RequestID(m)
	for _, o := range b.early.take(func(k earlyKey) bool { return k.request != "" && k.request == jsonrpc.IDOf(id) }) {
		b.link.Refuse(translate.Agent, jsonrpc.MessageOf(o.text).ID, calls.ErrCancelled)
	}
	pending := &b.link.Pending[translate.Client]
	c := pending.FindSent(id)
	if c == nil {
		return
	}
	if dismissal, ok := c.Request.Tag.(string); ok {
		c.Request.Tag = nil // only the first cancellation counts
		b.timers.Set(&calls.Timer{Fire: func() {
			if pending.Find(c.FarID) == c {
				m := jsonrpc.MessageOf(translate.Answer(c.FarID, "result", []byte(dismissal)))
				pending.Take(c.FarID)
				c.Request.OnResponse(c, &m)
			}
		}}, b.link.After(patience))
	}
	b.link.Cancel(translate.Client, c)
}
