package oldagent

import (
	"slices"

	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// createElicitation handles elicitation/create. It belongs to a session or to a request
// of the client; version 2 does not read both.
func (b *Bridge) createElicitation(m *jsonrpc.Message) {
	if m.Session != nil && b.unwanted(m, noElicitation) {
		return
	}
	o, _ := rawjson.ReadObject(nil, link.ParamsOf(m))
	other := "requestId"
	if m.Session == nil {
		other = "sessionId"
		if c := b.asked.Find(o.Get("requestId")); c != nil {
			o = o.Set("requestId", c.ID) // the client knows it by that
		}
	}
	o = slices.DeleteFunc(o, func(f rawjson.Field) bool { return string(f.Name) == other })
	var w words.Writer
	if !words.ElicitationToV2(&w, o) {
		b.refuseAgent(m.ID, invalidParams, "Invalid params: an elicitation that cannot be read")
		return
	}
	b.link.LoseAll(w.Losses)
	if m.Session == nil {
		b.askClient(m, w.Out, request{answered: b.elicitationAnswered})
		return
	}
	b.pose(m, w.Out, noElicitation, b.elicitationAnswered)
}

// elicitationAnswered handles the client's answer.
func (b *Bridge) elicitationAnswered(c *call, m *jsonrpc.Message) {
	if result := m.Result.Of(m.Text); result != nil && !m.Failed() {
		words.FormAnswerToV1(b.link.AnswerWith(c.ID), result)
		b.link.SendObject(toAgent)
	} else {
		b.clientAnswer(c, m)
	}
	if q := c.Asked.question; q != nil {
		b.answered(q)
	}
}
