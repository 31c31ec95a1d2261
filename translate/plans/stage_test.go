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

// TestPendingIsBounded verifies that the oldest requests without a response are evicted.
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

// TestWaitingList verifies that the stage sees every message of the agent while a list waits.
func TestWaitingList(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	mustSend(t, p, "s", markdownUpdate("p", "Some words."))
	if !p.Wants()[translate.Agent].All {
		t.Error("the list does not wait")
	}
	p.turn("s")
	if p.Wants()[translate.Agent].All {
		t.Error("the list waits after the turn")
	}
}

// TestRemovalOfUnknownID verifies that a removal by another stage, or after an eviction, never
// means another plan.
func TestRemovalOfUnknownID(t *testing.T) {
	p := newPeer(defaults(), legacyClient)
	mustSend(t, p, "s", legacyPlan(todo("A")))
	sess := p.live.sessions.Get("s")
	if sess.remove([]byte("other"), true) != nil {
		t.Error("another stage removes the plan")
	}
	p.live.hasEvicted = true
	if sess.remove([]byte("other"), false) != nil {
		t.Error("the removal of an evicted plan removes the plan")
	}
	p.live.hasEvicted = false
	if sess.remove([]byte("other"), false) == nil {
		t.Error("the plan is not removed")
	}
}
