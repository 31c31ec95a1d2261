package translate

import "bytes"

// The kinds of session update that concern plans.
const (
	LegacyPlan  = "plan"
	PlanUpdate  = "plan_update"
	PlanRemoved = "plan_removed"
)

// PlanKinds returns the kinds of session update that concern plans.
func PlanKinds() []string { return []string{LegacyPlan, PlanUpdate, PlanRemoved} }

// IsPlan reports whether kind is one of [PlanKinds].
func IsPlan(kind []byte) bool {
	for _, k := range PlanKinds() {
		if string(kind) == k {
			return true
		}
	}
	return false
}

// An UpdateRole is the role of a session update in its conversation. A replay repeats the updates of
// the roles History and Work.
type UpdateRole uint8

const (
	Other   UpdateRole = iota // no part of the conversation: a setting, a notice, an unknown update and others
	History                   // part of the conversation, also between turns
	Work                      // part of the conversation that an agent sends only in a turn
)

// RoleOf returns the role of the session updates of a kind, in either version. An unknown chunk is
// History.
func RoleOf(kind []byte) UpdateRole {
	if IsPlan(kind) {
		return Work
	}
	switch string(kind) {
	case "agent_message", "agent_message_chunk", "agent_thought", "agent_thought_chunk",
		"tool_call", "tool_call_update", "tool_call_content_chunk":
		return Work
	case "user_message", "session_message", "compaction_update", "terminal_update":
		return History
	}
	if bytes.HasSuffix(kind, []byte("_chunk")) {
		return History
	}
	return Other
}
