package v1client

import (
	"cmp"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
)

// A request to close or delete a session cancels its prompts, unless the request fails. If it
// succeeds, the bridge answers the prompts that the agent has dropped with the session.

// closeSession forwards session/close and session/delete.
func (b *Bridge) closeSession(m *jsonrpc.Message) {
	s := cmp.Or(b.sessions.Find(m.Session), new(session))
	at := s.turns.onClosing()
	b.ask(m, "", nil, func(c *calls.Call, m *jsonrpc.Message) {
		if m.Failed() {
			s.turns.revertClosing(at)
		} else if s := b.sessions.Get(c.Request.Session); s != nil {
			dropped := s.turns.onClosed()
			for _, p := range dropped {
				if !p.agentAnswered {
					b.link.Pending[translate.Agent].Take(p.call.FarID) // the agent may still answer it
				}
			}
			s.endTurn(dropped)
			s.drop()
		}
		b.resultAs(translate.Client, shapes.Object{})(c, m)
	})
}
