package oldclient

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// elicitations are the questions of the agent that are not about permission.
type elicitations struct {
	link      *link.Link
	sessions  *sessions
	subagents *subagents
}

// createElicitation handles elicitation/create. It belongs to a session or to a
// request of the client, whose id is the bridge's towards the agent.
func (t *elicitations) createElicitation(m *jsonrpc.Message) {
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
	readable := (m.Session != nil || isID(id)) && words.ElicitationToV1(&w, o)
	t.link.LoseAll(w.Losses)
	if !readable {
		t.link.Refuse(translate.Agent, m.ID, invalid("the params of an elicitation cannot be read"))
		return
	}
	t.link.Ask(translate.Client, m, "", w.Out, t.request())
}

// request is what is known of an elicitation while the client has it.
func (t *elicitations) request() link.Request {
	return link.Request{Answered: t.answered, Of: dismissal(func(c *link.Call) {
		t.link.Answer(translate.Agent, c.ID, []byte(words.NoForm))
	})}
}

// answered passes the client's answer on to the agent.
func (t *elicitations) answered(c *link.Call, m *jsonrpc.Message) {
	if refusedByClient(t.link, c, m) {
		return
	}
	words.FormAnswerToV2(t.link.AnswerWith(c.ID), link.ResultOf(m))
	t.link.SendObject(translate.Agent)
}

// isID reports whether a raw value can be an id.
func isID(raw []byte) bool {
	var w words.Writer
	return len(raw) > 0 && (words.StringOrNull.Write(&w, raw) || words.Integer.Write(&w, raw))
}
