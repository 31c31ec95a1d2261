package vendors

import (
	"cmp"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/plans/markdown"
	"acp-plan-proxy/transport/rawjson"
)

// An approval is a plan that the user is asked to approve.
type approval struct {
	title    string
	overview string
	text     string // markdown; may be empty
	todos    []todo
}

// readPlan reads the params of a request. Every member is optional. Todos may be grouped in
// phases.
func readPlan(params rawjson.Object) (a approval) {
	a.text, a.overview = cmp.Or(params.String("plan"), params.String("planContent")), params.String("overview")
	a.title = cmp.Or(params.String("name"), markdown.Render([]byte(a.text)).Title, "Plan")
	a.todos, _ = readTodos(params.Get("todos"), false)
	if len(a.todos) == 0 {
		for phase := range rawjson.Objects(params.Get("phases"), nil) {
			todos, _ := readTodos(phase.Get("todos"), false)
			a.todos = append(a.todos, todos...)
		}
	}
	a.todos = applyTodos(nil, a.todos, false)
	return a
}

// The options of a request for approval.
var (
	accept  = asking.Choice{ID: "allow", Name: "Accept the plan"}
	reject  = asking.Choice{ID: "reject", Name: "Reject the plan"}
	abandon = asking.Choice{ID: "abandon", Name: "Leave plan mode without the work"}
)

// noText replaces an absent text.
const noText = "The agent has given no text for this plan."

// askPlan shows a plan. Unless the request is a notification, it also asks the user to approve the
// plan. Package plans sends the text as a message, and removes the plan if the user does not approve
// it, or when the agent sends a list.
func askPlan(s *Stage, r *request) {
	sess, a := s.sessions.open([]byte(r.Session)), readPlan(r.params)
	shown := a.show(s, sess, r)
	if r.ID == nil {
		return
	}
	q := asking.Question{
		Title: a.title, Text: cmp.Or(a.text, noText), Approval: true,
		Choices: []asking.Choice{accept}, Refusals: []asking.Choice{reject},
	}
	if r.method.abandoned != "" {
		q.Refusals = append(q.Refusals, abandon)
	}
	if a.overview != "" {
		q.Title += ": " + a.overview
	}
	if s.peers.Client.AutoApproves {
		s.out.LoseIn(r.Session, translate.LossUserNotAsked, "the client approves plans without asking the user")
	}
	s.asker.Ask(r.Request, []asking.Question{q}, func(result asking.Result) {
		switch {
		case len(result.Answers) > 0:
			if shown != nil {
				shown.previous = nil
				sess.countLists()
			}
			s.answer(r, r.method.approved)
			return
		case result.Refused == abandon.ID:
			s.answer(r, r.method.abandoned)
		case result.Refused != "":
			s.answer(r, r.method.rejected)
		default:
			s.cancel(r)
		}
		if shown != nil && !result.Closed && !sess.isOver {
			s.removeRefused(sess, shown)
		}
	})
}

// show sends the todos of the plan, unless the agent sends plans itself, and the text as a plan. A
// client without markdown plans that receives the todos does not receive the text, because the todos
// are its steps; the text of a notification is then a chat message. show returns the list of todos, or
// nil.
func (a approval) show(s *Stage, sess *session, r *request) (shown *todoList) {
	if len(a.todos) > 0 {
		shown = &todoList{todos: a.todos, fromRequest: true}
		if r.ID != nil {
			shown.previous = sess.list
		}
		sess.list = shown
		s.sendList(sess, sess.updateShown())
	}
	switch {
	case a.text == "":
	case shown == nil, sess.sendsPlans, s.peers.Plans.Shows&capabilities.Markdown != 0:
		s.out.Send(translate.Client, translate.MarkdownPlan(sess.id, r.vendor.name+"-plan", a.text))
	case r.ID == nil:
		s.asker.SendText(sess.id, a.text)
	}
	return shown
}
