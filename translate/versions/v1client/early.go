package v1client

import (
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/jsonrpc"
)

// An agent can send updates and requests of a session before its response to session/new, when the
// client does not know the session. The bridge buffers such messages until the response.
//
// Some agents ask a question before the response ("Trust this folder?"), and wait for the
// answer. The bridge therefore buffers a request for a short time only, and then forwards it after
// the earlier messages of its session.

// earlyMessages buffers the agent's messages of sessions that the client does not know yet.
type earlyMessages struct {
	buffer[earlyKey]
	bridge          *Bridge
	pendingOpenings int // pending requests for new sessions
}

// An earlyKey identifies a buffered message.
type earlyKey struct {
	session string
	request jsonrpc.ID // "" for an update
}

// hold buffers an update or a request of a session that the client does not know yet, and reports
// whether it has done so. If the budget has no room, it releases all messages.
func (e *earlyMessages) hold(m *jsonrpc.Message) bool {
	const patience = time.Second
	switch n := len(m.Session); {
	case e.pendingOpenings == 0, n == 0, n > calls.MaxSession, !m.IsRequest() && string(m.Method) != "session/update", e.bridge.sessions.Find(m.Session) != nil:
		return false
	}
	key := earlyKey{string(m.Session), jsonrpc.IDOf(m.ID)}
	if !e.add(key, m) {
		e.releaseAll()
		return false
	}
	if m.IsRequest() {
		e.bridge.timers.Set(&calls.Timer{Fire: func() {
			if slices.ContainsFunc(e.messages, func(o bufferedMessage[earlyKey]) bool { return o.key == key }) {
				e.release(key.session)
			}
		}}, e.bridge.link.After(patience))
	}
	return true
}

// release converts the messages of a session, and those of the subagents that these messages
// announce. It adds these sessions, so that their later messages are not buffered.
func (e *earlyMessages) release(session string) {
	e.convert(func(other string) bool { return other == session })
}

func (e *earlyMessages) releaseAll() { e.convert(func(string) bool { return true }) }

// convert converts the messages of the sessions for which selects returns true, and then those of
// the sessions that the bridge has added meanwhile.
func (e *earlyMessages) convert(selects func(session string) bool) {
	for ; ; selects = e.bridge.sessions.Has {
		taken := e.take(func(k earlyKey) bool { return selects(k.session) })
		if len(taken) == 0 {
			return
		}
		for _, o := range taken {
			e.bridge.session([]byte(o.key.session))
			if m := jsonrpc.MessageOf(o.text); m.IsRequest() {
				e.bridge.link.Dispatch(translate.Agent, &m)
			} else {
				e.bridge.convert(calls.ReadBuffered(o.text))
			}
		}
	}
}
