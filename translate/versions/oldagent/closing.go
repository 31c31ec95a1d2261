package oldagent

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Until a request to close or delete a session is answered, further requests to
// close, delete or resume the session wait. So the answer is never about a
// session that was resumed since. The bridge waits CloseDelay for the answer.

// An ending is a request to close or delete a session.
type ending struct {
	session  string        // its id
	id       []byte        // of the request, if the bridge answers it because the agent cannot close
	deadline time.Time     // of the agent
	waiting  []heldRequest // until this one is answered
	done     bool          // it was, or the deadline has passed
}

// end notes a request to close or delete a session.
func (b *Bridge) end(session string, id []byte) *ending {
	e := &ending{session: session, id: bytes.Clone(id), deadline: b.now.Add(CloseDelay)}
	b.endings[session] = e
	b.deadlines = append(slices.DeleteFunc(b.deadlines, func(e *ending) bool { return e.done }), e)
	return e
}

// close closes a session.
func (b *Bridge) close(m *jsonrpc.Message) {
	s := b.sessions[string(m.Session)]
	switch {
	case b.options.Agent.Close:
		b.leave(m, s)
		return
	case s == nil:
		b.silence(string(m.Session))
		b.reply(m.ID, []byte("{}"))
		return
	}
	e := b.end(s.id, m.ID)
	s.ending = e
	b.withdrawHeld(s, requestCancelled, "Request cancelled")
	b.settle(s)
	if s.turn == nil {
		b.finish(e)
		return
	}
	b.tellCancel(s)
	b.dropQuestions(s, nil)
}

// delete deletes a session.
func (b *Bridge) delete(m *jsonrpc.Message) {
	if !b.options.Agent.Delete {
		b.refuseMethod(m.ID, "session/delete") // the client was not told that it can
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
	e, deletes := b.end(string(m.Session), nil), string(m.Method) == "session/delete"
	c.Asked.answered = func(c *call, m *jsonrpc.Message) { b.left(c, m, e, deletes) }
	if s != nil {
		b.withdrawHeld(s, requestCancelled, "Request cancelled")
		b.settle(s)
		b.dropQuestions(s, nil)
		s.ending = e
	}
	b.readdress(toAgent, m, c.Number, "", sameParams(m))
}

// left takes in the agent's answer to session/close or session/delete. In
// version 2 it is not an error if the session is not there.
func (b *Bridge) left(c *call, m *jsonrpc.Message, e *ending, deletes bool) {
	failed := m.Failed() || !m.Result.Present()
	if failed && errorCode(m.Error.Of(m.Text)) != resourceNotFound {
		if s := b.sessions[e.session]; s != nil && !e.done {
			b.settle(s)
			s.ending = nil
			b.tellProgress(s) // its turn goes on, without the questions
		}
		b.answerError(c, m)
		b.goOn(e)
		return
	}
	b.endSession(e)
	if deletes && b.sessions[e.session] == nil {
		keepID(b.deleted, e.session)
	}
	var w words.Writer
	if failed || !(words.Shape{}).Convert(&w, m.Result.Of(m.Text)) {
		w.Out = []byte("{}")
	}
	b.reply(c.ID, w.Out)
	b.goOn(e)
}

// endSession ends the session of a request, and its turn.
func (b *Bridge) endSession(e *ending) {
	s := b.sessions[e.session]
	switch {
	case e.done:
	case s == nil:
		b.silence(e.session)
	default:
		b.settle(s)
		if s.turn != nil {
			b.abandon(s.turn)
		}
		b.dropClosed(s)
	}
}

// abandon ends a turn without the agent's answer.
func (b *Bridge) abandon(t *turn) {
	b.asked.Answered(idOf(t.call.Number))
	b.breakOffEcho(t)
	if t.acked {
		b.endTurn(t, "cancelled", nil, nil)
		return
	}
	b.refusePrompt(t.session, t.call.ID, t.key, requestCancelled, "Request cancelled")
	b.nextTurn(t)
}

// finish ends the session of a request that the agent cannot answer, or did not
// in time.
func (b *Bridge) finish(e *ending) {
	b.endSession(e)
	if e.done { // by the end of the turn
		return
	}
	if e.id != nil {
		b.reply(e.id, []byte("{}"))
	}
	b.goOn(e)
}

// postpone keeps a request until another one is answered.
func (b *Bridge) postpone(e *ending, m *jsonrpc.Message) {
	if !b.hold(&e.waiting, heldRequest{id: m.ID, text: m.Span.Of(m.Text)}) {
		b.lose(m.Session, translate.LossTooManyRequests, "a request of the client was refused")
		b.refuse(m.ID, internalError, "too many requests wait until the session is closed", nil)
	}
}

// goOn takes in the requests that waited.
func (b *Bridge) goOn(e *ending) {
	if e.done {
		return
	}
	e.done = true
	delete(b.endings, e.session)
	for len(e.waiting) > 0 {
		if next := b.endings[e.session]; next != nil { // the one before was another
			next.waiting = e.waiting
			return
		}
		h := b.unhold(&e.waiting, 0)
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

// dropClosed forgets a session, and the client gets nothing more of it. A session
// that was dropped before is left alone: another one may have its id by now.
func (b *Bridge) dropClosed(s *session) {
	if s.dropped {
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
