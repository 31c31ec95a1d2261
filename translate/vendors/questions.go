package vendors

import (
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A form is questions with choices.
type form struct {
	title    string
	items    []item
	skipped  string                                       // the vendor's answer if the client cannot ask them
	declined string                                       // and if the user has skipped one
	answer   func(items []item, chosen [][]string) []byte // ids of choices, by item
}

// An item is one question.
type item struct {
	id, prompt string
	multiple   bool // more than one choice can be taken
	choices    []asking.Choice
}

func readChoices(value []byte) (choices []asking.Choice) {
	for o := range rawjson.Objects(value, nil) {
		id, _ := o.Text("id")
		label, _ := o.Text("label")
		description, _ := o.Text("description")
		choices = append(choices, asking.Choice{ID: or(string(id), string(label)), Name: or(string(label), string(id)), Description: string(description)})
	}
	return choices
}

// ask asks the questions: in a form if the client has forms, else one after the other.
func (f form) ask(t *Translator, r *request) {
	switch {
	case len(f.items) == 0:
		t.lose(r.session, translate.LossUserNotAsked, "an agent's request has no question that can be read")
		t.answer(r, []byte(f.skipped))
	case t.peers.Forms:
		f.askAtOnce(t, r)
	default:
		f.askEach(t, r)
	}
}

func (f form) askEach(t *Translator, r *request) {
	var questions []asking.Question
	introduction := f.title
	for n, i := range f.items {
		questions = append(questions, asking.Question{
			Title: or(strings.TrimSpace(i.prompt), f.title), Text: asking.Body(introduction, i.prompt+asking.Place(n, len(f.items)), i.choices), Choices: i.choices, Multiple: i.multiple,
			Refusals: []asking.Choice{{ID: reject.ID, Name: "Skip"}},
		})
		introduction = ""
	}
	t.ask(r, questions, func(result asking.Result) {
		switch {
		case result.Unasked:
			t.lose(r.session, translate.LossUserNotAsked, "the client cannot ask an agent's questions: they are messages")
			t.answer(r, []byte(f.skipped))
		case result.Refused != "":
			t.answer(r, []byte(f.declined))
		case len(result.Chosen) == len(f.items):
			t.answer(r, f.answer(f.items, result.Chosen))
		default:
			t.cancel(r)
		}
	})
}

// askAtOnce asks all questions at once.
func (f form) askAtOnce(t *Translator, r *request) {
	answered := func(m *jsonrpc.Message) {
		t.ends(r)
		result, _ := rawjson.ReadObject(nil, m.Result.Of(m.Text))
		action, _ := result.Text("action")
		switch {
		case m.Failed():
			t.cancel(r)
		case string(action) == "accept":
			content, _ := rawjson.ReadObject(nil, result.Get("content"))
			t.answer(r, f.answer(f.items, chosenIn(f.items, content)))
		case string(action) == "decline":
			t.answer(r, []byte(f.declined))
		default:
			t.cancel(r)
		}
	}
	if !t.awaits(r) {
		return
	}
	r.asking = t.asker.Request(t.out, r.session, "elicitation/create", func(b *rawjson.Builder) {
		if r.call != "" {
			b.StringMember("toolCallId", []byte(r.call))
		}
		b.StringMember("mode", []byte("form"))
		b.StringMember("message", []byte(or(f.title, "Questions")))
		b.Name("requestedSchema")
		b.JSON(`{"type":"object"`)
		b.Name("properties")
		b.Object()
		for n, i := range f.items {
			b.Name(propertyName(n))
			i.writeSchema(b)
		}
		b.EndObject()
		b.EndObject()
	}, answered)
}

// propertyName returns the name of a question in a form.
func propertyName(n int) string { return "q" + strconv.Itoa(n+1) }

func (i item) writeSchema(b *rawjson.Builder) {
	b.Object()
	defer b.EndObject()
	b.StringMember("title", []byte(i.prompt))
	choices := func(name string) {
		b.Name(name)
		b.Array()
		for _, c := range i.choices {
			b.Object()
			b.StringMember("const", []byte(c.ID))
			b.StringMember("title", []byte(c.Name))
			if c.Description != "" {
				b.StringMember("description", []byte(c.Description))
			}
			b.EndObject()
		}
		b.EndArray()
	}
	switch {
	case i.multiple && len(i.choices) > 0:
		b.StringMember("type", []byte("array"))
		b.Name("items")
		b.Object()
		choices("anyOf")
		b.EndObject()
	case len(i.choices) > 0:
		b.StringMember("type", []byte("string"))
		choices("oneOf")
	default:
		b.StringMember("type", []byte("string"))
	}
}

// chosenIn returns what was chosen in a form. A question that was not answered has
// nothing, and an answer is one of those that were offered.
func chosenIn(items []item, content rawjson.Object) [][]string {
	chosen := make([][]string, len(items))
	for n, i := range items {
		value := content.Get(propertyName(n))
		elements, isArray := rawjson.ReadArray(nil, value)
		if !isArray {
			elements = [][]byte{value}
		}
		for _, e := range elements {
			if text, ok := rawjson.TextOf(e); ok && i.takes(string(text)) {
				chosen[n] = append(chosen[n], string(text))
			}
		}
	}
	return chosen
}

// takes reports whether a text is an answer to the question: any if it has no choices.
func (i item) takes(text string) bool {
	return len(i.choices) == 0 || slices.ContainsFunc(i.choices, func(c asking.Choice) bool { return c.ID == text })
}
