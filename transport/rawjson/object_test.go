package rawjson

import (
	"slices"
	"strings"
	"testing"
)

func TestObject(t *testing.T) {
	text := []byte(` { "a" : 1 , "\u0062":"x\n", "c":[ true , {} ], "a":null } `)
	o, ok := ReadObject(nil, text)
	if !ok || len(o) != 4 {
		t.Fatalf("%d members, %v", len(o), ok)
	}
	if got := string(o[0].Text) + "|" + string(o[0].Value); got != `"a" : 1|1` {
		t.Errorf("the first member is %s", got)
	}
	if got := o.Get("a"); !IsNull(got) {
		t.Errorf("of two members with one name the first counts: %s", got)
	}
	if got, ok := o.Text("b"); !ok || string(got) != "x\n" {
		t.Errorf("b is %q, %v", got, ok)
	}
	if _, ok := o.Text("c"); ok {
		t.Error("an array is a text")
	}
	if o.Get("d") != nil {
		t.Error("a missing member has a value")
	}
	elements, ok := ReadArray(nil, o.Get("c"))
	if !ok || len(elements) != 2 || string(elements[0]) != "true" || string(elements[1]) != "{}" {
		t.Errorf("the elements are %q, %v", elements, ok)
	}
	o = o.Set("a", []byte("2")).Set("e", []byte("3"))
	if got := string(o.Get("a")) + string(o[0].Value) + string(o[4].Text); got != `22"e":3` {
		t.Errorf("set: %s", got)
	}
	for _, no := range []string{``, `1`, `[]`, `{"a"}`, `{"a":1`, `"{}"`} {
		if _, ok := ReadObject(nil, []byte(no)); ok {
			t.Errorf("%s is an object", no)
		}
	}
	for _, no := range []string{``, `1`, `{}`, `[1`, `[1,]`} {
		if _, ok := ReadArray(nil, []byte(no)); ok {
			t.Errorf("%s is an array", no)
		}
	}
}

func TestMembersAnd(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"in":{"b":2,"c":3},"d":4}`:     `a in d | b c`,
		`{"in":{"b":2},"in":{"c":3}}`:          `in in | c`,
		`{"in":{"b":2},"in":[1]}`:              `in in |`,
		`{"\u0069n":{"b":{"in":{"no":true}}}}`: `in | b`,
		`{"in":"{}"}`:                          `in |`,
		`{}`:                                   `|`,
	} {
		c := Cursor{text: []byte(text)}
		members, inner := c.MembersAnd("in", nil, nil)
		if got := strings.TrimSpace(namesOf(members) + " | " + namesOf(inner)); got != want || !c.End() {
			t.Errorf("%s has %s, want %s: %v", text, got, want, c.Err())
		}
	}
}

func namesOf(o Object) string {
	var names []string
	for _, f := range o {
		names = append(names, string(f.Name))
	}
	return strings.Join(names, " ")
}

func TestObjects(t *testing.T) {
	var got []string
	for o := range Objects([]byte(`[{"a":1,"b":2}, 7 ,{},{"c":3}]`), nil) {
		got = append(got, namesOf(o))
	}
	if want := []string{"a b", "", "", "c"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for range Objects([]byte(`{"a":1}`), nil) {
		t.Error("an object has elements")
	}
}

func TestGet(t *testing.T) {
	for _, tt := range []struct {
		value string
		path  []string
		want  string
	}{
		{`{"a":{"b":1}}`, []string{"a", "b"}, "1"},
		{`{"a":1, "a" : [2] }`, []string{"a"}, "[2]"},
		{`{"\u0061":null}`, []string{"a"}, "null"},
		{`{"a":1}`, []string{"a", "b"}, ""},
		{`{"a":1}`, []string{"b"}, ""},
		{`[{"a":1}]`, []string{"a"}, ""},
		{``, []string{"a"}, ""},
		{`{"a":1}`, nil, `{"a":1}`},
	} {
		if got := Get([]byte(tt.value), tt.path...); string(got) != tt.want || (got == nil) != (tt.want == "") {
			t.Errorf("%v of %s is %q", tt.path, tt.value, got)
		}
	}
}
