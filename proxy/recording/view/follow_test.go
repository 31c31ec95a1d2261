package view

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const isLive = `document.querySelector("#live").getAttribute("aria-pressed") === "true"`

// TestTouched opens recordings that grow when the user has done something, or
// nothing.
func TestTouched(t *testing.T) {
	more := updateLine(9, "Agent", "Client", `{"sessionUpdate":"plan","entries":[]}`)
	for _, tt := range []struct {
		name, address string
		do            func(b *browser)
		follows       bool
	}{
		{"nothing", "#kind=plan", func(*browser) {}, true},
		{"number", "#7", func(*browser) {}, false},
		{"missing", "#99&kind=plan", func(*browser) {}, false},
		{"key", "#kind=plan", func(b *browser) { b.press(kb.Shift) }, false},
		{"click", "#kind=plan", func(b *browser) { b.click("h1") }, false},
		{"wheel", "#kind=plan", func(b *browser) {
			send(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: chromedp.MouseWheel, X: 100, Y: 300, DeltaX: 1, DeltaY: 10})
			b.settle()
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := mixed(t)
			b := newBrowser(t)
			b.at(serve(t, path), tt.address)
			b.await(chosen + ` === "#7"`)
			b.is("a recording that has been read is not live", "!("+isLive+")")
			tt.do(b)
			grow(t, path, more)
			if tt.follows {
				b.await(isLive + ` && ` + chosen + ` === "#16"`)
				grow(t, path, more)
				b.await(chosen + ` === "#17"`)
				return
			}
			b.await(`document.querySelector("#live-text").textContent === "1 new"`)
			b.is("the choice stays", chosen+` === "#7" && !(`+isLive+")")
			b.click("#live")
			b.await(isLive + ` && ` + chosen + ` === "#16"`)
		})
	}
}

// TestEmptyIsFollowed waits for the first message.
func TestEmptyIsFollowed(t *testing.T) {
	path := recordLines(t)
	b := newBrowser(t)
	b.at(serve(t, path), "")
	b.is("the list has a reason to be empty", `document.querySelector("#none").checkVisibility()`)
	grow(t, path, updateLine(9, "Agent", "Client", `{"sessionUpdate":"plan","entries":[]}`), updateLine(9, "Agent", "Client", `{"sessionUpdate":"plan","entries":[]}`))
	b.await(isLive + ` && ` + chosen + ` === "#3"`)
}

// TestWaits: in a recording that grows, a pending request is waiting, not unanswered.
func TestWaits(t *testing.T) {
	path := mixed(t)
	looks := func(b *browser, text string, bad bool) {
		t.Helper()
		b.await(fmt.Sprintf(`(() => { const count = document.querySelector("#count-unanswered"); return count.textContent === %q && [count, document.querySelector("#row-0")].every((e) => e.classList.contains("bad") === %v); })()`, text, bad))
	}
	b := newBrowser(t)
	for _, grows := range []bool{true, false} {
		if !grows {
			if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		servedAndInFile(t, path, func(t *testing.T, _, url string) {
			b.at(url, "")
			looks(b, map[bool]string{true: "1 waiting", false: "1 unanswered"}[grows], !grows)
		})
	}
	b.at(serve(t, path), "")
	looks(b, "1 unanswered", true)
	grow(t, path, updateLine(9, "Agent", "Client", `{"sessionUpdate":"x"}`))
	looks(b, "1 waiting", false)
}

// TestAsksAgain stops the server and starts it again.
func TestAsksAgain(t *testing.T) {
	path := mixed(t)
	page := newPage("trace.jsonl", fromServer)
	address := "127.0.0.1:0"
	run := func() *http.Server {
		t.Helper()
		listener, err := listen(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		address = listener.Addr().String()
		server := &http.Server{Handler: newHandler("TOKEN", address, page, Recording{File: path, linters: newStrict})}
		go server.Serve(listener)
		t.Cleanup(func() { server.Close() })
		return server
	}
	server := run()
	b := newBrowser(t)
	b.open("http://" + address + "/TOKEN/#6&kind=tool")
	b.await(chosen + ` === "#6" && document.querySelectorAll(".row .finding").length === 3`)
	b.is("there is no problem", `document.querySelector("#problem").hidden`)
	server.Close()
	b.await(`!document.querySelector("#problem").hidden`)
	b.is("what was read stays", chosen+` === "#6" && document.querySelectorAll(".row").length === 3`)
	grow(t, path, updateLine(20, "Agent", "Client", `{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"failed"}`))
	run()
	b.await(`document.querySelector("#problem").hidden && ` + rowsShown + ` === "#4 #5 #6 #16"`)
	b.await(chosen + ` === "#6" && document.querySelectorAll(".row .finding").length === 4`)
	b.await(`document.querySelector("#totals").textContent.startsWith("15 messages")`) // none is counted twice
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = nil // the console has the failed requests
}
