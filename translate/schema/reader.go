package schema

import (
	"fmt"
	"slices"
	"strings"
)

// A schema says which values are allowed. What it does not ask for is zero.
type schema struct {
	types  []string // of which a value must have one
	values []any    // of which a value must be one; they are not arrays or objects
	format string

	ref          *schema
	allOf        []*schema
	anyOf, oneOf []*schema
	not          *schema

	properties []property // the one that is the tag first, then by name
	required   []string
	additional *schema // of the members that properties lacks
	items      *schema

	minItems, minLength int
	minimum, maximum    *float64
	base64              bool

	// tag is the required member that has a single value: one tells the branches of a
	// choice apart by it.
	tag string
}

type property struct {
	name   string
	schema *schema
}

// property returns the schema of the member of that name, nil if there is none.
func (s *schema) property(name string) *schema {
	for _, p := range s.properties {
		if p.name == name {
			return p.schema
		}
	}
	return nil
}

// branches returns what there is to choose from.
func (s *schema) branches() []*schema { return slices.Concat(s.anyOf, s.oneOf) }

// A reader reads schemas. Its error is the first that there was.
type reader struct {
	definitions map[string]Object
	read        map[string]*schema
	err         error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// definition returns the definition of that name. Definitions may refer to each other.
func (r *reader) definition(name string) *schema {
	if s := r.read[name]; s != nil {
		return s
	}
	s := new(schema)
	r.read[name] = s
	definition, ok := r.definitions[name]
	if !ok {
		r.fail("there is no definition %s", name)
	}
	r.object(s, definition)
	return s
}

// schema reads a value that is a schema: nil if it allows everything.
func (r *reader) schema(value any) *schema {
	if value == true {
		return nil
	}
	o, ok := value.(Object)
	if !ok {
		r.fail("%v is no schema", value)
		return nil
	}
	s := new(schema)
	r.object(s, o)
	return s
}

func (r *reader) schemas(value any) (all []*schema) {
	list, _ := value.([]any)
	for _, one := range list {
		all = append(all, r.schema(one))
	}
	if slices.Contains(all, nil) || len(all) == 0 {
		r.fail("not a list of schemas: %v", value)
		return nil
	}
	return all
}

func (r *reader) object(s *schema, o Object) {
	for keyword, value := range o {
		if !r.combination(s, keyword, value) && !r.ofMembers(s, keyword, value) && !r.ofValue(s, keyword, value) && !isNote(keyword, value) {
			r.fail("%s is not known: %v", keyword, value)
		}
	}
	for i, p := range s.properties {
		if p.schema != nil && len(p.schema.values) == 1 && slices.Contains(s.required, p.name) {
			s.tag = p.name
			s.properties = append([]property{p}, slices.Delete(s.properties, i, i+1)...)
			return
		}
	}
}

func (r *reader) combination(s *schema, keyword string, value any) bool {
	switch keyword {
	case "$ref":
		text, _ := value.(string)
		name, ok := strings.CutPrefix(text, "#/$defs/")
		if !ok {
			r.fail("a reference to %v", value)
			return true
		}
		s.ref = r.definition(name)
	case "allOf":
		s.allOf = r.schemas(value)
	case "anyOf":
		s.anyOf = r.schemas(value)
	case "oneOf":
		s.oneOf = r.schemas(value)
	case "not":
		s.not = r.schema(value)
	default:
		return false
	}
	return true
}

func (r *reader) ofMembers(s *schema, keyword string, value any) bool {
	switch keyword {
	case "properties":
		o, _ := value.(Object)
		for name, value := range o {
			s.properties = append(s.properties, property{name, r.schema(value)})
		}
		slices.SortFunc(s.properties, func(a, b property) int { return strings.Compare(a.name, b.name) })
	case "required":
		s.required = r.texts(value)
	case "additionalProperties":
		s.additional = r.schema(value)
	case "items":
		s.items = r.schema(value)
	case "minItems":
		s.minItems = int(r.number(value))
	default:
		return false
	}
	return true
}

func (r *reader) ofValue(s *schema, keyword string, value any) bool {
	switch keyword {
	case "type":
		if name, ok := value.(string); ok {
			value = []any{name}
		}
		s.types = r.texts(value)
	case "const":
		s.values = r.scalars([]any{value})
	case "enum":
		s.values = r.scalars(value)
	case "format":
		s.format, _ = value.(string)
	case "contentEncoding":
		if s.base64 = value == "base64"; !s.base64 {
			r.fail("the encoding %v", value)
		}
	case "minLength":
		s.minLength = int(r.number(value))
	case "minimum":
		n := r.number(value)
		s.minimum = &n
	case "maximum":
		n := r.number(value)
		s.maximum = &n
	default:
		return false
	}
	return true
}

// isNote reports whether a keyword asks for nothing.
func isNote(keyword string, value any) bool {
	switch keyword {
	case "title", "description", "default", "discriminator":
		return true
	case "unevaluatedProperties":
		return value == true
	}
	return strings.HasPrefix(keyword, "x-")
}

func (r *reader) number(value any) float64 {
	n, ok := value.(float64)
	if !ok {
		r.fail("%v is no number", value)
	}
	return n
}

func (r *reader) texts(value any) (texts []string) {
	list, _ := value.([]any)
	for _, one := range list {
		text, _ := one.(string)
		texts = append(texts, text)
	}
	if slices.Contains(texts, "") || len(texts) == 0 {
		r.fail("not a list of names: %v", value)
	}
	return texts
}

func (r *reader) scalars(value any) []any {
	list, _ := value.([]any)
	for _, one := range list {
		switch one.(type) {
		case []any, Object:
			r.fail("a value that is not compared: %v", one)
		}
	}
	return list
}
