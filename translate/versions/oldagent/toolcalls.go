package oldagent

import (
	"slices"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1 a tool call is made by one update and changed by others, and null
// changes nothing. In version 2 one update does both, and null clears.
//
// An agent of version 1 need not say what became of the tool calls of a cancelled
// turn: its clients mark them. In version 2 the agent says it, so the bridge does.

// A toolCall is what the bridge knows of a tool call.
type toolCall struct {
	id       string
	title    string // cut
	terminal string // the id of the terminal that shows its command; "" if none
	told     bool   // the client knows it
	open     bool   // it has not ended
	turn     int    // in which it was last reported, see session.turns
}

// toolCalls are the tool calls of a session.
type toolCalls struct {
	known map[string]*toolCall
	order []string // their ids, the earliest first
}

// maxToolCalls is how many tool calls are kept, and as many terminals.
const maxToolCalls = 16384

// maxTitle is how many bytes of a title are kept.
const maxTitle = 256

// cut returns the part of a title, or of another name, that is kept or logged.
func cut(title []byte) string {
	if len(title) > maxTitle {
		title = title[:maxTitle]
	}
	return string(title)
}

// size is what a tool call counts, with the longest title, as Bridge.keep counts
// it.
func (t *toolCall) size() int { return 2*entrySize + len(t.id) + maxTitle }

// knownToolCall returns the tool call with that id. One that is new is kept, if
// there is room for it.
func (b *Bridge) knownToolCall(s *session, id string) *toolCall {
	calls := &s.toolCalls
	if t := calls.known[id]; t != nil {
		return t
	}
	t := &toolCall{id: id, open: true}
	for len(id) <= maxID && len(calls.order) > 0 && (b.toolCalls >= maxToolCalls || !s.fits(t.size())) {
		s.lose(&b.link, translate.LossTooManyToolCalls, "the earliest was forgotten")
		b.forgetToolCall(s)
	}
	if b.toolCalls >= maxToolCalls || len(id) > maxID || !s.keep(t.size()) {
		s.lose(&b.link, translate.LossTooManyToolCalls, "one was not kept")
		return t
	}
	if calls.known == nil {
		calls.known = make(map[string]*toolCall)
	}
	calls.known[id] = t
	calls.order = append(calls.order, id)
	b.toolCalls++
	return t
}

// forgetToolCall forgets the earliest tool call of a session, and its terminal.
func (b *Bridge) forgetToolCall(s *session) {
	calls := &s.toolCalls
	t := calls.known[calls.order[0]]
	delete(calls.known, t.id)
	calls.order = calls.order[1:]
	b.toolCalls--
	s.unkeep(t.size())
	if s.terminals[t.terminal] != nil {
		delete(s.terminals, t.terminal)
		b.terminals--
		s.unkeep(terminalSize(t.terminal))
	}
}

// forgetToolCalls forgets the tool calls of a session, and its terminals.
func (b *Bridge) forgetToolCalls(s *session) {
	b.toolCalls -= len(s.toolCalls.known)
	b.terminals -= len(s.terminals)
}

// toolCall passes the report of a tool call on.
func (b *Bridge) toolCall(s *session, u *link.Update) {
	id, ok := u.Members.Text("toolCallId")
	if !ok {
		s.lose(&b.link, translate.LossUnreadableUpdate, "a tool call without an id was dropped")
		return
	}
	if s.turn != nil {
		s.turn.concluded = false
	}
	t := b.knownToolCall(s, string(id))
	starts := string(u.Kind) == "tool_call"
	if starts || !t.told {
		s.breakMessage()
	}
	if b.reportTerminals(s, t, u.Members) && !saysMore(u.Members) {
		return
	}
	t.open = t.open || starts
	w := s.rewrite(&b.link, u)
	b.patch(w, s, t, u.Members, starts && t.told)
	t.told = true
	b.link.SendRewritten(u)
}

// saysMore reports whether a tool call's report says anything besides what its
// terminal does.
func saysMore(fields rawjson.Object) bool {
	for _, f := range fields {
		switch string(f.Name) {
		case "sessionUpdate", "toolCallId":
		case "_meta":
			meta, _ := rawjson.ReadObject(nil, f.Value)
			for _, m := range meta {
				if !isTerminalReport(m.Name) {
					return true
				}
			}
		default:
			if f.Value[0] != 'n' {
				return true
			}
		}
	}
	return false
}

// clearable are the members of a tool call that a new start clears.
var clearable = [...]string{"name", "title", "kind", "status", "content", "locations", "rawInput", "rawOutput"}

// patch writes a report of a tool call as what it changes, and takes in what it
// says. again tells that it begins a tool call that the client knows already.
func (b *Bridge) patch(w *words.Writer, s *session, t *toolCall, fields rawjson.Object, again bool) {
	t.turn = s.turns
	given := make([]string, 0, len(clearable))
	w.Text("{")
	for _, f := range fields {
		name := string(f.Name)
		before := len(w.Out)
		if !b.patchMember(w, s, t, f) {
			w.Out = w.Out[:before]
			continue
		}
		given = append(given, name)
	}
	if again {
		for _, name := range clearable {
			if !slices.Contains(given, name) {
				member(w, name)
				w.Text("null")
			}
		}
	}
	w.Text("}")
}

// patchMember writes one member. It reports false if there is nothing to write.
func (b *Bridge) patchMember(w *words.Writer, s *session, t *toolCall, f rawjson.Field) bool {
	text, isText := rawjson.TextOf(f.Value)
	switch string(f.Name) {
	case "sessionUpdate":
		member(w, "sessionUpdate")
		w.Text(`"tool_call_update"`)
	case "title":
		if isText {
			t.title = cut(text)
			field(w, f)
		}
		return isText
	case "name":
		if isText {
			field(w, f)
		}
		return isText
	case "status":
		if isText {
			t.open = !isFinal(string(text))
		}
		return isText && word(w, f, translate.LossToolCallStatus, text, "pending", "in_progress", "completed", "failed", "cancelled", "paused")
	case "kind":
		return isText && word(w, f, translate.LossToolCallKind, text, "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other")
	case "content":
		member(w, "content")
		return b.toolContent(w, s, f.Value)
	case "locations":
		member(w, "locations")
		return locations(w, f.Value)
	case "_meta":
		return toolMeta(w, f.Value)
	case "capabilities":
		return false // in version 2 these say what the client can cancel
	default:
		if f.Value[0] == 'n' {
			return false
		}
		field(w, f)
	}
	return true
}

// isFinal reports whether a tool call with that status has ended.
func isFinal(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// word writes one of the words that version 2 knows. Version 2 reserves words
// without an underscore, so any other word gets one.
func word(w *words.Writer, f rawjson.Field, lost translate.LossKind, text []byte, known ...string) bool {
	if slices.Contains(known, string(text)) || strings.HasPrefix(string(text), "_") {
		field(w, f)
		return true
	}
	w.Lose(lost, "an unknown one got an underscore before it")
	member(w, string(f.Name))
	w.Quoted(append([]byte("_"), text...))
	return true
}

// toolMeta writes the metadata of a tool call without what its terminal does.
func toolMeta(w *words.Writer, value []byte) bool {
	o, ok := rawjson.ReadObject(nil, value)
	if !ok {
		return false
	}
	member(w, "_meta")
	w.Text("{")
	start := len(w.Out)
	for _, f := range o {
		if !isTerminalReport(f.Name) {
			field(w, f)
		}
	}
	w.Text("}")
	return len(w.Out) > start+1 || len(o) == 0
}

// locations writes where a tool call works. Version 2 counts lines from 1 and
// wants absolute paths.
func locations(w *words.Writer, list []byte) bool {
	elements, ok := rawjson.ReadArray(nil, list)
	w.Text("[")
	for _, e := range elements {
		o, _ := rawjson.ReadObject(nil, e)
		path, ok := o.Text("path")
		if !ok {
			continue
		}
		comma(w)
		w.Text(`{"path":`)
		w.Quoted([]byte(absolute(w.Cwd, string(path))))
		for _, f := range o {
			switch string(f.Name) {
			case "path":
			case "line":
				if f.Value[0] != '0' && words.Natural(&words.Writer{}, f.Value) {
					field(w, f)
				}
			default:
				field(w, f)
			}
		}
		w.Text("}")
	}
	w.Text("]")
	return ok
}

// toolContent writes what a tool call has produced. An item that has no form
// becomes text.
func (b *Bridge) toolContent(w *words.Writer, s *session, list []byte) bool {
	elements, ok := rawjson.ReadArray(nil, list)
	w.Text("[")
	for _, e := range elements {
		o, _ := rawjson.ReadObject(nil, e)
		kind, _ := o.Text("type")
		comma(w)
		switch string(kind) {
		case "content":
			contentItem(w, o)
		case "diff":
			if !diffItem(w, o) {
				textItem(w, "[diff]")
			}
		case "terminal":
			id, _ := o.Text("terminalId")
			if s.terminals[string(id)] == nil {
				w.Lose(translate.LossTerminal, "a terminal of the client was shown as text")
				textItem(w, "[terminal]")
				break
			}
			w.Out = append(w.Out, e...)
		default:
			w.Lose(translate.LossToolCallContent, "an item of an unknown type was shown as text")
			textItem(w, "["+string(kind)+"]")
		}
	}
	w.Text("]")
	return ok
}

func contentItem(w *words.Writer, o rawjson.Object) {
	w.Text("{")
	for _, f := range o {
		if string(f.Name) != "content" {
			field(w, f)
		}
	}
	member(w, "content")
	blockToV2(w, o.Get("content"))
	w.Text("}")
}

func textItem(w *words.Writer, text string) {
	w.Text(`{"type":"content","content":{"type":"text","text":`)
	w.Quoted([]byte(text))
	w.Text("}}")
}

// cancelToolCalls tells the client that a cancelled turn has cancelled the tool
// calls that it has not finished. What the agent says of them later passes.
func (s *session) cancelToolCalls(l *link.Link) {
	for _, id := range s.toolCalls.order {
		t := s.toolCalls.known[id]
		if !t.open || !t.told || t.turn != s.turns {
			continue
		}
		t.open = false
		w := l.UpdateWith([]byte(s.id), "tool_call_update")
		member(w, "toolCallId")
		w.Quoted([]byte(id))
		w.Text(`,"status":"cancelled"`)
		l.SendUpdate()
	}
}
