package view

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
)

// hostile is a text that tries to run scripts on the page and to hide text.
const hostile = `<img src=x onerror="window.owned=1"><script>window.owned=1</script></script><!--<script>` +
	"\u202egnp.exe\u202c \u0000\u001b[2J\u200b\u2028 ${alert(1)} {{constructor}} __proto__"

// hostileRecording records messages with the hostile text wherever the page draws a text, and lines that
// are not events.
func hostileRecording(t *testing.T) string {
	text := quoteJSON(hostile)
	insert := func(format string) string { return strings.ReplaceAll(format, "TEXT", text[1:len(text)-1]) }
	markdown := "# TEXT\n\n> - [TEXT](TEXT) ![TEXT](x) <javascript:TEXT>\n\n| TEXT | b |\n|---|---|\n| TEXT | `TEXT` |\n\n```TEXT\nTEXT\n```\n- [x] **TEXT**\n"
	shown := strings.ReplaceAll(markdown, "TEXT", hostile)
	patch := "diff --git TEXT TEXT\nrename from TEXT\n--- TEXT\n+++ TEXT\n@@ -5,2 +5,2 @@ TEXT\n TEXT\n-TEXT\n+TEXT!\n"
	var lines []string
	for _, update := range []string{
		`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"TEXT","content":` + quoteJSON(shown) + `}}`,
		`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"TEXT","content":` + quoteJSON(shown+"\n\nTEXT") + `}}`,
		`{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"f","uri":"file://TEXT"}}`,
		`{"sessionUpdate":"plan","entries":[{"content":"TEXT","status":"pending","priority":"TEXT"}]}`,
		`{"sessionUpdate":"plan","entries":[{"content":"TEXT","status":"TEXT","priority":"low"},{"content":"TEXT 2","status":"pending","priority":"low"}]}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":` + quoteJSON(shown) + `}}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"TEXT"}}`,
		`{"sessionUpdate":"user_message","content":[{"type":"TEXT","uri":"TEXT"},{"type":"image","data":"TEXT","mimeType":"TEXT","uri":"https://example.com/TEXT"},{"type":"resource_link","name":"TEXT","uri":"javascript:TEXT"}]}`,
		`{"sessionUpdate":"tool_call","toolCallId":"TEXT","title":"TEXT","kind":"TEXT","status":"TEXT","locations":[{"path":"TEXT","line":3},{"path":"b TEXT"}],"content":[` +
			`{"type":"diff","path":"TEXT","oldText":"TEXT\nTEXT","newText":"TEXT\nTEXT!"},{"type":"diff","changes":[{"operation":"TEXT","path":"c TEXT","oldPath":"TEXT"}],"patch":{"text":` + quoteJSON(strings.ReplaceAll(patch, "TEXT", hostile)) + `}},` +
			`{"type":"content","content":{"type":"text","text":` + quoteJSON(shown) + `}},{"type":"terminal","terminalId":"TEXT"},{"type":"TEXT"}]}`,
		`{"sessionUpdate":"terminal_update","terminalId":"TEXT","command":"TEXT","cwd":"TEXT","exitStatus":{"signal":"TEXT"},"output":{"data":"` + base64.StdEncoding.EncodeToString([]byte(hostile)) + `"}}`,
		`{"sessionUpdate":"__proto__","toolCallId":"constructor","content":{"type":"hasOwnProperty"}}`,
	} {
		lines = append(lines, updateLine(float64(len(lines)), "Agent", "Client", insert(update)))
	}
	lines = append(lines,
		insert(`{"type":"request","ts":90,"protocol":"acp","from":"Agent","to":"Client","id":"TEXT","method":"session/request_permission","session":"s","params":{"sessionId":"s","title":"TEXT","description":`+quoteJSON(shown)+`,`+
			`"subject":{"type":"command","command":"TEXT","cwd":"TEXT"},"options":[{"optionId":"TEXT","name":"TEXT"}]}}`),
		insert(`{"type":"response","ts":91,"from":"Client","to":"Agent","id":"TEXT","is_error":false,"payload":{"outcome":{"outcome":"selected","optionId":"TEXT"}}}`),
		insert(`{"type":"request","ts":92,"protocol":"acp","from":"Agent","to":"Client","id":2,"method":"terminal/create","session":"s","params":{"command":"TEXT","args":["TEXT",7],"cwd":"TEXT"}}`),
		insert(`{"type":"request","ts":93,"protocol":"acp","from":"Agent","to":"Client","id":3,"method":"terminal/output","session":"s","params":{}}`),
		insert(`{"type":"response","ts":94,"from":"Client","to":"Agent","id":3,"is_error":false,"payload":{"output":"TEXT","exitStatus":{"signal":"TEXT"}}}`),
		insert(`{"type":"request","ts":95,"from":"Client","to":"Agent","id":4,"method":"TEXT","params":"TEXT"}`),
		insert(`{"type":"notification","ts":95,"from":"Agent","to":"Client","method":"(not a message)","params":"TEXT"}`),
		insert(`{"type":"notification","ts":96,"from":"Agent","to":"Client","method":"session/update","session":"TEXT","params":{"sessionId":"TEXT","__proto__":{"x":1},"update":{"sessionUpdate":"plan_update",`+
			`"plan":{"type":"TEXT","planId":"TEXT","entries":[{"content":"\ud800","priority":"TEXT","status":"TEXT"},null,7,{"content":{"a":1}}]}}}}`),
		insert(`{"type":"notification","ts":"1","from":"TEXT","to":"Client","method":"session/update","params":{"sessionId":{},"update":{"sessionUpdate":"plan_update","plan":"TEXT"}}}`),
		`{"type":"notification","from":"Agent","to":"Client","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"planId":{"__proto__":1},"entries":{"length":9}}}}}`,
		`{"type":"notification","ts":1e999,"from":["x"],"to":{"<b>":1},"method":7,"params":null}`, // with components that do not exist
		`{"type":"response","payload":null}`, `[]`, `null`, `{"type":{}}`,
	)
	return recordLines(t, lines...)
}

// TestHostile checks that no text of an agent runs a script, loads something or hides text, wherever
// the page draws it.
func TestHostile(t *testing.T) {
	path := hostileRecording(t)
	events := bytes.Count(readFile(t, path), []byte("\n"))
	servedAndInFile(t, path, func(t *testing.T, name, url string) {
		b := newBrowser(t)
		b.openAt(url, "#1")
		for range events {
			b.settle()
			for range 2 { // the second time with the source of markdown texts
				b.expect("no script of a message has run", `window.owned === undefined && !document.querySelector("img, iframe, object, form, body script[src], #detail a:not(.number, .link), #detail [href]:not(.number, [href^='http'], [href^='file'], [href^='mailto']), #detail [src], #detail [onerror]")`)
				if got := b.text("body"); strings.ContainsAny(got, "\u202e\u0000\u001b\u200b\u2028") || !strings.Contains(b.text("#detail"), "#") {
					t.Errorf("%s shows characters that act: %q", b.text("#exchange-head"), got)
				}
				b.expect("nothing is wider than the window", `document.documentElement.scrollWidth <= innerWidth`)
				eval[bool](b, `(document.querySelector("#detail .toggle:not([hidden])")?.click(), true)`)
			}
			b.press("j")
		}
		if name == "file" {
			b.expect("nothing was loaded", `performance.getEntriesByType("resource").length === 0 && document.querySelector("#live").hidden`)
		}
		b.selectEvent("#9")
		if got := b.texts("#user-view .diff-file .path"); strings.Count(got, "⟨U+202E⟩gnp.exe") < 2 || !strings.Contains(got, "<script>") {
			t.Errorf("the names of files: %s", got)
		}
	})
}
