package conversation

import (
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/vendors"
)

func withVendors(o *Options) { o.Vendors = vendors.Auto }

const cursorPlan = `"method":"cursor/create_plan","params":{"sessionId":"s","toolCallId":"t","plan":"1. A"}`

// Plans of an agent without vendor-specific messages are read once: the vendors stage allocates
// nothing.
func TestPlansWithoutVendorsWords(t *testing.T) {
	for _, update := range []string{
		legacyPlan("a"), itemsPlan("p", "a"),
		`{"sessionUpdate":"plan_update","plan":{"entries":[` + entry("a") + `],"type":"items","planId":"p"},"_meta":{"k":{}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`,
	} {
		r := rig{t: t, c: newTestConversation(withVendors)}
		r.agent, r.client = newDirection(r.c, translate.Agent), newDirection(r.c, translate.Client)
		r.fromClient(request("0", "initialize", `{"protocolVersion":1,"clientInfo":{"name":"editor"}}`))
		r.fromAgent(success("0", `{"protocolVersion":1,"agentInfo":{"name":"an agent"}}`))
		line := []byte(planLine("s", update))
		if n := testing.AllocsPerRun(100, func() { r.agent.Rewrite(line) }); n > 0 {
			t.Errorf("%s: %v allocations", update, n)
		}
	}
}
