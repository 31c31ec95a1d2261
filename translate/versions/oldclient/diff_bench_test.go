package oldclient

import (
	"fmt"
	"strings"
	"testing"

	"acp-plan-proxy/transport/rawjson"
)

// BenchmarkPatch takes a git patch of 200 KiB apart.
func BenchmarkPatch(b *testing.B) {
	var patch strings.Builder
	patch.WriteString("diff --git /f /f\n--- /f\n+++ /f\n")
	for i := 0; patch.Len() < 200<<10; i += 40 {
		fmt.Fprintf(&patch, "@@ -%d,7 +%d,7 @@\n", i, i)
		for j := range 8 {
			mark := "   -+   "[j]
			fmt.Fprintf(&patch, "%c\tfmt.Fprintf(w, \"line %d: %%s\\n\", name) // a comment\n", mark, i+j)
		}
	}
	raw := rawjson.AppendQuoted(nil, patch.String())
	var d diffs
	var items []item
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		var ok bool
		if items, _, ok = d.read(items[:0], raw[1:len(raw)-1], nil, 8*len(raw)); !ok {
			b.Fatal("not read")
		}
	}
}
