package redact

import (
	"bytes"
	"testing"
)

func BenchmarkMessage(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` +
		string(bytes.Repeat([]byte("a few words of an answer, "), 20)) + `"}}}}`)
	r := New()
	var out []byte
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		out = r.Message(out[:0], line)
	}
}

// Time grows with the text, whatever is in it.
func BenchmarkHostile(b *testing.B) {
	for name, part := range map[string]string{"lines": `\n`, "bars": `|a`, "marks": `- `, "slashes": `/`, "quotes": `\"`} {
		line := []byte(`{"method":"session/update","params":{"update":{"plan":{"content":"` + string(bytes.Repeat([]byte(part), 1<<20)) + `"}}}}`)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			r := New()
			for b.Loop() {
				r.Message(nil, line)
			}
		})
	}
}
