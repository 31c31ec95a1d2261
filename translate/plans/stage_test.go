package plans

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
)

// TestPendingIsBounded pins that the oldest requests without a response are evicted.
func TestPendingIsBounded(t *testing.T) {
	for from, request := range map[translate.Side]string{
		translate.Client: `"method":"session/close","params":{"sessionId":"SESSION"}`,
		translate.Agent:  `"method":"session/request_permission","params":{"sessionId":"SESSION","toolCall":{"toolCallId":"t","kind":"switch_mode","rawInput":{"plan":"1. A"}},"options":[]}`,
	} {
		for _, session := range []string{"s", strings.Repeat("s", keep.PerSession/4)} {
			p := newPeer(defaults(), legacyClient)
			lost := false
			last := 0
			for ; !lost; last++ {
				p.from(from, fmt.Sprintf(`{"id":%d,%s}`, last, strings.Replace(request, "SESSION", session, 1)))
				lost = len(p.out.Losses()) > 0
			}
			for i, want := range map[int]bool{0: false, last - 1: true} {
				if got := p.Awaits(from.Other(), jsonrpc.ID(strconv.Itoa(i))); got != want {
					t.Errorf("request %d of %d from the %s, of a session with %d bytes, is pending: %t", i, last, from, len(session), got)
				}
			}
			if p.live.budget.Used() > keep.PerConnection {
				t.Errorf("%d bytes are kept", p.live.budget.Used())
			}
		}
	}
}
