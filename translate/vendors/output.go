package vendors

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// output sends the messages of a Translator.
type output struct{ *translate.Out }

// sendText sends the text of a plan, and records it as the session's plan.
func (o *output) sendText(s *session, id, text string) {
	s.plan = &vendorPlan{id: id, size: len(rawjson.AppendQuoted(nil, text))}
	o.Send(translate.Client, translate.MarkdownPlan(s.id, id, text))
}

// removeText removes the text of the session's plan.
func (o *output) removeText(s *session) {
	o.Send(translate.Client, translate.RemovedPlan(s.id, s.plan.id))
	s.plan = nil
}

// sendList sends entries as the session's legacy plan, unless they are nil or the session is
// unknown. behind means that another plan message precedes directly.
func (o *output) sendList(s *session, entries []byte, behind bool) {
	if entries == nil || s.id == "" {
		return
	}
	if behind {
		o.More()
	}
	o.Send(translate.Client, translate.Update(s.id, translate.LegacyPlan, func(b *rawjson.Builder) { b.Member("entries", entries) }))
}

// showTodos sends a list as the session's legacy plan, after the current message. The list
// replaces an approved text. A list in a request takes precedence over lists in tool calls.
func (o *output) showTodos(s *session, l list) {
	if !l.requested && (s.ownPlans || s.list != nil && s.list.requested) {
		return
	}
	s.list = &l
	entries := s.listed()
	behind := entries != nil && s.showsApproved()
	if behind {
		o.removeText(s)
	}
	o.sendList(s, entries, behind)
}

// removeRefused removes a plan that the user did not approve: its text and its todos, unless
// others have replaced them. The list before these todos returns.
func (o *output) removeRefused(s *session, p *vendorPlan, l *list) {
	var entries []byte
	for at := &s.list; *at != nil; at = &(*at).before {
		if *at == l {
			*at = l.before
			entries = s.listed()
			break
		}
	}
	shown := p != nil && s.plan == p
	if shown {
		o.removeText(s)
	}
	o.sendList(s, entries, shown)
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
