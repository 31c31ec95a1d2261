package vendors

import (
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/rawjson"
)

// grok describes Grok. Results are flat, and there is none for skipped questions. Grok sends todos
// as plans of the protocol. After an error it remains in plan mode for good; after cancelled,
// the user can revise the plan.
var grok = &vendor{name: "grok", prefix: "x.ai/", methods: []method{
	{
		name: "exit_plan_mode", run: askPlan, shows: true, cancelled: grokCancelled,
		approved: `{"outcome":"approved"}`, rejected: grokCancelled, abandoned: `{"outcome":"abandoned"}`,
	},
	{name: "ask_user_question", run: askQuestions, cancelled: grokCancelled, answered: grokAnswer, rejected: grokCancelled, skipped: grokCancelled},
}}

const grokCancelled = `{"outcome":"cancelled"}`

// grokAnswer returns the result for questions, with the labels of the chosen options.
func grokAnswer(questions []asking.Question, chosen [][]string) string {
	var b rawjson.Builder
	b.JSON(`{"outcome":"accepted"`)
	b.Name("answers")
	b.Object()
	for i, labels := range chosen {
		b.Name(questions[i].ID)
		b.Array()
		for _, label := range labels {
			b.String([]byte(label))
		}
		b.EndArray()
	}
	b.EndObject()
	b.EndObject()
	return string(b.Out)
}
