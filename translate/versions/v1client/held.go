package v1client

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/transport/jsonrpc"
)

// An agent can speak of a session before it has answered session/new, so before the
// client knows the session. Such messages are held until the answer has come.
//
// Some agents ask before they give that answer ("Trust this folder?"), and wait. So a
// request is not held for long, and takes along what came before it.

// held are the messages of the agent that wait for the answer to session/new.
type held struct {
	opening  int // requests for new sessions, whose ids the client does not know
	messages []heldMessage
	until    time.Time // the first deadline of messages, or zero
	kept     *keep.Share
}

// A heldMessage is a message of the agent that is held.
type heldMessage struct {
	text     []byte
	session  string
	request  jsonrpc.ID // its id if it is a request
	deadline time.Time  // of a request, which the agent may want answered first
}

func (h heldMessage) size() int { return keep.EntryCost + len(h.text) + len(h.session) }

// hold keeps a message of a session that the client has not heard of. It reports false
// without room for it.
func (t *held) hold(m *jsonrpc.Message, now time.Time) bool {
	const patience = time.Second
	h := heldMessage{text: m.Span.Of(m.Text), session: string(m.Session)}
	if !t.kept.Fix(h.size()) {
		return false
	}
	h.text = bytes.Clone(h.text)
	if m.IsRequest() {
		h.request, h.deadline = jsonrpc.IDOf(m.ID), now.Add(patience)
		t.until = link.Earliest(t.until, h.deadline)
	}
	t.messages = append(t.messages, h)
	return true
}

// release returns messages that are held no longer.
func (t *held) release(which func(heldMessage) bool) (released []heldMessage) {
	t.until = time.Time{}
	t.messages = slices.DeleteFunc(t.messages, func(h heldMessage) bool {
		if which(h) {
			t.kept.Free(h.size())
			released = append(released, h)
			return true
		}
		t.until = link.Earliest(t.until, h.deadline)
		return false
	})
	return released
}

// asked returns the sessions in which the agent has asked something and waited long
// enough, and the sessions that these work for.
func (t *held) asked(now time.Time) map[string]bool {
	if t.until.IsZero() || t.until.After(now) {
		return nil
	}
	asked := make(map[string]bool)
	for _, h := range t.messages {
		if !h.deadline.IsZero() && !h.deadline.After(now) {
			asked[h.session] = true
		}
	}
	for _, h := range slices.Backward(t.messages) { // a subagent is announced before it announces others
		if asked[announcedIn(h.text)] {
			asked[h.session] = true
		}
	}
	return asked
}

// announcedIn returns the session of the subagent that a message tells of, "" if it
// tells of none.
func announcedIn(text []byte) string {
	m := link.MessageOf(text)
	var u link.Update
	if !u.Read(&m) || string(u.Kind) != "subagent_update" {
		return ""
	}
	id, _ := u.Members.Text("sessionId")
	return string(id)
}

// withdraw takes out a request that the agent has cancelled. It reports whether it was
// held.
func (t *held) withdraw(id []byte) (request jsonrpc.Message, ok bool) {
	if id == nil {
		return request, false
	}
	want := jsonrpc.IDOf(id)
	i := slices.IndexFunc(t.messages, func(h heldMessage) bool { return h.request == want })
	if i < 0 {
		return request, false
	}
	h := t.messages[i]
	t.messages = slices.Delete(t.messages, i, i+1)
	t.kept.Free(h.size())
	return link.MessageOf(h.text), true
}

// gone forgets everything: the agent has ended.
func (t *held) gone() { t.release(func(heldMessage) bool { return true }) }
