package oldclient

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// Version 2 has one update for tool calls, which begins one or changes it, and
// one that adds an item to its content. Version 1 begins a tool call with
// tool_call, changes it with tool_call_update, and has the content as a whole
// only. So the bridge remembers which tool calls the client knows, and their
// content. Content that grows item by item is collected for a while, because
// all of it is sent each time.

const (
	maxToolCalls    = 1024     // of a session
	maxContent      = 1 << 20  // bytes of the content of a tool call, in the client's form
	itemCost        = 64       // bytes of an item besides its JSON
	callCost        = 256      // bytes of a tool call besides what it says
	maxTitle        = 4 << 10  // bytes of a title that is remembered
	maxAdded        = 64 << 10 // bytes of the _meta of content that was added
	smallContent    = 2 << 10  // content that is cheap to send again
	collectContent  = 100 * time.Millisecond
	collectTerminal = 250 * time.Millisecond
)

// toolCalls are the tool calls of a session.
type toolCalls struct {
	all   map[string]*toolCall
	order []*toolCall // the oldest first
	dirty []*toolCall // those with content that the client lacks
	size  int         // bytes of all contents
	named int         // bytes of all ids, titles and what else is kept
}

// A toolCall is a tool call that the client knows.
type toolCall struct {
	id        string
	title     []byte // unquoted; nil if it has none yet
	items     []item
	size      int
	named     int       // bytes besides the content
	counted   int       // bytes in sessions.doneSize, 0 if it is not among these
	added     []byte    // _meta of content that was added and is not sent; raw
	due       time.Time // when the content is sent again; zero if the client has it
	cut       bool      // the content was more than is kept
	announced bool
	done      bool // its status is one of those that end it
}

// An item is a part of the content of a tool call: JSON for version 1, or a
// terminal or a subagent, which look different each time.
type item struct {
	json     []byte // of a diff one or more, with commas between them
	terminal *terminal
	child    *child
}

// toolCall returns a tool call, a new one if it is not known.
func (s *session) toolCall(b *Bridge, id []byte) *toolCall {
	t := &s.tools
	if call := t.all[string(id)]; call != nil {
		return call
	}
	call := &toolCall{id: string(id)}
	if len(id) > maxID {
		return call
	}
	if t.all == nil {
		t.all = make(map[string]*toolCall)
	}
	if len(t.order) >= maxToolCalls {
		oldest := t.order[0]
		b.flush(s)
		oldest.forgetItems(t, nil)
		t.named -= oldest.named
		t.order = t.order[1:]
		delete(t.all, oldest.id)
		b.w.Lose(translate.LossTooManyToolCalls, "forgot the oldest of more than 1024 of a session")
	}
	t.all[call.id] = call
	t.order = append(t.order, call)
	t.count(call)
	return call
}

// has reports whether the tool call is remembered.
func (t *toolCalls) has(c *toolCall) bool { return t.all[c.id] == c }

// count counts what is kept of a tool call besides its content.
func (t *toolCalls) count(c *toolCall) {
	if t.has(c) {
		named := callCost + len(c.id) + len(c.title) + len(c.added)
		t.named += named - c.named
		c.named = named
	}
}

// setItems gives the tool call another content.
func (c *toolCall) setItems(t *toolCalls, items []item) {
	t.grown(c, -c.size)
	c.items, c.cut = items, false
	for _, i := range items {
		t.grown(c, len(i.json)+itemCost)
	}
}

// forgetItems keeps these items of the content and forgets the rest.
func (c *toolCall) forgetItems(t *toolCalls, left []item) {
	cut := c.cut || len(left) < len(c.items)
	c.setItems(t, left)
	c.cut = cut
}

// grown counts content.
func (t *toolCalls) grown(c *toolCall, by int) {
	c.size += by
	if t.has(c) {
		t.size += by
	}
}

// toolCallUpdate handles tool_call_update.
func (b *Bridge) toolCallUpdate(s *session) {
	o := b.update.members
	id, ok := o.Text("toolCallId")
	if !ok {
		b.w.Lose(translate.LossUnreadableUpdate, "dropped a "+string(b.update.kind)+" without toolCallId")
		return
	}
	b.flushSmall(s)
	s.works()
	c := s.toolCall(b, id)
	b.update.members = b.patched(s, c, o)
	b.w.Out = b.w.Out[:0]
	if words.ToolCallToV1.ConvertObject(&b.w, b.update.members) {
		b.emit()
	}
	b.tellTerminals(s, c)
	if status, ok := o.Text("status"); ok {
		c.done = slices.Contains([]string{"completed", "failed", "cancelled"}, string(status))
	}
	if c.done {
		b.keepDone(s, c)
	}
	s.tools.count(c)
}

// patched applies an update to the tool call and returns the update as the
// client gets it: the first of a tool call begins it.
func (b *Bridge) patched(s *session, c *toolCall, o rawjson.Object) rawjson.Object {
	kind := []byte(`"tool_call_update"`)
	if o = b.apply(s, c, o); !c.announced {
		c.announced = true
		kind = []byte(`"tool_call"`)
		if name, ok := o.Text("name"); c.title == nil && ok {
			b.entitle(c, name)
		} else if c.title == nil {
			c.title = []byte("Tool call")
		}
		if _, ok := o.Text("title"); !ok {
			o = o.Set("title", rawjson.AppendQuoted(nil, c.title))
		}
		if o.Get("content") == nil && len(c.items) > 0 {
			o = o.Put(b.contentMember(c))
		}
	}
	if !bytes.Equal(o.Get("sessionUpdate"), kind) {
		o = o.Set("sessionUpdate", kind)
	}
	return b.withTerminal(c, o)
}

// entitle remembers the title of a tool call, for when it is asked about.
func (b *Bridge) entitle(c *toolCall, title []byte) {
	if len(title) > maxTitle {
		title = append(bytes.ToValidUTF8(title[:maxTitle], nil), "…"...)
		b.w.Lose(translate.LossLongTitle, "remembered its first 4 KiB")
	}
	c.title = cloned(title)
}

// apply takes in the title and content of a patch and returns the patch with
// content as version 1 has it, and with the _meta of content that was collected.
func (b *Bridge) apply(s *session, c *toolCall, o rawjson.Object) rawjson.Object {
	if title, ok := o.Text("title"); ok {
		b.entitle(c, title)
	}
	if c.added != nil {
		o = o.Set("_meta", withMeta(c.added, o.Get("_meta")))
		c.added = nil
	}
	if content := o.Get("content"); content != nil {
		b.settle(s, c)
		c.setItems(&s.tools, b.itemsToV1(s, c, content))
		o = o.Put(b.contentMember(c))
		b.bound(s, c) // of what is kept: all of it was shown
		return o
	}
	if !c.due.IsZero() {
		b.settle(s, c)
		return o.Put(b.contentMember(c))
	}
	return o
}

// toolCallContentChunk handles tool_call_content_chunk.
func (b *Bridge) toolCallContentChunk(s *session) {
	o := b.update.members
	id, ok := o.Text("toolCallId")
	content := o.Get("content")
	if !ok || content == nil {
		b.w.Lose(translate.LossUnreadableUpdate, "dropped a tool_call_content_chunk that cannot be read")
		return
	}
	s.works()
	c := s.toolCall(b, id)
	if c.cut && len(c.items) == 0 {
		b.w.Lose(translate.LossTooMuchContents, "forgot that of one; what is added takes its place")
	}
	var fields [8]rawjson.Field
	added, _ := rawjson.ReadObject(fields[:0], content)
	items := b.itemToV1(s, c, nil, added)
	c.items = append(c.items, items...)
	for _, i := range items {
		s.tools.grown(c, len(i.json)+itemCost)
	}
	b.bound(s, c)
	if meta := o.Get("_meta"); meta != nil && meta[0] == '{' {
		if c.added = cloned(meta); len(meta) > maxAdded {
			b.w.Lose(translate.LossTooMuchMetadata, "left out that of added content")
			c.added = nil
		}
	}
	if !c.announced {
		b.flushSmall(s)
		b.sendContent(s, c)
	} else {
		b.collect(s, c, collectContent)
	}
	b.tellTerminals(s, c)
	if c.done {
		b.keepDone(s, c)
	}
	s.tools.count(c)
}

// collect has the content sent again in a while. The more it is, the longer.
func (b *Bridge) collect(s *session, c *toolCall, patience time.Duration) {
	const unit = 64 << 10
	if c.due.IsZero() {
		c.due = b.now.Add(patience * time.Duration(1+c.size/unit))
		s.tools.dirty = append(s.tools.dirty, c)
	}
	b.sessions.collect(s, c.due)
}

// settle notes that the client has all content.
func (b *Bridge) settle(s *session, c *toolCall) {
	if c.due.IsZero() {
		return
	}
	c.due = time.Time{}
	t := &s.tools
	t.dirty = slices.DeleteFunc(t.dirty, func(d *toolCall) bool { return d == c })
	if len(t.dirty) == 0 {
		b.sessions.clean(s)
	}
}

// sendContent sends the content of a tool call.
func (b *Bridge) sendContent(s *session, c *toolCall) {
	b.settle(s, c)
	update := []byte(`{"sessionUpdate":"tool_call_update"`)
	if !c.announced {
		c.announced = true
		if c.title == nil {
			c.title = []byte("Tool call")
		}
		update = appendMember([]byte(`{"sessionUpdate":"tool_call"`), "title", c.title)
	}
	update = appendMember(update, "toolCallId", []byte(c.id))
	update = b.appendContent(appendName(update, "content"), c)
	var meta rawjson.Object
	if c.added != nil {
		meta = meta.Set("_meta", c.added)
		c.added = nil
	}
	s.tools.count(c)
	b.sessions.account(s)
	if meta = b.withTerminal(c, meta); meta != nil {
		update = appendRaw(update, "_meta", meta.Get("_meta"))
	}
	b.w.Out = append(append(b.w.Out[:0], update...), '}')
	b.emitTo([]byte(s.id))
}

// flush sends everything that was collected for the session.
func (b *Bridge) flush(s *session) {
	for len(s.tools.dirty) > 0 {
		b.sendContent(s, s.tools.dirty[0])
	}
}

// flushSmall sends what was collected before something else of the session is
// sent. What is large waits for its time: else a session that says two things
// in turns would send all of the content with each.
func (b *Bridge) flushSmall(s *session) {
	if len(s.tools.dirty) == 0 {
		return
	}
	for _, c := range slices.Clone(s.tools.dirty) {
		if c.size <= smallContent && c.size+c.liveSize() <= smallContent {
			b.sendContent(s, c)
		}
	}
}

// flushDue sends what has waited long enough.
func (b *Bridge) flushDue(s *session) {
	for _, c := range slices.Clone(s.tools.dirty) {
		if !c.due.After(b.now) {
			b.sendContent(s, c)
		}
	}
	b.sessions.clean(s)
	for _, c := range s.tools.dirty {
		b.sessions.collect(s, c.due)
	}
}

// contentMember returns the content of a tool call for version 1, as a member of
// an update. It is valid until the next call.
func (b *Bridge) contentMember(c *toolCall) rawjson.Field {
	const name = `"content"`
	b.content = b.appendContent(append(b.content[:0], name+":"...), c)
	return rawjson.Field{Name: []byte(name[1 : len(name)-1]), Value: b.content[len(name)+1:], Text: b.content}
}

// appendContent appends the content of a tool call for version 1.
func (b *Bridge) appendContent(out []byte, c *toolCall) []byte {
	start := len(out)
	out = append(out, '[')
	if c.cut {
		out = append(out, `{"type":"content","content":{"type":"text","text":"[…]"}}`...)
	}
	for _, i := range c.items {
		switch {
		case len(out)-start > maxContent && i.json == nil:
			out = appendTextItem(appendElement(out), []byte("[…]"))
		case i.terminal != nil:
			out = b.appendTerminal(out, i.terminal, c.title)
		case i.child != nil:
			if said := i.child.last(); len(said) > 0 {
				out = appendTextItem(appendElement(out), said)
			}
		default:
			out = append(appendElement(out), i.json...)
		}
	}
	return append(out, ']')
}

// itemsToV1 returns the items of a content of version 2; none if it is null.
func (b *Bridge) itemsToV1(s *session, c *toolCall, content []byte) (items []item) {
	if content[0] != '[' {
		if !rawjson.Null(content) {
			b.w.Lose(translate.LossUnreadableContent, "left out, as it is not a list")
		}
		return nil
	}
	for o := range rawjson.Objects(content, b.fields[:0]) {
		items = b.itemToV1(s, c, items, o)
	}
	return items
}

// isPlainItem reports whether an item is a text that is the same in both
// versions, as most are.
func isPlainItem(o rawjson.Object) bool {
	var members [3]rawjson.Field
	block, _ := rawjson.ReadObject(members[:0], o.Get("content"))
	return len(o) == 2 && isPlainText(block)
}

// itemToV1 appends what becomes of an item of a tool call's content.
func (b *Bridge) itemToV1(s *session, c *toolCall, items []item, o rawjson.Object) []item {
	w := &b.item
	w.Reset()
	kind, _ := o.Text("type")
	switch string(kind) {
	case "content":
		if isPlainItem(o) {
			return append(items, item{json: appendObject(nil, o)})
		}
		if words.ContentToV1.ConvertObject(w, o) {
			b.w.Losses = append(b.w.Losses, w.Losses...)
			return append(items, item{json: cloned(w.Out)})
		}
	case "diff":
		return b.diffs.toV1(&b.w, items, o)
	case "terminal":
		if id, ok := o.Text("terminalId"); ok {
			t := s.terminals.get(b, id)
			if len(c.id) <= maxID {
				t.owner = c
			}
			if !b.options.Client.TerminalOutput {
				b.w.Lose(translate.LossTerminal, "shown as text")
			}
			return append(items, item{terminal: t})
		}
	}
	text := append(append([]byte("["), kind...), ']')
	for _, name := range []string{"text", "content"} {
		if t, ok := o.Text(name); ok {
			text = t
			break
		}
	}
	b.w.Lose(translate.LossToolCallContent, "shown as text")
	return append(items, item{json: appendTextItem(nil, text)})
}

// appendTextItem appends an item that is a text.
func appendTextItem(dst, text []byte) []byte {
	dst = append(dst, `{"type":"content","content":{"type":"text","text":`...)
	return append(rawjson.AppendQuoted(dst, text), '}', '}')
}
