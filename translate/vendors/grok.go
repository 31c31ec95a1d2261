package vendors

import (
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/rawjson"
)

// grok is Grok. Its answers are flat, and it has no word for skipped. Its todos are plans of
// the protocol. An error as an answer leaves it in plan mode for good; what is cancelled
// it lets the user revise.
var grok = &vendor{name: "grok", prefix: "x.ai/", methods: []method{
	{
		name: "exit_plan_mode", do: askPlan, tells: true, cancelled: grokCancelled,
		approved: `{"outcome":"approved"}`, rejected: grokCancelled, abandoned: `{"outcome":"abandoned"}`,
	},
	{name: "ask_user_question", do: askQuestions, cancelled: grokCancelled, answered: grokAnswer, rejected: grokCancelled, skipped: grokCancelled},
}}

const grokCancelled = `{"outcome":"cancelled"}`

// grokAnswer returns the answer to questions, with the labels of what was chosen. A
// text that the user has written is a note to the choice Other.
func grokAnswer(questions []asking.Question, chosen [][]string) string {
	var b, notes rawjson.Builder
	b.JSON(`{"outcome":"accepted"`)
	b.Name("answers")
	b.Object()
	notes.Object()
	for i, labels := range chosen {
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
	if notes.EndObject(); len(notes.Out) > len("{}") {
		b.Member("annotations", notes.Out)
	}
	b.EndObject()
	return string(b.Out)
}
