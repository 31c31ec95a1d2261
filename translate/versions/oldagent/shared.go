package oldagent

import (
	"bytes"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
)

// Updates that the two versions share pass as they are. If a client of version 2
// cannot read an optional member, the bridge leaves that member out. If a required
// member is missing or unreadable, the bridge drops the update.

var sharedUpdates = map[string]versions.Shape{
	"session_info_update": {
		{Name: "title", Convert: versions.StringOrNull},
		{Name: "updatedAt", Convert: versions.OrNull(timestamp)},
		meta,
	},
	"usage_update": {
		{Name: "used", Convert: versions.Natural, Required: true},
		{Name: "size", Convert: versions.Natural, Required: true},
		{Name: "cost", Convert: versions.OrNull(cost.Convert)},
		meta,
	},
	"notice": {
		{Name: "severity", Convert: versions.String, Required: true},
		{Name: "title", Convert: versions.String, Required: true},
		{Name: "description", Convert: versions.StringOrNull},
		meta,
	},
	"compaction_update": {
		{Name: "compactionId", Convert: versions.String, Required: true},
		{Name: "status", Convert: versions.String, Required: true},
		{Name: "summary", Convert: versions.OrNull(versions.Array(blockToV2))},
		{Name: "error", Convert: versions.StringOrNull},
		meta,
	},
	"compaction_summary_chunk": {
		{Name: "compactionId", Convert: versions.String, Required: true},
		{Name: "content", Convert: blockToV2, Required: true},
		meta,
	},
	"session_message": {
		{Name: "messageId", Convert: versions.String, Required: true},
		{Name: "senderSessionId", Convert: versions.StringOrNull},
		{Name: "recipientSessionId", Convert: versions.StringOrNull},
		{Name: "senderMessageId", Convert: versions.StringOrNull},
		{Name: "recipientMessageId", Convert: versions.StringOrNull},
		{Name: "content", Convert: versions.OrNull(versions.Array(blockToV2))},
		meta,
	},
	"session_message_chunk": {
		{Name: "messageId", Convert: versions.String, Required: true},
		{Name: "content", Convert: blockToV2, Required: true},
		meta,
	},
}

var (
	meta = versions.Member{Name: "_meta", Convert: versions.ObjectOrNull}
	cost = versions.Shape{
		{Name: "amount", Convert: versions.Number, Required: true},
		{Name: "currency", Convert: versions.String, Required: true},
		meta,
	}
)

// shared passes on an update that both versions have.
func (b *Bridge) shared(u *update, shape versions.Shape) {
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
