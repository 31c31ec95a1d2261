package view

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// chunk is a part of a message.
func chunk(seconds float64, session, text string) string {
	return fmt.Sprintf(`{"type":"notification","ts":%f,"protocol":"acp","from":"Agent","to":"Client","method":"session/update","session":%q,"params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}}}`,
		seconds, session, session, quoteJSON(text))
}

// runsRecorded has two messages in chunks; the chunks of the second are among those of the
// first.
func runsRecorded(t *testing.T) string {
	return recordLines(t,
		chunk(1, "s", "The ca"),
		chunk(2, "s", "che misses\n"),
		chunk(3, "other", "Elsew"),
		chunk(4, "s", "too <b>often"),
		chunk(5, "other", "here"),
		updateLine(6, "Agent", "Client", `{"sessionUpdate":"plan","entries":[]}`),
		chunk(7, "s", "Alone"))
}

// TestRuns opens and closes messages that came in parts.
func TestRuns(t *testing.T) {
	b := newBrowser(t)
	path := runsRecorded(t)
	b.at(serve(t, path), "")
	b.await(rowsShown + ` === "#1 #3 #6 #7"`)
	hasRow := func(number, want string) {
		t.Helper()
		b.gets(fmt.Sprintf(`[...document.querySelectorAll(".row")].find((r) => r.querySelector(".number").textContent === %q)?.querySelector(".name").innerText.replace(/\s+/g, " ")`, number), want)
	}
	closed := func() {
		t.Helper()
		for number, want := range map[string]string{
			"#1": "← ▸ ×3 parts, closed: The cache misses too <b>often agent_message_chunk",
			"#3": "← ▸ ×2 parts, closed: Elsewhere agent_message_chunk",
			"#7": "← Alone agent_message_chunk",
		} {
			hasRow(number, want)
		}
	}
	closed()
	b.press(kb.ArrowRight)
	b.await(rowsShown + ` === "#1 #2 #3 #4 #6 #7"`)
	hasRow("#1", "← ▾ ×3 parts, open: The ca agent_message_chunk")
	b.is("the choice stays", chosen+` === "#1"`)
	b.press(kb.ArrowRight) // it is open: on to the next
	b.await(chosen + ` === "#2"`)
	b.press(kb.Enter) // closes it, also from inside
	b.await(rowsShown + ` === "#1 #3 #6 #7" && ` + chosen + ` === "#1"`)
	b.press(kb.Enter)
	b.await(rowsShown + ` === "#1 #2 #3 #4 #6 #7"`)
	b.press(kb.ArrowLeft)
	b.await(rowsShown + ` === "#1 #3 #6 #7"`)
	b.click("#row-1 .run")
	b.await(rowsShown + ` === "#1 #3 #5 #6 #7" && ` + chosen + ` === "#3"`)
	b.click("#row-1 .run")
	b.await(rowsShown + ` === "#1 #3 #6 #7"`)
	closed()
	b.click("#row-2") // the plan, which is not a run
	b.await(chosen + ` === "#6"`)
	b.press(kb.Enter)
	b.press(kb.ArrowLeft)
	b.is("there is nothing to close", chosen+` === "#3"`)

	// A run grows while it is closed, and while it is open.
	b.press("l")
	grow(t, path, chunk(8, "s", " no more"))
	b.await(rowsShown + ` === "#1 #3 #6 #7" && document.querySelector("#row-3 .name").innerText.includes("Alone no more")`)
	b.is("the newest message is selected in live mode", chosen+` === "#7"`)
	b.await(`document.querySelector("#user-view").innerText.includes("Alone no more")`)
	b.press(kb.ArrowRight)
	grow(t, path, chunk(9, "s", "!"))
	b.await(rowsShown + ` === "#1 #3 #6 #7 #8 #9"`)
}

// TestRunsOpenForWhatIsIn checks that nothing in a closed run is out of reach.
func TestRunsOpenForWhatIsIn(t *testing.T) {
	b := newBrowser(t)
	url := serve(t, runsRecorded(t))
	b.at(url, "")
	b.seek("often")
	b.await(chosen + ` === "#4" && ` + rowsShown + ` === "#1 #2 #3 #4 #6 #7" && ` + foundText + ` === "1 of 1"`)
	b.at(url, "#5&kind=all")
	b.await(chosen + ` === "#5" && ` + rowsShown + ` === "#1 #3 #5 #6 #7"`)
	b.at(url, "#kind=text&session=2")
	b.await(rowsShown + ` === "#3"`)
	b.option("session", "All")
	b.await(rowsShown + ` === "#1 #3 #7"`)
	b.option("kind", "Everything but chunks")
	b.await(rowsShown + ` === "#6"`)
	b.option("kind", "Texts")
	b.option("sort", "Largest") // each by itself
	b.await(`document.querySelectorAll(".row").length === 6 && !document.querySelector(".run")`)
}

// TestSearchAcrossChunks finds a text that came in several chunks of a message, once, where
// it ends.
func TestSearchAcrossChunks(t *testing.T) {
	b := newBrowser(t)
	path := runsRecorded(t)
	b.at(serve(t, path), "")
	for _, tt := range []struct{ text, event string }{
		{"the cache", "#2"}, {"cache misses too <b>", "#4"}, {"elsewhere", "#5"}, {"ca", "#1"}, {"too", "#4"},
	} {
		b.seek(tt.text)
		b.await(foundText + ` === "1 of 1" && ` + chosen + ` === "` + tt.event + `"`)
	}
	b.seek("too often alone")
	b.await(foundText + ` === "none"`)
	b.seek("often again")
	b.await(foundText + ` === "none"`)
	grow(t, path, chunk(8, "s", " ag"), chunk(9, "s", "ain"))
	b.await(`document.querySelector("#totals").textContent.startsWith("9 messages")`)
	b.seek("Alone again")
	b.await(foundText + ` === "1 of 1" && ` + chosen + ` === "#9"`)
	b.press(kb.ArrowDown) // to the list
	b.press(kb.Enter)
	b.await(chosen + ` === "#7"`)
	b.is("the closed message is marked", `document.querySelector(".row.hit[aria-selected=true]")`)
}
