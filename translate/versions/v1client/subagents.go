package v1client

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2 an agent tells of its subagents unasked: each has a session, with
// updates and permission requests of its own. A client of version 1 that has announced
// that it knows subagents gets these as they are, but for their state: version 1 has no
// state_update, and says it in subagent_update. Any other client would not know the
// sessions. So it is shown each subagent as a tool call of the session that it has opened,
// and is asked there what the subagent asks.

const maxSubagentText = 64 << 10 // bytes that are shown of what a subagent has said

// subagents are the subagents of the connection.
type subagents struct {
	link     *link.Link
	sessions *sessions
	known    bool                // to the client; else it is shown them as tool calls
	all      keep.Map[*subagent] // by session
}

// A subagent is a subagent that the agent has announced.
type subagent struct {
	id       string
	root     string          // the session in which it is shown, or that has announced it
	title    []byte          // cut; nil if it has none
	told     words.ToldState // if the client knows subagents
	said     []byte
	kept     *keep.Entry
	messages messages // what it has said, and the tool calls of which it has said the titles
}

// callID returns the id of the tool call that shows the subagent.
func (a *subagent) callID() []byte { return inventedID("subagent:", a.id) }

// forget forgets the subagents that are shown in a session.
func (t *subagents) forget(root string) {
	for id, a := range t.all.All() {
		if a.root == root {
			t.all.Delete(id)
			a.messages.all.Clear()
			a.messages.kept.Free(a.cost())
			a.kept.Drop()
		}
	}
}

// of returns the subagent that works in a session, if it is shown as a tool call; else
// nil. If the client has opened the session, it is shown all of it.
func (t *subagents) of(session []byte) *subagent {
	a := t.all.Find(session)
	if a == nil || t.known {
		return nil
	}
	if s := t.sessions.find(a.id); s != nil && s.opened {
		return nil
	}
	return a
}

// shownIn returns the session in which the client is shown what belongs to a
// session: the session itself, or the session that its subagent works for.
func (t *subagents) shownIn(session []byte) []byte {
	if a := t.of(session); a != nil {
		return []byte(a.root)
	}
	return session
}

// callID returns the id of a tool call of a session as the client knows it.
func (t *subagents) callID(session, id []byte) []byte {
	if t.of(session) == nil {
		return id
	}
	return slices.Concat(session, []byte{'/'}, id)
}

// subagentUpdate handles subagent_update of a session.
func (t *subagents) subagentUpdate(s *session, u *link.Update) {
	id, ok := u.Members.Text("sessionId")
	if !ok || len(id) > maxID || string(id) == s.id {
		t.link.Lose(translate.LossUnreadableUpdate, "dropped a subagent_update that cannot be read")
		return
	}
	a := t.add(s, id)
	if title, ok := u.Members.Text("title"); ok {
		a.title = bytes.Clone(title)
	}
	a.count()
	if t.known {
		t.pass(a, u)
		return
	}
	t.show(a, u, u.Members.Get("title"), u.Members.Get("state"))
}

// pass sends what an agent says of a subagent to a client that knows subagents. A state
// that the client was told is left out, and so is an update that says nothing else.
func (t *subagents) pass(a *subagent, u *link.Update) {
	o := u.Members
	switch state, ok := rawjson.ReadObject(nil, o.Get("state")); {
	case ok && !a.told.Tell(t.link.Trial(), state):
		o = slices.DeleteFunc(slices.Clone(o), func(f rawjson.Field) bool { return string(f.Name) == "state" })
		if len(o) == 2 {
			return
		}
	case !ok && o.Get("state") != nil: // null: the client forgets what it was told
		a.told = words.ToldState{}
	}
	words.Update("subagent_update").ToV1(t.link.RewriteWith(u), o)
	t.link.SendRewritten(u)
}

// stateUpdate handles state_update of a session, for a client that knows subagents.
func (t *subagents) stateUpdate(s *session, u *link.Update) {
	state := t.link.Trial()
	if a := t.all.Get(s.id); t.known && a != nil && a.told.Tell(state, u.Members) {
		w := t.link.UpdateWith([]byte(a.root), "subagent_update")
		w.StringMember("sessionId", []byte(a.id))
		w.Member("state", state.Out)
		t.link.SendUpdate()
	}
}

// item returns what becomes of a link to a session in a tool call; nil if it has no form.
func (t *subagents) item(o rawjson.Object) []byte {
	id, ok := o.Text("sessionId")
	switch a := t.all.Find(id); {
	case !ok:
		return nil
	case t.known:
		return words.Text(o)
	case a != nil && len(a.title) > 0:
		id = a.title
	}
	return textAsItem(append([]byte("Subagent: "), id...))
}

// add returns the subagent with that session, a new one if it is not known.
func (t *subagents) add(s *session, id []byte) *subagent {
	if a := t.all.Find(id); a != nil {
		return a
	}
	if !t.known {
		t.link.Lose(translate.LossSubagent, "shown as a tool call")
	}
	a := &subagent{id: string(id), root: string(t.shownIn([]byte(s.id)))}
	a.messages.kept = t.sessions.get([]byte(a.root)).kept
	if a.messages.kept.Fix(a.cost()) { // else its session counts as the client's
		t.all.Put(a.id, a)
	}
	return a
}

// cost is what counts as long as the subagent is known.
func (a *subagent) cost() int { return keep.EntryCost + len(a.id) + len(a.root) }

// count counts what the subagent has said, which may go.
func (a *subagent) count() {
	if a.kept == nil {
		a.kept = a.messages.kept.Add(0, func() { a.kept, a.title, a.said = nil, nil, nil })
	}
	a.kept.Count(len(a.title) + len(a.said))
}

// show sends the tool call that shows a subagent, with another title and state, which
// are raw and may be nil, in the place of u.
func (t *subagents) show(a *subagent, u *link.Update, title, state []byte) {
	root := t.sessions.get([]byte(a.root))
	call := root.toolCalls.get(a.callID())
	change := changeOf(a.callID())
	if !call.announced {
		call.title = []byte("Subagent")
		call.set([]item{{subagent: a}})
		change = change.Set("kind", []byte(`"other"`)).Set("status", []byte(`"in_progress"`))
	}
	if title, ok := rawjson.TextOf(title); ok {
		change = change.Set("title", rawjson.AppendQuoted(nil, title))
	}
	if status := statusOf(state); status != "" {
		change = change.Set("status", []byte(`"`+status+`"`))
	}
	root.showToolCall(u, change)
}

// showToolCall sends a change of a tool call of the session in the place of an update
// of another session.
func (s *session) showToolCall(u *link.Update, change rawjson.Object) {
	s.turns.said()
	shown := *u
	shown.ShowIn([]byte(s.id))
	s.toolCalls.change(&shown, change)
}

// statusOf returns the status of the tool call for a state of a subagent; "" if it
// says none.
func statusOf(state []byte) string {
	o, ok := rawjson.ReadObject(nil, state)
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

// sessionUpdate handles a session/update of a subagent's own session. The client
// is shown the text of what the subagent says, and the titles of what it does.
func (t *subagents) sessionUpdate(a *subagent, u *link.Update) {
	o := u.Members
	root := t.sessions.get([]byte(a.root))
	switch string(u.Kind) {
	case "state_update":
		t.show(a, u, nil, u.Text())
		return
	case "agent_message_chunk":
		if id, ok := o.Text("messageId"); ok {
			a.message(id).add(o.Get("content"))
		}
		text, _ := blockText(o.Get("content"))
		a.say(text)
	case "agent_message":
		a.sayWhole(o)
	case "tool_call", "tool_call_update":
		if id, _ := o.Text("toolCallId"); root.toolCalls.all.Has(a.id + "/" + string(id)) {
			root.showToolCall(u, slices.Clone(o).Set("toolCallId", rawjson.AppendQuoted(nil, a.id+"/"+string(id))))
			return
		}
		a.works(o)
	case "subagent_update":
		t.subagentUpdate(root, u)
		return
	default:
		return
	}
	a.count()
	call := root.toolCalls.get(a.callID())
	if !call.announced { // it was forgotten
		t.show(a, u, nil, nil)
		return
	}
	root.toolCalls.collect(call, collectContent)
}

// say adds a text.
func (a *subagent) say(text []byte) {
	a.said = append(a.said, text...)
	if len(a.said) > 2*maxSubagentText {
		a.said = append(a.said[:0], a.said[len(a.said)-maxSubagentText:]...)
	}
}

// message returns a message of the subagent. If nothing of it was said before,
// what follows begins on a line of its own.
func (a *subagent) message(id []byte) *message {
	m := a.messages.get("agent", id)
	if m.empty() {
		a.beginLine()
	}
	return m
}

func (a *subagent) beginLine() {
	if len(a.said) > 0 && a.said[len(a.said)-1] != '\n' {
		a.said = append(a.said, '\n')
	}
}

// sayWhole adds what is new in a message as a whole. One that was replaced is
// said again.
func (a *subagent) sayWhole(o rawjson.Object) {
	id, ok := o.Text("messageId")
	blocks, _ := rawjson.ReadArray(nil, o.Get("content"))
	if !ok || len(blocks) == 0 {
		return
	}
	m := a.message(id)
	first, cut, same := m.become(id, blocks)
	if !same {
		a.beginLine()
	}
	for _, block := range blocks[first:] {
		text, _ := blockText(block)
		a.say(text[min(cut, len(text)):])
		cut = 0
	}
}

// works adds a line for a new tool call of the subagent.
func (a *subagent) works(o rawjson.Object) {
	id, _ := o.Text("toolCallId")
	title, ok := o.Text("title")
	if !ok || a.messages.find("call", id) != nil {
		return
	}
	a.messages.get("call", id)
	a.beginLine()
	a.say([]byte("• " + string(title) + "\n"))
}

// last returns the part of a subagent's text that is shown.
func (a *subagent) last() []byte { return a.said[max(0, len(a.said)-maxSubagentText):] }
