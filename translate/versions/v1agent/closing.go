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
}

// begin registers a request to close or delete a session, which ends its turn.
func (cs *closings) begin(session []byte) *closing {
	if s := cs.bridge.sessions.find(session); s != nil {
		cs.bridge.held.refuseAll(isBehind(s), errCancelled.Raw())
		s.turn.endLingering()
		s.dropQuestions(nil)
	}
	e := &closing{bridge: cs.bridge, session: string(session)}
	e.deadline.Fire = e.finish
	cs.bridge.timers.Set(&e.deadline, cs.bridge.link.After(closeDelay))
	cs.Put(e.session, e)
	return e
}

// close forwards or emulates session/close.
func (cs *closings) close(m *jsonrpc.Message) {
	switch s := cs.bridge.sessions.find(m.Session); {
	case cs.bridge.options.Agent.Close:
		cs.ask(m)
	default:
		e := cs.begin(m.Session)
		e.id = bytes.Clone(m.ID)
		if s != nil && s.turn != nil {
			cs.bridge.link.TellCancel(s.id)
		} else {
			e.finish()
		}
	}
}

// ask forwards a request to close or delete a session. In version 2, an unknown session is not
// an error.
func (cs *closings) ask(m *jsonrpc.Message) {
	e := cs.begin(m.Session)
	cs.bridge.ask(m, "", calls.SameParams(m), func(c *calls.Call, m *jsonrpc.Message) {
		if m.Failed() && jsonrpc.ErrorCode(calls.ErrorOf(m)) != jsonrpc.ResourceNotFound {
			e.release()
			cs.bridge.sessions.find([]byte(e.session)).tellProgress() // its turn continues without the questions
			cs.bridge.passError(c, m)
			return
		}
		e.finish()
		cs.bridge.answerAs(c.ID, rawjson.Members(calls.ResultOf(m)), shapes.Object{})
	})
}

// finish ends the session once, and answers the request if the agent cannot.
func (e *closing) finish() {
	if e.done {
		return
	}
	e.done = true
	if s := e.bridge.sessions.all.Get(e.session); s != nil && s.turn != nil {
		s.turn.breakOff("cancelled", errCancelled.Raw())
	}
	e.release()
	e.bridge.sessions.end(e.session)
	if e.id != nil {
		e.bridge.link.Answer(translate.Client, e.id, []byte("{}"))
	}
}

// release makes the queued requests ready, see [Bridge.settle].
func (e *closing) release() {
	e.done = true
	e.bridge.timers.Stop(&e.deadline)
	if e.bridge.closings.Get(e.session) == e {
		e.bridge.closings.Delete(e.session)
	}
	e.bridge.held.mayBeReady = true
}

// wait queues a request until the session is closed.
func (e *closing) wait(m *jsonrpc.Message) {
	if !e.bridge.held.add(heldRequest{behind: e, id: m.ID, text: m.Span.Of(m.Text)}) {
		e.bridge.refuse(m, jsonrpc.Error{Code: jsonrpc.InternalError, Message: "too many requests wait until the session is closed"})
	}
}
