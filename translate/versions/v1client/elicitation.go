package v1client

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// createElicitation handles elicitation/create. It belongs to a session or to a
// request of the client, whose id is the bridge's towards the agent.
func (t *questions) createElicitation(m *jsonrpc.Message) {
	o, _ := rawjson.ReadObject(nil, link.ParamsOf(m))
	id := o.Get("requestId")
	if c := t.link.Find(translate.Agent, id); c != nil {
		o = o.Set("requestId", c.ID)
	}
	if m.Session != nil {
		shown := t.subagents.shownIn(m.Session)
		if call, ok := o.Text("toolCallId"); ok && t.subagents.of(m.Session) != nil {
			o = o.Set("toolCallId", rawjson.AppendQuoted(nil, t.subagents.callID(m.Session, call)))
		}
		s := t.sessions.get(shown)
		s.toolCalls.flush()
		s.turns.said()
		o = o.Set("sessionId", rawjson.AppendQuoted(nil, shown))
	}
	var w words.Writer
	readable := (m.Session != nil || isID(id)) && words.Elicitation(o).ToV1(&w, o)
	t.link.LoseAll(w.Losses)
	if !readable {
		t.link.Refuse(translate.Agent, m.ID, invalid("the params of an elicitation cannot be read"))
		return
	}
	t.link.Ask(translate.Client, m, "", w.Out, t.aboutForm())
}

// aboutForm is what is known of an elicitation while the client has it.
func (t *questions) aboutForm() link.Request {
	return link.Request{Answered: t.formAnswered, Of: dismissal(func(c *link.Call) {
		t.link.Answer(translate.Agent, c.ID, []byte(words.NoForm))
	})}
}

// formAnswered passes the client's answer on to the agent.
func (t *questions) formAnswered(c *link.Call, m *jsonrpc.Message) {
	if refusedByClient(t.link, c, m) {
		return
	}
	t.link.AnswerWith(c.ID).ToV2(words.FormAnswer, link.ResultOf(m))
	t.link.SendObject(translate.Agent)
}

// isID reports whether a raw value can be an id.
func isID(raw []byte) bool {
	var w words.Writer
	return len(raw) > 0 && (words.StringOrNull.Write(&w, raw) || words.Integer.Write(&w, raw))
}
