package view

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// rowsInOrder has the elements of rows, in the order of the list.
const rowsInOrder = `[...document.querySelectorAll(".row")].sort((a, b) => a.dataset.index - b.dataset.index)`

// rowNumbers has the numbers of those rows, separated by blanks.
const rowNumbers = rowsInOrder + `.map((r) => r.querySelector(".number").textContent).join(" ")`

// selectOption selects the option that begins with text, in the select element with an id.
func (b *browser) selectOption(id, text string) {
	b.t.Helper()
	b.await(fmt.Sprintf(`(() => { const s = document.getElementById(%q); const i = [...s.options].findIndex((o) => o.textContent.startsWith(%q));
		if (i < 0) return false; s.selectedIndex = i; s.dispatchEvent(new Event("change")); return true; })()`, id, text))
	b.settle()
}

// mixedRecording records messages of most kinds in a file.
func mixedRecording(t *testing.T) string {
	return recordLines(t,
		`{"type":"request","ts":1,"protocol":"acp","from":"Client","to":"Agent","id":1,"method":"session/prompt","session":"s","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go"}]}}`,
		updateLine(2, "Agent", "Client", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Well"}}`),
		updateLine(3, "Agent", "Client", `{"sessionUpdate":"usage_update","used":1,"size":2}`),
		updateLine(4, "Agent", "Client", `{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Read a","status":"pending"}`),
		updateLine(5, "Agent", "Client", `{"sessionUpdate":"tool_call","toolCallId":"t2","title":"Read \u003cb> · x","status":"pending"}`),
		updateLine(6, "Agent", "Client", `{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`),
		updateLine(7, "Agent", "Client", `{"sessionUpdate":"plan","entries":[]}`),
		updateLine(8, "Agent", "Proxy", `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}`),
		updateLine(8, "Proxy", "Client", `{"sessionUpdate":"plan","entries":[]}`),
		updateLine(9, "Agent", "Proxy", `{"sessionUpdate":"gone"}`),
		`{"type":"request","ts":10,"protocol":"acp","from":"Agent","to":"Client","id":9,"method":"fs/read_text_file","session":"s","params":{"sessionId":"s","path":"/x"}}`,
		`{"type":"response","ts":10.25,"from":"Client","to":"Agent","id":9,"is_error":true,"payload":{"code":-1,"message":"no such file"}}`,
		updateLine(11, "Proxy", "Client", `{"sessionUpdate":"agent_message","content":{"type":"text","text":"of the proxy"}}`),
		`{"type":"request","ts":12,"protocol":"acp","from":"Client","to":"Agent","id":2,"method":"session/new","params":{}}`,
		`{"type":"response","ts":15,"from":"Agent","to":"Client","id":2,"is_error":false,"payload":{"sessionId":"s2"}}`,
	)
}

func TestKinds(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, mixedRecording(t)), "")
	b.expect("plans are marked", `document.querySelectorAll(".row .todo").length === 2`)
	b.await(`document.querySelector("#widen").disabled && document.querySelector("#widen").textContent === "nothing hidden"`)
	b.press("o")
	b.await(rowNumbers + ` === "#7 #8" && document.querySelector("#widen").textContent === "12 hidden: show all"`)
	b.press("a")
	b.await(`document.querySelectorAll(".row").length === 14`)
	for _, tt := range []struct{ kind, rows string }{
		{"Everything (14)", "#1 #2 #3 #4 #5 #6 #7 #8 #10 #11 #12 #13 #14 #15"},
		{"Everything but chunks and usage (12)", "#1 #4 #5 #6 #7 #8 #10 #11 #12 #13 #14 #15"},
		{"Plans (2)", "#7 #8"},
		{"Turns (1)", "#1"},
		{"Texts and thoughts (2)", "#2 #13"},
		{"Tool calls (3)", "#4 #5 #6"},
		{"Usage (1)", "#3"},
		{"Everything else (5)", "#10 #11 #12 #14 #15"},
		{"Changed on the way (2)", "#8 #10"},
		{"Errors (1)", "#12"},
		{"Not answered (1)", "#1"},
		{"Added by the proxy (1)", "#13"},
	} {
		b.selectOption("kind", tt.kind)
		b.hasValue(rowNumbers, tt.rows)
	}
	b.expect("kinds without messages are not offered", `![...document.querySelectorAll("#kind option")].some((o) => /Findings|Permissions/.test(o.textContent))`)
}

func TestToolFilter(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, mixedRecording(t)), "")
	b.press("t") // #1 is not about a tool call
	b.expect("nothing is filtered", `document.querySelector("#tool").hidden && document.querySelectorAll(".row").length === 14`)
	b.click("#row-3")
	b.await(selectedNumber + ` === "#4"`)
	b.press("t")
	b.await(rowNumbers + ` === "#4 #6"`)
	b.expect("the tool call is named", `document.querySelector("#tool-name").textContent === "Read a"`)
	b.await(`location.hash.includes("tool=1")`)
	b.click("#tool")
	b.await(`document.querySelectorAll(".row").length === 14`)
	b.expect("the event stays selected", selectedNumber+` === "#4"`)
	b.press(kb.ArrowDown)
	b.press("t")
	b.await(rowNumbers + ` === "#5" && document.querySelector("#tool-name").textContent === "Read <b> · x"`)
	b.press("t")
	b.await(`document.querySelector("#tool").hidden`)
	b.click("#only-tool")
	b.await(rowNumbers + ` === "#5"`)
}

func TestSort(t *testing.T) {
	b := newBrowser(t)
	path := mixedRecording(t)
	b.openAt(serve(t, path), "")
	b.expect("a turn is a bracket", `document.querySelector(".row.turn")`)
	b.press("s")
	b.await(rowNumbers + ` === "#15 #12"`)
	b.await(selectedNumber + ` === "#15"`)
	b.expect("a sorted list has no brackets of turns", `!document.querySelector(".row.turn")`)
	b.press(kb.ArrowDown)
	b.expect("a step follows the order of the list", selectedNumber+` === "#12"`)
	b.press(kb.ArrowDown)
	b.expect("the last event stays selected", selectedNumber+` === "#12"`)
	// A new response is at its position in the order.
	grow(t, path, `{"type":"response","ts":16,"from":"Agent","to":"Client","id":1,"is_error":false,"payload":{"stopReason":"end_turn"}}`)
	b.await(rowNumbers + ` === "#16 #15 #12"`)
	b.expect("the event stays selected when the order changes", selectedNumber+` === "#12" && document.querySelector("[aria-selected=true] .number").textContent === "#12"`)
	b.press("s")
	b.await(`document.querySelectorAll(".row").length === 15 && document.querySelector("#sort").selectedIndex === 2`)
	b.expect("the largest are first", `(() => {
		const sizes = [...document.querySelectorAll(".row")].sort((a, b) => a.dataset.index - b.dataset.index).map((r) => parseInt(r.querySelector(".bytes").textContent));
		return sizes.every((s, i) => i === 0 || s <= sizes[i - 1]);
	})()`)
	b.press("s")
	b.await(rowNumbers + `.startsWith("#1 #2 #3 ")`)
	b.press("s")
	b.search("#4") // no response time: the page gives up the order
	b.press(kb.Enter)
	b.await(selectedNumber + ` === "#4" && document.querySelectorAll(".row").length === 15`)
	b.press(kb.ArrowDown) // to the list
	b.press("s")
	b.press("l")
	b.await(selectedNumber + ` === "#16" && document.querySelector("#sort").selectedIndex === 0`) // a live list is not sorted
}

// TestEmptyList checks that the page explains an empty list, and has a button that shows all.
func TestEmptyList(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, mixedRecording(t)), "#7&kind=plan")
	b.press("s")
	b.await(`document.querySelector("#none").textContent.startsWith("Only answers take time")`)
	b.expect("the reason is at the top of the list", `(() => {
		const text = document.createRange(), list = document.querySelector("#timeline").getBoundingClientRect();
		text.selectNodeContents(document.querySelector("#none"));
		const box = text.getBoundingClientRect();
		return box.height > 0 && box.top >= list.top && box.bottom < list.top + 100 && box.left >= list.left && box.right <= list.right && document.elementFromPoint(box.left + 1, box.top + 1).id === "none";
	})()`)
	b.await(`document.querySelector("#widen").textContent === "14 hidden: show all"`)
	b.click("#widen")
	b.await(`document.querySelectorAll(".row").length === 14 && document.querySelector("#none").hidden && document.querySelector("#widen").disabled`)
}

// TestPlans lists the messages about the plans of a session, or about one plan.
func TestPlans(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, recordLines(t, planLine("one", "a", "x"), planLine("two", "a", "x"), planLine("one", "b", "x"), planLine("one", "a", "y"), planLine("one", "", "z"))), "")
	for _, step := range []struct{ filter, option, want string }{
		{"session", "S1", "#1 #3 #4 #5"}, {"plan", "a", "#1 #4"}, {"plan", "b", "#3"}, {"plan", "without an id", "#5"}, {"plan", "All", "#1 #3 #4 #5"},
		{"session", "S2", "#2"}, {"session", "All", "#1 #2 #3 #4 #5"}, {"plan", "a", "#1 #2 #4"},
	} {
		b.selectOption(step.filter, step.option)
		b.hasValue(rowNumbers, step.want)
		b.expect("the selected event is listed", fmt.Sprintf(`%q.split(" ").includes(%s)`, step.want, selectedNumber))
	}
}
