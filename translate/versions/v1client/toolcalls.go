package v1client

import (
	"bytes"
	"cmp"
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2, tool_call_update begins a tool call or changes it, and tool_call_content_chunk
// appends an item to its content. Version 1 begins a tool call with tool_call, changes it with
// tool_call_update, and only replaces the whole content. The bridge therefore keeps the known
// tool calls with their content, see contents.go.

// callCost is the cost of a tool call in bytes, without its texts: it limits the number of
// calls, which the garbage collector has to traverse.
const callCost = 2 << 10

// A toolCall is a tool call that the client knows.
type toolCall struct {
	session     *session
	id          string
	title       string // "" before the first title
	items       []item // content of the client after the next update
	truncated   bool   // part of the content was evicted
	sent        int    // bytes of the content that was sent last
	entry       *keep.Entry
	delayedMeta []byte      // raw _meta of content that is not sent yet
	timer       calls.Timer // sends delayed content
	announced   bool
}

// toolCall returns a tool call, or adds it.
func (s *session) toolCall(id []byte) *toolCall {
	if c := s.toolCalls.Find(id); c != nil {
		return c
	}
	c := &toolCall{session: s, id: string(id)}
	c.remember()
	return c
}

// remember adds a tool call as the newest. On eviction, delayed content is sent first. The
// content is evicted before the call, except terminals and subagents, which still change.
func (c *toolCall) remember() {
	s := c.session
	c.entry = s.toolCalls.Keep(s.share, c.id, c, func() {
		if c.timer.IsSet() {
			c.sendContent()
		}
		before := len(c.items)
		c.items = slices.DeleteFunc(slices.Clone(c.items), func(i item) bool { return i.json != nil })
		if len(c.items) < before {
			c.truncated = true
			c.remember()
		} else {
			c.items = nil
		}
	})
	c.updateSize()
}

// updateSize updates the cost of a tool call in the budget.
func (c *toolCall) updateSize() {
	c.entry.SetSize(callCost + len(c.title) + len(c.delayedMeta) + c.size())
}

// emptyChange returns an empty change of the tool call.
func (c *toolCall) emptyChange() rawjson.Object {
	return rawjson.Object{}.Set("sessionUpdate", quoted("tool_call_update")).Set("toolCallId", quoted(c.id))
}

// change applies a change, which has the members of a tool_call_update, and sends it in place
// of u.
func (c *toolCall) change(u *calls.Update, change rawjson.Object) {
	c.session.flush(smallContent)
	c.send(u, append(c.session.bridge.members[:0], change...))
}

// sendContent sends the content of a tool call.
func (c *toolCall) sendContent() {
	c.collect(0)
	c.send(&calls.Update{Session: []byte(c.session.id)}, c.emptyChange())
}

// send sends a change of a tool call; the first one begins it.
func (c *toolCall) send(u *calls.Update, change rawjson.Object) {
	s := c.session
	kind := "tool_call_update"
	if change = c.apply(change); !c.announced {
		kind = "tool_call"
		change = c.addRequired(change)
	}
	if current, _ := change.Text("sessionUpdate"); string(current) != kind {
		change = change.Set("sessionUpdate", quoted(kind))
	}
	u.Kind, _ = change.Text("sessionUpdate")
	shapes.ToolCall.ToV1(s.link.RewriteWith(u), c.announceTerminals(change))
	s.link.SendRewritten(u)
	c.showTerminals()
	c.updateSize()
}

// addRequired adds the members that version 1 requires in the first change of a tool call.
func (c *toolCall) addRequired(change rawjson.Object) rawjson.Object {
	c.announced = true
	c.title = cmp.Or(c.title, change.String("name"), "Tool call")
	if _, ok := change.Text("title"); !ok {
		change = change.Set("title", quoted(c.title))
	}
	if change.Get("content") == nil && len(c.items) > 0 {
		change = change.Put(c.contentMember(""))
	}
	return change
}

// apply keeps the title and content of a change. It returns the change with the content in
// version 1, and with the _meta of delayed content.
func (c *toolCall) apply(change rawjson.Object) rawjson.Object {
	if title, ok := change.Text("title"); ok {
		c.title = string(title)
	}
	if c.delayedMeta != nil {
		change = change.Set("_meta", withMeta(c.delayedMeta, change.Get("_meta")))
		c.delayedMeta = nil
	}
	delayed := c.stopDelay()
	items := change.Get("content")
	if items != nil {
		c.readContent(items)
	}
	if items != nil || delayed {
		change = change.Put(c.contentMember(""))
	}
	return change
}

// addContent appends an item of version 2 to the content of a tool call. The _meta is that of
// its update, or nil.
func (c *toolCall) addContent(item, meta []byte) {
	o, _ := rawjson.ReadObject(c.session.bridge.members[:0], item)
	w := c.session.link.Scratch()
	c.readItem(w, o)
	c.appendWritten(w)
	if rawjson.IsObject(meta) {
		c.delayedMeta = bytes.Clone(meta)
	}
	if !c.announced {
		c.session.flush(smallContent)
		c.sendContent()
	} else {
		c.collect(collectContent)
	}
	c.updateSize()
}

// withMeta returns the raw _meta with the members of own added.
func withMeta(raw, added []byte) []byte {
	o, ok := rawjson.ReadObject(nil, raw)
	if !ok {
		return added
	}
	for _, f := range rawjson.Members(added) {
		o = o.Set(string(f.Name), f.Value)
	}
	return shapes.Text(o)
}
