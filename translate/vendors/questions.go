package vendors

import (
	"slices"
	"strconv"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A form is questions with choices.
type form struct {
	title    string
	items    []item
	skipped  string                                       // the maker's answer if the client cannot ask them
	declined string                                       // and if the user has skipped one
	answer   func(items []item, chosen [][]string) []byte // ids of choices, by item
}

// An item is one question.
type item struct {
	id, prompt string
	multiple   bool // more than one choice can be taken
	choices    []choice
}

// A choice is one answer.
type choice struct{ id, label, description string }

// maxChoices is how many choices a permission request can have.
const maxChoices = 10

func readChoices(value []byte) (choices []choice) {
	for o := range rawjson.Objects(value, nil) {
		id, _ := o.Text("id")
		label, _ := o.Text("label")
		description, _ := o.Text("description")
		choices = append(choices, choice{or(string(id), string(label)), or(string(label), string(id)), string(description)})
	}
	return choices
}

// ask asks the questions: in a form if the client has forms, else one after the
// other in permission requests, if they have no more than one answer each.
func (f form) ask(t *Translator, r *request) {
	switch {
	case len(f.items) == 0:
		t.answer(r, f.answer(nil, nil))
	case t.peers.Forms:
		f.askAtOnce(t, r)
	case slices.ContainsFunc(f.items, item.needsForm):
		t.answer(r, []byte(f.skipped))
	default:
		f.askNext(t, r, nil)
	}
}

// needsForm reports whether the question cannot be a permission request.
func (i item) needsForm() bool {
	return i.multiple || len(i.choices) == 0 || len(i.choices) > maxChoices
}

// askNext asks the question behind those that were answered.
func (f form) askNext(t *Translator, r *request, chosen [][]string) {
	if len(chosen) == len(f.items) {
		t.answer(r, f.answer(f.items, chosen))
		return
	}
	i := f.items[len(chosen)]
	p := permission{title: i.prompt, kind: "other"}
	if call, ok := r.params.Text("toolCallId"); ok && len(f.items) == 1 {
		p.toolCall = call
	}
	for n, c := range i.choices {
		p.options = append(p.options, option{strconv.Itoa(n), c.label, "allow_once"})
		if c.description != "" {
			p.text += "- " + c.label + ": " + c.description + "\n"
		}
	}
	p.options = append(p.options, option{"skip", "Skip", "reject_once"})
	p.ask(t, r, func(id string) {
		switch n, err := strconv.Atoi(id); {
		case id == "skip":
			t.answer(r, []byte(f.declined))
		case err != nil || n < 0 || n >= len(i.choices):
			t.cancel(r)
		default:
			f.askNext(t, r, append(chosen, []string{i.choices[n].id}))
		}
	})
}

// askAtOnce asks all questions at once.
func (f form) askAtOnce(t *Translator, r *request) {
	q := &question{of: r, answered: func(t *Translator, m *jsonrpc.Message) {
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
	}}
	t.ask(q, "elicitation/create", func(b *rawjson.Builder) {
		if call, ok := r.params.Text("toolCallId"); ok {
			b.StringMember("toolCallId", call)
		}
		b.StringMember("mode", []byte("form"))
		b.StringMember("message", []byte(f.title))
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
	})
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
			b.StringMember("const", []byte(c.id))
			b.StringMember("title", []byte(c.label))
			if c.description != "" {
				b.StringMember("description", []byte(c.description))
			}
			b.EndObject()
		}
		b.EndArray()
	}
	switch {
	case i.multiple:
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
	return len(i.choices) == 0 || slices.ContainsFunc(i.choices, func(c choice) bool { return c.id == text })
}
