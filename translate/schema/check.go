package schema

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/translate"
)

// allows reports whether a schema allows a value.
func (s *schema) allows(value any) bool {
	var c collector
	s.check(value, &c)
	return !c.any
}

// Validator returns a function that reports whether the schema of a form's property allows a raw
// value. It ignores const, enum, anyOf, oneOf and unreadable keywords.
func Validator(property []byte) (allows func(value []byte) bool) {
	var s schema
	_ = json.Unmarshal(property, &s)
	s.Const, s.Enum, s.AnyOf, s.OneOf = nil, nil, nil, nil
	s.link(nil)
	return func(value []byte) bool {
		var v any
		return json.Unmarshal(value, &v) == nil && s.allows(v)
	}
}

// check collects the faults of a value. A nil schema allows every value.
func (s *schema) check(value any, c *collector) {
	switch {
	case s == nil || c.enough():
		return
	case len(s.Type) > 0 && !s.hasType(value):
		c.note(fault{rule: wrongType, value: value, want: s.types})
		return
	case len(s.Enum) > 0 && !s.lists(value):
		c.note(fault{rule: wrongValue, schema: s, value: value, want: s.values})
		return
	}
	switch v := value.(type) {
	case string:
		s.checkText(v, c)
	case float64:
		s.checkNumber(v, c)
	case []any:
		s.checkArray(v, c)
	case Object:
		s.checkObject(v, c)
	}
	s.ref.check(value, c)
	for _, one := range s.AllOf {
		one.check(value, c)
	}
	if s.Not != nil && s.Not.allows(value) {
		c.note(fault{rule: forbidden, value: value})
	}
	if len(s.AnyOf) > 0 && !slices.ContainsFunc(s.AnyOf, func(b *schema) bool { return b.allows(value) }) {
		c.noteBranch(s.AnyOf, value)
	}
	allowing := 0
	for _, branch := range s.OneOf {
		if branch.allows(value) {
			allowing++
		}
	}
	switch {
	case len(s.OneOf) > 0 && allowing == 0:
		c.noteBranch(s.OneOf, value)
	case allowing > 1:
		c.note(fault{description: formatValue(value) + " that matches two alternatives"})
	}
}

// lists reports whether Enum contains a value.
func (s *schema) lists(value any) bool {
	return slices.ContainsFunc(s.Enum, func(one any) bool { return reflect.DeepEqual(one, value) })
}

func (s *schema) hasType(value any) bool {
	n, isNumber := value.(float64)
	return slices.Contains(s.Type, typeOf(value)) || isNumber && n == math.Trunc(n) && slices.Contains(s.Type, "integer")
}

func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case Object:
		return "object"
	}
	return "number"
}

func (s *schema) checkText(text string, c *collector) {
	c.noteLength(s.MinLength, s.MaxLength, utf8.RuneCountInString(text))
	switch {
	case s.pattern != nil && !s.pattern.MatchString(text):
		c.note(fault{value: text, want: []string{"like " + s.Pattern}})
	case s.Format == "uri" && !isURI(text):
		c.note(fault{value: text, want: []string{"a URI"}})
	case s.Format == "date-time" && !isTime(text):
		c.note(fault{value: text, want: []string{"a date and time, such as 2026-01-31T12:00:00Z"}})
	case s.ContentEncoding == "base64" && !isBase64(text):
		c.note(fault{value: text, want: []string{"base64"}})
	}
}

// isURI reports whether the SDKs of version 2 accept a text as a URI.
func isURI(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.IsAbs()
}

// isTime reports whether a text is an RFC 3339 time. It accepts leap seconds.
func isTime(text string) bool {
	const leap, before = ":60", ":59"
	text = strings.ToUpper(text)
	if i := len("2006-01-02T15:04"); len(text) > i+len(leap) && text[i:i+len(leap)] == leap {
		text = text[:i] + before + text[i+len(leap):]
	}
	return translate.IsTime(text)
}

func isBase64(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil
}

func (s *schema) checkNumber(n float64, c *collector) {
	switch {
	case s.Minimum != nil && n < *s.Minimum:
		c.note(fault{value: n, want: []string{formatValue(*s.Minimum) + " or more"}})
	case s.Maximum != nil && n > *s.Maximum:
		c.note(fault{value: n, want: []string{formatValue(*s.Maximum) + " or less"}})
	}
}

func (s *schema) checkArray(elements []any, c *collector) {
	c.noteLength(s.MinItems, s.MaxItems, len(elements))
	for i, element := range elements {
		s.Items.checkAt(element, step{index: i + 1}, c)
	}
}

func (s *schema) checkObject(members Object, c *collector) {
	var missing []string
	for _, name := range s.Required {
		if _, ok := members[name]; !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		c.note(fault{rule: missingMember, schema: s, want: missing})
	}
	for _, name := range s.members {
		if value, ok := members[name]; ok {
			s.Properties[name].checkAt(value, step{name: name}, c)
		}
	}
	if s.Additional.schema == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if s.Properties[name] == nil {
			s.Additional.checkAt(members[name], step{name: name}, c)
		}
	}
}

// checkAt checks an element or a member of the current value, which is one step below it.
func (s *schema) checkAt(value any, at step, c *collector) {
	c.path = append(c.path, at)
	s.check(value, c)
	c.path = c.path[:len(c.path)-1]
}
