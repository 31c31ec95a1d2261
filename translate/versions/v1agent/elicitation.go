package v1agent

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// createElicitation handles elicitation/create. It belongs to a session or to a request
// of the client; version 2 does not read both.
func (qs *questions) createElicitation(m *jsonrpc.Message) {
	if m.Session != nil && qs.unwanted(m, words.NoForm) {
		return
	}
	o, _ := rawjson.ReadObject(nil, link.ParamsOf(m))
	other := "requestId"
	if m.Session == nil {
		other = "sessionId"
		if c := qs.link.Find(translate.Agent, o.Get("requestId")); c != nil {
			o = o.Set("requestId", c.ID) // the client knows it by that
		}
	}
	o = slices.DeleteFunc(o, func(f rawjson.Field) bool { return string(f.Name) == other })
	var w words.Writer
	if !words.Elicitation(o).ToV2(&w, o) {
		qs.link.Refuse(translate.Agent, m.ID, invalid("an elicitation that cannot be read"))
		return
	}
	qs.link.LoseAll(w.Losses)
	if m.Session == nil {
		qs.link.Ask(translate.Client, m, "", w.Out, link.Request{Answered: qs.elicitationAnswered})
		return
	}
	qs.ask(m, w.Out, words.NoForm, qs.elicitationAnswered)
}

// elicitationAnswered handles the client's answer.
func (qs *questions) elicitationAnswered(c *link.Call, m *jsonrpc.Message) {
	if failed(m) {
		passedTo(qs.link, translate.Agent)(c, m)
	} else {
		qs.link.AnswerWith(c.ID).ToV1(words.FormAnswer, link.ResultOf(m))
		qs.link.SendObject(translate.Agent)
	}
	qs.answered(c)
}
