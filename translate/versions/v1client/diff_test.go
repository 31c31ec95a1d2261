package v1client

import (
	"encoding/json"
	"strings"
	"testing"

	"acp-plan-proxy/transport/rawjson"
)

// TestDiffItems reads a patch whose diffs fill several items: none is much longer than
// the others. A _meta that is not an object is not shown.
func TestDiffItems(t *testing.T) {
	hunk := "@@ @@\n-" + strings.Repeat("x", 1000) + "\n"
	patch := rawjson.AppendEscaped(nil, "--- /a\n+++ /a\n"+strings.Repeat(hunk, 200)+"--- /b\n+++ /b\n@@ @@\n+y\n")
	b := New(Options{})
	for meta, want := range map[string]int{`{"k":1}`: 1, `[1]`: 0} {
		c := toolCall{session: b.session([]byte("s"))}
		shown := make(map[string]bool)
		w := b.link.Trial()
		if !c.readPatch(w, shown, patch, []byte(meta)) {
			t.Fatal("the patch cannot be read")
		}
		if c.take(w); len(c.items) != 4 || len(shown) != 2 || !shown["/a"] || !shown["/b"] {
			t.Fatalf("%d items of %v", len(c.items), shown)
		}
		var parts []string
		for _, i := range c.items {
			if parts = append(parts, string(i.json)); len(i.json) > maxItem+2000 {
				t.Errorf("an item of %d bytes", len(i.json))
			}
		}
		var diffs []struct {
			Path string
			Meta struct{ K int } `json:"_meta"`
		}
		if err := json.Unmarshal([]byte("["+strings.Join(parts, ",")+"]"), &diffs); err != nil || len(diffs) != 201 || diffs[200].Path != "/b" || diffs[0].Meta.K != want {
			t.Errorf("%d diffs, %v", len(diffs), err)
		}
	}
	if len(b.patch.Hunk.Path) > 0 {
		t.Errorf("a patch that is over is kept: %s", b.patch.Hunk.Path)
	}
}
