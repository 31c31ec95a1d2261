package vendors

import (
	"cmp"

	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/rawjson"
)

// cursor describes Cursor. Some releases send notifications in place of requests, and older ones
// prefix the methods with an underscore. Results are nested in an outcome.
var cursor = &vendor{name: "cursor", prefix: "cursor/", methods: []method{
	{
		name: "create_plan", run: askPlan, showsPlan: true, cancelled: cursorCancelled,
		approved: `{"outcome":{"outcome":"accepted"}}`, rejected: `{"outcome":{"outcome":"rejected"}}`,
	},
	{name: "update_todos", run: updateTodos, showsPlan: true},
	{
		name: "ask_question", run: askQuestions, cancelled: cursorCancelled, answered: cursorAnswer,
		rejected: `{"outcome":{"outcome":"skipped","reason":"the user has skipped the questions"}}`,
		skipped:  `{"outcome":{"outcome":"skipped","reason":"the editor cannot show these questions"}}`,
	},
}}

const cursorCancelled = `{"outcome":{"outcome":"cancelled"}}`

// updateTodos sends the updated list, and answers with it. A request without todos changes nothing.
func updateTodos(s *Stage, r *request) {
	sess := s.sessions.open([]byte(r.Session))
	merge := isTrue(r.params.Get("merge"))
	if changes, ok := readTodos(r.params.Get("todos"), merge); ok {
		s.showTodos(sess, todoList{todos: applyTodos(sess.todos(), changes, merge), fromRequest: true})
	}
	var b rawjson.Builder
	b.JSON(`{"outcome":{"outcome":"accepted"`)
	b.Name("todos")
	b.Array()
	for _, todo := range sess.todos() {
		b.Object()
		if todo.id != "" {
			b.Texts("id", todo.id)
		}
		b.Texts("content", todo.text, "status", cmp.Or(todo.status, "pending"))
		b.EndObject()
	}
	b.EndArray()
	b.EndObject()
	b.EndObject()
	s.answer(r, string(b.Out))
}

// cursorAnswer returns the result for questions, with the ids of the chosen options.
func cursorAnswer(questions []asking.Question, answers [][]string) string {
	var b rawjson.Builder
	b.JSON(`{"outcome":{"outcome":"answered"`)
	b.Name("answers")
	b.Array()
	for i, ids := range answers {
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
