package conversation

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport"
)

// An observer of plans receives the messages about plans that the proxy adds to any message.
func TestPlansBesideMessages(t *testing.T) {
	const ask = `{"id":5,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"switch_mode","rawInput":{"plan":"1. A"}},"options":[]}}` + "\n"
	seen := func(r *rig) string {
		var words []string
		for _, e := range r.events {
			words = append(words, map[bool]string{true: "said", false: "passed"}[e.In == nil]+" "+string(e.Out))
		}
		r.events = nil
		return strings.Join(words, "\n")
	}
	r := newRig(t, func(o *Options) { o.Plans.Markdown = plans.MarkdownBoth })
	r.negotiate(`{}`, 1)
	r.fromClient(request("7", methodPrompt, `{"sessionId":"s"}`))
	r.fromAgent(planLine("s", `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"1. A"}}`))
	r.events = nil
	r.fromAgent(success("7", `{}`))
	if got := seen(r); !strings.HasPrefix(got, "said ") || strings.Contains(got, "passed") || !strings.Contains(got, "agent_message_chunk") {
		t.Errorf("at the end of a turn: %s", got)
	}
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.fromClient(ownInitialize)
		c.fromAgent(refusal)
		c.fromAgent(success(`1000000001`, version2Result))
		c.fromAgent(ask)
		c.events = nil
		c.fromClient(`{"method":"cancel"}` + "\n")
		if got := seen(c.rig); !strings.Contains(got, `said {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`) {
			t.Errorf("a question that the bridge cancels: %s", got)
		}
	})
}

// A vendor's question concerns a plan until its response, whether the client or the proxy responds.
// A streamed line whose head is followed does not affect the next event.
func TestVendorsAnswersAreSeen(t *testing.T) {
	r := newRig(t, withVendors)
	nobody := transport.NewOutlet(io.Discard, 1<<20)
	r.c.outlets = [2]*transport.Outlet{nobody, nobody}
	r.negotiate(`{"terminal":true}`, 1)
	r.fromAgent(`{"jsonrpc":"2.0","id":2,` + cursorPlan + "}\n")
	r.fromClient(request("7", methodPrompt, `{"sessionId":"s"}`))
	r.events = nil
	r.fromClient(`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}` + "\n")
	if len(r.events) == 0 || r.events[0].Action != plans.Drop {
		t.Errorf("a response that the agent does not receive: %+v", r.events)
	}
	r.fromAgent(`{"jsonrpc":"2.0","id":3,` + cursorPlan + "}\n")
	r.events = nil
	r.c.ClientClosed()
	if len(r.events) != 1 || !r.events[0].FromClient {
		t.Errorf("the response for a client that has gone: %+v", r.events)
	}
}

// TestCauses: an event without a message names the one that caused it, if that is observed.
func TestCauses(t *testing.T) {
	for _, tt := range []struct {
		all  bool
		want string
	}{{true, "next passed"}, {false, "unknown"}} {
		r := newRig(t, func(o *Options) { o.Plans.Markdown, o.ObserveAll = plans.MarkdownBoth, tt.all })
		r.negotiate(`{}`, 1)
		r.fromClient(request("7", methodPrompt, `{"sessionId":"s"}`))
		r.fromAgent(planLine("s", `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"1. A"}}`))
		r.events = nil
		r.fromAgent(success("7", `{}`))
		var got []string
		for _, e := range r.events {
			if e.In == nil {
				got = append(got, [...]string{trace.Unknown: "unknown", trace.Last: "last", trace.Next: "next"}[e.Cause])
			} else {
				got = append(got, "passed")
			}
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("all %v: %s, want %s", tt.all, got, tt.want)
		}
	}
}
