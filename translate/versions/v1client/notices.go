package v1client

import (
	"strconv"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// Both versions have notices and compactions, but a client of version 1 receives them only if
// it has announced support. Otherwise the bridge shows a notice as a message, and a compaction as a
// tool call.

// ids counts the ids that the bridge has chosen.
type ids int64

// next returns a new id.
func (i *ids) next(prefix string) []byte {
	*i++
	return strconv.AppendInt([]byte(prefix), int64(*i), 10)
}

// sendNotice sends a notice as a message.
func (s *session) sendNotice(u *calls.Update) {
	s.flush(smallContent)
	s.link.Lose(translate.LossNotice, "a notice is shown as a message")
	w := s.link.UpdateWith([]byte(s.id), "agent_message_chunk")
	w.Texts("messageId", string(s.bridge.ids.next("notice-")))
	w.Name("content")
	w.Object()
	w.Texts("type", "text", "text", noticeText(u.Members))
	w.EndObject()
	w.CopyOthers(u.Members, "sessionUpdate", "severity", "title", "description")
	s.link.SendUpdate()
}

// noticeText returns the text of a notice between empty lines: many clients concatenate
// messages even if their ids differ.
func noticeText(o rawjson.Object) string {
	const apart = "\n\n"
	severity := map[string]string{"warning": "Warning: ", "error": "Error: "}[o.String("severity")]
	return apart + severity + strings.Trim(o.String("title")+apart+o.String("description"), "\n") + apart
}

// compaction converts compaction_update to a change of a tool call, and compaction_summary_chunk to an
// item of its content, unless the client supports compactions.
func (s *session) compaction(u *calls.Update) {
	id := s.acceptUpdate(u, "compactionId")
	switch {
	case id == nil:
		return
	case s.bridge.options.Client.Compaction:
		s.sendConverted(u)
		return
	}
	c := s.toolCall(append([]byte("compaction:"), id...))
	change := c.emptyChange()
	if !c.announced {
		s.link.Lose(translate.LossCompaction, "a compaction is shown as a tool call")
		c.title = "Compact conversation"
		change = change.Set("kind", quoted("other")).Set("status", quoted("in_progress"))
	}
	if block := u.Members.Get("content"); block != nil { // of a chunk
		if !c.announced {
			c.change(u, change)
		}
		c.addContent(blockAsItem(block), nil)
		return
	}
	status := u.Members.String("status")
	switch status {
	case "completed":
	case "failed", "cancelled":
		status = "failed"
	default:
		status = "in_progress"
	}
	var items rawjson.Builder
	items.Array()
	blocks, _ := rawjson.ReadArray(nil, u.Members.Get("summary"))
	for _, block := range blocks {
		items.Raw(blockAsItem(block))
	}
	text, failed := u.Members.Text("error")
	if failed {
		translate.WriteText(&items, text)
	}
	items.EndArray()
	change = change.Set("status", quoted(status))
	if failed || len(blocks) > 0 {
		change = change.Set("content", items.Out)
	}
	c.change(u, change)
}

// blockAsItem returns a content block as an item of the content of a tool call.
func blockAsItem(block []byte) []byte {
	return shapes.Text(rawjson.Object{}.Set("type", quoted("content")).Set("content", block))
}
