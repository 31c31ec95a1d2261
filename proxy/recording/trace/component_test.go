package trace_test

import (
	"testing"

	"acp-plan-proxy/proxy/recording/trace"
)

func TestRank(t *testing.T) {
	for name, want := range map[trace.Component]int{
		"Client": trace.ClientRank, "client": trace.ClientRank, "Proxy": 1, "proxy": 1, "Proxy(0)": 1, "Proxy(1)": 2, "proxy:12": 13,
		"Proxy(3 of 4)": 4, "Proxy(99999999999999999999)": 1, "": 1, "Agent": trace.AgentRank, "agent:0": trace.AgentRank,
	} {
		if got := name.Rank(); got != want {
			t.Errorf("%s: %d", name, got)
		}
	}
}
