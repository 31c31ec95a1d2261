package words

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// Update returns the Shapes of a session/update that needs no memory, by its kind.
// It has none for a direction in which such an update passes as it is, or does not
// pass.
func Update(kind string) Shapes { return updates[kind] }

var updates = map[string]Shapes{
	"available_commands_update": CommandsUpdate,
	"session_info_update": table{
		{"title", "title", may(StringOrNull), may(StringOrNull)},
		{"updatedAt", "updatedAt", may(StringOrNull), may(OrNull(Time))},
		{"_meta", "_meta", may(Object), asIs},
	}.shapes(),
	"usage_update": same(Shape{
		{Name: "used", Convert: Natural, Required: true},
		{Name: "size", Convert: Natural, Required: true},
		{Name: "cost", Convert: OrNull(cost.Convert)},
	}),
	"notice": table{
		{"severity", "severity", or(String, `"info"`), must(String)},
		{"title", "title", must(notEmpty), must(String)},
		{"description", "description", may(StringOrNull), may(StringOrNull)},
	}.shapes(),
	"compaction_update": table{
		{"compactionId", "compactionId", must(String), must(String)},
		{"status", "status", must(String), must(String)},
		{"summary", "summary", may(OrNull(Array(BlockToV1))), may(OrNull(Array(BlockOrTextToV2)))},
		{"error", "error", may(StringOrNull), may(StringOrNull)},
	}.shapes(),
	"compaction_summary_chunk": table{
		{"compactionId", "compactionId", must(String), must(String)},
		{"content", "content", must(BlockToV1), must(BlockOrTextToV2)},
	}.shapes(),
	"session_message": table{
		{"messageId", "messageId", must(String), must(String)},
		{"senderSessionId", "senderSessionId", may(StringOrNull), may(StringOrNull)},
		{"recipientSessionId", "recipientSessionId", may(StringOrNull), may(StringOrNull)},
		{"senderMessageId", "senderMessageId", may(StringOrNull), may(StringOrNull)},
		{"recipientMessageId", "recipientMessageId", may(StringOrNull), may(StringOrNull)},
		{"content", "content", may(OrNull(Array(BlockToV1))), may(OrNull(Array(BlockOrTextToV2)))},
	}.shapes(),
	"session_message_chunk": table{
		{"messageId", "messageId", must(String), must(String)},
		{"content", "content", must(BlockToV1), must(BlockOrTextToV2)},
	}.shapes(),
	"prompt_suggestions_update": table{
		{"suggestions", "suggestions", must(Array(prompt(BlockToV1))), must(Array(prompt(BlockOrTextToV2)))},
	}.shapes(),
	"subagent_update":     {ToV1: subagent},
	"current_mode_update": {ToV1: Shape{{Name: "currentModeId", Convert: String, Required: true}}},
}

// prompt returns the Convert of a suggestion, whose blocks are written by another.
func prompt(block Convert) Convert {
	return Shape{{Name: "prompt", Convert: Array(block), Required: true}}.Convert
}

// same returns the Shapes of an object that is the same in both versions.
func same(s Shape) Shapes { return Shapes{ToV1: s, ToV2: s} }

var (
	cost = Shape{
		{Name: "amount", Convert: Number, Required: true},
		{Name: "currency", Convert: String, Required: true},
	}
	subagent = Shape{
		{Name: "sessionId", Convert: String, Required: true},
		{Name: "title", Convert: StringOrNull},
		{Name: "capabilities", Convert: OrNull(Shape{{Name: "cancel", Convert: ObjectOrNull}}.Convert)},
		{Name: "state", Convert: OrNull(subagentState.Convert)},
		{Name: "cwd", Convert: StringOrNull},
		{Name: "additionalDirectories", Convert: OrNull(Array(String))},
	}
	subagentState = Shape{
		{Name: "state", Convert: String, Required: true},
		{Name: "stopReason", Convert: StringOrNull},
		{Name: "usage", Convert: OrNull(Usage.Convert)},
		{Name: "error", Convert: OrNull(turnError)},
		{Name: "background", Convert: Leave},
		{Name: "sessionUpdate", Convert: Leave},
	}
)

// A ToldState is the state of a subagent that a client was told last. Version 1 has it in
// subagent_update of the session that the subagent works for, version 2 in state_update of
// the subagent's own.
type ToldState [sha256.Size]byte

// Tell writes the state that is in either. It reports false if the client was told that,
// or if it cannot be read.
func (t *ToldState) Tell(w *Writer, o rawjson.Object) bool {
	if !subagentState.ConvertObject(w, o) {
		return false
	}
	members, _ := rawjson.ReadObject(nil, w.Out)
	slices.SortFunc(members, func(a, b rawjson.Field) int { return bytes.Compare(a.Name, b.Name) })
	before := *t
	*t = sha256.Sum256(Text(members))
	return *t != before
}

// Usage is the tokens that a turn has used.
var Usage = Shape{
	{Name: "totalTokens", Convert: Natural, Required: true},
	{Name: "inputTokens", Convert: Natural, Required: true},
	{Name: "outputTokens", Convert: Natural, Required: true},
	{Name: "thoughtTokens", Convert: OrNull(Natural)},
	{Name: "cachedReadTokens", Convert: OrNull(Natural)},
	{Name: "cachedWriteTokens", Convert: OrNull(Natural)},
}

func notEmpty(w *Writer, value []byte) bool { return len(value) > 2 && String(w, value) }

// turnError writes the error with which a turn has failed.
func turnError(w *Writer, value []byte) bool {
	WriteError(w, value, "The turn failed")
	return true
}
