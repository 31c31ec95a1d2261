package plans

import (
	"testing"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// TestParams tests the update that is read in the same pass as the message.
func TestParams(t *testing.T) {
	for _, test := range []struct{ params, kind string }{
		{`{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]},"x":1}`, "plan"},
		{`{"update":{"sessionUpdate":"plan_removed"},"update":{"sessionUpdate":"plan","entries":[]}}`, "plan"},
		{`{"replayFrom":{"type":"start"},"update":7}`, ""},
		{`[]`, ""},
	} {
		var m jsonrpc.Message
		var p Params
		var c rawjson.Cursor
		text := []byte(`{"params":` + test.params + `}`)
		for range 2 { // the second time in used memory
			c.Reset(text)
			p.Reset()
			m.Read(&c, text, &p)
			if !c.End() {
				t.Fatal(c.Err())
			}
			if p.update.kind != test.kind {
				t.Errorf("%s: kind %q", test.params, p.update.kind)
			}
		}
	}
}
