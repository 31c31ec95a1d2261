package vendors

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// sendList sends entries as the session's legacy plan, unless they are nil or the session is
// unknown.
func (t *Stage) sendList(s *session, entries []byte) {
	if entries == nil || s.id == "" {
		return
	}
	t.out.Send(translate.Client, translate.Update(s.id, translate.LegacyPlan, func(b *rawjson.Builder) { b.Member("entries", entries) }))
}

// showTodos sends a list as the session's legacy plan, after the current message. A list in a
// request takes precedence over lists in tool calls.
func (t *Stage) showTodos(s *session, l list) {
	if l.requested || !s.ownPlans && (s.list == nil || !s.list.requested) {
		s.list = &l
		t.sendList(s, s.listed())
	}
}

// removeRefused removes the todos of a plan that the user did not approve, unless others have
// replaced them. The list before these todos returns.
func (t *Stage) removeRefused(s *session, l *list) {
	for at := &s.list; *at != nil; at = &(*at).before {
		if *at == l {
			*at = l.before
			t.sendList(s, s.listed())
			return
		}
	}
}

// answer sends the result of a vendor's request.
func (t *Stage) answer(r *request, result string) {
	if r.ID != nil {
		t.out.Send(translate.Agent, translate.Answer(r.ID, "result", []byte(result)))
	}
}

// cancel answers a vendor's request without an answer of the user.
func (t *Stage) cancel(r *request) { t.answer(r, r.method.cancelled) }

// lose reports a loss.
func (t *Stage) lose(session string, kind translate.LossKind, detail string) {
	t.out.Lose(translate.Loss{Kind: kind, Session: session, Detail: detail})
}
