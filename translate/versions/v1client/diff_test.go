package v1client

import (
	"encoding/json"
	"strings"
	"testing"

	"acp-plan-proxy/transport/rawjson"
)

// TestDiffItems reads a patch whose diffs fill several items: none is much longer than
// the others, and the limit counts all of them.
func TestDiffItems(t *testing.T) {
	hunk := "@@ @@\n-" + strings.Repeat("x", 1000) + "\n"
	patch := rawjson.AppendEscaped(nil, "--- /a\n+++ /a\n"+strings.Repeat(hunk, 200)+"--- /b\n+++ /b\n@@ @@\n+y\n")
	var d diffs
	items, shown, ok := d.read(nil, patch, []byte(`{"k":1}`), 1<<20)
	if !ok || len(items) != 4 || len(shown) != 2 || !shown["/a"] || !shown["/b"] {
		t.Fatalf("%d items of %v, %t", len(items), shown, ok)
	}
	size := 0
	for _, i := range items {
		if len(i.json) > maxPatchItem+1200 {
			t.Errorf("an item of %d bytes", len(i.json))
		}
		size += len(i.json)
	}
	var diffs []struct {
		Path string
		Meta struct{ K int } `json:"_meta"`
	}
	if err := json.Unmarshal([]byte("["+joined(items)+"]"), &diffs); err != nil || len(diffs) != 201 || diffs[200].Path != "/b" || diffs[0].Meta.K != 1 {
		t.Errorf("%d diffs, %v", len(diffs), err)
	}
	for limit, want := range map[int]bool{size: true, size - 1: false, size / 2: false} {
		if _, _, ok := d.read(nil, patch, []byte(`{"k":1}`), limit); ok != want {
			t.Errorf("%d bytes of diffs with a limit of %d: %t", size, limit, ok)
		}
	}
	if items, _, _ = d.read(nil, patch, []byte(`[1]`), 1<<20); strings.Contains(joined(items), "_meta") {
		t.Error("a _meta that is no object is shown")
	}
	if len(d.patch.Hunk.Path) > 0 {
		t.Errorf("a patch that is over is kept: %s", d.patch.Hunk.Path)
	}
}

// joined returns what items of diffs are in a content.
func joined(items []item) string {
	var parts []string
	for _, i := range items {
		parts = append(parts, string(i.json))
	}
	return strings.Join(parts, ",")
}
