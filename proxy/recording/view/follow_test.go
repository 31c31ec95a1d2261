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

// TestLiveUnlessTouched checks that the page goes live when a recording grows, unless the user has
// acted or the address has a number.
func TestLiveUnlessTouched(t *testing.T) {
	more := updateLine(9, "Agent", "Client", `{"sessionUpdate":"plan","entries":[]}`)
	for _, tt := range []struct {
		name, fragment string
		act            func(b *browser)
		goesLive       bool
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
			path := mixedRecording(t)
			b := newBrowser(t)
			b.openAt(serve(t, path), tt.fragment)
			b.await(selectedNumber + ` === "#7"`)
			b.expect("a recording that has been read is not live", "!("+isLive+")")
			tt.act(b)
			grow(t, path, more)
			if tt.goesLive {
				b.await(isLive + ` && ` + selectedNumber + ` === "#16"`)
				grow(t, path, more)
				b.await(selectedNumber + ` === "#17"`)
				return
			}
			b.await(`document.querySelector("#live-text").textContent === "1 new"`)
			b.expect("the event stays selected", selectedNumber+` === "#7" && !(`+isLive+")")
			b.click("#live")
			b.await(isLive + ` && ` + selectedNumber + ` === "#16"`)
		})
	}
}

// TestEmptyRecordingGrows opens a recording before its first message.
func TestEmptyRecordingGrows(t *testing.T) {
	path := recordLines(t)
	b := newBrowser(t)
	b.openAt(serve(t, path), "")
	b.expect("the page explains the empty list", `document.querySelector("#none").checkVisibility()`)
	grow(t, path, updateLine(9, "Agent", "Client", `{"sessionUpdate":"plan","entries":[]}`), updateLine(9, "Agent", "Client", `{"sessionUpdate":"plan","entries":[]}`))
	b.await(isLive + ` && ` + selectedNumber + ` === "#3"`)
}

// TestWaitingRequests checks that a pending request of a growing recording is waiting, not unanswered.
func TestWaitingRequests(t *testing.T) {
	path := mixedRecording(t)
	expectCount := func(b *browser, text string, isBad bool) {
		t.Helper()
		b.await(fmt.Sprintf(`(() => { const count = document.querySelector("#count-unanswered"); return count.textContent === %q && [count, document.querySelector("#row-0")].every((e) => e.classList.contains("bad") === %v); })()`, text, isBad))
	}
	b := newBrowser(t)
	for _, grows := range []bool{true, false} {
		if !grows {
			if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		servedAndInFile(t, path, func(t *testing.T, _, url string) {
			b.openAt(url, "")
			expectCount(b, map[bool]string{true: "1 waiting", false: "1 unanswered"}[grows], !grows)
		})
	}
	b.openAt(serve(t, path), "")
	expectCount(b, "1 unanswered", true)
	grow(t, path, updateLine(9, "Agent", "Client", `{"sessionUpdate":"x"}`))
	expectCount(b, "1 waiting", false)
}

// TestReconnects stops the server and starts it again.
func TestReconnects(t *testing.T) {
	path := mixedRecording(t)
	page := newPage("trace.jsonl", fromServer)
	address := "127.0.0.1:0"
	run := func() *http.Server {
		t.Helper()
		listener, err := listen(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		address = listener.Addr().String()
		server := &http.Server{Handler: newHandler("TOKEN", address, page, Recording{File: path, makeLinter: newStrict})}
		go server.Serve(listener)
		t.Cleanup(func() { server.Close() })
		return server
	}
	server := run()
	b := newBrowser(t)
	b.open("http://" + address + "/TOKEN/#6&kind=tool")
	b.await(selectedNumber + ` === "#6" && document.querySelectorAll(".row .finding").length === 3`)
	b.expect("no failure is shown", `document.querySelector("#problem").hidden`)
	server.Close()
	b.await(`!document.querySelector("#problem").hidden`)
	b.expect("the events that were read stay", selectedNumber+` === "#6" && document.querySelectorAll(".row").length === 3`)
	grow(t, path, updateLine(20, "Agent", "Client", `{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"failed"}`))
	run()
	b.await(`document.querySelector("#problem").hidden && ` + rowNumbers + ` === "#4 #5 #6 #16"`)
	b.await(selectedNumber + ` === "#6" && document.querySelectorAll(".row .finding").length === 4`)
	b.await(`document.querySelector("#totals").textContent.startsWith("15 messages")`) // repeated lines do not count twice
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = nil // the console has the failed requests
}
