package vendors

import (
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// An approval is a plan that the user is to approve.
type approval struct {
	title   string
	text    string // markdown; may be empty
	todos   []todo
	options []option          // accept and others
	answers map[string]string // the maker's answers, by the id of the option
}

// The options that makers have in common.
var (
	accept = option{"accept", "Accept the plan", "allow_once"}
	reject = option{"reject", "Reject the plan", "reject_once"}
)

// ask shows the plan, and asks the user.
func (a approval) ask(t *Translator, r *request) {
	s := t.session([]byte(r.session))
	a.show(t, s, r)
	call, _ := r.params.Text("toolCallId")
	p := permission{toolCall: call, title: a.title, text: a.text, kind: "switch_mode", options: a.options}
	p.ask(t, r, func(id string) { t.answer(r, []byte(or(a.answers[id], r.method().cancelled))) })
}

// show shows the plan. A client that cannot show a text gets the todos, if
// there are any: the steps of the text would be the same, less well said. Then an earlier
// text is removed.
func (a approval) show(t *Translator, s *session, r *request) {
	asText := a.text != "" && (len(a.todos) == 0 || t.peers.Markdown)
	if len(a.todos) > 0 {
		if !asText && s.plan != "" {
			t.removePlan(s)
		}
		t.showTodos(s, a.todos, fromRequests)
	}
	if !asText {
		return
	}
	s.plan = r.maker.name + "-plan"
	t.sendUpdate(s.id, func(b *rawjson.Builder) {
		b.StringMember("sessionUpdate", []byte(translate.PlanUpdate))
		b.Name("plan")
		b.Object()
		b.StringMember("type", []byte("markdown"))
		b.StringMember("planId", []byte(s.plan))
		b.StringMember("content", []byte(a.text))
		b.EndObject()
	})
}

// removePlan removes the text of a maker's plan.
func (t *Translator) removePlan(s *session) {
	t.sendUpdate(s.id, func(b *rawjson.Builder) {
		b.StringMember("sessionUpdate", []byte(translate.PlanRemoved))
		b.StringMember("planId", []byte(s.plan))
	})
	s.plan = ""
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
