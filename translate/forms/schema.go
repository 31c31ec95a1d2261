package forms

import (
	"bytes"
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/transport/rawjson"
)

// A property is a value of a form for which the user is asked.
type property struct {
	name               string
	title, description string
	form               propertyForm
	choices            []asking.Choice // their ids are raw values
	atLeast, atMost    int             // of several choices
	no                 string          // the name of the value false
}

type propertyForm uint8

const (
	oneOf propertyForm = iota
	someOf
	yesOrNo
	free // a number or a text: the only choice is the default, if there is one
)

// maxProperties bounds what a user is asked for one form.
const maxProperties = 32

// readProperties returns the properties of a form for which the user is asked. A number or
// a text that is not required is left out. why says why the form cannot be asked, "" if it
// can.
func readProperties(schema []byte) (properties []property, why string) {
	o, ok := rawjson.ReadObject(nil, schema)
	if !ok {
		return nil, "it has no schema"
	}
	missing := make(map[string]bool)
	names, _ := rawjson.ReadArray(nil, o.Get("required"))
	for _, name := range names {
		text, _ := rawjson.TextOf(name)
		missing[string(text)] = true
	}
	members, _ := rawjson.ReadObject(nil, o.Get("properties"))
	for i, f := range members {
		if slices.ContainsFunc(members[i+1:], func(later rawjson.Field) bool { return bytes.Equal(later.Name, f.Name) }) {
			continue // the last counts
		}
		p, ok := readProperty(f.Value)
		p.name = string(f.Name)
		required := missing[p.name]
		switch {
		case ok && (required || p.form != free):
			properties = append(properties, p)
			delete(missing, p.name)
		case required && !ok:
			return nil, "a value is required that nobody can choose"
		}
	}
	switch {
	case len(missing) > 0:
		return nil, "a value is required that it does not describe"
	case len(properties) > maxProperties:
		return nil, "it asks for too much"
	}
	return properties, ""
}

// readProperty reads the schema of a property. It reports false if nothing is known of
// which the value could be chosen.
func readProperty(schema []byte) (p property, ok bool) {
	o, _ := rawjson.ReadObject(nil, schema)
	p.title, p.description = o.String("title"), o.String("description")
	kind := o.String("type")
	preset := presetsIn(o.Get("default"))
	switch choices, has := choicesIn(o, preset); {
	case has:
		p.form, p.choices = oneOf, choices
		return p, len(choices) > 0
	case kind == "boolean":
		p.form, p.no = yesOrNo, preset.mark("No", []byte("false"))
		p.choices = []asking.Choice{{ID: "true", Name: preset.mark("Yes", []byte("true"))}}
		return p, true
	case kind == "array":
		items, _ := rawjson.ReadObject(nil, o.Get("items"))
		if choices, has := choicesIn(items, preset); has {
			p.form, p.choices = someOf, choices
			p.atLeast, p.atMost = count(o.Get("minItems"), 0), count(o.Get("maxItems"), math.MaxInt32)
			return p, len(choices) > 0 && max(p.atLeast, 1) <= min(p.atMost, len(choices))
		}
	case kind != "string" && kind != "number" && kind != "integer":
		return p, false
	}
	p.form = free
	if value := o.Get("default"); !rawjson.Null(value) && allows(o, value) {
		p.choices = []asking.Choice{{ID: string(value), Name: preset.mark(nameOf(value), value)}}
	}
	return p, true
}

// choicesIn returns the values that a schema lists and allows, each once. It reports false
// if the schema lists none.
func choicesIn(o rawjson.Object, preset presets) (choices []asking.Choice, has bool) {
	listed, list := listedIn(o)
	times := make(map[string]int)
	for _, c := range listed {
		times[key([]byte(c.ID))]++
	}
	for _, c := range listed {
		value := []byte(c.ID)
		n := times[key(value)]
		isTwice := n > 1 && list == "oneOf" // which does not allow it then
		if n == 0 || isTwice || !allows(o, value) {
			continue
		}
		times[key(value)] = 0
		c.Name = preset.mark(cmp.Or(c.Name, nameOf(value), c.ID), value)
		choices = append(choices, c)
	}
	return choices, list != ""
}

// listedIn returns the values that a schema lists, and the keyword that lists them.
func listedIn(o rawjson.Object) (listed []asking.Choice, list string) {
	for _, list := range []string{"oneOf", "anyOf"} {
		value := o.Get(list)
		if len(value) == 0 || value[0] != '[' {
			continue
		}
		for option := range rawjson.Objects(value, nil) {
			listed = append(listed, asking.Choice{ID: string(option.Get("const")), Name: option.String("title"), Description: option.String("description")})
		}
		return listed, list
	}
	values, is := rawjson.ReadArray(nil, o.Get("enum"))
	if !is {
		return nil, ""
	}
	names, _ := rawjson.ReadArray(nil, o.Get("enumNames"))
	for i, value := range values {
		var name []byte
		if len(names) == len(values) {
			name, _ = rawjson.TextOf(names[i])
		}
		listed = append(listed, asking.Choice{ID: string(value), Name: string(name)})
	}
	return listed, "enum"
}

// presets are the keys of a default, and of the values in it.
type presets map[string]bool

func presetsIn(value []byte) presets {
	all := presets{key(value): true}
	values, _ := rawjson.ReadArray(nil, value)
	for _, v := range values {
		all[key(v)] = true
	}
	return all
}

// mark returns a name that says whether a value is the default, or in it.
func (all presets) mark(name string, value []byte) string {
	if all[key(value)] {
		name += " (default)"
	}
	return name
}

// key returns what two values that are the same have in common. Of arrays and objects only
// the spelling counts.
func key(value []byte) string {
	if text, ok := rawjson.TextOf(value); ok {
		return `"` + string(text)
	}
	if n, ok := number(value); ok {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return string(value)
}

// nameOf returns what a value says.
func nameOf(value []byte) string {
	if text, ok := rawjson.TextOf(value); ok {
		return string(text)
	}
	return string(value)
}

// count reads a number of items.
func count(value []byte, otherwise int) int {
	if n, ok := number(value); ok {
		return int(min(max(n, 0), math.MaxInt32))
	}
	return otherwise
}

func number(value []byte) (float64, bool) {
	if len(value) == 0 || value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(value), 64)
	return n, err == nil
}

// allows reports whether the schema of a property allows a value, as far as a form of the
// protocol can say that, and leaving aside which values it lists.
func allows(o rawjson.Object, value []byte) bool {
	kind := o.String("type")
	text, isText := rawjson.TextOf(value)
	n, isNumber := number(value)
	elements, isArray := rawjson.ReadArray(nil, value)
	switch {
	case len(value) == 0,
		kind == "string" && !isText,
		kind == "number" && !isNumber,
		kind == "integer" && (!isNumber || n != math.Trunc(n)),
		kind == "boolean" && string(value) != "true" && string(value) != "false",
		kind == "array" && !isArray:
		return false
	}
	limits := func(size float64, least, most string) bool {
		low, hasLow := number(o.Get(least))
		high, hasHigh := number(o.Get(most))
		return (!hasLow || size >= low) && (!hasHigh || size <= high)
	}
	switch {
	case isText:
		matches, err := regexp.Compile(o.String("pattern"))
		return limits(float64(utf8.RuneCount(text)), "minLength", "maxLength") && (err != nil || matches.Match(text))
	case isNumber:
		return limits(n, "minimum", "maximum")
	case isArray:
		items, _ := rawjson.ReadObject(nil, o.Get("items"))
		return limits(float64(len(elements)), "minItems", "maxItems") &&
			!slices.ContainsFunc(elements, func(e []byte) bool { return !allows(items, e) })
	}
	return true
}
