package oldagent

import "testing"

func TestSharedUpdates(t *testing.T) {
	summary := func(block string) string {
		return report("compaction_summary_chunk", `"compactionId":"c","content":`+block)
	}
	compaction := func(blocks string) string {
		return report("compaction_update", `"compactionId":"c","status":"completed","summary":`+blocks)
	}
	same := func(update string) step { return agent(update, toC(update)) }
	runCases(t, []testCase{
		{"what version 2 can read passes as it is", nil, then(made,
			same(report("usage_update", `"used":1,"size" : 2,"cost":{"amount":1.50,"currency":"USD"}`)),
			same(compaction(`[{"type":"text","text":"t"}]`)),
			same(compaction(`null`)),
			same(summary(`{"type":"text","text":"\u0074"}`)),
		)},
		{"paths in a summary become URIs", nil, then(made,
			agent(summary(`{"type":"resource_link","uri":"a.txt","name":"n"}`), toC(summary(`{"type":"resource_link","uri":"file:///p/a.txt","name":"n"}`))),
			agent(compaction(`[{"type":"resource_link","uri":"/x","name":"n"}]`), toC(compaction(`[{"type":"resource_link","uri":"file:///x","name":"n"}]`))),
		)},
		{"nothing is lost of a summary that cannot be read", nil, then(made,
			agent(summary(`{"type":"chart","name":"C"}`), toC(summary(`{"type":"text","text":"C"}`))).losing("content block"),
			agent(compaction(`[{"type":"text","text":"t"},{"type":"image"}]`), toC(compaction(`[{"type":"text","text":"t"},{"type":"text","text":"[image]"}]`))).losing("content block"),
		)},
		{"a member that cannot be read is left out", nil, then(made,
			agent(report("usage_update", `"used":1,"size":2,"cost":{"amount":"x"}`), toC(report("usage_update", `"used":1,"size":2`))).losing("unreadable member of an update"),
			agent(report("usage_update", `"used":1`)).losing("unreadable update"),
		)},
		{"updates that only version 2 has are dropped", nil, then(made,
			agent(report("state_update", `"state":"idle"`)).losing("update of version 2"),
			agent(report("terminal_update", `"terminalId":"x"`)).losing("update of version 2"),
			agent(report("agent_message", `"messageId":"m","content":[]`)).losing("update of version 2"),
			agent(report("_status", `"x":1`),
				toC(report("_status", `"x":1`))),
		)},
	})
}
