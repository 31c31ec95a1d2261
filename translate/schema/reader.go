package schema

import (
	"maps"
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

// A reader reads schemas. A test sees that the drafts say nothing that it does not know.
type reader struct {
	definitions map[string]Object
	read        map[string]*schema
}

// definition returns the definition of that name. Definitions may refer to each other.
func (r *reader) definition(name string) *schema {
	if s := r.read[name]; s != nil {
		return s
	}
	s := new(schema)
	r.read[name] = s
	r.object(s, r.definitions[name])
	return s
}

// schema reads a value that is a schema: nil if it allows everything.
func (r *reader) schema(value any) *schema {
	o, ok := value.(Object)
	if !ok {
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
	return all
}

func (r *reader) object(s *schema, o Object) {
	for keyword, value := range o {
		switch keyword {
		case "$ref":
			s.ref = r.definition(strings.TrimPrefix(value.(string), "#/$defs/"))
		case "allOf":
			s.allOf = r.schemas(value)
		case "anyOf":
			s.anyOf = r.schemas(value)
		case "oneOf":
			s.oneOf = r.schemas(value)
		case "not":
			s.not = r.schema(value)
		case "properties":
			members, _ := value.(Object)
			for _, name := range slices.Sorted(maps.Keys(members)) {
				s.properties = append(s.properties, property{name, r.schema(members[name])})
			}
		case "required":
			s.required = texts(value)
		case "additionalProperties":
			s.additional = r.schema(value)
		case "items":
			s.items = r.schema(value)
		case "type":
			s.types = texts(value)
		case "const":
			s.values = []any{value}
		case "enum":
			s.values, _ = value.([]any)
		case "format":
			s.format, _ = value.(string)
		case "contentEncoding":
			s.base64 = value == "base64"
		case "minItems":
			s.minItems = int(*number(value))
		case "minLength":
			s.minLength = int(*number(value))
		case "minimum":
			s.minimum = number(value)
		case "maximum":
			s.maximum = number(value)
		}
	}
	isTag := func(p property) bool {
		return p.schema != nil && len(p.schema.values) == 1 && slices.Contains(s.required, p.name)
	}
	if i := slices.IndexFunc(s.properties, isTag); i >= 0 {
		s.tag = s.properties[i].name
		tag := s.properties[i]
		s.properties = slices.Insert(slices.Delete(s.properties, i, i+1), 0, tag)
	}
}

func number(value any) *float64 {
	n, _ := value.(float64)
	return &n
}

// texts reads a text, or several.
func texts(value any) (all []string) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, one := range list {
		text, _ := one.(string)
		all = append(all, text)
	}
	return all
}
