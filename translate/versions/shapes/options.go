package shapes

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// The rules of options, by their type, and of their values.
var (
	booleanOption = Object{
		{"configId", called{"id", mustString}},
		{"name", mustString},
		{"description", StringOrNull},
		{"category", StringOrNull},
		{"currentValue", must{boolean}},
	}
	selectOption = Object{
		{"configId", called{"id", mustString}},
		{"name", mustString},
		{"description", StringOrNull},
		{"category", StringOrNull},
		{"currentValue", mustString},
		{"options", must{towards{Func(valuesToV1), Func(valuesToV2)}}},
	}
	optionValue = Object{
		{"value", mustString},
		{"name", mustString},
		{"description", StringOrNull},
	}
	optionGroup = Object{
		{"groupId", called{"group", mustString}},
		{"name", mustString},
		{"options", must{towards{array{optionValue}, some{optionValue}}}},
	}
)

// OptionsToV1 returns the rule of a list of options, for a client with or without options of
// type boolean.
func OptionsToV1(booleans bool) Rule {
	return array{Func(func(w *Writer, value []byte) bool {
		o := rawjson.Members(value)
		kind, _ := o.Text("type")
		shape := selectOption
		switch {
		case string(kind) == "select":
		case string(kind) == "boolean" && booleans:
			shape = booleanOption
		case string(kind) == "boolean":
			w.Lose(translate.LossBooleanOption, "shown as a choice of on and off")
			o = asSelect(o)
		default:
			w.Lose(translate.LossOptionType, "left out")
			return false
		}
		if !shape.ToV1(w, o) {
			w.Lose(translate.LossUnreadableOption, "left out")
			return false
		}
		return true
	})}
}

// ConfigOptions is an object with a list of options, which has a rule.
func ConfigOptions(toV1 Rule) Object {
	return Object{{"configOptions", must{toV1}}}
}

// ConfigOptionsToV2 is an object with a list of options, which may be missing in version 1.
var ConfigOptionsToV2 = Object{{"configOptions", or{optionsToV2, "[]"}}}

// asSelect returns an option of type boolean as a choice of two.
func asSelect(o rawjson.Object) rawjson.Object {
	switch string(o.Get("currentValue")) {
	case "true":
		o = o.Set("currentValue", []byte(`"on"`))
	case "false":
		o = o.Set("currentValue", []byte(`"off"`))
	}
	o = slices.DeleteFunc(o, func(f rawjson.Field) bool { return string(f.Name) == "type" })
	return o.Set("type", []byte(`"select"`)).Set("options", []byte(`[{"value":"off","name":"Off"},{"value":"on","name":"On"}]`))
}

// optionsToV2 is the rule of a list of options in version 2, which does not allow a select without
// values.
var optionsToV2 = array{Func(func(w *Writer, value []byte) bool {
	o := rawjson.Members(value)
	kind := o.String("type")
	if kind == "select" && selectOption.write(w, o) || kind == "boolean" && booleanOption.write(w, o) {
		return true
	}
	w.Lose(translate.LossUnreadableOption, "one without a name, an id or values, or of an unknown type, was left out")
	return false
})}

// valuesToV1 writes the values of an option, flat or in groups.
func valuesToV1(w *Writer, value []byte) bool {
	for o := range rawjson.Objects(value, nil) {
		if o.Get("groupId") != nil {
			return array{Func(groupToV1)}.Write(w, value)
		}
	}
	return array{optionValue}.Write(w, value)
}

func groupToV1(w *Writer, value []byte) bool {
	o, ok := rawjson.ReadObject(nil, value)
	return ok && optionGroup.write(w, withName(o, "groupId"))
}

// withName returns a group with its id as its name if it has none.
func withName(o rawjson.Object, id string) rawjson.Object {
	if _, ok := o.Text("name"); !ok && o.Get(id) != nil {
		return o.Set("name", o.Get(id))
	}
	return o
}

// valuesToV2 writes the values of an option, flat or in groups, like the first of them. There
// must be one.
func valuesToV2(w *Writer, value []byte) bool {
	element, first, grouped := optionValue, true, false
	return some{Func(func(w *Writer, value []byte) bool {
		o := rawjson.Members(value)
		_, inGroup := o.Text("group")
		if first {
			if first, grouped = false, inGroup; grouped {
				element = optionGroup
			}
		}
		if inGroup {
			o = withName(o, "group")
		}
		return inGroup == grouped && element.write(w, o)
	})}.Write(w, value)
}
