package v1agent

import (
	"bytes"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// While a request to close or delete a session is pending, the bridge queues further requests to
// close, delete or resume the session. Otherwise the response could close a session that was resumed
// in the meantime. The bridge waits closeDelay for the response.

// closeDelay is the time that an agent has to close a session, or to end the cancelled turn of
// a session that it cannot close. The session then counts as closed.
const closeDelay = 10 * time.Second

// A closing is a request to close or delete a session.
type closing struct {
	session  *session
	id       []byte      // raw id of the request if the bridge answers it, at the end of the turn; otherwise nil
	deadline calls.Timer // ends the session after closeDelay
}

// beginClosing registers a request to close or delete the session. It refuses the queued prompts,
// and dismisses the questions. For id see [closing].
func (s *session) beginClosing(id []byte) *closing {
	s.bridge.refuseEachQueued(isPromptOf(s), calls.ErrCancelled.Raw())
	s.turn.endLingering()
	s.dropQuestions(nil)
	c := &closing{session: s, id: bytes.Clone(id)}
	s.closing = c
	c.deadline.Fire = c.finish
	s.bridge.timers.Set(&c.deadline, s.link.After(closeDelay))
	return c
}

// closeSession forwards or emulates session/close.
func (b *Bridge) closeSession(m *jsonrpc.Message) {
	if b.options.Agent.Close {
		b.endSession(m)
		return
	}
	s := b.session(m.Session)
	c := s.beginClosing(m.ID)
	if s.turn != nil {
		b.link.CancelSession(s.id)
	} else {
		c.finish()
	}
}

// endSession forwards a request to close or delete a session. In version 2, an unknown session is
// not an error.
func (b *Bridge) endSession(m *jsonrpc.Message) {
	c := b.session(m.Session).beginClosing(nil)
	b.ask(m, "", nil, func(call *calls.Call, m *jsonrpc.Message) {
		if m.Failed() && jsonrpc.ErrorCode(calls.ErrorOf(m)) != jsonrpc.ResourceNotFound {
			c.release()
			c.session.tellProgress() // the turn continues without the questions
			b.forwardError(call, m)
			return
		}
		c.finish()
		b.answerAs(call.ID, rawjson.Members(calls.ResultOf(m)), shapes.Object{})
	})
}

// finish ends the session and, if the agent has no session/close, answers the request. Further calls
// do nothing.
func (c *closing) finish() {
	s, id := c.session, c.id
	if s.closing != c {
		return
	}
	c.id = nil // the end of the turn need not finish it
	if s.turn != nil {
		s.turn.endWithoutResult("cancelled", calls.ErrCancelled.Raw())
	}
	c.release()
	s.dropQuestions(nil)
	s.forget()
	s.bridge.closed.Keep(s.bridge.share, s.id, struct{}{}, nil) // further updates of it are dropped
	if id != nil {
		s.link.Answer(translate.Client, id, []byte("{}"))
	}
}

// release ends the closing, so that the queued requests are ready, see [Bridge.settle].
func (c *closing) release() {
	s := c.session
	s.bridge.timers.Stop(&c.deadline)
	s.bridge.mayBeReady = true
	if s.closing == c {
		s.closing = nil
	}
}

// unlessClosing returns a handler that queues requests while their session is being closed.
func (b *Bridge) unlessClosing(handle calls.Handler) calls.Handler {
	return func(m *jsonrpc.Message) {
		s := b.sessions.Find(m.Session)
		switch {
		case s == nil || s.closing == nil:
			handle(m)
		case !b.enqueue(s, m, nil):
			b.refuse(m, jsonrpc.Error{Code: jsonrpc.InternalError, Message: "too many requests wait until the session is closed"})
		}
	}
}
