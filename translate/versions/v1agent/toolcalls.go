package v1agent

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1, tool_call begins a tool call, tool_call_update changes it, and null changes
// nothing. In version 2, tool_call_update does both, and null clears.
//
// In version 1, a client marks the unfinished tool calls of a cancelled turn itself. In version 2,
// the agent reports their end, so the bridge does.

const (
	maxTitle = 256     // bytes of a title in the state
	callCost = 2 << 10 // bytes of a tool call; more than its size, see callCost of v1client
)

// A toolCall is the state of a tool call.
type toolCall struct {
	id        string
	title     string // cut
	terminal  string // id of the terminal of its command, or ""
	turn      int    // number of the turn with its last report, see session.turnCount
	announced bool   // the client knows the tool call
	ended     bool   // its status is final
}

// cut returns the beginning of a title or another name, for the state or the log.
func cut(title []byte) string { return string(title[:min(len(title), maxTitle)]) }

// toolCall returns the tool call with that id, or adds it.
func (s *session) toolCall(id []byte) *toolCall {
	if c := s.toolCalls.Find(id); c != nil {
		return c
	}
	c := &toolCall{id: string(id)}
	s.toolCalls.Keep(s.share, c.id, c, nil).SetSize(callCost)
	return c
}

// reportToolCall converts tool_call and tool_call_update.
func (s *session) reportToolCall(u *calls.Update) {
	id, ok := u.Members.Text("toolCallId")
	if !ok {
		s.link.Lose(translate.LossUnreadableUpdate, "a tool call without an id is dropped")
		return
	}
	if s.turn != nil {
		s.turn.afterMessage = false
	}
	c := s.toolCall(id)
	begins := string(u.Kind) == "tool_call"
	if begins || !c.announced {
		s.message.end()
	}
	hasTerminal := s.tellTerminal(c, u.Members)
	c.ended = c.ended && !begins
	w := s.rewrite(u)
	start := len(w.Out)
	s.writeChange(w, c, u.Members, begins && c.announced)
	if hasTerminal && len(rawjson.Members(w.Out[start:])) == 2 { // only its kind and id remain
		return
	}
	c.announced = true
	u.Kind = []byte("tool_call_update")
	s.link.SendRewritten(u)
}

// writeChange writes an update of a tool call in version 2, and stores its title and status. For
// begunAgain see [shapes.ToolCallToV2].
func (s *session) writeChange(w *shapes.Writer, c *toolCall, report rawjson.Object, begunAgain bool) {
	c.turn = s.turnCount
	if title, ok := report.Text("title"); ok {
		c.title = cut(title)
	}
	if status, ok := report.Text("status"); ok {
		c.ended = isFinal(string(status))
	}
	shapes.ToolCallToV2(w, report, item{s}, begunAgain)
}

// isFinal reports whether a status is final.
func isFinal(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// An item converts an item of a tool call's content. A text replaces an item that version 2 cannot
// read.
type item struct{ session *session }

func (i item) Write(w *shapes.Writer, value []byte) bool {
	o := rawjson.Members(value)
	kind := o.String("type")
	readable := false
	switch kind {
	case "content":
		readable = shapes.Content.ToV2(w, o)
	case "diff":
		readable = writeDiff(w, o)
	case "terminal": // an unknown terminal would be one of the client, which has none
		readable = i.session.terminals.Has(o.String("terminalId")) && w.ToV2(shapes.Object{}, value)
	case "session":
		_, named := o.Text("sessionId")
		readable = named && w.ToV2(shapes.Object{}, value)
	}
	if !readable {
		w.Lose(translate.LossToolCallContent, "an item of content that cannot be read is shown as text")
		w.JSON(`{"type":"content","content":{"type":"text"`)
		w.Texts("text", "["+kind+"]")
		w.EndObject()
		w.EndObject()
	}
	return true
}

// cancelToolCalls reports the unfinished tool calls of a cancelled turn as cancelled. Their later
// updates are forwarded.
func (s *session) cancelToolCalls() {
	for _, c := range s.toolCalls.All() {
		if c.ended || !c.announced || c.turn != s.turnCount {
			continue
		}
		c.ended = true
		w := s.beginUpdate("tool_call_update")
		w.Texts("toolCallId", c.id, "status", "cancelled")
		s.link.SendUpdate()
	}
}
