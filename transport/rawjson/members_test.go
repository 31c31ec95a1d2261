package rawjson

import (
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	const same = "the same"
	for _, test := range []struct{ text, path, without, with string }{
		{`{}`, "a", same, `{"a":{}}`},
		{`{ }`, "a.b", same, `{ "a":{"b":{}}}`},
		{` { "x" : 1 } `, "a", same, ` { "x" : 1,"a":{} } `},
		{`{"a":{}}`, "a", `{}`, same},
		{`{"a":null,"x":1}`, "a", `{"x":1}`, `{"a":{},"x":1}`},
		{`{"x":1 , "a" : [ 1 ] , "y":2}`, "a", `{"x":1 , "y":2}`, `{"x":1 , "a" : {} , "y":2}`},
		{`{"x":{"a":1},"\u0061":{"b":{},"c":"\u0061"}}`, "a.b", `{"x":{"a":1},"\u0061":{"c":"\u0061"}}`, same},
		{`{"a":{"b":1,"b":2},"c":0,"a":{"b":3}}`, "a.b", `{"a":{},"c":0,"a":{}}`, `{"a":{"b":{},"b":{}},"c":0,"a":{"b":{}}}`},
		{`{"a":true}`, "a.b", same, `{"a":{"b":{}}}`},
		{`{"a":[{"b":{}}]}`, "a.b", same, `{"a":{"b":{}}}`},
	} {
		path := strings.Split(test.path, ".")
		for name, f := range map[string]struct {
			edit func([]byte, ...string) ([]byte, bool)
			want string
		}{"without": {WithoutMember, test.without}, "with": {WithObject, test.with}} {
			got, changed := f.edit([]byte(test.text), path...)
			want := f.want
			if want == same {
				want = test.text
			}
			if string(got) != want || changed != (f.want != same) {
				t.Errorf("%s %s %s: %s, %v; want %s", test.text, name, test.path, got, changed, want)
			}
		}
	}
	for text, want := range map[string]string{
		`{"a":{"b": 1 ,"c":2}}`: `{"a":{"b": [] ,"c":2}}`, `{"a":{"b":1,"b":2}}`: `{"a":{"b":[],"b":[]}}`, `{"a":{}}`: same, `{"a":1}`: same,
	} {
		if got, changed := WithValue([]byte(text), "[]", "a", "b"); changed && string(got) != want || changed == (want == same) {
			t.Errorf("%s becomes %s, %v", text, got, changed)
		}
	}
	for _, broken := range []string{``, `{"a":`, `{"a":{"b":1}`, `[{"a":1}]`} {
		if got, changed := WithoutMember([]byte(broken), "a"); changed {
			t.Errorf("%q is changed: %q", broken, got)
		}
	}
}
