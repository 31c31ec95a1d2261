package oldagent

import (
	"bytes"
	"time"

	"acp-plan-proxy/transport/jsonrpc"
)

// An ending is a session that the bridge closes because the agent cannot.
type ending struct {
	session  *session
	ids      [][]byte // of the client's requests
	deadline time.Time
	done     bool
}

// close closes a session.
func (b *Bridge) close(m *jsonrpc.Message) {
	s := b.sessions[string(m.Session)]
	if b.options.Agent.Close {
		b.leave(m, s)
		return
	}
	switch {
	case s == nil:
		b.silence(string(m.Session))
		b.reply(m.ID, []byte("{}"))
	case s.ending != nil:
		s.ending.ids = append(s.ending.ids, bytes.Clone(m.ID))
	default:
		s.ending = &ending{session: s, ids: [][]byte{bytes.Clone(m.ID)}, deadline: b.now.Add(CloseDelay)}
		b.withdrawHeld(s, requestCancelled, "Request cancelled")
		b.settle(s)
		if s.turn == nil {
			b.finish(s.ending)
			return
		}
		b.closings = append(b.closings, s.ending)
		s.turn.cancelled = true
		b.tellCancel(s)
		b.dropQuestions(s, nil)
	}
}

// delete deletes a session.
func (b *Bridge) delete(m *jsonrpc.Message) {
	if !b.options.Agent.Delete {
		b.refuseMethod(m.ID, "session/delete") // nor was the client told that it can
		return
	}
	b.leave(m, b.sessions[string(m.Session)])
}

// leave asks the agent to close or delete a session, which ends its turn.
func (b *Bridge) leave(m *jsonrpc.Message, s *session) {
	c := b.open(m, request{session: string(m.Session)})
	if c == nil {
		return
	}
	id, deletes := string(m.Session), string(m.Method) == "session/delete"
	c.Asked.answered = func(c *call, m *jsonrpc.Message) { b.left(c, m, id, deletes) }
	if s != nil {
		b.withdrawHeld(s, requestCancelled, "Request cancelled")
		b.settle(s)
		b.dropQuestions(s, nil)
		s.closing++
	}
	b.readdress(toAgent, m, c.Number, "", nil)
}

// left takes in the agent's answer to session/close or session/delete. In
// version 2 it is not an error if the session is not there.
func (b *Bridge) left(c *call, m *jsonrpc.Message, id string, deletes bool) {
	s := b.sessions[id]
	if s != nil {
		b.settle(s)
		s.closing = max(0, s.closing-1)
	}
	failed := m.Failed() || !m.Result.Present()
	if failed && errorCode(m.Error.Of(m.Text)) != resourceNotFound {
		if s != nil {
			b.tellProgress(s) // its turn goes on, without the questions
		}
		b.answerError(c, m)
		return
	}
	if s != nil {
		b.withdrawHeld(s, requestCancelled, "Request cancelled")
		if s.turn != nil {
			b.abandon(s.turn)
		}
		b.dropClosed(s)
	}
	b.silence(id)
	if deletes {
		keepID(b.deleted, id)
	}
	result := m.Result.Of(m.Text)
	if failed || result[0] != '{' {
		result = []byte("{}")
	}
	b.reply(c.ID, result)
}

// abandon ends a turn without the agent's answer.
func (b *Bridge) abandon(t *turn) {
	b.asked.Answered(idOf(t.call.Number))
	if t.acked {
		b.endTurn(t, "cancelled", nil, nil)
		return
	}
	b.refuse(t.call.ID, requestCancelled, "Request cancelled", nil)
	b.nextTurn(t)
}

// giveUp closes a session whose turn does not end.
func (b *Bridge) giveUp(e *ending) {
	b.settle(e.session)
	if e.session.turn != nil {
		b.abandon(e.session.turn)
	}
	b.finish(e)
}

// finish answers the requests to close a session.
func (b *Bridge) finish(e *ending) {
	if e.done {
		return
	}
	e.done = true
	b.dropClosed(e.session)
	for _, id := range e.ids {
		b.reply(id, []byte("{}"))
	}
}

// dropClosed forgets a session, and the client gets nothing more of it. A session
// that was dropped before is left alone: another one may have its id by now.
func (b *Bridge) dropClosed(s *session) {
	if b.sessions[s.id] != s {
		return
	}
	b.dropQuestions(s, nil)
	b.drop(s)
	b.silence(s.id)
}

// silence keeps what the agent still says of a session from the client.
func (b *Bridge) silence(id string) { keepID(b.closed, id) }

// keepID adds the id of a session that is over. If there are too many, it
// forgets the others.
func keepID(ids map[string]bool, id string) {
	const most = 4096
	if len(ids) >= most {
		clear(ids)
	}
	ids[id] = true
}

// reopen returns the session with that id for a client that goes on with it. If
// it was closed, the agent decides: an agent that cannot close sessions still
// has it.
func (b *Bridge) reopen(id []byte) *session {
	wasClosed := b.closed[string(id)]
	delete(b.closed, string(id))
	s := b.session(id)
	s.reopened = s.reopened || wasClosed
	return s
}
