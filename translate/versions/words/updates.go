package words

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// Update returns the members of a session/update that needs no memory, by its kind. It is
// nil for others.
func Update(kind string) Object {
	switch kind {
	case "available_commands_update":
		return CommandsUpdate
	case "session_info_update":
		return sessionInfo
	case "usage_update":
		return usageUpdate
	case "notice":
		return notice
	case "compaction_update":
		return compaction
	case "compaction_summary_chunk":
		return compactionChunk
	case "session_message":
		return sessionMessage
	case "session_message_chunk":
		return sessionMessageChunk
	case "prompt_suggestions_update":
		return promptSuggestions
	case "subagent_update":
		return subagent
	case "current_mode_update":
		return currentMode
	}
	return nil
}

var (
	sessionInfo = Object{
		{"title", "title", StringOrNull, both},
		{"updatedAt", "updatedAt", StringOrNull, orNull{Func(Time)}},
		{"_meta", "_meta", object, nil},
	}
	usageUpdate = Object{
		{"used", "used", must{natural}, both},
		{"size", "size", must{natural}, both},
		{"cost", "cost", orNull{Object{
			{"amount", "amount", must{number}, both},
			{"currency", "currency", must{String}, both},
		}}, both},
	}
	notice = Object{
		{"severity", "severity", or{String, `"info"`}, must{String}},
		{"title", "title", must{Func(notEmpty)}, must{String}},
		{"description", "description", StringOrNull, both},
	}
	compaction = Object{
		{"compactionId", "compactionId", must{String}, both},
		{"status", "status", must{String}, both},
		{"summary", "summary", blocksOrNull, both},
		{"error", "error", StringOrNull, both},
	}
	compactionChunk = Object{
		{"compactionId", "compactionId", must{String}, both},
		{"content", "content", must{Func(blockOrText)}, both},
	}
	sessionMessage = Object{
		{"messageId", "messageId", must{String}, both},
		{"senderSessionId", "senderSessionId", StringOrNull, both},
		{"recipientSessionId", "recipientSessionId", StringOrNull, both},
		{"senderMessageId", "senderMessageId", StringOrNull, both},
		{"recipientMessageId", "recipientMessageId", StringOrNull, both},
		{"content", "content", blocksOrNull, both},
	}
	sessionMessageChunk = Object{
		{"messageId", "messageId", must{String}, both},
		{"content", "content", must{Func(blockOrText)}, both},
	}
	promptSuggestions = Object{{"suggestions", "suggestions", must{array{Object{
		{"prompt", "prompt", must{array{Func(blockOrText)}}, both},
	}}}, both}}
	subagent = Object{
		{"sessionId", "sessionId", must{String}, nil},
		{"title", "title", StringOrNull, nil},
		{"capabilities", "capabilities", orNull{Object{{"cancel", "cancel", first("{n"), nil}}}, nil},
		{"state", "state", orNull{subagentState}, nil},
		{"cwd", "cwd", StringOrNull, nil},
		{"additionalDirectories", "additionalDirectories", orNull{array{String}}, nil},
	}
	currentMode = Object{{"currentModeId", "currentModeId", must{String}, nil}}

	blocksOrNull = orNull{array{Func(blockOrText)}}
)

var subagentState = Object{
	{"state", "state", must{String}, both},
	{"stopReason", "stopReason", StringOrNull, both},
	{"usage", "usage", orNull{Usage}, both},
	{"error", "error", orNull{Func(turnError)}, both},
	{"background", "background", leave, both},
	{"sessionUpdate", "sessionUpdate", leave, both},
}

// A ToldState is the state of a subagent that a client was told last. Version 1 has it in
// subagent_update of the session that the subagent works for, version 2 in state_update of
// the subagent's own.
type ToldState [sha256.Size]byte

// Tell writes the state that is in either. It reports false if the client was told that,
// or if it cannot be read.
func (t *ToldState) Tell(w *Writer, o rawjson.Object) bool {
	if !subagentState.write(w, o) {
		return false
	}
	members, _ := rawjson.ReadObject(nil, w.Out)
	slices.SortFunc(members, func(a, b rawjson.Field) int { return bytes.Compare(a.Name, b.Name) })
	before := *t
	*t = sha256.Sum256(Text(members))
	return *t != before
}

// Usage is the tokens that a turn has used.
var Usage = Object{
	{"totalTokens", "totalTokens", must{natural}, both},
	{"inputTokens", "inputTokens", must{natural}, both},
	{"outputTokens", "outputTokens", must{natural}, both},
	{"thoughtTokens", "thoughtTokens", orNull{natural}, both},
	{"cachedReadTokens", "cachedReadTokens", orNull{natural}, both},
	{"cachedWriteTokens", "cachedWriteTokens", orNull{natural}, both},
}

func notEmpty(w *Writer, value []byte) bool { return len(value) > 2 && String.Write(w, value) }

// turnError writes the error with which a turn has failed.
func turnError(w *Writer, value []byte) bool {
	WriteError(w, value, "The turn failed")
	return true
}
