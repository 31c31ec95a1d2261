package v1client

import (
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/jsonrpc"
)

// An agent can send updates and requests of a session before its response to session/new, so
// before the client knows the session. Such messages are buffered until the response.
//
// Some agents ask a question before the response ("Trust this folder?"), and wait for the
// answer. A request is therefore buffered for a short time only, and is forwarded after the
// earlier messages of its session.

// An early buffers the agent's messages of sessions that the client does not know yet.
type early struct {
	buffer[earlyKey]
	bridge  *Bridge
	opening int // pending requests for new sessions
}

// An earlyKey has the session of a buffered message, and the id of a request.
type earlyKey struct {
	session string
	request jsonrpc.ID
}

// holds buffers an update or a request of a session that the client does not know yet, and
// reports whether it has. If the budget has no room, it releases all messages.
func (h *early) holds(m *jsonrpc.Message) bool {
	const patience = time.Second
	switch n := len(m.Session); {
	case h.opening == 0, n == 0, n > calls.MaxSession, !m.IsRequest() && string(m.Method) != "session/update", h.bridge.sessions.Find(m.Session) != nil:
		return false
	}
	key := earlyKey{string(m.Session), jsonrpc.IDOf(m.ID)}
	if !h.add(key, m) {
		h.releaseAll()
		return false
	}
	if m.IsRequest() {
		h.bridge.timers.Set(&calls.Timer{Fire: func() {
			if slices.ContainsFunc(h.messages, func(o buffered[earlyKey]) bool { return o.key == key }) {
				h.release(key.session)
			}
		}}, h.bridge.link.After(patience))
	}
	return true
}

// release converts the messages of a session, and those of the subagents that they announce.
// Later messages of these sessions are not buffered.
func (h *early) release(session string) {
	h.convert(func(other string) bool { return other == session })
}

func (h *early) releaseAll() { h.convert(func(string) bool { return true }) }

func (h *early) convert(which func(session string) bool) {
	for ; ; which = h.bridge.sessions.Has {
		taken := h.take(func(k earlyKey) bool { return which(k.session) })
		if len(taken) == 0 {
			return
		}
		for _, o := range taken {
			h.bridge.session([]byte(o.key.session))
			if m := jsonrpc.MessageOf(o.text); m.IsRequest() {
				h.bridge.link.Dispatch(translate.Agent, &m)
			} else {
				h.bridge.convert(calls.ReadBuffered(o.text))
			}
		}
	}
}
