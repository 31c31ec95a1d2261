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
		"cursor/create_plan":  {do: createPlan, tell: showCreatedPlan, cancelled: cursorCancelled},
		"cursor/update_todos": {do: updateTodos, tell: changeTodos},
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

// showCreatedPlan shows a plan that nobody is asked about.
func showCreatedPlan(t *Translator, r *request) {
	cursorPlan(r).show(t, t.session([]byte(r.session)), r)
}

// cursorPlan reads the params of cursor/create_plan. Every member may be missing. The
// todos may be in phases.
func cursorPlan(r *request) approval {
	name, _ := r.params.Text("name")
	overview, _ := r.params.Text("overview")
	text, _ := r.params.Text("plan")
	a := approval{
		title: string(name), text: string(text), refusals: []asking.Choice{reject},
		answers: map[string]string{
			accept.ID: `{"outcome":{"outcome":"accepted"}}`,
			reject.ID: `{"outcome":{"outcome":"rejected"}}`,
		},
	}
	if a.overview = string(overview); a.text == "" {
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

// updateTodos answers with the list as it is then.
func updateTodos(t *Translator, r *request) {
	changeTodos(t, r)
	var b rawjson.Builder
	b.JSON(`{"outcome":{"outcome":"accepted"`)
	b.Name("todos")
	b.Array()
	for _, todo := range t.session([]byte(r.session)).todos {
		b.Object()
		if todo.id != "" {
			b.StringMember("id", []byte(todo.id))
		}
		b.StringMember("content", []byte(todo.text))
		b.StringMember("status", []byte(or(todo.status, "pending")))
		b.EndObject()
	}
	b.EndArray()
	b.EndObject()
	b.EndObject()
	t.answer(r, b.Out)
}

// changeTodos shows the list of cursor/update_todos. Without todos nothing changes.
func changeTodos(t *Translator, r *request) {
	merge := string(r.params.Get("merge")) == "true"
	if changes, ok := readTodos(r.params.Get("todos"), merge); ok {
		s := t.session([]byte(r.session))
		t.showTodos(s, merged(s.todos, changes, merge), fromRequests)
	}
}

// cursorQuestions handles cursor/ask_question.
func cursorQuestions(t *Translator, r *request) {
	title, _ := r.params.Text("title")
	f := form{title: string(title), skipped: cursorSkipped, declined: cursorDeclined, answer: cursorAnswer}
	for o := range rawjson.Objects(r.params.Get("questions"), nil) {
		id, _ := o.Text("id")
		prompt, _ := o.Text("prompt")
		f.items = append(f.items, item{
			id: string(id), prompt: string(prompt), multiple: string(o.Get("allowMultiple")) == "true",
			choices: readChoices(o.Get("options")),
		})
	}
	f.ask(t, r)
}

// cursorAnswer returns the answer to questions, with the ids of what was chosen.
func cursorAnswer(items []item, chosen [][]string) []byte {
	var b rawjson.Builder
	b.JSON(`{"outcome":{"outcome":"answered"`)
	b.Name("answers")
	b.Array()
	for i, ids := range chosen {
		b.Object()
		b.StringMember("questionId", []byte(items[i].id))
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
