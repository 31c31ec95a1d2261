package view

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"acp-plan-proxy/proxy/recording/trace"
)

// recordLines records lines of a trace in a file. A message of the proxy without "of" belongs to
// the message before it at the same time, if there is one.
func recordLines(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	lines = strings.Split(strings.Join(lines, "\n"), "\n")
	var received trace.Event
	for i, line := range lines {
		e := trace.ReadLine([]byte(line), i+1)
		if e.From != trace.Proxy {
			received = e
		} else if e.Of == 0 && received.Type != "" && e.Seconds == received.Seconds {
			lines[i] = fmt.Sprintf(`%s,"of":%d}`, strings.TrimSuffix(line, "}"), received.Line)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// updateLine returns the event of a session update at a number of seconds.
func updateLine(seconds float64, from, to, update string) string {
	return fmt.Sprintf(`{"type":"notification","ts":%f,"protocol":"acp","from":%q,"to":%q,"method":"session/update","session":"s","params":{"sessionId":"s","update":%s}}`, seconds, from, to, update)
}

func quoteJSON(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// TestColumns checks that the texts in the columns of a row do not overlap, and that the text below the
// list fits.
func TestColumns(t *testing.T) {
	b := newBrowser(t)
	var lines []string
	answered := []float64{0.0002, 0.0123, 1.2345, 59.97, 61.5, 3723.456, 100 * 3600}
	for i, seconds := range answered {
		lines = append(lines,
			fmt.Sprintf(`{"type":"request","ts":0,"from":"Client","to":"Agent","id":%d,"method":"session/new","params":{}}`, i),
			fmt.Sprintf(`{"type":"response","ts":%f,"from":"Agent","to":"Client","id":%d,"is_error":true,"payload":{"message":%s}}`, seconds, i, quoteJSON(strings.Repeat("long ", 3*pow10(i)))))
	}
	for _, seconds := range []float64{1.5, 61.5, 3723.456, 100 * 3600} {
		lines = append(lines, updateLine(seconds, "Agent", "Client", `{"sessionUpdate":"plan_update","plan":{"type":"a-very-long-type-of-its-own","planId":"a-very-long-id-of-a-plan","entries":[{"content":"x","status":"completed"}]}}`))
	}
	b.openAt(serve(t, recordLines(t, lines...)), "")
	b.await(`document.querySelectorAll(".row").length === 18 && document.querySelectorAll(".row .finding").length === 7`) // an error needs a code
	for _, width := range []string{"", "800px", "500px", "300px"} {
		eval[bool](b, fmt.Sprintf(`(document.querySelector("main").style.setProperty("--list", %q), true)`, width))
		b.settle()
		b.hasValue(`(`+rowsInOrder+`).slice(-4).map((r) => r.querySelector(".time").textContent).join(" ")`, "1.500 s 01:01.500 1:02:03 100:00:00")
		const column = rowsInOrder + `.map((r) => r.querySelector(%q).textContent).filter(Boolean).join(" | ")`
		b.hasValue(fmt.Sprintf(column, ".duration"), "<1 ms | 12 ms | 1.23 s | 1m 00s | 1m 01s | 1h 02m | 100h 00m")
		if got := eval[string](b, fmt.Sprintf(column, ".bytes")); !strings.Contains(got, "59 B | 62 B | 59 B | 197 B | 59 B | 1.5 kB | 59 B | 15.0 kB | 59 B | 150 kB | 59 B | 1.5 MB | 59 B | 15.0 MB") {
			t.Errorf("the bytes: %s", got)
		}
		eval[bool](b, `(document.querySelectorAll(".row .spoken").forEach((s) => s.remove()), true)`) // it takes no room
		b.expect("no text runs into another at "+width, `[...document.querySelectorAll(".row")].every((row) => {
			const parts = [...row.children].map((part) => {
				const text = document.createRange();
				text.selectNodeContents(part);
				const box = part.getBoundingClientRect(), inside = text.getBoundingClientRect();
				const clips = getComputedStyle(part).overflowX === "hidden";
				return { left: clips ? box.left : inside.left, right: clips ? box.right : inside.right, top: box.top, bottom: box.bottom };
			}).filter((p) => p.right > p.left);
			const whole = row.getBoundingClientRect();
			return parts.every((p, i) => p.left >= whole.left && p.right <= whole.right &&
				parts.every((q, k) => k <= i || p.right <= q.left || q.right <= p.left || p.bottom <= q.top || q.bottom <= p.top));
		})`)
	}
	eval[string](b, `document.querySelector("main").style.removeProperty("--list"); document.querySelector("#position").textContent = "159,999 of 160,000"`)
	b.expect("the hints fit", `document.querySelector("nav footer").scrollWidth <= document.querySelector("nav footer").clientWidth`)
}

func pow10(n int) int {
	p := 1
	for range n {
		p *= 10
	}
	return p
}

// TestKeysScrollTexts checks that a long plan can be scrolled with keys, and that the page names its
// file.
func TestKeysScrollTexts(t *testing.T) {
	b := newBrowser(t)
	text := strings.Repeat("A line of the plan.\n\n", 200)
	b.openAt(serve(t, recordLines(t,
		updateLine(1, "Agent", "Client", `{"sessionUpdate":"plan","entries":[]}`),
		updateLine(2, "Agent", "Client", `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","path":"/work/p.md","content":`+quoteJSON(text)+`}}`))), "#2")
	b.hasTexts("#agent-plans .plan-file p", "The plan is in /work/p.md.|file:///work/p.md")
	eval[bool](b, `(document.querySelector("#agent-plans .markdown").focus(), true)`)
	b.expect("the text has the focus", `document.activeElement.className === "markdown"`)
	b.press(kb.ArrowDown)
	b.await(`document.querySelector("#agent-plans .markdown").scrollTop > 0`)
	b.expect("the event stays selected", selectedNumber+` === "#2"`)
}

// TestTooLargeToCompare checks that two texts that are too large to be compared have no marked lines.
func TestTooLargeToCompare(t *testing.T) {
	b := newBrowser(t)
	diff := `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Edit","content":[{"type":"diff","path":"/a","oldText":` +
		quoteJSON(numbered(1, 2000)) + `,"newText":` + quoteJSON(numbered(3001, 5000)) + `}]}`
	entries := func(word string) string {
		var all []string
		for i := range 1300 {
			all = append(all, fmt.Sprintf(`{"content":"%s %d","priority":"low","status":"pending"}`, word, i))
		}
		return `{"sessionUpdate":"plan","entries":[` + strings.Join(all, ",") + `]}`
	}
	b.openAt(serve(t, recordLines(t, updateLine(1, "Agent", "Client", diff),
		updateLine(2, "Agent", "Proxy", entries("before")), updateLine(2, "Proxy", "Client", entries("after")))), "#1")
	b.expect("the texts of the file are not compared", `/too large to be compared line by line/.test(document.querySelector("#user-view").innerText) && !document.querySelector("#user-view").innerText.includes("line 7")`)
	b.selectEvent("#2")
	b.expect("the messages are not compared", `document.querySelector("#messages").innerText.includes("These are too large to be compared line by line.")`)
	b.expect("no line is marked", `document.querySelectorAll("#messages del, #messages ins").length === 0`)
}

// TestRoomForTitles checks that a row has room for 32 letters of a title, and that the headings are
// above their columns.
func TestRoomForTitles(t *testing.T) {
	b := newBrowser(t)
	b.resize(1440, 900)
	b.openAt(serve(t, recordLines(t, updateLine(1, "Agent", "Client", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Edit the reader of the first file"}`))), "")
	b.expect("the title is in sight", `(() => { const summary = document.querySelector(".row .summary").getBoundingClientRect(), name = document.querySelector(".row .name").getBoundingClientRect(); return summary.right <= name.right; })()`)
	b.expect("the columns are below their headings", `["number", "name", "duration", "bytes"].every((c) => Math.abs(document.querySelector(".heads-row ." + c).getBoundingClientRect().right - document.querySelector(".row ." + c).getBoundingClientRect().right) < 2)`)
}

// TestFolds folds an object of a message, and shows the envelope of the message.
func TestFolds(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, recordLines(t, `{"type":"request","ts":1,"from":"Agent","to":"Client","id":"x-1","method":"fs/read_text_file","session":"s","params":{"a":{"b":{"c":1},"d":2},"e":3}}`)), "")
	const lines = `[...document.querySelectorAll("#messages .pair")].filter((p) => p.checkVisibility()).map((p) => p.querySelector(".text").textContent).join("")`
	b.click(".pair:nth-child(2) .fold-json")
	b.await(lines + ` === '{"a": {},"e": 3}'`)
	b.click(".pair:nth-child(2) .fold-json")
	b.await(lines + ` === '{"a": {"b": {"c": 1},"d": 2},"e": 3}'`)
	b.click(".copies [aria-pressed]")
	b.await(lines + `.startsWith('{"jsonrpc": "2.0","id": "x-1","method": "fs/read_text_file","params": {')`)
}
