package view

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// said is the event of an agent's message after the given number of seconds.
func said(seconds float64, text string) string {
	return updateLine(seconds, "Agent", "Client", `{"sessionUpdate":"agent_message","content":{"type":"text","text":`+text+`}}`)
}

// seek replaces the text of the search field.
func (b *browser) seek(text string) {
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

// countOf formats the page's number of hits.
func countOf(rows string) string {
	if rows == "" {
		return "none"
	}
	return fmt.Sprint(" of ", len(strings.Fields(rows)))
}

func TestSearchFinds(t *testing.T) {
	lines := []string{
		`{"type":"request","ts":0.5,"protocol":"acp","from":"Client","to":"Agent","id":"req-77","method":"session/list","params":{}}`,
		`{"type":"response","ts":0.6,"from":"Agent","to":"Client","id":"req-77","is_error":false,"payload":{"sessions":[]}}`,
		said(1, `"say \"hello\" to C:\\dir"`),
		said(2, `"one\ntwo\tthree"`),
		updateLine(3, "Agent", "Client", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read","content":[{"type":"content","content":{"type":"text","text":"caf\u00e9 \/ \u0041BC"}}]}`),
		said(4, `"Straße ÉTÉ 😀"`),
		said(5, `"a.c is [not] a+c"`),
		said(6, `"plain aXc"`),
	}
	b := newBrowser(t)
	finds := func(text, rows string) {
		t.Helper()
		b.seek(text)
		b.await(fmt.Sprintf(`[...document.querySelectorAll(".row.hit .number")].map((n) => n.textContent).sort((a, b) => a.slice(1) - b.slice(1)).join(" ") === %q && %s.endsWith(%q)`, rows, foundText, countOf(rows)))
	}
	b.at(serve(t, recordLines(t, lines...)), "")
	for _, tt := range []struct{ text, rows string }{
		{"req-77", "#1 #2"},
		{"session/list", "#1 #2"}, // the answer, too
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
		{`"text":"plain`, "#8"}, // as it was sent
		{"#4", "#4"},
		{"#99", ""},
		{"agent_message", "#3 #4 #6 #7 #8"},
		{"notification", ""}, // not in a message
	} {
		finds(tt.text, tt.rows)
	}
	b.seek("   ")
	b.await(`!document.querySelector("#found").textContent`)

	// Conditions in the search; and a list of hits only.
	b.at(serve(t, mixed(t)), "")
	for _, tt := range []struct{ text, rows string }{
		{"method:prompt", "#1"}, {"id:9", "#11 #12"}, {"ID:2 Method:NEW", "#14 #15"}, {">1s", "#15"}, {"<300ms", "#12"}, {">0.2s such", "#12"}, {"method:tool_call read", "#4 #5 #6"}, {"id:99", ""},
	} {
		finds(tt.text, tt.rows)
	}
	b.seek("read")
	b.await(foundText + `.endsWith(" of 5")`)
	b.click("#only")
	b.await(rowsShown + ` === "#4 #5 #6 #11 #12" && document.querySelector("#widen").textContent === "9 hidden: show all" && location.hash.includes("only=")`)
	b.seek("such")
	b.await(rowsShown + ` === "#12" && ` + chosen + ` === "#12"`)
	b.seek("#3")
	b.press(kb.Enter)
	b.await(chosen + ` === "#3" && ` + rowsShown + ` === "#3"`)
}

func TestSearchSteps(t *testing.T) {
	var lines []string
	for i := range 300 {
		text := `"nothing"`
		if i%100 == 50 {
			text = `"the cache"`
		}
		lines = append(lines, said(float64(i), text))
	}
	path := recordLines(t, lines...)
	b := newBrowser(t)
	b.at(serve(t, path), "")
	b.press("/")
	b.is("the field has the focus", `document.activeElement.id === "find"`)
	eval[string](b, `document.activeElement.value = ""`) // unlike a keyboard, chromedp types keys that are taken
	for _, key := range "cache" {
		b.press(string(key))
	}
	b.await(foundText + ` === "1 of 3" && ` + chosen + ` === "#51" && location.hash.endsWith("find=cache")`) // far from the visible part
	b.is("the hit is in sight", `document.querySelector(".row.hit[aria-selected=true]")`)
	b.press(kb.Enter)
	b.await(foundText + ` === "2 of 3" && ` + chosen + ` === "#151"`)
	b.press(kb.ArrowDown) // to the list
	for _, step := range []struct{ key, event, count string }{
		{"n", "#251", "3 of 3"}, {"n", "#51", "1 of 3"}, {"N", "#251", "3 of 3"}, {"N", "#151", "2 of 3"},
		{kb.ArrowDown, "#152", "3 found"}, {"n", "#251", "3 of 3"}, {kb.ArrowUp, "#250", "3 found"}, {"N", "#151", "2 of 3"},
	} {
		b.press(step.key)
		b.await(fmt.Sprintf(`%s === %q && %s === %q`, chosen, step.event, foundText, step.count))
	}
	b.click("#found-next")
	b.await(foundText + ` === "3 of 3"`)

	// It is kept up to date.
	grow(t, path, said(400, `"no"`), said(401, `"CACHE again"`))
	b.await(foundText + ` === "3 of 4"`)

	// A number selects the event.
	b.seek("#7")
	b.press(kb.Enter)
	b.await(chosen + ` === "#7"`)
	b.press(kb.Escape)
	b.await(`!document.querySelector("#found").textContent && document.querySelector("#find").value === ""`)
	b.is("the list has the focus", `document.activeElement.id === "timeline"`)
	b.is("no row is marked", `!document.querySelector(".row.hit")`)
	b.press(kb.End)
	b.press("n")
	b.is("the number is forgotten", chosen+` === "#302"`)
}

// TestSearchBeyondFilter counts the hits that the filter hides.
func TestSearchBeyondFilter(t *testing.T) {
	b := newBrowser(t)
	b.at(serve(t, "testdata/bridge.jsonl"), "#kind=permission")
	b.await(chosen + ` === "#26"`)
	const places = `JSON.stringify([...document.querySelectorAll(".controls *, #timeline")].filter((e) => e.tagName !== "OPTION" && e.id !== "found").map((e) => e.getBoundingClientRect()))`
	before := eval[string](b, places)
	b.seek("cache")
	b.await(`document.querySelector("#widen").textContent === "28 hidden: show all"`)
	b.await(foundText + ` === "1 of 1\n6 hidden"`)
	b.is("nothing has moved", places+" === "+quoteJSON(before))
	b.click("#widen")
	b.await(foundText + `.endsWith(" of 7") && document.querySelector("#widen").disabled`)
	b.is("the event stays selected", chosen+` === "#26"`)
	b.await(`!location.hash.includes("kind=") && location.hash.includes("find=cache")`)
	b.seek("#1")
	b.press(kb.Enter)
	b.await(chosen + ` === "#1"`)
}

// A search for an address can end before a long list has the row of the only hit.
func TestSearchOfLongList(t *testing.T) {
	var lines []string
	for i := range 6000 {
		lines = append(lines, said(float64(i), `"nothing"`))
	}
	b := newBrowser(t)
	b.open(serve(t, recordLines(t, append(lines, said(6000, `"the cache"`))...)) + "#find=cache")
	b.await(foundText + ` === "1 of 1" && ` + chosen + ` === "#6001"`)
}

// TestSearchMarks highlights the hits in the selected message, wherever they are drawn, and
// scrolls to the first. Typing moves nothing.
func TestSearchMarks(t *testing.T) {
	path := recordLines(t, said(1, quoteJSON(strings.Repeat("A line.\n\n", 200)+"Here is the needle, *it* is.")), said(2, `"nothing"`))
	servedAndInFile(t, path, func(t *testing.T, name, url string) {
		b := newBrowser(t)
		b.at(url, "")
		const place = `JSON.stringify(document.querySelector("#timeline").getBoundingClientRect()) + JSON.stringify(document.querySelector("#session").getBoundingClientRect())`
		before := eval[string](b, place)
		b.seek("the needle")
		b.await(foundText + ` === "1 of 1" && [...CSS.highlights.get("hit")].length === 2`)
		b.settle()
		b.gets(marked("hit"), "the needle|the needle")
		b.await(`[...CSS.highlights.get("hit")].some((r) => { const hit = r.getBoundingClientRect(); return hit.top > 0 && hit.bottom < innerHeight; })`)
		b.is("nothing has moved", place+" === "+quoteJSON(before))
	})
}
