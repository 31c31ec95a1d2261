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

// ask shows the plan, and asks the user. A plan that is not approved leaves at once.
func (a approval) ask(t *Translator, r *request) {
	s := t.session([]byte(r.session))
	if len(a.todos) > 0 {
		r.before, r.from = s.todos, s.from
		r.size += size(r.before)
	}
	p := a.show(t, s, r)
	r.refused = func() { a.leave(t, s, r, p) }
	q := asking.Question{
		Title: a.title, Text: or(a.text, or(a.overview, noText)), Approval: true,
		Choices: []asking.Choice{accept}, Refusals: a.refusals,
		Call: r.call, NoStatus: t.sessions.lacksStatus(r.call),
		Said: p != nil && p.size <= t.peers.SaysTexts,
	}
	if a.overview != "" {
		q.Title += ": " + a.overview
	}
	if t.peers.Client.AsksNobody {
		t.lose(r.session, translate.LossUserNotAsked, "the client approves plans by itself")
	}
	t.ask(r, []asking.Question{q}, func(result asking.Result) {
		switch {
		case len(result.Chosen) > 0:
			if p != nil {
				p.approved = true
			}
			t.answer(r, []byte(a.answers[accept.ID]))
		case result.Refused != "":
			t.answer(r, []byte(a.answers[result.Refused]))
			r.refused()
		default:
			t.cancel(r)
		}
	})
}

// show shows the plan: the text, and behind it the todos, if there are any. They are the
// steps of the text, better said: a client that can show neither markdown plans nor
// messages in their place gets the todos alone. It returns the plan if its text
// is shown, else nil.
func (a approval) show(t *Translator, s *session, r *request) *vendorPlan {
	var list []byte
	if len(a.todos) > 0 {
		list = t.keepTodos(s, a.todos, fromRequests)
		if t.peers.Plans.Legacy() && s.from == fromRequests {
			list = s.shown // also if it was there before: behind the text it takes its place
		}
	}
	switch {
	case a.text != "" && (len(a.todos) == 0 || t.peers.showsTexts()):
		raw := rawjson.AppendQuoted(nil, a.text)
		s.plan = &vendorPlan{id: r.vendor.name + "-plan", size: len(raw)}
		t.sendUpdate(s.id, translate.PlanUpdate, func(b *rawjson.Builder) {
			b.Name("plan")
			b.Object()
			b.StringMember("type", []byte("markdown"))
			b.StringMember("planId", []byte(s.plan.id))
			b.Member("content", raw)
			b.EndObject()
		})
		t.followedBy(list)
	case s.plan != nil:
		t.removeText(s)
		t.followedBy(list)
	}
	t.sendList(s, list)
	return s.plan
}

// leave has the plan leave the panel: its text, unless another one has taken its place, and
// its todos, unless others have come since. What these took the place of is back. A session
// that has begun again shows nothing of it.
func (a approval) leave(t *Translator, s *session, r *request, p *vendorPlan) {
	if s.over {
		return
	}
	var list []byte
	tookPlace := func(later *request) bool { return later.session == r.session && slices.Equal(later.before, a.todos) }
	switch i := slices.IndexFunc(t.asked, tookPlace); {
	case len(a.todos) == 0:
	case i >= 0:
		t.asked[i].before, t.asked[i].from = r.before, r.from
	case slices.Equal(s.todos, a.todos):
		list = t.keepTodos(s, r.before, fromRequests)
		if s.from == fromRequests {
			s.from = r.from
		}
	}
	if p != nil && s.plan == p {
		t.removeText(s)
		t.followedBy(list)
	}
	t.sendList(s, list)
}

// removeText removes the text of a vendor's plan.
func (t *Translator) removeText(s *session) {
	t.sendUpdate(s.id, translate.PlanRemoved, func(b *rawjson.Builder) {
		b.StringMember("planId", []byte(s.plan.id))
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
