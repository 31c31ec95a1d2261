package words

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// Forms are the same in both versions, except that version 2 has more formats of
// strings, and wants something to choose from. A parser of version 1 refuses a whole
// form because of one member that it cannot read, so such members are left out.

// ElicitationToV1 writes the params of elicitation/create. It reports false if they
// have no form.
func ElicitationToV1(w *Writer, params rawjson.Object) bool {
	shape := elicitation[:4]
	switch mode, _ := params.Text("mode"); string(mode) {
	case "form":
		shape = elicitation[:5]
	case "url":
		shape = urlElicitation
	}
	return shape.ToV1(w, params)
}

// ElicitationToV2 is ElicitationToV1 for the other direction. The params have no form
// without a mode, or with a message that is not a string.
func ElicitationToV2(w *Writer, params rawjson.Object) bool {
	_, hasMode := params.Text("mode")
	_, readable := params.Text("message")
	return hasMode && (readable || params.Get("message") == nil) && elicitation.ToV2(w, params)
}

// elicitation has the members of every mode, and that of a form; urlElicitation those of
// an address.
var (
	elicitation = Object{
		{"mode", "mode", must{String}, nil},
		{"message", "message", must{String}, nil},
		{"sessionId", "sessionId", String, nil},
		{"toolCallId", "toolCallId", StringOrNull, nil},
		{"requestedSchema", "requestedSchema", must{Func(form)}, Func(form)},
	}
	urlElicitation = Object{
		{"mode", "mode", must{String}, nil},
		{"message", "message", must{String}, nil},
		{"sessionId", "sessionId", String, nil},
		{"toolCallId", "toolCallId", StringOrNull, nil},
		{"elicitationId", "elicitationId", must{String}, nil},
		{"url", "url", must{Func(uri)}, nil},
	}
)

// form writes a form. A property that the version cannot read is left out, and is not
// required then. Version 2 wants its type and its properties, and no list of values that
// is empty.
func form(w *Writer, value []byte) bool {
	o, ok := rawjson.ReadObject(nil, value)
	lost := "one that cannot be read was left out"
	if w.v2 {
		lost = "one that leaves nothing to choose from was left out"
	}
	all, _ := rawjson.ReadObject(nil, o.Get("properties"))
	shown := make(map[string]bool, len(all))
	for _, p := range all {
		scratch := Writer{v2: w.v2}
		if shown[string(p.Name)] = property(&scratch, p.Value); !shown[string(p.Name)] {
			w.Lose(translate.LossQuestion, lost)
		}
	}
	required := array{Func(func(w *Writer, value []byte) bool {
		name, ok := rawjson.TextOf(value)
		return ok && shown[string(name)] && w.any(value)
	})}
	return (ok || w.v2) && Object{
		{"type", "type", or{word{"object"}, `"object"`}, front{is(`"object"`)}},
		{"title", "title", StringOrNull, nil},
		{"description", "description", StringOrNull, nil},
		{"properties", "properties", values{Func(property)}, front{or{values{Func(property)}, "{}"}}},
		{"required", "required", orNull{required}, required},
	}.write(w, o)
}

// property writes a property of a form. A type that nobody knows passes. In version 2 one
// without anything to choose from has no form.
func property(w *Writer, value []byte) bool {
	o, ok := rawjson.ReadObject(nil, value)
	if w.v2 {
		items, _ := rawjson.ReadObject(nil, o.Get("items"))
		return ok && !isEmptyList(items.Get("enum")) && !isEmptyList(items.Get("anyOf")) && lists.write(w, o)
	}
	kind, ok := o.Text("type")
	shape := properties(kind)
	return ok && (shape != nil && shape.write(w, o) || shape == nil && w.any(value))
}

// lists has what can be chosen in a property, for version 2.
var lists = Object{{"enum", "enum", nil, Func(notEmptyList)}, {"oneOf", "oneOf", nil, Func(notEmptyList)}}

// properties returns the members of a property of a type, for version 1; nil if nobody
// knows the type.
func properties(kind []byte) Object {
	limit, value, items := Form(numberOrNull), Form(numberOrNull), Form(Func(itemsToV1))
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
		{"title", "title", StringOrNull, nil},
		{"description", "description", StringOrNull, nil},
		{"default", "default", value, nil},
		{"minLength", "minLength", orNull{Func(natural32)}, nil},
		{"maxLength", "maxLength", orNull{Func(natural32)}, nil},
		{"pattern", "pattern", StringOrNull, nil},
		{"format", "format", orNull{word{"email", "uri", "date", "date-time"}}, nil},
		{"enum", "enum", orNull{texts}, nil},
		{"oneOf", "oneOf", orNull{labels}, nil},
		{"minimum", "minimum", limit, nil},
		{"maximum", "maximum", limit, nil},
		{"minItems", "minItems", orNull{natural}, nil},
		{"maxItems", "maxItems", orNull{natural}, nil},
		{"items", "items", items, nil},
	}
}

var (
	texts  = array{String}
	labels = array{Object{
		{"const", "const", must{String}, nil},
		{"title", "title", must{String}, nil},
		{"description", "description", StringOrNull, nil},
	}}
	choices      = Object{{"enum", "enum", must{texts}, nil}, {"anyOf", "anyOf", labels, nil}}
	namedChoices = Object{{"type", "type", String, nil}, {"enum", "enum", texts, nil}, {"anyOf", "anyOf", must{labels}, nil}}
)

// itemsToV1 writes what a list of choices can have. Its strings have names, or say
// that they are strings; a type that nobody knows passes.
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

// FormAnswerToV1 and FormAnswerToV2 write the answer to a form. An answer that cannot
// be read, or whose action only one version has, says that the user has cancelled:
// nothing may pass for consent by mistake.
func FormAnswerToV1(w *Writer, result []byte) {
	w.v2 = false
	formAnswer(w, result)
}

// FormAnswerToV2 is FormAnswerToV1 for the other direction.
func FormAnswerToV2(w *Writer, result []byte) {
	w.v2 = true
	formAnswer(w, result)
}

func formAnswer(w *Writer, result []byte) {
	o, _ := rawjson.ReadObject(nil, result)
	action, _ := o.Text("action")
	content := o.Get("content")
	consents := string(action) == "accept" && (rawjson.Null(content) || content[0] == '{')
	if !consents && string(action) != "decline" && string(action) != "cancel" {
		w.Lose(translate.LossUnreadableAnswer, "it cannot be read, so the agent was told that the user has cancelled")
		w.JSON(NoForm)
		return
	}
	Object{{"content", "content", orNull{values{Func(valueToV1)}}, orNull{object}}}.write(w, o)
}

// valueToV1 writes a value of a form. One that version 1 does not know becomes text.
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
