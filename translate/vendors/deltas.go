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
	if t.peers.Deltas || u.m.Session == nil || u.m.ID != nil {
		return false
	}
	plan, _ := rawjson.ReadObject(nil, u.members.Get("plan"))
	kind, _ := plan.Text("type")
	if string(kind) != "markdown" {
		return false
	}
	id, ok := plan.Text("planId")
	if !ok {
		id, _ = plan.Text("id")
	}
	content, _ := plan.Text("content")
	s := t.session(u.m.Session)
	added, isDelta := deltaOf(u.members)
	if isDelta {
		content = append(bytes.Clone(s.texts[string(id)]), added...)
	}
	s.keepText(string(id), content)
	if !isDelta {
		return false
	}
	t.use("jetbrains")
	t.known = true
	plan = plan.Set("content", rawjson.AppendQuoted(nil, content))
	t.out.Send(translate.Client, withPlan(u, plan))
	return true
}

// deltaOf returns what an update adds to the text that was there.
func deltaOf(update rawjson.Object) (added []byte, ok bool) {
	value := update
	for _, name := range []string{"_meta", "jetbrains", "air"} {
		value, _ = rawjson.ReadObject(nil, value.Get(name))
	}
	return value.Text("contentDelta")
}

// keepText keeps the text of a plan, if it and the number of texts are not too much.
func (s *session) keepText(id string, text []byte) {
	if len(text) > maxText || s.texts[id] == nil && len(s.texts) >= maxTexts {
		delete(s.texts, id)
		return
	}
	if s.texts == nil {
		s.texts = make(map[string][]byte)
	}
	s.texts[id] = bytes.Clone(text)
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
