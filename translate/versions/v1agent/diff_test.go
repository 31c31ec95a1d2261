package v1agent

import (
	"encoding/json"
	"strings"
	"testing"

	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// TestSpelling compares two texts, in each spelling of JSON.
func TestSpelling(t *testing.T) {
	usual := func(text string) []byte { return rawjson.AppendQuoted(nil, text) }
	short := func(text string) []byte {
		return []byte(strings.NewReplacer(`\u000c`, `\f`, `\u0008`, `\b`).Replace(string(usual(text))))
	}
	goes := func(text string) []byte { // as Go writes it
		quoted, _ := json.Marshal(text)
		return quoted
	}
	ascii := func(text string) []byte { // as Python writes it, and slashes as PHP does
		return []byte(strings.NewReplacer("ä", `\u00e4`, "/", `\/`).Replace(string(short(text))))
	}
	patch := func(x, y []byte) string {
		var w shapes.Writer
		writeDiff(&w, rawjson.Object{}.Set("path", []byte(`"/f"`)).Set("oldText", x).Set("newText", y))
		var item struct{ Patch struct{ Text string } }
		if err := json.Unmarshal(w.Out, &item); err != nil {
			t.Fatal(err)
		}
		return item.Patch.Text
	}
	for _, line := range []string{"<", "ä", "a/b", "\b", "\f", "\t\r\x00"} {
		before, after := line+"\nx", line+"\ny\n"
		want := patch(usual(before), usual(after))
		if !strings.HasSuffix(want, " "+line+"\n-x\n\\ No newline at end of file\n+y\n") {
			t.Fatal(want)
		}
		for i, spelled := range []func(string) []byte{usual, short, goes, ascii} {
			if got := patch(spelled(before), spelled(after)); got != want {
				t.Errorf("spelling %d: %q, want %q", i, got, want)
			}
		}
	}
}
