package words

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// The members of an option, by its type.
var (
	selection = append(option, table{
		{"currentValue", "currentValue", must(String), must(String)},
		{"options", "options", must(valuesToV1), must(valuesToV2)},
	}...).shapes()
	boolean = append(option, row{"currentValue", "currentValue", must(Boolean), must(Boolean)}).shapes()
	// onOff is an option of type boolean for a client that has none: a choice of two.
	onOff = append(option, table{
		{"type", "type", is(`"select"`), asIs},
		{"currentValue", "currentValue", must(onOrOff), asIs},
		{"options", "options", is(`[{"value":"off","name":"Off"},{"value":"on","name":"On"}]`), asIs},
	}...).shapes()
)

// option has the members of every option.
var option = table{
	{"id", "configId", must(String), must(String)},
	{"name", "name", must(String), must(String)},
	{"description", "description", may(StringOrNull), asIs},
	{"category", "category", may(StringOrNull), asIs},
}

// optionValue and optionGroup are a value of an option, and a group of them.
var (
	optionValue = table{
		{"value", "value", must(String), must(String)},
		{"name", "name", must(String), must(String)},
		{"description", "description", may(StringOrNull), asIs},
	}.shapes()
	optionGroup = table{
		{"group", "groupId", must(String), must(String)},
		{"name", "name", must(String), must(String)},
		{"options", "options", must(Array(optionValue.ToV1.Convert)), must(some(optionValue.ToV2.Convert))},
	}.shapes()
)

// OptionsToV1 returns what writes a list of options for a client that knows those of
// type boolean, or that does not.
func OptionsToV1(booleans bool) Convert {
	return Array(func(w *Writer, value []byte) bool {
		o, _ := rawjson.ReadObject(nil, value)
		kind, _ := o.Text("type")
		shape := selection.ToV1
		switch {
		case string(kind) == "select":
		case string(kind) == "boolean" && booleans:
			shape = boolean.ToV1
		case string(kind) == "boolean":
			w.Lose(translate.LossBooleanOption, "shown as a choice of on and off")
			shape = onOff.ToV1
		default:
			w.Lose(translate.LossOptionType, "left out")
			return false
		}
		if !shape.ConvertObject(w, o) {
			w.Lose(translate.LossUnreadableOption, "left out")
			return false
		}
		return true
	})
}

// OptionToV2 writes an option. Version 2 has no select without values.
func OptionToV2(w *Writer, o rawjson.Object) bool {
	switch kind, _ := o.Text("type"); string(kind) {
	case "select":
		return selection.ToV2.ConvertObject(w, o)
	case "boolean":
		return boolean.ToV2.ConvertObject(w, o)
	}
	return false
}

func onOrOff(w *Writer, value []byte) bool {
	switch string(value) {
	case "true":
		w.JSON(`"on"`)
	case "false":
		w.JSON(`"off"`)
	default:
		return false
	}
	return true
}

// valuesToV1 writes the values of an option, flat or in groups.
func valuesToV1(w *Writer, value []byte) bool {
	element := optionValue.ToV1.Convert
	for o := range rawjson.Objects(value, nil) {
		if o.Get("groupId") != nil {
			element = groupToV1
			break
		}
	}
	return Array(element)(w, value)
}

func groupToV1(w *Writer, value []byte) bool {
	o, ok := rawjson.ReadObject(nil, value)
	return ok && optionGroup.ToV1.ConvertObject(w, named(o, "groupId"))
}

// named returns a group with its id as its name if it has none.
func named(o rawjson.Object, id string) rawjson.Object {
	if _, ok := o.Text("name"); !ok && o.Get(id) != nil {
		return o.Set("name", o.Get(id))
	}
	return o
}

// valuesToV2 writes the values of an option: flat or in groups, as the first of them
// is. There must be one.
func valuesToV2(w *Writer, value []byte) bool {
	element, first, grouped := optionValue.ToV2, true, false
	return some(func(w *Writer, value []byte) bool {
		o, _ := rawjson.ReadObject(nil, value)
		_, inGroup := o.Text("group")
		if first {
			if first, grouped = false, inGroup; grouped {
				element = optionGroup.ToV2
			}
		}
		if inGroup {
			o = named(o, "group")
		}
		return inGroup == grouped && element.ConvertObject(w, o)
	})(w, value)
}

// some is Array for arrays of which at least one element must have a form.
func some(element Convert) Convert {
	return func(w *Writer, value []byte) bool {
		start := len(w.Out)
		if Array(element)(w, value) && !bytes.HasSuffix(w.Out, []byte("[]")) {
			return true
		}
		w.Out = w.Out[:start]
		return false
	}
}

// mode is a mode of version 1, and the value of an option of version 2.
var mode = Shape{
	{Name: "value", To: "id", Convert: String, Required: true},
	{Name: "name", Convert: String, Required: true},
	{Name: "description", Convert: StringOrNull},
}

// ModesToV1 writes the modes that the values of an option are, each a raw value. The
// raw id of the current one is given.
func ModesToV1(w *Writer, current []byte, values [][]byte) {
	w.Object()
	w.Member("currentModeId", current)
	w.Name("availableModes")
	w.Array()
	for _, value := range values {
		mode.Convert(w, value)
	}
	w.EndArray()
	w.EndObject()
}

// ModeToV2 writes a mode or a model with that id as the value of an option.
func ModeToV2(w *rawjson.Builder, id []byte, o rawjson.Object) {
	w.Object()
	w.StringMember("value", id)
	name, ok := o.Text("name")
	if !ok {
		name = id
	}
	w.StringMember("name", name)
	if description := o.Get("description"); len(description) > 0 && description[0] == '"' {
		w.Member("description", description)
	}
	if meta := o.Get("_meta"); isObject(meta) {
		w.Member("_meta", meta)
	}
	w.EndObject()
}
