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
func (t *Translator) delta(s *session, u update) bool {
	if t.peers.Deltas || u.m.ID != nil {
		return false
	}
	raw := u.members.Get("plan")
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
	added := rawjson.Get(u.members.Get("_meta"), "jetbrains", "air", "contentDelta")
	if len(added) == 0 || added[0] != '"' {
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
	t.out.Send(translate.Client, withPlan(u, plan.Set("content", text)))
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

// withPlan returns the message of an update with another plan, and without the delta.
func withPlan(u update, plan rawjson.Object) []byte {
	m := u.m
	out := append([]byte(nil), m.Text[m.Start:m.Update.Start]...)
	b := rawjson.Builder{Out: out}
	b.Object()
	for _, f := range u.members {
		switch string(f.Name) {
		case "plan":
			b.Name("plan")
			writeObject(&b, plan)
		case "_meta":
			b.Name("_meta")
			writeWithout(&b, f.Value, "jetbrains", "air", "contentDelta")
		default:
			b.Field(f)
		}
	}
	b.EndObject()
	return append(b.Out, m.Text[m.Update.End:m.End]...)
}

func writeObject(b *rawjson.Builder, o rawjson.Object) {
	b.Object()
	for _, f := range o {
		b.Field(f)
	}
	b.EndObject()
}

// writeWithout writes an object without the member at the end of the path.
func writeWithout(b *rawjson.Builder, value []byte, path ...string) {
	o, ok := rawjson.ReadObject(nil, value)
	if !ok {
		b.Raw(value)
		return
	}
	b.Object()
	for _, f := range o {
		switch {
		case string(f.Name) != path[0]:
			b.Field(f)
		case len(path) > 1:
			b.Name(path[0])
			writeWithout(b, f.Value, path[1:]...)
		}
	}
	b.EndObject()
}
