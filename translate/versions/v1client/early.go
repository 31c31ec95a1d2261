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

// An early buffers the agent's messages of sessions that the client does not know yet.
type early struct {
	bridge   *Bridge
	opening  int // pending requests for new sessions
	messages []earlyMessage
	kept     *keep.Share
}

// An earlyMessage is a buffered message of the agent.
type earlyMessage struct {
	text    []byte
	session string
	request jsonrpc.ID   // the id of a request
	timer   *calls.Timer // of a request, otherwise nil
}

func (h earlyMessage) size() int { return keep.EntryCost + len(h.text) + len(h.session) }

// holds buffers a message of a session that the client does not know yet, and reports whether
// it has. If the budget has no room, it releases all messages.
func (h *early) holds(m *jsonrpc.Message) bool {
	const patience = time.Second
	switch n := len(m.Session); {
	case h.opening == 0, n == 0, n > calls.MaxSession, !m.IsRequest() && string(m.Method) != "session/update", h.bridge.sessions.Find(m.Session) != nil:
		return false
	}
	copied := earlyMessage{text: m.Span.Of(m.Text), session: string(m.Session)}
	if !h.kept.Fix(copied.size()) {
		h.releaseAll()
		return false
	}
	copied.text = bytes.Clone(copied.text)
	if m.IsRequest() {
		copied.request, copied.timer = jsonrpc.IDOf(m.ID), new(calls.Timer)
		copied.timer.Fire = func() { h.releaseRequest(copied.session) }
		h.bridge.timers.Set(copied.timer, h.bridge.link.After(patience))
	}
	h.messages = append(h.messages, copied)
	return true
}

// take removes messages from the buffer.
func (h *early) take(which func(earlyMessage) bool) (taken []earlyMessage) {
	h.messages = slices.DeleteFunc(h.messages, func(o earlyMessage) bool {
		if !which(o) {
			return false
		}
		h.kept.Free(o.size())
		if o.timer != nil {
			h.bridge.timers.Stop(o.timer)
		}
		taken = append(taken, o)
		return true
	})
	return taken
}

// release converts the messages of sessions, and those of the subagents that they announce.
// Later messages of these sessions are not buffered.
func (h *early) release(which func(session string) bool) {
	for taken := h.take(func(o earlyMessage) bool { return which(o.session) }); len(taken) > 0; {
		for _, o := range taken {
			h.bridge.session([]byte(o.session))
			if m := jsonrpc.MessageOf(o.text); m.IsRequest() {
				h.bridge.link.Dispatch(translate.Agent, &m)
			} else {
				h.bridge.convert(calls.ReadHeld(o.text))
			}
		}
		taken = h.take(func(o earlyMessage) bool { return h.bridge.sessions.Has(o.session) })
	}
}

func (h *early) releaseAll() { h.release(func(string) bool { return true }) }

// releaseRequest releases the messages of a session whose request has waited long enough, and
// those of its parent sessions.
func (h *early) releaseRequest(session string) {
	released := map[string]bool{session: true}
	for _, o := range slices.Backward(h.messages) { // a subagent is announced before it announces its own
		if released[announcedIn(o.text)] {
			released[o.session] = true
		}
	}
	h.release(func(session string) bool { return released[session] })
}

// announcedIn returns the session of the subagent that a message announces, or "".
func announcedIn(text []byte) string {
	if u := calls.ReadHeld(text); u != nil && string(u.Kind) == "subagent_update" {
		return u.Members.String("sessionId")
	}
	return ""
}
