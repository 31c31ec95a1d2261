package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestProse checks that the source of a markdown text can be shown, and that a long text is drawn in
// parts.
func TestProse(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, showcaseRecording(t)), "#5")
	b.expect("the text is drawn", `document.querySelector("#agent-plans .markdown table") && document.querySelector("#client-plans .markdown pre")`)
	b.expect("an address is text", `!document.querySelector("#agent-plans a")`)
	const button = `document.querySelector("#agent-plans .toggle")`
	b.hasTexts("#agent-plans .toggle", "as text")
	eval[bool](b, `(`+button+`.focus(), `+button+`.click(), true)`)
	b.expect("the button keeps the focus", `document.activeElement === `+button)
	b.hasTexts("#agent-plans .source", essay)
	b.expect("all texts changed", `document.querySelector("#client-plans .source")`)
	b.press(kb.ArrowUp) // the texts of other messages, too
	b.await(selectedNumber + ` === "#4"`)
	b.settle()
	b.hasTexts("#agent-plans .toggle", "as the user sees it")
	eval[bool](b, `(`+button+`.click(), true)`)
	b.settle()
	b.expect("the text is drawn again", `document.querySelector("#agent-plans .markdown table")`)

	// A text without markdown syntax has no button.
	long := strings.Repeat("word ", 20_000)
	b.openAt(serve(t, recordLines(t,
		updateLine(1, "Agent", "Client", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello, you."}}`),
		updateLine(2, "Agent", "Client", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[{"type":"content","content":{"type":"text","text":`+quoteJSON(long)+`}}]}`))), "#1")
	b.expect("the text has no button", `document.querySelector("#user-view .toggle").hidden`)
	b.selectEvent("#2")
	b.hasTexts("#user-view .more", "Show 80,001 more characters")
	eval[bool](b, `(document.querySelector("#user-view .more").click(), true)`)
	b.expect("the whole text is drawn", fmt.Sprintf(`document.querySelector("#user-view .markdown").textContent.length > %d`, len(long)-3))
}

// TestChunks checks that the chunks of a message are drawn as one text, with the selected chunk marked.
func TestChunks(t *testing.T) {
	chunk := func(from, to, kind, text string) string {
		return updateLine(1, from, to, `{"sessionUpdate":"`+kind+`","content":{"type":"text","text":`+quoteJSON(text)+`}}`)
	}
	path := recordLines(t,
		chunk("Agent", "Client", "agent_thought_chunk", "Let me "), chunk("Agent", "Client", "agent_thought_chunk", "**see** 😀."),
		chunk("Agent", "Client", "agent_message_chunk", "It is "), chunk("Agent", "Proxy", "agent_message_chunk", "**not** "), chunk("Agent", "Client", "agent_message_chunk", "`so`."),
	)
	servedAndInFile(t, path, func(t *testing.T, name, url string) {
		b := newBrowser(t)
		b.openAt(url, "#1")
		for _, row := range []struct{ event, seen, marked string }{
			{"#1", "What the user sees|Let me see 😀.", "Let me "},
			{"#2", "What the user sees|Let me see 😀.", "see| 😀."},
			{"#4", "What the agent sent|It is not so.|What the user sees|It is so.", "not| "},
			{"#5", "What the agent sent|It is not so.|What the user sees|It is so.", "so|.|so|."},
		} {
			b.selectEvent(row.event)
			b.hasTexts("#user-view h2, #user-view .markdown", row.seen)
			b.hasValue(highlightedTexts("part"), row.marked)
		}
	})
}

// TestManyChunks checks that a part of a message in very many chunks is drawn, with a note.
func TestManyChunks(t *testing.T) {
	var lines []string
	for i := range 6000 {
		lines = append(lines, updateLine(1, "Agent", "Client", fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%d "}}`, i+1)))
	}
	b := newBrowser(t)
	b.openAt(serve(t, recordLines(t, lines...)), "#5999&kind=all")
	b.await(selectedNumber + ` === "#5999" && document.querySelector(".chunks")?.textContent === "This message came in 6,000 chunks; the marked part is number 5,999. Here are 5,000 around it."`)
}

// TestBlocks draws the content blocks of a prompt other than text.
func TestBlocks(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, recordLines(t, `{"type":"request","ts":1,"protocol":"acp","from":"Client","to":"Agent","id":1,"method":"session/prompt","session":"s","params":{"sessionId":"s","prompt":[`+
		`{"type":"text","text":"Look at **this**:"},{"type":"resource_link","name":"a.go","uri":"file:///a.go"},{"type":"image","mimeType":"image/png","data":"eA=="},{"type":"resource","resource":{"uri":"file:///b","text":"four"}},{"type":"text","text":"Well?"}]}}`)), "#1")
	b.hasTexts("#user-view .markdown, #user-view .block", "Look at this:|resource link a.go file:///a.go|image image/png|resource file:///b (4 characters)|Well?")
}

// TestChanges checks the marks of plans and entries that a message changed.
func TestChanges(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, showcaseRecording(t)), "#1")
	for _, row := range []struct{ event, tags, entries string }{
		{"#1", "new with this message", ""},
		{"#2", "changed by this message|was in progress|gone|was medium|new|new|new", "Read the code|Ask somebody|Fix the parser|Run the tests|Write it down|Write it down"},
		{"#3", "changed by this message|moved|moved", "Write it down|Write it down"},
		{"#4", "markdown|new with this message", ""},
		{"#5", "markdown|changed by this message", ""},
	} {
		b.selectEvent(row.event)
		for _, side := range []string{"#agent-plans", "#client-plans"} {
			b.hasTexts(side+" .tag", row.tags)
			b.hasTexts(side+" .changed .content", row.entries)
		}
	}
	b.expect("only changed texts are marked", `((marked) => marked.startsWith("It reads |one line| at a time") && !marked.includes("A quote"))(`+highlightedTexts("part")+`)`)
	b.selectEvent("#6")
	b.hasTexts("#agent-plans .plan-file p", "The plan is in /work/plans/notes.md.|file:///work/plans/notes.md")
	b.openAt(serve(t, "testdata/demo.jsonl"), "#12")
	b.hasTexts("#agent-plans .removed .tag, #client-plans .tag", "removed by this message|changed by this message|gone|gone")
}

// TestManyEntries checks that the entries of a long plan are drawn in steps.
func TestManyEntries(t *testing.T) {
	b := newBrowser(t)
	var entries []string
	for i := range 1200 {
		entries = append(entries, fmt.Sprintf(`{"content":"Entry %d","priority":"low","status":"pending"}`, i))
	}
	b.openAt(serve(t, recordLines(t, updateLine(1, "Agent", "Client", `{"sessionUpdate":"plan","entries":[`+strings.Join(entries, ",")+`]}`))), "")
	for _, want := range []string{"Show 700 more entries", "Show 200 more entries"} {
		b.hasTexts("#agent-plans .more", want)
		eval[bool](b, `(document.querySelector("#agent-plans .more").click(), true)`)
	}
	b.expect("all entries are drawn", `document.querySelectorAll("#agent-plans li").length === 1200`)
}
