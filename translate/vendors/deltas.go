package vendors

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// JetBrains' codex-acp sends a markdown plan whole, and then what is added to it, in
// params.update._meta.jetbrains.air.contentDelta. It does so for clients that have
// announced that they add it; others get the whole text each time.

const (
	maxTexts = 16      // of markdown plans that are kept, of a session
	maxText  = 1 << 20 // bytes of each
)

// delta handles a plan_update that may be a delta. It reports whether the update was
// one.
func (t *Translator) delta(u update) bool {
	if t.peers.Deltas || u.m.ID != nil {
		return false
	}
	s := t.session(u.m.Session)
	plan, _ := rawjson.ReadObject(nil, u.members.Get("plan"))
	id := planID(plan)
	if kind, _ := plan.Text("type"); string(kind) != "markdown" {
		t.sessions.forgetText(s, id)
		return false
	}
	added, isDelta := deltaOf(u.members)
	if !isDelta {
		content, _ := plan.Text("content")
		t.sessions.keepText(s, id, content)
		return false
	}
	t.use("jetbrains")
	t.known = true
	before, isThere := s.texts[id]
	text := append(bytes.Clone(before), added...)
	if isThere && before == nil || !t.sessions.keepText(s, id, text) {
		t.lose(s.id, translate.LossPlanMemory, "a plan has grown too long by deltas; what is added is not shown")
		return true
	}
	plan = plan.Set("content", rawjson.AppendQuoted(nil, text))
	t.out.Send(translate.Client, withPlan(u, plan))
	return true
}

// planID returns the id of a plan in a plan_update, or that a plan_removed has.
func planID(o rawjson.Object) string {
	id, ok := o.Text("planId")
	if !ok {
		id, _ = o.Text("id")
	}
	return string(id)
}

// deltaOf returns what an update adds to the text that was there.
func deltaOf(update rawjson.Object) (added []byte, ok bool) {
	value := update
	for _, name := range []string{"_meta", "jetbrains", "air"} {
		value, _ = rawjson.ReadObject(nil, value.Get(name))
	}
	return value.Text("contentDelta")
}

// keepText keeps the text of a plan. It reports false if that is too much: then nothing
// can be added to the text.
func (ss *sessions) keepText(s *session, id string, text []byte) bool {
	before, isThere := s.texts[id]
	switch {
	case len(id) > maxID || !isThere && len(s.texts) >= maxTexts:
		return false
	case s.texts == nil:
		s.texts = make(map[string][]byte)
	}
	if len(text) > maxText || !ss.keeps(s, len(text)-len(before)) {
		ss.keeps(s, -len(before))
		s.texts[id] = nil
		return false
	}
	if before == nil || cap(before) > 2*len(text)+64 {
		before = make([]byte, 0, len(text)) // and never nil
	}
	s.texts[id] = append(before[:0], text...)
	return true
}

func (ss *sessions) forgetText(s *session, id string) {
	ss.keeps(s, -len(s.texts[id]))
	delete(s.texts, id)
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
