package vendors

import (
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/rawjson"
)

// A form is questions with choices.
type form struct {
	title     string
	ids       []string // of the questions
	questions []asking.Question
	skipped   string                                  // the vendor's answer if the client cannot ask them
	declined  string                                  // and if the user has skipped one
	answer    func(f *form, chosen [][]string) []byte // ids of choices, by question
}

// add adds a question.
func (f *form) add(id, prompt string, multiple bool, choices []asking.Choice) {
	f.ids = append(f.ids, id)
	f.questions = append(f.questions, asking.Question{
		Title: or(strings.TrimSpace(prompt), f.title), Text: prompt, Choices: choices, Multiple: multiple,
		Refusals: []asking.Choice{{ID: reject.ID, Name: "Skip"}},
	})
}

func readChoices(value []byte) (choices []asking.Choice) {
	for o := range rawjson.Objects(value, nil) {
		id := o.String("id")
		label := o.String("label")
		choices = append(choices, asking.Choice{ID: or(id, label), Name: or(label, id), Description: o.String("description")})
	}
	return choices
}

// ask asks the questions.
func (f *form) ask(t *Translator, r *request) {
	if len(f.questions) == 0 {
		t.lose(r.Session, translate.LossUserNotAsked, "an agent's request has no question that can be read")
		t.answer(r, f.skipped)
		return
	}
	r.Title = f.title
	introduction := f.title
	for n := range f.questions {
		q := &f.questions[n]
		q.Text = asking.Body(introduction, q.Text+asking.Place(n, len(f.questions)), q.Choices)
		introduction = ""
	}
	t.asker.Ask(t.out, r.Request, f.questions, func(result asking.Result) {
		switch {
		case result.Unasked:
			t.lose(r.Session, translate.LossUserNotAsked, "the client cannot ask an agent's questions: they are messages")
			t.answer(r, f.skipped)
		case result.Refused != "":
			t.answer(r, f.declined)
		case len(result.Chosen) > 0:
			t.answer(r, string(f.answer(f, result.Chosen)))
		default:
			t.cancel(r)
		}
	})
}
