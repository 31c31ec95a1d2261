package v1client

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/jsonrpc"
)

// An agent can speak of a session before it has answered session/new, so before the
// client knows the session. Such messages are held until the answer has come.
//
// Some agents ask before they give that answer ("Trust this folder?"), and wait. So a
// request is not held for long, and takes along what came before it.

// held are the messages of the agent that wait for the answer to session/new.
type held struct {
	bridge   *Bridge
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
func (h *held) holds(m *jsonrpc.Message) bool {
	const patience = time.Second
	if h.opening == 0 || m.Session == nil || h.bridge.sessions.Find(m.Session) != nil {
		return false
	}
	copied := heldMessage{text: m.Span.Of(m.Text), session: string(m.Session)}
	if !h.kept.Fix(copied.size()) {
		h.releaseAll()
		return false
	}
	copied.text = bytes.Clone(copied.text)
	if m.IsRequest() {
		copied.request, copied.deadline = jsonrpc.IDOf(m.ID), h.bridge.link.After(patience)
		h.until = calls.Earliest(h.until, copied.deadline)
	}
	h.messages = append(h.messages, copied)
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
		t.until = calls.Earliest(t.until, h.deadline)
		return false
	})
	return taken
}

// release converts the messages of sessions that were held, and those of the subagents that
// they announce. What comes of the sessions later is not held.
func (h *held) release(which func(session string) bool) {
	for taken := h.take(func(o heldMessage) bool { return which(o.session) }); len(taken) > 0; {
		for _, o := range taken {
			h.bridge.session([]byte(o.session))
			if m := jsonrpc.MessageOf(o.text); m.IsRequest() {
				h.bridge.request(translate.Agent, &m)
			} else {
				h.bridge.convert(calls.ReadHeld(o.text))
			}
		}
		taken = h.take(func(o heldMessage) bool { return h.bridge.sessions.Has(o.session) })
	}
}

func (h *held) releaseAll() { h.release(func(string) bool { return true }) }

// releaseAsked releases the messages of sessions in which the agent has asked something and
// waited long enough, and of the sessions that these work for.
func (h *held) releaseAsked() {
	now := h.bridge.link.Now()
	if h.until.IsZero() || h.until.After(now) {
		return
	}
	asked := make(map[string]bool)
	for _, o := range slices.Backward(h.messages) { // a subagent is announced before it asks, or announces others
		if !o.deadline.IsZero() && !o.deadline.After(now) || asked[announcedIn(o.text)] {
			asked[o.session] = true
		}
	}
	h.release(func(session string) bool { return asked[session] })
}

// announcedIn returns the session of the subagent that a message tells of, "" if it
// tells of none.
func announcedIn(text []byte) string {
	if u := calls.ReadHeld(text); u != nil && string(u.Kind) == "subagent_update" {
		return u.Members.String("sessionId")
	}
	return ""
}
