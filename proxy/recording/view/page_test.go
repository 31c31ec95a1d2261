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

// planLine returns the event of an agent's plan with one entry.
func planLine(session, id, content string) string {
	return strings.ReplaceAll(updateLine(1, "Agent", "Client",
		fmt.Sprintf(`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":%q,"entries":[{"content":%q,"priority":"medium","status":"pending"}]}}`, id, content)), `"s"`, quoteJSON(session))
}

func TestStepKeys(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, "testdata/demo.jsonl"), "#kind=plan")
	b.await(selectedNumber + ` === "#6" && ` + rowNumbers + `.endsWith("#21")`)
	for _, step := range []struct{ key, want string }{
		{kb.End, "#21"}, {kb.ArrowUp, "#20"}, {kb.ArrowUp, "#18"}, {kb.ArrowDown, "#20"}, {kb.ArrowLeft, "#18"}, {kb.ArrowRight, "#20"},
		{kb.Home, "#6"}, {kb.ArrowUp, "#6"}, {"j", "#7"}, {"k", "#6"}, {kb.PageDown, "#21"}, {kb.PageUp, "#6"},
		{kb.End, "#21"}, {kb.ArrowDown, "#21"}, {kb.ArrowUp, "#20"}, {"l", "#21"}, {kb.ArrowUp, "#20"},
	} {
		b.press(step.key)
		b.await(selectedNumber + ` === ` + quoteJSON(step.want))
		b.expect("one row is selected", `document.querySelectorAll("[aria-selected=true]").length === 1`)
	}
	b.expect("stepping ended live mode", `document.querySelector("#live").getAttribute("aria-pressed") === "false"`)
	b.await(`location.hash === "#20&kind=plan"`)
	// The message at #8 is rewritten: only the changes are marked.
	b.click("#row-2")
	b.await(selectedNumber + ` === "#8"`)
	b.hasTexts("#messages mark", "plan_update|plan|[docs] |[docs] ")

	// The key O ends the filter.
	b.press("o")
	b.press(kb.Home)
	b.expect("the first event is selected", selectedNumber+` === "#1"`)
}

func TestFollows(t *testing.T) {
	path := recordLines(t, planLine("s", "p", "first"))
	b := newBrowser(t)
	b.openAt(serve(t, path), "")
	grow(t, path, planLine("s", "p", "second"), planLine("s", "q", "third"))
	b.await(selectedNumber + ` === "#3"`)
	b.expect("both plans are drawn", `document.querySelector("#agent-plans").innerText.match(/second[^]*third/)`)

	// The selection of an earlier event stays, and a counter shows the new ones.
	b.press(kb.Home)
	grow(t, path, planLine("s", "p", "second"), planLine("s", "q", "third"))
	b.await(`document.querySelector("#live-text").textContent === "2 new"`)
	b.expect("the event stays selected", selectedNumber+` === "#1"`)
	b.click("#live")
	b.await(selectedNumber + ` === "#5"`)
	grow(t, path, "nonsense")
	b.await(`document.querySelector("#unreadable").textContent === "1 line could not be read"`)

	// Another recording takes its place, longer and then shorter.
	for _, text := range []string{strings.Repeat("again ", 500), "shorter"} {
		if err := os.WriteFile(path, []byte(planLine("t", "p", text)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.await(fmt.Sprintf(`%s === "#1" && document.querySelector("#agent-plans").innerText.includes(%q)`, selectedNumber, strings.TrimSpace(text)))
		b.expect("one event is left", `document.querySelectorAll(".row").length === 1`)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.settle()
	b.expect("the events that were read stay", selectedNumber+` === "#1"`)
}

// TestManyEvents checks that the page has few elements for a long recording, and that every row of
// it can be reached.
func TestManyEvents(t *testing.T) {
	const events = 100_000
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range events {
		if i%5 == 4 {
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
	b.await(selectedNumber + ` === "#100000"`)
	t.Logf("%d events were there after %v", events, time.Since(begin).Round(time.Millisecond))
	b.settle()
	b.expect("few rows exist", `document.querySelectorAll(".row").length < 60`)
	b.press(kb.Home)
	b.await(selectedNumber + ` === "#1"`)
	for range 20 {
		b.press(kb.ArrowDown)
	}
	b.await(selectedNumber + ` === "#21"`)
	b.expect("the selected row is in sight", `(() => {
		const row = document.querySelector("[aria-selected=true]").getBoundingClientRect(), box = document.querySelector("#timeline").getBoundingClientRect();
		return row.top >= box.top && row.bottom <= box.bottom;
	})()`)
	// Drags the scroll bar through the whole list: each position is drawn at once.
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
	b.expect("few rows exist", `document.querySelectorAll(".row").length < 60`)

	// The page draws and handles keys while it searches.
	b.search("ANOTHER one")
	b.await(foundText + `.endsWith(" of 80,000")`)
	b.search("step 99998")
	b.await(foundText + ` === "1 of 1" && ` + selectedNumber + ` === "#99999"`)
	// The user's selection during a search stays.
	eval[bool](b, `(() => {
		const press = (id, key) => document.getElementById(id).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
		document.querySelector("#find").value = "step 99997";
		press("find", "Enter");
		press("timeline", "Home");
		return true;
	})()`)
	b.await(foundText + ` === "1 found" && ` + selectedNumber + ` === "#1"`)
}
