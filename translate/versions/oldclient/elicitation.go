package oldclient

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// elicitation says that a request of the agent is one, see questions.go.
type elicitation struct{}

// createElicitation handles elicitation/create. It belongs to a session or to a
// request of the client, whose id is the bridge's towards the agent.
func (b *Bridge) createElicitation(m *jsonrpc.Message) {
	o, _ := rawjson.ReadObject(nil, link.ParamsOf(m))
	id := o.Get("requestId")
	if c := b.link.Find(translate.Agent, id); c != nil {
		o = o.Set("requestId", c.ID)
	}
	if m.Session != nil {
		shown := b.subagents.shownIn(m.Session)
		if call, ok := o.Text("toolCallId"); ok && b.subagents.of(m.Session) != nil {
			o = o.Set("toolCallId", rawjson.AppendQuoted(nil, b.subagents.callID(m.Session, call)))
		}
		b.sessions.get(shown).tools.flush()
		o = o.Set("sessionId", rawjson.AppendQuoted(nil, shown))
	}
	mode, _ := o.Text("mode")
	var w words.Writer
	readable := (m.Session != nil || isID(id)) && words.ElicitationToV1(mode).ConvertObject(&w, o)
	b.link.LoseAll(w.Losses)
	if !readable {
		b.link.Refuse(translate.Agent, m.ID, link.Error{Code: link.InvalidParams, Message: "the params of an elicitation cannot be read"})
		return
	}
	b.link.Ask(translate.Client, m, "", w.Out, link.Request{Of: elicitation{}, Answered: b.elicitationAnswered})
}

// elicitationAnswered handles the client's answer.
func (b *Bridge) elicitationAnswered(c *link.Call, m *jsonrpc.Message) {
	if refusedByClient(&b.link, c, m) {
		return
	}
	words.FormAnswerToV2(b.link.AnswerWith(c.ID), link.ResultOf(m))
	b.link.SendObject(translate.Agent)
}

// isID reports whether a raw value can be an id.
func isID(raw []byte) bool {
	var w words.Writer
	return len(raw) > 0 && (words.StringOrNull(&w, raw) || words.Integer(&w, raw))
}
