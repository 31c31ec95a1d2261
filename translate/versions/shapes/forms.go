package shapes

import (
	"cmp"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// Forms are the same in both versions, except that version 2 has more formats of strings, and
// requires at least one choice. A parser of version 1 rejects a whole form because of one
// unreadable member, so the bridge drops unreadable members.

// Elicitation returns the description of these params of elicitation/create, which depends on their
// mode.
func Elicitation(params rawjson.Object) Object {
	switch params.String("mode") {
	case "form":
		return slices.Concat(elicitation, Object{{"requestedSchema", must{Func(writeForm)}}})
	case "url":
		return slices.Concat(elicitation, Object{{"elicitationId", mustString}, {"url", must{Func(copyURI)}}})
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

// writeForm writes a form. It drops the properties that the version cannot read, also from the list
// required. Version 2 requires the type and the properties.
func writeForm(w *Writer, value []byte) bool {
	form, ok := rawjson.ReadObject(nil, value)
	properties := Writer{toV2: w.toV2}
	valuesOf{Func(writeProperty)}.Write(&properties, form.Get("properties"))
	shown := rawjson.Members(properties.Out)
	if len(shown) < len(form.Object("properties")) {
		w.Lose(translate.LossQuestion, "a question that cannot be read, or has no choices, is omitted")
	}
	required := array{Func(func(w *Writer, value []byte) bool {
		name, ok := rawjson.TextOf(value)
		return ok && shown.Get(string(name)) != nil && w.copy(value)
	})}
	return ok && Object{
		{"type", orDefault{oneOf{"object"}, `"object"`}},
		{"title", StringOrNull},
		{"description", StringOrNull},
		{"properties", constant(cmp.Or(string(properties.Out), empty))},
		{"required", required},
	}.writeMembers(w, form)
}

// writeProperty writes a property of a form. It copies a property of an unknown type.
func writeProperty(w *Writer, value []byte) bool {
	o := rawjson.Members(value)
	kind, ok := o.Text("type")
	shape := propertyOf(kind)
	return ok && (shape != nil && shape.writeMembers(w, o) || shape == nil && w.copy(value))
}

// propertyOf returns the description of a property of that type, or nil for an unknown type.
func propertyOf(kind []byte) Object {
	limit, value, items := Rule(numberOrNull), Rule(numberOrNull), Rule(Func(writeChoices))
	switch string(kind) {
	case "string":
		value = StringOrNull
	case "number":
	case "integer":
		limit, value = orNull{Integer}, orNull{Integer}
	case "boolean":
		value = orNull{boolean}
	case "array":
		value, items = orNull{array{String}}, must{items}
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
		{"format", towards{orNull{oneOf{"email", "uri", "date", "date-time"}}, StringOrNull}},
		{"enum", orNull{texts}},
		{"oneOf", orNull{labels}},
		{"minimum", limit},
		{"maximum", limit},
		{"minItems", orNull{natural}},
		{"maxItems", orNull{natural}},
		{"items", items},
	}
}

// Lists of choices. Version 2 allows no empty ones.
var (
	texts  = towards{array{String}, some{String}}
	labels = towards{array{label}, some{label}}
	label  = Object{
		{"const", mustString},
		{"title", mustString},
		{"description", StringOrNull},
	}
	plainChoices   = Object{{"enum", must{texts}}, {"anyOf", labels}}
	labeledChoices = Object{{"type", String}, {"enum", texts}, {"anyOf", must{labels}}}
)

// writeChoices writes the member items of a property: choices of the type string, or choices with
// labels. It copies items of an unknown type.
func writeChoices(w *Writer, value []byte) bool {
	o, isObject := rawjson.ReadObject(nil, value)
	kind, ok := o.Text("type")
	if ok && string(kind) != "string" {
		return w.copy(value)
	}
	return isObject && (ok && plainChoices.writeMembers(w, o) || labeledChoices.writeMembers(w, o))
}

// FormAnswer is the result of a form. A cancellation replaces a result that cannot be read, or whose
// action only one version has, so that nothing counts as consent by mistake.
var FormAnswer = Func(func(w *Writer, result []byte) bool {
	o := rawjson.Members(result)
	action, _ := o.Text("action")
	content := o.Get("content")
	consents := string(action) == "accept" && (rawjson.IsNull(content) || rawjson.IsObject(content))
	if !consents && string(action) != "decline" && string(action) != "cancel" {
		w.Lose(translate.LossUnreadableAnswer, "the answer cannot be read; the agent receives the action cancel")
		w.JSON(NoForm)
		return true
	}
	return Object{{"content", orNull{towards{valuesOf{Func(writeFormValue)}, object}}}}.writeMembers(w, o)
})

// writeFormValue writes a value of a form's result for version 1: as text, if version 1 has no such
// values. It drops null.
func writeFormValue(w *Writer, value []byte) bool {
	switch value[0] {
	case 'n':
		return false
	case '[':
		if list, _ := rawjson.ReadArray(nil, value); !slices.ContainsFunc(list, isNotString) {
			return w.copy(value)
		}
	case '{':
	default:
		return w.copy(value)
	}
	w.String(value)
	return true
}

func isNotString(value []byte) bool { return value[0] != '"' }
