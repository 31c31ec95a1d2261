package schema

import (
	"encoding/base64"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// allows reports whether a schema allows a value.
func (s *schema) allows(value any) bool {
	var c faults
	s.check(value, &c)
	return !c.any
}

// check notes what a schema does not allow in a value, until there are enough faults.
func (s *schema) check(value any, c *faults) {
	switch {
	case s == nil || c.enough():
		return
	case len(s.types) > 0 && !slices.ContainsFunc(s.types, func(name string) bool { return hasType(value, name) }):
		c.note(fault{rule: wrongType, types: s.types})
		return
	case len(s.values) > 0 && !slices.ContainsFunc(s.values, func(v any) bool { return equal(v, value) }):
		c.note(fault{rule: wrongValue, of: s, values: s.values})
		return
	}
	switch v := value.(type) {
	case string:
		s.text(v, c)
	case float64:
		s.number(v, c)
	case []any:
		s.array(v, c)
	case Object:
		s.object(v, c)
	}
	s.ref.check(value, c)
	for _, one := range s.allOf {
		one.check(value, c)
	}
	if s.not != nil && s.not.allows(value) {
		c.note(fault{rule: forbidden})
	}
	if len(s.anyOf) > 0 && !slices.ContainsFunc(s.anyOf, func(b *schema) bool { return b.allows(value) }) {
		c.noteAll(s.anyOf, value)
	}
	allowing := 0
	for _, branch := range s.oneOf {
		if branch.allows(value) {
			allowing++
		}
	}
	switch {
	case len(s.oneOf) > 0 && allowing == 0:
		c.noteAll(s.oneOf, value)
	case allowing > 1:
		c.note(fault{rule: ambiguous})
	}
}

// equal compares two values of which one is neither an array nor an object.
func equal(want, value any) bool {
	switch value.(type) {
	case []any, Object:
		return false
	}
	return want == value
}

func hasType(value any, name string) bool {
	switch v := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case []any:
		return name == "array"
	case Object:
		return name == "object"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	}
	return false
}

func (s *schema) text(text string, c *faults) {
	switch {
	case s.minLength > 0 && utf8.RuneCountInString(text) < s.minLength:
		c.note(fault{rule: tooShort, least: float64(s.minLength)})
	case s.format == "uri" && !isURI(text):
		c.note(fault{rule: wrongForm, form: "a URI"})
	case s.format == "date-time" && !isTime(text):
		c.note(fault{rule: wrongForm, form: "a date and time, such as 2026-01-31T12:00:00Z"})
	case s.base64 && !isBase64(text):
		c.note(fault{rule: wrongForm, form: "base64"})
	}
}

// isURI reports whether the SDKs of version 2 take a text for a URI.
func isURI(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.IsAbs()
}

// isTime reports whether a text is a time of RFC 3339, in which a leap second is allowed.
func isTime(text string) bool {
	const leap, before = ":60", ":59"
	text = strings.ToUpper(text)
	if i := len("2006-01-02T15:04"); len(text) > i+len(leap) && text[i:i+len(leap)] == leap {
		text = text[:i] + before + text[i+len(leap):]
	}
	var t time.Time
	return t.UnmarshalText([]byte(text)) == nil
}

func isBase64(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil
}

func (s *schema) number(n float64, c *faults) {
	switch {
	case s.minimum != nil && n < *s.minimum:
		c.note(fault{rule: tooSmall, least: *s.minimum})
	case s.maximum != nil && n > *s.maximum:
		c.note(fault{rule: tooBig, most: *s.maximum})
	}
}

func (s *schema) array(elements []any, c *faults) {
	if len(elements) < s.minItems {
		c.note(fault{rule: tooShort, least: float64(s.minItems)})
	}
	for i, element := range elements {
		if s.items == nil || c.enough() {
			return
		}
		s.items.checkAt(element, strconv.Itoa(i), c)
	}
}

func (s *schema) object(members Object, c *faults) {
	var missing []string
	for _, name := range s.required {
		if _, ok := members[name]; !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		c.note(fault{rule: lacks, of: s, missing: missing})
	}
	for _, p := range s.properties {
		if value, is := members[p.name]; is {
			p.schema.checkAt(value, p.name, c)
		}
	}
	if s.additional == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.ContainsFunc(s.properties, func(p property) bool { return p.name == name }) {
			s.additional.checkAt(members[name], name, c)
		}
	}
}

// checkAt judges what is at a step from the value that is judged.
func (s *schema) checkAt(value any, step string, c *faults) {
	if c.limit == 0 {
		s.check(value, c)
		return
	}
	c.at = append(c.at, step)
	s.check(value, c)
	c.at = c.at[:len(c.at)-1]
}
