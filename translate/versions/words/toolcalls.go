package words

import (
	"slices"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A tool call, besides its content, of which the bridges keep something. In version
// 2 null clears a member, in version 1 it says nothing. What can be cancelled by
// itself differs too, so neither side is told.
var toolCall = table{
	{"toolCallId", "toolCallId", must(String), asIs},
	{"name", "name", may(notCleared(String)), may(String)},
	{"title", "title", may(notCleared(String)), may(String)},
	{"kind", "kind", may(kindToV1), may(orPrivate(translate.LossToolCallKind, kinds...))},
	{"status", "status", may(statusToV1), may(orPrivate(translate.LossToolCallStatus, statuses...))},
	{"content", "content", asIs, may(Leave)}, // see ToolCallToV2
	{"locations", "locations", may(locationsToV1), may(Array(location.ToV2.Convert))},
	{"rawInput", "rawInput", may(notCleared(Same)), may(Same)},
	{"rawOutput", "rawOutput", may(notCleared(Same)), may(Same)},
	{"capabilities", "capabilities", may(notCancellable), may(Leave)},
	{"_meta", "_meta", may(notCleared(Object)), may(withoutTerminal)},
	{"sessionUpdate", "sessionUpdate", asIs, may(constant(`"tool_call_update"`))},
}.shapes()

var (
	kinds     = []string{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}
	knownKind = Word(kinds...)

	statuses   = []string{"pending", "in_progress", "completed", "failed", "cancelled", "paused"}
	statusesV1 = statuses[:4]
)

// location is where a tool call works. Version 2 counts lines from 1 and wants
// absolute paths.
var location = table{
	{"path", "path", must(String), must(absolutePath).inFront()},
	{"line", "line", may(OrNull(Natural32)), may(positive)},
}.shapes()

var locations = Array(location.ToV1.Convert)

// ToolCallToV1 is the Shape of an update of a tool call for version 1. Its content is
// as it is.
var ToolCallToV1 = toolCall.ToV1

// toolCallAgain is toolCall.ToV2 for a tool call that begins and that the other side
// knows already: missing members are cleared.
var toolCallAgain = func() Shape {
	shape := slices.Clone(toolCall.ToV2)
	for i := range shape {
		switch r := &shape[i]; r.Name {
		case "capabilities", "_meta", "sessionUpdate":
		default:
			r.Default = "null"
		}
	}
	return shape
}()

// ToolCallToV2 writes what version 1 says of a tool call as what changes. The
// content is written by the Convert. again tells that a tool call begins that the
// other side knows already: missing members are cleared.
func ToolCallToV2(w *Writer, o rawjson.Object, content Convert, again bool) bool {
	shape := toolCall.ToV2
	if again {
		shape = toolCallAgain
	}
	if slices.ContainsFunc(o, isNull) {
		o = slices.DeleteFunc(slices.Clone(o), isNull)
	}
	if o.Get("content") == nil { // as in most reports, which need no Shape of their own
		return shape.ConvertObject(w, o)
	}
	return withContent(w, o, shape, content)
}

func withContent(w *Writer, o rawjson.Object, shape Shape, content Convert) bool {
	var members [16]Member
	shape = append(members[:0], shape...)
	shape[shape.find([]byte("content"))].Convert = content
	return shape.ConvertObject(w, o)
}

func isNull(f rawjson.Field) bool { return f.Value[0] == 'n' }

// TerminalReport reports whether a member of a tool call's _meta with that name says
// what a terminal does, as agents of version 1 do.
func TerminalReport(name []byte) bool {
	switch string(name) {
	case "terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit":
		return true
	}
	return false
}

// withoutTerminal writes metadata without what a terminal does, if there is other.
func withoutTerminal(w *Writer, value []byte) bool {
	o, ok := rawjson.ReadObject(nil, value)
	left := slices.DeleteFunc(slices.Clone(o), func(f rawjson.Field) bool { return TerminalReport(f.Name) || UnreadableMeta(f) })
	return ok && (len(left) > 0 || len(o) == 0) && Shape{}.ConvertObject(w, left)
}

// notCleared leaves null out: in version 1 it does not clear a member.
func notCleared(convert Convert) Convert {
	return func(w *Writer, value []byte) bool {
		if value[0] == 'n' {
			w.Lose(translate.LossClearedMember, "the client keeps what it has")
			return false
		}
		return convert(w, value)
	}
}

// notCancellable leaves out that a tool call can be cancelled by itself.
func notCancellable(w *Writer, value []byte) bool {
	o, _ := rawjson.ReadObject(nil, value)
	if !rawjson.Null(o.Get("cancel")) {
		w.Lose(translate.LossCancellable, "the client can cancel the whole turn")
	}
	return false
}

func kindToV1(w *Writer, value []byte) bool {
	if knownKind(w, value) {
		return true
	}
	if value[0] == '"' {
		w.Lose(translate.LossToolCallKind, "told the client other")
	}
	w.JSON(`"other"`)
	return true
}

func statusToV1(w *Writer, value []byte) bool {
	status, ok := rawjson.TextOf(value)
	switch {
	case !ok:
		w.JSON(`"pending"`)
	case slices.Contains(statusesV1, string(status)):
		w.Raw(value)
	case string(status) == "cancelled":
		w.Lose(translate.LossCancelledStatus, "told the client failed")
		w.JSON(`"failed"`)
	default:
		w.Lose(translate.LossToolCallStatus, "told the client in_progress")
		w.JSON(`"in_progress"`)
	}
	return true
}

func locationsToV1(w *Writer, value []byte) bool {
	if !locations(w, value) {
		w.JSON("[]")
	}
	return true
}

// orPrivate returns a Convert for words of version 2, which reserves words without an
// underscore: one that it does not know gets one.
func orPrivate(lost translate.LossKind, known ...string) Convert {
	return func(w *Writer, value []byte) bool {
		text, ok := rawjson.TextOf(value)
		if !ok {
			return false
		}
		if slices.Contains(known, string(text)) || strings.HasPrefix(string(text), "_") {
			return Same(w, value)
		}
		w.Lose(lost, "an unknown one got an underscore before it")
		w.String(append([]byte("_"), text...))
		return true
	}
}

func positive(w *Writer, value []byte) bool { return value[0] != '0' && Natural(w, value) }

// constant returns a Convert that writes a raw value in place of any.
func constant(value string) Convert {
	return func(w *Writer, _ []byte) bool {
		w.JSON(value)
		return true
	}
}
