package v1agent

import "testing"

func TestSharedUpdates(t *testing.T) {
	summary := func(block string) string {
		return report("compaction_summary_chunk", `"compactionId":"c","content":`+block)
	}
	compaction := func(blocks string) string {
		return report("compaction_update", `"compactionId":"c","status":"completed","summary":`+blocks)
	}
	message := func(kind, content string) string { return report(kind, `"messageId":"m","content":`+content) }
	childIs := func(state string) string { return report("subagent_update", `"sessionId":"child","state":`+state) }
	tells := func(state string) string {
		return toC(`session/update {"sessionId":"child","update":{"sessionUpdate":"state_update",` + state + `}}`)
	}
	same := func(update string) step { return agent(update, toC(update)) }
	runCases(t, []testCase{
		{"what version 2 can read passes as it is", nil, then(made,
			same(report("usage_update", `"used":1,"size" : 2,"cost":{"amount":1.50,"currency":"USD"}`)),
			same(compaction(`[{"type":"text","text":"t"}]`)),
			same(compaction(`null`)),
			same(summary(`{"type":"text","text":"\u0074"}`)),
		)},
		{"so do paths in messages between sessions", nil, then(made,
			agent(message("session_message", `[{"type":"resource_link","uri":"a.txt","name":"n"},{"type":"chart","name":"C"}],"senderSessionId":null`),
				toC(message("session_message",
					`[{"type":"resource_link","uri":"file:///p/a.txt","name":"n"},{"type":"text","text":"C"}],"senderSessionId":null`))).
				Losing("content block"),
			agent(message("session_message_chunk", `{"type":"resource_link","uri":"/x","name":"n"}`),
				toC(message("session_message_chunk", `{"type":"resource_link","uri":"file:///x","name":"n"}`))),
			same(message("session_message", `null`)),
			same(message("session_message_chunk", `{"type":"text","text":"\u0074"}`)),
			same(report("session_message", `"messageId":"m","recipientSessionId":"s"`)),
			agent(report("session_message_chunk", `"content":{"type":"text","text":"t"}`)).Losing("unreadable update"),
		)},
		{"what needs no conversion passes, and so do extensions", nil, then(made,
			same(report("plan", `"entries":[]`)),
			same(report("plan_update", `"plan":{"type":"items","planId":"p","entries":[]}`)),
			same(report("plan_removed", `"planId":"p"`)),
			same(report("subagent_update", `"sessionId":"child","title":"T"`)),
			same(report("tool_call_update", `"toolCallId":"t","content":[{"type":"session","sessionId":"child","_meta":{"a":1}}]`)),
			same(report("_own", `"a":1.0`)),
			agent(report("turn_completed", `"a":1`), toC(report("turn_completed", `"a":1`))).Losing("session update").Foreign(),
			agent(report("", ""), toC(report("", ""))).Losing("session update").Foreign(),
		)},
		{"the state of a subagent is told in its own session, once", nil, then(made,
			agent(childIs(`{"state":"running"}`), toC(childIs(`{"state":"running"}`)), tells(`"state":"running"`)),
			same(childIs(`{"state":"running"}`)),
			same(childIs(`null`)),
			same(childIs(`{"state":"unknown"}`)),
			agent(childIs(`{"stopReason":"end_turn","state":"idle"}`),
				toC(childIs(`{"stopReason":"end_turn","state":"idle"}`)), tells(`"stopReason":"end_turn","state":"idle"`)),
			same(childIs(`{"state":"idle","stopReason":"end_turn"}`)),
		)},
		{"what version 2 cannot read, or would take for its own, does not", nil, then(made,
			agent(report("plan", `"a":1`)).Losing("unreadable update"),
			agent(report("plan", `"entries":null`)).Losing("unreadable update"),
			agent(report("plan", `"entries":{}`)).Losing("unreadable update"),
			agent(report("replay_complete", "")).Losing("update of version 2"),
		)},
		{"a member that cannot be read is left out", nil, then(made,
			agent(report("usage_update", `"used":1,"size":2,"cost":{"amount":"x"}`), toC(report("usage_update", `"used":1,"size":2`))).
				Losing("unreadable member of an update"),
			agent(report("usage_update", `"used":1`)).Losing("unreadable update"),
		)},
		{"options in a request for a session are left out", nil, then(nil,
			client(`1 session/new {"cwd":"/p","configOptions":[{"configId":"m","type":"id","value":"a"}]}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)).
				Losing("capability configOptions"),
		)},
		{"updates that only version 2 has are dropped", nil, then(made,
			agent(report("state_update", `"state":"idle"`)).Losing("update of version 2"),
			agent(report("terminal_update", `"terminalId":"x"`)).Losing("update of version 2"),
			agent(report("agent_message", `"messageId":"m","content":[]`)).Losing("update of version 2"),
			agent(report("prompt_suggestions_update", `"suggestions":[]`)), // the client has not announced that it shows them
			agent(report("cursor_update", `"cursorId":"k","anchor":{"type":"before","messageId":"m"}`)),
			agent(report("_status", `"x":1`),
				toC(report("_status", `"x":1`))),
		)},
	})
}
