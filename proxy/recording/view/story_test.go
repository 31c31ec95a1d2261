package view

import (
	"fmt"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/recording"
)

// badJudge is a judge that allows no message with a member "bad".
type badJudge struct{}

func (badJudge) Judge(e *recording.Message) string {
	if strings.Contains(string(e.Params), `"bad"`) {
		return "params.update.<b>bad</b>\u202e is none of its members"
	}
	return ""
}

// badRecording returns a recording with messages of the agent, the client and the proxy that badJudge
// does not allow.
func badRecording(t *testing.T) Recording {
	const good, bad = `{"sessionUpdate":"x"}`, `{"sessionUpdate":"x","bad":1}`
	return Recording{makeLinter: func() linter { return ruleLinter{badJudge{}} }, File: recordLines(t,
		updateLine(1, "Agent", "Client", bad),
		updateLine(2, "Agent", "Proxy", good), updateLine(2, "Proxy", "Client", bad),
		updateLine(3, "Agent", "Proxy", bad), updateLine(3, "Proxy", "Client", `{"sessionUpdate":"y","bad":1}`),
		updateLine(4, "Agent", "Proxy", bad), updateLine(4, "Proxy", "Client", good),
		`{"type":"request","ts":5,"protocol":"acp","from":"Client","to":"Agent","id":1,"method":"x","params":{"bad":1}}`,
		`{"type":"notification","ts":6,"protocol":"acp","from":"Proxy","to":"Client","method":"x","params":{"bad":1}}`)}
}

// TestStories checks the page's explanations of messages and the user's view of them.
func TestStories(t *testing.T) {
	const mistakeOfProxy, seeAbove = "This is a mistake of acp-plan-proxy: please report it as an issue.", "; the reason is above the message."
	const left, right = ".heads > :nth-child(3)", ".heads > :nth-child(4)" // the findings of both messages
	b := newBrowser(t)
	for _, page := range []struct {
		recording Recording
		stories   []struct{ event, selector, want string } // want is a part of the text; "" is the whole text
	}{
		{Recording{File: "testdata/bridge.jsonl"}, []struct{ event, selector, want string }{
			{"#1", "#peers", "client old-editor 1.8 (protocol version 1) · agent new-agent 2.1 (protocol version 2) · joined by the proxy"},
			{"#1", "#totals", "30 messages · 6 forwarded · 13 rewritten · 9 dropped · 2 added by the proxy"},
			{"#10", "#explanation", "A turn begins; it ended after 7.25 s: end_turn."},
			{"#10", "#user-view", "The cache misses too often. Make it larger."},
			{"#18", "#user-view", "Read cache.go"},
			{"#23", "#user-view", "return newCache(1000)"},
			{"#26", "#explanation", "The agent requested session/request_permission.\n\nThe proxy rewrote it.\n\nThe response came after 2.66 s: response #28."},
			{"#26", "#user-view", "Answered: Allow."},
			{"#28", "#explanation", "The client responded to session/request_permission after 2.66 s: request #26.\n\nThe proxy changed its id only."},
			{"#28", "#user-view", "Answered: Allow."},
			{"#32", "#explanation", "The agent sent weather_update."},
			{"#32", "#user-view", ""}, // the page does not know the update
			{"#36", "#explanation", "The turn ended after 7.25 s: end_turn."},
			{"#36", ".heads", "What the client got: answer to session/prompt"},
			{"#38", ".heads", "and the agent got with another id"},
			{"#43", "#explanation", "It is a message of the proxy’s own."},
		}},
		{Recording{File: "testdata/demo.jsonl"}, []struct{ event, selector, want string }{
			{"#1", "#explanation", "The client requested initialize.\n\nThe response came after 100 ms: response #2."},
			{"#2", "#explanation", "The agent responded to initialize after 100 ms: request #1."},
			{"#20", "#explanation", "The agent removed plan “docs”.\n\nThe client got nothing"},
			{"#20", "#agent-plans", "Ask for a review"},
			{"#20", "#client-plans", "[review] Ask for a review (cancelled)"},
		}},
		{badRecording(t), []struct{ event, selector, want string }{
			{"#1", "#count-finding", "7 findings"},
			{"#1", "#explanation", "what the agent sent" + seeAbove},
			{"#1", ".heads.single .findings", "This is the agent’s mistake.\n\nparams.update.<b>bad</b>⟨U+202E⟩ is none of its members"},
			{"#2", "#explanation", "what the client got" + seeAbove}, {"#2", left, ""}, {"#2", right, mistakeOfProxy},
			{"#4", "#explanation", "what the agent sent and what the client got" + seeAbove}, {"#4", left, "This is the agent’s mistake."},
			{"#4", right, "The proxy made it of a message that is not allowed either."},
			{"#6", left, "This is the agent’s mistake."}, {"#6", right, ""},
			{"#8", "#explanation", "what the client sent" + seeAbove}, {"#8", ".heads", "This is the client’s mistake."},
			{"#9", "#explanation", "what the proxy sent" + seeAbove}, {"#9", ".heads", mistakeOfProxy},
		}},
	} {
		b.openAt(serveRecording(t, page.recording), "#1")
		b.await(`!document.querySelector("#count-finding").hidden`)
		for _, story := range page.stories {
			b.selectEvent(story.event)
			b.expect(story.event+", "+story.selector+": "+story.want, fmt.Sprintf(`((got) => %[2]s === "" ? got === "" : got.includes(%[2]s))(document.querySelector(%[1]q)?.innerText ?? "(nothing)")`, story.selector, quoteJSON(story.want)))
		}
	}
}

// TestErrorsFirst checks that the text of an error is in the row, and above everything but the
// explanation.
func TestErrorsFirst(t *testing.T) {
	failed := updateLine(20, "Agent", "Client", `{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"failed","rawOutput":"no \u202esuch tool"}`)
	path := mixedRecording(t)
	grow(t, path, failed)
	for _, width := range []int64{1440, 400} {
		b := newBrowser(t)
		b.resize(width, 900)
		b.openAt(serve(t, path), "")
		for event, want := range map[string]string{"#12": "failed: no such file|Error: no such file", "#16": "Read a · failed: no ⟨U+202E⟩such tool|Error: no ⟨U+202E⟩such tool"} {
			b.selectEvent(event)
			b.hasTexts("[aria-selected=true] .summary, #explanation p:nth-child(2)", want)
			b.expect("the explanation is in sight, and above the plans", `(() => { const place = (s) => document.querySelector(s).getBoundingClientRect(); return place("#explanation").bottom < innerHeight && (place("#plans").height === 0 || place("#plans").top > place("#explanation").bottom); })()`)
		}
	}
}

// TestRecordingFacts checks that the page shows when the recording began, that it is redacted, that no
// user has seen a request, and which messages of the proxy belong to another message.
func TestRecordingFacts(t *testing.T) {
	b := newBrowser(t)
	b.openAt(pageOf(t,
		`{"type":"request","ts":1,"from":"Agent","to":"Client","id":1,"method":"cursor/create_plan","params":{"name":"Fix it","plan":"# *Fix*"}}`,
		`["row",{"n":1,"lines":[{"n":1,"from":"Agent","to":"Client","bytes":9}],"at":1,"toClient":true,"type":"request","method":"cursor/create_plan","about":"permission","fate":"forwarded","bytes":9,"unseen":true,"caused":[2]}]`,
		updateLine(2, "Proxy", "Client", `{"sessionUpdate":"plan","entries":[{"content":"Fix","status":"pending","priority":"low"}]}`),
		`["row",{"n":2,"lines":[{"n":2,"from":"Proxy","to":"Client","plan":{"id":"","form":"plan","total":1}}],"at":2,"toClient":true,"type":"notification","method":"session/update","update":"plan","about":"plan","fate":"added","bytes":9,"own":true,"of":1}]`,
		`["peers",{"began":"2026-01-02T03:04:05Z","redacted":true}]`), "#1")
	b.expect("the recording is redacted", `document.querySelector("#redacted").checkVisibility()`)
	b.expect("the page shows when the recording began", `/began 2026-01-0\d \d\d:\d\d:05/.test(document.querySelector("#peers").textContent)`)
	b.hasTexts("#user-view h2", "What the agent asked; no user has seen it")
	b.expect("an unanswered request is counted", `document.querySelector("#count-unanswered").textContent === "1 unanswered" && document.querySelector(".row.bad")`)
	b.click("#explanation .jump")
	b.await(selectedNumber + ` === "#2"`)
	b.settle()
	b.hasTexts("#messages h2", "What it was made of|What the client got from the proxy")
	b.click("#explanation .jump")
	b.await(selectedNumber + ` === "#1"`)
}
