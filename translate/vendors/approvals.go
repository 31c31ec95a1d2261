package vendors

import (
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
}

// readPlan reads the params of a request. Every member may be missing. The todos may be in
// phases.
func readPlan(params rawjson.Object) (a approval) {
	a.text, a.overview = or(params.String("plan"), params.String("planContent")), params.String("overview")
	if a.text == "" {
		a.text, a.overview = a.overview, ""
	}
	a.title = or(params.String("name"), or(heading(a.text), "Plan"))
	a.todos, _ = readTodos(params.Get("todos"), false)
	if len(a.todos) == 0 {
		for phase := range rawjson.Objects(params.Get("phases"), nil) {
			todos, _ := readTodos(phase.Get("todos"), false)
			a.todos = append(a.todos, todos...)
		}
	}
	a.todos = merged(nil, a.todos, false)
	return a
}

// What the user can choose.
var (
	accept  = asking.Choice{ID: "allow", Name: "Accept the plan"}
	reject  = asking.Choice{ID: "reject", Name: "Reject the plan"}
	abandon = asking.Choice{ID: "abandon", Name: "Leave plan mode without the work"}
)

// noText is what there is to read without a text.
const noText = "The agent has given no text for this plan."

// askPlan shows a plan, and asks the user if the agent waits for an answer. A plan that is
// not approved leaves at once.
func askPlan(t *Translator, r *request) {
	s, a := t.session([]byte(r.Session)), readPlan(r.params)
	p, l := a.show(t, s, r)
	if r.ID == nil {
		return
	}
	q := asking.Question{
		Title: a.title, Text: or(a.text, noText), Approval: true,
		Choices: []asking.Choice{accept}, Refusals: []asking.Choice{reject}, Shown: p != nil && p.size <= t.peers.SaysTexts,
	}
	if r.method.abandoned != "" {
		q.Refusals = append(q.Refusals, abandon)
	}
	if a.overview != "" {
		q.Title += ": " + a.overview
	}
	if t.peers.Client.AsksNobody {
		t.lose(r.Session, translate.LossUserNotAsked, "the client approves plans by itself")
	}
	t.asker.Ask(r.Request, []asking.Question{q}, func(result asking.Result) {
		switch {
		case len(result.Chosen) > 0:
			if p != nil {
				p.approved = true
			}
			if l != nil {
				l.before = nil
				s.countLists()
			}
			t.answer(r, r.method.approved)
			return
		case result.Refused == abandon.ID:
			t.answer(r, r.method.abandoned)
		case result.Refused != "":
			t.answer(r, r.method.rejected)
		default:
			t.cancel(r)
		}
		if !result.Closed && !s.over {
			t.leave(s, p, l)
		}
	})
}

// show shows the plan: the text, and behind it the todos, if there are any. They are the
// steps of the text, better said: a client that can show neither markdown plans nor
// messages in their place gets the todos alone. It returns the plan if its text
// is shown, else nil, and the todos, nil if there are none.
func (a approval) show(t *Translator, s *session, r *request) (p *vendorPlan, l *list) {
	var entries []byte
	if len(a.todos) > 0 {
		l = &list{todos: a.todos, requested: true}
		if r.ID != nil {
			l.before = s.list
		}
		s.list = l
		entries = s.listed()
		if t.peers.Plans.Legacy() && !s.ownPlans {
			entries = s.shown // also if it was there before: behind the text it takes its place
		}
	}
	behind := true
	switch {
	case a.text != "" && (len(a.todos) == 0 || t.peers.showsTexts()):
		t.sendText(s, r.vendor.name+"-plan", a.text)
	case s.plan != nil:
		t.removeText(s)
	default:
		behind = false
	}
	t.sendList(s, entries, behind)
	return s.plan, l
}

// leave has a plan leave the panel: its text, unless another one has taken its place, and
// its todos, unless others have come since. What these took the place of is back.
func (t *Translator) leave(s *session, p *vendorPlan, l *list) {
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
		t.removeText(s)
	}
	t.sendList(s, entries, shown)
}

// sendText sends the client the text of a plan.
func (t *Translator) sendText(s *session, id, text string) {
	raw := rawjson.AppendQuoted(nil, text)
	s.plan = &vendorPlan{id: id, size: len(raw)}
	t.sendUpdate(s.id, translate.PlanUpdate, func(b *rawjson.Builder) {
		b.Name("plan")
		b.Object()
		b.Texts("type", "markdown", "planId", id)
		b.Member("content", raw)
		b.EndObject()
	})
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
