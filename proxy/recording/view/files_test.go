package view

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDiffs draws the changes of a tool call to files: with line numbers, counts and signs, and with
// unchanged lines folded.
func TestDiffs(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, showcaseRecording(t)), "#8")
	b.hasTexts("#user-view .diff-file", "/work/parser.go+2 −2 lines|/work/b.txtwas /work/a.txtmoved|/work/old.godeleted+0 −1 lines|/work/new.gonew+2 −0 lines")
	const rows = `[...document.querySelectorAll("#user-view .diff")].map((d) => [...d.querySelectorAll(".text, .skip, .fold")].map((r) => (r.dataset.line ?? "") + ({ DEL: "-", INS: "+" }[r.tagName] ?? " ") + r.textContent).join("\n")).join("\n\n")`
	want := strings.Join([]string{
		" ⋯ line 10 func parse() {", "10 \tfor {", "11-\t\tline := next()", "11+\t\tline, more := next()", "12+\t\tif !more { return }", "13 \t\tread(line)", "14 \t}",
		" ⋯ line 101", "101 }", "101-// The end.", "", "", "", "1-package old", "", "1+package work", "2+// --- no head of a file",
	}, "\n")
	b.hasValue(rows, want)
	b.expect("changed lines have a sign", `getComputedStyle(document.querySelector("#user-view ins"), "::before").content === '"+"' && getComputedStyle(document.querySelector("#user-view del"), "::before").content === '"−"'`)

	b.hasTexts("#user-view h3, #user-view h3 code", "Edit parser.go and others|parser.go")
	b.selectEvent("#9")
	if got := eval[string](b, rows); !strings.HasPrefix(got, " ⋯ 16 unchanged lines\n56 line 17\n") || !strings.HasSuffix(got, "\n59-line 20\n59+line twenty\n60+line 20 and a half\n61 line 21\n62 line 22\n63 line 23\n ⋯ 7 unchanged lines") {
		t.Errorf("two texts:\n%s", got)
	}
	eval[bool](b, `(document.querySelector("#user-view .fold").click(), true)`)
	b.expect("the lines are unfolded", `(`+rows+`).startsWith("40 line 1\n41 line 2\n")`)
}

// TestDiffForms draws differences with missing or invalid members, and patches in forms other than
// git's.
func TestDiffForms(t *testing.T) {
	b := newBrowser(t)
	loadScripts(b)
	text := concatenate("toolcall.js", "content.js")
	eval[bool](b, text+`
	const drawn = (item) => drawContent(item, () => new Terminals(), new Map()).map((e) => e.className + ": " + [...e.querySelectorAll(".diff-file, .text, .skip, .empty, code")].map((r) => (r.dataset.line ?? "") + ({ DEL: "-", INS: "+" }[r.tagName] ?? "") + r.textContent).join("|")).join("; "); true`)
	for _, test := range []struct{ item, want string }{
		{`{"type":"diff","path":"/a","newText":"x\ny"}`, "diff: /anew+2 −0 lines|1+x|2+y"},
		{`{"type":"diff","path":"/a","oldText":null,"newText":""}`, "diff: /anew"},
		{`{"type":"diff","path":"/a","oldText":"x\n","newText":""}`, "diff: /a+0 −1 lines|-x"},
		{`{"type":"diff","path":"/a","oldText":"a b c d","newText":"a b x d"}`, "diff: /a+1 −1 lines|-a b c d|+a b x d"},
		{`{"type":"diff","changes":[{"operation":"_touch","path":"/a"},{"operation":"copy","path":"/c","oldPath":"/b"}]}`, "diff: /a_touch; diff: /cwas /bcopied"},
		{`{"type":"diff","changes":[{"operation":"toString","path":"/a"},{"operation":"__proto__","path":"/b"}]}`, "diff: /atoString; diff: /b__proto__"},
		{`{"type":"diff","changes":[{"operation":"modify","path":"/a"}],"patch":{"format":"_own","text":"s/a/b/"}}`, "diff: /a; markdown: s/a/b/"},
		{`{"type":"diff","patch":{"text":"--- a/x y\t\n+++ \"b/\\\"q\\\"\"\n@@ -1 +1 @@\n-a\n+b\n"}}`, `diff: "q"+1 −1 lines|1-a|1+b`},
		{`{"type":"diff","patch":"@@ -5,9 +5,9 @@\n-a\ndiff --git x y\n@@ -1 +1 @@\n+b"}`, `diff: a file without a name+0 −1 lines|⋯ line 5|5-a; diff: a file without a name+1 −0 lines|1+b`},
		{`{"type":"diff","changes":[{"operation":"add","path":"/e"}],"patch":{"format":"git_patch","text":"diff --git /e /e\nnew file mode 100644\n"}}`, "diff: /enew"},
		{`{"type":"diff","changes":[{"operation":"modify","path":"/p q.png"}],"patch":"diff --git \"a/p q.png\" \"b/p q.png\"\nBinary files differ\n"}`, "diff: /p q.png"},
		{`{"type":"diff","patch":"diff --git a/b c b/b c\nold mode 100644\nnew mode 100755\n"}`, "diff: b c"},
		{`{"type":"diff","changes":[{"operation":"modify","path":"/ä%.go"}],"patch":"diff --git \"/\\303\\244%.go\" \"/\\303\\244%.go\"\n--- \"/\\303\\244%.go\"\n+++ \"/\\303\\244%.go\"\n@@ -1 +1 @@\n-a\n+b\n"}`, "diff: /ä%.go+1 −1 lines|1-a|1+b"},
		{`{"type":"diff","patch":"diff --git a/a/c b/b/c\nrename from a/c\nrename to b/c\n"}`, "diff: b/cwas a/cmoved"},
		{`{"type":"diff","patch":"--- \"\ud800\"\n+++ \"\\001a\"\n@@ -1 +1 @@\n-a\n+b\n"}`, "diff: ⟨U+0001⟩a+1 −1 lines|1-a|1+b"},
		{`{"type":"diff","patch":"--- a\u2028b\n+++ a\u2028b\n@@ -1 +1 @@ \u2028\n-a"}`, "diff: a⟨U+2028⟩b+0 −1 lines|1-a"},
		{`{"type":"diff","path":{"a":1},"oldText":["x"],"newText":7}`, `diff: {"a":1}+1 −1 lines|-["x"]|+7`},
		{`{"type":"diff"}`, "diff: a file without a namenew"}, {`{"type":"diff","changes":[null,7]}`, "diff: a file without a name"},
		{`{"type":"diff","patch":{"text":"nothing"}}`, "markdown: nothing"},
	} {
		if got := eval[string](b, "drawn("+test.item+")"); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.item, got, test.want)
		}
	}
	b.expect("words of every script are compared", `similarity(words("это план"), words("это текст")) === 0.5`)
}

// TestTerminals draws the output of commands without escape sequences.
func TestTerminals(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, showcaseRecording(t)), "#15")
	for _, row := range []struct{ event, terminal, exit string }{
		{"#10", "/work\n$ go test ./...\n", ""},
		{"#12", "/work\n$ go test ./...\nok   lexer ä\n100%\nFAIL parser", ""},
		{"#13", "/work\n$ go test ./...\nok   lexer ä\n100%\nFAIL parser", ""},
		{"#15", "/work\n$ go test ./...\nok   lexer ä\n100%\nFAIL parser", "exit code 1"},
	} {
		b.selectEvent(row.event)
		b.hasTexts("#user-view .terminal", row.terminal)
		b.hasTexts("#user-view .exit", row.exit)
	}
	// Some version 1 agents describe terminals in _meta of their tool calls. Others request that the
	// client runs commands.
	meta := func(update, meta string) string {
		return updateLine(1, "Agent", "Client", `{"sessionUpdate":"`+update+`","toolCallId":"t","_meta":`+meta+`,"content":[{"type":"terminal","terminalId":"t"}]}`)
	}
	b.openAt(serve(t, recordLines(t,
		meta("tool_call", `{"terminal_info":{"terminal_id":"t","cwd":"/w"}}`), meta("tool_call_update", `{"terminal_output":{"terminal_id":"t","data":"a\n"}}`),
		meta("tool_call_update", `{"terminal_output":{"terminal_id":"t","data":"b"},"terminal_exit":{"terminal_id":"t","exit_code":null,"signal":"KILL"}}`),
		`{"type":"request","ts":1,"protocol":"acp","from":"Agent","to":"Client","id":1,"method":"terminal/create","session":"s","params":{"sessionId":"s","command":"ls","args":["-l"]}}`,
		`{"type":"request","ts":1,"protocol":"acp","from":"Agent","to":"Client","id":2,"method":"terminal/output","session":"s","params":{"sessionId":"s","terminalId":"u"}}`,
		`{"type":"response","ts":1,"from":"Client","to":"Agent","id":2,"is_error":false,"payload":{"output":"c","truncated":false,"exitStatus":{"exitCode":0}}}`,
	)), "#3")
	b.hasTexts("#user-view .screen *", "/w\na\nb|/w\n|ended by KILL")
	for event, want := range map[string]string{"#4": "$ ls -l\n", "#6": "cexit code 0"} {
		b.selectEvent(event)
		b.hasTexts("#user-view .screen", want)
	}
}

func TestPlainOutput(t *testing.T) {
	b := newBrowser(t)
	loadScripts(b)
	for text, want := range map[string]string{
		"\x1b[1;31mred\x1b[m":                 "red",
		"\x1b]8;;http://x\x1b\\a\x1b]8;;\x07": "a",
		"\x1b(B\x1b=\x1b7a\u009b2Jb":          "ab",
		"abc\rx\r\nd\be":                      "xbc\ne",
		"\x1b[":                               "",
		"\x1b]2;no end":                       "",
		"a\x1b":                               "a\x1b",
	} {
		if got := eval[string](b, "plainOutput("+quoteJSON(text)+")"); got != want {
			quoted, _ := json.Marshal(got)
			t.Errorf("%q: %s", text, quoted)
		}
	}
}

// loadScripts loads the functions that draw differences and terminals into an empty page.
func loadScripts(b *browser) {
	b.t.Helper()
	text := concatenate("text.js", "json.js", "difference.js", "kinds.js", "messages.js", "filediff.js", "terminal.js")
	eval[bool](b, text+"; true")
}
