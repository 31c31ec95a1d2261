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

// showTodos sends a list as the session's legacy plan, after the current message. It ignores a list
// of a tool call if the latest list is that of a request, or if the agent sends plans.
func (s *Stage) showTodos(sess *session, list todoList) {
	if list.fromRequest || !sess.sendsPlans && (sess.list == nil || !sess.list.fromRequest) {
		sess.list = &list
		s.sendList(sess, sess.updateShown())
	}
}

// removeRefused removes the todos of a plan that the user did not approve, unless other todos have
// replaced them. It restores the list before these todos.
func (s *Stage) removeRefused(sess *session, refused *todoList) {
	for link := &sess.list; *link != nil; link = &(*link).previous {
		if *link == refused {
			*link = refused.previous
			s.sendList(sess, sess.updateShown())
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

// cancel answers a vendor's request for which there is no answer of the user.
func (s *Stage) cancel(r *request) { s.answer(r, r.method.cancelled) }
