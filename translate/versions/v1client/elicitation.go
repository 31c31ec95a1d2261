package v1client

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// createElicitation forwards elicitation/create. An elicitation belongs to a session, or to a
// pending request of the client, which it names by the id that the agent has received.
func (b *Bridge) createElicitation(m *jsonrpc.Message) {
	o := rawjson.Members(calls.ParamsOf(m))
	id := o.Get("requestId")
	if c := b.link.Pending[translate.Agent].Find(id); c != nil {
		o = o.Set("requestId", c.ID)
	}
	if m.Session != nil {
		s := b.session(m.Session)
		root := s.root()
		if call, ok := o.Text("toolCallId"); ok && root != s {
			o = o.Set("toolCallId", quoted(s.callID(call)))
		}
		root.flush(anyContent)
		root.turns.onUpdate()
		o = o.Set("sessionId", quoted(root.id))
	}
	var w shapes.Writer
	readable := (m.Session != nil || isID(id)) && shapes.Elicitation(o).ToV1(&w, o)
	b.link.Report(w.Losses...)
	if !readable {
		b.link.Refuse(translate.Agent, m.ID, calls.InvalidParams("the params of an elicitation cannot be read"))
		return
	}
	b.link.Ask(translate.Client, m, "", w.Out, b.formRequest())
}

// formRequest returns the state of the pending request for an elicitation.
func (b *Bridge) formRequest() calls.Request {
	return calls.Request{Tag: shapes.NoForm, OnResponse: func(c *calls.Call, m *jsonrpc.Message) {
		if !b.forwardIfError(translate.Agent, c, m) {
			b.link.AnswerWith(c.ID).ToV2(shapes.FormAnswer, calls.ResultOf(m))
			b.link.SendObject(translate.Agent)
		}
	}}
}

// isID reports whether a raw value can be an id.
func isID(raw []byte) bool {
	var w shapes.Writer
	return len(raw) > 0 && (shapes.StringOrNull.Write(&w, raw) || shapes.Integer.Write(&w, raw))
}
