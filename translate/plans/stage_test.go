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
	for from, request := range map[translate.Side]string{
		translate.Client: `"method":"session/close","params":{"sessionId":"s"}`,
		translate.Agent:  `"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"switch_mode","rawInput":{"plan":"1. A"}},"options":[]}`,
	} {
		s := NewStage(defaults(), Hooks{Decided: func(*jsonrpc.Message, string, bool, *Result) {}, Forget: func([]byte) {}})
		s.SetClient(legacyClient)
		lost := 0
		for i := range 2 * maxAwaited {
			var m jsonrpc.Message
			var cursor rawjson.Cursor
			var out translate.Out
			text := fmt.Appendf(nil, `{"id":%d,%s}`, i, request)
			cursor.Reset(text)
			m.Read(&cursor, text, nil)
			out.Reset(from, &m)
			s.From(from, &m, time.Time{}, &out)
			lost += len(out.Losses())
		}
		for i := range 2 * maxAwaited {
			if awaits := s.Awaits(from.Other(), jsonrpc.ID(fmt.Sprint(i))); awaits != (i >= maxAwaited) {
				t.Fatalf("request %d of the %s is awaited: %v", i, from, awaits)
			}
		}
		if lost != maxAwaited {
			t.Errorf("%d losses from the %s", lost, from)
		}
	}
}
