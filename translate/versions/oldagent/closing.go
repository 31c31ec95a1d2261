package oldagent

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
	session  string        // its id
	id       []byte        // of the request, if the bridge answers it because the agent cannot close
	whenIdle func()        // what is to be done then at the end of the turn
	deadline time.Time     // of the agent
	waiting  []heldRequest // until this one is answered
	done     bool          // it was, or the deadline has passed
}

// closings are the requests to close or delete sessions.
type closings struct {
	link     *link.Link
	agent    words.OldAgent
	sessions *sessions
	prompts  *prompts
	held     *held
	again    func(*jsonrpc.Message) // handles a request that has waited

	open keep.Map[*closing] // by the id of the session; the deadline of the oldest is next
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
	e.id, e.whenIdle = bytes.Clone(m.ID), func() { cs.finish(e) }
	s.closing = e
	cs.prompts.refuseHeld(s, errCancelled)
	cs.prompts.endLingering(s)
	if s.turn == nil {
		cs.finish(e)
		return
	}
	cs.link.TellCancel(s.id)
	s.dropQuestions(cs.link, nil)
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
		cs.prompts.refuseHeld(s, errCancelled)
		cs.prompts.endLingering(s)
		s.dropQuestions(cs.link, nil)
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
			s.tellProgress(cs.link) // its turn goes on, without the questions
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
	if e.done { // by the end of the turn
		return
	}
	if e.id != nil {
		cs.link.Answer(translate.Client, e.id, []byte("{}"))
	}
	cs.release(e)
}

// after handles a request: at once, or when the session has been closed or deleted that
// is about to be.
func (cs *closings) after(handle func(*jsonrpc.Message)) func(*jsonrpc.Message) {
	return func(m *jsonrpc.Message) {
		e := cs.open.Find(m.Session)
		if e == nil {
			handle(m)
		} else if !cs.held.hold(cs.sessions.beside, &e.waiting, heldRequest{id: m.ID, text: m.Span.Of(m.Text)}) {
			cs.link.Refuse(translate.Client, m.ID, link.Error{Code: link.InternalError, Message: "too many requests wait until the session is closed"})
		}
	}
}

// unlessOpen handles a request, unless the session is about to be closed or deleted.
func (cs *closings) unlessOpen(handle func(*jsonrpc.Message)) func(*jsonrpc.Message) {
	return func(m *jsonrpc.Message) {
		if cs.open.Find(m.Session) != nil {
			cs.link.Refuse(translate.Client, m.ID, noSession(m.Session))
			return
		}
		handle(m)
	}
}

// release handles the requests that waited.
func (cs *closings) release(e *closing) {
	if e.done {
		return
	}
	e.done = true
	cs.open.Delete(e.session)
	for len(e.waiting) > 0 {
		if next := cs.open.Get(e.session); next != nil { // the one before was another
			next.waiting = e.waiting
			return
		}
		r := cs.held.release(&e.waiting, 0)
		if cs.link.Ended() != "" {
			cs.link.Refuse(translate.Client, r.id, cs.link.AgentEnded())
			continue
		}
		m := link.MessageOf(r.text)
		cs.again(&m)
	}
}

// cancelHeld refuses the request with that id if it waits. It reports whether it does.
func (cs *closings) cancelHeld(id jsonrpc.ID) bool {
	for _, e := range cs.open.All() {
		if r, ok := cs.held.releaseID(&e.waiting, id); ok {
			cs.link.Refuse(translate.Client, r.id, errCancelled)
			return true
		}
	}
	return false
}

// holds reports whether requests wait.
func (cs *closings) holds() bool {
	for _, e := range cs.open.All() {
		if len(e.waiting) > 0 {
			return true
		}
	}
	return false
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
