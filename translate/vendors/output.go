package vendors

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// output sends the messages of a Translator.
type output struct{ *translate.Out }

// sendList sends entries as the session's legacy plan, unless they are nil or the session is
// unknown.
func (o *output) sendList(s *session, entries []byte) {
	if entries == nil || s.id == "" {
		return
	}
	o.Send(translate.Client, translate.Update(s.id, translate.LegacyPlan, func(b *rawjson.Builder) { b.Member("entries", entries) }))
}

// showTodos sends a list as the session's legacy plan, after the current message. A list in a
// request takes precedence over lists in tool calls.
func (o *output) showTodos(s *session, l list) {
	if l.requested || !s.ownPlans && (s.list == nil || !s.list.requested) {
		s.list = &l
		o.sendList(s, s.listed())
	}
}

// removeRefused removes the todos of a plan that the user did not approve, unless others have
// replaced them. The list before these todos returns.
func (o *output) removeRefused(s *session, l *list) {
	for at := &s.list; *at != nil; at = &(*at).before {
		if *at == l {
			*at = l.before
			o.sendList(s, s.listed())
			return
		}
	}
}

// answer sends the result of a vendor's request.
func (o *output) answer(r *request, result string) {
	if r.ID != nil {
		o.Send(translate.Agent, translate.Answer(r.ID, "result", []byte(result)))
	}
}

// cancel answers a vendor's request without an answer of the user.
func (o *output) cancel(r *request) { o.answer(r, r.method.cancelled) }

// lose reports a loss.
func (o *output) lose(session string, kind translate.LossKind, detail string) {
	o.Lose(translate.Loss{Kind: kind, Session: session, Detail: detail})
}
