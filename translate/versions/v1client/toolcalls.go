package v1client

import (
	"bytes"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2, tool_call_update begins a tool call or changes it, and
// tool_call_content_chunk adds an item to its content. Version 1 begins a tool call
// with tool_call, changes it with tool_call_update, and has the content as a whole
// only. So the bridge remembers which tool calls the client knows, and their
// content, see contents.go.

const callCost = 1 << 10 // bytes of a tool call besides what it says

// toolCalls are the tool calls of a session.
type toolCalls struct {
	link      *link.Link
	session   []byte // its id
	terminals *terminals
	kept      *keep.Share
	shared    *shared
	all       keep.Map[*toolCall]
}

// shared is what the tool calls of all sessions share.
type shared struct {
	link      *link.Link
	subagents *subagents
	lacking   []*toolCall // those with content that the client lacks

	// Scratch:
	members [16]rawjson.Field // of a change
	fields  [8]rawjson.Field  // of an item
	item    words.Writer      // an item
	content rawjson.Builder   // see contentMember, forgetWritten
	diffs   diffs
}

// A toolCall is a tool call that the client knows.
type toolCall struct {
	in    *toolCalls
	id    string
	title []byte // unquoted; nil if it has none yet
	content
	kept      *keep.Entry
	added     []byte    // _meta of content that was added and is not sent; raw
	due       time.Time // when the content is sent again; zero if the client has it
	announced bool
}

// get returns a tool call, a new one if it is not known.
func (t *toolCalls) get(id []byte) *toolCall {
	if call := t.all.Find(id); call != nil {
		return call
	}
	call := &toolCall{in: t, id: string(id)}
	t.remember(call)
	return call
}

// remember keeps a tool call as the newest. When it has to go, the client gets what it lacks.
// What goes first is its content, but for what still changes.
func (t *toolCalls) remember(c *toolCall) {
	c.kept = t.all.Keep(t.kept, c.id, c, func() {
		if !c.due.IsZero() {
			t.sendContent(c)
		}
		if !c.changesOnly() {
			c.keepChanging()
			t.remember(c)
			return
		}
		c.keep(nil)
	})
	c.count()
}

// forget forgets all tool calls. The client gets the content that it lacks. What still
// waits for an answer may refer to some.
func (t *toolCalls) forget() {
	t.flush()
	for _, c := range t.all.All() {
		c.keep(nil)
	}
	t.all.Clear()
}

// inventedID returns the id of a tool call that shows something else, as it is read from
// an update: what is no UTF-8 is something else then.
func inventedID(prefix, id string) []byte {
	return rawjson.Unquote(rawjson.AppendQuoted(nil, prefix+id))
}

// count counts what is kept of a tool call.
func (c *toolCall) count() { c.kept.Count(callCost + len(c.title) + len(c.added) + c.size) }

// toolCallUpdate handles tool_call_update.
func (t *toolCalls) toolCallUpdate(u *link.Update) { t.change(u, u.Members) }

// changeOf returns a change of a tool call that says nothing yet.
func changeOf(id []byte) rawjson.Object {
	return rawjson.Object{}.Set("sessionUpdate", []byte(`"tool_call_update"`)).Set("toolCallId", rawjson.AppendQuoted(nil, id))
}

// change applies a change, which has the members of a tool_call_update, and tells the
// client of it in the place of u.
func (t *toolCalls) change(u *link.Update, change rawjson.Object) {
	id, _ := change.Text("toolCallId")
	t.flushSmall()
	t.send(u, t.get(id), append(t.shared.members[:0], change...))
}

// sendContent sends the content of a tool call.
func (t *toolCalls) sendContent(c *toolCall) {
	t.lacks(c, t.link.Now())
	t.send(&link.Update{Session: t.session}, c, changeOf([]byte(c.id)))
}

// send sends a change of a tool call as the client gets it: the first begins it.
func (t *toolCalls) send(u *link.Update, c *toolCall, change rawjson.Object) {
	kind := []byte(`"tool_call_update"`)
	if change = t.apply(c, change); !c.announced {
		kind = []byte(`"tool_call"`)
		change = t.first(c, change)
	}
	if !bytes.Equal(change.Get("sessionUpdate"), kind) {
		change = change.Set("sessionUpdate", kind)
	}
	words.ToolCall.ToV1(t.link.RewriteWith(u), t.terminals.introduced(c, change))
	t.link.SendRewritten(u)
	t.forgetWritten()
	t.tellTerminals(c)
	c.count()
}

// first returns the first change of a tool call with what version 1 needs there.
func (t *toolCalls) first(c *toolCall, change rawjson.Object) rawjson.Object {
	c.announced = true
	if name, ok := change.Text("name"); c.title == nil && ok {
		c.entitle(name)
	} else if c.title == nil {
		c.title = []byte("Tool call")
	}
	if _, ok := change.Text("title"); !ok {
		change = change.Set("title", rawjson.AppendQuoted(nil, c.title))
	}
	if change.Get("content") == nil && len(c.items) > 0 {
		change = change.Put(t.contentMember(c, nil))
	}
	return change
}

// entitle remembers the title of a tool call, for when it is asked about.
func (c *toolCall) entitle(title []byte) {
	c.title = append([]byte(nil), title...) // without a title, if this is empty
}

// apply remembers the title and content of a change. It returns the change with the
// content as version 1 has it, and with the _meta of content that was collected.
func (t *toolCalls) apply(c *toolCall, change rawjson.Object) rawjson.Object {
	if title, ok := change.Text("title"); ok {
		c.entitle(title)
	}
	if c.added != nil {
		change = change.Set("_meta", withMeta(c.added, change.Get("_meta")))
		c.added = nil
	}
	if content := change.Get("content"); content != nil {
		t.sent(c)
		c.set(t.itemsToV1(c, content))
		change = change.Put(t.contentMember(c, nil))
		t.bound(c) // of what is kept: all of it was shown
	} else if t.sent(c) {
		change = change.Put(t.contentMember(c, nil))
	}
	return change
}

// toolCallContentChunk handles tool_call_content_chunk.
func (t *toolCalls) toolCallContentChunk(u *link.Update) {
	id, _ := u.Members.Text("toolCallId")
	t.add(id, u.Members.Get("content"), u.Members.Get("_meta"))
}

// add adds an item of version 2 to the content of a tool call. The _meta is what came
// with it; it may be nil.
func (t *toolCalls) add(id, content, meta []byte) {
	c := t.get(id)
	o, _ := rawjson.ReadObject(t.shared.fields[:0], content)
	c.add(t.itemToV1(c, nil, o))
	t.bound(c)
	if meta != nil && meta[0] == '{' {
		c.added = bytes.Clone(meta)
	}
	if !c.announced {
		t.flushSmall()
		t.sendContent(c)
	} else {
		t.collect(c, collectContent)
	}
	t.tellTerminals(c)
	c.count()
}

// bound drops the oldest content of a tool call if there is too much of it.
func (t *toolCalls) bound(c *toolCall) {
	if c.trim() {
		t.link.Lose(translate.LossMemory, "kept the last part of more than 1 MiB of a tool call's content")
	}
}

// tellTerminals tells a client with the convention what it does not know yet of the
// terminals that a tool call shows.
func (t *toolCalls) tellTerminals(c *toolCall) {
	for _, i := range c.items {
		if i.terminal != nil {
			t.terminals.tell(i.terminal)
		}
	}
}

// withMeta returns the raw _meta with the members of own added.
func withMeta(raw, own []byte) []byte {
	o, ok := rawjson.ReadObject(nil, raw)
	if !ok {
		return own
	}
	mine, _ := rawjson.ReadObject(nil, own)
	for _, f := range mine {
		o = o.Set(string(f.Name), f.Value)
	}
	return words.Text(o)
}
