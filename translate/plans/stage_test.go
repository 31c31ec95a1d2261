package plans

import (
	"fmt"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Of requests that nobody answers the oldest are forgotten.
func TestAwaitedIsBounded(t *testing.T) {
	s := NewStage(defaults(), Hooks{Forget: func([]byte) func() { return func() {} }})
	s.SetClient(legacyClient)
	lost := 0
	for i := range 2 * maxAwaited {
		var m jsonrpc.Message
		var cursor rawjson.Cursor
		var out translate.Out
		text := fmt.Appendf(nil, `{"id":%d,"method":"session/close","params":{"sessionId":"s"}}`, i)
		cursor.Reset(text)
		m.Read(&cursor, text, nil)
		out.Reset(translate.Client, &m)
		s.From(translate.Client, &m, time.Time{}, &out)
		lost += len(out.Losses())
	}
	for i := range 2 * maxAwaited {
		if awaits := s.Awaits(translate.Agent, jsonrpc.ID(fmt.Sprint(i))); awaits != (i >= maxAwaited) {
			t.Fatalf("request %d is awaited: %v", i, awaits)
		}
	}
	if lost != maxAwaited {
		t.Errorf("%d losses", lost)
	}
}
