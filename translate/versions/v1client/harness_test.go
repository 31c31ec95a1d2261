package v1client

import (
	"cmp"
	"testing"

	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/words"
)

// The words of conversations, see package bridgetest.
type step = bridgetest.Step

var (
	client, agent, wait, gone = bridgetest.Client, bridgetest.Agent, bridgetest.Wait, bridgetest.Gone
	toC, toA                  = bridgetest.ToClient, bridgetest.ToAgent
	full, in                  = bridgetest.Full, bridgetest.In
)

// chunk is a message chunk, block is a content block.
func chunk(kind, id, text string) string {
	return `{"sessionUpdate":"` + kind + `_chunk","messageId":"` + id + `","content":` + block(text) + `}`
}

func block(text string) string { return `{"type":"text","text":"` + text + `"}` }

func state(s string) string { return `{"sessionUpdate":"state_update","state":"` + s + `"}` }

func idle(reason string) string {
	return `{"sessionUpdate":"state_update","state":"idle","stopReason":"` + reason + `"}`
}

// A testCase is a conversation after initialize, with an agent that starts MCP servers if
// it is nil.
type testCase struct {
	name   string
	client words.V1Client
	agent  *words.V2Agent
	steps  []step
}

func runCases(t *testing.T, cases []testCase) {
	t.Helper()
	for _, c := range cases {
		agent := cmp.Or(c.agent, &words.V2Agent{Stdio: true})
		newPeer(Options{Client: c.client, Agent: *agent}).Case(t, c.name, 1, c.steps)
	}
}

// A peer hands messages to a Bridge.
type peer struct {
	*bridgetest.Peer
	bridge *Bridge
}

func newPeer(o Options) *peer {
	b := New(o)
	return &peer{bridgetest.NewPeer(b, func() error {
		if b.link.Ended() {
			return nil // what was held is not needed any more
		}
		return b.check()
	}), b}
}
