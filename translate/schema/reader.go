package schema

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A schema is a JSON Schema. Absent keywords are zero. A test verifies that the drafts use no
// other keywords. Only agents' forms use MaxLength, MaxItems and Pattern.
type schema struct {
	Type            oneOrMore `json:"type"` // the allowed types
	Const           any       `json:"const"`
	Enum            []any     `json:"enum"` // the allowed values, including Const; only forms list arrays and objects
	Format          string    `json:"format"`
	ContentEncoding string    `json:"contentEncoding"`
	MinLength       float64   `json:"minLength"`
	MaxLength       *float64  `json:"maxLength"`
	Pattern         string    `json:"pattern"`
	Minimum         *float64  `json:"minimum"`
	Maximum         *float64  `json:"maximum"`

	Ref   string    `json:"$ref"`
	AllOf []*schema `json:"allOf"`
	AnyOf []*schema `json:"anyOf"`
	OneOf []*schema `json:"oneOf"`
	Not   *schema   `json:"not"`

	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Additional orTrue             `json:"additionalProperties"` // for members that Properties lacks
	Items      *schema            `json:"items"`
	MinItems   float64            `json:"minItems"`
	MaxItems   *float64           `json:"maxItems"`

	Method string `json:"x-method"`
	Side   string `json:"x-side"` // receiver of the method

	ref           *schema
	pattern       *regexp.Regexp
	types, values []string // descriptions of Type and Enum
	members       []string // names of Properties, the tag first

	// tag is the required member with a single allowed value. It identifies a branch of a oneOf
	// or anyOf.
	tag string
}

// oneOrMore decodes a string or an array of strings.
type oneOrMore []string

// UnmarshalJSON implements json.Unmarshaler.
func (o *oneOrMore) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case '[':
		return json.Unmarshal(text, (*[]string)(o))
	case '"':
		*o = make(oneOrMore, 1)
		return json.Unmarshal(text, &(*o)[0])
	}
	return nil
}

// orTrue decodes a schema, or true as nil, which allows everything.
type orTrue struct{ *schema }

// UnmarshalJSON implements json.Unmarshaler.
func (o *orTrue) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		return nil
	}
	return json.Unmarshal(text, &o.schema)
}

// link sets the derived fields of a schema and its subschemas.
func (s *schema) link(definitions map[string]*schema) {
	if s == nil {
		return
	}
	s.ref = definitions[strings.TrimPrefix(s.Ref, "#/$defs/")]
	if s.Pattern != "" {
		s.pattern, _ = regexp.Compile(s.Pattern) // ignore an invalid pattern
	}
	for _, name := range s.Type {
		s.types = append(s.types, formatType(name))
	}
	if s.Const != nil {
		s.Enum = []any{s.Const}
	}
	for _, value := range s.Enum {
		s.values = append(s.values, formatAllowed(value))
	}
	for _, inside := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf, []*schema{s.Not, s.Items, s.Additional.schema}) {
		inside.link(definitions)
	}
	s.members = slices.Sorted(maps.Keys(s.Properties))
	for i, name := range s.members {
		p := s.Properties[name]
		p.link(definitions)
		if s.tag == "" && p != nil && len(p.Enum) == 1 && slices.Contains(s.Required, name) {
			s.tag = name
			s.members = slices.Insert(slices.Delete(slices.Clone(s.members), i, i+1), 0, name)
		}
	}
}
