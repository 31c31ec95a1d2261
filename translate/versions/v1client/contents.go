package v1client

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// Version 1 has the content of a tool call as a whole only, so contents are kept, and of
// each as much as is sent again.

const (
	maxContent = 1 << 20 // bytes of the content of a tool call, in the client's form
	itemCost   = 64      // bytes of an item besides its JSON
)

// A content is what the client has of the content of a tool call, or gets next.
type content struct {
	items []item
	size  int
	cut   bool // it was more than is kept
}

// An item is a part of the content of a tool call: JSON for version 1, or a
// terminal or a subagent, which look different each time.
type item struct {
	json     []byte // of a diff one or more, with commas between them
	terminal *terminal
	subagent *subagent
}

// changes reports whether the item looks different each time.
func (i item) changes() bool { return i.json == nil }

// liveSize is how much text the terminals and subagents of a content show.
func (c *content) liveSize() (n int) {
	for _, i := range c.items {
		if i.terminal != nil {
			n += len(i.terminal.output)
		}
		if i.subagent != nil {
			n += len(i.subagent.said)
		}
	}
	return n
}

// set makes it another content.
func (c *content) set(items []item) { c.items, c.size, c.cut = items, sizeOf(items), false }

// add adds items.
func (c *content) add(items []item) {
	c.items = append(c.items, items...)
	c.size += sizeOf(items)
}

func sizeOf(items []item) (n int) {
	for _, i := range items {
		n += len(i.json) + itemCost
	}
	return n
}

// trim drops the oldest items if there are too many. It reports whether it has.
func (c *content) trim() bool {
	drop := 0
	// A quarter more than necessary is dropped, so that most additions drop nothing.
	for size := c.size; c.size > maxContent && size > maxContent*3/4 && drop < len(c.items)-1; drop++ {
		size -= len(c.items[drop].json) + itemCost
	}
	if drop > 0 {
		c.keep(slices.Clone(c.items[drop:]))
	}
	return drop > 0
}

// keep keeps these items and forgets the rest.
func (c *content) keep(left []item) {
	cut := c.cut || len(left) < len(c.items)
	c.set(left)
	c.cut = cut
}

// changesOnly reports whether all items look different each time.
func (c *content) changesOnly() bool {
	return !slices.ContainsFunc(c.items, func(i item) bool { return !i.changes() })
}

// keepChanging keeps the terminals and subagents, because those still change.
func (c *content) keepChanging() {
	c.keep(slices.DeleteFunc(slices.Clone(c.items), func(i item) bool { return !i.changes() }))
}

// write writes the content for version 1, of a tool call with that title, with a
// question in front of it if that is not nil.
func (c *content) write(w *rawjson.Builder, shown *terminals, title, question []byte) {
	w.Array()
	if question != nil {
		writeText(w, question)
	}
	start := len(w.Out) - len("[")
	if c.cut {
		writeText(w, []byte("[…]"))
	}
	for _, i := range c.items {
		switch {
		case len(w.Out)-start > maxContent && i.changes():
			writeText(w, []byte("[…]"))
		case i.terminal != nil:
			shown.writeItem(w, i.terminal, title)
		case i.subagent != nil:
			if said := i.subagent.last(); len(said) > 0 {
				writeText(w, said)
			}
		default:
			w.Raw(i.json)
		}
	}
	w.EndArray()
}

// writeText writes an item that is a text.
func writeText(w *rawjson.Builder, text []byte) {
	w.JSON(`{"type":"content","content":{"type":"text","text":`)
	w.String(text)
	w.EndObject()
	w.EndObject()
}

// textAsItem returns an item that is a text.
func textAsItem(text []byte) []byte {
	var w rawjson.Builder
	writeText(&w, text)
	return w.Out
}

// itemsToV1 returns the items of a content of version 2; none if it is null.
func (t *toolCalls) itemsToV1(c *toolCall, content []byte) (items []item) {
	if content[0] != '[' {
		if !rawjson.Null(content) {
			t.link.Lose(translate.LossUnreadableContent, "left out, as it is not a list")
		}
		return nil
	}
	for o := range rawjson.Objects(content, t.shared.fields[:0]) {
		items = t.itemToV1(c, items, o)
	}
	return items
}

// itemToV1 appends what becomes of an item of a tool call's content.
func (t *toolCalls) itemToV1(c *toolCall, items []item, o rawjson.Object) []item {
	kind, _ := o.Text("type")
	switch string(kind) {
	case "content":
		if isPlainItem(o) {
			return append(items, item{json: slices.Concat([]byte{'{'}, o[0].Text, []byte{','}, o[1].Text, []byte{'}'})})
		}
		if json := t.blockItem(o); json != nil {
			return append(items, item{json: json})
		}
	case "diff":
		return t.shared.diffs.toV1(t.link, items, o)
	case "terminal":
		if id, ok := o.Text("terminalId"); ok {
			return append(items, item{terminal: t.terminals.shownBy(c, id)})
		}
	case "session":
		if json := t.shared.subagents.item(o); json != nil {
			return append(items, item{json: json})
		}
	}
	t.link.Lose(translate.LossToolCallContent, "shown as text")
	return append(items, item{json: textAsItem(unknownItem(kind, o))})
}

// isPlainItem reports whether an item is a text that is the same in both
// versions, as most are.
func isPlainItem(o rawjson.Object) bool {
	var members [3]rawjson.Field
	block, _ := rawjson.ReadObject(members[:0], o.Get("content"))
	return len(o) == 2 && isPlainText(block)
}

// blockItem returns an item that is a content block, nil if it cannot be read.
func (t *toolCalls) blockItem(o rawjson.Object) (json []byte) {
	w := &t.shared.item
	if words.Content.ToV1(w, o) {
		t.link.LoseAll(w.Losses)
		json = bytes.Clone(w.Out)
	}
	w.Reset() // what is large is not kept
	return json
}

// unknownItem returns what an item says that version 1 lacks.
func unknownItem(kind []byte, o rawjson.Object) []byte {
	for _, name := range []string{"text", "content"} {
		if text, ok := o.Text(name); ok {
			return text
		}
	}
	return append(append([]byte("["), kind...), ']')
}

// contentMember returns the content of a tool call for version 1, see content.write, as
// a member of an update. It is valid until the next call, or until forgetWritten is called.
func (t *toolCalls) contentMember(c *toolCall, question []byte) rawjson.Field {
	const name = "content"
	w := &t.shared.content
	w.Reset()
	w.Name(name)
	value := len(w.Out)
	c.write(w, t.terminals, c.title, question)
	return rawjson.Field{Name: []byte(name), Value: w.Out[value:], Text: w.Out}
}

// forgetWritten forgets what contentMember returned. What is large is not kept.
func (t *toolCalls) forgetWritten() { t.shared.content.Reset() }
