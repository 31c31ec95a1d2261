package oldclient

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// Version 1 has the content of a tool call as a whole only, so contents are kept. All
// of it is sent each time, so content that grows item by item is collected for a while:
//
//	                    sent as a whole, or with a change
//	the client has it ◄────────────────────────────────── collected, due
//	                  ──────────────────────────────────►
//	                    an item is added, a terminal or
//	                    a subagent in it says something
//
// The more it is, the longer that takes. Something else that the session says has small
// content leave first. How much is kept is bounded: of a tool call, of the tool calls
// that have ended, and of all (kept.go).

const (
	maxContent      = 1 << 20 // bytes of the content of a tool call, in the client's form
	maxDone         = 1 << 20 // bytes of contents of tool calls that have ended
	itemCost        = 64      // bytes of an item besides its JSON
	smallContent    = 2 << 10 // content that is cheap to send again
	collectContent  = 100 * time.Millisecond
	collectTerminal = 250 * time.Millisecond
)

// contents are what the tool calls of all sessions share.
type contents struct {
	link *link.Link

	waiting  []*toolCalls // those of sessions in which content is due
	done     []doneCall   // in the order in which they ended
	doneSize int

	// Scratch:
	members [16]rawjson.Field // of a change
	fields  [8]rawjson.Field  // of an item
	item    words.Writer      // an item
	content rawjson.Builder   // see contentMember, release
	diffs   diffs
}

// A doneCall is a tool call whose content is kept although it has ended, because
// agents may still add to it.
type doneCall struct {
	tools *toolCalls
	call  *toolCall
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
func (c *toolCall) liveSize() (n int) {
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

// setItems gives a tool call another content.
func (t *toolCalls) setItems(c *toolCall, items []item) {
	t.grown(c, -c.size)
	c.items, c.cut = items, false
	for _, i := range items {
		t.grown(c, len(i.json)+itemCost)
	}
}

// addItem adds an item of version 2 to the content of a tool call.
func (t *toolCalls) addItem(c *toolCall, raw []byte) {
	o, _ := rawjson.ReadObject(t.fields[:0], raw)
	items := t.itemToV1(c, nil, o)
	c.items = append(c.items, items...)
	for _, i := range items {
		t.grown(c, len(i.json)+itemCost)
	}
	t.bound(c)
}

// bound drops the oldest content if there is too much of it.
func (t *toolCalls) bound(c *toolCall) {
	drop := 0
	// A quarter more than necessary is dropped, so that most additions drop nothing.
	for size := c.size; c.size > maxContent && size > maxContent*3/4 && drop < len(c.items)-1; drop++ {
		size -= len(c.items[drop].json) + itemCost
	}
	if drop > 0 {
		t.forgetItems(c, slices.Clone(c.items[drop:]))
		t.link.Lose(translate.LossTooMuchContent, "kept the last part of more than 1 MiB")
	}
}

// forgetItems keeps these items of the content and forgets the rest.
func (t *toolCalls) forgetItems(c *toolCall, left []item) {
	cut := c.cut || len(left) < len(c.items)
	t.setItems(c, left)
	c.cut = cut
}

// forgetContents forgets all contents. That a tool call shows terminals or subagents is
// not forgotten, as these still change.
func (t *toolCalls) forgetContents() {
	for _, c := range t.order {
		var left []item
		for _, i := range c.items {
			if i.changes() {
				left = append(left, i)
			}
		}
		t.forgetItems(c, left)
	}
}

// grown counts content.
func (t *toolCalls) grown(c *toolCall, by int) {
	c.size += by
	if t.has(c) {
		t.size += by
		t.kept.add(by)
	}
}

// keepDone keeps the content of a tool call that has ended, and forgets the content of
// others if it is too much.
func (k *contents) keepDone(t *toolCalls, c *toolCall) {
	if !t.has(c) {
		return
	}
	if c.counted == 0 {
		k.done = append(k.done, doneCall{t, c})
	}
	k.doneSize -= c.counted
	c.counted = c.size + itemCost
	for k.doneSize += c.counted; k.doneSize > maxDone; {
		first := k.done[0]
		k.done = k.done[1:]
		k.uncount(first.call)
		first.tools.forgetDone(first.call)
	}
}

// uncount notes that a tool call is not among those that have ended any more.
func (k *contents) uncount(c *toolCall) {
	k.doneSize -= c.counted
	c.counted = 0
}

// close notes that a session has ended: its tool calls count no longer.
func (k *contents) close(t *toolCalls) {
	k.done = slices.DeleteFunc(k.done, func(d doneCall) bool {
		if d.tools == t {
			k.uncount(d.call)
		}
		return d.tools == t
	})
}

// forgetDone forgets the content of a tool call that has ended. It keeps a terminal or
// a subagent in it, with what is around, because those still change.
func (t *toolCalls) forgetDone(c *toolCall) {
	if !c.done || len(c.items) == 0 || slices.ContainsFunc(c.items, item.changes) {
		return
	}
	if !c.due.IsZero() {
		t.sendContent(c)
	}
	t.forgetItems(c, nil)
}

// collect has the content sent again in a while. The more it is, the longer.
func (t *toolCalls) collect(c *toolCall, patience time.Duration) {
	const unit = 64 << 10
	if c.due.IsZero() {
		c.due = t.link.Now().Add(patience * time.Duration(1+c.size/unit))
		t.lacking = append(t.lacking, c)
	}
	t.waitUntil(c.due)
}

// waitUntil notes that content of the session waits to be sent, at the latest at that
// time.
func (t *toolCalls) waitUntil(due time.Time) {
	if t.due.IsZero() {
		t.waiting = append(t.waiting, t)
		t.due = due
	} else if due.Before(t.due) {
		t.due = due
	}
}

// nothingWaits notes that no content of the session waits to be sent.
func (t *toolCalls) nothingWaits() {
	if !t.due.IsZero() {
		t.due = time.Time{}
		t.waiting = slices.DeleteFunc(t.waiting, func(w *toolCalls) bool { return w == t })
	}
}

// sent notes that the client has all content of a tool call.
func (t *toolCalls) sent(c *toolCall) {
	if c.due.IsZero() {
		return
	}
	c.due = time.Time{}
	t.lacking = slices.DeleteFunc(t.lacking, func(l *toolCall) bool { return l == c })
	if len(t.lacking) == 0 {
		t.nothingWaits()
	}
}

// sendContent sends the content of a tool call.
func (t *toolCalls) sendContent(c *toolCall) {
	t.sent(c)
	kind := "tool_call_update"
	if !c.announced {
		kind = "tool_call"
		if c.title == nil {
			c.title = []byte("Tool call")
		}
	}
	w := t.link.UpdateWith(t.session, kind)
	if !c.announced {
		c.announced = true
		w.StringMember("title", c.title)
	}
	w.StringMember("toolCallId", []byte(c.id))
	w.Name("content")
	t.writeContent(&w.Builder, c, nil)
	var beside rawjson.Object
	if c.added != nil {
		beside = beside.Set("_meta", c.added)
		c.added = nil
	}
	t.count(c)
	w.Member("_meta", t.terminals.introduced(c, beside).Get("_meta"))
	t.link.SendUpdate()
}

// flush sends everything that was collected for the session.
func (t *toolCalls) flush() {
	for len(t.lacking) > 0 {
		t.sendContent(t.lacking[0])
	}
}

// flushSmall sends what was collected before something else of the session is
// sent. What is large waits for its time: else a session that says two things
// in turns would send all of the content with each.
func (t *toolCalls) flushSmall() {
	if len(t.lacking) == 0 {
		return
	}
	for _, c := range slices.Clone(t.lacking) {
		if c.size <= smallContent && c.size+c.liveSize() <= smallContent {
			t.sendContent(c)
		}
	}
}

// flushDue sends what has waited long enough in all sessions.
func (k *contents) flushDue() {
	for _, t := range slices.Clone(k.waiting) {
		if !t.due.After(k.link.Now()) {
			t.flushDue()
		}
	}
}

// flushDue sends what has waited long enough.
func (t *toolCalls) flushDue() {
	for _, c := range slices.Clone(t.lacking) {
		if !c.due.After(t.link.Now()) {
			t.sendContent(c)
		}
	}
	t.nothingWaits()
	for _, c := range t.lacking {
		t.waitUntil(c.due)
	}
}

// next returns when content has waited long enough; zero if none waits.
func (k *contents) next() (next time.Time) {
	for _, t := range k.waiting {
		next = link.Earliest(next, t.due)
	}
	return next
}

// contentMember returns the content of a tool call for version 1, see writeContent, as
// a member of an update. It is valid until the next call, or until release is called.
func (t *toolCalls) contentMember(c *toolCall, question []byte) rawjson.Field {
	const name = "content"
	w := &t.content
	w.Reset()
	w.Name(name)
	value := len(w.Out)
	t.writeContent(w, c, question)
	return rawjson.Field{Name: []byte(name), Value: w.Out[value:], Text: w.Out}
}

// release notes that what contentMember returned was sent. What is large is not kept.
func (k *contents) release() { k.content.Reset() }

// writeContent writes the content of a tool call for version 1, with a question in
// front of it if that is not nil.
func (t *toolCalls) writeContent(w *rawjson.Builder, c *toolCall, question []byte) {
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
			t.terminals.writeItem(w, i.terminal, c.title)
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
	for o := range rawjson.Objects(content, t.fields[:0]) {
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
			return append(items, item{json: asObject(o)})
		}
		if json := t.blockItem(o); json != nil {
			return append(items, item{json: json})
		}
	case "diff":
		return t.diffs.toV1(t.link, items, o)
	case "terminal":
		if id, ok := o.Text("terminalId"); ok {
			return append(items, item{terminal: t.terminals.shownBy(c, id)})
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
func (k *contents) blockItem(o rawjson.Object) (json []byte) {
	k.item.Reset()
	if words.ContentToV1.ConvertObject(&k.item, o) {
		k.link.LoseAll(k.item.Losses)
		json = bytes.Clone(k.item.Out)
	}
	k.item.Reset() // what is large is not kept
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
