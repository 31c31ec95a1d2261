package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A comparison has the definitions of a draft as this package reads them, and as a complete library of
// JSON Schema does.
type comparison struct {
	names  []string
	ours   map[string]*schema
	theirs map[string]*jsonschema.Schema
}

func newComparison(t testing.TB, name string) comparison {
	t.Helper()
	text, err := Text(name)
	if err != nil {
		t.Fatal(err)
	}
	var published document
	if err := json.Unmarshal(text, &published); err != nil {
		t.Fatal(err)
	}
	resource, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.AssertContent()
	// Patterns are ignored, because those of ECMAScript differ from those of Go.
	compiler.UseRegexpEngine(func(string) (jsonschema.Regexp, error) { return regexp.MustCompile(""), nil })
	if err := compiler.AddResource(name, resource); err != nil {
		t.Fatal(err)
	}
	b := comparison{names: slices.Sorted(maps.Keys(published.Definitions)), ours: published.Definitions, theirs: make(map[string]*jsonschema.Schema)}
	for _, definition := range b.names {
		b.ours[definition].link(b.ours)
		if b.theirs[definition], err = compiler.Compile(name + "#/$defs/" + definition); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// compare checks that both allow or refuse a value of a definition.
func (b comparison) compare(t testing.TB, definition string, value any) (allowed bool) {
	t.Helper()
	allowed = b.ours[definition].allows(value)
	err := b.theirs[definition].Validate(value)
	text, _ := json.Marshal(value)
	if allowed != (err == nil) {
		t.Errorf("%s: %s: allowed is %v, and the library says %v", definition, text, allowed, err)
	}
	c := collector{limit: maxFaults}
	b.ours[definition].check(value, &c)
	if allowed != (len(c.found) == 0) {
		t.Errorf("%s: %s: allowed is %v, and there are %d faults", definition, text, allowed, len(c.found))
	}
	return allowed
}

// TestLikeLibrary compares the verdicts about random values, for each definition of each draft. The
// values follow the definition, with some mistakes.
func TestLikeLibrary(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			b := newComparison(t, name)
			refused := 0
			for i, definition := range b.names {
				g := generator{rand.New(rand.NewPCG(1, uint64(i)))}
				allowed := 0
				for range 100 {
					if b.compare(t, definition, g.value(b.ours[definition], 0)) {
						allowed++
					} else {
						refused++
					}
				}
				for _, value := range anything {
					b.compare(t, definition, value)
				}
				if allowed == 0 {
					t.Errorf("%s: no value is allowed", definition)
				}
			}
			if refused < 10*len(b.names) {
				t.Errorf("only %d values of %d definitions are refused", refused, len(b.names))
			}
		})
	}
}

// A generator makes values that a schema may allow.
type generator struct{ *rand.Rand }

// anything are values that most schemas do not allow.
var anything = []any{
	nil, true, "", "a", "text", "file:///a", "http://[::1", "a/b", "2026-01-31T12:00:00Z", "2026-12-31t23:59:60z", "2026-01-31",
	"2026-01-31T12:00:00,5Z", "2026-01-31T1:00:00Z",
	"QUJD", "QUJ", float64(0), float64(-1), 1.5, float64(70000), []any{}, []any{"a"}, Object{}, Object{"type": "a"},
}

func (g generator) any() any { return anything[g.IntN(len(anything))] }

func (g generator) value(s *schema, depth int) any {
	if s == nil || g.IntN(40) == 0 || depth > 12 {
		return g.any()
	}
	value := g.own(s, depth)
	for _, part := range append(slices.Clone(s.AllOf), s.ref, g.oneOf(slices.Concat(s.AnyOf, s.OneOf))) {
		if part != nil {
			value = merged(value, g.value(part, depth+1))
		}
	}
	return value
}

func (g generator) oneOf(branches []*schema) *schema {
	if len(branches) == 0 {
		return nil
	}
	return branches[g.IntN(len(branches))]
}

// own generates the keywords of a schema without subschemas.
func (g generator) own(s *schema, depth int) any {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[g.IntN(len(s.Enum))]
	case len(s.Type) == 0:
		return nil
	}
	switch s.Type[g.IntN(len(s.Type))] {
	case "null":
		return nil
	case "boolean":
		return g.IntN(2) == 0
	case "integer":
		return float64(g.IntN(10))
	case "number":
		return float64(g.IntN(10)) / 2
	case "string":
		return g.text(s)
	case "array":
		list := []any{}
		for range g.IntN(3) {
			list = append(list, g.value(s.Items, depth+1))
		}
		return list
	}
	return g.object(s, depth)
}

func (g generator) text(s *schema) any {
	switch {
	case s.Format == "uri":
		return "file:///a"
	case s.Format == "date-time":
		return "2026-01-31T12:00:00Z"
	case s.ContentEncoding == "base64":
		return "QUJD"
	case g.IntN(2) == 0:
		return "a"
	}
	return "_b"
}

func (g generator) object(s *schema, depth int) any {
	o := Object{}
	for _, name := range s.members {
		wanted := slices.Contains(s.Required, name)
		if wanted && g.IntN(20) > 0 || !wanted && g.IntN(3) == 0 {
			o[name] = g.value(s.Properties[name], depth+1)
		}
	}
	if s.Additional.schema != nil {
		o["a b"] = g.value(s.Additional.schema, depth+1)
	}
	return o
}

// merged returns the members of both objects, or the value that is not nil.
func merged(a, b any) any {
	first, ok := a.(Object)
	second, also := b.(Object)
	switch {
	case ok && also:
		maps.Copy(first, second)
		return first
	case a == nil:
		return b
	}
	return a
}

// FuzzLikeLibrary compares any JSON. The draft and the definition are chosen by number.
func FuzzLikeLibrary(f *testing.F) {
	f.Add(uint8(0), uint16(0), `{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"}]}}`)
	f.Add(uint8(4), uint16(7), `{"outcome":{"outcome":"selected","optionId":"o"}}`)
	f.Add(uint8(5), uint16(90), `{"type":"image","data":"QUJ","mimeType":"a","uri":"b"}`)
	f.Add(uint8(3), uint16(9), `[1e5,-1,null,"2026-01-31T12:00:00Z"]`)
	var drafts []comparison
	for _, name := range names() {
		drafts = append(drafts, newComparison(f, name))
	}
	f.Fuzz(func(t *testing.T, draft uint8, definition uint16, text string) {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			return
		}
		b := drafts[int(draft)%len(drafts)]
		b.compare(t, b.names[int(definition)%len(b.names)], value)
	})
}
