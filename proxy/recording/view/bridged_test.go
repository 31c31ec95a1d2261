package view

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
	for _, kind := range []struct{ option, rows string }{
		{"Plans (3)", "#16 #20 #33"},
		{"Permissions and questions (2)", "#26 #28"},
		{"Tool calls (3)", "#18 #23 #31"},
		{"Added by the proxy (2)", "#3 #43"},
		{"Turns (10)", "#10 #12 #14 #25 #30 #36 #38 #40 #41 #43"},
		{"Everything else (7)", "#1 #2 #3 #4 #6 #8 #32"},
		{"Everything (30)", "#1 #2 #3 #4 #6 #8 #10 #12 #13 #14 #15 #16 #18 #20 #22 #23 #25 #26 #28 #30 #31 #32 #33 #35 #36 #38 #40 #41 #42 #43"},
	} {
		if !eval[bool](b, fmt.Sprintf(`(() => { const s = document.querySelector("#kind"); s.selectedIndex = [...s.options].findIndex((o) => o.textContent === %q);
			if (s.selectedIndex < 0) return false; s.dispatchEvent(new Event("change")); return true; })()`, kind.option)) {
			t.Errorf("there is no %s: %s", kind.option, b.text("#kind"))
			continue
		}
		b.settle()
		if got := eval[string](b, `[...document.querySelectorAll(".row")].sort((a, b) => a.dataset.index - b.dataset.index).map((r) => r.querySelector(".number").textContent).join(" ")`); got != kind.rows {
			t.Errorf("%s: %s", kind.option, got)
		}
	}
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

// TestAlike checks that the page and --text say the same of each message and of
// lines that cannot be read.
func TestAlike(t *testing.T) {
	recording, err := os.ReadFile("testdata/bridge.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	odd := []string{"nonsense", "[]", "7", `{"type":""}`, `{"type":5}`, `{"type":"request","ts":"1"}`, `{"type":"request","method":{}}`, `{"ts":1}`}
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(path, []byte(string(recording)+strings.Join(odd, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := (Recording{File: path}).Text(&out, false, Choice{}); err != nil {
		t.Fatal(err)
	}
	if want := "6 lines could not be read.\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("the text does not end in %q:\n%s", want, out.String())
	}
	b := newBrowser(t, 1200, 1400)
	b.open(serve(t, path) + "#kind=plan")
	b.await(`document.querySelector("#unreadable").textContent === "6 lines could not be read"`)
	b.press("o")
	said := regexp.MustCompile(`(?m)^ +(\d+) +[0-9.:]+ .* (forwarded|rewritten|dropped|added)`).FindAllStringSubmatch(out.String(), -1)
	if len(said) == 0 {
		t.Errorf("the text says nothing:\n%s", out.String())
	}
	for _, line := range said {
		eval[string](b, fmt.Sprintf("location.hash = %q", "#"+line[1]))
		b.await(fmt.Sprintf("%s === %q", chosen, "#"+line[1]))
		b.settle()
		if got := b.text("#what .action"); got != line[2] {
			t.Errorf("#%s is %s on the page and %s in the text", line[1], got, line[2])
		}
	}
	b.quiet()
}

// TestOwnMessages checks that what the proxy says by itself, at another time, is
// not taken for what became of the message before.
func TestOwnMessages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	event := func(ts, from, to, update string) string {
		return fmt.Sprintf(`{"type":"notification","ts":%s,"protocol":"acp","from":%q,"to":%q,"method":"session/update","session":"s","params":{"sessionId":"s","update":{"sessionUpdate":%q}}}`+"\n", ts, from, to, update)
	}
	text := event("1.000000", "Agent", "Proxy", "tool_call_content_chunk") + event("1.250000", "Proxy", "Client", "tool_call_update") +
		event("2.000000", "Agent", "Proxy", "x") + event("2.000000", "Proxy", "Client", "y")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, 1200, 800)
	b.open(serve(t, path) + "#1")
	b.await(chosen + ` === "#1"`)
	b.await(`[...document.querySelectorAll(".row .action")].map((a) => a.textContent.trim()).join(" ") === "dropped added rewritten"`)
	b.quiet()
}
