package oldagent

import "testing"

// These are the tests of the protocol's own converters between the versions,
// which no longer exist. What those tests asserted holds here too, unless they
// asserted that a message is refused.
func TestRemovedConverters(t *testing.T) {
	same := func(message string) step { return agent(message, toC(message)) }
	blocks := `[{"type":"text","text":"hi","annotations":{"audience":["user"],"priority":0.5}},` +
		`{"type":"image","data":"AA==","mimeType":"image/png","uri":"file:///a.png"},{"type":"resource_link","name":"n","uri":"file:///a","size":3}]`
	runCases(t, []testCase{
		{"categories of options stay", nil, offered(
			`"configOptions":[{"id":"a","name":"A","category":"mode","type":"boolean","currentValue":true},`+
				`{"id":"b","name":"B","category":"model","type":"boolean","currentValue":true},`+
				`{"id":"c","name":"C","category":"model_config","type":"boolean","currentValue":true},`+
				`{"id":"d","name":"D","category":"thought_level","type":"boolean","currentValue":true},`+
				`{"id":"e","name":"E","category":"_custom_category","type":"boolean","currentValue":true}]`,
			`{"configId":"a","name":"A","category":"mode","type":"boolean","currentValue":true},`+
				`{"configId":"b","name":"B","category":"model","type":"boolean","currentValue":true},`+
				`{"configId":"c","name":"C","category":"model_config","type":"boolean","currentValue":true},`+
				`{"configId":"d","name":"D","category":"thought_level","type":"boolean","currentValue":true},`+
				`{"configId":"e","name":"E","category":"_custom_category","type":"boolean","currentValue":true}`)},
		{"a prompt stays", nil,
			then(made, client(`2 session/prompt {"sessionId":"s","prompt":`+blocks+`}`, toA(`2 session/prompt {"sessionId":"s","prompt":`+blocks+`}`)))},
		{"chunks with an id stay", nil, then(made,
			same(report("user_message_chunk", `"content":{"type":"text","text":"a"},"messageId":"1"`)),
			same(report("agent_message_chunk", `"messageId":"1","content":{"type":"text","text":"\u00e9"},"_meta":{"a":1.0}`)),
			same(report("agent_thought_chunk", `"messageId":"1","content":{"type":"image","data":"AA==","mimeType":"image/png"}`)),
		)},
		{"session info and usage stay", nil, then(made,
			same(report("session_info_update", `"title":"T","updatedAt":"2026-11-21T12:00:00Z"`)),
			same(report("session_info_update", `"title":null,"updatedAt":null`)),
			same(report("usage_update", `"used":1,"size":2,"cost":{"amount":0.10,"currency":"USD"}`)),
		)},
		{"a tool call with all that it can have", nil, then(made,
			agent(report("tool_call",
				`"toolCallId":"c","title":"Edit","kind":"edit","status":"in_progress","content":[{"type":"diff","path":"/path","oldText":"old contents",`+
					`"newText":"new contents"}],"locations":[{"path":"/path","line":7}],"rawInput":{"a":1},"rawOutput":{"b":2}`),
				toC(report("tool_call_update",
					`"toolCallId":"c","title":"Edit","kind":"edit","status":"in_progress","content":[{"type":"diff","changes":[{"operation":"modify",`+
						`"path":"/path","fileType":"text"}],`+
						`"patch":{"format":"git_patch",`+
						`"text":"diff --git /path /path\n--- /path\n+++ /path\n@@ -1 +1 @@\n-old contents\n\\ No newline at end of file\n+new contents\n\\ No newline at end of file\n"}}],"locations":[{"path":"/path","line":7}],"rawInput":{"a":1},"rawOutput":{"b":2}`))),
		)},
		{"a permission has the title of its tool call", nil, then(made,
			agent(`0 session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"call_1","title":"Read file"},`+
				`"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}`,
				toC(`1 session/request_permission {"sessionId":"s","title":"Read file","subject":{"type":"tool_call","toolCall":{"toolCallId":"call_1",`+
					`"title":"Read file"}},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}`)),
		)},
		{"errors keep their code and data", nil, []step{
			client(`1 session/list {}`, toA(`1 session/list {}`)),
			agent(`1 ! {"code":-32602,"message":"m","data":{"x":[1.0]}}`, toC(`1 ! {"code":-32602,"message":"m","data":{"x":[1.0]}}`)),
			client(`2 session/list {}`, toA(`2 session/list {}`)),
			agent(`2 ! {"code":123,"message":"m"}`, toC(`2 ! {"code":123,"message":"m"}`)),
		}},
		{"forms that are new stay", nil, then(made,
			agent(`0 elicitation/create {"requestId":9,"mode":"_new","requestedSchema":{"type":"object","properties":{"a":{"type":"_new","x":1}}}}`,
				toC(`1 elicitation/create {"requestId":9,"mode":"_new","requestedSchema":{"type":"object","properties":{"a":{"type":"_new","x":1}}}}`)).Foreign(),
		)},
	})
}
