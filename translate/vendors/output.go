package vendors

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// sendList sends entries as the session's legacy plan, unless they are nil or the session is
// unknown.
func (s *Stage) sendList(sess *session, entries []byte) {
	if entries == nil || sess.id == "" {
		return
	}
	s.out.Send(translate.Client, translate.Update(sess.id, translate.LegacyPlan, func(b *rawjson.Builder) { b.Member("entries", entries) }))
}

// showTodos sends a list as the session's legacy plan, after the current message. A list in a
// request takes precedence over lists in tool calls.
func (s *Stage) showTodos(sess *session, l list) {
	if l.requested || !sess.ownPlans && (sess.list == nil || !sess.list.requested) {
		sess.list = &l
		s.sendList(sess, sess.listed())
	}
}

// removeRefused removes the todos of a plan that the user did not approve, unless others have
// replaced them. The list before these todos returns.
func (s *Stage) removeRefused(sess *session, l *list) {
	for at := &sess.list; *at != nil; at = &(*at).before {
		if *at == l {
			*at = l.before
			s.sendList(sess, sess.listed())
			return
		}
	}
}

// answer sends the result of a vendor's request.
func (s *Stage) answer(r *request, result string) {
	if r.ID != nil {
		s.out.Send(translate.Agent, translate.Answer(r.ID, "result", []byte(result)))
	}
}

// cancel answers a vendor's request without an answer of the user.
func (s *Stage) cancel(r *request) { s.answer(r, r.method.cancelled) }

// lose reports a loss.
func (s *Stage) lose(session string, kind translate.LossKind, detail string) {
	s.out.Lose(translate.Loss{Kind: kind, Session: session, Detail: detail})
}
