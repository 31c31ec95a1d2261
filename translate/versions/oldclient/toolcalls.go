package oldclient

import (
	"bytes"
	"slices"
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

const (
	maxToolCalls = 1024     // of a session
	callCost     = 256      // bytes of a tool call besides what it says
	maxTitle     = 4 << 10  // bytes of a title that is remembered
	maxAdded     = 64 << 10 // bytes of the _meta of content that was added
)

// toolCalls are the tool calls of a session.
type toolCalls struct {
	*contents            // what the tool calls of all sessions share
	session   []byte     // its id
	terminals *terminals // those of the session
	kept      tally      // what size and named count

	all     keep.Map[*toolCall]
	lacking []*toolCall // those with content that the client lacks
	due     time.Time   // when some of that is sent; zero if the client has all
	size    int         // bytes of all contents
	named   int         // bytes of all ids, titles and what else is kept
	sizes   tally       // what the size of a content counts
}

// A toolCall is a tool call that the client knows.
type toolCall struct {
	id    string
	title []byte // unquoted; nil if it has none yet
	content
	named     int       // bytes besides the content
	counted   int       // bytes in contents.doneSize, 0 if it is not among these
	added     []byte    // _meta of content that was added and is not sent; raw
	due       time.Time // when the content is sent again; zero if the client has it
	announced bool
	done      bool // its status is one of those that end it
}

// get returns a tool call, a new one if it is not known.
func (t *toolCalls) get(id []byte) *toolCall {
	if call := t.all.Find(id); call != nil {
		return call
	}
	call := &toolCall{id: string(id)}
	if len(id) > maxID {
		return call
	}
	if t.all.Len() >= maxToolCalls {
		t.forgetOldest()
	}
	if t.sizes == nil {
		t.sizes = append(tally{&t.size}, t.kept...)
	}
	call.sizes = t.sizes
	t.all.Put(call.id, call)
	t.count(call)
	return call
}

func (t *toolCalls) forgetOldest() {
	_, oldest := t.all.Oldest()
	t.flush()
	oldest.keep(nil)
	oldest.sizes = nil
	t.named -= oldest.named
	t.kept.add(-oldest.named)
	t.all.Delete(oldest.id)
	t.link.Lose(translate.LossTooManyToolCalls, "forgot the oldest of more than 1024 of a session")
}

// forget forgets all tool calls. The client must have their content.
func (t *toolCalls) forget() {
	t.nothingWaits(t)
	t.kept.add(-t.size - t.named)
	for _, c := range t.all.All() {
		c.sizes = nil
	}
	*t = toolCalls{contents: t.contents, session: t.session, terminals: t.terminals, kept: t.kept}
}

// inventedID returns the id of a tool call that shows something else, as it is read from
// an update: what is no UTF-8 is something else then.
func inventedID(prefix, id string) []byte {
	return rawjson.Unquote(rawjson.AppendQuoted(nil, prefix+id))
}

// has reports whether the tool call is remembered.
func (t *toolCalls) has(c *toolCall) bool { return t.all.Get(c.id) == c }

// count counts what is kept of a tool call besides its content.
func (t *toolCalls) count(c *toolCall) {
	if t.has(c) {
		named := callCost + len(c.id) + len(c.title) + len(c.added)
		t.named += named - c.named
		t.kept.add(named - c.named)
		c.named = named
	}
}

// toolCallUpdate handles tool_call_update.
func (t *toolCalls) toolCallUpdate(u *link.Update) { t.change(u, u.Members) }

// change applies a change, which has the members of a tool_call_update, and tells the
// client of it in the place of u.
func (t *toolCalls) change(u *link.Update, change rawjson.Object) {
	id, _ := change.Text("toolCallId")
	status, hasStatus := change.Text("status")
	t.flushSmall()
	c := t.get(id)
	change = t.applied(c, append(t.members[:0], change...))
	w := t.link.RewriteWith(u)
	words.ToolCallToV1.ConvertObject(w, change)
	t.link.SendRewritten(u)
	t.forgetWritten()
	t.tellTerminals(c)
	if hasStatus {
		c.done = slices.Contains([]string{"completed", "failed", "cancelled"}, string(status))
	}
	if c.done {
		t.keepDone(t, c)
	}
	t.count(c)
}

// applied applies a change to the tool call and returns it as the client gets it: the
// first of a tool call begins it.
func (t *toolCalls) applied(c *toolCall, change rawjson.Object) rawjson.Object {
	kind := []byte(`"tool_call_update"`)
	if change = t.apply(c, change); !c.announced {
		kind = []byte(`"tool_call"`)
		change = t.first(c, change)
	}
	if !bytes.Equal(change.Get("sessionUpdate"), kind) {
		change = change.Set("sessionUpdate", kind)
	}
	return t.terminals.introduced(c, change)
}

// first returns the first change of a tool call with what version 1 needs there.
func (t *toolCalls) first(c *toolCall, change rawjson.Object) rawjson.Object {
	c.announced = true
	if name, ok := change.Text("name"); c.title == nil && ok {
		t.entitle(c, name)
	} else if c.title == nil {
		c.title = []byte("Tool call")
	}
	if _, ok := change.Text("title"); !ok {
		change = change.Set("title", rawjson.AppendQuoted(nil, c.title))
	}
	if change.Get("content") == nil && len(c.items) > 0 {
		change = change.Put(t.contentMember(c, t.terminals, nil))
	}
	return change
}

// entitle remembers the title of a tool call, for when it is asked about.
func (k *contents) entitle(c *toolCall, title []byte) {
	if len(title) > maxTitle {
		title = append(bytes.ToValidUTF8(title[:maxTitle], nil), "…"...)
		k.link.Lose(translate.LossLongTitle, "remembered its first 4 KiB")
	}
	c.title = append([]byte(nil), title...) // without a title, if this is empty
}

// apply remembers the title and content of a change. It returns the change with the
// content as version 1 has it, and with the _meta of content that was collected.
func (t *toolCalls) apply(c *toolCall, change rawjson.Object) rawjson.Object {
	if title, ok := change.Text("title"); ok {
		t.entitle(c, title)
	}
	if c.added != nil {
		change = change.Set("_meta", withMeta(c.added, change.Get("_meta")))
		c.added = nil
	}
	if content := change.Get("content"); content != nil {
		t.sent(c)
		c.set(t.itemsToV1(c, t.terminals, content))
		change = change.Put(t.contentMember(c, t.terminals, nil))
		t.bound(c) // of what is kept: all of it was shown
		return change
	}
	if !c.due.IsZero() {
		t.sent(c)
		return change.Put(t.contentMember(c, t.terminals, nil))
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
	if c.cut && len(c.items) == 0 {
		t.link.Lose(translate.LossTooMuchContents, "forgot that of one; what is added takes its place")
	}
	o, _ := rawjson.ReadObject(t.fields[:0], content)
	c.add(t.itemToV1(c, t.terminals, nil, o))
	t.bound(c)
	if meta != nil && meta[0] == '{' {
		if c.added = bytes.Clone(meta); len(meta) > maxAdded {
			t.link.Lose(translate.LossTooMuchMetadata, "left out that of added content")
			c.added = nil
		}
	}
	if !c.announced {
		t.flushSmall()
		t.sendContent(c)
	} else {
		t.collect(c, collectContent)
	}
	t.tellTerminals(c)
	if c.done {
		t.keepDone(t, c)
	}
	t.count(c)
}

// bound drops the oldest content of a tool call if there is too much of it.
func (k *contents) bound(c *toolCall) {
	if c.trim() {
		k.link.Lose(translate.LossTooMuchContent, "kept the last part of more than 1 MiB")
	}
}

// forgetContents forgets all contents. That a tool call shows terminals or subagents is
// not forgotten, as these still change.
func (t *toolCalls) forgetContents() {
	for _, c := range t.all.All() {
		c.keepChanging()
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
