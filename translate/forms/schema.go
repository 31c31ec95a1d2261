package forms

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/schema"
	"acp-plan-proxy/transport/rawjson"
)

// maxTitle limits the characters of the title of a permission request.
const maxTitle = 100

// chatRefusals has the refusal of each question except that of a boolean.
var chatRefusals = []asking.Choice{{ID: "reject", Name: "Answer in the chat"}}

// readQuestions returns the questions of a form, one for each property. It omits properties that
// are not required if they are numbers or texts, or have no choices. If no property remains, it
// returns a single question whether to continue. why is the reason that the form cannot be asked,
// or "".
func readQuestions(message string, form []byte) (questions []asking.Question, why string) {
	o, ok := rawjson.ReadObject(nil, form)
	if !ok {
		return nil, "it has no schema"
	}
	members := rawjson.Members(o.Get("properties"))
	names, _ := rawjson.ReadArray(nil, o.Get("required"))
	required := make(map[string]bool)
	for _, name := range names {
		required[nameOf(name)] = true
	}
	for _, f := range members {
		q, isFree, ok := readProperty(f.Value)
		q.ID = string(f.Name)
		switch needed := required[q.ID]; {
		case ok && (needed || !isFree):
			questions = append(questions, q)
		case needed && !ok:
			return nil, "a required value has no choices"
		}
		delete(required, q.ID)
	}
	if len(required) > 0 {
		return nil, "a required property is not defined"
	}
	if len(questions) == 0 {
		proceed := []asking.Choice{{ID: "{}", Name: "Continue"}}
		return []asking.Question{{Title: firstLine(message), Text: message, Choices: proceed, Refusals: chatRefusals, InChat: true}}, ""
	}
	for i := range questions {
		q := &questions[i]
		title := cmp.Or(q.Title, q.ID)
		if len(questions) == 1 && q.Text == "" {
			title, q.Text, message = q.Title, message, ""
		}
		if q.Text != "" && q.Text != title {
			title = strings.TrimPrefix(title+": "+q.Text, ": ")
		}
		q.Title, q.Text = firstLine(title), title
	}
	asking.WriteTexts(message, questions)
	return questions, ""
}

// firstLine returns the first line of a text that is not blank, truncated to maxTitle.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return translate.OneLine(line, maxTitle)
}

// readProperty returns the question for the value of a property. isFree reports that the value is a
// number or a text; the only choice is then the default, if there is one. ok is false if the
// question cannot be answered.
func readProperty(property []byte) (q asking.Question, isFree, ok bool) {
	o := rawjson.Members(property)
	q = asking.Question{Title: o.String("title"), Text: o.String("description"), Refusals: chatRefusals, InChat: true}
	kind, preset := o.String("type"), o.Get("default")
	if q.Choices, ok = choicesIn(property, preset); ok {
		return q, false, len(q.Choices) > 0
	}
	switch kind {
	case "boolean":
		q.Choices = []asking.Choice{{ID: "true", Name: markDefault("Yes", []byte("true"), preset)}}
		q.Refusals = []asking.Choice{{ID: "reject", Name: markDefault("No", []byte("false"), preset)}}
		q.YesNo, q.InChat = true, false
		return q, false, true
	case "array":
		if q.Choices, q.Multiple = choicesIn(o.Get("items"), preset); q.Multiple {
			q.AtLeast, q.AtMost = readCount(o.Get("minItems"), 0), readCount(o.Get("maxItems"), math.MaxInt32)
			return q, false, len(q.Choices) > 0 && max(q.AtLeast, 1) <= min(q.AtMost, len(q.Choices))
		}
	case "string", "number", "integer":
	default:
		return q, false, false
	}
	if !rawjson.IsNull(preset) && schema.Validator(property)(preset) {
		q.Choices = []asking.Choice{{ID: string(preset), Name: markDefault(nameOf(preset), preset, preset)}}
	}
	return q, true, true
}

// choicesIn returns the values that a schema both lists and allows, with a mark on the default.
// isList reports whether the schema lists values.
func choicesIn(property, preset []byte) (choices []asking.Choice, isList bool) {
	allows := schema.Validator(property)
	add := func(value []byte, title, description string) {
		if allows(value) {
			name := markDefault(cmp.Or(title, nameOf(value), string(value)), value, preset)
			choices = append(choices, asking.Choice{ID: string(value), Name: name, Description: description})
		}
	}
	o := rawjson.Members(property)
	for _, list := range [][]byte{o.Get("oneOf"), o.Get("anyOf")} {
		for option := range rawjson.Objects(list, nil) {
			add(option.Get("const"), option.String("title"), option.String("description"))
		}
		isList = isList || rawjson.IsArray(list)
	}
	values, isEnum := rawjson.ReadArray(nil, o.Get("enum"))
	for _, value := range values {
		add(value, "", "")
	}
	return choices, isList || isEnum
}

// markDefault appends a mark to the name of a value if the value is preset, the default, or an
// element of it.
func markDefault(name string, value, preset []byte) string {
	values, isArray := rawjson.ReadArray(nil, preset)
	if !isArray {
		values = [][]byte{preset}
	}
	if slices.ContainsFunc(values, func(v []byte) bool { return !rawjson.IsNull(v) && nameOf(v) == nameOf(value) }) {
		name += " (default)"
	}
	return name
}

// nameOf returns a string value without quotes, and any other value as JSON.
func nameOf(value []byte) string {
	if text, ok := rawjson.TextOf(value); ok {
		return string(text)
	}
	return string(value)
}

// readCount returns a number of items, limited to 32 bits, or fallback if value is no number.
func readCount(value []byte, fallback int) int {
	if n, err := strconv.ParseFloat(string(value), 64); err == nil {
		return int(min(max(n, 0), math.MaxInt32))
	}
	return fallback
}

// contentOf returns the content of a response with the chosen values, by question. A question that
// does not allow several values has one. A form without properties has empty content.
func contentOf(questions []asking.Question, answers [][]string) []byte {
	var b rawjson.Builder
	b.Object()
	for i, q := range questions {
		if q.ID == "" {
			continue
		}
		b.Name(q.ID)
		switch {
		case q.Multiple:
			b.Array()
			for _, value := range answers[i] {
				b.JSON(value)
			}
			b.EndArray()
		case q.YesNo && answers[i][0] != "true":
			b.JSON("false")
		default:
			b.JSON(answers[i][0])
		}
	}
	b.EndObject()
	return b.Out
}
