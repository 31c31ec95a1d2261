package oldagent

import (
	"bytes"
	"time"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Until a request to close or delete a session is answered, further requests to
// close, delete or resume the session wait. So the answer is never about a
// session that was resumed since, and what the agent says of the turn that ends
// does not count as a part of the resumed session.

// isClosing reports whether a request to close or delete a session is open.
func (b *Bridge) isClosing(session []byte) bool {
	return b.afterClose[string(session)] != nil
}

// postpone keeps a request until the open one is answered.
func (b *Bridge) postpone(m *jsonrpc.Message) {
	if !b.hold(b.afterClose[string(m.Session)], m.ID, m.Span.Of(m.Text)) {
		b.lose(m.Session, "too many requests", "a request of the client was refused")
		b.refuse(m.ID, internalError, "too many requests wait until the session is closed", nil)
	}
}

// goOn takes in the requests that waited until a session was closed, or was not.
func (b *Bridge) goOn(session string) {
	waiting := b.afterClose[session]
	delete(b.afterClose, session)
	for len(*waiting) > 0 {
		h := b.unhold(waiting, 0)
		if b.gone != "" {
			b.refuse(h.id, internalError, b.gone, nil)
			continue
		}
		var c rawjson.Cursor
		var m jsonrpc.Message
		c.Reset(h.text)
		m.Read(&c, h.text, nil)
		b.clientAsksOfSession(&m)
	}
}

// An ending is a session that the bridge closes because the agent cannot.
type ending struct {
	session  *session
	id       []byte // of the client's request
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
	if s == nil {
		b.silence(string(m.Session))
		b.reply(m.ID, []byte("{}"))
		return
	}
	b.afterClose[s.id] = new([]heldRequest)
	s.ending = &ending{session: s, id: bytes.Clone(m.ID), deadline: b.now.Add(CloseDelay)}
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
	b.afterClose[id] = new([]heldRequest)
	c.Asked.answered = func(c *call, m *jsonrpc.Message) { b.left(c, m, id, deletes) }
	if s != nil {
		b.withdrawHeld(s, requestCancelled, "Request cancelled")
		b.settle(s)
		b.dropQuestions(s, nil)
		s.closing = true
	}
	b.readdress(toAgent, m, c.Number, "", nil)
}

// left takes in the agent's answer to session/close or session/delete. In
// version 2 it is not an error if the session is not there.
func (b *Bridge) left(c *call, m *jsonrpc.Message, id string, deletes bool) {
	defer b.goOn(id)
	s := b.sessions[id]
	if s != nil {
		b.settle(s)
		s.closing = false
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
	b.reply(e.id, []byte("{}"))
	b.goOn(e.session.id)
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
