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
// appends an item to its content. In version 1, tool_call begins a tool call, and tool_call_update
// changes it; content can only be replaced as a whole. The bridge therefore keeps the tool calls with
// their content, see contents.go.

// callCost is the cost of a tool call in bytes, without its texts. It exceeds the size of a
// toolCall, to limit the number of objects that the garbage collector traverses.
const callCost = 2 << 10

// A toolCall is the state of a tool call.
type toolCall struct {
	session     *session
	id          string
	title       string // "" before the first title
	items       []item // the content, including delayed items
	truncated   bool   // a part of the content was evicted
	sent        int    // length of the content that was sent last
	entry       *keep.Entry
	delayedMeta []byte      // raw _meta of delayed content
	timer       calls.Timer // sends delayed content
	announced   bool        // the client knows the tool call
}

// toolCall returns the tool call with that id, or adds it.
func (s *session) toolCall(id []byte) *toolCall {
	if c := s.toolCalls.Find(id); c != nil {
		return c
	}
	c := &toolCall{session: s, id: string(id)}
	c.remember()
	return c
}

// remember adds a tool call as the newest. The eviction sends delayed content first. Then it drops
// the JSON items, and adds the call again. A later eviction drops the call itself; until then its
// terminals and subagents can still change.
func (t *toolCall) remember() {
	s := t.session
	t.entry = s.toolCalls.Keep(s.share, t.id, t, func() {
		if t.timer.IsSet() {
			t.sendContent()
		}
		before := len(t.items)
		t.items = slices.DeleteFunc(slices.Clone(t.items), func(i item) bool { return i.json != nil })
		if len(t.items) < before {
			t.truncated = true
			t.remember()
		} else {
			t.items = nil
		}
	})
	t.updateSize()
}

// updateSize updates the cost of a tool call in the budget.
func (t *toolCall) updateSize() {
	t.entry.SetSize(callCost + len(t.title) + len(t.delayedMeta) + t.size())
}

// emptyChange returns an empty change of the tool call.
func (t *toolCall) emptyChange() rawjson.Object {
	return rawjson.Object{}.Set("sessionUpdate", quoted("tool_call_update")).Set("toolCallId", quoted(t.id))
}

// change applies a change, which has the members of a tool_call_update, and sends it in place
// of u.
func (t *toolCall) change(u *calls.Update, change rawjson.Object) {
	t.session.flush(smallContent)
	t.send(u, append(t.session.bridge.members[:0], change...))
}

// sendContent sends the content of a tool call now. It marks the content as delayed first, because
// apply adds only delayed content to a change.
func (t *toolCall) sendContent() {
	t.delayContent(0)
	t.send(&calls.Update{Session: []byte(t.session.id)}, t.emptyChange())
}

// send sends a change of a tool call; the first one begins it.
func (t *toolCall) send(u *calls.Update, change rawjson.Object) {
	s := t.session
	kind := "tool_call_update"
	change = t.apply(change)
	if !t.announced {
		kind = "tool_call"
		change = t.addRequired(change)
	}
	if current, _ := change.Text("sessionUpdate"); string(current) != kind {
		change = change.Set("sessionUpdate", quoted(kind))
	}
	u.Kind, _ = change.Text("sessionUpdate")
	shapes.ToolCall.ToV1(s.link.RewriteWith(u), t.announceTerminal(change))
	s.link.SendRewritten(u)
	t.showTerminals()
	t.updateSize()
}

// addRequired adds the members that the first change of a tool call must have in version 1.
func (t *toolCall) addRequired(change rawjson.Object) rawjson.Object {
	t.announced = true
	t.title = cmp.Or(t.title, change.String("name"), "Tool call")
	if _, ok := change.Text("title"); !ok {
		change = change.Set("title", quoted(t.title))
	}
	if change.Get("content") == nil && len(t.items) > 0 {
		change = change.Put(t.contentMember(""))
	}
	return change
}

// apply stores the title and the content of a change. It returns the change with the content in
// version 1, and with the _meta of delayed content.
func (t *toolCall) apply(change rawjson.Object) rawjson.Object {
	if title, ok := change.Text("title"); ok {
		t.title = string(title)
	}
	if t.delayedMeta != nil {
		change = change.Set("_meta", withMeta(t.delayedMeta, change.Get("_meta")))
		t.delayedMeta = nil
	}
	delayed := t.stopDelay()
	items := change.Get("content")
	if items != nil {
		t.readContent(items)
	}
	if items != nil || delayed {
		change = change.Put(t.contentMember(""))
	}
	return change
}

// addContent appends an item of version 2 to the content of a tool call. meta is the raw _meta of
// its update, or nil.
func (t *toolCall) addContent(item, meta []byte) {
	o, _ := rawjson.ReadObject(t.session.bridge.members[:0], item)
	w := t.session.link.Scratch()
	t.readItem(w, o)
	t.appendWritten(w)
	if rawjson.IsObject(meta) {
		t.delayedMeta = bytes.Clone(meta)
	}
	if !t.announced {
		t.session.flush(smallContent)
		t.sendContent()
	} else {
		t.delayContent(contentDelay)
	}
	t.updateSize()
}

// withMeta returns the raw _meta with the members of another one added.
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
