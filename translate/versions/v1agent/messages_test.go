package v1agent

import "testing"

func TestMessages(t *testing.T) {
	chunk := func(kind, id, rest string) string {
		s := `"content":{"type":"text","text":"x"}`
		if id != "" {
			s += `,"messageId":"` + id + `"`
		}
		return report(kind+"_chunk", s+rest)
	}
	gets := func(kind, given, id string) step { return agent(chunk(kind, given, ""), toC(chunk(kind, id, ""))) }
	runCases(t, []testCase{
		{"chunks without an id go on with the message before", nil, then(begun,
			gets("agent_thought", "", "b-2"), gets("agent_thought", "", "b-2"),
			gets("agent_message", "", "b-3"), gets("agent_message", "", "b-3"),
			agent(report("usage_update", `"used":1,"size":2`), toC(report("usage_update", `"used":1,"size":2`))),
			gets("agent_message", "", "b-3"),
			gets("agent_message", "m", "m"), gets("agent_message", "", "b-4"),
			agent(report("tool_call", `"toolCallId":"u","title":"T"`), toC(report("tool_call_update", `"toolCallId":"u","title":"T"`))),
			gets("agent_message", "", "b-5"),
			agent(report("tool_call_update", `"toolCallId":"u"`), toC(report("tool_call_update", `"toolCallId":"u"`))),
			gets("agent_message", "", "b-5"),
			agent(`2 = {"stopReason":"end_turn"}`, ended("end_turn")),
			gets("agent_message", "", "b-5"),
			client(`2 session/prompt `+hi, toA(`3 session/prompt `+hi)),
			wait(ackDelay, taken("6", 2)...),
			gets("agent_message", "", "b-7"),
		)},
		{"a question, a plan, a notice and a tool call that is new end a message", nil, then(made,
			gets("agent_message", "", "b-1"),
			agent(report("tool_call_update", `"toolCallId":"t"`), toC(report("tool_call_update", `"toolCallId":"t"`))),
			gets("agent_message", "", "b-2"),
			agent(report("notice", `"severity":"info","title":"T"`), toC(report("notice", `"severity":"info","title":"T"`))),
			gets("agent_message", "", "b-3"),
			agent(`0 elicitation/create {"sessionId":"s","mode":"_x","message":"m"}`, toC(`1 elicitation/create {"sessionId":"s","mode":"_x","message":"m"}`)),
			gets("agent_message", "", "b-4"),
			agent(report("plan", `"entries":[]`), toC(report("plan", `"entries":[]`))),
			gets("agent_message", "", "b-5"),
		)},
		{"content is repaired", nil, then(made,
			agent(report("agent_message_chunk", `"messageId":null,"content":{"type":"resource_link","uri":"/a b","name":"n"},"_meta":{"k":1}`),
				toC(report("agent_message_chunk", `"content":{"type":"resource_link","uri":"file:///a%20b","name":"n"},"_meta":{"k":1},"messageId":"b-1"`))),
			agent(report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"x","annotations":{"audience":["robot"],"priority":3}}`),
				toC(report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"x","annotations":{}}`))),
			agent(report("agent_message_chunk", `"messageId":"m"`),
				toC(report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"[content]"}`))).Losing("content block"),
		)},
		{"an update without a kind is dropped", nil, then(made,
			agent(`session/update {"sessionId":"s","update":{}}`).Losing("unreadable update"),
			agent(`session/update {"update":{"sessionUpdate":"plan"}}`).Losing("unreadable update"),
		)},
	})
}

// TestForwarded pins which messages of the agent go on without a copy.
func TestForwarded(t *testing.T) {
	for short, want := range map[string]bool{
		report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"x"}`):            true,
		report("agent_message_chunk", `"content":{"type":"text","text":"x"}`):                            false,
		report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"x","_meta":{}}`): false,
		report("usage_update", `"used":1,"size":2,"cost":{"amount":1,"currency":"EUR"}`):                 true,
		report("usage_update", `"used":1,"size":2,"cost":{"amount":1,"currency":5}`):                     false,
		report("plan", `"entries":[]`): true,
		report("_x", `"a":1`):          true,
		`_x {}`:                        true,
		report("tool_call", `"toolCallId":"t","title":"T"`): false,
	} {
		p := start(t, made)
		p.Must(t, agent(short))
		leaves := p.Out.Leaves()
		if len(leaves) != 1 || leaves[0].Same != want {
			t.Errorf("%s: %d messages leave, forwarded: %v", short, len(leaves), len(leaves) == 1 && leaves[0].Same)
		}
	}
}
