package shapes

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// The descriptions of options, by their type, and of the values of an option.
var (
	anyOption = Object{
		{"configId", renamed{"id", mustString}},
		{"name", mustString},
		{"description", StringOrNull},
		{"category", StringOrNull},
	}
	booleanOption = slices.Concat(anyOption, Object{{"currentValue", must{boolean}}})
	selectOption  = slices.Concat(anyOption, Object{{"currentValue", mustString}, {"options", must{Func(writeOptionValues)}}})
	optionValue   = Object{
		{"value", mustString},
		{"name", mustString},
		{"description", StringOrNull},
	}
	optionGroup = Object{
		{"groupId", renamed{"group", mustString}},
		{"name", mustString},
		{"options", must{towards{array{optionValue}, some{optionValue}}}},
	}
)

// Options returns the Rule of a list of options. booleans reports that the client has options of
// type boolean. Version 2 does not allow a select without values.
func Options(booleans bool) Rule {
	return array{Func(func(w *Writer, value []byte) bool {
		o := rawjson.Members(value)
		if o.String("type") == "boolean" && !booleans {
			w.Lose(translate.LossBooleanOption, "a boolean option is shown as a choice of on and off")
			o = asSelect(o)
		}
		kind := o.String("type")
		if kind == "select" && selectOption.writeMembers(w, o) || kind == "boolean" && booleanOption.writeMembers(w, o) {
			return true
		}
		w.Lose(translate.LossUnreadableOption, "an option without a name, an id or values, or of an unknown type, is omitted")
		return false
	})}
}

// optionsToV2 is the Rule of a list of options towards version 2.
var optionsToV2 = Options(true)

// ConfigOptions is an object with a list of options, which the Rule converts.
func ConfigOptions(rule Rule) Object {
	return Object{{"configOptions", must{rule}}}
}

// ConfigOptionsToV2 is an object with a list of options, which version 1 may omit.
var ConfigOptionsToV2 = Object{{"configOptions", orDefault{optionsToV2, "[]"}}}

// asSelect returns an option of type boolean as an option with the values on and off.
func asSelect(o rawjson.Object) rawjson.Object {
	switch string(o.Get("currentValue")) {
	case "true":
		o = o.Set("currentValue", []byte(`"on"`))
	case "false":
		o = o.Set("currentValue", []byte(`"off"`))
	}
	return Without(o, "type").Set("type", []byte(`"select"`)).Set("options", []byte(`[{"value":"off","name":"Off"},{"value":"on","name":"On"}]`))
}

// writeOptionValues writes the values of an option: groups of values if one of them is a group,
// otherwise single values. Version 2 requires at least one.
func writeOptionValues(w *Writer, value []byte) bool {
	element := Rule(optionValue)
	for o := range rawjson.Objects(value, nil) {
		if o.Get("groupId") != nil || o.Get("group") != nil {
			element = Func(writeOptionGroup)
		}
	}
	return towards{array{element}, some{element}}.Write(w, value)
}

// writeOptionGroup writes a group of values. The id is also the name of a group without a name.
func writeOptionGroup(w *Writer, value []byte) bool {
	o := rawjson.Members(value)
	if _, ok := o.Text("name"); !ok && o.Get("group") != nil {
		o = o.Set("name", o.Get("group"))
	}
	return optionGroup.writeMembers(w, o)
}
