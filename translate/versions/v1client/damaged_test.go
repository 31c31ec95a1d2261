package v1client

import (
	"strings"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/bridgetest"
)

// TestDamagedMessages sends messages of an agent with each member removed, or replaced with a
// value of another type. The client receives valid messages only.
func TestDamagedMessages(t *testing.T) {
	const open = `client> 1 session/new {"cwd":"/p","mcpServers":[]}`
	asked := func(method, params string) string {
		return `client> 1 ` + method + ` ` + params
	}
	meta := `,"_meta":{"a":1}`
	blocks := `{"type":"text","text":"x","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-01-01"` + meta + `}` + meta + `},` +
		`{"type":"image","data":"eA==","mimeType":"image/png","uri":"file:///x"},{"type":"audio","data":"eA==","mimeType":"audio/x"},` +
		`{"type":"resource_link","name":"n","uri":"file:///x","title":"t","description":"d","mimeType":"m/x","size":5,"icons":[{"src":"x:"}]},` +
		`{"type":"resource","resource":{"uri":"file:///x","text":"t","mimeType":"m/x"` + meta + `}},{"type":"resource","resource":{"uri":"file:///x","blob":"eA=="}}`
	options := `[{"configId":"mode","name":"Mode","category":"mode","description":"d","type":"select","currentValue":"a","options":[{"value":"a",` +
		`"name":"A","description":"d"` + meta + `}]` + meta + `},` +
		`{"configId":"g","name":"G","type":"select","currentValue":"a","options":[{"groupId":"g","name":"G","options":[{"value":"a","name":"A"}]}]},` +
		`{"configId":"b","name":"B","type":"boolean","currentValue":true}]`
	answer := func(result string) string { return `agent> 1 = ` + result }
	update := func(u string) string { return full(in("s", u)) }
	usage := `{"totalTokens":1,"inputTokens":2,"outputTokens":3,"thoughtTokens":4,"cachedReadTokens":5,"cachedWriteTokens":6` + meta + `}`
	form := `{"type":"object","title":"t","description":"d","required":["s"],"properties":{` +
		`"s":{"type":"string","title":"t","description":"d","minLength":1,"maxLength":2,"pattern":"p","format":"uri","default":"x","enum":["a"],` +
		`"oneOf":[{"const":"a","title":"A","description":"d"` + meta + `}]},` +
		`"n":{"type":"number","minimum":1,"maximum":2,"default":1.5},"i":{"type":"integer","minimum":1,"maximum":2,"default":1},` +
		`"b":{"type":"boolean","default":true},` +
		`"l":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a"]},"default":["a"]},` +
		`"m":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}},"x":{"type":"_x"}}}`
	for _, c := range []struct{ before, line string }{
		{open, answer(`{"sessionId":"s","configOptions":` + options + `,"availableCommands":` + commandsV2 + meta + `}`)},
		{asked("session/load", `{"sessionId":"s","cwd":"/p","mcpServers":[]}`),
			answer(`{"configOptions":` + options + `,"availableCommands":` + commandsV2 + `}`)},
		{asked("session/list", `{}`),
			answer(`{"sessions":[{"sessionId":"s","cwd":"/p","additionalDirectories":["/q"],"title":"t","updatedAt":"2026-01-01T00:00:00Z","archived":true` + meta + `}],"nextCursor":"c"` + meta + `}`)},
		{asked("session/set_config_option", `{"sessionId":"s","configId":"mode","value":"a"}`), answer(`{"configOptions":` + options + meta + `}`)},
		{asked("session/status", `{"sessionId":"s"}`), answer(`{"status":"open","state":{"state":"idle"}` + meta + `}`)},
		{asked("session/set_title", `{"sessionId":"s","title":"t"}`), answer(`{"title":"t"` + meta + `}`)},
		{asked("session/archive", `{"sessionId":"s"}`), answer(`{"_meta":{}}`)},
		{asked("session/close", `{"sessionId":"s"}`), answer(`{"_meta":{}}`)},
		{asked("session/fork", `{"sessionId":"s","cwd":"/p"}`), answer(`{"sessionId":"s2","configOptions":` + options + `}`)},
		{asked("authenticate", `{"methodId":"m"}`), answer(`{"_meta":{}}`)},
		{asked("providers/list", `{}`),
			answer(`{"providers":[{"providerId":"p","supported":["openai"],"required":true,"current":{"apiType":"openai","baseUrl":"https://x"` + meta + `}` + meta + `}]}`)},
		{asked("session/prompt", `{"sessionId":"s","prompt":[`+block("hi")+`]}`) + "\n" + answer(`{"messageId":"m"}`) + "\n" + update(state("running")),
			update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":` + usage + meta + `}`)},
		{asked("session/prompt", `{"sessionId":"s","prompt":[`+block("hi")+`]}`), `agent> 1 ! {"code":-32000,"message":"m","data":{}}`},
		{"", update(`{"sessionUpdate":"agent_message","messageId":"m","content":[` + blocks + `]` + meta + `}`)},
		{"", update(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":` + block("x") + meta + `}`)},
		{"",
			update(call(`,"title":"t","name":"n","kind":"read","status":"pending","rawInput":{},"rawOutput":{},"locations":[{"path":"/a","line":1` + meta + `}],"capabilities":{"cancel":{}}` + meta +
				`,"content":[{"type":"content","content":` + block("x") + meta + `},{"type":"terminal","terminalId":"x"},` +
				`{"type":"diff","changes":[{"operation":"move","oldPath":"/a","path":"/b","fileType":"text"}],` +
				`"patch":{"format":"git_patch","text":"--- /a\n+++ /b\n@@ -1 +1 @@\n-x\n+y\n"}` + meta + `}]`))},
		{update(call(`,"title":"t"`)), update(call(`,"title":"t","status":"completed","content":[]`))},
		{update(call(`,"title":"t"`)), update(contentChunk(`{"type":"content","content":`+block("x")+meta+`}`)) + "\nwait 180ms"},
		{update(call(`,"content":[{"type":"terminal","terminalId":"x"}]`)),
			update(`{"sessionUpdate":"terminal_update","terminalId":"x","command":"ls","cwd":"/p","output":{"data":"aGk="},` +
				`"exitStatus":{"exitCode":1,"signal":"s"}}`)},
		{update(call(`,"content":[{"type":"terminal","terminalId":"x"}]`)),
			update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"w6Q="}`) + "\nwait 270ms"},
		{"", update(`{"sessionUpdate":"config_option_update","configOptions":` + options + meta + `}`)},
		{"", update(`{"sessionUpdate":"available_commands_update","availableCommands":` + commandsV2 + meta + `}`)},
		{"", update(`{"sessionUpdate":"session_info_update","title":"t","updatedAt":"2026-01-01T00:00:00Z"` + meta + `}`)},
		{"", update(`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1.5,"currency":"EUR"` + meta + `}` + meta + `}`)},
		{"", update(`{"sessionUpdate":"notice","severity":"error","title":"T","description":"d"` + meta + `}`)},
		{"", update(`{"sessionUpdate":"compaction_update","compactionId":"c","status":"failed","summary":[` + block("s") + `],"error":"e"` + meta + `}`)},
		{"", update(`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":` + block("s") + meta + `}`)},
		{"",
			update(`{"sessionUpdate":"subagent_update","sessionId":"k","title":"t","capabilities":{"cancel":{}},` +
				`"state":{"state":"idle","stopReason":"end_turn","usage":` + usage + `},"cwd":"/p","additionalDirectories":["/q"]` + meta + `}`)},
		{"", update(`{"sessionUpdate":"subagent_update","sessionId":"k","state":{"state":"idle","stopReason":"error","error":{"code":1,"message":"m"}}}`)},
		{"",
			update(`{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"a","recipientSessionId":"b","senderMessageId":"c",` +
				`"recipientMessageId":"d","content":[` + block("x") + `]` + meta + `}`)},
		{"", update(`{"sessionUpdate":"session_message_chunk","messageId":"m","content":` + block("x") + meta + `}`)},
		{"",
			`agent> 0 session/request_permission {"sessionId":"s","title":"Go?","description":"d","subject":{"type":"tool_call","toolCall":{"toolCallId":"t",` +
				`"title":"t","kind":"edit","content":[` + textItem("x") + `]}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"` + meta + `}]` + meta + `}`},
		{"",
			`agent> 0 session/request_permission {"sessionId":"s","title":"Go?","subject":{"type":"command","command":"c","cwd":"/p","toolCallId":"t",` +
				`"terminalId":"x"},"options":` + yesNo + `}`},
		{"", `agent> 0 elicitation/create {"sessionId":"s","toolCallId":"t","mode":"form","message":"m","requestedSchema":` + form + meta + `}`},
		{asked("authenticate", `{"methodId":"m"}`),
			`agent> 0 elicitation/create {"requestId":1,"mode":"url","message":"m","url":"https://x","elicitationId":"i"` + meta + `}`},
		{"", `agent> elicitation/complete {"elicitationId":"i"` + meta + `}`},
	} {
		line, rest, _ := strings.Cut(c.line, "\n")
		for i, damaged := range bridgetest.Damages(line) {
			p := newPeer(Options{Client: clients[i%len(clients)]})
			p.Judge = bridgetest.NewJudge(t, 1)
			p.Judge.Selects = func(to translate.Side, _ string) bool { return to == translate.Client }
			if err := p.Run(c.before + "\n" + damaged + "\n" + rest); err != nil {
				t.Errorf("%s\n%v", damaged, err)
			}
		}
	}
}
