package v1agent

import (
	"strings"
	"testing"
)

func TestToolCalls(t *testing.T) {
	call := func(rest string) string { return report("tool_call", `"toolCallId":"t"`+rest) }
	change := func(rest string) string { return report("tool_call_update", `"toolCallId":"t"`+rest) }
	other := func(kind, rest string) string { return report(kind, `"toolCallId":"u"`+rest) }
	same := func(rest string) step { return agent(change(rest), toC(change(rest))) }
	runCases(t, []testCase{
		{"a tool call is made by an update", nil, then(made,
			agent(call(`,"title":"T"`), toC(change(`,"title":"T"`))),
			same(`,"status":"completed","content":[]`),
			same(`,"name":"n","rawInput":{"a":1.0},"rawOutput":[1],"_meta":{"k":1}`),
		)},
		{"one that begins again is cleared first", nil, then(made,
			agent(call(`,"title":"T"`), toC(change(`,"title":"T"`))),
			agent(call(`,"title":"T","kind":"read","status":null`),
				toC(change(`,"title":"T","kind":"read","name":null,"status":null,"content":null,"locations":null,"rawInput":null,"rawOutput":null`))),
		)},
		{"content blocks are repaired, and nothing is lost of what cannot be", nil, then(made,
			agent(change(`,"content":[{"type":"content","content":{"type":"resource_link","uri":"a b.txt","name":"n","size":-1}},`+
				`{"type":"content","content":{"type":"image"}},{"type":"map"}]`),
				toC(change(`,"content":[{"type":"content","content":{"type":"resource_link","uri":"file:///p/a%20b.txt","name":"n"}},`+
					`{"type":"content","content":{"type":"text","text":"[image]"}},{"type":"content","content":{"type":"text","text":"[map]"}}]`))).
				Losing("content block", "unknown content of a tool call"),
		)},
		{"a terminal of the client is shown as text", nil, then(made,
			agent(change(`,"content":[{"type":"terminal","terminalId":"x"}]`),
				toC(change(`,"content":[{"type":"content","content":{"type":"text","text":"[terminal]"}}]`))).Losing("terminal"),
		)},
		{"a tool call without an id is dropped", nil, then(made, agent(report("tool_call", `"title":"T"`)).Losing("unreadable update"))},
		{"what a cancelled turn has not finished is cancelled before its end, once", nil, then(begun,
			agent(call(`,"title":"T"`), toC(change(`,"title":"T"`))),
			agent(other("tool_call", `,"title":"U","status":"completed"`), toC(other("tool_call_update", `,"title":"U","status":"completed"`))),
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`)),
			agent(`2 = {"stopReason":"cancelled"}`), wait(lateDelay, toC(change(`,"status":"cancelled"`)), ended("cancelled")),
			client(`2 session/prompt `+hi, toA(`3 session/prompt `+hi)),
			agent(`3 = {"stopReason":"cancelled"}`, taken("2", 2)...), wait(lateDelay, ended("cancelled")),
		)},
		{"also if the agent cancels it by itself", nil, then(begun,
			agent(change(`,"status":"in_progress"`), toC(change(`,"status":"in_progress"`))),
			agent(other("tool_call", `,"title":"U","status":"waiting"`), toC(other("tool_call_update", `,"title":"U","status":"_waiting"`))).
				Losing("unknown status of a tool call"),
			agent(`2 ! {"code":-32800,"message":"cancelled"}`,
				toC(change(`,"status":"cancelled"`)), toC(other("tool_call_update", `,"status":"cancelled"`)), ended("cancelled")),
		)},
		{"also if the session is closed", nil, then(begun,
			agent(call(`,"title":"T"`), toC(change(`,"title":"T"`))),
			client(`3 session/close {"sessionId":"s"}`, toA(`3 session/close {"sessionId":"s"}`)),
			agent(`3 = {}`, toC(change(`,"status":"cancelled"`)), ended("cancelled"), toC(`3 = {}`)),
		)},
		{"what the agent says of it until then counts, and what it says later passes", nil, then(begun,
			agent(call(`,"title":"T"`), toC(change(`,"title":"T"`))),
			agent(other("tool_call", `,"title":"U"`), toC(other("tool_call_update", `,"title":"U"`))),
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`)),
			agent(`2 = {"stopReason":"cancelled"}`),
			same(`,"status":"failed"`),
			wait(lateDelay, toC(other("tool_call_update", `,"status":"cancelled"`)), ended("cancelled")),
			agent(other("tool_call_update", `,"status":"completed"`), toC(other("tool_call_update", `,"status":"completed"`))),
		)},
		{"tool calls of other turns, and of turns that were not cancelled, stay", nil, then(begun,
			agent(call(`,"title":"T"`), toC(change(`,"title":"T"`))),
			agent(`2 ! {"code":-32603,"message":"no"}`,
				toC(report("state_update", `"state":"idle","stopReason":"error","error":{"code":-32603,"message":"no"}`))),
			client(`2 session/prompt `+hi, toA(`3 session/prompt `+hi)),
			agent(`3 = {"stopReason":"cancelled"}`, taken("2", 2)...), wait(lateDelay, ended("cancelled")),
		)},
	})
}

func TestDiffs(t *testing.T) {
	diff := func(item string) string {
		return report("tool_call_update", `"toolCallId":"t","content":[{"type":"diff",`+item+`}]`)
	}
	patched := func(operation, path, patch, rest string) string {
		return diff(`"changes":[{"operation":"` + operation + `","path":"` + path + `","fileType":"text"}],"patch":{"format":"git_patch","text":"` +
			strings.ReplaceAll(patch, "\n", `\n`) + `"}` + rest)
	}
	runCases(t, []testCase{
		{"two texts become a patch", nil, then(made,
			agent(diff(`"path":"/path","oldText":"old contents","newText":"new contents"`), toC(patched("modify", "/path",
				"diff --git /path /path\n--- /path\n+++ /path\n@@ -1 +1 @@\n-old contents\n\\\\ No newline at end of file\n+new contents\n\\\\ No newline at end of file\n", ""))),
		)},
		{"a text without an old one is a new file", nil, then(made,
			agent(diff(`"path":"a b","oldText":null,"newText":"one\ntwo\n"`), toC(patched("add", "/p/a b",
				"diff --git /p/a b /p/a b\nnew file mode 100644\n--- /dev/null\n+++ /p/a b\\t\n@@ -0,0 +1,2 @@\n+one\n+two\n", ""))),
			agent(diff(`"path":"/e","newText":""`), toC(patched("add", "/e", "diff --git /e /e\nnew file mode 100644\n", ""))),
		)},
		{"an agent can say that a file is deleted", nil, then(made,
			agent(diff(`"path":"/e","oldText":"x\n","newText":"","_meta":{"kind":"delete"}`), toC(patched("delete", "/e",
				"diff --git /e /e\ndeleted file mode 100644\n--- /e\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", `,"_meta":{"kind":"delete"}`))),
		)},
		{"texts that are the same have no patch", nil, then(made,
			agent(diff(`"path":"/e","oldText":"x","newText":"x"`), toC(diff(`"changes":[{"operation":"modify","path":"/e","fileType":"text"}]`))),
		)},
		{"large texts have no patch", nil, then(made,
			agent(diff(`"path":"/e","oldText":"x","newText":"`+strings.Repeat("y", maxDiff)+`"`),
				toC(diff(`"changes":[{"operation":"modify","path":"/e","fileType":"text"}]`))).Losing("large diff"),
		)},
		{"a diff without a path is shown as text", nil, then(made,
			agent(diff(`"newText":"x"`),
				toC(report("tool_call_update", `"toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"[diff]"}}]`))),
		)},
	})
}

func TestTerminals(t *testing.T) {
	call := func(rest string) string { return report("tool_call_update", `"toolCallId":"t"`+rest) }
	terminal := func(kind, rest string) string { return toC(report(kind, `"terminalId":"x"`+rest)) }
	const item = `,"content":[{"type":"terminal","terminalId":"x"}]`
	shown := agent(report("tool_call",
		`"toolCallId":"t","title":"ls","rawInput":{"command":"ls"}`+item+`,"_meta":{"terminal_info":{"terminal_id":"x","cwd":"/p"},"k":1}`),
		terminal("terminal_update", `,"command":"ls","cwd":"/p"`),
		toC(call(`,"title":"ls","rawInput":{"command":"ls"}`+item+`,"_meta":{"k":1}`)))
	runCases(t, []testCase{
		{"a terminal in _meta is one of version 2", nil, then(made, shown,
			agent(call(`,"_meta":{"terminal_output":{"terminal_id":"x","data":"hé\n"}}`), terminal("terminal_output_chunk", `,"data":"aMOpCg=="`)),
			agent(call(`,"status":"completed","_meta":{"terminal_exit":{"terminal_id":"x","exit_code":0,"signal":null}}`),
				terminal("terminal_update", `,"exitStatus":{"exitCode":0,"signal":null}`), toC(call(`,"status":"completed"`))),
		)},
		{"what _meta says besides the terminal passes", nil, then(made, shown,
			agent(call(`,"_meta":{"terminal_output_delta":{"terminal_id":"x","data":"a"},"k":2}`), terminal("terminal_output_chunk", `,"data":"YQ=="`),
				toC(call(`,"_meta":{"k":2}`))),
		)},
		{"output that comes with the end is all of it", nil, then(made, shown,
			agent(call(`,"_meta":{"terminal_output":{"terminal_id":"x","data":"a"},"terminal_exit":{"terminal_id":"x","exit_code":null,"signal":"KILL"}}`),
				terminal("terminal_update", `,"output":{"data":"YQ=="},"exitStatus":{"exitCode":null,"signal":"KILL"}`)),
		)},
		{"unless some came before", nil, then(made, shown,
			agent(call(`,"_meta":{"terminal_output_delta":{"terminal_id":"x","data":"a"}}`), terminal("terminal_output_chunk", `,"data":"YQ=="`)),
			agent(call(`,"_meta":{"terminal_output":{"terminal_id":"x","data":"b"},"terminal_exit":{"terminal_id":"x","exit_code":1}}`),
				terminal("terminal_output_chunk", `,"data":"Yg=="`), terminal("terminal_update", `,"exitStatus":{"exitCode":1}`)),
		)},
		{"a command that is known later is told", nil, then(made,
			agent(report("tool_call", `"toolCallId":"t","title":"T","rawInput":{},"_meta":{"terminal_info":{"terminal_id":"x"}}`),
				terminal("terminal_update", ""), toC(call(`,"title":"T","rawInput":{}`))),
			agent(call(`,"rawInput":{"command":"ls"}`), terminal("terminal_update", `,"command":"ls"`), toC(call(`,"rawInput":{"command":"ls"}`))),
			agent(call(`,"rawInput":{"command":"ls"}`), toC(call(`,"rawInput":{"command":"ls"}`))),
		)},
	})
}
