package view

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// messageLine returns the event of an agent's message at a number of seconds; text is a JSON string.
func messageLine(seconds float64, text string) string {
	return updateLine(seconds, "Agent", "Client", `{"sessionUpdate":"agent_message","content":{"type":"text","text":`+text+`}}`)
}

// search replaces the text of the search field.
func (b *browser) search(text string) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`(() => { const f = document.querySelector("#find"); f.focus(); f.value = %s; f.dispatchEvent(new Event("input")); return true; })()`, quoteJSON(text)))
}

const foundText = `document.querySelector("#found").textContent`

// grow adds lines to a recording.
func grow(t *testing.T, path string, lines ...string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		t.Fatal(err)
	}
}

// endOfFound returns the end of foundText if the hits are in these rows.
func endOfFound(rows string) string {
	if rows == "" {
		return "none"
	}
	return fmt.Sprint(" of ", len(strings.Fields(rows)))
}

func TestSearchFinds(t *testing.T) {
	lines := []string{
		`{"type":"request","ts":0.5,"protocol":"acp","from":"Client","to":"Agent","id":"req-77","method":"session/list","params":{}}`,
		`{"type":"response","ts":0.6,"from":"Agent","to":"Client","id":"req-77","is_error":false,"payload":{"sessions":[]}}`,
		messageLine(1, `"say \"hello\" to C:\\dir"`),
		messageLine(2, `"one\ntwo\tthree"`),
		updateLine(3, "Agent", "Client", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read","content":[{"type":"content","content":{"type":"text","text":"caf\u00e9 \/ \u0041BC"}}]}`),
		messageLine(4, `"Straße ÉTÉ 😀"`),
		messageLine(5, `"a.c is [not] a+c"`),
		messageLine(6, `"plain aXc"`),
	}
	b := newBrowser(t)
	finds := func(text, rows string) {
		t.Helper()
		b.search(text)
		b.await(fmt.Sprintf(`[...document.querySelectorAll(".row.hit .number")].map((n) => n.textContent).sort((a, b) => a.slice(1) - b.slice(1)).join(" ") === %q && %s.endsWith(%q)`, rows, foundText, endOfFound(rows)))
	}
	b.openAt(serve(t, recordLines(t, lines...)), "")
	for _, tt := range []struct{ text, rows string }{
		{"req-77", "#1 #2"},
		{"session/list", "#1 #2"}, // the row of the response has the method
		{`"hello"`, "#3"},
		{`say "HELLO" to`, "#3"},
		{`C:\dir`, "#3"},
		{"one two", "#4"},
		{"two  three", "#4"},
		{"onetwo", ""},
		{"abc", "#5"},
		{"café", "#5"},
		{"CAFÉ / abc", "#5"},
		{"été 😀", "#6"},
		{"straße", "#6"},
		{"a.c", "#7"},
		{"[not]", "#7"},
		{`"text":"plain`, "#8"}, // JSON as it was sent
		{"#4", "#4"},
		{"#99", ""},
		{"agent_message", "#3 #4 #6 #7 #8"},
		{"notification", ""}, // in front of the messages
	} {
		finds(tt.text, tt.rows)
	}
	b.search("   ")
	b.await(`!document.querySelector("#found").textContent`)

	// Conditions in the search; and a list of hits only.
	b.openAt(serve(t, mixedRecording(t)), "")
	for _, tt := range []struct{ text, rows string }{
		{"method:prompt", "#1"}, {"id:9", "#11 #12"}, {"ID:2 Method:NEW", "#14 #15"}, {">1s", "#15"}, {"<300ms", "#12"}, {">0.2s such", "#12"}, {"method:tool_call read", "#4 #5 #6"}, {"id:99", ""},
	} {
		finds(tt.text, tt.rows)
	}
	b.search("read")
	b.await(foundText + `.endsWith(" of 5")`)
	b.click("#only")
	b.await(rowNumbers + ` === "#4 #5 #6 #11 #12" && document.querySelector("#widen").textContent === "9 hidden: show all" && location.hash.includes("only=")`)
	b.search("such")
	b.await(rowNumbers + ` === "#12" && ` + selectedNumber + ` === "#12"`)
	b.search("#3")
	b.press(kb.Enter)
	b.await(selectedNumber + ` === "#3" && ` + rowNumbers + ` === "#3"`)
}

func TestSearchSteps(t *testing.T) {
	var lines []string
	for i := range 300 {
		text := `"nothing"`
		if i%100 == 50 {
			text = `"the cache"`
		}
		lines = append(lines, messageLine(float64(i), text))
	}
	path := recordLines(t, lines...)
	b := newBrowser(t)
	b.openAt(serve(t, path), "")
	b.press("/")
	b.expect("the field has the focus", `document.activeElement.id === "find"`)
	eval[string](b, `document.activeElement.value = ""`) // chromedp also types keys whose default the page prevents
	for _, key := range "cache" {
		b.press(string(key))
	}
	b.await(foundText + ` === "1 of 3" && ` + selectedNumber + ` === "#51" && location.hash.endsWith("find=cache")`) // outside of the viewport
	b.expect("the hit is in sight", `document.querySelector(".row.hit[aria-selected=true]")`)
	b.press(kb.Enter)
	b.await(foundText + ` === "2 of 3" && ` + selectedNumber + ` === "#151"`)
	b.press(kb.ArrowDown) // to the list
	for _, step := range []struct{ key, event, count string }{
		{"n", "#251", "3 of 3"}, {"n", "#51", "1 of 3"}, {"N", "#251", "3 of 3"}, {"N", "#151", "2 of 3"},
		{kb.ArrowDown, "#152", "3 found"}, {"n", "#251", "3 of 3"}, {kb.ArrowUp, "#250", "3 found"}, {"N", "#151", "2 of 3"},
	} {
		b.press(step.key)
		b.await(fmt.Sprintf(`%s === %q && %s === %q`, selectedNumber, step.event, foundText, step.count))
	}
	b.click("#found-next")
	b.await(foundText + ` === "3 of 3"`)

	// New exchanges are searched.
	grow(t, path, messageLine(400, `"no"`), messageLine(401, `"CACHE again"`))
	b.await(foundText + ` === "3 of 4"`)

	// A number selects the event.
	b.search("#7")
	b.press(kb.Enter)
	b.await(selectedNumber + ` === "#7"`)
	b.press(kb.Escape)
	b.await(`!document.querySelector("#found").textContent && document.querySelector("#find").value === ""`)
	b.expect("the list has the focus", `document.activeElement.id === "timeline"`)
	b.expect("no row is marked", `!document.querySelector(".row.hit")`)
	b.press(kb.End)
	b.press("n")
	b.expect("the search for a number has ended", selectedNumber+` === "#302"`)
}

// TestSearchBeyondFilter counts the hits that the filter hides.
func TestSearchBeyondFilter(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, "testdata/bridge.jsonl"), "#kind=permission")
	b.await(selectedNumber + ` === "#26"`)
	const places = `JSON.stringify([...document.querySelectorAll(".controls *, #timeline")].filter((e) => e.tagName !== "OPTION" && e.id !== "found").map((e) => e.getBoundingClientRect()))`
	before := eval[string](b, places)
	b.search("cache")
	b.await(`document.querySelector("#widen").textContent === "28 hidden: show all"`)
	b.await(foundText + ` === "1 of 1\n6 hidden"`)
	b.expect("nothing has moved", places+" === "+quoteJSON(before))
	b.click("#widen")
	b.await(foundText + `.endsWith(" of 7") && document.querySelector("#widen").disabled`)
	b.expect("the event stays selected", selectedNumber+` === "#26"`)
	b.await(`!location.hash.includes("kind=") && location.hash.includes("find=cache")`)
	b.search("#1")
	b.press(kb.Enter)
	b.await(selectedNumber + ` === "#1"`)
}

// TestSearchOfLongList opens an address with a search, which can end before the list has the row of the
// only hit.
func TestSearchOfLongList(t *testing.T) {
	var lines []string
	for i := range 6000 {
		lines = append(lines, messageLine(float64(i), `"nothing"`))
	}
	b := newBrowser(t)
	b.open(serve(t, recordLines(t, append(lines, messageLine(6000, `"the cache"`))...)) + "#find=cache")
	b.await(foundText + ` === "1 of 1" && ` + selectedNumber + ` === "#6001"`)
}

// TestSearchMarks checks that the hits in the drawn message and in its JSON are highlighted, that
// the page scrolls to the first, and that typing moves no other element.
func TestSearchMarks(t *testing.T) {
	path := recordLines(t, messageLine(1, quoteJSON(strings.Repeat("A line.\n\n", 200)+"Here is the needle, *it* is.")), messageLine(2, `"nothing"`))
	servedAndInFile(t, path, func(t *testing.T, name, url string) {
		b := newBrowser(t)
		b.openAt(url, "")
		const place = `JSON.stringify(document.querySelector("#timeline").getBoundingClientRect()) + JSON.stringify(document.querySelector("#session").getBoundingClientRect())`
		before := eval[string](b, place)
		b.search("the needle")
		b.await(foundText + ` === "1 of 1" && [...CSS.highlights.get("hit")].length === 2`)
		b.settle()
		b.hasValue(highlightedTexts("hit"), "the needle|the needle")
		b.await(`[...CSS.highlights.get("hit")].some((r) => { const hit = r.getBoundingClientRect(); return hit.top > 0 && hit.bottom < innerHeight; })`)
		b.expect("nothing has moved", place+" === "+quoteJSON(before))
	})
}
