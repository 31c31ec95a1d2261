package oldclient

import (
	"encoding/base64"
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
var begin = tells(call(`,"title":"T"`), shows(begun(`,"title":"T"`)))

func TestToolCalls(t *testing.T) {
	runCases(t, []testCase{
		{name: "the first report begins a tool call, later ones change it", steps: []step{
			tells(call(`,"title":"Read","kind":"read","status":"pending","rawInput":{"a":1.0e0},"_meta":{"x":"\u00e9"},"more":[ 1 ]`),
				shows(begun(`,"title":"Read","kind":"read","status":"pending","rawInput":{"a":1.0e0},"_meta":{"x":"\u00e9"},"more":[ 1 ]`))),
			tells(call(`,"status":"completed"`), shows(call(`,"status":"completed"`))),
			tells(`{"toolCallId":"u","sessionUpdate":"tool_call_update"}`, shows(`{"toolCallId":"u","sessionUpdate":"tool_call","title":"Tool call"}`)),
			tells(`{"toolCallId":"v","name":"Bash","sessionUpdate":"tool_call_update"}`, shows(`{"toolCallId":"v","name":"Bash","sessionUpdate":"tool_call","title":"Bash"}`)),
		}},
		{name: "statuses that version 1 lacks", steps: []step{
			begin,
			tells(call(`,"status":"cancelled"`), shows(call(`,"status":"failed"`))).losing("status cancelled of a tool call"),
			tells(call(`,"status":"paused"`), shows(call(`,"status":"in_progress"`))).losing("unknown status of a tool call"),
			tells(call(`,"status":"_future"`), shows(call(`,"status":"in_progress"`))).losing("unknown status of a tool call"),
			tells(call(`,"status":null`), shows(call(`,"status":"pending"`))),
		}},
		{name: "kinds that version 1 lacks", steps: []step{
			begin,
			tells(call(`,"kind":"_future_kind"`), shows(call(`,"kind":"other"`))).losing("unknown kind of a tool call"),
			tells(call(`,"kind":null`), shows(call(`,"kind":"other"`))),
			tells(call(`,"kind":"switch_mode"`), shows(call(`,"kind":"switch_mode"`))),
		}},
		{name: "what null clears", steps: []step{
			begin,
			tells(call(`,"title":null,"name":null,"rawInput":null,"rawOutput":null,"_meta":null,"content":null,"locations":null`),
				shows(call(`,"content":[],"locations":[]`))).losing("cleared member of a tool call", "cleared member of a tool call", "cleared member of a tool call", "cleared member of a tool call", "cleared member of a tool call"),
			tells(call(`,"status":"completed","content":[]`), shows(call(`,"status":"completed","content":[]`))),
		}},
		{name: "capabilities are left out, and members of a wrong type", steps: []step{
			begin,
			tells(call(`,"capabilities":{"cancel":{}},"title":5,"locations":[{"path":"/a","line":1},{"line":2},{"path":"/b","line":-1},{"path":"/c","line":4294967296}]`),
				shows(call(`,"locations":[{"path":"/a","line":1},{"path":"/b"},{"path":"/c"}]`))).losing("tool call that can be cancelled"),
			tells(`{"sessionUpdate":"tool_call_update","title":"no id"}`).losing("unreadable update"),
		}},
		{name: "content of types that version 1 lacks becomes text", steps: []step{
			begin,
			tells(call(`,"content":[{"type":"_chart","text":"a chart"},{"type":"_x"},{"type":"content","content":{"type":"_video","uri":"file:///v"}},5]`),
				shows(call(`,"content":[`+textItem("a chart")+`,`+textItem("[_x]")+`,`+textItem("file:///v")+`,`+textItem("[]")+`]`))).losing("unknown content of a tool call", "unknown content of a tool call", "content block", "unknown content of a tool call"),
		}},
		{name: "content that is no list is none, and what is added must have an id and a content", steps: []step{
			begin,
			tells(call(`,"content":"text"`), shows(call(`,"content":[]`))).losing("unreadable content of a tool call"),
			tells(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t"}`).losing("unreadable update"),
			tells(`{"sessionUpdate":"tool_call_content_chunk","content":` + textItem("a") + `}`).losing("unreadable update"),
		}},
		{name: "content that grows is collected", steps: []step{
			begin,
			tells(contentChunk(textItem("a"))), tells(contentChunk(textItem("b"))),
			wait(99 * time.Millisecond),
			wait(time.Millisecond, shows(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`]`))),
			tells(contentChunk(textItem("c"))),
			tells(hello, shows(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`,`+textItem("c")+`]`)), shows(hello)),
			wait(time.Second),
		}},
		{name: "content for an unknown tool call begins it", steps: []step{
			tells(contentChunk(textItem("a")), shows(`{"sessionUpdate":"tool_call","title":"Tool call","toolCallId":"t","content":[`+textItem("a")+`]}`)),
		}},
		{name: "another report takes what was collected with it", steps: []step{
			begin,
			tells(contentChunk(textItem("a"))),
			tells(call(`,"status":"completed"`), shows(call(`,"content":[`+textItem("a")+`]`)), shows(call(`,"status":"completed"`))),
			tells(contentChunk(textItem("b"))),
			tells(call(`,"content":[`+textItem("c")+`]`), shows(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`]`)), shows(call(`,"content":[`+textItem("c")+`]`))),
		}},
		{name: "the _meta of what was collected leaves with it, once", steps: []step{
			begin,
			tells(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":` + textItem(strings.Repeat("x", 70<<10)) + `,"_meta":{"k":1,"l":1}}`),
			tells(call(`,"content":[],"_meta":{"k":2}`), shows(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[],"_meta":{"k":2,"l":1}}`)),
			tells(contentChunk(textItem("b"))),
			wait(100*time.Millisecond, shows(call(`,"content":[`+textItem("b")+`]`))),
		}},
		{name: "content that is long waits for its time", steps: []step{
			begin,
			tells(contentChunk(textItem(strings.Repeat("x", 70<<10)))),
			tells(hello, shows(hello)),
			wait(199 * time.Millisecond),
			wait(time.Millisecond, shows(call(`,"content":[`+textItem(strings.Repeat("x", 70<<10))+`]`))),
		}},
		{name: "locations that are no list, and a name that comes later", steps: []step{
			tells(call(`,"locations":5,"name":"Bash","content":[]`), shows(begun(`,"locations":[],"name":"Bash","content":[],"title":"Bash"`))),
			tells(call(`,"name":"Other"`), shows(call(`,"name":"Other"`))),
			tells(call(`,"kind":5,"rawInput":{"a":1}`), shows(call(`,"kind":"other","rawInput":{"a":1}`))),
			tells(call(`,"capabilities":{"cancel":null}`), shows(call(``))),
			tells(call(`,"capabilities":null,"status":5`), shows(call(`,"status":"pending"`))),
		}},
		{name: "content of a tool call that was asked about first", steps: []step{
			tells(contentChunk(textItem("a")),
				shows(`{"sessionUpdate":"tool_call","title":"Tool call","toolCallId":"t","content":[`+textItem("a")+`]}`)),
			tells(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":` + textItem("b") + `,"_meta":{"k":1}}`),
			tells(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":` + textItem("c") + `,"_meta":5}`),
			wait(time.Second,
				shows(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`,`+textItem("c")+`],"_meta":{"k":1}`))),
			tells(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":` + textItem("d") + `,"_meta":{"l":1}}`),
			tells(hello,
				shows(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`,`+textItem("c")+`,`+textItem("d")+`],"_meta":{"l":1}`)),
				shows(hello)),
		}},
		{name: "content that is long leaves with the next report, once", steps: []step{
			begin,
			tells(contentChunk(textItem(strings.Repeat("x", 70<<10)))),
			tells(call(`,"status":"completed"`), shows(call(`,"status":"completed","content":[`+textItem(strings.Repeat("x", 70<<10))+`]`))),
			wait(time.Minute),
		}},
		{name: "two tool calls that grow leave at their times", steps: []step{
			begin, tells(`{"sessionUpdate":"tool_call_update","toolCallId":"u","title":"U"}`, shows(`{"sessionUpdate":"tool_call","toolCallId":"u","title":"U"}`)),
			tells(contentChunk(textItem("a"))), wait(50 * time.Millisecond),
			tells(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"u","content":` + textItem("b") + `}`),
			wait(50*time.Millisecond, shows(call(`,"content":[`+textItem("a")+`]`))),
			wait(49 * time.Millisecond),
			wait(time.Millisecond,
				shows(`{"sessionUpdate":"tool_call_update","toolCallId":"u","content":[`+textItem("b")+`]}`)),
			tells(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"u","content":` + textItem("c") + `}`), wait(50 * time.Millisecond),
			tells(contentChunk(textItem("d"))),
			tells(call(`,"content":[]`),
				shows(`{"sessionUpdate":"tool_call_update","toolCallId":"u","content":[`+textItem("b")+`,`+textItem("c")+`]}`), shows(call(`,"content":[`+textItem("a")+`,`+textItem("d")+`]`)),
				shows(call(`,"content":[]`))),
			wait(time.Second),
		}},
		{name: "two sessions whose tool calls grow", steps: []step{
			begin, agent(in("r", call(`,"title":"R"`)),
				`C {"method":"session/update","params":{"sessionId":"r","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"R"}}}`),
			tells(contentChunk(textItem("a"))), wait(50 * time.Millisecond), agent(in("r", contentChunk(textItem("b")))),
			wait(50*time.Millisecond, shows(call(`,"content":[`+textItem("a")+`]`))),
			wait(49 * time.Millisecond),
			wait(time.Millisecond,
				`C {"method":"session/update","params":{"sessionId":"r","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[`+textItem("b")+`]}}}`),
		}},
		{name: "items without a known text, and diffs among them", steps: []step{
			begin,
			tells(call(`,"content":[{"type":"_x","content":"alone"},{"type":"_x","text":"said","content":"else"},{"type":"terminal"},{"type":"content"},{"type":"content","content":`+block("x")+`,"more":1},{"type":"content","content":{"type":"image","data":"AA==","mimeType":"image/png"}}]`),
				shows(call(`,"content":[`+textItem("alone")+`,`+textItem("said")+`,`+textItem("[terminal]")+`,`+textItem("[content]")+`,{"type":"content","content":`+block("x")+`,"more":1},{"type":"content","content":{"type":"image","data":"AA==","mimeType":"image/png"}}]`))).losing("unknown content of a tool call", "unknown content of a tool call", "unknown content of a tool call", "unknown content of a tool call"),
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
	content := func(items ...string) string { return shows(call(`,"content":[` + strings.Join(items, ",") + `]`)) }
	runCases(t, []testCase{
		{name: "a hunk is a diff", steps: []step{
			begin,
			tells(call(patch(`{"operation":"modify","path":"/p/a.txt","fileType":"text"}`,
				`diff --git /p/a.txt /p/a.txt\n--- /p/a.txt\n+++ /p/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n`)),
				content(diff("/p/a.txt", `one\ntwo`, `one\nthree`))),
		}},
		{name: "several hunks, lines that look like headers, a missing line break", steps: []step{
			begin,
			tells(call(patch(`{"operation":"modify","path":"/p/s.sql"}`,
				`diff --git /p/s.sql /p/s.sql\n--- /p/s.sql\n+++ /p/s.sql\n@@ -1,2 +1,2 @@\n--- a comment\n+++ b\n x\n@@ -9,2 +9 @@\n y\n-z\n\\ No newline at end of file\n`)),
				content(diff("/p/s.sql", `-- a comment\nx`, `++ b\nx`), diff("/p/s.sql", `y\nz`, `y`))),
		}},
		{name: "a file that is added, one that is deleted", steps: []step{
			begin,
			tells(call(patch(`{"operation":"add","path":"/p/n"},{"operation":"delete","path":"/p/o"}`,
				`diff --git /p/n /p/n\nnew file mode 100644\n--- /dev/null\n+++ /p/n\n@@ -0,0 +1,2 @@\n+a\n+\ndiff --git /p/o /p/o\ndeleted file mode 100644\n--- /p/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n`)),
				content(`{"type":"diff","path":"/p/n","newText":"a\n"}`, diff("/p/o", "b", ""))),
		}},
		{name: "a file that is renamed and changed, one that is copied, binary ones", steps: []step{
			begin,
			tells(call(patch(`{"operation":"move","oldPath":"/p/a","path":"/p/b"},{"operation":"copy","oldPath":"/p/a","path":"/p/c"},{"operation":"modify","path":"/p/d.png"},{"operation":"_link","path":"/p/e"}`,
				`diff --git /p/a /p/b\nrename from /p/a\nrename to /p/b\n--- /p/a\n+++ /p/b\n@@ -1 +1 @@\n-x\n+y\ndiff --git /p/d.png /p/d.png\nBinary files /p/d.png and /p/d.png differ\n`)),
				content(diff("/p/b", "x", "y"), textItem("Renamed `/p/a` → `/p/b`"), textItem("Copied `/p/a` → `/p/c`"), textItem("Modified `/p/d.png`"), textItem("_link `/p/e`"))).losing("diff that is more than two texts", "diff that is more than two texts", "diff that is more than two texts", "diff that is more than two texts"),
		}},
		{name: "quoted paths, paths with blanks, drives", steps: []step{
			begin,
			tells(call(patch(``, `diff --git \"/p/\\303\\244\" \"/p/\\303\\244\"\n--- \"/p/\\303\\244\"\n+++ \"/p/\\303\\244\"\n@@ -1 +1 @@\n-x\n+y\ndiff --git /a b /a b\n--- /a b\t\n+++ /a b\t\n@@ -1 +1 @@\n-x\n+y\ndiff --git C:/x C:/x\n--- C:/x\n+++ C:/x\n@@ -1 +1 @@\n-x\n+y\n`)),
				content(diff("/p/ä", "x", "y"), diff("/a b", "x", "y"), diff("C:/x", "x", "y"))),
		}},
		{name: "what version 1 does not have leaves an item", steps: []step{
			begin,
			tells(call(`,"content":[{"type":"content","content":{"type":"text","text":"x"},"_meta":7}]`), content(textItem("x"))),
			tells(call(`,"content":[{"type":"content","content":{"type":"text","text":"x","annotations":7}}]`), content(textItem("x"))),
		}},
		{name: "what comes with a patch goes with each diff", steps: []step{
			begin,
			tells(call(`,"content":[{"type":"diff","changes":[],"_meta":{"k":1},"patch":{"format":"git_patch","text":"--- /a\n+++ /a\n@@ @@\n-x\n@@ @@\n-y\n"}}]`),
				content(`{"type":"diff","path":"/a","oldText":"x","newText":"","_meta":{"k":1}}`, `{"type":"diff","path":"/a","oldText":"y","newText":"","_meta":{"k":1}}`)),
			tells(call(patch(``, `--- /b\n+++ /b\nhello`)), shows(call(`,"content":[]`))),
			tells(call(patch(``, `--- /b\n@@ @@\n-x\n`)), content(textItem("```diff\\n--- /b\\n@@ @@\\n-x\\n```"))).losing("patch of a diff"),
			tells(call(patch(`{"operation":"modify","path":"/a"}`, ``)), content(textItem("Modified `/a`"))).losing("diff that is more than two texts"),
		}},
		{name: "no patch, or one of another format", steps: []step{
			begin,
			tells(call(`,"content":[{"type":"diff","changes":[{"operation":"delete","path":"/p/o"}]}]`), content(textItem("Deleted `/p/o`"))).losing("diff that is more than two texts"),
			tells(call(`,"content":[{"type":"diff","changes":[],"patch":{"format":"_x","text":"a `+"```"+`\n"}}]`), content(textItem("````diff\\na ```\\n````"))).losing("patch of a diff"),
			tells(call(patch(``, `not a patch`)), content(textItem("```diff\\nnot a patch\\n```"))).losing("patch of a diff"),
		}},
	})
}

func TestTerminals(t *testing.T) {
	const terminal = `{"type":"terminal","terminalId":"x"}`
	content := func(text string) string { return shows(call(`,"content":[` + textItem(text) + `]`)) }
	update := func(members string) string {
		return `{"sessionUpdate":"terminal_update","terminalId":"x"` + members + `}`
	}
	output := func(data string) string {
		return `{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"` + data + `"}`
	}
	meta := func(members string) string { return shows(call(`,"_meta":{` + members + `}`)) }
	convention := words.OldClient{TerminalOutput: true}
	long := strings.Repeat("x", smallContent)
	runCases(t, []testCase{
		{name: "a terminal is a fenced text", steps: []step{
			begin,
			tells(update(``)), tells(call(`,"content":[`+terminal+`]`), shows(call(`,"content":[]`))).losing("terminal"),
			tells(update(`,"command":"ls -l"`)), wait(250*time.Millisecond, content("```\\n$ ls -l\\n```")),
			tells(output("aGVsbG8K")), tells(output("d29ybGQ=")), wait(249 * time.Millisecond),
			wait(time.Millisecond, content("```\\n$ ls -l\\nhello\\nworld\\n```")),
			tells(output("IQ==")), tells(update(`,"exitStatus":{"exitCode":-1}`), content("```\\n$ ls -l\\nhello\\nworld!\\n```\\nexit code -1")),
			tells(update(`,"output":{"data":"Ynll"},"exitStatus":{"signal":"SIGTERM"}`)),
			wait(250*time.Millisecond, content("```\\n$ ls -l\\nbye\\n```\\nsignal SIGTERM")),
		}},
		{name: "a terminal without command and output shows nothing", steps: []step{
			tells(call(`,"title":"T","content":[`+textItem("a")+`,`+terminal+`,`+textItem("b")+`]`), shows(begun(`,"title":"T","content":[`+textItem("a")+`,`+textItem("b")+`]`))).losing("terminal"),
			tells(output("G1szMW0=")), // a color
			wait(250*time.Millisecond, shows(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`]`))),
			tells(update(`,"exitStatus":{"exitCode":0}`), shows(call(`,"content":[`+textItem("a")+`,`+textItem("exit code 0")+`,`+textItem("b")+`]`))),
			tells(call(`,"content":[`+terminal+`]`), content("exit code 0")).losing("terminal"),
			tells(update(`,"command":"echo '` + "```" + `'"`)), wait(250*time.Millisecond, content("````\\n$ echo '```'\\n````\\nexit code 0")),
		}},
		{name: "a terminal with nothing yet but the command that is the title shows nothing", steps: []step{
			tells(update(`,"command":"ls -l"`)), tells(call(`,"title":"`+"`ls -l`"+`","content":[`+terminal+`]`), shows(begun(`,"title":"`+"`ls -l`"+`","content":[]`))).losing("terminal"),
			tells(output("aGVsbG8K")), wait(250*time.Millisecond, content("```\\n$ ls -l\\nhello\\n```")),
		}},
		{name: "and its end if it prints nothing", steps: []step{
			tells(update(`,"command":"true"`)), tells(call(`,"title":"true","content":[`+terminal+`]`), shows(begun(`,"title":"true","content":[]`))).losing("terminal"),
			tells(update(`,"exitStatus":{"exitCode":0}`), content("```\\n$ true\\n```\\nexit code 0")),
		}},
		{name: "what a terminal prints before it is shown", steps: []step{
			tells(update(`,"command":"make"`)), tells(output("b2s=")), begin, tells(call(`,"content":[`+terminal+`]`), content("```\\n$ make\\nok\\n```")).losing("terminal"),
		}},
		{name: "a terminal without an id is none, and output that is not base64 is shown as far as it is", steps: []step{
			tells(`{"sessionUpdate":"terminal_update","command":"ls"}`).losing("unreadable update"),
			tells(`{"sessionUpdate":"terminal_output_chunk","data":"b2s="}`).losing("unreadable update"),
			begin, tells(call(`,"content":[{"type":"terminal","terminalId":""}]`), shows(call(`,"content":[]`))).losing("terminal"),
			tells(output("b2s=")), tells(output("b2s=*")).losing("unreadable output of a terminal"), tells(call(`,"content":[`+terminal+`]`), content("```\\nokok\\n```")).losing("terminal"),
		}},
		{name: "the convention of _meta", client: convention, steps: []step{
			tells(update(`,"command":"make","cwd":"/p"`)), tells(output("b2s=")), begin,
			tells(call(`,"content":[`+terminal+`],"_meta":{"a":1}`), shows(call(`,"content":[`+terminal+`],"_meta":{"a":1,"terminal_info":{"terminal_id":"x","cwd":"/p"}}`)),
				meta(`"terminal_output":{"terminal_id":"x","data":"ok"}`)),
			tells(output("w6Q="), meta(`"terminal_output":{"terminal_id":"x","data":"ä"}`)),
			tells(output("ww==")), tells(output("pA=="), meta(`"terminal_output":{"terminal_id":"x","data":"ä"}`)),
			tells(update(`,"output":{"data":"b2vDpMOkIQ=="}`), meta(`"terminal_output":{"terminal_id":"x","data":"!"}`)),
			tells(update(`,"output":{"data":"bmV3"}`), meta(`"terminal_output":{"terminal_id":"x","data":"\u001b[2J\u001b[3J\u001b[Hnew"}`)),
			tells(update(`,"exitStatus":{"exitCode":2}`), meta(`"terminal_exit":{"terminal_id":"x","exit_code":2,"signal":null}`)),
			tells(update(`,"exitStatus":{"exitCode":2}`)),
		}},
		{name: "a terminal that ends inside a character still shows its last bytes", client: convention, steps: []step{
			begin, tells(call(`,"content":[`+terminal+`]`),
				shows(call(`,"content":[`+terminal+`],"_meta":{"terminal_info":{"terminal_id":"x"}}`))),
			tells(output("b2vD"), meta(`"terminal_output":{"terminal_id":"x","data":"ok"}`)),
			tells(update(`,"exitStatus":{"exitCode":0}`), meta(`"terminal_output":{"terminal_id":"x","data":"�"}`), meta(`"terminal_exit":{"terminal_id":"x","exit_code":0,"signal":null}`)),
			tells(output("IQ=="), meta(`"terminal_output":{"terminal_id":"x","data":"!"}`)),
		}},
		{name: "a terminal that ends with the output that it has, whole, and inside a character", client: convention, steps: []step{
			begin, tells(call(`,"content":[`+terminal+`]`),
				shows(call(`,"content":[`+terminal+`],"_meta":{"terminal_info":{"terminal_id":"x"}}`))),
			tells(update(`,"output":{"data":"b2vD"},"exitStatus":{"signal":"SIGTERM"}`), meta(`"terminal_output":{"terminal_id":"x","data":"ok�"}`),
				meta(`"terminal_exit":{"terminal_id":"x","exit_code":null,"signal":"SIGTERM"}`)),
			tells(update(`,"exitStatus":null`)), tells(update(`,"exitStatus":{"exitCode":"x","signal":5}`)),
		}},
		{name: "a terminal that a chunk of content begins to show", client: convention, steps: []step{
			tells(update(`,"cwd":"/p"`)), tells(output("b2s=")), begin,
			tells(contentChunk(terminal), meta(`"terminal_info":{"terminal_id":"x","cwd":"/p"}`), meta(`"terminal_output":{"terminal_id":"x","data":"ok"}`)),
			wait(time.Second, shows(call(`,"content":[{"type":"terminal","terminalId":"x"}]`))),
			tells(update(`,"command":"ls"`)),
			tells(update(`,"exitStatus":{"exitCode":1}`), meta(`"terminal_exit":{"terminal_id":"x","exit_code":1,"signal":null}`)),
		}},
		{name: "a terminal that a permission request shows", client: convention, steps: []step{
			asks(`"title":"T","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","title":"T","content":[`+terminal+`]}},"options":`+yesNo,
				`C {"id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"T","content":[`+terminal+`],"_meta":{"terminal_info":{"terminal_id":"x"}}},"options":`+yesNo+`}}`),
			tells(output("b2s="), meta(`"terminal_output":{"terminal_id":"x","data":"ok"}`)),
		}},
		{name: "several terminals of a tool call", client: convention, steps: []step{
			tells(call(`,"title":"T","content":[`+terminal+`,{"type":"terminal","terminalId":"y"}]`),
				shows(begun(`,"title":"T","content":[{"type":"terminal","terminalId":"x"},{"type":"terminal","terminalId":"y"}],"_meta":{"terminal_info":{"terminal_id":"x"}}`)),
				meta(`"terminal_info":{"terminal_id":"y"}`)),
			tells(`{"sessionUpdate":"terminal_output_chunk","terminalId":"y","data":"b2s="}`, meta(`"terminal_output":{"terminal_id":"y","data":"ok"}`)),
			tells(output("b2s="), meta(`"terminal_output":{"terminal_id":"x","data":"ok"}`)),
			tells(output("")),
			tells(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x"}`),
			tells(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":5}`),
		}},
		{name: "a long terminal is not sent again with each message", steps: []step{
			tells(output(base64.StdEncoding.EncodeToString([]byte(long)))), begin,
			tells(call(`,"content":[`+terminal+`]`), content("```\\n"+long+"\\n```")).losing("terminal"),
			tells(output("b2s=")), tells(hello, shows(hello)), wait(249 * time.Millisecond), wait(time.Millisecond, content("```\\n"+long+"ok\\n```")),
		}},
		{name: "output of a terminal that no tool call shows is kept until one does", steps: []step{
			tells(output("b2s=")), tells(update(`,"exitStatus":{"exitCode":0}`)), wait(time.Second), begin,
			tells(contentChunk(terminal)).losing("terminal"), wait(time.Second,
				content("```\\nok\\n```\\nexit code 0")),
		}},
		{name: "a command of several lines, and output with backquotes", steps: []step{
			begin, tells(update(`,"command":"cat <<E\nx\nE","cwd":5`)), tells(output("YGBgCmEKYGBgYAo=")),
			tells(call(`,"content":[`+terminal+`]`),
				content("`````\\n$ cat <<E\\n> x\\n> E\\n```\\na\\n````\\n`````")).losing("terminal"),
			tells(update(`,"command":null`)), wait(time.Second,
				content("`````\\n```\\na\\n````\\n`````")),
		}},
		{name: "a command that is said again, and an update that says nothing", steps: []step{
			begin, tells(call(`,"content":[`+terminal+`]`),
				shows(call(`,"content":[]`))).losing("terminal"),
			tells(update(`,"command":"ls"`)), wait(time.Second,
				content("```\\n$ ls\\n```")),
			tells(update(`,"command":"ls","cwd":"/q"`)), wait(time.Second),
			tells(update(``)), wait(time.Second),
		}},
		{name: "an end that is told again is sent with what changed", steps: []step{
			begin, tells(call(`,"content":[`+terminal+`]`),
				shows(call(`,"content":[]`))).losing("terminal"),
			tells(update(`,"exitStatus":{"exitCode":0}`),
				content("exit code 0")),
			tells(update(`,"exitStatus":{"exitCode":1}`)), wait(time.Second,
				content("exit code 1")),
		}},
		{name: "what a terminal prints belongs to a turn", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")), tells(idle("end_turn"), answered("2", "end_turn")),
			prompted("3", "2"), inserted("2", "m2"), tells(output("b2s=")), tells(idle("end_turn"), answered("3", "end_turn")),
			prompted("4", "3"), inserted("3", "m3"), tells(update(``)), tells(idle("end_turn"), answered("4", "end_turn")),
			prompted("5", "4"), inserted("4", "m4"), tells(contentChunk(terminal),
				shows(`{"sessionUpdate":"tool_call","title":"Tool call","toolCallId":"t","content":[`+textItem("```\\nok\\n```")+`]}`)).losing("terminal"), tells(idle("end_turn"),
				answered("5", "end_turn")),
			prompted("6", "5"), inserted("5", "m5"), tells(call(``), shows(call(``))), tells(idle("end_turn"), answered("6", "end_turn")),
			prompted("7", "6"), inserted("6", "m6"), tells(`{"sessionUpdate":"agent_message","messageId":"m","content":[`+block("x")+`]}`,
				shows(chunk("agent_message", "m", "x"))), tells(idle("end_turn"), answered("7", "end_turn")),
			prompted("8", "7"), inserted("7", "m7"), tells(`{"sessionUpdate":"_x"}`, shows(`{"sessionUpdate":"_x"}`)), tells(idle("end_turn"), answered("8", "end_turn")),
			prompted("9", "8"), inserted("8", "m8"), asks(`"title":"Go?","options":`+yesNo,
				`C {"id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"},"options":`+yesNo+`}}`), tells(idle("end_turn"), answered("9", "end_turn")),
		}},
		{name: "what does not belong to a turn does not end one", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")), tells(idle("end_turn"), answered("2", "end_turn")),
			prompted("3", "2"), inserted("2", "m2"), tells(`{"sessionUpdate":"usage_update","used":1,"size":2}`, shows(`{"sessionUpdate":"usage_update","used":1,"size":2}`)), tells(idle("end_turn")),
			tells(`{"sessionUpdate":"agent_message","messageId":"m"}`), tells(idle("end_turn")),
			tells(`{"sessionUpdate":"available_commands_update","availableCommands":[]}`,
				shows(`{"sessionUpdate":"available_commands_update","availableCommands":[]}`)), tells(idle("end_turn")),
			tells(`{"sessionUpdate":"config_option_update","configOptions":[]}`, shows(`{"sessionUpdate":"config_option_update","configOptions":[]}`)), tells(idle("end_turn")),
			tells(state("running")), tells(idle("refusal"), answered("3", "refusal")),
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
	capable := words.OldClient{Notices: true, Compaction: true, Subagents: true}
	const (
		options  = `{"sessionUpdate":"config_option_update","configOptions":[]}`
		commands = `{"sessionUpdate":"available_commands_update","availableCommands":[]}`
		usage    = `{"sessionUpdate":"usage_update","used":1,"size":2}`
		plan     = `{"sessionUpdate":"plan_removed","planId":"p"}`
		notice   = `{"sessionUpdate":"notice","severity":"info","title":"N"}`
		compacts = `{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed"}`
		begins   = `{"sessionUpdate":"subagent_update","sessionId":"kid","title":"K"}`
		url      = `"mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`
	)
	summary := `{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":` + block("s") + `}`
	sent := `{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"kid","content":[` + block("done") + `]}`
	part := `{"sessionUpdate":"session_message_chunk","messageId":"m","content":` + block("!") + `}`
	other := `{"sessionUpdate":"tool_call_update","toolCallId":"u","title":"U"}`
	var cases []testCase
	for _, c := range []struct {
		name   string
		client words.OldClient
		last   step
	}{
		{"options", words.OldClient{}, tells(options, shows(options))},
		{"commands", words.OldClient{}, tells(commands, shows(commands))},
		{"usage", words.OldClient{}, tells(usage, shows(usage))},
		{"a plan", words.OldClient{}, tells(plan, shows(plan))},
		{"a chunk", words.OldClient{}, tells(hello, shows(hello))},
		{"a message", words.OldClient{}, tells(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello")+`]}`,
			shows(`{"sessionUpdate":"agent_message_chunk","messageId":"m2","content":`+block("Hello")+`}`))},
		{"another tool call", words.OldClient{}, tells(other, shows(`{"sessionUpdate":"tool_call","toolCallId":"u","title":"U"}`))},
		{"content of another tool call", words.OldClient{}, tells(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"u","content":`+textItem("b")+`}`,
			shows(`{"sessionUpdate":"tool_call","title":"Tool call","toolCallId":"u","content":[`+textItem("b")+`]}`))},
		{"a notice as a message", words.OldClient{}, tells(notice, shows(`{"sessionUpdate":"agent_message_chunk","messageId":"notice-1","content":`+block("N")+`}`)).losing("notice")},
		{"a question", words.OldClient{}, asks(`"title":"Go?","options":`+yesNo, shownAs("1", `{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"}`, ""))},
		{"a form", words.OldClient{}, agent(`{"id":0,"method":"elicitation/create","params":{"sessionId":"s",`+url, `C {"id":1,"method":"elicitation/create","params":{"sessionId":"s",`+url)},
		{"session/load", words.OldClient{}, client(`{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`,
			`A {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}}`)},
		{"the agent's end", words.OldClient{}, gone("agent exited")},
		{"a notice", capable, tells(notice, shows(notice))},
		{"a compaction", capable, tells(compacts, shows(compacts))},
		{"a summary", capable, tells(summary, shows(summary))},
		{"a subagent", capable, tells(begins, shows(begins))},
		{"a message between sessions", capable, tells(sent, shows(sent))},
		{"a part of a message between sessions", capable, tells(part, shows(part))},
	} {
		c.last.want = append([]string{shows(call(`,"content":[` + textItem("a") + `]`))}, c.last.want...)
		cases = append(cases, testCase{name: c.name, client: c.client, steps: []step{begin, tells(contentChunk(textItem("a"))), c.last}})
	}
	runCases(t, cases)
}
