package v1client

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2, tool_call_update begins a tool call or changes it, and
// tool_call_content_chunk adds an item to its content. Version 1 begins a tool call
// with tool_call, changes it with tool_call_update, and has the content as a whole
// only. So the bridge remembers which tool calls the client knows, and their
// content, see contents.go.

// callCost is what a tool call counts besides what it says, in bytes: so few are kept that
// the garbage collector has little to walk.
const callCost = 2 << 10

// A toolCall is a tool call that the client knows.
type toolCall struct {
	session   *session
	id        string
	title     []byte // unquoted; nil if it has none yet
	items     []item // of the content that the client has, or gets next
	cut       bool   // the content was more than is kept
	kept      *keep.Entry
	added     []byte // _meta of content that was added and is not sent; raw
	isLacking bool   // the client lacks content, which is sent when the timer fires
	timer     calls.Timer
	announced bool
}

// toolCall returns a tool call, a new one if it is not known.
func (s *session) toolCall(id []byte) *toolCall {
	if c := s.toolCalls.Find(id); c != nil {
		return c
	}
	c := &toolCall{session: s, id: string(id)}
	c.remember()
	return c
}

// remember keeps a tool call as the newest. When it has to go, the client gets what it lacks.
// Its content goes first, except the terminals and subagents, because those still change.
func (c *toolCall) remember() {
	s := c.session
	c.kept = s.toolCalls.Keep(s.kept, c.id, c, func() {
		if c.isLacking {
			c.sendContent()
		}
		before := len(c.items)
		c.keep(slices.DeleteFunc(slices.Clone(c.items), func(i item) bool { return i.json != nil }))
		if len(c.items) < before {
			c.remember()
		} else {
			c.keep(nil)
		}
	})
	c.count()
}

// count counts what is kept of a tool call.
func (c *toolCall) count() { c.kept.Count(callCost + len(c.title) + len(c.added) + c.size()) }

// inventedID returns the id of a tool call that shows something else, as it is read from
// an update, which replaces what is not UTF-8.
func inventedID(prefix, id string) []byte { return rawjson.Unquote(quoted(prefix + id)) }

// changeOf returns a change of a tool call that says nothing yet.
func changeOf(id []byte) rawjson.Object {
	return rawjson.Object{}.Set("sessionUpdate", quoted("tool_call_update")).Set("toolCallId", quoted(id))
}

// changeToolCall applies a change, which has the members of a tool_call_update, and tells
// the client of it in the place of u.
func (s *session) changeToolCall(u *calls.Update, change rawjson.Object) {
	id, _ := change.Text("toolCallId")
	s.flushSmall()
	s.toolCall(id).send(u, append(s.bridge.members[:0], change...))
}

// sendContent sends the content of a tool call.
func (c *toolCall) sendContent() {
	c.lacks(c.session.link.Now())
	c.send(&calls.Update{Session: []byte(c.session.id)}, changeOf([]byte(c.id)))
}

// send sends a change of a tool call as the client gets it: the first begins it.
func (c *toolCall) send(u *calls.Update, change rawjson.Object) {
	s := c.session
	kind := "tool_call_update"
	if change = c.apply(change); !c.announced {
		kind = "tool_call"
		change = c.first(change)
	}
	if said, _ := change.Text("sessionUpdate"); string(said) != kind {
		change = change.Set("sessionUpdate", quoted(kind))
	}
	shapes.ToolCall.ToV1(s.link.RewriteWith(u), c.introduced(change))
	s.link.SendRewritten(u)
	c.tellTerminals()
	c.count()
}

// first returns the first change of a tool call with what version 1 needs there.
func (c *toolCall) first(change rawjson.Object) rawjson.Object {
	c.announced = true
	if name, ok := change.Text("name"); c.title == nil && ok {
		c.entitle(name)
	} else if c.title == nil {
		c.title = []byte("Tool call")
	}
	if _, ok := change.Text("title"); !ok {
		change = change.Set("title", quoted(c.title))
	}
	if change.Get("content") == nil && len(c.items) > 0 {
		change = change.Put(c.contentMember(nil))
	}
	return change
}

// entitle remembers the title of a tool call, for when it is asked about.
func (c *toolCall) entitle(title []byte) {
	c.title = append([]byte(nil), title...) // without a title, if this is empty
}

// apply remembers the title and content of a change. It returns the change with the
// content as version 1 has it, and with the _meta of content that was collected.
func (c *toolCall) apply(change rawjson.Object) rawjson.Object {
	if title, ok := change.Text("title"); ok {
		c.entitle(title)
	}
	if c.added != nil {
		change = change.Set("_meta", withMeta(c.added, change.Get("_meta")))
		c.added = nil
	}
	lacked := c.sent()
	items := change.Get("content")
	if items != nil {
		c.read(items)
	}
	if items != nil || lacked {
		change = change.Put(c.contentMember(nil))
		c.bound() // of what is kept: all of it was shown
	}
	return change
}

// addContent adds an item of version 2 to the content of a tool call. The _meta is what came
// with it; it may be nil.
func (c *toolCall) addContent(item, meta []byte) {
	o, _ := rawjson.ReadObject(c.session.bridge.fields[:0], item)
	w := c.session.link.Trial()
	c.readItem(w, o)
	c.take(w)
	c.bound()
	if meta != nil && meta[0] == '{' {
		c.added = bytes.Clone(meta)
	}
	if !c.announced {
		c.session.flushSmall()
		c.sendContent()
	} else {
		c.collect(collectContent)
	}
	c.tellTerminals()
	c.count()
}

// withMeta returns the raw _meta with the members of own added.
func withMeta(raw, own []byte) []byte {
	o, ok := rawjson.ReadObject(nil, raw)
	if !ok {
		return own
	}
	mine := read(own)
	for _, f := range mine {
		o = o.Set(string(f.Name), f.Value)
	}
	return shapes.Text(o)
}
