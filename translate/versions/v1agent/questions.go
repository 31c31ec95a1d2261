package v1agent

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
)

// Questions of the agent are permission requests and forms. When a session is cancelled,
// version 1 expects the client to answer its questions, and version 2 expects the agent to
// withdraw them; the bridge does both.

// A questionKind has the results of the questions of one method.
type questionKind struct {
	dismissal  string      // the result if the user does not answer
	resultRule shapes.Rule // converts the client's result
}

var questionKinds = map[string]questionKind{
	"elicitation/create": {shapes.NoForm, shapes.FormAnswer},
	"session/request_permission": {shapes.NoPermission, shapes.Func(func(w *shapes.Writer, result []byte) bool {
		shapes.PermissionAnswer(w, result) // unknown outcomes approve nothing
		return true
	})},
}

// A question is a pending question of the agent.
type question struct {
	call      *calls.Call
	session   *session
	turn      *turn  // the turn that waits for the answer, or nil
	dismissal string // see questionKind
}

// askUser forwards a question about a session, or about a request of the client.
func (b *Bridge) askUser(m *jsonrpc.Message, params []byte) {
	method := string(m.Method)
	r := calls.Request{OnResponse: b.answerTo(method)}
	if m.Session == nil {
		b.link.Ask(translate.Client, m, "", params, r)
		return
	}
	s := b.session(m.Session)
	s.message.end()
	q := &question{session: s, turn: s.turn, dismissal: questionKinds[method].dismissal}
	if s.turn != nil && s.turn.answer != nil {
		q.turn = nil // the agent has ended the turn and does not wait
	}
	s.questions = append(s.questions, q)
	s.tellProgress()
	r.Tag = q
	q.call = b.link.Ask(translate.Client, m, "", params, r)
}

// dismissUnwanted answers a question in place of the client if the session is closed or its turn is
// cancelled. It reports whether it has done so.
func (b *Bridge) dismissUnwanted(m *jsonrpc.Message) bool {
	s := b.sessions.Find(m.Session)
	isUnwanted := b.isClosed(m.Session) || s != nil && s.turn != nil && s.turn.isCancelled()
	if isUnwanted {
		b.dismiss(m)
	}
	return isUnwanted
}

// dismiss answers a question in place of the client.
func (b *Bridge) dismiss(m *jsonrpc.Message) {
	b.link.Answer(translate.Agent, m.ID, []byte(questionKinds[string(m.Method)].dismissal))
}

// answerTo returns a handler that forwards the client's response to a request of that method.
// The request is not a question of a session if it preceded the bridge or names no session.
func (b *Bridge) answerTo(method string) func(*calls.Call, *jsonrpc.Message) {
	rule := questionKinds[method].resultRule
	return func(c *calls.Call, m *jsonrpc.Message) {
		switch {
		case m.Failed():
			b.link.RefuseAs(translate.Agent, c.ID, calls.ErrorOf(m))
		case rule == nil:
			b.link.Answer(translate.Agent, c.ID, calls.ResultOf(m))
		default:
			b.link.AnswerWith(c.ID).ToV1(rule, calls.ResultOf(m))
			b.link.SendObject(translate.Agent)
		}
		if q, ok := c.Request.Tag.(*question); ok {
			s := q.session
			s.questions = slices.DeleteFunc(s.questions, func(o *question) bool { return o == q })
			s.tellProgress()
		}
	}
}

// dropQuestions answers the questions of a turn in place of the client, and cancels them at the
// client. A nil turn stands for all questions of the session.
func (s *session) dropQuestions(turn *turn) {
	s.questions = slices.DeleteFunc(s.questions, func(q *question) bool {
		if turn != nil && q.turn != turn {
			return false
		}
		s.link.Pending[translate.Client].Take(q.call.FarID)
		if !s.link.Ended {
			s.link.Answer(translate.Agent, q.call.ID, []byte(q.dismissal))
		}
		s.link.Cancel(translate.Client, q.call)
		return true
	})
}
