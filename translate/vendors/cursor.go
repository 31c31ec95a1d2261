package vendors

import (
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/rawjson"
)

// cursor is Cursor, whose requests have an id in some releases and none in others,
// and a _ in front in older ones. Its answers are nested in an outcome.
var cursor = &vendor{name: "cursor", prefix: "cursor/", methods: []method{
	{
		name: "create_plan", do: askPlan, tells: true, cancelled: cursorCancelled,
		approved: `{"outcome":{"outcome":"accepted"}}`, rejected: `{"outcome":{"outcome":"rejected"}}`,
	},
	{name: "update_todos", do: updateTodos, tells: true},
	{
		name: "ask_question", do: askQuestions, cancelled: cursorCancelled, answered: cursorAnswer,
		rejected: `{"outcome":{"outcome":"skipped","reason":"the user has skipped the questions"}}`,
		skipped:  `{"outcome":{"outcome":"skipped","reason":"the editor cannot show these questions"}}`,
	},
}}

const cursorCancelled = `{"outcome":{"outcome":"cancelled"}}`

// updateTodos shows the list, and answers with it as it is then. Without todos nothing
// changes.
func updateTodos(t *Translator, r *request) {
	s := t.session([]byte(r.Session))
	merge := isTrue(r.params.Get("merge"))
	if changes, ok := readTodos(r.params.Get("todos"), merge); ok {
		t.showTodos(s, list{todos: merged(s.todos(), changes, merge), requested: true})
	}
	var b rawjson.Builder
	b.JSON(`{"outcome":{"outcome":"accepted"`)
	b.Name("todos")
	b.Array()
	for _, todo := range s.todos() {
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

// cursorAnswer returns the answer to questions, with the ids of what was chosen.
func cursorAnswer(questions []asking.Question, chosen [][]string) string {
	var b rawjson.Builder
	b.JSON(`{"outcome":{"outcome":"answered"`)
	b.Name("answers")
	b.Array()
	for i, ids := range chosen {
		b.Object()
		b.Texts("questionId", questions[i].ID)
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
	return string(b.Out)
}
