package v1client

import (
	"bytes"
	"cmp"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// Version 1 can only replace the whole content of a tool call, so the bridge keeps the content to
// send it again.

const (
	maxContent = 1 << 20 // length of a content beyond which terminals and subagents are omitted
	itemCost   = 64      // bytes of an item without its JSON
)

// An item is a part of the content of a tool call. One of its fields is set: json, or a terminal or
// subagent, whose output may grow.
type item struct {
	json     []byte // one or more values in version 1, separated by commas
	terminal *terminal
	subagent *subagent
}

// size is the cost of the content in the budget.
func (t *toolCall) size() (n int) {
	for _, part := range t.items {
		n += len(part.json) + itemCost
	}
	return n
}

// contentMember returns the content in version 1 as a member of an update. If question is not "",
// the content begins with it. The result is valid until the next call of contentMember.
func (t *toolCall) contentMember(question string) rawjson.Field {
	const name = "content"
	w := &t.session.bridge.content
	w.Reset()
	w.Name(name)
	value := len(w.Out)
	w.Array()
	if question != "" {
		translate.WriteText(w, question)
	}
	if t.truncated {
		translate.WriteText(w, "[…]")
	}
	for _, part := range t.items {
		switch {
		case part.json != nil:
			w.Raw(part.json)
		case len(w.Out) > maxContent:
			translate.WriteText(w, "[…]")
		case part.terminal != nil:
			part.terminal.writeItem(w)
		case len(part.subagent.text.text) > 0:
			translate.WriteText(w, part.subagent.text.shown())
		}
	}
	w.EndArray()
	t.sent = len(w.Out)
	return rawjson.Field{Name: []byte(name), Value: w.Out[value:], Text: w.Out}
}

// readContent replaces the content with the converted raw content of an update. null empties it.
func (t *toolCall) readContent(raw []byte) {
	b := t.session.bridge
	w := b.link.Scratch()
	if raw[0] != '[' && !rawjson.IsNull(raw) {
		w.Lose(translate.LossUnreadableContent, "content that is not a list is dropped")
	}
	t.items, t.truncated = nil, false
	for o := range rawjson.Objects(raw, nil) {
		t.readItem(w, o)
	}
	t.appendWritten(w)
}

// appendWritten appends the items in w to the content, reports their losses, and empties w.
func (t *toolCall) appendWritten(w *shapes.Writer) {
	switch last := len(t.items) - 1; {
	case len(w.Out) == 0:
	case last >= 0 && t.items[last].json != nil:
		t.items[last].json = append(append(t.items[last].json, ','), w.Out...)
	default:
		t.items = append(t.items, item{json: bytes.Clone(w.Out)})
	}
	t.session.link.Report(w.Losses...)
	w.Out, w.Losses = w.Out[:0], w.Losses[:0]
}

// readItem writes a converted item to w. It appends a terminal to the content instead, after the
// items in w.
func (t *toolCall) readItem(w *shapes.Writer, o rawjson.Object) {
	kind, _ := o.Text("type")
	losses := len(w.Losses)
	switch string(kind) {
	case "content":
		if shapes.Content.ToV1(w, o) {
			return
		}
		w.Losses = w.Losses[:losses]
	case "diff":
		writeDiff(w, o)
		return
	case "terminal":
		if id, ok := o.Text("terminalId"); ok {
			t.appendWritten(w)
			t.items = append(t.items, item{terminal: t.attachTerminal(id)})
			return
		}
	case "session":
		if id, ok := o.Text("sessionId"); ok {
			t.session.bridge.writeSession(w, o, id)
			return
		}
	}
	w.Lose(translate.LossToolCallContent, "an item of content is shown as text")
	translate.WriteText(&w.Builder, cmp.Or(o.String("text"), o.String("content"), "["+string(kind)+"]"))
}
