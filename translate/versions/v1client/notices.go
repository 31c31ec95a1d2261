package v1client

import (
	"slices"
	"strconv"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/transport/rawjson"
)

// Notices and compactions are in both versions, but a client of version 1 gets
// them only if it has announced that. Others get a message and a tool call.

// ids counts the ids that the bridge itself has made.
type ids int

// next returns another id of the bridge's own.
func (n *ids) next(prefix string) []byte {
	*n++
	return strconv.AppendInt([]byte(prefix), int64(*n), 10)
}

// tellNotice handles notice for a client that does not know it: as a message with an id
// of the bridge's own.
func (b *Bridge) tellNotice(_ *session, u *link.Update) {
	b.link.Lose(translate.LossNotice, "shown as a message")
	w := b.link.RewriteWith(u)
	w.Object()
	w.StringMember("sessionUpdate", []byte("agent_message_chunk"))
	w.StringMember("messageId", b.ids.next("notice-"))
	w.Name("content")
	w.Object()
	w.StringMember("type", []byte("text"))
	w.StringMember("text", noticeText(u.Members))
	w.EndObject()
	if meta := u.Members.Get("_meta"); meta != nil && meta[0] == '{' {
		w.Member("_meta", meta)
	}
	w.EndObject()
	b.link.SendRewritten(u)
}

// noticeText returns what a notice says, with an empty line before and behind it: many
// clients join what messages say, whatever their ids.
func noticeText(o rawjson.Object) []byte {
	const apart = "\n\n"
	severity, _ := o.Text("severity")
	title, _ := o.Text("title")
	description, _ := o.Text("description")
	text := []byte(apart)
	switch string(severity) {
	case "warning":
		text = append(text, "Warning: "...)
	case "error":
		text = append(text, "Error: "...)
	}
	text = append(text, title...)
	if len(title) > 0 && len(description) > 0 {
		text = append(text, apart...)
	}
	text = append(text, description...)
	return append(text, apart...)
}

// compactionUpdate handles compaction_update for a client that is shown a tool call.
func (t *toolCalls) compactionUpdate(u *link.Update) {
	id, _ := u.Members.Text("compactionId")
	status := "in_progress"
	switch said, _ := u.Members.Text("status"); string(said) {
	case "completed":
		status = "completed"
	case "failed", "cancelled":
		status = "failed"
	}
	var content []byte
	if blocks, ok := rawjson.ReadArray(nil, u.Members.Get("summary")); ok {
		content = blocksAsContent(blocks)
	}
	if text, ok := u.Members.Text("error"); ok {
		content = slices.Concat([]byte{'['}, textAsItem(text), []byte{']'})
	}
	t.showCompaction(u, inventedID("compaction:", string(id)), status, content)
}

// compactionSummaryChunk handles compaction_summary_chunk for a client that is shown a
// tool call.
func (t *toolCalls) compactionSummaryChunk(u *link.Update) {
	id, _ := u.Members.Text("compactionId")
	id = inventedID("compaction:", string(id))
	if !t.get(id).announced {
		t.showCompaction(u, id, "in_progress", nil)
	}
	t.add(id, blockAsItem(u.Members.Get("content")), nil)
}

// showCompaction shows a compaction as a tool call in the place of u. The raw content
// may be nil.
func (t *toolCalls) showCompaction(u *link.Update, id []byte, status string, content []byte) {
	change := changeOf(id).Set("status", rawjson.AppendQuoted(nil, status))
	if content != nil {
		change = change.Set("content", content)
	}
	if !t.get(id).announced {
		t.link.Lose(translate.LossCompaction, "shown as a tool call")
		change = change.Set("title", []byte(`"Compact conversation"`)).Set("kind", []byte(`"other"`))
	}
	t.change(u, change)
}

// blocksAsContent returns content blocks as the content of a tool call.
func blocksAsContent(blocks [][]byte) []byte {
	var w rawjson.Builder
	w.Array()
	for _, block := range blocks {
		w.Raw(blockAsItem(block))
	}
	w.EndArray()
	return w.Out
}

// blockAsItem returns a content block as an item of the content of a tool call.
func blockAsItem(block []byte) []byte {
	var w rawjson.Builder
	w.JSON(`{"type":"content"`)
	w.Member("content", block)
	w.EndObject()
	return w.Out
}
