package view

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// planned is the event of a plan of an agent in a session.
func planned(session, id, content string) string {
	return strings.ReplaceAll(updateLine(1, "Agent", "Client",
		fmt.Sprintf(`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":%q,"entries":[{"content":%q,"priority":"medium","status":"pending"}]}}`, id, content)), `"s"`, quoteJSON(session))
}

func TestSteps(t *testing.T) {
	b := newBrowser(t)
	b.at(serve(t, "testdata/demo.jsonl"), "#kind=plan")
	b.await(chosen + ` === "#6" && ` + rowsShown + `.endsWith("#21")`)
	for _, step := range []struct{ key, want string }{
		{kb.End, "#21"}, {kb.ArrowUp, "#20"}, {kb.ArrowUp, "#18"}, {kb.ArrowDown, "#20"}, {kb.ArrowLeft, "#18"}, {kb.ArrowRight, "#20"},
		{kb.Home, "#6"}, {kb.ArrowUp, "#6"}, {"j", "#7"}, {"k", "#6"}, {kb.PageDown, "#21"}, {kb.PageUp, "#6"},
		{kb.End, "#21"}, {kb.ArrowDown, "#21"}, {kb.ArrowUp, "#20"}, {"l", "#21"}, {kb.ArrowUp, "#20"},
	} {
		b.press(step.key)
		b.await(chosen + ` === ` + quoteJSON(step.want))
		b.is("one row is selected", `document.querySelectorAll("[aria-selected=true]").length === 1`)
	}
	b.is("stepping ended live mode", `document.querySelector("#live").getAttribute("aria-pressed") === "false"`)
	b.await(`location.hash === "#20&kind=plan"`)
	// The message at #8 is rewritten: only the changes are marked.
	b.click("#row-2")
	b.await(chosen + ` === "#8"`)
	b.hasTexts("#messages mark", "plan_update|plan|[docs] |[docs] ")

	// Other messages appear when asked for.
	b.press("o")
	b.press(kb.Home)
	b.is("the first message is chosen", chosen+` === "#1"`)
}

func TestFollows(t *testing.T) {
	path := recordLines(t, planned("s", "p", "first"))
	b := newBrowser(t)
	b.at(serve(t, path), "")
	grow(t, path, planned("s", "p", "second"), planned("s", "q", "third"))
	b.await(chosen + ` === "#3"`)
	b.is("both plans are drawn", `document.querySelector("#agent-plans").innerText.match(/second[^]*third/)`)

	// The selection of an earlier event stays, and a counter shows the new ones.
	b.press(kb.Home)
	grow(t, path, planned("s", "p", "second"), planned("s", "q", "third"))
	b.await(`document.querySelector("#live-text").textContent === "2 new"`)
	b.is("the choice stays", chosen+` === "#1"`)
	b.click("#live")
	b.await(chosen + ` === "#5"`)
	grow(t, path, "nonsense")
	b.await(`document.querySelector("#unreadable").textContent === "1 line could not be read"`)

	// Another recording takes its place, longer and then shorter.
	for _, text := range []string{strings.Repeat("again ", 500), "shorter"} {
		if err := os.WriteFile(path, []byte(planned("t", "p", text)+"\n"), 0o600); err != nil {
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
	b := newBrowser(t)
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

	// It draws and listens while it searches.
	b.seek("ANOTHER one")
	b.await(foundText + `.endsWith(" of 80,000")`)
	b.seek("step 99998")
	b.await(foundText + ` === "1 of 1" && ` + chosen + ` === "#99999"`)
	// The user's selection during a search stays.
	eval[bool](b, `(() => {
		const press = (id, key) => document.getElementById(id).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
		document.querySelector("#find").value = "step 99997";
		press("find", "Enter");
		press("timeline", "Home");
		return true;
	})()`)
	b.await(foundText + ` === "1 found" && ` + chosen + ` === "#1"`)
}
