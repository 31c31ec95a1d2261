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
func (s *schema) allows(value any) bool { return s.check(value, nil) }

// check reports whether a schema allows a value. It notes the faults and stops when c has
// enough of them: at the first if c is nil.
func (s *schema) check(value any, c *faults) bool {
	if s == nil {
		return true
	}
	if len(s.types) > 0 && !slices.ContainsFunc(s.types, func(name string) bool { return hasType(value, name) }) {
		return c.note(fault{rule: wrongType, types: s.types})
	}
	if len(s.values) > 0 && !slices.ContainsFunc(s.values, func(v any) bool { return equal(v, value) }) {
		return c.note(fault{rule: wrongValue, of: s, values: s.values})
	}
	ok := s.checkOne(value, c)
	if ok || !c.enough() {
		ok = s.combined(value, c) && ok
	}
	if ok || !c.enough() {
		ok = s.chosen(value, c) && ok
	}
	return ok
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

// checkOne judges what is asked of values of the type that the value has.
func (s *schema) checkOne(value any, c *faults) bool {
	switch v := value.(type) {
	case string:
		return s.text(v, c)
	case float64:
		return s.number(v, c)
	case []any:
		return s.array(v, c)
	case Object:
		return s.object(v, c)
	}
	return true
}

func (s *schema) text(text string, c *faults) bool {
	switch {
	case s.minLength > 0 && utf8.RuneCountInString(text) < s.minLength:
		return c.note(fault{rule: tooShort, least: float64(s.minLength)})
	case s.format == "uri" && !isURI(text):
		return c.note(fault{rule: wrongForm, form: "a URI"})
	case s.format == "date-time" && !isTime(text):
		return c.note(fault{rule: wrongForm, form: "a date and time, such as 2026-01-31T12:00:00Z"})
	case s.base64 && !isBase64(text):
		return c.note(fault{rule: wrongForm, form: "base64"})
	}
	return true
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

func (s *schema) number(n float64, c *faults) bool {
	switch {
	case s.minimum != nil && n < *s.minimum:
		return c.note(fault{rule: tooSmall, least: *s.minimum})
	case s.maximum != nil && n > *s.maximum:
		return c.note(fault{rule: tooBig, most: *s.maximum})
	}
	return true
}

func (s *schema) array(elements []any, c *faults) bool {
	ok := len(elements) >= s.minItems || c.note(fault{rule: tooShort, least: float64(s.minItems)})
	if s.items == nil {
		return ok
	}
	for i, element := range elements {
		if !ok && c.enough() {
			return false
		}
		ok = s.items.checkAt(element, strconv.Itoa(i), c) && ok
	}
	return ok
}

func (s *schema) object(members Object, c *faults) bool {
	ok := s.complete(members, c)
	for _, p := range s.properties {
		if !ok && c.enough() {
			return false
		}
		if value, is := members[p.name]; is && p.schema != nil {
			ok = p.schema.checkAt(value, p.name, c) && ok
		}
	}
	if s.additional == nil {
		return ok
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !ok && c.enough() {
			return false
		}
		if !slices.ContainsFunc(s.properties, func(p property) bool { return p.name == name }) {
			ok = s.additional.checkAt(members[name], name, c) && ok
		}
	}
	return ok
}

// checkAt judges what is at a step from the value that is judged.
func (s *schema) checkAt(value any, step string, c *faults) bool {
	if c == nil {
		return s.check(value, nil)
	}
	c.at = append(c.at, step)
	ok := s.check(value, c)
	c.at = c.at[:len(c.at)-1]
	return ok
}

func (s *schema) complete(members Object, c *faults) bool {
	var missing []string
	for _, name := range s.required {
		if _, ok := members[name]; !ok {
			if c == nil {
				return false
			}
			missing = append(missing, name)
		}
	}
	return len(missing) == 0 || c.note(fault{rule: lacks, of: s, missing: missing})
}

// combined judges by the schemas that all have to allow a value.
func (s *schema) combined(value any, c *faults) bool {
	ok := s.ref.check(value, c)
	for _, one := range s.allOf {
		if !ok && c.enough() {
			return false
		}
		ok = one.check(value, c) && ok
	}
	if s.not != nil && s.not.allows(value) {
		return c.note(fault{rule: forbidden})
	}
	return ok
}

// chosen judges by the schemas of which one has to allow a value: just one of oneOf.
func (s *schema) chosen(value any, c *faults) bool {
	ok := true
	if len(s.anyOf) > 0 && !slices.ContainsFunc(s.anyOf, func(b *schema) bool { return b.allows(value) }) {
		ok = c.noteAll(s.anyOf, value)
	}
	if len(s.oneOf) == 0 {
		return ok
	}
	allowing := 0
	for _, branch := range s.oneOf {
		if branch.allows(value) {
			allowing++
		}
	}
	switch {
	case allowing == 0:
		return c.noteAll(s.oneOf, value)
	case allowing > 1:
		return c.note(fault{rule: ambiguous})
	}
	return ok
}
