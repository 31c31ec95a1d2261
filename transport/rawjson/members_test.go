package rawjson

import (
	"strings"
	"testing"
)

func TestWith(t *testing.T) {
	for _, test := range []struct{ text, path, without, with string }{
		{`{}`, "a", `{}`, `{"a":[]}`},
		{`{ }`, "a.b", `{ }`, `{ "a":{"b":[]}}`},
		{` { "x" : 1 } `, "a", ` { "x" : 1 } `, ` { "x" : 1,"a":[] } `},
		{`{"a":{}}`, "a", `{}`, `{"a":[]}`},
		{`{"a":null,"x":1}`, "a", `{"x":1}`, `{"a":[],"x":1}`},
		{`{"x":1 , "a" : [ 1 ] , "y":2}`, "a", `{"x":1 , "y":2}`, `{"x":1 , "a" : [] , "y":2}`},
		{`{"x":{"a":1},"\u0061":{"b":{},"c":"\u0061"}}`, "a.b", `{"x":{"a":1},"\u0061":{"c":"\u0061"}}`, `{"x":{"a":1},"\u0061":{"b":[],"c":"\u0061"}}`},
		{`{"a":{"b":1,"b":2},"c":0,"a":{"b":3}}`, "a.b", `{"a":{},"c":0,"a":{}}`, `{"a":{"b":[],"b":[]},"c":0,"a":{"b":[]}}`},
		{`{"a":true}`, "a.b", `{"a":true}`, `{"a":{"b":[]}}`},
		{`{"a":[{"b":{}}]}`, "a.b", `{"a":[{"b":{}}]}`, `{"a":{"b":[]}}`},
		{`{"a":`, "a", `{"a":`, `{"a":`},
		{`{"a":{"b":1}`, "a", `{"a":{"b":1}`, `{"a":{"b":1}`},
		{`[{"a":1}]`, "a", `[{"a":1}]`, `{"a":[]}`},
		{``, "a", ``, `{"a":[]}`},
	} {
		path := strings.Split(test.path, ".")
		if got := string(With([]byte(test.text), nil, path...)); got != test.without {
			t.Errorf("%s without %s: %s; want %s", test.text, test.path, got, test.without)
		}
		if got := string(With([]byte(test.text), []byte("[]"), path...)); got != test.with {
			t.Errorf("%s with %s: %s; want %s", test.text, test.path, got, test.with)
		}
	}
}
