package shapes

import (
	"encoding/json"
	"testing"
)

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
		{"p", "a", ""},
	} {
		w := Writer{Cwd: c.cwd}
		value, _ := json.Marshal(c.path)
		want := ""
		if c.want != "" {
			want = `"` + c.want + `"`
		}
		if ok := writeURI(&w, value); ok != (want != "") || string(w.Out) != want {
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
		for i, form := range []Rule{natural, Integer} {
			var w Writer
			if ok := form.Write(&w, []byte(value)); ok != want[i] || ok != (string(w.Out) == value) {
				t.Errorf("%s, %d: %v, wrote %s", value, i, ok, w.Out)
			}
		}
	}
}

// FuzzBlocks converts any value both ways. The output is JSON, and a converted block does not
// change when it is converted again.
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
		for _, convert := range []Func{
			func(w *Writer, value []byte) bool { return w.ToV1(BlockOrText, value) },
			func(w *Writer, value []byte) bool { return w.ToV2(Block, value) },
		} {
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

// trim returns a value without blanks around it, as a value in a message is.
func trim(text []byte) []byte {
	var raw json.RawMessage
	if json.Unmarshal(text, &raw) != nil {
		return text
	}
	return raw
}
