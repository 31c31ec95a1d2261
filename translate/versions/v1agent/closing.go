package v1agent

import (
	"bytes"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// While a request to close or delete a session is pending, further requests to close, delete
// or resume the session are queued, so that its response is never about a session that was
// resumed in between. The bridge waits closeDelay for the response (bridge.md §2.4).

// closeDelay is the time that an agent has to close a session, or to end the cancelled turn of
// a session that it cannot close. The session then counts as closed.
const closeDelay = 10 * time.Second

// A closing is a request to close or delete a session.
type closing struct {
	bridge   *Bridge
	session  string      // its id
	id       []byte      // of the request, if the agent cannot close sessions and the bridge answers at the end of the turn
	deadline calls.Timer // of the agent
	done     bool        // closed, or the deadline has passed
}

// closings are the requests to close or delete sessions, by the ids of these.
type closings struct {
	keep.Map[*closing]
	bridge *Bridge
	idle   []*closing // of sessions that may no longer have a turn
}

// begin registers a request to close or delete a session, which ends its turn.
func (cs *closings) begin(session []byte) *closing {
	e := &closing{bridge: cs.bridge, session: string(session)}
	e.deadline.Fire = e.finish
	cs.bridge.timers.Set(&e.deadline, cs.bridge.link.After(closeDelay))
	cs.Put(e.session, e)
	if s := cs.bridge.sessions.find(session); s != nil {
		cs.bridge.held.refuseBehind(s, errCancelled.Raw())
		s.turn.endLingering()
		s.dropQuestions(nil)
		s.closing = e
	}
	return e
}

// close forwards or emulates session/close.
func (cs *closings) close(m *jsonrpc.Message) {
	switch s := cs.bridge.sessions.find(m.Session); {
	case cs.bridge.options.Agent.Close:
		cs.ask(m)
	case s == nil:
		cs.bridge.sessions.silence(string(m.Session))
		cs.bridge.link.Answer(translate.Client, m.ID, []byte("{}"))
	default:
		if s.turn != nil && s.turn.answer == nil {
			cs.bridge.link.TellCancel(s.id)
		}
		e := cs.begin(m.Session)
		e.id = bytes.Clone(m.ID)
		cs.idle = append(cs.idle, e)
	}
}

// delete forwards session/delete.
func (cs *closings) delete(m *jsonrpc.Message) {
	if cs.bridge.options.Agent.Delete {
		cs.ask(m)
	} else {
		cs.bridge.refuse(m, noMethod("session/delete")) // it was not announced
	}
}

// ask forwards a request to close or delete a session.
func (cs *closings) ask(m *jsonrpc.Message) {
	e, deletes := cs.begin(m.Session), string(m.Method) == "session/delete"
	cs.bridge.ask(m, "", calls.SameParams(m), func(c *calls.Call, m *jsonrpc.Message) { e.answered(c, m, deletes) })
}

// answered forwards the response to session/close or session/delete. In version 2, an unknown
// session is not an error.
func (e *closing) answered(c *calls.Call, m *jsonrpc.Message, deletes bool) {
	if failed(m) && jsonrpc.ErrorCode(calls.ErrorOf(m)) != jsonrpc.ResourceNotFound {
		if s := e.bridge.sessions.all.Get(e.session); s != nil && s.closing == e {
			s.turn.endLingering()
			s.closing = nil
			s.tellProgress() // its turn continues without the questions
		}
		e.bridge.passError(c, m)
		e.release()
		return
	}
	e.finish()
	if deletes && !e.bridge.sessions.all.Has(e.session) {
		e.bridge.sessions.hide(e.session)
	}
	result := rawjson.Members(calls.ResultOf(m))
	e.bridge.answerAs(c.ID, result, shapes.Object{})
}

// finish ends the session once, and answers the request if the agent cannot.
func (e *closing) finish() {
	if e.done {
		return
	}
	e.release()
	if s := e.bridge.sessions.all.Get(e.session); s == nil {
		e.bridge.sessions.silence(e.session)
	} else {
		if s.turn != nil {
			s.turn.breakOff("cancelled", errCancelled.Raw())
		}
		e.bridge.sessions.end(s)
	}
	if e.id != nil {
		e.bridge.link.Answer(translate.Client, e.id, []byte("{}"))
	}
}

// release makes the queued requests ready, see [Bridge.settle].
func (e *closing) release() {
	if !e.done {
		e.done = true
		e.bridge.timers.Stop(&e.deadline)
		e.bridge.closings.Delete(e.session)
		e.bridge.held.ready = append(e.bridge.held.ready, e)
	}
}

// finishIdle ends sessions that the agent cannot close, and whose turn is over.
func (cs *closings) finishIdle() {
	for ; len(cs.idle) > 0; cs.idle = cs.idle[1:] {
		e := cs.idle[0]
		if s := cs.bridge.sessions.all.Get(e.session); e.id != nil && (s == nil || s.turn == nil) {
			e.finish()
		}
	}
}

// wait queues a request until the session is closed.
func (e *closing) wait(m *jsonrpc.Message) {
	if !e.bridge.held.add(heldRequest{behind: e, id: m.ID, text: m.Span.Of(m.Text)}) {
		e.bridge.refuse(m, jsonrpc.Error{Code: jsonrpc.InternalError, Message: "too many requests wait until the session is closed"})
	}
}
