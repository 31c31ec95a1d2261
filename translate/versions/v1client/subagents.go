package v1client

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2, an agent announces its subagents, each with a session that has updates and
// permission requests of its own. A client of version 1 that supports subagents receives these
// messages. Only the state is in another message: version 1 has no state_update, and reports the
// state in subagent_update. For other clients, which do not know these sessions, each subagent is a tool
// call of the session that the client has opened, and asks its questions there.

// A subagent is a subagent that the agent has announced.
type subagent struct {
	session   *session         // its own session
	root      *session         // the session that shows or announces the subagent
	title     []byte           // nil before the first title
	sentState shapes.SentState // unused if the client does not support subagents
	text      tail             // shown in the tool call
	entry     *keep.Entry      // counts the title and the text
}

// knowsSubagents reports whether the client supports subagents. If not, they are tool calls.
func (b *Bridge) knowsSubagents() bool { return b.options.Client.Subagents }

// root returns the session in which the client sees a session: that of the subagent's tool call if
// the client does not know the session, otherwise the session itself.
func (s *session) root() *session {
	if s.subagent == nil || s.opened || s.bridge.knowsSubagents() {
		return s
	}
	return s.subagent.root
}

// callID returns the client's id for a tool call with an id of the agent.
func (s *session) callID(id []byte) []byte {
	if s.root() == s {
		return id
	}
	return slices.Concat([]byte(s.id), []byte{'/'}, id)
}

// forgetSubagents drops the subagents shown in a session. Sessions that the client knows
// remain.
func (s *session) forgetSubagents() {
	for s.subagents.Len() > 0 {
		id, sub := s.subagents.Oldest()
		s.subagents.Delete(id)
		child := sub.session
		shown := child.root() == s
		sub.entry.Drop()
		child.share.Release(keep.EntryCost)
		child.subagent = nil // before drop, because subagents may be each other's subagents
		if shown && child != s && len(child.turns.pending) == 0 {
			child.drop()
		}
	}
}

// subagentUpdate converts subagent_update.
func (s *session) subagentUpdate(u *calls.Update) {
	id, ok := u.Members.Text("sessionId")
	if !ok || len(id) > calls.MaxSession || string(id) == s.id {
		s.loseUnreadable(u)
		return
	}
	child := s.bridge.session(id)
	sub := child.subagent
	if sub == nil {
		sub = &subagent{session: child, root: s.root()}
		if !s.bridge.knowsSubagents() {
			s.link.Lose(translate.LossSubagent, "a subagent is shown as a tool call")
		}
		if child.share.Reserve(keep.EntryCost) { // otherwise its messages are sent under its own id
			child.subagent = sub
			sub.root.subagents.Put(child.id, sub)
		}
	}
	if title, ok := u.Members.Text("title"); ok {
		sub.title = bytes.Clone(title)
	}
	if child.subagent == sub {
		sub.updateSize()
	}
	if s.bridge.knowsSubagents() {
		sub.forward(u)
	} else {
		sub.show(u, u.Members.Get("title"), u.Members.Get("state"))
	}
}

// forward forwards subagent_update to a client that supports subagents. It drops a state that the
// client has, and an update with nothing else.
func (s *subagent) forward(u *calls.Update) {
	o := u.Members
	switch state, ok := rawjson.ReadObject(nil, o.Get("state")); {
	case !ok && o.Get("state") != nil: // null clears the client's state
		s.sentState = shapes.SentState{}
	case ok && !s.sentState.Write(s.session.link.Scratch(), state):
		o = shapes.Without(slices.Clone(o), "state")
		if len(o) == 2 { // only sessionUpdate and sessionId
			return
		}
	}
	s.session.sendConvertedAs(u, o, shapes.Update("subagent_update"))
}

// sendState sends a client that supports subagents the state of a session in which a subagent
// works.
func (s *session) sendState(u *calls.Update) {
	state := s.link.Scratch()
	if sub := s.subagent; sub != nil && s.bridge.knowsSubagents() && sub.sentState.Write(state, u.Members) {
		w := s.link.UpdateWith([]byte(sub.root.id), "subagent_update")
		w.StringMember("sessionId", []byte(s.id))
		w.Member("state", state.Out)
		s.link.SendUpdate()
	}
}

// writeSession writes the item of a tool call's content that refers to a session.
func (b *Bridge) writeSession(w *shapes.Writer, o rawjson.Object, id []byte) {
	if b.knowsSubagents() {
		shapes.Object{}.ToV1(w, o)
		return
	}
	if s := b.sessions.Find(id); s != nil && s.subagent != nil && len(s.subagent.title) > 0 {
		id = s.subagent.title
	}
	translate.WriteText(&w.Builder, append([]byte("Subagent: "), id...))
}

// updateSize updates the cost of the subagent's title and text in the budget.
func (s *subagent) updateSize() {
	if s.entry == nil {
		s.entry = s.session.share.Add(0, func() { s.entry, s.title, s.text = nil, nil, tail{} })
	}
	s.entry.SetSize(len(s.title) + len(s.text.text))
}

// show sends the tool call of a subagent in place of u. title and state are the changed raw values,
// or nil.
func (s *subagent) show(u *calls.Update, title, state []byte) {
	call := s.call()
	change := call.emptyChange()
	if !call.announced {
		call.title = "Subagent"
		call.items = []item{{subagent: s}}
		change = change.Set("kind", quoted("other")).Set("status", quoted("in_progress"))
	}
	if _, ok := rawjson.TextOf(title); ok {
		change = change.Set("title", title)
	}
	if status := statusOf(state); status != "" {
		change = change.Set("status", quoted(status))
	}
	call.sendInPlaceOf(u, change)
}

// call returns the tool call that shows the subagent.
func (s *subagent) call() *toolCall { return s.root.toolCall([]byte("subagent:" + s.session.id)) }

// sendInPlaceOf sends a change of a tool call in place of u, an update of another session.
func (t *toolCall) sendInPlaceOf(u *calls.Update, change rawjson.Object) {
	t.session.turns.onUpdate()
	shown := *u
	shown.ShowIn([]byte(t.session.id))
	t.change(&shown, change)
}

// statusOf returns the status of a tool call for the raw state of its subagent, or "".
func statusOf(raw []byte) string {
	o := rawjson.Members(raw)
	reason := o.String("stopReason")
	switch state, ok := o.Text("state"); {
	case !ok:
		return ""
	case string(state) != "idle":
		return "in_progress"
	case reason == "error" || reason == "cancelled":
		return "failed"
	}
	return "completed"
}

// sessionUpdate converts an update of a subagent's own session. The client sees the text of
// the subagent, and the titles of its tool calls.
func (s *subagent) sessionUpdate(u *calls.Update) {
	o := u.Members
	switch string(u.Kind) {
	case "state_update":
		s.show(u, nil, u.Text())
		return
	case "agent_message_chunk":
		if id, ok := o.Text("messageId"); ok {
			s.message(id).add(o.Get("content"), u.Content)
		}
		text, _ := textOf(nil, u.Content)
		s.text.add(text)
	case "agent_message":
		_, blocks, begins := s.session.takeMissing(u)
		if begins {
			s.beginLine()
		}
		for _, block := range blocks {
			text, _ := textOf(nil, rawjson.Members(block))
			s.text.add(text)
		}
	case "tool_call", "tool_call_update":
		id, _ := o.Text("toolCallId")
		if c := s.root.toolCalls.Find(s.session.callID(id)); c != nil {
			c.sendInPlaceOf(u, slices.Clone(o).Set("toolCallId", quoted(c.id)))
			return
		}
		title, ok := o.Text("title")
		if !ok || s.session.findMessage("call", id) != nil {
			return
		}
		s.session.message("call", id)
		s.beginLine()
		s.text.add([]byte("• " + string(title) + "\n"))
	case "subagent_update":
		s.session.subagentUpdate(u)
		return
	default:
		return
	}
	s.updateSize()
	if call := s.call(); call.announced {
		call.delayContent(contentDelay)
	} else { // it was evicted
		s.show(u, nil, nil)
	}
}

// message returns a message of the subagent. A new message begins on a line of its own.
func (s *subagent) message(id []byte) *message {
	m := s.session.message("agent_message_chunk", id)
	if m.sent.length == 0 {
		s.beginLine()
	}
	return m
}

func (s *subagent) beginLine() {
	if text := s.text.text; len(text) > 0 && text[len(text)-1] != '\n' {
		s.text.add([]byte("\n"))
	}
}
