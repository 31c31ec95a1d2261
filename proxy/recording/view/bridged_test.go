package view

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestBridged shows a conversation of a client of version 1 with an agent of
// version 2. One of the agent's updates is of a kind that nobody knows.
func TestBridged(t *testing.T) {
	static := filepath.Join(t.TempDir(), "page.html")
	if err := (Recording{File: "testdata/bridge.jsonl"}).HTMLFile(static); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, 1200, 1400)
	b.open("file://" + filepath.ToSlash(static))
	b.await(`document.querySelector("#totals").textContent.startsWith("30 ")`)
	b.is("the first message is chosen", chosen+` === "#1"`)
	if got := b.text("#ends"); got != "client old-editor 1.8 (protocol version 1) · agent new-agent 2.1 (protocol version 2) · joined by the proxy" {
		t.Errorf("the ends: %s", got)
	}
	if got := b.text("#totals"); got != "30 messages · 6 forwarded · 13 rewritten · 9 dropped · 2 added by the proxy" {
		t.Errorf("the totals: %s", got)
	}
	b.is("two turns begin and end", `document.querySelectorAll(".row.opens").length === 2 && document.querySelectorAll(".row.closes").length === 2`)
	for _, event := range []struct{ number, story, seen string }{
		{"10", "A turn begins; it ended after 7.25 s: end_turn.", "The cache misses too often. Make it larger."},
		{"18", "The proxy changed it on the way.", "Read cache.go"},
		{"23", "The proxy changed it on the way.", "return newCache(1000)"},
		{"26", "The agent asked for session/request_permission.", "Answered: Allow."},
		{"28", "The client answered session/request_permission after 2.66 s: request #26.", "Answered: Allow."},
		{"32", "The agent told of weather_update.", ""},
		{"36", "The turn ended after 7.25 s: end_turn.", ""},
		{"43", "the proxy did so by itself", ""},
	} {
		eval[string](b, fmt.Sprintf("location.hash = %q", "#"+event.number))
		b.await(fmt.Sprintf("%s === %q", chosen, "#"+event.number))
		b.settle()
		if got := b.text("#story"); !strings.Contains(got, event.story) {
			t.Errorf("the story of #%s: %s", event.number, got)
		}
		if got := b.text("#seen"); !strings.Contains(got, event.seen) || event.seen == "" && strings.TrimSpace(got) != "" {
			t.Errorf("what is seen of #%s: %s", event.number, got)
		}
	}
	// What leaves in the place of the idle that ends the turn is an answer to the prompt.
	eval[string](b, `location.hash = "#36"`)
	b.await(chosen + ` === "#36"`)
	b.settle()
	if got := b.text(".heads"); !strings.Contains(got, "What the client got: answer to session/prompt") {
		t.Errorf("the heads of #36: %s", got)
	}
	eval[string](b, `location.hash = "#38"`) // the prompt differs in its id only
	b.await(chosen + ` === "#38"`)
	b.settle()
	if got := b.text("#story") + b.text(".heads"); !strings.Contains(got, "The proxy changed its id only.") || !strings.Contains(got, "and the agent got with another id") {
		t.Errorf("#38: %s", got)
	}
	b.screenshot("bridged")
	b.quiet()
}
