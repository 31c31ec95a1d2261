package vendors

import (
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/rawjson"
)

// grok is Grok. Its answers are flat. Its todos are plans of the protocol. An error
// as an answer leaves it in plan mode for good.
var grok = &vendor{
	name: "grok",
	methods: map[string]method{
		"x.ai/exit_plan_mode":    {do: exitPlanMode, tells: true, cancelled: grokCancelled},
		"x.ai/ask_user_question": {do: grokQuestions, cancelled: grokCancelled},
	},
	prefixes: []string{"x.ai/"},
}

// grokCancelled lets it revise the plan.
const grokCancelled = `{"outcome":"cancelled"}`

func exitPlanMode(t *Translator, r *request) { grokPlan(r).ask(t, r) }

// grokPlan reads the params of x.ai/exit_plan_mode. The text is empty without a plan
// file.
func grokPlan(r *request) approval {
	text := r.params.String("planContent")
	abandon := asking.Choice{ID: "abandon", Name: "Leave plan mode without the work"}
	return approval{
		title: or(heading(text), "Plan"), text: text, refusals: []asking.Choice{reject, abandon},
		answers: map[string]string{
			accept.ID:  `{"outcome":"approved"}`,
			reject.ID:  grokCancelled,
			abandon.ID: `{"outcome":"abandoned"}`,
		},
	}
}

// grokQuestions handles x.ai/ask_user_question. It has no word for skipped.
func grokQuestions(t *Translator, r *request) {
	f := &form{skipped: grokCancelled, declined: grokCancelled, answer: grokAnswer}
	for o := range rawjson.Objects(r.params.Get("questions"), nil) {
		prompt := o.String("question")
		f.add(prompt, prompt, string(o.Get("multiSelect")) == "true", byLabel(readChoices(o.Get("options"))))
	}
	f.ask(t, r)
}

// byLabel makes the labels of choices their ids: so the answer names them.
func byLabel(choices []asking.Choice) []asking.Choice {
	for i := range choices {
		choices[i].ID = choices[i].Name
	}
	return choices
}

// grokAnswer returns the answer to questions, with the labels of what was chosen. A
// text that the user has written is a note to the choice Other.
func grokAnswer(f *form, chosen [][]string) []byte {
	var b, notes rawjson.Builder
	b.JSON(`{"outcome":"accepted"`)
	b.Name("answers")
	b.Object()
	notes.Object()
	for i, labels := range chosen {
		b.Name(f.ids[i])
		b.Array()
		for _, label := range labels {
			if len(f.questions[i].Choices) == 0 {
				notes.Name(f.ids[i])
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
	return b.Out
}
