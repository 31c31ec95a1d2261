package oldagent

import (
	"fmt"
	"strings"
	"testing"

	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// BenchmarkDiff converts the diff of a file of 200 KiB in which every fortieth line
// has changed.
func BenchmarkDiff(b *testing.B) {
	var before, after strings.Builder
	for i := 0; before.Len() < 200<<10; i++ {
		line := fmt.Sprintf("\tfmt.Fprintf(w, \"line %d: %%s\\n\", name) // a comment\n", i)
		before.WriteString(line)
		if i%40 == 0 {
			line = strings.Replace(line, "comment", "remark", 1)
		}
		after.WriteString(line)
	}
	item := rawjson.Object{}.Set("path", []byte(`"/f"`)).
		Set("oldText", rawjson.AppendQuoted(nil, before.String())).Set("newText", rawjson.AppendQuoted(nil, after.String()))
	var w words.Writer
	b.SetBytes(int64(len(item.Get("oldText")) + len(item.Get("newText"))))
	b.ReportAllocs()
	for b.Loop() {
		w.Reset()
		if !writeDiff(&w, item) {
			b.Fatal("no diff")
		}
	}
}
