package view

import (
	"strings"
	"testing"

	permissions "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

const copyable = `{"type":"request","ts":1,"protocol":"acp","from":"Client","to":"Proxy","id":1.0,"method":"initi\u0061lize","params":{"n":10000000000000000000001, "s":"\u00e9<b>","n":1e2}}
{"type":"request","ts":1,"protocol":"acp","from":"Proxy","to":"Agent","id":"p-1","method":"initialize","params":{"v":2}}
{"type":"response","ts":2,"from":"Agent","to":"Client","id":"p-1","is_error":true,"payload":{"code":-32000,"message":"no"}}
{"type":"notification","ts":3,"protocol":"acp","from":"Agent","to":"Proxy","method":"session/update","session":"s","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}}}
{"type":"notification","ts":4,"protocol":"acp","from":"Agent","to":"Client","method":"(not a message)","params":"hello {"}
{"type":"notification","ts":5,"protocol":"acp","from":"Agent","to":"Client","method":"$/x","params":null}`

// TestCopy checks that messages are copied as they were on the wire.
func TestCopy(t *testing.T) {
	path := recordLines(t, strings.Split(copyable, "\n")...)
	servedAndInFile(t, path, func(t *testing.T, _, url string) {
		b := newBrowser(t)
		for _, name := range []string{"clipboard-read", "clipboard-write"} {
			send(b, permissions.SetPermission, permissions.SetPermissionParams{
				Permission: &permissions.PermissionDescriptor{Name: name}, Setting: permissions.PermissionSettingGranted,
			})
		}
		b.openAt(url, "#1")
		for _, row := range []struct{ event, key, want, notice string }{
			{"#1", "c", `{"jsonrpc":"2.0","id":1.0,"method":"initi\u0061lize","params":{"n":10000000000000000000001, "s":"\u00e9<b>","n":1e2}}`, "Copied what the client sent."},
			{"#1", "C", `{"jsonrpc":"2.0","id":"p-1","method":"initialize","params":{"v":2}}`, "Copied what the agent got."},
			{"#3", "C", `{"jsonrpc":"2.0","id":"p-1","error":{"code":-32000,"message":"no"}}`, "Copied what the client got."},
			{"#4", "c", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}}}`, "Copied what the agent sent."},
			{"#5", "c", "hello {", "Copied what the agent sent."},
			{"#6", "c", `{"jsonrpc":"2.0","method":"$/x"}`, "Copied what the agent sent."},
		} {
			b.selectEvent(row.event)
			b.press(row.key)
			b.await(`document.querySelector("#notice").textContent === ` + quoteJSON(row.notice))
			if got := b.clipboard(); got != row.want {
				t.Errorf("%s, %s: %s", row.event, row.key, got)
			}
		}
		b.selectEvent("#4")
		b.press("C")
		b.await(`document.querySelector("#notice").textContent === "Nothing is copied: the client got nothing."`)

		b.selectEvent("#1")
		b.expect("both messages can be copied", `document.querySelectorAll(".head").length === 2 && document.querySelectorAll(".copy").length === 4`)
		b.click(".head:nth-child(2) .copy:nth-child(2)")
		b.await(`document.querySelector(".head:nth-child(2) .copy:nth-child(2)").textContent === "copied"`)
		if got, want := b.clipboard(), "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": \"p-1\",\n  \"method\": \"initialize\",\n  \"params\": {\n    \"v\": 2\n  }\n}"; got != want {
			t.Errorf("indented: %s", got)
		}
		b.await(`document.querySelector(".head:nth-child(2) .copy:nth-child(2)").textContent === "indented"`)

		// If the browser gives the page no clipboard, the page copies a selection.
		eval[bool](b, `(Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true }), document.querySelector("#timeline").focus(), true)`)
		b.press("c")
		b.await(`document.querySelector("#notice").textContent === "Copied what the client sent."`)
		b.expect("the list keeps the focus", `document.activeElement.id === "timeline" && !document.querySelector("textarea")`)
		eval[bool](b, `delete navigator.clipboard`)
		if got := b.clipboard(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1.0,`) {
			t.Errorf("copied without the clipboard: %s", got)
		}
	})
}

// clipboard returns the content of the clipboard.
func (b *browser) clipboard() string {
	b.t.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("navigator.clipboard.readText()", chromedp.EvalAwaitPromise))
	b.must(err)
	return text
}
