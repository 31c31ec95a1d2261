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

// An agent can send updates and requests of a session before its response to session/new, so
// before the client knows the session. Such messages are buffered until the response
// (bridge.md §2.1).
//
// Some agents ask a question before the response ("Trust this folder?"), and wait for the
// answer. A request is therefore buffered for a short time only, and is forwarded after the
// earlier messages of its session.

// held are the agent's messages that wait for the response to session/new.
type held struct {
	bridge   *Bridge
	opening  int // pending requests for new sessions
	messages []heldMessage
	until    time.Time // the first deadline of any message, or zero
	kept     *keep.Share
}

// A heldMessage is a buffered message of the agent.
type heldMessage struct {
	text     []byte
	session  string
	request  jsonrpc.ID // the id of a request
	deadline time.Time  // of a request
}

func (h heldMessage) size() int { return keep.EntryCost + len(h.text) + len(h.session) }

// holds buffers a message of a session that the client does not know yet, and reports whether
// it has. If the budget has no room, it releases all messages.
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

// take removes messages from the buffer.
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

// release converts the messages of sessions, and those of the subagents that they announce.
// Later messages of these sessions are not buffered.
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

// releaseAsked releases the messages of sessions with a request whose deadline has passed, and
// of their parent sessions.
func (h *held) releaseAsked() {
	now := h.bridge.link.Now()
	if h.until.IsZero() || h.until.After(now) {
		return
	}
	asked := make(map[string]bool)
	for _, o := range slices.Backward(h.messages) { // its announcement precedes its requests and its own subagents
		if !o.deadline.IsZero() && !o.deadline.After(now) || asked[announcedIn(o.text)] {
			asked[o.session] = true
		}
	}
	h.release(func(session string) bool { return asked[session] })
}

// announcedIn returns the session of the subagent that a message announces, or "".
func announcedIn(text []byte) string {
	if u := calls.ReadHeld(text); u != nil && string(u.Kind) == "subagent_update" {
		return u.Members.String("sessionId")
	}
	return ""
}
