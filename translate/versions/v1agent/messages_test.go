package v1agent

import "testing"

// TestForwarded lists messages of the agent, and whether they are forwarded without a copy.
func TestForwarded(t *testing.T) {
	for short, want := range map[string]bool{
		report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"x"}`):            true,
		report("agent_message_chunk", `"content":{"type":"text","text":"x"}`):                            false,
		report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"x","_meta":{}}`): true,
		report("usage_update", `"used":1,"size":2,"cost":{"amount":1,"currency":"EUR"}`):                 true,
		report("usage_update", `"used":1,"size":2,"cost":{"amount":1,"currency":5}`):                     false,
		report("plan", `"entries":[]`): true,
		report("_x", `"a":1`):          true,
		`_x {}`:                        true,
		report("tool_call", `"toolCallId":"t","title":"T"`): false,
	} {
		p := start(t, made)
		p.Must(t, agent(short))
		output := p.Out.Outputs()
		if len(output) != 1 || output[0].Same != want {
			t.Errorf("%s: %d output messages, forwarded: %v", short, len(output), len(output) == 1 && output[0].Same)
		}
	}
}
