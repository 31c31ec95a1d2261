package v1client

import (
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate/versions/words"
)

func textItem(text string) string { return `{"type":"content","content":` + block(text) + `}` }

// call is a tool_call_update of the tool call t with these members.
func call(members string) string {
	return `{"sessionUpdate":"tool_call_update","toolCallId":"t"` + members + `}`
}

// begun is a tool_call.
func begun(members string) string {
	return `{"sessionUpdate":"tool_call","toolCallId":"t"` + members + `}`
}

func contentChunk(item string) string {
	return `{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":` + item + `}`
}

// begin makes the client know the tool call.
var begin = agent(call(`,"title":"T"`), toC(begun(`,"title":"T"`)))

func TestToolCalls(t *testing.T) {
	runCases(t, []testCase{
		{name: "the first report begins a tool call, later ones change it", steps: []step{
			agent(call(`,"title":"Read","kind":"read","status":"pending","rawInput":{"a":1.0e0},"_meta":{"x":"\u00e9"},"more":[ 1 ]`),
				toC(begun(`,"title":"Read","kind":"read","status":"pending","rawInput":{"a":1.0e0},"_meta":{"x":"\u00e9"},"more":[ 1 ]`))),
			agent(call(`,"status":"completed"`), toC(call(`,"status":"completed"`))),
			agent(in("s", `{"toolCallId":"u","sessionUpdate":"tool_call_update"}`),
				toC(in("s", `{"toolCallId":"u","sessionUpdate":"tool_call","title":"Tool call"}`))),
			agent(in("s", `{"toolCallId":"v","name":"Bash","sessionUpdate":"tool_call_update"}`),
				toC(in("s", `{"toolCallId":"v","name":"Bash","sessionUpdate":"tool_call","title":"Bash"}`))),
		}},
		{name: "content of types that version 1 lacks becomes text", steps: []step{
			begin,
			agent(call(`,"content":[{"type":"_chart","text":"a chart"},{"type":"_x"},{"type":"content","content":{"type":"_video","uri":"file:///v"}},5]`),
				toC(call(`,"content":[`+textItem("a chart")+`,`+textItem("[_x]")+`,`+textItem("file:///v")+`,`+textItem("[]")+`]`))).
				Losing("unknown content of a tool call", "unknown content of a tool call", "content block", "unknown content of a tool call"),
		}},
		{name: "content that is no list is none, and what is added must have an id and a content", steps: []step{
			begin,
			agent(call(`,"content":"text"`), toC(call(`,"content":[]`))).Losing("unreadable content of a tool call"),
			agent(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t"}`).Losing("unreadable update"),
			agent(`{"sessionUpdate":"tool_call_content_chunk","content":` + textItem("a") + `}`).Losing("unreadable update"),
		}},
		{name: "content that grows is collected", steps: []step{
			begin,
			agent(contentChunk(textItem("a"))), agent(contentChunk(textItem("b"))),
			wait(99 * time.Millisecond),
			wait(time.Millisecond, toC(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`]`))),
			agent(contentChunk(textItem("c"))),
			agent(hello, toC(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`,`+textItem("c")+`]`)), toC(hello)),
			wait(time.Second),
		}},
		{name: "content for an unknown tool call begins it", steps: []step{
			agent(contentChunk(textItem("a")), toC(`{"sessionUpdate":"tool_call","toolCallId":"t","content":[`+textItem("a")+`],"title":"Tool call"}`)),
		}},
		{name: "another report takes what was collected with it", steps: []step{
			begin,
			agent(contentChunk(textItem("a"))),
			agent(call(`,"status":"completed"`), toC(call(`,"content":[`+textItem("a")+`]`)), toC(call(`,"status":"completed"`))),
			agent(contentChunk(textItem("b"))),
			agent(call(`,"content":[`+textItem("c")+`]`), toC(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`]`)),
				toC(call(`,"content":[`+textItem("c")+`]`))),
		}},
		{name: "the _meta of what was collected leaves with it, once", steps: []step{
			begin,
			agent(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":` + textItem(strings.Repeat("x", 70<<10)) + `,"_meta":{"k":1,"l":1}}`),
			agent(call(`,"content":[],"_meta":{"k":2}`), toC(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[],"_meta":{"k":2,"l":1}}`)),
			agent(contentChunk(textItem("b"))),
			wait(100*time.Millisecond, toC(call(`,"content":[`+textItem("b")+`]`))),
		}},
		{name: "locations that are no list, and a name that comes later", steps: []step{
			agent(call(`,"locations":5,"name":"Bash","content":[]`), toC(begun(`,"locations":[],"name":"Bash","content":[],"title":"Bash"`))),
			agent(call(`,"name":"Other"`), toC(call(`,"name":"Other"`))),
			agent(call(`,"kind":5,"rawInput":{"a":1}`), toC(call(`,"kind":"other","rawInput":{"a":1}`))),
			agent(call(`,"capabilities":{"cancel":null}`), toC(call(``))),
			agent(call(`,"capabilities":null,"status":5`), toC(call(`,"status":"pending"`))),
		}},
		{name: "content of a tool call that was asked about first", steps: []step{
			agent(contentChunk(textItem("a")),
				toC(`{"sessionUpdate":"tool_call","toolCallId":"t","content":[`+textItem("a")+`],"title":"Tool call"}`)),
			agent(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":` + textItem("b") + `,"_meta":{"k":1}}`),
			agent(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":` + textItem("c") + `,"_meta":5}`),
			wait(time.Second,
				toC(call(`,"_meta":{"k":1},"content":[`+textItem("a")+`,`+textItem("b")+`,`+textItem("c")+`]`))),
			agent(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":` + textItem("d") + `,"_meta":{"l":1}}`),
			agent(hello,
				toC(call(`,"_meta":{"l":1},"content":[`+textItem("a")+`,`+textItem("b")+`,`+textItem("c")+`,`+textItem("d")+`]`)),
				toC(hello)),
		}},
		{name: "content that is long leaves with the next report, once", steps: []step{
			begin,
			agent(contentChunk(textItem(strings.Repeat("x", 70<<10)))),
			agent(call(`,"status":"completed"`), toC(call(`,"status":"completed","content":[`+textItem(strings.Repeat("x", 70<<10))+`]`))),
			wait(time.Minute),
		}},
		{name: "items without a known text, and diffs among them", steps: []step{
			begin,
			agent(call(`,"content":[{"type":"_x","content":"alone"},{"type":"_x","text":"said","content":"else"},{"type":"terminal"},{"type":"content"},`+
				`{"type":"content","content":`+block("x")+`,"more":1},{"type":"content","content":{"type":"image","data":"AA==","mimeType":"image/png"}}]`),
				toC(call(`,"content":[`+textItem("alone")+`,`+textItem("said")+`,`+textItem("[terminal]")+`,`+textItem("[content]")+`,{"type":"content","content":`+block("x")+`,"more":1},{"type":"content","content":{"type":"image","data":"AA==","mimeType":"image/png"}}]`))).
				Losing("unknown content of a tool call", "unknown content of a tool call", "unknown content of a tool call",
					"unknown content of a tool call"),
		}},
	})
}

func TestDiffs(t *testing.T) {
	diff := func(path, oldText, newText string) string {
		return `{"type":"diff","path":"` + path + `","oldText":"` + oldText + `","newText":"` + newText + `"}`
	}
	patch := func(changes, text string) string {
		return `,"content":[{"type":"diff","changes":[` + changes + `],"patch":{"format":"git_patch","text":"` + text + `"}}]`
	}
	content := func(items ...string) string { return toC(call(`,"content":[` + strings.Join(items, ",") + `]`)) }
	runCases(t, []testCase{
		{name: "a hunk is a diff", steps: []step{
			begin,
			agent(call(patch(`{"operation":"modify","path":"/p/a.txt","fileType":"text"}`,
				`diff --git /p/a.txt /p/a.txt\n--- /p/a.txt\n+++ /p/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n`)),
				content(diff("/p/a.txt", `one\ntwo`, `one\nthree`))),
		}},
		{name: "a file that is renamed and changed, one that is copied, binary ones", steps: []step{
			begin,
			agent(call(patch(`{"operation":"move","oldPath":"/p/a","path":"/p/b"},{"operation":"copy","oldPath":"/p/a","path":"/p/c"},`+
				`{"operation":"modify","path":"/p/d.png"},{"operation":"_link","path":"/p/e"}`,
				`diff --git /p/a /p/b\nrename from /p/a\nrename to /p/b\n--- /p/a\n+++ /p/b\n@@ -1 +1 @@\n-x\n+y\ndiff --git /p/d.png /p/d.png\nBinary files /p/d.png and /p/d.png differ\n`)),
				content(diff("/p/b", "x", "y"), textItem("Renamed `/p/a` → `/p/b`"), textItem("Copied `/p/a` → `/p/c`"), textItem("Modified `/p/d.png`"),
					textItem("_link `/p/e`"))).
				Losing("diff that is more than two texts", "diff that is more than two texts", "diff that is more than two texts",
					"diff that is more than two texts"),
		}},
		{name: "what version 1 does not have leaves an item", steps: []step{
			begin,
			agent(call(`,"content":[{"type":"content","content":{"type":"text","text":"x"},"_meta":7}]`), content(textItem("x"))),
			agent(call(`,"content":[{"type":"content","content":{"type":"text","text":"x","annotations":7}}]`), content(textItem("x"))),
		}},
		{name: "what comes with a patch goes with each diff", steps: []step{
			begin,
			agent(call(`,"content":[{"type":"diff","changes":[],"_meta":{"k":1},`+
				`"patch":{"format":"git_patch","text":"--- /a\n+++ /a\n@@ @@\n-x\n@@ @@\n-y\n"}}]`),
				content(`{"type":"diff","path":"/a","oldText":"x","newText":"","_meta":{"k":1}}`,
					`{"type":"diff","path":"/a","oldText":"y","newText":"","_meta":{"k":1}}`)),
			agent(call(patch(``, `--- /b\n+++ /b\nhello`)), toC(call(`,"content":[]`))),
			agent(call(patch(``, `--- /b\n@@ @@\n-x\n`)), content(textItem("```diff\\n--- /b\\n@@ @@\\n-x\\n```"))).Losing("patch of a diff"),
			agent(call(patch(`{"operation":"modify","path":"/a"}`, ``)), content(textItem("Modified `/a`"))).Losing("diff that is more than two texts"),
		}},
		{name: "no patch, or one of another format", steps: []step{
			begin,
			agent(call(`,"content":[{"type":"diff","changes":[{"operation":"delete","path":"/p/o"}]}]`), content(textItem("Deleted `/p/o`"))).
				Losing("diff that is more than two texts"),
			agent(call(`,"content":[{"type":"diff","changes":[],"patch":{"format":"_x","text":"a `+"```"+`\n"}}]`),
				content(textItem("````diff\\na ```\\n````"))).Losing("patch of a diff"),
			agent(call(patch(``, `not a patch`)), content(textItem("```diff\\nnot a patch\\n```"))).Losing("patch of a diff"),
		}},
	})
}

func TestTerminals(t *testing.T) {
	const terminal = `{"type":"terminal","terminalId":"x"}`
	content := func(text string) string { return toC(call(`,"content":[` + textItem(text) + `]`)) }
	update := func(members string) string {
		return `{"sessionUpdate":"terminal_update","terminalId":"x"` + members + `}`
	}
	output := func(data string) string {
		return `{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"` + data + `"}`
	}
	meta := func(members string) string { return toC(call(`,"_meta":{` + members + `}`)) }
	convention := words.V1Client{TerminalOutput: true}
	runCases(t, []testCase{
		{name: "a terminal is a fenced text", steps: []step{
			begin,
			agent(update(``)), agent(call(`,"content":[`+terminal+`]`), toC(call(`,"content":[]`))).Losing("terminal"),
			agent(update(`,"command":"ls -l"`)), wait(250*time.Millisecond, content("```\\n$ ls -l\\n```")),
			agent(output("aGVsbG8K")), agent(output("d29ybGQ=")), wait(249 * time.Millisecond),
			wait(time.Millisecond, content("```\\n$ ls -l\\nhello\\nworld\\n```")),
			agent(output("IQ==")), agent(update(`,"exitStatus":{"exitCode":-1}`), content("```\\n$ ls -l\\nhello\\nworld!\\n```\\nexit code -1")),
			agent(update(`,"output":{"data":"Ynll"},"exitStatus":{"signal":"SIGTERM"}`)),
			wait(250*time.Millisecond, content("```\\n$ ls -l\\nbye\\n```\\nsignal SIGTERM")),
		}},
		{name: "a terminal without command and output shows nothing", steps: []step{
			agent(call(`,"title":"T","content":[`+textItem("a")+`,`+terminal+`,`+textItem("b")+`]`),
				toC(begun(`,"title":"T","content":[`+textItem("a")+`,`+textItem("b")+`]`))).Losing("terminal"),
			agent(output("G1szMW0=")), // a color
			wait(250*time.Millisecond, toC(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`]`))),
			agent(update(`,"exitStatus":{"exitCode":0}`), toC(call(`,"content":[`+textItem("a")+`,`+textItem("exit code 0")+`,`+textItem("b")+`]`))),
			agent(call(`,"content":[`+terminal+`]`), content("exit code 0")).Losing("terminal"),
			agent(update(`,"command":"echo '` + "```" + `'"`)), wait(250*time.Millisecond, content("````\\n$ echo '```'\\n````\\nexit code 0")),
		}},
		{name: "a terminal with nothing yet but the command that is the title shows nothing", steps: []step{
			agent(update(`,"command":"ls -l"`)),
			agent(call(`,"title":"`+"`ls -l`"+`","content":[`+terminal+`]`), toC(begun(`,"title":"`+"`ls -l`"+`","content":[]`))).Losing("terminal"),
			agent(output("aGVsbG8K")), wait(250*time.Millisecond, content("```\\n$ ls -l\\nhello\\n```")),
		}},
		{name: "and its end if it prints nothing", steps: []step{
			agent(update(`,"command":"true"`)), agent(call(`,"title":"true","content":[`+terminal+`]`), toC(begun(`,"title":"true","content":[]`))).
				Losing("terminal"),
			agent(update(`,"exitStatus":{"exitCode":0}`), content("```\\n$ true\\n```\\nexit code 0")),
		}},
		{name: "a terminal without an id is none, and output that is not base64 is shown as far as it is", steps: []step{
			agent(`{"sessionUpdate":"terminal_update","command":"ls"}`).Losing("unreadable update"),
			agent(`{"sessionUpdate":"terminal_output_chunk","data":"b2s="}`).Losing("unreadable update"),
			begin, agent(call(`,"content":[{"type":"terminal","terminalId":""}]`), toC(call(`,"content":[]`))).Losing("terminal"),
			agent(output("b2s=")), agent(output("b2s=*")).Losing("unreadable output of a terminal"),
			agent(call(`,"content":[`+terminal+`]`), content("```\\nokok\\n```")).Losing("terminal"),
		}},
		{name: "the convention of _meta", client: convention, steps: []step{
			agent(update(`,"command":"make","cwd":"/p"`)), agent(output("b2s=")), begin,
			agent(call(`,"content":[`+terminal+`],"_meta":{"a":1}`),
				toC(call(`,"content":[`+terminal+`],"_meta":{"a":1,"terminal_info":{"terminal_id":"x","cwd":"/p"}}`)),
				meta(`"terminal_output":{"terminal_id":"x","data":"ok"}`)),
			agent(output("w6Q="), meta(`"terminal_output":{"terminal_id":"x","data":"ä"}`)),
			agent(output("ww==")), agent(output("pA=="), meta(`"terminal_output":{"terminal_id":"x","data":"ä"}`)),
			agent(update(`,"output":{"data":"b2vDpMOkIQ=="}`), meta(`"terminal_output":{"terminal_id":"x","data":"!"}`)),
			agent(update(`,"output":{"data":"bmV3"}`), meta(`"terminal_output":{"terminal_id":"x","data":"\u001b[2J\u001b[3J\u001b[Hnew"}`)),
			agent(update(`,"exitStatus":{"exitCode":2}`), meta(`"terminal_exit":{"terminal_id":"x","exit_code":2,"signal":null}`)),
			agent(update(`,"exitStatus":{"exitCode":2}`)),
		}},
		{name: "a terminal that a chunk of content begins to show", client: convention, steps: []step{
			agent(update(`,"cwd":"/p"`)), agent(output("b2s=")), begin,
			agent(contentChunk(terminal), meta(`"terminal_info":{"terminal_id":"x","cwd":"/p"}`), meta(`"terminal_output":{"terminal_id":"x","data":"ok"}`)),
			wait(time.Second, toC(call(`,"content":[{"type":"terminal","terminalId":"x"}]`))),
			agent(update(`,"command":"ls"`)),
			agent(update(`,"exitStatus":{"exitCode":1}`), meta(`"terminal_exit":{"terminal_id":"x","exit_code":1,"signal":null}`)),
		}},
		{name: "a terminal that a permission request shows", client: convention, steps: []step{
			asks(`"title":"T","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","title":"T","content":[`+terminal+`]}},"options":`+yesNo,
				toC(`1 session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t","title":"T","content":[`+terminal+`],"_meta":{"terminal_info":{"terminal_id":"x"}}},"options":`+yesNo+`}`)),
			agent(output("b2s="), meta(`"terminal_output":{"terminal_id":"x","data":"ok"}`)),
		}},
		{name: "several terminals of a tool call", client: convention, steps: []step{
			agent(call(`,"title":"T","content":[`+terminal+`,{"type":"terminal","terminalId":"y"}]`),
				toC(begun(`,"title":"T","content":[{"type":"terminal","terminalId":"x"},{"type":"terminal","terminalId":"y"}],`+
					`"_meta":{"terminal_info":{"terminal_id":"x"}}`)),
				meta(`"terminal_info":{"terminal_id":"y"}`)),
			agent(`{"sessionUpdate":"terminal_output_chunk","terminalId":"y","data":"b2s="}`, meta(`"terminal_output":{"terminal_id":"y","data":"ok"}`)),
			agent(output("b2s="), meta(`"terminal_output":{"terminal_id":"x","data":"ok"}`)),
			agent(output("")),
			agent(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x"}`),
			agent(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":5}`),
		}},
		{name: "output of a terminal that no tool call shows is kept until one does", steps: []step{
			agent(output("b2s=")), agent(update(`,"exitStatus":{"exitCode":0}`)), wait(time.Second), begin,
			agent(contentChunk(terminal)).Losing("terminal"), wait(time.Second,
				content("```\\nok\\n```\\nexit code 0")),
		}},
		{name: "a command of several lines, and output with backquotes", steps: []step{
			begin, agent(update(`,"command":"cat <<E\nx\nE","cwd":5`)), agent(output("YGBgCmEKYGBgYAo=")),
			agent(call(`,"content":[`+terminal+`]`),
				content("`````\\n$ cat <<E\\n> x\\n> E\\n```\\na\\n````\\n`````")).Losing("terminal"),
			agent(update(`,"command":null`)), wait(time.Second,
				content("`````\\n```\\na\\n````\\n`````")),
		}},
		{name: "a command that is said again, and an update that says nothing", steps: []step{
			begin, agent(call(`,"content":[`+terminal+`]`),
				toC(call(`,"content":[]`))).Losing("terminal"),
			agent(update(`,"command":"ls"`)), wait(time.Second,
				content("```\\n$ ls\\n```")),
			agent(update(`,"command":"ls","cwd":"/q"`)), wait(time.Second),
			agent(update(``)), wait(time.Second),
		}},
		{name: "an end that is told again is sent with what changed", steps: []step{
			begin, agent(call(`,"content":[`+terminal+`]`),
				toC(call(`,"content":[]`))).Losing("terminal"),
			agent(update(`,"exitStatus":{"exitCode":0}`),
				content("exit code 0")),
			agent(update(`,"exitStatus":{"exitCode":1}`)), wait(time.Second,
				content("exit code 1")),
		}},
		{name: "what a terminal prints belongs to a turn", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("running")), agent(idle("end_turn"), answered("2", "end_turn")),
			prompted("3", "2"), inserted("2", "m2"), agent(output("b2s=")), agent(idle("end_turn"), answered("3", "end_turn")),
			prompted("4", "3"), inserted("3", "m3"), agent(update(``)), agent(idle("end_turn"), answered("4", "end_turn")),
			prompted("5", "4"), inserted("4", "m4"), agent(contentChunk(terminal),
				toC(`{"sessionUpdate":"tool_call","toolCallId":"t","content":[`+textItem("```\\nok\\n```")+`],"title":"Tool call"}`)).Losing("terminal"),
			agent(idle("end_turn"),
				answered("5", "end_turn")),
			prompted("6", "5"), inserted("5", "m5"), agent(call(``), toC(call(``))), agent(idle("end_turn"), answered("6", "end_turn")),
			prompted("7", "6"), inserted("6", "m6"), agent(`{"sessionUpdate":"agent_message","messageId":"m","content":[`+block("x")+`]}`,
				toC(chunk("agent_message", "m", "x"))), agent(idle("end_turn"), answered("7", "end_turn")),
			prompted("8", "7"), inserted("7", "m7"), agent(`{"sessionUpdate":"plan_removed","planId":"p"}`, toC(`{"sessionUpdate":"plan_removed","planId":"p"}`)),
			agent(idle("end_turn"), answered("8", "end_turn")),
			prompted("9", "8"), inserted("8", "m8"), asks(`"title":"Go?","options":`+yesNo,
				shownAs("1", invented("1"), "")), agent(idle("end_turn"), answered("9", "end_turn")),
		}},
		{name: "what does not belong to a turn does not end one", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("running")), agent(idle("end_turn"), answered("2", "end_turn")),
			prompted("3", "2"), inserted("2", "m2"),
			agent(`{"sessionUpdate":"usage_update","used":1,"size":2}`, toC(`{"sessionUpdate":"usage_update","used":1,"size":2}`)), agent(idle("end_turn")),
			agent(`{"sessionUpdate":"agent_message","messageId":"m"}`), agent(idle("end_turn")),
			agent(`{"sessionUpdate":"available_commands_update","availableCommands":[]}`,
				toC(`{"sessionUpdate":"available_commands_update","availableCommands":[]}`)), agent(idle("end_turn")),
			agent(`{"sessionUpdate":"config_option_update","configOptions":[]}`, toC(`{"sessionUpdate":"config_option_update","configOptions":[]}`)),
			agent(idle("end_turn")),
			agent(state("running")), agent(idle("refusal"), answered("3", "refusal")),
		}},
	})
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb\n\n":                         "a\nb",
		"\x1b[31mred\x1b[0m \x1b(Bx":       "red x",
		"\x1b]0;title\x07a\x1b]8;;\x1b\\b": "ab",
		"10%\r20%\r100%\ndone":             "100%\ndone",
		"abc\rX":                           "Xbc",
		"a\r\nb\r\n":                       "a\nb",
		"ab\bc":                            "ac",
		"\x1b[":                            "",
		"a\x1b]0;title":                    "a",
		"a\x1b":                            "a",
		"a\x00\x07\x7fb\tc":                "ab\tc",
		"\xff":                             "\uFFFD",
		"äö\rx":                            "x",
	} {
		if got := string(printable([]byte(in))); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// TestCollectedLeavesFirst says something else while content waits to be sent.
// The content leaves first.
func TestCollectedLeavesFirst(t *testing.T) {
	capable := words.V1Client{Notices: true, Compaction: true, Subagents: true}
	const (
		options  = `{"sessionUpdate":"config_option_update","configOptions":[]}`
		commands = `{"sessionUpdate":"available_commands_update","availableCommands":[]}`
		usage    = `{"sessionUpdate":"usage_update","used":1,"size":2}`
		plan     = `{"sessionUpdate":"plan_removed","planId":"p"}`
		notice   = `{"sessionUpdate":"notice","severity":"info","title":"N"}`
		compacts = `{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed"}`
		begins   = `{"sessionUpdate":"subagent_update","sessionId":"kid","title":"K"}`
		url      = ` elicitation/create {"sessionId":"s","mode":"url","message":"m","url":"https://x","elicitationId":"i"}`
	)
	summary := `{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":` + block("s") + `}`
	sent := `{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"kid","content":[` + block("done") + `]}`
	part := `{"sessionUpdate":"session_message_chunk","messageId":"m","content":` + block("!") + `}`
	other := `{"sessionUpdate":"tool_call_update","toolCallId":"u","title":"U"}`
	var cases []testCase
	for _, c := range []struct {
		name   string
		client words.V1Client
		last   step
	}{
		{"options", words.V1Client{}, agent(options, toC(options))},
		{"commands", words.V1Client{}, agent(commands, toC(commands))},
		{"usage", words.V1Client{}, agent(usage, toC(usage))},
		{"a plan", words.V1Client{}, agent(plan, toC(plan))},
		{"a chunk", words.V1Client{}, agent(hello, toC(hello))},
		{"a message", words.V1Client{}, agent(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello")+`]}`,
			toC(`{"sessionUpdate":"agent_message_chunk","messageId":"m2","content":`+block("Hello")+`}`))},
		{"another tool call", words.V1Client{}, agent(other, toC(`{"sessionUpdate":"tool_call","toolCallId":"u","title":"U"}`))},
		{"content of another tool call", words.V1Client{}, agent(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"u","content":`+textItem("b")+`}`,
			toC(`{"sessionUpdate":"tool_call","toolCallId":"u","content":[`+textItem("b")+`],"title":"Tool call"}`))},
		{"a notice as a message", words.V1Client{},
			agent(notice, toC(`{"sessionUpdate":"agent_message_chunk","messageId":"notice-1","content":`+block(`\n\nN\n\n`)+`}`)).Losing("notice")},
		{"a question", words.V1Client{}, asks(`"title":"Go?","options":`+yesNo, shownAs("1", invented("1"), ""))},
		{"a form", words.V1Client{}, agent(`0`+url, toC(`1`+url))},
		{"session/load", words.V1Client{}, client(`1 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`,
			toA(`1 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}`))},
		{"the agent's end", words.V1Client{}, gone()},
		{"a notice", capable, agent(notice, toC(notice))},
		{"a compaction", capable, agent(compacts, toC(compacts))},
		{"a summary", capable, agent(summary, toC(summary))},
		{"a subagent", capable, agent(begins, toC(begins))},
		{"a message between sessions", capable, agent(sent, toC(sent))},
		{"a part of a message between sessions", capable, agent(part, toC(part))},
	} {
		c.last.Want = append([]string{toC(call(`,"content":[` + textItem("a") + `]`))}, c.last.Want...)
		cases = append(cases, testCase{name: c.name, client: c.client, steps: []step{begin, agent(contentChunk(textItem("a"))), c.last}})
	}
	runCases(t, cases)
}
