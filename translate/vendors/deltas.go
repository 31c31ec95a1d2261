package vendors

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// JetBrains' codex-acp sends a markdown plan whole, and then what is added to it, in
// params.update._meta.jetbrains.air.contentDelta. It does so for clients that have
// announced that they add it; others get the whole text each time.

// delta handles a plan_update that may be a delta. It reports whether the update was
// one. Texts are kept as JSON has them: what is added to them is JSON, too.
func (t *Translator) delta(s *session, m *jsonrpc.Message) bool {
	if t.peers.Deltas {
		return false
	}
	raw := m.Members.Get("plan")
	markdown := isMarkdown(raw)
	if !markdown && len(s.texts) == 0 {
		return false
	}
	var buf [8]rawjson.Field
	plan, _ := rawjson.ReadObject(buf[:0], raw)
	if !markdown {
		s.forgetText(plan)
		return false
	}
	id := planID(plan)
	added := rawjson.Get(m.Members.Get("_meta"), "jetbrains", "air", "contentDelta")
	if inside(added) == nil {
		s.keepText(id, inside(plan.Get("content")))
		return false
	}
	t.use("jetbrains")
	t.out.OfPlan()
	before, isThere := s.texts[string(id)]
	if !isThere && t.sessions.forgot {
		t.lose(s.id, translate.LossPlanLength, "a plan that grows by deltas was forgotten; what is added is not shown")
		return true
	}
	text := slices.Concat([]byte(`"`), before, inside(added), []byte(`"`))
	s.keepText(id, inside(text))
	message := rawjson.With(m.Span.Of(m.Text), nil, "params", "update", "_meta", "jetbrains", "air", "contentDelta")
	message = rawjson.With(message, text, "params", "update", "plan", "content")
	t.out.Send(translate.Client, message)
	return true
}

// isMarkdown reports whether a raw plan says that it is of that type. It reads no further
// than that, because entries are many.
func isMarkdown(plan []byte) bool {
	if bytes.HasPrefix(plan, []byte(`{"type":"items"`)) { // as most begin
		return false
	}
	var c rawjson.Cursor
	c.Reset(plan)
	for more := c.Kind() == '{' && c.Object(); more; more = c.NextMember() {
		if string(c.Name()) == "type" {
			return string(jsonrpc.StringValue(&c)) == "markdown"
		}
		c.Skip()
	}
	return false
}

// inside returns a raw JSON string without its quotes; nil for any other value.
func inside(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// planID returns the id of a plan in a plan_update, or that a plan_removed has.
func planID(o rawjson.Object) []byte {
	id, ok := o.Text("planId")
	if !ok {
		id, _ = o.Text("id")
	}
	return id
}

// keepText keeps the text of a plan.
func (s *session) keepText(plan, text []byte) {
	id := string(plan)
	before, isThere := s.texts[id]
	if s.texts == nil {
		s.texts = make(map[string][]byte)
	}
	if !isThere {
		s.keeps(callCost + len(id))
	}
	s.keeps(len(text) - len(before))
	if cap(before) > 2*len(text)+64 {
		before = nil
	}
	s.texts[id] = append(before[:0], text...)
}

// forgetText forgets the text of a plan, given the object that names it.
func (s *session) forgetText(plan rawjson.Object) {
	id := string(planID(plan))
	if text, isThere := s.texts[id]; isThere {
		s.keeps(-callCost - len(id) - len(text))
		delete(s.texts, id)
	}
}
