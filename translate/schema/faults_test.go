package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// readSchema reads a schema, which may refer to the definition of a name.
func readSchema(t testing.TB, text string) *schema {
	t.Helper()
	definitions := map[string]*schema{"root": new(schema), "name": {Type: oneOrMore{"string"}}}
	if err := json.Unmarshal([]byte(text), definitions["root"]); err != nil {
		t.Fatal(err)
	}
	for _, s := range definitions {
		s.link(definitions)
	}
	return definitions["root"]
}

// TestFaults checks the descriptions of faults and their order.
func TestFaults(t *testing.T) {
	const taggedByEach = `{"anyOf":[{"required":["kind"],"properties":{"kind":{"const":"x"}}},{"required":["type"],"properties":{"type":{"const":"y"}}}]}`
	for _, test := range []struct {
		schema, value string
		faults        []string
	}{
		{`{"const":""}`, `"a"`, []string{`v is "a": it must be ""`}},
		{`{"enum":["a",1,true,null]}`, `[]`, []string{`v is an array: it must be a, 1, true or null`}},
		{`{"const":"a"}`, `{}`, []string{`v is an object: it must be a`}},
		{`{"type":["null","integer"]}`, `-1.5`, []string{`v is -1.5: it must be an integer or null`}},
		{`{"type":"integer"}`, `1.0`, nil},
		{`{"type":"integer"}`, `true`, []string{`v is a boolean: it must be an integer`}},
		{`{"type":"boolean"}`, `null`, []string{`v is null: it must be a boolean`}},
		{`{"type":"string"}`, `{}`, []string{`v is an object: it must be a string`}},
		{`{"maximum":4}`, `5`, []string{`v is 5: it must be 4 or less`}},
		{`{"maximum":4294967295}`, `5000000000`, []string{`v is 5000000000: it must be 4294967295 or less`}},
		{`{"minimum":0}`, `-1e300`, []string{`v is -1e+300: it must be 0 or more`}},
		{`{"minLength":1}`, `""`, []string{`v is empty`}},
		{`{"minLength":3.0}`, `"ö"`, []string{`v is too short: it must have a length of 3`}},
		{`{"maxLength":1e0,"maxItems":2.0}`, `"öä"`, []string{`v is too long: it must have a length of 1`}},
		{`{"minLength":3}`, `"öä"`, []string{`v is too short: it must have a length of 3`}},
		{`{"maxLength":2}`, `"öäü"`, []string{`v is too long: it must have a length of 2`}},
		{`{"maxItems":1}`, `[1,2]`, []string{`v is too long: it must have a length of 1`}},
		{`{"pattern":"^b"}`, `"ab"`, []string{`v is "ab": it must be like ^b`}},
		{`{"minItems":2}`, `[1]`, []string{`v is too short: it must have a length of 2`}},
		{`{"not":{"type":"string"}}`, `"a"`, []string{`v is "a" that is not allowed`}},
		{`{"oneOf":[{"type":"string"},{"const":"a"}]}`, `"a"`, []string{`v is "a" that matches two alternatives`}},
		{`{"oneOf":[{"type":"string"},{"const":"a"}]}`, `"b"`, nil},
		{`{"const":"a"}`, `"` + strings.Repeat("ä", 42) + `"`, []string{`v is "` + strings.Repeat("ä", 40) + `…": it must be a`}},
		{`{"const":"a"}`, `"x` + strings.Repeat("ä", 40) + `"`, []string{`v is "x` + strings.Repeat("ä", 40) + `": it must be a`}},

		// Places.
		{`{"properties":{"a.b":{"items":{"$ref":"#/$defs/name"}}}}`, `{"a.b":["a",1]}`, []string{`v["a.b"][1] is a number: it must be a string`}},
		{`{"required":["a b"]}`, `{}`, []string{`v["a b"] is missing`}},
		{`{"additionalProperties":{"$ref":"#/$defs/name"},"properties":{"n":{}}}`, `{"n":1,"m":2,"":3}`,
			[]string{`v[""] is a number: it must be a string`, `v.m is a number: it must be a string`}},
		{`{"items":{"$ref":"#/$defs/name"}}`, `["a","b",0,"c","d","e","f","g","h","i",0]`,
			[]string{`v[2] is a number: it must be a string`, `v[10] is a number: it must be a string`}},
		{`{"required":["b"],"properties":{"a":{"type":"string"},"c":{"type":"string"}},"allOf":[{"required":["a0"]}]}`, `{"a":1,"c":1}`,
			[]string{`v.a is a number: it must be a string`, `v.a0 is missing`, `v.b is missing`, `v.c is a number: it must be a string`}},
		{`{"allOf":[{"type":"string"},{"type":"boolean"}]}`, `1`, []string{`v is a number: it must be a string`}},

		// The branch that is meant.
		{`{"anyOf":[{"type":"null"},{"type":"array"},{"type":["string","null"]}]}`, `1`, []string{`v is a number: it must be an array, a string or null`}},
		{`{"anyOf":[{"type":"null"},{"const":"a"},{"const":"b"}]}`, `"c"`, []string{`v is "c": it must be a or b`}},
		{taggedByEach, `{"kind":"z","type":"w"}`, []string{`v.kind is "z": it must be x`}},
		{`{"anyOf":[{"type":"null"},{"required":["kind"],"properties":{"kind":{"const":"x"}}}]}`, `{"kind":"z"}`, []string{`v.kind is "z": it must be x`}},
		{taggedByEach, `{"type":"w"}`, []string{`v.kind is missing`}},
		{`{"anyOf":[{"properties":{"c":{"type":"string"}}},{"properties":{"a":{"items":{"type":"string"}}}}]}`, `{"a":[1],"c":1}`, []string{`v.a[0] is a number: it must be a string`}},
		{`{"anyOf":[{"type":"null"},{"properties":{"a":{"const":1},"b":{"const":2}}}]}`, `{"a":0,"b":0}`, []string{`v.a is 0: it must be 1`, `v.b is 0: it must be 2`}},
		{`{"anyOf":[{"required":["a","b"]},{"required":["c"]}]}`, `{}`, []string{`v.c is missing`}},
		{`{"anyOf":[{"not":{"type":"string"}},{"not":{"type":["string","null"]}}]}`, `"a"`, []string{`v is "a" that is not allowed`}},
	} {
		s := readSchema(t, test.schema)
		var value any
		if err := json.Unmarshal([]byte(test.value), &value); err != nil {
			t.Fatal(err)
		}
		if found := faultsOf(s, value, "v"); !slices.Equal(found, test.faults) {
			t.Errorf("%s: %s\n%q, want\n%q", test.schema, test.value, found, test.faults)
		}
	}
}

// TestManyFaults: a hundred thousand faults retain memory for maxFaults of them only, also with
// branches to choose from.
func TestManyFaults(t *testing.T) {
	for _, test := range []struct{ schema, reason string }{
		{`{"items":{"type":"string"}}`, `v[0] is null: it must be a string (and more)`},
		{`{"items":{"anyOf":[{"type":"string"},{"type":"object"}]}}`, `v[0] is null: it must be a string or an object (and more)`},
		{`{"oneOf":[{"type":"string"},{"items":{"anyOf":[{"type":"string"},{"type":"object"}]}}]}`, `v[0] is null: it must be a string or an object (and more)`},
	} {
		s := readSchema(t, test.schema)
		const many = 100_000
		value := make([]any, many)
		if reason := faultsOf(s, value, "v").Reason(); reason != test.reason {
			t.Errorf("%q, want %q", reason, test.reason)
		}
		if n := testing.AllocsPerRun(1, func() { faultsOf(s, value, "v") }); n > many/10 {
			t.Errorf("%s: %v allocations", test.schema, n)
		}
		if reason := faultsOf(s, make([]any, 10), "v").Reason(); !strings.HasSuffix(reason, "(and 9 more)") {
			t.Error(reason)
		}
	}
}

// TestKeywords: the drafts use no more of JSON Schema than is read.
func TestKeywords(t *testing.T) {
	known := strings.Fields("$defs title description default discriminator unevaluatedProperties")
	for _, field := range reflect.VisibleFields(reflect.TypeFor[schema]()) {
		known = append(known, field.Tag.Get("json"))
	}
	var check func(place string, value any)
	check = func(place string, value any) {
		if list, ok := value.([]any); ok {
			for _, one := range list {
				check(place, one)
			}
		}
		o, _ := value.(Object)
		for keyword, value := range o {
			at := place + "/" + keyword
			switch {
			case keyword == "properties" || keyword == "$defs":
				members, _ := value.(Object)
				for name, member := range members {
					check(at+"/"+name, member)
				}
			case !slices.Contains(known, keyword) && !strings.HasPrefix(keyword, "x-"),
				keyword == "const" && value == nil,
				keyword == "contentEncoding" && value != "base64",
				keyword == "additionalProperties" && value == false,
				keyword == "unevaluatedProperties" && value != true:
				t.Errorf("%s is not read: %v", at, value)
			case !slices.Contains([]string{"const", "default", "discriminator"}, keyword):
				check(at, value)
			}
		}
	}
	for _, name := range names() {
		text, err := Text(name)
		if err != nil {
			t.Fatal(err)
		}
		var draft Object
		if err := json.Unmarshal(text, &draft); err != nil {
			t.Fatal(err)
		}
		check(name, Object{"$defs": draft["$defs"]})
	}
	var additions []struct {
		Definitions any `json:"$defs"`
	}
	if err := json.Unmarshal(newer, &additions); err != nil {
		t.Fatal(err)
	}
	for _, a := range additions {
		check("newer", Object{"$defs": a.Definitions})
	}
}

// TestBothSides: a method that both sides have is allowed to both.
func TestBothSides(t *testing.T) {
	for _, name := range []string{"v1.unstable", "v1.unstable.2026-06-05", "v2.unstable"} {
		d, err := new(Drafts).Get(name)
		if err != nil {
			t.Fatal(err)
		}
		params := Object{"serverId": "s", "connectionId": "c", "requestId": "r", "method": "m"}
		for _, c := range []*Call{
			{Method: "mcp/message", ToClient: true, IsRequest: true, ID: 1.0, Params: params},
			{Method: "mcp/message", Params: params},
		} {
			if faults := d.CheckCall(c); faults != nil {
				t.Errorf("%s: %v", name, faults)
			}
		}
	}
}
