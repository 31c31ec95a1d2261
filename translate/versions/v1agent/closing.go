package v1agent

import (
	"bytes"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Until a request to close or delete a session is answered, further requests to
// close, delete or resume the session wait. So the answer is never about a
// session that was resumed since. The bridge waits closeDelay for the answer.

// closeDelay is how long an agent has to close a session, or to end the
// cancelled turn of a session that it cannot close. Then the session counts
// as closed.
const closeDelay = 10 * time.Second

// A closing is a request to close or delete a session.
type closing struct {
	session  string     // its id
	id       []byte     // of the request, if the bridge answers it at the end of the turn because the agent cannot close
	deadline link.Timer // of the agent
	done     bool       // it was, or the deadline has passed
}

// beginClosing notes that a session is to be closed or deleted, which ends its turn.
func (b *Bridge) beginClosing(session []byte) *closing {
	e := &closing{session: string(session)}
	e.deadline.Fire = func() { b.finish(e) }
	b.timers.Set(&e.deadline, b.link.After(closeDelay))
	b.closings.Put(e.session, e)
	if s := b.sessions.find(session); s != nil {
		b.refuseHeld(s, errCancelled.Raw())
		b.endLingering(s)
		s.dropQuestions(nil)
		s.closing = e
	}
	return e
}

// closeSession handles session/close.
func (b *Bridge) closeSession(m *jsonrpc.Message) {
	switch s := b.sessions.find(m.Session); {
	case b.options.Agent.Close:
		b.askToClose(m)
	case s == nil:
		b.sessions.silence(string(m.Session))
		b.link.Answer(translate.Client, m.ID, []byte("{}"))
	default:
		if s.turn != nil && s.turn.answer == nil {
			b.link.TellCancel(s.id)
		}
		e := b.beginClosing(m.Session)
		e.id = bytes.Clone(m.ID)
		b.sessions.idle = append(b.sessions.idle, e)
	}
}

// deleteSession handles session/delete.
func (b *Bridge) deleteSession(m *jsonrpc.Message) {
	if b.options.Agent.Delete {
		b.askToClose(m)
	} else {
		b.refuse(m, noMethod("session/delete")) // the client was not told that it can
	}
}

// askToClose asks the agent to close or delete a session.
func (b *Bridge) askToClose(m *jsonrpc.Message) {
	e, deletes := b.beginClosing(m.Session), string(m.Method) == "session/delete"
	b.ask(m, "", link.SameParams(m), func(c *link.Call, m *jsonrpc.Message) { b.sessionClosed(c, m, e, deletes) })
}

// sessionClosed handles the agent's answer to session/close or session/delete. In
// version 2 it is not an error if the session is not there.
func (b *Bridge) sessionClosed(c *link.Call, m *jsonrpc.Message, e *closing, deletes bool) {
	if failed(m) && link.ErrorCode(link.ErrorOf(m)) != link.ResourceNotFound {
		if s := b.sessions.all.Get(e.session); s != nil && s.closing == e {
			b.endLingering(s)
			s.closing = nil
			s.tellProgress() // its turn goes on, without the questions
		}
		b.passError(c, m)
		b.release(e)
		return
	}
	b.finish(e)
	if deletes && !b.sessions.all.Has(e.session) {
		b.sessions.hide(e.session)
	}
	result := rawjson.Members(link.ResultOf(m))
	b.answerAs(c.ID, result, words.Object{})
}

// finish ends the session of a request, unless that was done before, and answers the
// request if the agent cannot.
func (b *Bridge) finish(e *closing) {
	if e.done {
		return
	}
	b.release(e)
	if s := b.sessions.all.Get(e.session); s == nil {
		b.sessions.silence(e.session)
	} else {
		if s.turn != nil {
			b.breakOff(s.turn, "cancelled", errCancelled.Raw())
		}
		b.sessions.end(s)
	}
	if e.id != nil {
		b.link.Answer(translate.Client, e.id, []byte("{}"))
	}
}

// release lets the requests go on that wait behind one, see [Bridge.settle].
func (b *Bridge) release(e *closing) {
	if !e.done {
		e.done = true
		b.timers.Stop(&e.deadline)
		b.closings.Delete(e.session)
		b.held.ready = append(b.held.ready, e)
	}
}

// finishIdle ends the sessions that the agent cannot close, and whose turn is over.
func (b *Bridge) finishIdle() {
	for ; len(b.sessions.idle) > 0; b.sessions.idle = b.sessions.idle[1:] {
		e := b.sessions.idle[0]
		if s := b.sessions.all.Get(e.session); e.id != nil && (s == nil || s.turn == nil) {
			b.finish(e)
		}
	}
}

// wait has a request wait until the session has been closed or deleted that is about to
// be.
func (b *Bridge) wait(e *closing, m *jsonrpc.Message) {
	if !b.held.add(heldRequest{behind: e, id: m.ID, text: m.Span.Of(m.Text)}) {
		b.refuse(m, link.Error{Code: link.InternalError, Message: "too many requests wait until the session is closed"})
	}
}
