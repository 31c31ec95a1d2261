package v1agent

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// createElicitation forwards elicitation/create. In version 2, an elicitation belongs to a session
// or to a request of the client, but not to both.
func (b *Bridge) createElicitation(m *jsonrpc.Message) {
	if m.Session != nil && b.dismissUnwanted(m) {
		return
	}
	o := rawjson.Members(calls.ParamsOf(m))
	other := "requestId"
	if m.Session == nil {
		other = "sessionId"
		if c := b.link.Pending[translate.Agent].Find(o.Get("requestId")); c != nil {
			o = o.Set("requestId", c.ID) // the client's id
		}
	}
	o = shapes.Without(o, other)
	var w shapes.Writer
	if !shapes.Elicitation(o).ToV2(&w, o) {
		b.link.Refuse(translate.Agent, m.ID, calls.InvalidParams("an elicitation that cannot be read"))
		return
	}
	b.link.Report(w.Losses...)
	b.askUser(m, w.Out)
}
