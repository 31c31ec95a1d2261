package view

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"acp-plan-proxy/proxy/recording/trace"
)

// plan is a plan message with one entry.
func plan(session, id, content string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"plan_update",`+
		`"plan":{"type":"items","planId":%q,"entries":[{"content":%q,"priority":"medium","status":"pending"}]}}}}`, session, id, content)
}

// record records forwarded messages of an agent in a file.
func record(t *testing.T, messages ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	w, err := trace.Create(path, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, m := range messages {
		w.Message(trace.Agent, trace.Client, m)
	}
	return path
}

func TestSteps(t *testing.T) {
	b := newBrowser(t, 1200, 800)
	b.open(serve(t, "testdata/demo.jsonl") + "#kind=plan")
	b.await(chosen + ` === "#6" && ` + rowsShown + `.endsWith("#21")`)
	for _, step := range []struct{ key, want string }{
		{kb.End, "#21"}, {kb.ArrowUp, "#20"}, {kb.ArrowUp, "#18"}, {kb.ArrowDown, "#20"}, {kb.ArrowLeft, "#18"}, {kb.ArrowRight, "#20"},
		{kb.Home, "#6"}, {kb.ArrowUp, "#6"}, {"j", "#7"}, {"k", "#6"}, {kb.PageDown, "#21"}, {kb.PageUp, "#6"},
		{kb.End, "#21"}, {kb.ArrowDown, "#21"}, {kb.ArrowUp, "#20"}, {"l", "#21"}, {kb.ArrowUp, "#20"},
	} {
		b.press(step.key)
		if got := b.text("#what .number"); got != step.want {
			t.Fatalf("%q led to %s, want %s", step.key, got, step.want)
		}
		b.is("one row is selected", `document.querySelectorAll("[aria-selected=true]").length === 1`)
	}
	b.is("stepping ended live mode", `document.querySelector("#live").getAttribute("aria-pressed") === "false"`)
	b.await(`location.hash === "#20&kind=plan"`)
	if got := b.text("#story"); !strings.Contains(got, "The agent removed plan “docs”.") || !strings.Contains(got, "The client got nothing") {
		t.Errorf("the story of #20: %s", got)
	}
	if got := b.text("#agent-plans"); !strings.Contains(got, "Ask for a review") || strings.Contains(got, "Update the manual") {
		t.Errorf("the agent's plans at #20:\n%s", got)
	}
	if got := b.text("#client-plans"); !strings.Contains(got, "[review] Ask for a review (cancelled)") {
		t.Errorf("what the user sees at #20:\n%s", got)
	}
	b.is("three plans of the agent", `document.querySelectorAll("#agent-plans .plan").length === 3`)
	b.is("one of the client", `document.querySelectorAll("#client-plans .plan").length === 1`)

	// The message at #8 is rewritten: what changed is marked, the rest is not.
	b.click("#row-2")
	b.await(chosen + ` === "#8"`)
	if got := eval[string](b, `[...document.querySelectorAll("#messages mark")].map((m) => m.textContent).join("|")`); got != "plan_update|plan|[docs] |[docs] " {
		t.Errorf("marked: %s", got)
	}

	// Other messages appear when asked for.
	b.press("o")
	b.press(kb.Home)
	if got := b.text("#what .number"); got != "#1" {
		t.Errorf("the first message is %s", got)
	}
	if got := b.text("#what"); strings.Contains(got, "null") {
		t.Errorf("above #1: %s", got)
	}
	if got := b.text("#story"); got != "The client asked for initialize.\n\nIt was answered after 100 ms: answer #2." {
		t.Errorf("the story of #1: %s", got)
	}
	b.press(kb.ArrowDown)
	if got := b.text("#story"); got != "The agent answered initialize after 100 ms: request #1." {
		t.Errorf("the story of #2: %s", got)
	}
	b.quiet()
}

func TestFollows(t *testing.T) {
	path := record(t, plan("s", "p", "first"))
	b := newBrowser(t, 1200, 800)
	b.open(serve(t, path))
	b.await(chosen + ` === "#1"`)

	add := func(text string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	more, err := os.ReadFile(record(t, plan("s", "p", "second"), plan("s", "q", "third")))
	if err != nil {
		t.Fatal(err)
	}
	half := len(more) / 3
	add(string(more[:half]))
	add(string(more[half:]))
	b.await(chosen + ` === "#3"`)
	b.is("both plans are drawn", `document.querySelector("#agent-plans").innerText.match(/second[^]*third/)`)

	// A user who looks at an earlier event stays there, and is told.
	b.press(kb.Home)
	add(string(more))
	b.await(`document.querySelector("#live-text").textContent === "2 new"`)
	b.is("the choice stays", chosen+` === "#1"`)
	b.click("#live")
	b.await(chosen + ` === "#5"`)
	add("nonsense\n")
	b.await(`document.querySelector("#unreadable").textContent === "1 line could not be read"`)

	// Another recording takes its place, longer and then shorter.
	for _, text := range []string{strings.Repeat("again ", 200), "shorter"} {
		next, err := os.ReadFile(record(t, plan("t", "p", text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, next, 0o600); err != nil {
			t.Fatal(err)
		}
		b.await(fmt.Sprintf(`%s === "#1" && document.querySelector("#agent-plans").innerText.includes(%q)`, chosen, strings.TrimSpace(text)))
		b.is("one event is left", `document.querySelectorAll(".row").length === 1`)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.settle()
	b.is("what was read stays", chosen+` === "#1"`)
	b.quiet()
}

func TestFilters(t *testing.T) {
	path := record(t, plan("one", "a", "x"), plan("two", "a", "x"), plan("one", "b", "x"), plan("one", "a", "y"),
		[]byte(`{"method":"session/update","params":{"sessionId":"one","update":{"sessionUpdate":"plan","entries":[]}}}`))
	b := newBrowser(t, 1200, 800)
	b.open(serve(t, path))
	b.await(`document.querySelectorAll(".row").length === 5 && document.querySelectorAll("#session option").length === 3`)
	rows := func() string {
		return eval[string](b, `[...document.querySelectorAll(".row")].sort((a, b) => a.dataset.index - b.dataset.index).map((r) => r.querySelector(".number").textContent).join(" ")`)
	}
	choose := func(id string, index int) {
		eval[bool](b, fmt.Sprintf(`(() => { const s = document.getElementById(%q); s.selectedIndex = %d; s.dispatchEvent(new Event("change")); return true; })()`, id, index))
		b.settle()
	}
	for _, step := range []struct {
		filter string
		index  int
		want   string
	}{
		{"session", 1, "#1 #3 #4 #5"}, {"plan", 1, "#1 #4"}, {"plan", 2, "#3"}, {"plan", 3, "#5"}, {"plan", 0, "#1 #3 #4 #5"},
		{"session", 2, "#2"}, {"session", 0, "#1 #2 #3 #4 #5"}, {"plan", 1, "#1 #2 #4"},
	} {
		choose(step.filter, step.index)
		if got := rows(); got != step.want {
			t.Errorf("%s %d: %s, want %s", step.filter, step.index, got, step.want)
		}
		b.is("the chosen event is among them", fmt.Sprintf(`%q.split(" ").includes(%s)`, step.want, chosen))
	}
	b.quiet()
}

// hostile is a text with which an agent might try to do something in the page. In
// place of LONE it has half of a surrogate pair.
const hostile = `<img src=x onerror="window.owned=1"><script>window.owned=1</script></script><!--<script>` +
	"\u202egnp.exe\u202c \u0000\u001b[2J\u200b\u2028LONE ${alert(1)} {{constructor}} __proto__"

func hostileRecording(t *testing.T) string {
	text := strings.NewReplacer("\u0000", `\u0000`, "\u001b", `\u001b`, "LONE", `\ud800`, `"`, `\"`).Replace(hostile)
	message := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + text + `","__proto__":{"x":1},"update":{"sessionUpdate":"plan_update",` +
		`"plan":{"type":"` + text + `","planId":"` + text + `","entries":[{"content":"` + text + `","priority":"` + text + `","status":"` + text + `"},null,7,{"content":{"a":1}}]}}}}`
	markdown := strings.Replace(message, `"entries":`, `"content":"# `+text+`\n- [x] `+text+`\n1. `+text+`","old":`, 1)
	uri := strings.Replace(message, `"entries":`, `"uri":"javascript:`+text+`","old":`, 1)
	path := record(t, []byte(`{"id":1,"method":"`+text+`","params":"`+text+`"}`), []byte(markdown), []byte(uri), []byte(message), []byte(hostile))
	// An event between components that do not exist.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, line := range []string{
		`{"type":"notification","ts":1e999,"from":["x"],"to":{"<b>":1},"method":7,"params":null}`,
		`{"type":"notification","ts":"1","from":"` + text + `","to":"Client","method":"session/update","params":{"sessionId":{},"update":{"sessionUpdate":"plan_update","plan":"` + text + `"}}}`,
		`{"type":"response","payload":null}`, `[]`, `null`, `{"type":{}}`,
		`{"type":"notification","from":"Agent","to":"Client","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"planId":{"__proto__":1},"entries":{"length":9}}}}}`,
	} {
		if _, err := f.WriteString(line + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// TestManyEvents checks that a long recording costs the page no more elements
// than a short one, and that all of it can be reached.
func TestManyEvents(t *testing.T) {
	const events = 100_000
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range events {
		if i%5 == 4 { // a bridge's part of it
			fmt.Fprintf(f, `{"type":"notification","ts":%d.5,"protocol":"acp","from":"Agent","to":"Client","method":"session/update","session":"s1","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"t%d","title":"Edit %d","content":[{"type":"content","content":{"type":"text","text":"Some output"}}]}}}`+"\n", i, i%70, i)
			continue
		}
		fmt.Fprintf(f, `{"type":"notification","ts":%d.5,"protocol":"acp","from":"Agent","to":"Client","method":"session/update","session":"s%d","params":{"sessionId":"s%d","update":{"sessionUpdate":"plan","entries":[{"content":"Step %d","priority":"high","status":"completed"},{"content":"Another one","priority":"low","status":"pending"}]}}}`+"\n",
			i, i%3, i%3, i)
	}
	b := newBrowser(t, 1200, 800)
	begin := time.Now()
	b.open(serve(t, path))
	b.await(`document.querySelector("#totals").textContent.startsWith("100,000 ")`)
	b.press(kb.End)
	b.await(chosen + ` === "#100000"`)
	t.Logf("%d events were there after %v", events, time.Since(begin).Round(time.Millisecond))
	b.settle()
	b.is("few rows exist", `document.querySelectorAll(".row").length < 60`)
	b.press(kb.Home)
	b.await(chosen + ` === "#1"`)
	for range 20 {
		b.press(kb.ArrowDown)
	}
	b.await(chosen + ` === "#21"`)
	b.is("the chosen row is in sight", `(() => {
		const row = document.querySelector("[aria-selected=true]").getBoundingClientRect(), box = document.querySelector("#timeline").getBoundingClientRect();
		return row.top >= box.top && row.bottom <= box.bottom;
	})()`)
	// A drag of the scroll bar through everything: each position draws at once.
	slowest := eval[float64](b, `(() => {
		const box = document.querySelector("#timeline");
		let slowest = 0;
		for (let i = 0; i <= 50; i++) {
			const begin = performance.now();
			box.scrollTop = box.scrollHeight * i / 50;
			box.dispatchEvent(new Event("scroll"));
			box.getBoundingClientRect();
			slowest = Math.max(slowest, performance.now() - begin);
		}
		return slowest;
	})()`)
	t.Logf("the slowest of 50 scroll positions took %.1f ms", slowest)
	b.await(`[...document.querySelectorAll(".row .number")].some((n) => n.textContent === "#100000")`)
	b.is("few rows exist", `document.querySelectorAll(".row").length < 60`)
	b.quiet()
}
