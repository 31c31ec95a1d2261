package oldclient

import (
	"strconv"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// Notices and compactions are in both versions, but a client of version 1 gets
// them only if it has announced that. Others get a message and a tool call.

// notice handles notice.
func (b *Bridge) notice(s *session) {
	b.flushSmall(s)
	if b.options.Client.Notices {
		b.emitAs(words.Update(string(b.update.kind)).ToV1)
		return
	}
	o := b.update.members
	severity, _ := o.Text("severity")
	title, _ := o.Text("title")
	description, _ := o.Text("description")
	var text []byte
	switch string(severity) {
	case "warning":
		text = append(text, "Warning: "...)
	case "error":
		text = append(text, "Error: "...)
	}
	text = append(text, title...)
	if len(description) > 0 {
		if len(text) > 0 {
			text = append(text, "\n\n"...)
		}
		text = append(text, description...)
	}
	b.w.Lose(translate.LossNotice, "shown as a message")
	b.invented++
	b.w.Out = append(b.w.Out[:0], `{"sessionUpdate":"agent_message_chunk","messageId":"notice-`...)
	b.w.Out = append(strconv.AppendInt(b.w.Out, int64(b.invented), 10), `","content":{"type":"text","text":`...)
	b.w.Quoted(text)
	b.w.Text("}")
	if meta := o.Get("_meta"); meta != nil && meta[0] == '{' {
		b.w.Out = appendRaw(b.w.Out, "_meta", meta)
	}
	b.w.Text("}")
	b.emit()
}

// compactionUpdate handles compaction_update.
func (b *Bridge) compactionUpdate(s *session) {
	if b.options.Client.Compaction {
		b.flushSmall(s)
		b.emitAs(words.Update(string(b.update.kind)).ToV1)
		return
	}
	o := b.update.members
	id, ok := o.Text("compactionId")
	status, _ := o.Text("status")
	if !ok {
		b.w.Lose(translate.LossUnreadableUpdate, "dropped a compaction_update without compactionId")
		return
	}
	shown := `"in_progress"`
	switch string(status) {
	case "completed":
		shown = `"completed"`
	case "failed", "cancelled":
		shown = `"failed"`
	}
	call := rawjson.Object{}.Set("sessionUpdate", []byte(`"tool_call_update"`)).
		Set("toolCallId", rawjson.AppendQuoted(nil, "compaction:"+string(id))).Set("status", []byte(shown))
	if blocks, ok := rawjson.ReadArray(nil, o.Get("summary")); ok {
		call = call.Set("content", blocksAsContent(blocks))
	}
	if text, ok := o.Text("error"); ok {
		call = call.Set("content", append(appendTextItem([]byte("["), text), ']'))
	}
	b.compaction(s, call)
}

// compactionSummaryChunk handles compaction_summary_chunk.
func (b *Bridge) compactionSummaryChunk(s *session) {
	if b.options.Client.Compaction {
		b.flushSmall(s)
		b.emitAs(words.Update(string(b.update.kind)).ToV1)
		return
	}
	o := b.update.members
	id, ok := o.Text("compactionId")
	content := o.Get("content")
	if !ok || content == nil {
		b.w.Lose(translate.LossUnreadableUpdate, "dropped a compaction_summary_chunk that cannot be read")
		return
	}
	c := s.toolCall(b, []byte("compaction:"+string(id)))
	if !c.announced {
		b.compaction(s, rawjson.Object{}.Set("sessionUpdate", []byte(`"tool_call_update"`)).
			Set("toolCallId", rawjson.AppendQuoted(nil, c.id)).Set("status", []byte(`"in_progress"`)))
	}
	b.update.members = rawjson.Object{}.Set("toolCallId", rawjson.AppendQuoted(nil, c.id)).
		Set("content", append(append([]byte(`{"type":"content","content":`), content...), '}'))
	b.toolCallContentChunk(s)
}

// compaction shows a compaction as a tool call.
func (b *Bridge) compaction(s *session, call rawjson.Object) {
	id, _ := call.Text("toolCallId")
	if c := s.toolCall(b, id); !c.announced {
		b.w.Lose(translate.LossCompaction, "shown as a tool call")
		call = call.Set("title", []byte(`"Compact conversation"`)).Set("kind", []byte(`"other"`))
	}
	b.update.members = call
	b.toolCallUpdate(s)
}

// blocksAsContent returns content blocks as the content of a tool call.
func blocksAsContent(blocks [][]byte) []byte {
	out := []byte("[")
	for _, block := range blocks {
		out = append(appendElement(out), `{"type":"content","content":`...)
		out = append(append(out, block...), '}')
	}
	return append(out, ']')
}
