package rawjson

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// texts are seeds for the fuzz targets and cases of the tests. encoding/json decides
// whether each is JSON.
var texts = []string{
	``, ` `, `{}`, `[]`, `[ ]`, "\t{\r\n}\n", `{"a":1}`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{,}`, `{"a":1 "b":2}`,
	`{"a":{"b":[1,2,{"c":null}]},"d":"e"} `, `[1,2`, `[1,]`, `[,1]`, `[1 2]`, `[1]]`, `[1}`, `{"a":1]`, `{"a":[}`, `[[[]]]`,
	`true`, `tru`, `truex`, `false`, `null`, `nul`, `True`, `nulll`,
	`0`, `-0`, `00`, `01`, `-`, `+1`, `1.`, `.5`, `1.5`, `1e5`, `1E+5`, `1e-5`, `1e`, `1e+`, `1.e5`, `-1.25e+10`, `1x`, `0x10`, `NaN`,
	`""`, `"a`, `"\"`, `"\\"`, `"\a"`, `"\u"`, `"\u12"`, `"\u12G4"`, `"\u12e4"`, `"\uD834\uDd1e"`, `"\ud834"`, `"\ud834x"`, `"\udd1e\ud834"`,
	"\"a\x00b\"", "\"a\x1fb\"", "\"a\x7fb\"", "\"a\nb\"", "\"\xff\xfe\"", "\"\xed\xa0\x80\"", "\"\u2028\u00e9\U0001f600\"",
	"{\"a\x01\":1}", "{\"a\nb\":1}", `{"\"":1}`, `{"a\q":1}`, `{"a`, `{"a\`,
	"\x00", "{}\x00", "\ufeff{}", "{}{}", "1 2", `"a""b"`, "[1\u00a0]", `'a'`, `[1,2]//`, `{"a":1,"a":2}`, `{"\u0061":1}`,
	`"\b\f\n\r\t\/\"\\ab\u0000\u001f\u007f\u2028"`,
	strings.Repeat(`[{"a":`, 50) + "1" + strings.Repeat("}]", 50),
	strings.Repeat("[", 100), strings.Repeat(`{"a":`, 100),
}

// deepest is the deepest nesting that encoding/json accepts.
const deepest = 10000

func addTexts(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
}

// walk reads a value with Object, Array and Name, the way readers of messages
// do, and calls visit with each value and its depth.
func walk(c *Cursor, depth int, visit func(depth int, value []byte)) {
	start := c.Offset()
	switch c.Kind() {
	case '{':
		for more := c.Object(); more; more = c.NextMember() {
			c.Name()
			walk(c, depth+1, visit)
		}
	case '[':
		for more := c.Array(); more; more = c.NextElement() {
			walk(c, depth+1, visit)
		}
	default:
		c.Skip()
	}
	if c.Err() == nil {
		visit(depth, c.text[start:c.Pos()])
	}
}

func checkCursor(t *testing.T, text []byte) {
	t.Helper()
	valid := json.Valid(text)
	var c Cursor
	c.Reset(text)
	value := c.Value()
	if got := c.End(); got != valid && nesting(text) < deepest {
		t.Fatalf("%q: valid is %v, want %v: %v", text, got, valid, c.Err())
	}
	if (c.Err() == nil) != c.End() {
		t.Errorf("%q: End and Err disagree", text)
	}
	if valid && string(value) != strings.Trim(string(text), " \t\r\n") {
		t.Errorf("%q: value is %q", text, value)
	}

	c.Reset(text)
	walk(&c, 0, func(_ int, value []byte) {
		if valid && !json.Valid(value) {
			t.Errorf("%q: value %q is not JSON", text, value)
		}
	})
	if got := c.End(); got != valid && nesting(text) < deepest {
		t.Errorf("%q: walked, valid is %v, want %v: %v", text, got, valid, c.Err())
	}
}

// nesting is an upper bound of how deep text is nested.
func nesting(text []byte) (n int) {
	for _, b := range text {
		if b == '[' || b == '{' {
			n++
		}
	}
	return n
}

func TestCursorAcceptsJSON(t *testing.T) {
	for _, text := range texts {
		for end := range len(text) + 1 {
			checkCursor(t, []byte(text[:end]))
		}
		checkCursor(t, []byte("[1,"+text+"]"))
		checkCursor(t, []byte(` {"a" : `+text+" ,\n\"b\":2}"))
	}
}

func FuzzCursor(f *testing.F) {
	addTexts(f)
	f.Fuzz(checkCursor)
}

func TestCursorNestsWithoutLimit(t *testing.T) {
	const levels = 50_000
	text := strings.Repeat(`[{"a":`, levels/2) + strings.Repeat("}]", levels/2)
	var c Cursor
	c.Reset([]byte(text))
	c.Skip()
	if c.End() {
		t.Error("accepts an object without a value")
	}
	text = strings.Repeat(`[{"a":`, levels/2) + "0" + strings.Repeat("}]", levels/2)
	c.Reset([]byte(text))
	c.Skip()
	if !c.End() {
		t.Error(c.Err())
	}
}

func TestCursorReadsParts(t *testing.T) {
	text := []byte(` { "a" : 1 , "\u0062":"x", "c" : [ true , {"d":null}, -1.5 ] , "e":{ }, "f":[ ]} `)
	var c Cursor
	c.Reset(text)
	var got []string
	for more := c.Object(); more; more = c.NextMember() {
		got = append(got, string(c.Name()), string(c.Kind()))
		if c.Kind() != '[' {
			got = append(got, string(c.Value()))
			continue
		}
		for more := c.Array(); more; more = c.NextElement() {
			start := c.Offset()
			kind := string(c.Kind())
			c.Skip()
			got = append(got, kind, string(text[start:c.Pos()]))
		}
	}
	want := []string{"a", "0", "1", "b", `"`, `"x"`, "c", "[", "t", "true", "{", `{"d":null}`, "0", "-1.5", "e", "{", "{ }", "f", "["}
	if !c.End() || !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q: %v", got, want, c.Err())
	}
}

func TestCursorErrorsStick(t *testing.T) {
	for _, text := range []string{`[1,x,{"a":2}]`, `{"a":x,"b":2}`, `{"a" 1}`, `{"a":1`, `{x}`, `{"a`, `{"a"`} {
		var c Cursor
		c.Reset([]byte(text))
		c.Skip()
		first := c.Err()
		if first == nil || c.Pos() > len(text) {
			t.Errorf("%q: the error is %v, at %d", text, first, c.Pos())
		}
		if c.Object() || c.Array() || c.NextMember() || c.NextElement() || c.Name() != nil || c.Value() != nil || c.End() {
			t.Errorf("%q: goes on after an error", text)
		}
		if c.Err() != first {
			t.Errorf("%q: the error became %v", text, c.Err())
		}
		c.Reset([]byte("1"))
		c.Skip()
		if !c.End() {
			t.Errorf("%q: the error survives Reset: %v", text, c.Err())
		}
	}
}
