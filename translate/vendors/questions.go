package vendors

import (
	"cmp"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/rawjson"
)

// readQuestions reads the questions of a request. Cursor's questions and choices have ids; for
// Grok, the texts are the ids.
func readQuestions(params rawjson.Object) (questions []asking.Question) {
	for o := range rawjson.Objects(params.Get("questions"), nil) {
		text, isGrok := o.Text("question")
		q := asking.Question{
			ID: o.String("id"), Text: cmp.Or(string(text), o.String("prompt")),
			Multiple: isTrue(o.Get("allowMultiple")) || isTrue(o.Get("multiSelect")),
			Refusals: []asking.Choice{{ID: reject.ID, Name: "Skip"}},
		}
		if isGrok {
			q.ID = q.Text
		}
		q.Title = cmp.Or(strings.TrimSpace(q.Text), params.String("title"))
		for option := range rawjson.Objects(o.Get("options"), nil) {
			id, label := option.String("id"), option.String("label")
			c := asking.Choice{ID: cmp.Or(id, label), Name: cmp.Or(label, id), Description: option.String("description")}
			if isGrok {
				c.ID = c.Name
			}
			q.Choices = append(q.Choices, c)
		}
		questions = append(questions, q)
	}
	return questions
}

// askQuestions asks the questions of a request.
func askQuestions(s *Stage, r *request) {
	questions := readQuestions(r.params)
	if len(questions) == 0 {
		s.out.LoseIn(r.Session, translate.LossUserNotAsked, "the agent's request has no readable question")
		s.answer(r, r.method.skipped)
		return
	}
	r.Title = r.params.String("title")
	asking.WriteTexts(r.Title, questions)
	s.asker.Ask(r.Request, questions, func(result asking.Result) {
		switch {
		case result.NotAsked:
			s.out.LoseIn(r.Session, translate.LossUserNotAsked, "the client cannot ask the agent's questions; they are chat messages")
			s.answer(r, r.method.skipped)
		case result.Refused != "":
			s.answer(r, r.method.rejected)
		case len(result.Answers) > 0:
			s.answer(r, r.method.answered(questions, result.Answers))
		default:
			s.cancel(r)
		}
	})
}
