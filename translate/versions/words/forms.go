package words

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// Forms are the same in both versions, except that version 2 has more formats of
// strings, and wants something to choose from. A parser of version 1 refuses a whole
// form because of one member that it cannot read, so such members are left out.

// ElicitationToV1 returns the Shape of the params of elicitation/create, by their
// mode.
func ElicitationToV1(mode []byte) Shape {
	switch string(mode) {
	case "form":
		return formMode
	case "url":
		return urlMode
	}
	return elicitation
}

var (
	elicitation = Shape{
		{Name: "mode", Convert: String, Required: true},
		{Name: "message", Convert: String, Required: true},
		{Name: "sessionId", Convert: String},
		{Name: "toolCallId", Convert: StringOrNull},
	}
	formMode = append(elicitation[:len(elicitation):len(elicitation)], Member{Name: "requestedSchema", Convert: formToV1, Required: true})
	urlMode  = append(elicitation[:len(elicitation):len(elicitation)],
		Member{Name: "elicitationId", Convert: String, Required: true}, Member{Name: "url", Convert: URI, Required: true})
)

// ElicitationToV2 writes the params of elicitation/create. They have no form without
// a mode, or with a message that is not a string.
func ElicitationToV2(w *Writer, params rawjson.Object) bool {
	_, hasMode := params.Text("mode")
	_, readable := params.Text("message")
	return hasMode && (readable || params.Get("message") == nil) &&
		Shape{{Name: "requestedSchema", Convert: formToV2}}.ConvertObject(w, params)
}

// formToV1 writes a form. A property that version 1 cannot read is left out, and is
// not required then.
func formToV1(w *Writer, value []byte) bool {
	form, _ := rawjson.ReadObject(nil, value)
	shown := shownBy(w, form, propertyToV1, "one that cannot be read was left out")
	return Shape{
		{Name: "type", Convert: Word("object"), Default: `"object"`},
		{Name: "title", Convert: StringOrNull},
		{Name: "description", Convert: StringOrNull},
		{Name: "properties", Convert: Values(propertyToV1)},
		{Name: "required", Convert: OrNull(Array(shown))},
	}.Convert(w, value)
}

// formToV2 writes a form. Version 2 wants its type and its properties, and no list of
// values that is empty.
func formToV2(w *Writer, value []byte) bool {
	form, _ := rawjson.ReadObject(nil, value)
	shown := shownBy(w, form, propertyToV2, "one that leaves nothing to choose from was left out")
	return Shape{
		{Name: "type", Convert: Leave, Default: `"object"`, Front: true},
		{Name: "properties", Convert: Values(propertyToV2), Default: "{}", Front: true},
		{Name: "required", Convert: Array(shown)},
	}.ConvertObject(w, form)
}

// shownBy returns what lets the names of properties through that have a form, and
// notes which have none.
func shownBy(w *Writer, form rawjson.Object, property Convert, lost string) Convert {
	properties, _ := rawjson.ReadObject(nil, form.Get("properties"))
	shown := make(map[string]bool, len(properties))
	for _, p := range properties {
		var scratch Writer
		if shown[string(p.Name)] = property(&scratch, p.Value); !shown[string(p.Name)] {
			w.Lose(translate.LossQuestion, lost)
		}
	}
	return func(w *Writer, value []byte) bool {
		name, ok := rawjson.TextOf(value)
		return ok && shown[string(name)] && Same(w, value)
	}
}

// propertyToV1 writes a property of a form. A type that nobody knows passes.
func propertyToV1(w *Writer, value []byte) bool {
	o, _ := rawjson.ReadObject(nil, value)
	kind, ok := o.Text("type")
	if shape := properties[string(kind)]; shape != nil {
		return shape.Convert(w, value)
	}
	return ok && Object(w, value)
}

// properties are the properties of a form by their types, for version 1.
var properties = map[string]Shape{
	"string": property(
		Member{Name: "minLength", Convert: OrNull(Natural32)}, Member{Name: "maxLength", Convert: OrNull(Natural32)},
		Member{Name: "pattern", Convert: StringOrNull}, Member{Name: "default", Convert: StringOrNull},
		Member{Name: "format", Convert: OrNull(Word("email", "uri", "date", "date-time"))},
		Member{Name: "enum", Convert: OrNull(texts)}, Member{Name: "oneOf", Convert: OrNull(labels)}),
	"number": property(
		Member{Name: "minimum", Convert: NumberOrNull}, Member{Name: "maximum", Convert: NumberOrNull}, Member{Name: "default", Convert: NumberOrNull}),
	"integer": property(
		Member{Name: "minimum", Convert: OrNull(Integer)}, Member{Name: "maximum", Convert: OrNull(Integer)}, Member{Name: "default", Convert: OrNull(Integer)}),
	"boolean": property(Member{Name: "default", Convert: OrNull(Boolean)}),
	"array": property(
		Member{Name: "minItems", Convert: OrNull(Natural)}, Member{Name: "maxItems", Convert: OrNull(Natural)},
		Member{Name: "items", Convert: itemsToV1, Required: true}, Member{Name: "default", Convert: OrNull(texts)}),
}

func property(own ...Member) Shape {
	return append(Shape{{Name: "title", Convert: StringOrNull}, {Name: "description", Convert: StringOrNull}}, own...)
}

var (
	texts  = Array(String)
	labels = Array(Shape{
		{Name: "const", Convert: String, Required: true},
		{Name: "title", Convert: String, Required: true},
		{Name: "description", Convert: StringOrNull},
	}.Convert)
	choices      = Shape{{Name: "enum", Convert: texts, Required: true}, {Name: "anyOf", Convert: labels}}
	namedChoices = Shape{{Name: "type", Convert: String}, {Name: "enum", Convert: texts}, {Name: "anyOf", Convert: labels, Required: true}}
)

// itemsToV1 writes what a list of choices can have. Its strings have names, or say
// that they are strings; a type that nobody knows passes.
func itemsToV1(w *Writer, value []byte) bool {
	o, _ := rawjson.ReadObject(nil, value)
	kind, ok := o.Text("type")
	switch {
	case ok && string(kind) != "string":
		return Object(w, value)
	case ok && choices.Convert(w, value):
		return true
	}
	return namedChoices.Convert(w, value)
}

// propertyToV2 writes a property of a form. Without anything to choose from it has no
// form.
func propertyToV2(w *Writer, value []byte) bool {
	o, ok := rawjson.ReadObject(nil, value)
	items, _ := rawjson.ReadObject(nil, o.Get("items"))
	if !ok || isEmptyList(items.Get("enum")) || isEmptyList(items.Get("anyOf")) {
		return false
	}
	return Shape{{Name: "enum", Convert: notEmptyList}, {Name: "oneOf", Convert: notEmptyList}}.ConvertObject(w, o)
}

func notEmptyList(w *Writer, value []byte) bool { return !isEmptyList(value) && Same(w, value) }

func isEmptyList(value []byte) bool {
	list, ok := rawjson.ReadArray(nil, value)
	return ok && len(list) == 0
}

// FormAnswerToV1 and FormAnswerToV2 write the answer to a form. An answer that cannot
// be read, or whose action only one version has, says that the user has cancelled:
// nothing may pass for consent by mistake.
func FormAnswerToV1(w *Writer, result []byte) { formAnswer(w, result, valueToV1) }

// FormAnswerToV2 is FormAnswerToV1 for the other direction.
func FormAnswerToV2(w *Writer, result []byte) { formAnswer(w, result, Same) }

func formAnswer(w *Writer, result []byte, value Convert) {
	o, _ := rawjson.ReadObject(nil, result)
	action, _ := o.Text("action")
	content := o.Get("content")
	consents := string(action) == "accept" && (rawjson.Null(content) || content[0] == '{')
	if !consents && string(action) != "decline" && string(action) != "cancel" {
		w.Lose(translate.LossUnreadableAnswer, "it cannot be read, so the agent was told that the user has cancelled")
		w.JSON(NoForm)
		return
	}
	Shape{{Name: "content", Convert: OrNull(Values(value))}}.ConvertObject(w, o)
}

// valueToV1 writes a value of a form. One that version 1 does not know becomes text.
func valueToV1(w *Writer, value []byte) bool {
	switch value[0] {
	case 'n':
		return false
	case '[':
		if list, _ := rawjson.ReadArray(nil, value); !bytes.ContainsAny(firstBytes(list), `{[tfn-0123456789`) {
			return Same(w, value)
		}
	case '{':
	default:
		return Same(w, value)
	}
	w.String(value)
	return true
}

// firstBytes returns the first byte of each of the values.
func firstBytes(values [][]byte) (bytes []byte) {
	for _, v := range values {
		bytes = append(bytes, v[0])
	}
	return bytes
}
