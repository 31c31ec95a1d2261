package oldagent

import (
	"bytes"
	"slices"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
)

// Updates that the two versions share pass as they are. If a client of version 2
// cannot read an optional member, the bridge leaves that member out. If a required
// member is missing or unreadable, the bridge drops the update.

// shared passes on an update that both versions have.
func (b *Bridge) shared(u *update, shape words.Shape) {
	leftOut := slices.ContainsFunc(u.fields, words.UnreadableMeta)
	same := !leftOut
	b.inner.Cwd = u.session.cwd
	for i := range shape {
		value := u.fields.Get(shape[i].Name)
		if value == nil {
			same = same && !shape[i].Required
			continue
		}
		b.inner.Reset()
		if !shape[i].Convert(&b.inner, value) {
			same, leftOut = false, true
		}
		same = same && bytes.Equal(b.inner.Out, value)
	}
	if same {
		b.out.Forward()
		return
	}
	w := b.beginSame(u)
	if !shape.ConvertObject(w, u.fields) {
		b.lose([]byte(u.session.id), translate.LossUnreadableUpdate, "an update that version 2 cannot read was dropped")
		return
	}
	if leftOut {
		w.Lose(translate.LossUnreadableMember, "it was left out")
	}
	b.sendSame(u)
}

// isShared reports whether updates of that kind pass as they are: those that
// both versions have and that need no conversion, and those of an extension.
func isShared(kind string) bool {
	switch kind {
	case "plan_update", "plan_removed", "subagent_update":
		return true
	}
	return strings.HasPrefix(kind, "_")
}

// isOfVersion2 reports whether only version 2 has updates of that kind. The bridge
// drops one that an agent of version 1 sends: it tells the states and the whole
// messages itself.
func isOfVersion2(kind string) bool {
	switch kind {
	case "user_message", "agent_message", "agent_thought", "state_update",
		"tool_call_content_chunk", "terminal_update", "terminal_output_chunk", "replay_complete":
		return true
	}
	return false
}
