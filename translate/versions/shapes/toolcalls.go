package shapes

import (
	"slices"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// ToolCall is an update of a tool call. In version 2, null clears a member; in version 1, null
// changes nothing. The versions also differ in the cancellation of a single call, so the bridge
// hides it from both sides. Towards version 1, the bridge has already converted the content.
var ToolCall = Object{
	{"toolCallId", towards{mustString, nil}},
	{"name", towards{notCleared{String}, nullIfMissing{String}}},
	{"title", towards{notCleared{String}, nullIfMissing{String}}},
	{"kind", towards{fallback{orLost{kinds, translate.LossToolCallKind}, `"other"`}, nullIfMissing{orPrivate{translate.LossToolCallKind, kinds}}}},
	{"status", towards{Func(writeStatusV1), nullIfMissing{orPrivate{translate.LossToolCallStatus, statuses}}}},
	{"content", towards{nil, nullIfMissing{Func(writeItems)}}},
	{"locations", towards{fallback{array{location}, "[]"}, nullIfMissing{array{location}}}},
	{"rawInput", towards{notCleared{notNull}, nullIfMissing{notNull}}},
	{"rawOutput", towards{notCleared{notNull}, nullIfMissing{notNull}}},
	{"capabilities", towards{orLost{drop, translate.LossCancellable}, drop}},
	{"_meta", towards{notCleared{object}, Func(writeWithoutTerminal)}},
	{"sessionUpdate", towards{nil, marker{'"', `"tool_call_update"`}}},
}

var (
	kinds      = oneOf{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}
	statuses   = oneOf{"pending", "in_progress", "completed", "failed", "cancelled", "paused"}
	statusesV1 = oneOf{"pending", "in_progress", "completed", "failed"} // of version 1
)

// location is a place where a tool call works. Version 2 counts lines from 1 and requires
// absolute paths.
var location = Object{
	{"path", towards{mustString, must{Func(writeAbsolutePath)}}},
	{"line", towards{orNull{natural32}, Func(copyPositive)}},
}

// ToolCallToV2 writes an update of version 1 in version 2. The Rule item converts the items of its
// content. begunAgain reports that the update begins a tool call that the client knows already:
// null then clears the members that the update lacks.
func ToolCallToV2(w *Writer, o rawjson.Object, item Rule, begunAgain bool) bool {
	if slices.ContainsFunc(o, isNull) {
		o = slices.DeleteFunc(slices.Clone(o), isNull)
	}
	w.contentItem, w.writesNull = item, begunAgain
	ok := ToolCall.ToV2(w, o)
	w.contentItem, w.writesNull = nil, false
	return ok
}

func writeItems(w *Writer, value []byte) bool { return array{w.contentItem}.Write(w, value) }

func isNull(f rawjson.Field) bool { return f.Value[0] == 'n' }

// ExitStatus is the exit status of a terminal; agents of version 1 send it in the _meta of a
// tool call.
var ExitStatus = Object{
	{"exitCode", renamed{"exit_code", towards{orDefault{Integer, "null"}, orNull{Integer}}}},
	{"signal", towards{orDefault{String, "null"}, StringOrNull}},
	{"terminal_id", drop},
}

// writeWithoutTerminal writes a _meta without the members for terminals. It reports false if these
// are the only ones.
func writeWithoutTerminal(w *Writer, value []byte) bool {
	o, ok := rawjson.ReadObject(nil, value)
	left := slices.DeleteFunc(slices.Clone(o), func(f rawjson.Field) bool { return strings.HasPrefix(string(f.Name), "terminal_") })
	return ok && (len(left) > 0 || len(o) == 0) && Object{}.writeMembers(w, left)
}

// notCleared drops null, because it does not clear a member in version 1.
type notCleared struct{ Rule }

func (n notCleared) Write(w *Writer, value []byte) bool {
	if value[0] == 'n' {
		w.Lose(translate.LossClearedMember, "the client keeps the previous value")
		return false
	}
	return n.Rule.Write(w, value)
}

func writeStatusV1(w *Writer, value []byte) bool {
	status, ok := rawjson.TextOf(value)
	switch {
	case !ok:
		w.JSON(`"pending"`)
	case statusesV1.Write(w, value):
	case string(status) == "cancelled":
		w.Lose(translate.LossCancelledStatus, "the client receives the status failed")
		w.JSON(`"failed"`)
	default:
		w.Lose(translate.LossToolCallStatus, "the client receives the status in_progress")
		w.JSON(`"in_progress"`)
	}
	return true
}

// fallback writes a constant in place of a value that cannot be converted. Unlike [orDefault], it
// writes nothing for a missing member.
type fallback struct {
	Rule
	json string
}

func (f fallback) Write(w *Writer, value []byte) bool {
	if !f.Rule.Write(w, value) {
		w.JSON(f.json)
	}
	return true
}

// orPrivate prefixes unknown words with an underscore, because version 2 reserves all words without
// one. It copies the known words.
type orPrivate struct {
	loss  translate.LossKind // "" for none
	known oneOf
}

func (o orPrivate) Write(w *Writer, value []byte) bool {
	text, ok := rawjson.TextOf(value)
	if !ok || o.known.Write(w, value) || strings.HasPrefix(string(text), "_") && w.copy(value) {
		return ok
	}
	if o.loss != "" {
		w.Lose(o.loss, "an unknown value is prefixed with an underscore")
	}
	w.String(append([]byte("_"), text...))
	return true
}

func copyPositive(w *Writer, value []byte) bool { return value[0] != '0' && natural.Write(w, value) }
