package v1client

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/translate"
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

// holds keeps a message of the agent for a session that the client has not heard of
// yet. It reports whether it has. Without room for it, nothing is held any longer.
func (b *Bridge) holds(m *jsonrpc.Message) bool {
	const patience = time.Second
	if b.held.opening == 0 || m.Session == nil || b.sessions.Find(m.Session) != nil {
		return false
	}
	h := heldMessage{text: m.Span.Of(m.Text), session: string(m.Session)}
	if !b.held.kept.Fix(h.size()) {
		b.releaseAll()
		return false
	}
	h.text = bytes.Clone(h.text)
	if m.IsRequest() {
		h.request, h.deadline = jsonrpc.IDOf(m.ID), b.link.After(patience)
		b.held.until = link.Earliest(b.held.until, h.deadline)
	}
	b.held.messages = append(b.held.messages, h)
	return true
}

// take returns messages that are held no longer.
func (t *held) take(which func(heldMessage) bool) (taken []heldMessage) {
	t.until = time.Time{}
	t.messages = slices.DeleteFunc(t.messages, func(h heldMessage) bool {
		if which(h) {
			t.kept.Free(h.size())
			taken = append(taken, h)
			return true
		}
		t.until = link.Earliest(t.until, h.deadline)
		return false
	})
	return taken
}

// release converts the messages of sessions that were held, and those of the subagents that
// they announce. What comes of the sessions later is not held.
func (b *Bridge) release(which func(session string) bool) {
	for taken := b.held.take(func(h heldMessage) bool { return which(h.session) }); len(taken) > 0; {
		for _, h := range taken {
			b.session([]byte(h.session))
			if m := jsonrpc.MessageOf(h.text); m.IsRequest() {
				b.request(translate.Agent, &m)
			} else {
				b.convert(link.ReadHeld(h.text))
			}
		}
		taken = b.held.take(func(h heldMessage) bool { return b.sessions.Has(h.session) })
	}
}

func (b *Bridge) releaseAll() { b.release(func(string) bool { return true }) }

// releaseAsked releases the messages of sessions in which the agent has asked something and
// waited long enough, and of the sessions that these work for.
func (b *Bridge) releaseAsked() {
	now := b.link.Now()
	if b.held.until.IsZero() || b.held.until.After(now) {
		return
	}
	asked := make(map[string]bool)
	for _, h := range slices.Backward(b.held.messages) { // a subagent is announced before it asks, or announces others
		if !h.deadline.IsZero() && !h.deadline.After(now) || asked[announcedIn(h.text)] {
			asked[h.session] = true
		}
	}
	b.release(func(session string) bool { return asked[session] })
}

// announcedIn returns the session of the subagent that a message tells of, "" if it
// tells of none.
func announcedIn(text []byte) string {
	if u := link.ReadHeld(text); u != nil && string(u.Kind) == "subagent_update" {
		return u.Members.String("sessionId")
	}
	return ""
}
