package view

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// chunkLine returns the event of a chunk of an agent's message.
func chunkLine(seconds float64, session, text string) string {
	return fmt.Sprintf(`{"type":"notification","ts":%f,"protocol":"acp","from":"Agent","to":"Client","method":"session/update","session":%q,"params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}}}`,
		seconds, session, session, quoteJSON(text))
}

// runsRecording records two messages in chunks, one with its chunks among those of the other, and a
// message of a single chunk.
func runsRecording(t *testing.T) string {
	return recordLines(t,
		chunkLine(1, "s", "The ca"),
		chunkLine(2, "s", "che misses\n"),
		chunkLine(3, "other", "Elsew"),
		chunkLine(4, "s", "too <b>often"),
		chunkLine(5, "other", "here"),
		updateLine(6, "Agent", "Client", `{"sessionUpdate":"plan","entries":[]}`),
		chunkLine(7, "s", "Alone"))
}

// TestRuns opens and closes the runs of chunks.
func TestRuns(t *testing.T) {
	b := newBrowser(t)
	path := runsRecording(t)
	b.openAt(serve(t, path), "")
	b.await(rowNumbers + ` === "#1 #3 #6 #7"`)
	hasRow := func(number, want string) {
		t.Helper()
		b.hasValue(fmt.Sprintf(`[...document.querySelectorAll(".row")].find((r) => r.querySelector(".number").textContent === %q)?.querySelector(".name").innerText.replace(/\s+/g, " ")`, number), want)
	}
	expectClosed := func() {
		t.Helper()
		for number, want := range map[string]string{
			"#1": "← ▸ ×3 parts, closed: The cache misses too <b>often agent_message_chunk",
			"#3": "← ▸ ×2 parts, closed: Elsewhere agent_message_chunk",
			"#7": "← Alone agent_message_chunk",
		} {
			hasRow(number, want)
		}
	}
	expectClosed()
	b.press(kb.ArrowRight)
	b.await(rowNumbers + ` === "#1 #2 #3 #4 #6 #7"`)
	hasRow("#1", "← ▾ ×3 parts, open: The ca agent_message_chunk")
	b.expect("the event stays selected", selectedNumber+` === "#1"`)
	b.press(kb.ArrowRight) // the run is open: the key steps to the next row
	b.await(selectedNumber + ` === "#2"`)
	b.press(kb.Enter) // closes the run of a chunk that is not the first
	b.await(rowNumbers + ` === "#1 #3 #6 #7" && ` + selectedNumber + ` === "#1"`)
	b.press(kb.Enter)
	b.await(rowNumbers + ` === "#1 #2 #3 #4 #6 #7"`)
	b.press(kb.ArrowLeft)
	b.await(rowNumbers + ` === "#1 #3 #6 #7"`)
	b.click("#row-1 .run")
	b.await(rowNumbers + ` === "#1 #3 #5 #6 #7" && ` + selectedNumber + ` === "#3"`)
	b.click("#row-1 .run")
	b.await(rowNumbers + ` === "#1 #3 #6 #7"`)
	expectClosed()
	b.click("#row-2") // the plan, which is not a run
	b.await(selectedNumber + ` === "#6"`)
	b.press(kb.Enter)
	b.press(kb.ArrowLeft)
	b.expect("the key steps, since there is no run to close", selectedNumber+` === "#3"`)

	// A run grows while it is closed, and while it is open.
	b.press("l")
	grow(t, path, chunkLine(8, "s", " no more"))
	b.await(rowNumbers + ` === "#1 #3 #6 #7" && document.querySelector("#row-3 .name").innerText.includes("Alone no more")`)
	b.expect("the newest message is selected in live mode", selectedNumber+` === "#7"`)
	b.await(`document.querySelector("#user-view").innerText.includes("Alone no more")`)
	b.press(kb.ArrowRight)
	grow(t, path, chunkLine(9, "s", "!"))
	b.await(rowNumbers + ` === "#1 #3 #6 #7 #8 #9"`)
}

// TestRunsOpenForTheirChunks checks that a closed run opens when the search or the address selects
// one of its chunks.
func TestRunsOpenForTheirChunks(t *testing.T) {
	b := newBrowser(t)
	url := serve(t, runsRecording(t))
	b.openAt(url, "")
	b.search("often")
	b.await(selectedNumber + ` === "#4" && ` + rowNumbers + ` === "#1 #2 #3 #4 #6 #7" && ` + foundText + ` === "1 of 1"`)
	b.openAt(url, "#5&kind=all")
	b.await(selectedNumber + ` === "#5" && ` + rowNumbers + ` === "#1 #3 #5 #6 #7"`)
	b.openAt(url, "#kind=text&session=2")
	b.await(rowNumbers + ` === "#3"`)
	b.selectOption("session", "All")
	b.await(rowNumbers + ` === "#1 #3 #7"`)
	b.selectOption("kind", "Everything but chunks")
	b.await(rowNumbers + ` === "#6"`)
	b.selectOption("kind", "Texts")
	b.selectOption("sort", "Largest") // each chunk has a row
	b.await(`document.querySelectorAll(".row").length === 6 && !document.querySelector(".run")`)
}

// TestSearchAcrossChunks finds a text that is split between the chunks of a message: the only hit is the
// chunk in which the text ends.
func TestSearchAcrossChunks(t *testing.T) {
	b := newBrowser(t)
	path := runsRecording(t)
	b.openAt(serve(t, path), "")
	for _, tt := range []struct{ text, event string }{
		{"the cache", "#2"}, {"cache misses too <b>", "#4"}, {"elsewhere", "#5"}, {"ca", "#1"}, {"too", "#4"},
	} {
		b.search(tt.text)
		b.await(foundText + ` === "1 of 1" && ` + selectedNumber + ` === "` + tt.event + `"`)
	}
	b.search("too often alone")
	b.await(foundText + ` === "none"`)
	b.search("often again")
	b.await(foundText + ` === "none"`)
	grow(t, path, chunkLine(8, "s", " ag"), chunkLine(9, "s", "ain"))
	b.await(`document.querySelector("#totals").textContent.startsWith("9 messages")`)
	b.search("Alone again")
	b.await(foundText + ` === "1 of 1" && ` + selectedNumber + ` === "#9"`)
	b.press(kb.ArrowDown) // to the list
	b.press(kb.Enter)
	b.await(selectedNumber + ` === "#7"`)
	b.expect("the closed message is marked", `document.querySelector(".row.hit[aria-selected=true]")`)
}
