package vendors

import (
	"slices"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/rawjson"
)

// An approval is a plan that the user is to approve.
type approval struct {
	title    string
	overview string
	text     string // markdown; may be empty
	todos    []todo
	refusals []asking.Choice
	answers  map[string]string // the vendor's answers, by the id of what was chosen
}

// What vendors have in common.
var (
	accept = asking.Choice{ID: "allow", Name: "Accept the plan"}
	reject = asking.Choice{ID: "reject", Name: "Reject the plan"}
)

// noText is what there is to read without a text.
const noText = "The agent has given no text for this plan."

// ask shows the plan, and asks the user if the agent waits for an answer. A plan that is
// not approved leaves at once.
func (a approval) ask(t *Translator, r *request) {
	s := t.session([]byte(r.Session))
	p := a.show(t, s, r)
	if r.ID == nil {
		return
	}
	q := asking.Question{
		Title: a.title, Text: or(a.text, or(a.overview, noText)), Approval: true,
		Choices: []asking.Choice{accept}, Refusals: a.refusals, Said: p != nil && p.size <= t.peers.SaysTexts,
	}
	if a.overview != "" {
		q.Title += ": " + a.overview
	}
	if t.peers.Client.AsksNobody {
		t.lose(r.Session, translate.LossUserNotAsked, "the client approves plans by itself")
	}
	t.asker.Ask(t.out, r.Request, []asking.Question{q}, func(result asking.Result) {
		switch {
		case len(result.Chosen) > 0:
			if p != nil {
				p.approved = true
			}
			s.approve(r)
			t.answer(r, a.answers[accept.ID])
			return
		case result.Refused != "":
			t.answer(r, a.answers[result.Refused])
		default:
			t.cancel(r)
		}
		if !result.Closed && !s.over {
			t.leave(s, r, p)
		}
	})
}

// show shows the plan: the text, and behind it the todos, if there are any. They are the
// steps of the text, better said: a client that can show neither markdown plans nor
// messages in their place gets the todos alone. It returns the plan if its text
// is shown, else nil.
func (a approval) show(t *Translator, s *session, r *request) *vendorPlan {
	var entries []byte
	if len(a.todos) > 0 {
		l := list{todos: a.todos, requested: true}
		if r.ID == nil {
			entries = s.keepLists(l)
		} else {
			l.waits = r
			entries = s.keepLists(append(slices.Clone(s.lists), l)...)
		}
		if t.peers.Plans.Legacy() && !s.ownPlans {
			entries = s.shown // also if it was there before: behind the text it takes its place
		}
	}
	switch {
	case a.text != "" && (len(a.todos) == 0 || t.peers.showsTexts()):
		raw := rawjson.AppendQuoted(nil, a.text)
		s.plan = &vendorPlan{id: r.vendor.name + "-plan", size: len(raw)}
		t.sendUpdate(s.id, translate.PlanUpdate, func(b *rawjson.Builder) {
			b.Name("plan")
			b.Object()
			b.Texts("type", "markdown", "planId", s.plan.id)
			b.Member("content", raw)
			b.EndObject()
		})
		t.sendBehind(s, entries)
	case s.plan != nil:
		t.removeText(s)
		t.sendBehind(s, entries)
	default:
		t.sendList(s, entries)
	}
	return s.plan
}

// leave has the plan of a request leave the panel: its text, unless another one has taken
// its place, and its todos, unless others have come since. What these took the place of is
// back.
func (t *Translator) leave(s *session, r *request, p *vendorPlan) {
	var entries []byte
	if i := s.listOf(r); i >= 0 {
		entries = s.keepLists(slices.Delete(slices.Clone(s.lists), i, i+1)...)
	}
	if p != nil && s.plan == p {
		t.removeText(s)
		t.sendBehind(s, entries)
	} else {
		t.sendList(s, entries)
	}
}

// removeText removes the text of a vendor's plan.
func (t *Translator) removeText(s *session) {
	t.sendUpdate(s.id, translate.PlanRemoved, func(b *rawjson.Builder) {
		b.Texts("planId", s.plan.id)
	})
	s.plan = nil
}

// heading returns the first heading of a markdown text, "" if it has none.
func heading(text string) string {
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			return strings.TrimSpace(title)
		}
	}
	return ""
}
