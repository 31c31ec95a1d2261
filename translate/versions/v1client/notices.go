package v1client

import (
	"strconv"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// Both versions have notices and compactions, but a client of version 1 receives them only if
// it has announced support. Others receive a message and a tool call.

// ids counts the ids of the bridge's own.
type ids int64

// next returns the next id.
func (n *ids) next(prefix string) []byte {
	*n++
	return strconv.AppendInt([]byte(prefix), int64(*n), 10)
}

// sendNotice sends a notice as a message, with an id of the bridge's own.
func (s *session) sendNotice(u *calls.Update) {
	s.flush(smallContent)
	s.link.Lose(translate.LossNotice, "shown as a message")
	w := s.link.RewriteWith(u)
	w.Object()
	w.Texts("sessionUpdate", "agent_message_chunk", "messageId", string(s.bridge.ids.next("notice-")))
	w.Name("content")
	w.Object()
	w.Texts("type", "text", "text", noticeText(u.Members))
	w.EndObject()
	w.Others(u.Members, "sessionUpdate", "severity", "title", "description")
	w.EndObject()
	u.Kind = []byte("agent_message_chunk")
	s.link.SendRewritten(u)
}

// noticeText returns the text of a notice between empty lines: many clients concatenate
// messages even if their ids differ.
func noticeText(o rawjson.Object) string {
	const apart = "\n\n"
	title, description := o.String("title"), o.String("description")
	text := apart
	switch o.String("severity") {
	case "warning":
		text += "Warning: "
	case "error":
		text += "Error: "
	}
	if title != "" && description != "" {
		title += apart
	}
	return text + title + description + apart
}

// compaction converts compaction_update and compaction_summary_chunk: to a change of a tool
// call, and to an item of its content.
func (s *session) compaction(u *calls.Update) {
	if s.bridge.options.Client.Compaction {
		s.shape(u)
		return
	}
	if string(u.Kind) == "compaction_summary_chunk" {
		if id := s.named(u, "compactionId", "content"); id != nil {
			c := s.compactionCall(id)
			if !c.announced {
				c.showCompaction(u, "in_progress", nil)
			}
			c.addContent(blockAsItem(u.Members.Get("content")), nil)
		}
		return
	}
	id := s.named(u, "compactionId")
	if id == nil {
		return
	}
	status := "in_progress"
	switch given := u.Members.String("status"); given {
	case "completed":
		status = given
	case "failed", "cancelled":
		status = "failed"
	}
	var items rawjson.Builder
	if text, ok := u.Members.Text("error"); ok {
		items.Array()
		writeText(&items, text)
		items.EndArray()
	} else if blocks, ok := rawjson.ReadArray(nil, u.Members.Get("summary")); ok {
		items.Array()
		for _, block := range blocks {
			items.Raw(blockAsItem(block))
		}
		items.EndArray()
	}
	s.compactionCall(id).showCompaction(u, status, items.Out)
}

// compactionCall returns the tool call that shows a compaction.
func (s *session) compactionCall(id []byte) *toolCall {
	return s.toolCall(append([]byte("compaction:"), id...))
}

// showCompaction sends the tool call of a compaction in place of u. The raw content may be nil.
func (c *toolCall) showCompaction(u *calls.Update, status string, content []byte) {
	change := c.empty().Set("status", quoted(status))
	if content != nil {
		change = change.Set("content", content)
	}
	if !c.announced {
		c.session.link.Lose(translate.LossCompaction, "shown as a tool call")
		change = change.Set("title", quoted("Compact conversation")).Set("kind", quoted("other"))
	}
	c.change(u, change)
}

// blockAsItem returns a content block as an item of the content of a tool call.
func blockAsItem(block []byte) []byte {
	return shapes.Text(rawjson.Object{}.Set("type", quoted("content")).Set("content", block))
}
