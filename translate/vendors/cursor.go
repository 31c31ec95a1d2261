package vendors

import (
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/rawjson"
)

// cursor is Cursor, whose requests have an id in some releases and none in others,
// and a _ in front in older ones. Its answers are nested in an outcome.
var cursor = &vendor{
	name: "cursor",
	methods: map[string]method{
		"cursor/create_plan":  {do: createPlan, tells: true, cancelled: cursorCancelled},
		"cursor/update_todos": {do: updateTodos, tells: true},
		"cursor/ask_question": {do: cursorQuestions, cancelled: cursorCancelled},
	},
	prefixes: []string{"cursor/"},
}

const (
	cursorCancelled = `{"outcome":{"outcome":"cancelled"}}`
	cursorSkipped   = `{"outcome":{"outcome":"skipped","reason":"the editor cannot show these questions"}}`
	cursorDeclined  = `{"outcome":{"outcome":"skipped","reason":"the user has skipped the questions"}}`
)

func createPlan(t *Translator, r *request) { cursorPlan(r).ask(t, r) }

// cursorPlan reads the params of cursor/create_plan. Every member may be missing. The
// todos may be in phases.
func cursorPlan(r *request) approval {
	a := approval{
		title: r.params.String("name"), text: r.params.String("plan"), refusals: []asking.Choice{reject},
		answers: map[string]string{
			accept.ID: `{"outcome":{"outcome":"accepted"}}`,
			reject.ID: `{"outcome":{"outcome":"rejected"}}`,
		},
	}
	if a.overview = r.params.String("overview"); a.text == "" {
		a.text, a.overview = a.overview, ""
	}
	a.title = or(a.title, or(heading(a.text), "Plan"))
	a.todos, _ = readTodos(r.params.Get("todos"), false)
	if len(a.todos) == 0 {
		for phase := range rawjson.Objects(r.params.Get("phases"), nil) {
			todos, _ := readTodos(phase.Get("todos"), false)
			a.todos = append(a.todos, todos...)
		}
	}
	a.todos = merged(nil, a.todos, false)
	return a
}

// updateTodos shows the list, and answers with it as it is then. Without todos nothing
// changes.
func updateTodos(t *Translator, r *request) {
	merge := string(r.params.Get("merge")) == "true"
	if changes, ok := readTodos(r.params.Get("todos"), merge); ok {
		s := t.session([]byte(r.Session))
		t.showTodos(s, list{todos: merged(s.todos(), changes, merge), requested: true})
	}
	var b rawjson.Builder
	b.JSON(`{"outcome":{"outcome":"accepted"`)
	b.Name("todos")
	b.Array()
	for _, todo := range t.session([]byte(r.Session)).todos() {
		b.Object()
		if todo.id != "" {
			b.Texts("id", todo.id)
		}
		b.Texts("content", todo.text, "status", or(todo.status, "pending"))
		b.EndObject()
	}
	b.EndArray()
	b.EndObject()
	b.EndObject()
	t.answer(r, string(b.Out))
}

// cursorQuestions handles cursor/ask_question.
func cursorQuestions(t *Translator, r *request) {
	f := &form{title: r.params.String("title"), skipped: cursorSkipped, declined: cursorDeclined, answer: cursorAnswer}
	for o := range rawjson.Objects(r.params.Get("questions"), nil) {
		f.add(o.String("id"), o.String("prompt"), string(o.Get("allowMultiple")) == "true", readChoices(o.Get("options")))
	}
	f.ask(t, r)
}

// cursorAnswer returns the answer to questions, with the ids of what was chosen.
func cursorAnswer(f *form, chosen [][]string) []byte {
	var b rawjson.Builder
	b.JSON(`{"outcome":{"outcome":"answered"`)
	b.Name("answers")
	b.Array()
	for i, ids := range chosen {
		b.Object()
		b.Texts("questionId", f.ids[i])
		b.Name("selectedOptionIds")
		b.Array()
		for _, id := range ids {
			b.String([]byte(id))
		}
		b.EndArray()
		b.EndObject()
	}
	b.EndArray()
	b.EndObject()
	b.EndObject()
	return b.Out
}
