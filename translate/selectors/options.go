package selectors

import (
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// A legacySelector describes how version 1 reports and sets a selector without a config option.
type legacySelector struct {
	category, name string // of the option; the category is also its id if no other option has that id

	member                 string // member of a result
	current, available, id string // members of the value of member
	method, param          string // the request that sets the selector
}

// legacySelectors has the selectors that an agent may report without an option.
var legacySelectors = [...]legacySelector{
	modes:  {"mode", "Mode", "modes", "currentModeId", "availableModes", "id", "session/set_mode", "modeId"},
	models: {"model", "Model", "models", "currentModelId", "availableModels", "modelId", "session/set_model", "modelId"},
}

const (
	modes = iota
	models
)

// findOption returns the first select of the category in a list of options. Without one, it returns
// the select with the category as its id, or nil.
func findOption(list []byte, category string) (named rawjson.Object) {
	for o := range rawjson.Objects(list, nil) {
		switch id, ok := o.Text("id"); {
		case !ok || o.String("type") != "select":
		case o.String("category") == category:
			return o
		case string(id) == category:
			named = append(named[:0], o...)
		}
	}
	return named
}

// values returns the values of an option, including those in groups. It omits elements without
// the member value or name.
func values(o rawjson.Object) (list []rawjson.Object) {
	add := func(raw []byte) {
		v := rawjson.Members(raw)
		if _, ok := v.Text("value"); ok {
			if _, ok := v.Text("name"); ok {
				list = append(list, v)
			}
		}
	}
	elements, _ := rawjson.ReadArray(nil, o.Get("options"))
	for _, e := range elements {
		add(e)
		group, _ := rawjson.ReadArray(nil, rawjson.Get(e, "options"))
		for _, e := range group {
			add(e)
		}
	}
	return list
}

func hasValue(o rawjson.Object, value string) bool {
	return slices.ContainsFunc(values(o), func(v rawjson.Object) bool { return v.String("value") == value })
}

// currentOf returns the current value of an option, or "" if the option has no such value.
func currentOf(o rawjson.Object) string {
	if current := o.String("currentValue"); hasValue(o, current) {
		return current
	}
	return ""
}

// modesOf converts an option to the value of the member modes.
func modesOf(o rawjson.Object) []byte {
	f := &legacySelectors[modes]
	var b rawjson.Builder
	b.Object()
	b.Member(f.current, o.Get("currentValue"))
	b.Name(f.available)
	b.Array()
	for _, v := range values(o) {
		appendValue(&b, f.id, v.String("value"), v, "value")
	}
	b.EndArray()
	b.EndObject()
	return b.Out
}

// optionOf converts the value of modes or models to an option, and returns nil if no value is
// readable. It calls lose for each value that it omits.
func (f *legacySelector) optionOf(value []byte, lose func()) []byte {
	o := rawjson.Members(value)
	current, hasCurrent := o.Text(f.current)
	seen := make(map[string]bool)
	var list rawjson.Builder
	list.Array()
	for v := range rawjson.Objects(o.Get(f.available), nil) {
		id, ok := v.Text(f.id)
		if !ok || seen[string(id)] {
			lose()
			continue
		}
		if !hasCurrent {
			current, hasCurrent = id, true
		}
		seen[string(id)] = true
		appendValue(&list, "value", string(id), v, f.id)
	}
	if len(seen) == 0 {
		return nil
	}
	list.EndArray()
	var b rawjson.Builder
	b.Object()
	b.Texts("id", f.category, "name", f.name, "category", f.category, "type", "select", "currentValue", "")
	b.Member("options", list.Out)
	b.EndObject()
	return setValue(b.Out, string(current))
}

// setValue returns a copy of a select without groups, with another current value. It adds the value
// if the select lacks it.
func setValue(option []byte, value string) []byte {
	if o := rawjson.Members(option); !hasValue(o, value) {
		list := o.Get("options")
		b := rawjson.Builder{Out: append([]byte(nil), list[:len(list)-1]...)}
		appendValue(&b, "value", value, nil, "")
		b.EndArray()
		option = rawjson.With(option, b.Out, "options")
	}
	return rawjson.With(option, rawjson.AppendQuoted(nil, value), "currentValue")
}

// appendValue writes a mode, a model or a value of an option, with an id in the member idName. The
// other members are those of o, whose own id is in the member oldIDName.
func appendValue(b *rawjson.Builder, idName, id string, o rawjson.Object, oldIDName string) {
	name, ok := o.Text("name")
	if !ok {
		name = []byte(id)
	}
	b.Object()
	b.Texts(idName, id, "name", string(name))
	writeOthers(b, o, idName, "name", oldIDName)
	b.EndObject()
}

// writeOthers writes the members of an object except those with these names.
func writeOthers(b *rawjson.Builder, o rawjson.Object, except ...string) {
	for _, f := range o {
		if !slices.Contains(except, string(f.Name)) {
			b.Field(f)
		}
	}
}
