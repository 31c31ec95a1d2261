package oldagent

import (
	"bytes"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
)

// Updates that the two versions share pass as they are. If a client of version 2
// cannot read an optional member, the bridge leaves that member out. If a required
// member is missing or unreadable, the bridge drops the update.

var sharedUpdates = map[string]words.Shape{
	"session_info_update": {
		{Name: "title", Convert: words.StringOrNull},
		{Name: "updatedAt", Convert: words.OrNull(timestamp)},
		meta,
	},
	"usage_update": {
		{Name: "used", Convert: words.Natural, Required: true},
		{Name: "size", Convert: words.Natural, Required: true},
		{Name: "cost", Convert: words.OrNull(cost.Convert)},
		meta,
	},
	"notice": {
		{Name: "severity", Convert: words.String, Required: true},
		{Name: "title", Convert: words.String, Required: true},
		{Name: "description", Convert: words.StringOrNull},
		meta,
	},
	"compaction_update": {
		{Name: "compactionId", Convert: words.String, Required: true},
		{Name: "status", Convert: words.String, Required: true},
		{Name: "summary", Convert: words.OrNull(words.Array(blockToV2))},
		{Name: "error", Convert: words.StringOrNull},
		meta,
	},
	"compaction_summary_chunk": {
		{Name: "compactionId", Convert: words.String, Required: true},
		{Name: "content", Convert: blockToV2, Required: true},
		meta,
	},
	"session_message": {
		{Name: "messageId", Convert: words.String, Required: true},
		{Name: "senderSessionId", Convert: words.StringOrNull},
		{Name: "recipientSessionId", Convert: words.StringOrNull},
		{Name: "senderMessageId", Convert: words.StringOrNull},
		{Name: "recipientMessageId", Convert: words.StringOrNull},
		{Name: "content", Convert: words.OrNull(words.Array(blockToV2))},
		meta,
	},
	"session_message_chunk": {
		{Name: "messageId", Convert: words.String, Required: true},
		{Name: "content", Convert: blockToV2, Required: true},
		meta,
	},
}

var (
	meta = words.Member{Name: "_meta", Convert: words.ObjectOrNull}
	cost = words.Shape{
		{Name: "amount", Convert: words.Number, Required: true},
		{Name: "currency", Convert: words.String, Required: true},
		meta,
	}
)

// shared passes on an update that both versions have.
func (b *Bridge) shared(u *update, shape words.Shape) {
	same, leftOut := true, false
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
