package v1client

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
)

// A request to close or delete a session cancels its prompts, unless it fails. If it succeeds,
// the prompts that the agent dropped with the session are answered.

// closeSession forwards session/close and session/delete.
func (b *Bridge) closeSession(m *jsonrpc.Message) {
	var cancelled []*prompt
	if s := b.sessions.Find(m.Session); s != nil {
		cancelled = s.turns.onClosing()
	}
	b.ask(m, "", nil, func(c *calls.Call, m *jsonrpc.Message) {
		if m.Failed() {
			revertClosing(cancelled)
		} else if s := b.sessions.Get(c.Asked.Session); s != nil {
			prompts := s.turns.onClosed()
			for _, p := range prompts {
				if !p.agentAnswered {
					b.link.Pending[translate.Agent].Answered(p.call.FarID) // the agent may still answer it
				}
			}
			s.endTurn(prompts)
			s.drop()
		}
		b.passOn(translate.Client, shapes.Object{})(c, m)
	})
}
