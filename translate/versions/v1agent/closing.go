package v1agent

import (
	"bytes"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
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
	session  string    // its id
	id       []byte    // of the request, if the bridge answers it at the end of the turn because the agent cannot close
	deadline time.Time // of the agent
	done     bool      // it was, or the deadline has passed
}

// closings are the requests to close or delete sessions.
type closings struct {
	link     *link.Link
	agent    words.V1Agent
	sessions *sessions
	prompts  *prompts
	held     *held

	open  keep.Map[*closing] // by the id of the session; the deadline of the oldest is next
	ready [][]byte           // requests that have waited, and are to be handled now
}

// note notes a request to close or delete a session.
func (cs *closings) note(session string) *closing {
	e := &closing{session: session, deadline: cs.link.After(closeDelay)}
	cs.open.Put(session, e)
	return e
}

// closeSession handles session/close.
func (cs *closings) closeSession(m *jsonrpc.Message) {
	s := cs.sessions.find(m.Session)
	switch {
	case cs.agent.Close:
		cs.ask(m, s)
		return
	case s == nil:
		cs.sessions.silence(string(m.Session))
		cs.link.Answer(translate.Client, m.ID, []byte("{}"))
		return
	}
	e := cs.note(s.id)
	e.id, s.closing = bytes.Clone(m.ID), e
	cs.prompts.refuseHeld(s, errCancelled.Raw())
	cs.prompts.endLingering(s)
	if s.turn != nil {
		cs.link.TellCancel(s.id)
		s.dropQuestions(nil)
	}
}

// settle ends the sessions that the agent cannot close, and whose turn is over.
func (cs *closings) settle() {
	for _, e := range cs.open.All() {
		if s := cs.sessions.all.Get(e.session); e.id != nil && (s == nil || s.turn == nil) {
			cs.finish(e)
		}
	}
}

// deleteSession handles session/delete.
func (cs *closings) deleteSession(m *jsonrpc.Message) {
	if !cs.agent.Delete {
		cs.link.Refuse(translate.Client, m.ID, noMethod("session/delete")) // the client was not told that it can
		return
	}
	cs.ask(m, cs.sessions.find(m.Session))
}

// ask asks the agent to close or delete a session, which ends its turn.
func (cs *closings) ask(m *jsonrpc.Message, s *session) {
	c := cs.link.Open(translate.Agent, m, link.Request{})
	if c == nil {
		return
	}
	e, deletes := cs.note(string(m.Session)), string(m.Method) == "session/delete"
	c.Asked.Answered = func(c *link.Call, m *jsonrpc.Message) { cs.sessionClosed(c, m, e, deletes) }
	if s != nil {
		cs.prompts.refuseHeld(s, errCancelled.Raw())
		cs.prompts.endLingering(s)
		s.dropQuestions(nil)
		s.closing = e
	}
	cs.link.AskAgain(translate.Agent, c, m, "", link.SameParams(m))
}

// sessionClosed handles the agent's answer to session/close or session/delete. In
// version 2 it is not an error if the session is not there.
func (cs *closings) sessionClosed(c *link.Call, m *jsonrpc.Message, e *closing, deletes bool) {
	if failed(m) && link.ErrorCode(link.ErrorOf(m)) != link.ResourceNotFound {
		if s := cs.sessions.all.Get(e.session); s != nil && !e.done {
			cs.prompts.endLingering(s)
			s.closing = nil
			s.tellProgress() // its turn goes on, without the questions
		}
		passError(cs.link, c.ID, c.Asked.Session, m)
		cs.release(e)
		return
	}
	cs.end(e)
	if deletes && !cs.sessions.all.Has(e.session) {
		cs.sessions.hide(e.session)
	}
	cs.link.AnswerAs(c.ID, link.ResultOf(m), words.Object{}.ToV2)
	cs.release(e)
}

// end ends the session of a request, and its turn.
func (cs *closings) end(e *closing) {
	s := cs.sessions.all.Get(e.session)
	switch {
	case e.done:
	case s == nil:
		cs.sessions.silence(e.session)
	default:
		cs.prompts.endLingering(s)
		if s.turn != nil {
			cs.prompts.abandon(s.turn)
		}
		cs.sessions.end(s)
	}
}

// finish ends the session of a request that the agent cannot answer, or did not
// in time.
func (cs *closings) finish(e *closing) {
	cs.end(e)
	if e.id != nil {
		cs.link.Answer(translate.Client, e.id, []byte("{}"))
	}
	cs.release(e)
}

// wait has a request wait until the session has been closed or deleted that is about to
// be.
func (cs *closings) wait(e *closing, m *jsonrpc.Message) {
	if !cs.held.hold(cs.sessions.beside, heldRequest{behind: e, id: m.ID, text: m.Span.Of(m.Text)}) {
		cs.link.Refuse(translate.Client, m.ID, link.Error{Code: link.InternalError, Message: "too many requests wait until the session is closed"})
	}
}

// release has the requests handled that waited.
func (cs *closings) release(e *closing) {
	if e.done {
		return
	}
	e.done = true
	cs.open.Delete(e.session)
	for r := range cs.held.behind(e) {
		cs.ready = append(cs.ready, r.text)
	}
}

// due returns when wake is wanted, the zero time if it is not.
func (cs *closings) due() time.Time {
	if _, e := cs.open.Oldest(); e != nil {
		return e.deadline
	}
	return time.Time{}
}

// wake ends the session whose deadline is next.
func (cs *closings) wake() {
	if _, e := cs.open.Oldest(); e != nil {
		cs.finish(e)
	}
}

// gone ends all sessions that are to be ended, because the agent has ended.
func (cs *closings) gone() {
	for _, e := range cs.open.All() {
		cs.finish(e)
	}
}
