package vendors

import (
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/rawjson"
)

// grok describes Grok. Results are flat, and there is none for skipped questions. Grok sends todos
// as plans of the protocol. After an error it remains in plan mode for good; after the outcome
// cancelled, the user can revise the plan.
var grok = &vendor{name: "grok", prefix: "x.ai/", methods: []method{
	{
		name: "exit_plan_mode", run: askPlan, showsPlan: true, cancelled: grokCancelled,
		approved: `{"outcome":"approved"}`, rejected: grokCancelled, abandoned: `{"outcome":"abandoned"}`,
	},
	{name: "ask_user_question", run: askQuestions, cancelled: grokCancelled, answered: grokAnswer, rejected: grokCancelled, skipped: grokCancelled},
}}

const grokCancelled = `{"outcome":"cancelled"}`

// grokAnswer returns the result for questions, with the labels of the chosen options. A text of
// the user is a note to the option Other.
func grokAnswer(questions []asking.Question, answers [][]string) string {
	var b, notes rawjson.Builder
	b.JSON(`{"outcome":"accepted"`)
	b.Name("answers")
	b.Object()
	notes.Object()
	for i, labels := range answers {
		q := &questions[i]
		b.Name(q.ID)
		b.Array()
		for _, label := range labels {
			if len(q.Choices) == 0 {
				notes.Name(q.ID)
				notes.Object()
				notes.Texts("notes", label)
				notes.EndObject()
				label = "Other"
			}
			b.String([]byte(label))
		}
		b.EndArray()
	}
	b.EndObject()
	notes.EndObject()
	if len(notes.Out) > len("{}") {
		b.Member("annotations", notes.Out)
	}
	b.EndObject()
	return string(b.Out)
}
