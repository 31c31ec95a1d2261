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
	before := s.todos
	r.size += size(before)
	a.show(t, s, r)
	r.refused = func() { a.leave(t, s, before) }
	q := asking.Question{
		Title: a.title, Text: or(a.text, or(a.overview, noText)), Approval: true,
		Choices: []asking.Choice{accept}, Refusals: a.refusals,
		Call: r.call, NoStatus: t.sessions.lacksStatus(r.call),
		Said: a.text != "" && t.peers.showsTexts(), // the plan translation says it
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
			s.approved = s.plan != ""
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
// messages in their place gets the todos alone.
func (a approval) show(t *Translator, s *session, r *request) {
	var list []byte
	if len(a.todos) > 0 {
		list = t.keepTodos(s, a.todos, fromRequests)
		if t.peers.Plans.Legacy() && s.from == fromRequests {
			list = s.shown // also if it was there before: behind the text it takes its place
		}
	}
	switch {
	case a.text != "" && (len(a.todos) == 0 || t.peers.showsTexts()):
		s.plan, s.approved = r.vendor.name+"-plan", false
		t.sendUpdate(s.id, func(b *rawjson.Builder) {
			b.StringMember("sessionUpdate", []byte(translate.PlanUpdate))
			b.Name("plan")
			b.Object()
			b.StringMember("type", []byte("markdown"))
			b.StringMember("planId", []byte(s.plan))
			b.StringMember("content", []byte(a.text))
			b.EndObject()
		})
		t.followedBy(list)
	case s.plan != "":
		t.removeText(s)
		t.followedBy(list)
	}
	t.sendList(s, list)
}

// leave has the plan leave the panel: the todos that were there before are back, unless
// others have come since.
func (a approval) leave(t *Translator, s *session, before []todo) {
	var list []byte
	if len(a.todos) > 0 && slices.Equal(s.todos, a.todos) {
		list = t.keepTodos(s, before, fromRequests)
	}
	if s.plan != "" {
		t.removeText(s)
		t.followedBy(list)
	}
	t.sendList(s, list)
}

// removeText removes the text of a vendor's plan.
func (t *Translator) removeText(s *session) {
	t.sendUpdate(s.id, func(b *rawjson.Builder) {
		b.StringMember("sessionUpdate", []byte(translate.PlanRemoved))
		b.StringMember("planId", []byte(s.plan))
	})
	s.plan, s.approved = "", false
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
