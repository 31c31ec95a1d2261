package v1agent

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
)

// What the agent asks the user are permission requests, and forms. When a session is
// cancelled, version 1 wants the client to answer its questions, and version 2 wants the agent
// to take them back: the bridge does both.

// A kind of questions, by the method that asks them.
type questionKind struct {
	dismissal string      // the result that tells the agent that nobody answers
	answer    shapes.Rule // of the client
}

var questionKinds = map[string]questionKind{
	"elicitation/create": {shapes.NoForm, shapes.FormAnswer},
	"session/request_permission": {shapes.NoPermission, shapes.Func(func(w *shapes.Writer, result []byte) bool {
		shapes.PermissionAnswer(w, result) // what version 1 does not know is not an approval
		return true
	})},
}

// A question is a request of the agent that the client has not answered.
type question struct {
	call      *calls.Call
	session   *session
	turn      *turn // that waits for the answer; nil if none does
	dismissal string
}

// askUser asks the client a question, of a session or of a request of the client.
func (ss *sessions) askUser(m *jsonrpc.Message, params []byte) {
	method := string(m.Method)
	r := calls.Request{Answered: ss.bridge.answerTo(method)}
	if m.Session == nil {
		ss.bridge.link.Ask(translate.Client, m, "", params, r)
		return
	}
	s := ss.get(m.Session)
	s.breakMessage()
	q := &question{session: s, turn: s.turn, dismissal: questionKinds[method].dismissal}
	if s.turn != nil && s.turn.answer != nil {
		q.turn = nil // the agent goes on without the answer
	}
	s.questions = append(s.questions, q)
	s.tellProgress()
	r.Of = q
	q.call = ss.bridge.link.Ask(translate.Client, m, "", params, r)
}

// unwanted reports whether nobody is to be asked, because the session is closed
// or its turn cancelled. The agent is then answered.
func (ss *sessions) unwanted(m *jsonrpc.Message) bool {
	s := ss.find(m.Session)
	unwanted := ss.isSilent(m.Session) || s != nil && s.turn != nil && s.turn.isCancelled()
	if unwanted {
		ss.bridge.dismiss(m)
	}
	return unwanted
}

// dismiss tells the agent that nobody answers.
func (p *peers) dismiss(m *jsonrpc.Message) {
	p.link.Answer(translate.Agent, m.ID, []byte(questionKinds[string(m.Method)].dismissal))
}

// answerTo returns what gives the agent the client's answer to a request of that method. It is
// to no question if the client was asked before there was a bridge, or about no session.
func (p *peers) answerTo(method string) func(*calls.Call, *jsonrpc.Message) {
	answer := questionKinds[method].answer
	return func(c *calls.Call, m *jsonrpc.Message) {
		switch {
		case failed(m):
			p.link.RefuseAs(translate.Agent, c.ID, calls.ErrorOf(m), noAnswer)
		case answer == nil:
			p.link.Answer(translate.Agent, c.ID, calls.ResultOf(m))
		default:
			p.link.AnswerWith(c.ID).ToV1(answer, calls.ResultOf(m))
			p.link.SendObject(translate.Agent)
		}
		if q, ok := c.Asked.Of.(*question); ok {
			s := q.session
			s.questions = slices.DeleteFunc(s.questions, func(o *question) bool { return o == q })
			s.tellProgress()
		}
	}
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
