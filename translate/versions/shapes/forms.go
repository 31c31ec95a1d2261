package shapes

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// Forms are the same in both versions, except that version 2 has more formats of strings, and
// requires at least one choice. A parser of version 1 rejects a whole form because of one
// unreadable member, so such members are dropped.

// Elicitation returns the members of the params of elicitation/create, by their mode.
func Elicitation(params rawjson.Object) Object {
	switch params.String("mode") {
	case "form":
		return slices.Concat(elicitation, Object{{"requestedSchema", must{Func(form)}}})
	case "url":
		return slices.Concat(elicitation, Object{{"elicitationId", mustString}, {"url", must{Func(withScheme)}}})
	}
	return elicitation
}

// elicitation has the members of every mode.
var elicitation = Object{
	{"mode", mustString},
	{"message", mustString},
	{"sessionId", String},
	{"toolCallId", StringOrNull},
}

// form writes a form. It drops properties that the version cannot read, also from the required
// ones. Version 2 requires the type and the properties, and no empty list of values.
func form(w *Writer, value []byte) bool {
	o, ok := rawjson.ReadObject(nil, value)
	all := o.Object("properties")
	shown := make(map[string]bool, len(all))
	for _, p := range all {
		scratch := Writer{toV2: w.toV2}
		if shown[string(p.Name)] = property(&scratch, p.Value); !shown[string(p.Name)] {
			w.Lose(translate.LossQuestion, "one that cannot be read, or leaves nothing to choose from, was left out")
		}
	}
	required := array{Func(func(w *Writer, value []byte) bool {
		name, ok := rawjson.TextOf(value)
		return ok && shown[string(name)] && w.any(value)
	})}
	return ok && Object{
		{"type", towards{or{word{"object"}, `"object"`}, is(`"object"`)}},
		{"title", towards{StringOrNull, nil}},
		{"description", towards{StringOrNull, nil}},
		{"properties", towards{values{Func(property)}, or{values{Func(property)}, "{}"}}},
		{"required", towards{orNull{required}, required}},
	}.write(w, o)
}

// property writes a property of a form. It copies one of an unknown type. Version 2 does not
// allow one without choices.
func property(w *Writer, value []byte) bool {
	o, ok := rawjson.ReadObject(nil, value)
	if w.toV2 {
		items := o.Object("items")
		return ok && !isEmptyList(items.Get("enum")) && !isEmptyList(items.Get("anyOf")) && lists.write(w, o)
	}
	kind, ok := o.Text("type")
	shape := properties(kind)
	return ok && (shape != nil && shape.write(w, o) || shape == nil && w.any(value))
}

// lists are the choices of a property in version 2.
var lists = Object{{"enum", Func(notEmptyList)}, {"oneOf", Func(notEmptyList)}}

// properties returns the members of a property of a type in version 1; nil for an unknown
// type.
func properties(kind []byte) Object {
	limit, value, items := Rule(numberOrNull), Rule(numberOrNull), Rule(Func(itemsToV1))
	switch string(kind) {
	case "string":
		value = StringOrNull
	case "number":
	case "integer":
		limit, value = orNull{Integer}, orNull{Integer}
	case "boolean":
		value = orNull{boolean}
	case "array":
		value, items = orNull{texts}, must{items}
	default:
		return nil
	}
	return Object{
		{"title", StringOrNull},
		{"description", StringOrNull},
		{"default", value},
		{"minLength", orNull{natural32}},
		{"maxLength", orNull{natural32}},
		{"pattern", StringOrNull},
		{"format", orNull{word{"email", "uri", "date", "date-time"}}},
		{"enum", orNull{texts}},
		{"oneOf", orNull{labels}},
		{"minimum", limit},
		{"maximum", limit},
		{"minItems", orNull{natural}},
		{"maxItems", orNull{natural}},
		{"items", items},
	}
}

var (
	texts  = array{String}
	labels = array{Object{
		{"const", mustString},
		{"title", mustString},
		{"description", StringOrNull},
	}}
	choices      = Object{{"enum", must{texts}}, {"anyOf", labels}}
	namedChoices = Object{{"type", String}, {"enum", texts}, {"anyOf", must{labels}}}
)

// itemsToV1 writes the items of a list of choices: strings with names, or the type string. An
// unknown type is copied.
func itemsToV1(w *Writer, value []byte) bool {
	o, isObject := rawjson.ReadObject(nil, value)
	kind, ok := o.Text("type")
	if ok && string(kind) != "string" {
		return w.any(value)
	}
	return isObject && (ok && choices.write(w, o) || namedChoices.write(w, o))
}

func notEmptyList(w *Writer, value []byte) bool { return !isEmptyList(value) && w.any(value) }

func isEmptyList(value []byte) bool {
	list, ok := rawjson.ReadArray(nil, value)
	return ok && len(list) == 0
}

// FormAnswer is the result of a form. One that cannot be read, or with an action of only one
// version, is replaced with a cancellation, so that nothing counts as consent by mistake.
var FormAnswer = Func(formAnswer)

func formAnswer(w *Writer, result []byte) bool {
	o := rawjson.Members(result)
	action, _ := o.Text("action")
	content := o.Get("content")
	consents := string(action) == "accept" && (rawjson.Null(content) || content[0] == '{')
	if !consents && string(action) != "decline" && string(action) != "cancel" {
		w.Lose(translate.LossUnreadableAnswer, "it cannot be read, so the agent was told that the user has cancelled")
		w.JSON(NoForm)
		return true
	}
	return Object{{"content", orNull{towards{values{Func(valueToV1)}, object}}}}.write(w, o)
}

// valueToV1 writes a value of a form. It writes values that version 1 lacks as text.
func valueToV1(w *Writer, value []byte) bool {
	switch value[0] {
	case 'n':
		return false
	case '[':
		if list, _ := rawjson.ReadArray(nil, value); !slices.ContainsFunc(list, isNoText) {
			return w.any(value)
		}
	case '{':
	default:
		return w.any(value)
	}
	w.String(value)
	return true
}

func isNoText(value []byte) bool { return value[0] != '"' }
