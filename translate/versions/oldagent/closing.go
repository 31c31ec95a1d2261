package oldagent

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/translate"
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

// An ending is a request to close or delete a session.
type ending struct {
	session  string        // its id
	id       []byte        // of the request, if the bridge answers it because the agent cannot close
	whenIdle func()        // what is to be done then at the end of the turn
	deadline time.Time     // of the agent
	waiting  []heldRequest // until this one is answered
	done     bool          // it was, or the deadline has passed
}

// endings are the requests to close or delete sessions.
type endings struct {
	link     *link.Link
	agent    words.OldAgent
	sessions *sessions
	turns    *turns
	held     *held
	again    func(*jsonrpc.Message) // handles a request that has waited

	open      map[string]*ending // by the id of the session
	deadlines []*ending          // in their order; some are done
}

// note notes a request to close or delete a session.
func (es *endings) note(session string) *ending {
	e := &ending{session: session, deadline: es.link.After(closeDelay)}
	es.open[session] = e
	es.deadlines = append(slices.DeleteFunc(es.deadlines, func(e *ending) bool { return e.done }), e)
	return e
}

// closeSession handles session/close.
func (es *endings) closeSession(m *jsonrpc.Message) {
	s := es.sessions.find(m.Session)
	switch {
	case es.agent.Close:
		es.ask(m, s)
		return
	case s == nil:
		es.sessions.silence(string(m.Session))
		es.link.Answer(translate.Client, m.ID, []byte("{}"))
		return
	}
	e := es.note(s.id)
	e.id, e.whenIdle = bytes.Clone(m.ID), func() { es.finish(e) }
	s.ending = e
	es.turns.refuseHeld(s, errCancelled)
	es.turns.endLingering(s)
	if s.turn == nil {
		es.finish(e)
		return
	}
	es.link.TellCancel(s.id)
	s.dropQuestions(es.link, nil)
}

// deleteSession handles session/delete.
func (es *endings) deleteSession(m *jsonrpc.Message) {
	if !es.agent.Delete {
		es.link.Refuse(translate.Client, m.ID, noMethod("session/delete")) // the client was not told that it can
		return
	}
	es.ask(m, es.sessions.find(m.Session))
}

// ask asks the agent to close or delete a session, which ends its turn.
func (es *endings) ask(m *jsonrpc.Message, s *session) {
	c := es.link.Open(translate.Agent, m, link.Request{})
	if c == nil {
		return
	}
	e, deletes := es.note(string(m.Session)), string(m.Method) == "session/delete"
	c.Asked.Answered = func(c *link.Call, m *jsonrpc.Message) { es.sessionEnded(c, m, e, deletes) }
	if s != nil {
		es.turns.refuseHeld(s, errCancelled)
		es.turns.endLingering(s)
		s.dropQuestions(es.link, nil)
		s.ending = e
	}
	es.link.AskAgain(translate.Agent, c, m, "", link.SameParams(m))
}

// sessionEnded handles the agent's answer to session/close or session/delete. In
// version 2 it is not an error if the session is not there.
func (es *endings) sessionEnded(c *link.Call, m *jsonrpc.Message, e *ending, deletes bool) {
	if failed(m) && link.ErrorCode(link.ErrorOf(m)) != link.ResourceNotFound {
		if s := es.sessions.all[e.session]; s != nil && !e.done {
			es.turns.endLingering(s)
			s.ending = nil
			es.turns.tellProgress(s) // its turn goes on, without the questions
		}
		passError(es.link, c.ID, c.Asked.Session, m)
		es.release(e)
		return
	}
	es.end(e)
	if deletes && es.sessions.all[e.session] == nil {
		es.sessions.hide(e.session)
	}
	es.link.AnswerAs(c.ID, link.ResultOf(m), words.Shape{})
	es.release(e)
}

// end ends the session of a request, and its turn.
func (es *endings) end(e *ending) {
	s := es.sessions.all[e.session]
	switch {
	case e.done:
	case s == nil:
		es.sessions.silence(e.session)
	default:
		es.turns.endLingering(s)
		if s.turn != nil {
			es.turns.abandon(s.turn)
		}
		es.sessions.end(s)
	}
}

// finish ends the session of a request that the agent cannot answer, or did not
// in time.
func (es *endings) finish(e *ending) {
	es.end(e)
	if e.done { // by the end of the turn
		return
	}
	if e.id != nil {
		es.link.Answer(translate.Client, e.id, []byte("{}"))
	}
	es.release(e)
}

// postpone holds a request until the session has ended. It reports whether the session
// is about to.
func (es *endings) postpone(m *jsonrpc.Message) bool {
	e := es.open[string(m.Session)]
	if e != nil && !es.held.hold(&e.waiting, heldRequest{id: m.ID, text: m.Span.Of(m.Text)}) {
		es.link.LoseOf(m.Session, translate.LossTooManyRequests, "a request of the client was refused")
		es.link.Refuse(translate.Client, m.ID, link.Error{Code: link.InternalError, Message: "too many requests wait until the session is closed"})
	}
	return e != nil
}

// release handles the requests that waited.
func (es *endings) release(e *ending) {
	if e.done {
		return
	}
	e.done = true
	delete(es.open, e.session)
	for len(e.waiting) > 0 {
		if next := es.open[e.session]; next != nil { // the one before was another
			next.waiting = e.waiting
			return
		}
		r := es.held.release(&e.waiting, 0)
		if es.link.Ended() != "" {
			es.link.Refuse(translate.Client, r.id, agentEnded(es.link))
			continue
		}
		m := link.MessageOf(r.text)
		es.again(&m)
	}
}

// cancelHeld refuses the request with that id if it waits. It reports whether it does.
func (es *endings) cancelHeld(id jsonrpc.ID) bool {
	for _, e := range es.open {
		if r, ok := es.held.releaseID(&e.waiting, id); ok {
			es.link.Refuse(translate.Client, r.id, errCancelled)
			return true
		}
	}
	return false
}

// holds reports whether requests wait.
func (es *endings) holds() bool {
	for _, e := range es.open {
		if len(e.waiting) > 0 {
			return true
		}
	}
	return false
}

// refuseHeld refuses the requests that wait.
func (es *endings) refuseHeld(why link.Error) {
	for _, e := range es.open {
		for len(e.waiting) > 0 {
			es.link.Refuse(translate.Client, es.held.release(&e.waiting, 0).id, why)
		}
	}
}

// next returns the request whose deadline is next, nil if there is none.
func (es *endings) next() *ending {
	for len(es.deadlines) > 0 && es.deadlines[0].done {
		es.deadlines = es.deadlines[1:]
	}
	if len(es.deadlines) == 0 {
		return nil
	}
	return es.deadlines[0]
}

// due returns when wake is wanted, the zero time if it is not.
func (es *endings) due() time.Time {
	if e := es.next(); e != nil {
		return e.deadline
	}
	return time.Time{}
}

// wake ends the session whose deadline is next.
func (es *endings) wake() {
	if e := es.next(); e != nil {
		es.finish(e)
	}
}

// lost ends all sessions that are to be ended, because the agent has ended.
func (es *endings) lost() {
	for _, e := range es.deadlines {
		es.finish(e)
	}
	es.deadlines = nil
}
