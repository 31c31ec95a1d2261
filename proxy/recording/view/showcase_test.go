package view

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

const essay = `# The parser

It reads **one line** at a time, and *never* looks back. See [the notes](docs/notes.md) or <https://example.com/parser>.

1. Read the input
   - from a file
   - from ` + "`stdin`" + `
2. Split it
3. ~~Guess~~ Decide

> A quote, which goes on
> for two lines.

| Part | Lines | State |
|:-----|------:|:-----:|
| Lexer | 240 | done |
| Parser | 1,130 | **in work** |

- [x] Write the lexer
- [ ] Write the parser

` + "```go\nfunc main() {\n\tparse(os.Stdin) // <- here\n}\n```" + `

---
That is all.`

// showcaseRecording records session updates with every form of plan, difference, terminal and markdown
// that the page draws. The comments are the numbers of the lines.
func showcaseRecording(t *testing.T) string {
	seconds := 0.0
	next := func(update string) string {
		seconds += 0.5
		return updateLine(seconds, "Agent", "Client", update)
	}
	markdown := func(text string) string {
		return next(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"design","content":` + quoteJSON(text) + `}}`)
	}
	entry := func(content, priority, status string) string {
		return fmt.Sprintf(`{"content":%q,"priority":%q,"status":%q}`, content, priority, status)
	}
	plan := func(entries ...string) string {
		return next(`{"sessionUpdate":"plan","entries":[` + strings.Join(entries, ",") + `]}`)
	}
	lines := []string{
		plan(entry("Read the code", "high", "in_progress"), entry("Ask somebody", "low", "pending"), entry("Fix the parser", "medium", "pending")),                                                                                           // 1
		plan(entry("Read the code", "high", "completed"), entry("Fix the parser", "high", "pending"), entry("Run the tests", "medium", "pending"), entry("Write it down", "medium", "pending"), entry("Write it down", "medium", "pending")), // 2
		plan(entry("Write it down", "medium", "pending"), entry("Write it down", "medium", "pending"), entry("Read the code", "high", "completed"), entry("Fix the parser", "high", "pending"), entry("Run the tests", "medium", "pending")), // 3
		markdown(strings.Replace(essay, "It reads", "It read", 1)), // 4
		markdown(essay), // 5
		next(`{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"notes","uri":"file:///work/plans/notes.md"}}`),                                         // 6
		next(`{"sessionUpdate":"tool_call","toolCallId":"edit","title":"Edit ` + "`parser.go`" + ` and others","kind":"edit","status":"in_progress","content":[]}`), // 7
		next(`{"sessionUpdate":"tool_call_update","toolCallId":"edit","status":"completed","content":[{"type":"diff","changes":[` +
			`{"operation":"modify","path":"/work/parser.go"},{"operation":"move","oldPath":"/work/a.txt","path":"/work/b.txt"},{"operation":"delete","path":"/work/old.go"},{"operation":"add","path":"/work/new.go"}],` +
			`"patch":{"format":"git_patch","text":` + quoteJSON(patchOfMany) + `}}]}`), // 8
		next(`{"sessionUpdate":"tool_call","toolCallId":"two","title":"Edit main.go","kind":"edit","status":"failed","locations":[{"path":"/work/main.go","line":40}],"content":[` +
			`{"type":"diff","path":"/work/main.go","oldText":` + quoteJSON(numbered(1, 30)) + `,"newText":` + quoteJSON(strings.Replace(numbered(1, 30), "line 20\n", "line twenty\nline 20 and a half\n", 1)) + `}]}`), // 9
		next(`{"sessionUpdate":"terminal_update","terminalId":"x","command":"go test ./...","cwd":"/work"}`),                                                                                     // 10
		next(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"` + base64.StdEncoding.EncodeToString([]byte("\x1b[32mok\x1b[0m   lexer \xc3")) + `"}`),                          // 11
		next(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"` + base64.StdEncoding.EncodeToString([]byte("\xa4\r\n10%\r100%\n\x1b]0;title\x07FAIL parser\x1b[2K\n")) + `"}`), // 12
		next(`{"sessionUpdate":"tool_call_update","toolCallId":"test","title":"Run the tests","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"x"}]}`),        // 13
		next(`{"sessionUpdate":"terminal_update","terminalId":"x","exitStatus":{"exitCode":1}}`),                                                                                                 // 14
		next(`{"sessionUpdate":"tool_call_update","toolCallId":"test","status":"failed"}`),                                                                                                       // 15
	}
	for i := range len(essay) / 60 { // from 16 on
		lines = append(lines, next(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":`+quoteJSON(essay[i*60:i*60+60])+`}}`))
	}
	return recordLines(t, lines...)
}

const patchOfMany = `diff --git /work/parser.go /work/parser.go
--- /work/parser.go
+++ /work/parser.go
@@ -10,4 +10,5 @@ func parse() {
 	for {
-		line := next()
+		line, more := next()
+		if !more { return }
 		read(line)
 	}
@@ -100,2 +101,1 @@
 }
-// The end.
diff --git /work/a.txt /work/b.txt
similarity index 100%
rename from /work/a.txt
rename to /work/b.txt
diff --git /work/old.go /work/old.go
deleted file mode 100644
--- /work/old.go
+++ /dev/null
@@ -1,1 +0,0 @@
-package old
diff --git /work/new.go /work/new.go
new file mode 100644
--- /dev/null
+++ /work/new.go
@@ -0,0 +1,2 @@
+package work
+// --- no head of a file
\ No newline at end of file
`

func numbered(from, to int) string {
	var text strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	return text.String()
}
