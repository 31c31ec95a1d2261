package forms

import (
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
	members, _ := rawjson.ReadObject(nil, o.Get("properties"))
	names, _ := rawjson.ReadArray(nil, o.Get("required"))
	required := make(map[string]bool)
	for _, name := range names {
		text := nameOf(name)
		if required[text] = true; members.Get(text) == nil {
			return nil, "a value is required that it does not describe"
		}
	}
	for _, f := range members {
		p, ok := readProperty(f.Value)
		p.name = string(f.Name)
		switch needed := required[p.name]; {
		case ok && (needed || p.form != free):
			properties = append(properties, p)
		case needed && !ok:
			return nil, "a value is required that nobody can choose"
		}
	}
	if len(properties) > maxProperties {
		return nil, "it asks for too much"
	}
	return properties, ""
}

// readProperty reads the schema of a property. It reports false if nothing is known of
// which the value could be chosen.
func readProperty(schema []byte) (p property, ok bool) {
	o, _ := rawjson.ReadObject(nil, schema)
	p.title, p.description = o.String("title"), o.String("description")
	kind, preset := o.String("type"), o.Get("default")
	switch choices, has := choicesIn(o, preset); {
	case has:
		p.form, p.choices = oneOf, choices
		return p, len(choices) > 0
	case kind == "boolean":
		p.form, p.no = yesOrNo, marked("No", []byte("false"), preset)
		p.choices = []asking.Choice{{ID: "true", Name: marked("Yes", []byte("true"), preset)}}
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
	if !rawjson.Null(preset) && allows(o, preset) {
		p.choices = []asking.Choice{{ID: string(preset), Name: marked(nameOf(preset), preset, preset)}}
	}
	return p, true
}

// choicesIn returns the values that a schema lists and allows, and tells which are in the
// default. It reports false if the schema lists none.
func choicesIn(o rawjson.Object, preset []byte) (choices []asking.Choice, has bool) {
	add := func(value []byte, title, description string) {
		if allows(o, value) {
			name := marked(cmp.Or(title, nameOf(value), string(value)), value, preset)
			choices = append(choices, asking.Choice{ID: string(value), Name: name, Description: description})
		}
	}
	for _, list := range [][]byte{o.Get("oneOf"), o.Get("anyOf")} {
		for option := range rawjson.Objects(list, nil) {
			add(option.Get("const"), option.String("title"), option.String("description"))
		}
		has = has || len(list) > 0 && list[0] == '['
	}
	values, isEnum := rawjson.ReadArray(nil, o.Get("enum"))
	for _, value := range values {
		add(value, "", "")
	}
	return choices, has || isEnum
}

// marked returns a name that says whether a value is the default, or in it.
func marked(name string, value, preset []byte) string {
	values, isArray := rawjson.ReadArray(nil, preset)
	if !isArray {
		values = [][]byte{preset}
	}
	if slices.ContainsFunc(values, func(v []byte) bool { return !rawjson.Null(v) && nameOf(v) == nameOf(value) }) {
		name += " (default)"
	}
	return name
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
