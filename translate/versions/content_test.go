package versions

import (
	"encoding/json"
	"testing"
)

func TestBlocks(t *testing.T) {
	const link = `{"type":"resource_link","name":"n","uri":`
	for _, c := range []struct {
		name, block, v1, v2 string // no form if ""; "=" if it is the same
	}{
		{"text", `{"type":"text","text":"\u00e9","more":[1.0],"_meta":{"a":1e0}}`, "=", "="},
		{"the type last", `{"text":"x","type":"text"}`, "=", "="},
		{"image", `{"type":"image","data":"AA==","mimeType":"image/png","uri":"file:///a"}`, "=", "="},
		{"image of a path", `{"type":"image","data":"AA==","mimeType":"image/png","uri":"a.png"}`, "=", `{"type":"image","data":"AA==","mimeType":"image/png","uri":"file:///p/a.png"}`},
		{"link", link + `"x:y","size":5,"title":"t","icons":[{}]}`, link + `"x:y","size":5,"title":"t"}`, "="},
		{"link of an absolute path", link + `"/a b/c"}`, "=", link + `"file:///a%20b/c"}`},
		{"link of a relative path", link + `"./c"}`, "=", link + `"file:///p/c"}`},
		{"link of a drive", link + `"C:\\a"}`, "=", link + `"file:///C:/a"}`},
		{"link of nothing", link + `""}`, "=", ""},
		{"a size below zero", link + `"x:y","size":-5}`, "=", link + `"x:y"}`},
		{"resource", `{"type":"resource","resource":{"uri":"x:y","text":"t"}}`, "=", "="},
		{"resource in bytes", `{"type":"resource","resource":{"uri":"x:y","blob":"AA=="}}`, "=", "="},
		{"resource of neither", `{"type":"resource","resource":{"uri":"x:y"}}`, `{"type":"text","text":"[resource]"}`, ""},
		{"roles", `{"type":"text","text":"x","annotations":{"audience":["user","_x"],"priority":1}}`,
			`{"type":"text","text":"x","annotations":{"audience":["user"],"priority":1}}`, `{"type":"text","text":"x","annotations":{"audience":["user"],"priority":1}}`},
		{"no role is left", `{"type":"text","text":"x","annotations":{"audience":["_x"]}}`, `{"type":"text","text":"x","annotations":{}}`, `{"type":"text","text":"x","annotations":{}}`},
		{"a priority above 1", `{"type":"text","text":"x","annotations":{"priority":1.5}}`, "=", `{"type":"text","text":"x","annotations":{}}`},
		{"an unknown type", `{"type":"_chart","name":"C"}`, `{"type":"text","text":"C"}`, ""},
		{"an unknown type with nothing to show", `{"type":"_chart"}`, `{"type":"text","text":"[_chart]"}`, ""},
		{"text without text", `{"type":"text","text":5}`, `{"type":"text","text":"[text]"}`, ""},
		{"no type", `{"text":"x"}`, "", ""},
		{"no object", `"x"`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, to := range []struct {
				convert Convert
				want    string
			}{{BlockToV1, c.v1}, {BlockToV2, c.v2}} {
				if to.want == "=" {
					to.want = c.block
				}
				w := Writer{Out: []byte("before"), Cwd: "/p"}
				if ok := to.convert(&w, []byte(c.block)); ok != (to.want != "") || string(w.Out) != "before"+to.want {
					t.Errorf("got %s, %v; want %s", w.Out, ok, to.want)
				}
			}
		})
	}
}

func TestURI(t *testing.T) {
	for _, c := range []struct{ cwd, path, want string }{
		{"/p", `a\b`, "file:///p/a%5Cb"},
		{"/p", `/a\b`, "file:///a%5Cb"},
		{`C:\p`, `src\a b.go`, "file:///C:/p/src/a%20b.go"},
		{`C:\p`, "src/a.go", "file:///C:/p/src/a.go"},
		{`C:\p`, `D:\a`, "file:///D:/a"},
		{"/p", `\\server\share\a`, "file:////server/share/a"},
		{"", "a", ""},
	} {
		w := Writer{Cwd: c.cwd}
		value, _ := json.Marshal(c.path)
		want := ""
		if c.want != "" {
			want = `"` + c.want + `"`
		}
		if ok := URI(&w, value); ok != (want != "") || string(w.Out) != want {
			t.Errorf("%s in %s: got %s, %v; want %s", c.path, c.cwd, w.Out, ok, want)
		}
	}
}

func TestShape(t *testing.T) {
	shape := Shape{
		{Name: "id", To: "newId", Convert: String, Required: true},
		{Name: "kind", Convert: Word("a", "b"), Default: `"a"`},
		{Name: "gone", Convert: Leave},
		{Name: "list", Convert: Array(Natural)},
		{Name: "map", Convert: Values(Boolean)},
		{Name: "n", Convert: OrNull(Integer)},
	}
	for in, want := range map[string]string{
		`{"id":"x"}`: `{"newId":"x","kind":"a"}`,
		`{"gone":1,"id":"x","gone":2,"kind":"b"}`:                `{"newId":"x","kind":"b"}`,
		`{ "other" : [ 1.0 ] , "kind":"c","id":"\u0078" }`:       `{"other" : [ 1.0 ],"newId":"\u0078","kind":"a"}`,
		`{"id":"x","list":[1,-1,"a",2],"kind":"a"}`:              `{"newId":"x","list":[1,2],"kind":"a"}`,
		`{"id":"x","list":{},"map":{"a":true,"b":1},"kind":"a"}`: `{"newId":"x","map":{"a":true},"kind":"a"}`,
		`{"id":"x","n":1.5,"n":null,"n":-7,"kind":"a"}`:          `{"newId":"x","n":null,"n":-7,"kind":"a"}`,
		`{"id":5}`: ``,
		`{}`:       ``,
		`[]`:       ``,
	} {
		var w Writer
		if ok := shape.Convert(&w, []byte(in)); ok != (want != "") || string(w.Out) != want {
			t.Errorf("%s became %s, %v; want %s", in, w.Out, ok, want)
		}
	}
}

// FuzzBlocks converts any value both ways. What comes out is JSON, and what
// became of a block stays as it is when it is converted again.
func FuzzBlocks(f *testing.F) {
	for _, block := range []string{
		`{"type":"resource_link","name":"n","uri":"a b","annotations":{"audience":["user",1],"priority":0.5},"icons":[]}`,
		`{"type":"resource","resource":{"uri":"C:\\x","blob":"","text":5}}`, `{"type":"_x","text":"t"}`, `{"type":"text","text":"x","type":"image"}`,
	} {
		f.Add([]byte(block))
	}
	f.Fuzz(func(t *testing.T, block []byte) {
		if !json.Valid(block) {
			return
		}
		for _, convert := range []Convert{BlockToV1, BlockToV2} {
			w := Writer{Cwd: "/p"}
			if !convert(&w, trim(block)) {
				if len(w.Out) > 0 {
					t.Fatalf("%s has no form, but is %s", block, w.Out)
				}
				continue
			}
			if !json.Valid(w.Out) {
				t.Fatalf("%s became %s", block, w.Out)
			}
			again := Writer{Cwd: "/p"}
			if !convert(&again, w.Out) || string(again.Out) != string(w.Out) {
				t.Fatalf("%s became %s, and then %s", block, w.Out, again.Out)
			}
		}
	})
}

// trim returns a value as a message would be read to have it.
func trim(text []byte) []byte {
	var raw json.RawMessage
	if json.Unmarshal(text, &raw) != nil {
		return text
	}
	return raw
}
