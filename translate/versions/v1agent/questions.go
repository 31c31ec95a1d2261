package v1agent

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/transport/jsonrpc"
)

// questions are what the agent asks the user: permission requests, and forms. When a
// session is cancelled, version 1 wants the client to answer its questions, and version
// 2 wants the agent to take them back: the bridge does both.
type questions struct {
	link     *link.Link
	sessions *sessions
}

// A question is a request of the agent that the client has not answered.
type question struct {
	call      *link.Call
	session   *session
	turn      *turn  // that waits for the answer; nil if none does
	dismissal string // the result that tells the agent that nobody answers
}

// ask asks the client a question of a session.
func (qs *questions) ask(m *jsonrpc.Message, params []byte, dismissal string, answered func(*link.Call, *jsonrpc.Message)) {
	s := qs.sessions.get(m.Session)
	s.breakMessage()
	q := &question{session: s, turn: s.turn, dismissal: dismissal}
	if s.turn != nil && s.turn.answer != nil {
		q.turn = nil // the agent goes on without the answer
	}
	s.questions = append(s.questions, q)
	s.tellProgress()
	q.call = qs.link.Ask(translate.Client, m, "", params, link.Request{Answered: answered, Of: q})
	if q.call == nil {
		qs.over(q)
	}
}

// unwanted reports whether nobody is to be asked, because the session is closed
// or its turn cancelled. The agent is then answered.
func (qs *questions) unwanted(m *jsonrpc.Message, dismissal string) bool {
	s := qs.sessions.find(m.Session)
	unwanted := qs.sessions.isSilent(m.Session) || s != nil && s.turn != nil && s.turn.isCancelled()
	if unwanted {
		qs.link.Answer(translate.Agent, m.ID, []byte(dismissal))
	}
	return unwanted
}

// answered notes that a call is answered. It is for no question if the client was
// asked before there was a bridge, or about no session.
func (qs *questions) answered(c *link.Call) {
	if q, ok := c.Asked.Of.(*question); ok {
		qs.over(q)
	}
}

// over notes that a question is answered or withdrawn.
func (qs *questions) over(q *question) {
	s := q.session
	s.questions = slices.DeleteFunc(s.questions, func(o *question) bool { return o == q })
	s.tellProgress()
}

// isAsked reports whether a turn of the session waits for an answer.
func (s *session) isAsked(t *turn) bool {
	return slices.ContainsFunc(s.questions, func(q *question) bool { return q.turn == t })
}

// dropQuestions answers the agent's questions for the user, and takes them back
// from the client. These are the questions of a turn, or of the whole session
// if the turn is nil. Later answers of the client are ignored.
func (s *session) dropQuestions(of *turn) {
	s.questions = slices.DeleteFunc(s.questions, func(q *question) bool {
		if of != nil && q.turn != of {
			return false
		}
		s.link.Forget(translate.Client, q.call)
		if !s.link.Ended() {
			s.link.Answer(translate.Agent, q.call.ID, []byte(q.dismissal))
		}
		s.link.Cancel(translate.Client, q.call)
		return true
	})
}
