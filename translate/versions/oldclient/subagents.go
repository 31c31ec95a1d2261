package oldclient

import (
	"crypto/sha256"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2 an agent tells of its subagents unasked: each has a session, with
// updates and permission requests of its own. A client of version 1 that has
// not announced that it knows subagents would not know these sessions. So it is
// shown each subagent as a tool call of the session that the client has opened,
// and is asked there what the subagent asks.

const (
	maxChildren    = 256      // of a connection
	maxChildText   = 64 << 10 // bytes of what a subagent has said
	maxChildCalls  = 1024     // tool calls of a subagent that get a line
	subagentPrefix = "subagent:"
)

// A child is a subagent that the client is shown as a tool call.
type child struct {
	id       string
	root     string // the session in which it is shown
	said     []byte
	messages messages
	calls    map[[sha256.Size]byte]bool // digests of the ids of its tool calls that were named
}

// callID returns the id of the tool call that shows the subagent, as it is read from
// an update: what is no UTF-8 is something else then.
func (c *child) callID() []byte {
	return []byte(rawjson.Unquote(rawjson.AppendQuoted(nil, subagentPrefix+c.id)))
}

// children are the subagents of the connection.
type children struct {
	all   map[string]*child // by session
	order []string          // the oldest first
}

// forget forgets the children that are shown in a session.
func (t *children) forget(root string) {
	t.order = slices.DeleteFunc(t.order, func(id string) bool {
		ends := t.all[id].root == root
		if ends {
			delete(t.all, id)
		}
		return ends
	})
}

// childOf returns the subagent that works in a session; nil if none does, or if
// the client has opened the session and so is shown all of it.
func (b *Bridge) childOf(session []byte) *child {
	c := b.children.all[string(session)]
	if c == nil {
		return nil
	}
	if s := b.sessions.find(c.id); s != nil && s.opened {
		return nil
	}
	return c
}

// shownIn returns the session in which the client is shown what belongs to a
// session: the session itself, or the session that its subagent works for.
func (b *Bridge) shownIn(session []byte) []byte {
	if c := b.childOf(session); c != nil {
		return []byte(c.root)
	}
	return session
}

// prefixed returns the id of a tool call of the session that params name, as
// the client knows it.
func (b *Bridge) prefixed(params rawjson.Object, id []byte) []byte {
	session, _ := params.Text("sessionId")
	if b.childOf(session) == nil {
		return id
	}
	return append(append(cloned(session), '/'), id...)
}

// subagentUpdate handles subagent_update.
func (b *Bridge) subagentUpdate(s *session) {
	if b.options.Client.Subagents {
		b.flushSmall(s)
		b.emitAs(words.Update(string(b.update.kind)).ToV1)
		return
	}
	o := b.update.members
	id, ok := o.Text("sessionId")
	if !ok || len(id) > maxID || string(id) == s.id {
		b.w.Lose(translate.LossUnreadableUpdate, "dropped a subagent_update that cannot be read")
		return
	}
	b.showChild(b.child(s, id), o)
}

// child returns the subagent with that session, a new one if it is not known.
func (b *Bridge) child(s *session, id []byte) *child {
	t := &b.children
	if c := t.all[string(id)]; c != nil {
		return c
	}
	if t.all == nil {
		t.all = make(map[string]*child)
	}
	if len(t.order) >= maxChildren {
		delete(t.all, t.order[0])
		t.order = t.order[1:]
		b.w.Lose(translate.LossTooManySubagents, "forgot the oldest of more than 256")
	}
	b.w.Lose(translate.LossSubagent, "shown as a tool call")
	c := &child{id: string(id), root: string(b.shownIn([]byte(s.id)))}
	t.all[c.id] = c
	t.order = append(t.order, c.id)
	return c
}

// showChild sends the tool call that shows a subagent, changed by the members
// title and state of o.
func (b *Bridge) showChild(c *child, o rawjson.Object) {
	root := b.sessions.get([]byte(c.root))
	call := root.toolCall(b, c.callID())
	members := rawjson.Object{}.Set("sessionUpdate", []byte(`"tool_call_update"`)).Set("toolCallId", rawjson.AppendQuoted(nil, call.id))
	if !call.announced {
		call.title = []byte("Subagent")
		call.items = []item{{child: c}}
		members = members.Set("kind", []byte(`"other"`)).Set("status", []byte(`"in_progress"`))
	}
	if title, ok := o.Text("title"); ok {
		members = members.Set("title", rawjson.AppendQuoted(nil, title))
	}
	if status := childStatus(o.Get("state")); status != "" {
		members = members.Set("status", []byte(`"`+status+`"`))
	}
	b.showOnRoot(root, members)
}

// showOnRoot sends an update of a tool call in the session that the client
// knows.
func (b *Bridge) showOnRoot(root *session, members rawjson.Object) {
	b.update.members, b.update.session = members, []byte(root.id)
	b.toolCallUpdate(root)
	b.sessions.account(root)
}

// childStatus returns the status of the tool call for a state of a subagent; ""
// if it says none.
func childStatus(raw []byte) string {
	o, ok := rawjson.ReadObject(nil, raw)
	if !ok {
		return ""
	}
	reason, _ := o.Text("stopReason")
	switch state, ok := o.Text("state"); {
	case !ok:
		return ""
	case string(state) != "idle":
		return "in_progress"
	case string(reason) == "error" || string(reason) == "cancelled":
		return "failed"
	}
	return "completed"
}

// childUpdate handles a session/update of a subagent's own session. The client
// is shown the text of what the subagent says, and the titles of what it does.
func (b *Bridge) childUpdate(c *child) {
	o := b.update.members
	root := b.sessions.get([]byte(c.root))
	switch string(b.update.kind) {
	case "state_update":
		b.showChild(c, rawjson.Object{}.Set("state", b.update.span.Of(b.update.m.Text)))
		return
	case "agent_message_chunk":
		if id, ok := o.Text("messageId"); ok {
			c.message(id).add(o.Get("content"))
		}
		c.say(o.Get("content"), 0)
	case "agent_message":
		c.sayWhole(o)
	case "tool_call", "tool_call_update":
		if b.childCall(root, c, o) {
			return
		}
	case "subagent_update":
		b.subagentUpdate(root)
		return
	default:
		return
	}
	call := root.toolCall(b, c.callID())
	if !call.announced { // it was forgotten
		b.showChild(c, nil)
		return
	}
	b.collect(root, call, collectContent)
}

// say adds the text of a content block, without its first bytes.
func (c *child) say(block []byte, from int) {
	text, _ := blockText(block)
	c.said = append(c.said, text[min(from, len(text)):]...)
	if len(c.said) > 2*maxChildText {
		c.said = append(c.said[:0], c.said[len(c.said)-maxChildText:]...)
	}
}

// message returns a message of the subagent. If nothing of it was said before,
// what follows begins on a line of its own.
func (c *child) message(id []byte) *message {
	m := c.messages.get("agent", id, maxChildMessages)
	if m.empty() {
		c.beginLine()
	}
	return m
}

func (c *child) beginLine() {
	if len(c.said) > 0 && c.said[len(c.said)-1] != '\n' {
		c.said = append(c.said, '\n')
	}
}

// sayWhole adds what is new in a message as a whole. One that was replaced is
// said again.
func (c *child) sayWhole(o rawjson.Object) {
	id, ok := o.Text("messageId")
	blocks, _ := rawjson.ReadArray(nil, o.Get("content"))
	if !ok || len(blocks) == 0 {
		return
	}
	m := c.message(id)
	first, cut, same := m.rest(blocks)
	if !same {
		m.again(id)
		c.beginLine()
	}
	for _, block := range blocks[first:] {
		m.add(block)
		c.say(block, cut)
		cut = 0
	}
}

// childCall adds a line for a new tool call of a subagent. One that the client
// was asked about is shown as it is; then childCall reports true.
func (b *Bridge) childCall(root *session, c *child, o rawjson.Object) bool {
	id, _ := o.Text("toolCallId")
	shown := append(append([]byte(c.id), '/'), id...)
	if root.tools.all[string(shown)] != nil {
		b.showOnRoot(root, o.Set("toolCallId", rawjson.AppendQuoted(nil, shown)))
		return true
	}
	title, ok := o.Text("title")
	digest := sha256.Sum256(id)
	if !ok || c.calls[digest] || len(c.calls) >= maxChildCalls {
		return false
	}
	if c.calls == nil {
		c.calls = make(map[[sha256.Size]byte]bool)
	}
	c.calls[digest] = true
	c.beginLine()
	c.say([]byte(`{"type":"text","text":`+string(rawjson.AppendQuoted(nil, "• "+string(title)+"\n"))+`}`), 0)
	return false
}

// last returns the part of a subagent's text that is shown.
func (c *child) last() []byte { return c.said[max(0, len(c.said)-maxChildText):] }

// sessionMessage handles session_message and session_message_chunk, which
// sessions of subagents send each other.
func (b *Bridge) sessionMessage(s *session) {
	if b.options.Client.Subagents {
		b.flushSmall(s)
		b.emitAs(words.Update(string(b.update.kind)).ToV1)
		return
	}
	b.w.Lose(translate.LossSubagentMessage, "left out")
}
