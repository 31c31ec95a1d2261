package words

import (
	"encoding/json"
	"slices"
	"testing"

	"acp-plan-proxy/transport/rawjson"
)

func TestBlocks(t *testing.T) {
	const link = `{"type":"resource_link","name":"n","uri":`
	for _, c := range []struct {
		name, block, v1, v2 string // no form if ""; "=" if it is the same
	}{
		{"text", `{"type":"text","text":"\u00e9","more":[1.0],"_meta":{"a":1e0}}`, "=", "="},
		{"the type last", `{"text":"x","type":"text"}`, "=", "="},
		{"image", `{"type":"image","data":"AA==","mimeType":"image/png","uri":"file:///a"}`, "=", "="},
		{"image of a path", `{"type":"image","data":"AA==","mimeType":"image/png","uri":"a.png"}`, "=",
			`{"type":"image","data":"AA==","mimeType":"image/png","uri":"file:///p/a.png"}`},
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
			`{"type":"text","text":"x","annotations":{"audience":["user"],"priority":1}}`,
			`{"type":"text","text":"x","annotations":{"audience":["user"],"priority":1}}`},
		{"no role is left", `{"type":"text","text":"x","annotations":{"audience":["_x"]}}`, `{"type":"text","text":"x","annotations":{}}`,
			`{"type":"text","text":"x","annotations":{}}`},
		{"a priority above 1", `{"type":"text","text":"x","annotations":{"priority":1.5}}`, "=", `{"type":"text","text":"x","annotations":{}}`},
		{"an unknown type", `{"type":"_chart","name":"C"}`, `{"type":"text","text":"C"}`, ""},
		{"an unknown type with nothing to show", `{"type":"_chart"}`, `{"type":"text","text":"[_chart]"}`, ""},
		{"text without text", `{"type":"text","text":5}`, `{"type":"text","text":"[text]"}`, ""},
		{"no type", `{"text":"x"}`, "", ""},
		{"no object", `"x"`, "", ""},
		{"a list that says it is a text", `["type","text"]`, "", ""},
		{"several things to show", `{"type":"_chart","uri":"u:x","name":"C","text":"T"}`, `{"type":"text","text":"T"}`, ""},
		{"an empty audience", `{"type":"text","text":"x","annotations":{"audience":[]}}`, "=", "="},
		{"a priority below 0, or none", `{"type":"text","text":"x","annotations":{"priority":-0.5,"audience":5}}`,
			`{"type":"text","text":"x","annotations":{"priority":-0.5}}`, `{"type":"text","text":"x","annotations":{}}`},
		{"a priority of 0", `{"type":"text","text":"x","annotations":{"priority":0}}`, "=", "="},
		{"audio", `{"type":"audio","data":"AA==","mimeType":"audio/wav"}`, "=", "="},
		{"link of no string", link + `5}`, `{"type":"text","text":"n"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, to := range []struct {
				convert Func
				want    string
			}{{BlockToV1, c.v1}, {BlockToV2, c.v2}} {
				if to.want == "=" {
					to.want = c.block
				}
				w := Writer{Builder: rawjson.Builder{Out: []byte(`"before":`)}, Cwd: "/p"}
				if ok := to.convert(&w, []byte(c.block)); ok != (to.want != "") || string(w.Out) != `"before":`+to.want {
					t.Errorf("got %s, %v; want %s", w.Out, ok, to.want)
				}
			}
		})
	}
}

// TestBlockLosses converts blocks of version 2 that version 1 cannot say.
func TestBlockLosses(t *testing.T) {
	for block, want := range map[string][]string{
		`{"type":"text","text":"x"}`:                                               nil,
		`{"type":"_chart"}`:                                                        {"content block"},
		`{"type":"text","text":5}`:                                                 {"content block"},
		`{"type":"resource_link","name":"n","uri":"x:y","icons":[]}`:               {"icons of a resource link"},
		`{"type":"resource_link","name":"n","uri":"x:y","icons":null}`:             nil,
		`{"type":"resource_link","name":"n","uri":"x:y"}`:                          nil,
		`{"type":"text","text":"x","annotations":{"audience":["user","_x","_y"]}}`: {"role in an audience", "role in an audience"},
		`{"text":"no type"}`:                                                       nil,
	} {
		var w Writer
		BlockToV1(&w, []byte(block))
		var lost []string
		for _, l := range w.Losses {
			lost = append(lost, l.Kind.String())
			if l.Detail == "" {
				t.Errorf("%s: %s says nothing", block, l.Kind)
			}
		}
		if !slices.Equal(lost, want) {
			t.Errorf("%s: lost %q, want %q", block, lost, want)
		}
	}
	var w Writer
	if BlockOrTextToV2(&w, nil); string(w.Out) != `{"type":"text","text":"[content]"}` || len(w.Losses) != 1 {
		t.Errorf("nothing became %s, %v", w.Out, w.Losses)
	}
	if w.Reset(); len(w.Out) > 0 || len(w.Losses) > 0 {
		t.Errorf("Reset leaves %s, %v", w.Out, w.Losses)
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
		{"/p", "", ""},
		{"", "/a", "file:///a"},
		{"/p", "a:b", "a:b"},
		{"/p", "http://x/y", "http://x/y"},
		{"/p", "git+ssh-2.0:x", "git+ssh-2.0:x"},
		{"/p", "1a:b", "file:///p/1a:b"},
		{"/p", ":a", "file:///p/:a"},
		{"/p", "a_b:c", "file:///p/a_b:c"},
		{"/p", "a:/b", "file:///a:/b"},
		{"/p", `a:\b`, "file:///a:/b"},
		{"/p", "a:", "a:"},
		{"/p", "../a", "file:///a"},
		{"p", "a", "file:///p/a"},
	} {
		w := Writer{Cwd: c.cwd}
		value, _ := json.Marshal(c.path)
		want := ""
		if c.want != "" {
			want = `"` + c.want + `"`
		}
		if ok := uri(&w, value); ok != (want != "") || string(w.Out) != want {
			t.Errorf("%s in %s: got %s, %v; want %s", c.path, c.cwd, w.Out, ok, want)
		}
	}
}

// TestNumbers has the largest integers that both sides can read.
func TestNumbers(t *testing.T) {
	for value, want := range map[string][2]bool{ // natural, integer
		`0`: {true, true}, `-1`: {false, true}, `1.5`: {false, false}, `1e3`: {false, false}, `"1"`: {false, false},
		`999999999999999999`: {true, true}, `-999999999999999999`: {false, true},
		`9999999999999999999`: {true, false}, `99999999999999999999`: {false, false},
	} {
		for i, form := range []Form{natural, Integer} {
			var w Writer
			if ok := form.Write(&w, []byte(value)); ok != want[i] || ok != (string(w.Out) == value) {
				t.Errorf("%s, %d: %v, wrote %s", value, i, ok, w.Out)
			}
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
		for _, convert := range []Func{BlockToV1, BlockToV2} {
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
