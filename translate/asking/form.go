package asking

import (
	"cmp"
	"slices"
	"strconv"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// askForm sends one form with all questions.
func (q *inquiry) askForm() {
	q.newRequest()
	q.asker.send(q.id, q.Session, "elicitation/create", func(b *rawjson.Builder) {
		if q.ToolCall != "" {
			b.Texts("toolCallId", q.ToolCall)
		}
		b.Texts("mode", "form", "message", cmp.Or(q.Title, "Questions"))
		b.Name("requestedSchema")
		b.JSON(`{"type":"object"`)
		b.Name("properties")
		b.Object()
		for n, question := range q.questions {
			b.Name(propertyName(n))
			question.writeSchema(b)
		}
		b.EndObject()
		b.EndObject()
	})
}

// propertyName returns the property of the nth question in a form.
func propertyName(n int) string { return "q" + strconv.Itoa(n+1) }

func (question *Question) writeSchema(b *rawjson.Builder) {
	b.Object()
	b.Texts("title", question.Title)
	if question.Multiple && len(question.Choices) > 0 {
		b.Texts("type", "array")
		b.JSON(`"items":{`)
		question.writeChoices(b, "anyOf")
		b.EndObject()
	} else {
		b.Texts("type", "string")
		question.writeChoices(b, "oneOf")
	}
	b.EndObject()
}

func (question *Question) writeChoices(b *rawjson.Builder, name string) {
	if len(question.Choices) == 0 {
		return
	}
	b.Name(name)
	b.Array()
	for _, c := range question.Choices {
		b.Object()
		b.Texts("const", c.ID, "title", c.Name)
		if c.Description != "" {
			b.Texts("description", c.Description)
		}
		b.EndObject()
	}
	b.EndArray()
}

// acceptForm finishes the inquiry with the response to its form. A question without a value
// has no choices.
func (q *inquiry) acceptForm(m *jsonrpc.Message) {
	response := rawjson.Members(m.Result.Of(m.Text))
	action := response.String("action")
	result := Result{}
	switch {
	case m.Failed():
	case action == "accept":
		content := rawjson.Members(response.Get("content"))
		for n, question := range q.questions {
			result.Answers = append(result.Answers, question.answerIn(content.Get(propertyName(n))))
		}
	case action == "decline":
		result.Refused = q.questions[0].Refusals[0].ID
	}
	q.finish(result)
}

// answerIn returns the ids of the choices in a form's value. A question without choices
// accepts any text.
func (question *Question) answerIn(value []byte) (ids []string) {
	elements, isArray := rawjson.ReadArray(nil, value)
	if !isArray {
		elements = [][]byte{value}
	}
	for _, e := range elements {
		text, ok := rawjson.TextOf(e)
		isChoice := func(c Choice) bool { return c.ID == string(text) }
		if ok && (len(question.Choices) == 0 || slices.ContainsFunc(question.Choices, isChoice)) {
			ids = append(ids, string(text))
		}
	}
	return ids
}
