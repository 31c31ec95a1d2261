package shapes

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"sync"

	"acp-plan-proxy/transport/rawjson"
)

// Update returns the description of a session update of that kind. It returns nil for an
// update that the bridges convert without one, and for an unknown kind.
func Update(kind string) Object { return updates()[kind] }

// updates is built when it is first needed, because most connections need no bridge.
var updates = sync.OnceValue(func() map[string]Object {
	return map[string]Object{
		"available_commands_update": {{"availableCommands", towards{must{Commands}, orDefault{Func(writeCommandsV2), "[]"}}}},
		"config_option_update":      ConfigOptionsToV2,
		"user_message_chunk":        Chunk,
		"agent_message_chunk":       Chunk,
		"agent_thought_chunk":       Chunk,
		"session_info_update": {
			{"title", StringOrNull},
			{"updatedAt", orNull{timestamp}},
			{"_meta", towards{object, nil}},
		},
		"usage_update": {
			{"used", must{natural}},
			{"size", must{natural}},
			{"cost", orNull{Object{
				{"amount", must{number}},
				{"currency", mustString},
			}}},
		},
		"notice": {
			{"severity", towards{orDefault{String, `"info"`}, mustString}},
			{"title", must{towards{Func(copyNonEmpty), String}}},
			{"description", StringOrNull},
		},
		"compaction_update": {
			{"compactionId", mustString},
			{"status", mustString},
			{"summary", orNull{array{BlockOrText}}},
			{"error", StringOrNull},
		},
		"compaction_summary_chunk": {
			{"compactionId", mustString},
			{"content", must{BlockOrText}},
		},
		"session_message": {
			{"messageId", mustString},
			{"senderSessionId", StringOrNull},
			{"recipientSessionId", StringOrNull},
			{"senderMessageId", StringOrNull},
			{"recipientMessageId", StringOrNull},
			{"content", orNull{array{BlockOrText}}},
		},
		"session_message_chunk": {
			{"messageId", mustString},
			{"content", must{BlockOrText}},
		},
		"prompt_suggestions_update": {{"suggestions", must{array{Object{
			{"prompt", must{array{BlockOrText}}},
		}}}}},
		"subagent_update": {
			{"sessionId", mustString},
			{"title", StringOrNull},
			{"capabilities", orNull{Object{{"cancel", firstByte("{n")}}}},
			{"state", orNull{subagentState}},
			{"cwd", StringOrNull},
			{"additionalDirectories", orNull{array{String}}},
		},
		"current_mode_update": {{"currentModeId", mustString}},
	}
})

var subagentState = Object{
	{"state", mustString},
	{"stopReason", StringOrNull},
	{"usage", orNull{usage}},
	{"error", orNull{Func(TurnError)}},
	{"background", drop},
	{"sessionUpdate", drop},
}

// SentState identifies the last state of a subagent that a client has received. In version 1, a
// subagent_update of the parent session reports the state; in version 2, a state_update of the
// subagent's own session does.
type SentState [sha256.Size]byte

// Write writes the state in either update, and records it as sent. It reports false if the client
// has received the same state before, or if the state cannot be read.
func (s *SentState) Write(w *Writer, o rawjson.Object) bool {
	if !subagentState.writeMembers(w, o) {
		return false
	}
	members := rawjson.Members(w.Out)
	slices.SortFunc(members, func(a, b rawjson.Field) int { return bytes.Compare(a.Name, b.Name) })
	previous := *s
	*s = sha256.Sum256(Text(members))
	return *s != previous
}

// TurnEnd is the end of a turn: in version 2 a state_update, in version 1 the response to the
// prompt. The bridges write the stop reason.
var TurnEnd = Object{
	{"sessionUpdate", drop},
	{"state", drop},
	{"error", drop},
	{"background", drop},
	{"stopReason", towards{nil, drop}},
	{"usage", usage},
	{"userMessageId", drop}, // in drafts of version 1
}

// usage counts the tokens that a turn has used.
var usage = Object{
	{"totalTokens", must{natural}},
	{"inputTokens", must{natural}},
	{"outputTokens", must{natural}},
	{"thoughtTokens", orNull{natural}},
	{"cachedReadTokens", orNull{natural}},
	{"cachedWriteTokens", orNull{natural}},
}

func copyNonEmpty(w *Writer, value []byte) bool { return len(value) > 2 && String.Write(w, value) }

// TurnError writes the error of a failed turn.
func TurnError(w *Writer, value []byte) bool {
	WriteError(w, value, "The turn failed")
	return true
}
