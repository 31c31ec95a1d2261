package view

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// selectedFilters has the texts of the selected options: session, kind, plan and order.
const selectedFilters = `["session", "kind", "plan", "sort"].map((id) => document.getElementById(id)).map((s) => s.options[s.selectedIndex].textContent.replace(/ \(.*/, "")).join("|")`

func TestAddress(t *testing.T) {
	url := serve(t, mixedRecording(t))
	b := newBrowser(t)
	for _, tt := range []struct{ hash, rows, selected, filters string }{
		{"#6&kind=tool&find=read", "#4 #5 #6", "#6", "All sessions|Tool calls|All plans|In order"},
		{"#kind=tool&find=completed", "#4 #5 #6", "#6", "All sessions|Tool calls|All plans|In order"}, // #6 has the first hit
		{"#9&kind=plan", "#7 #8", "#8", "All sessions|Plans|All plans|In order"},                      // 9 is the second line of the exchange #8
		{"#999&kind=plan", "#7 #8", "#7", "All sessions|Plans|All plans|In order"},
		{"#12&kind=all&sort=slowest", "#15 #12", "#12", "All sessions|Everything|All plans|Slowest first"},
		{"#5&kind=all&tool=1", "#1 #2 #3 #4 #5 #6 #7 #8 #10 #11 #12 #13 #14 #15", "#5", "All sessions|Everything|All plans|In order"}, // #5 is not of the tool call: the filter is widened
		{"#kind=all&tool=1", "#4 #6", "#4", "All sessions|Everything|All plans|In order"},
		{"#kind=all&session=1&plan=p", "#8", "#8", "S1 · s|Everything|p|In order"},
		{"#kind=all&plan=", "#7", "#7", "All sessions|Everything|without an id|In order"},
		{"#kind=nonsense&sort=%00&session=x&tool=-1&tool=9e9", "#1 #2 #3 #4 #5 #6 #7 #8 #10 #11 #12 #13 #14 #15", "#1", "All sessions|Everything|All plans|In order"},
		{"#kind=__proto__&__proto__=1&find=%E0%A4%A", "#1 #2 #3 #4 #5 #6 #7 #8 #10 #11 #12 #13 #14 #15", "#1", "All sessions|Everything|All plans|In order"},
		{`#kind=changed&find=<img src=x onerror="window.owned=1">`, "#8 #10", "#8", "All sessions|Changed on the way|All plans|In order"},
	} {
		b.open(url + tt.hash)
		b.await(fmt.Sprintf(`%s === %q && %s === %q && %s === %q`, rowNumbers, tt.rows, selectedNumber, tt.selected, selectedFilters, tt.filters))
		b.do(chromedp.Reload())
		b.await(fmt.Sprintf(`%s === %q && %s === %q && %s === %q`, rowNumbers, tt.rows, selectedNumber, tt.selected, selectedFilters, tt.filters))
	}
	b.expect("no script of a message has run", `window.owned === undefined`)
}

// TestAddressSurvives changes values of the address, and restores the page from the address and from
// the browser's history.
func TestAddressSurvives(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, mixedRecording(t)), "#kind=plan")
	b.await(selectedNumber + ` === "#7"`)
	b.selectOption("kind", "Tool calls")
	b.await(`location.hash === "#kind=tool"`)
	b.press(kb.End)
	b.await(`location.hash === "#6&kind=tool"`)
	b.search(`"read & ü`)
	b.await(`location.hash.startsWith("#6&kind=tool&find=%22read%20%26%20%C3%BC")`)
	b.search("read")
	b.await(`location.hash.endsWith("find=read")`)
	b.selectOption("sort", "Largest first")
	b.await(`location.hash.endsWith("&kind=tool&find=read&sort=largest")`)
	b.selectOption("session", "S1")
	b.await(`location.hash.includes("&session=1&")`)
	state := rowNumbers + ` + " " + ` + selectedNumber + ` + " " + ` + selectedFilters + ` + " " + document.querySelector("#find").value + " " + ` + foundText
	before := eval[string](b, state)
	b.do(chromedp.Reload())
	b.await(fmt.Sprintf(`%s === %q`, state, before))

	back := func(by int, want string) {
		t.Helper()
		eval[bool](b, fmt.Sprintf(`(history.go(%d), true)`, by))
		b.await(want)
	}
	back(-1, selectedFilters+` === "All sessions|Tool calls|All plans|Largest first"`)
	back(-1, selectedFilters+` === "All sessions|Tool calls|All plans|In order" && `+selectedNumber+` === "#6"`)
	back(-1, selectedFilters+` === "All sessions|Plans|All plans|In order" && `+selectedNumber+` === "#7"`)
	b.expect("the search field is empty", `document.querySelector("#find").value === "" && !document.querySelector("#found").textContent`)
	back(3, fmt.Sprintf(`%s === %q`, state, before))

	// A link to an event keeps the filters that admit the event.
	eval[string](b, `location.hash = "#5"`)
	b.await(selectedNumber + ` === "#5" && location.hash.startsWith("#5&kind=tool&")`)
	eval[string](b, `location.hash = "#1"`)
	b.await(selectedNumber + ` === "#1" && location.hash.startsWith("#1&find=read&")`)
	back(-1, selectedNumber+` === "#5" && `+selectedFilters+` === "S1 · s|Tool calls|All plans|Largest first"`)

	// The number of a line that the recording lacks does not stay in the address.
	eval[string](b, `location.hash = "#99999&kind=tool"`)
	b.await(selectedFilters + ` === "All sessions|Tool calls|All plans|In order"`)
	b.press(kb.End)
	b.await(`location.hash === "#6&kind=tool"`)
}
