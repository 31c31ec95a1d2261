package view

import (
	"strings"
	"testing"

	"acp-plan-proxy/proxy/recording"
)

// badJudge allows no message with a member "bad".
type badJudge struct{}

// Judge implements marker.
func (badJudge) Judge(e *recording.Message) string {
	if strings.Contains(string(e.Params), `"bad"`) {
		return "params.update.<b>bad</b>\u202e is none of its members"
	}
	return ""
}

// badRecording has messages that badJudge does not allow, from everybody.
func badRecording(t *testing.T) Recording {
	const good, bad = `{"sessionUpdate":"x"}`, `{"sessionUpdate":"x","bad":1}`
	return Recording{markers: func() marker { return badJudge{} }, File: recordLines(t,
		updateLine(1, "Agent", "Client", bad),
		updateLine(2, "Agent", "Proxy", good), updateLine(2, "Proxy", "Client", bad),
		updateLine(3, "Agent", "Proxy", bad), updateLine(3, "Proxy", "Client", `{"sessionUpdate":"y","bad":1}`),
		updateLine(4, "Agent", "Proxy", bad), updateLine(4, "Proxy", "Client", good),
		`{"type":"request","ts":5,"protocol":"acp","from":"Client","to":"Agent","id":1,"method":"x","params":{"bad":1}}`,
		`{"type":"notification","ts":6,"protocol":"acp","from":"Proxy","to":"Client","method":"x","params":{"bad":1}}`)}
}

// TestMarkBoxes checks that above a message which the schema does not allow is why, and
// whose mistake it is.
func TestMarkBoxes(t *testing.T) {
	b := newBrowser(t, 1200, 800)
	b.open(serveRecording(t, badRecording(t)) + "#1")
	b.await(chosen + ` === "#1" && document.querySelector(".mark-box")`)
	b.await(`document.querySelector("#count-marked").textContent.startsWith("6 ")`)
	const begins = "Not allowed by the schema. "
	for _, row := range []struct{ event, story, left, right string }{
		{"#1", "what the agent sent", "This is the agent’s mistake.", ""},
		{"#2", "what the client got", "", "This is a mistake of acp-plan-proxy: please report it as an issue."},
		{"#4", "what the agent sent and what the client got", "This is the agent’s mistake.", "The proxy made it of a message that is not allowed either."},
		{"#6", "what the agent sent", "This is the agent’s mistake.", ""},
		{"#8", "what the client sent", "This is the client’s mistake.", ""},
		{"#9", "what the proxy sent", "This is a mistake of acp-plan-proxy: please report it as an issue.", ""},
	} {
		b.look(row.event)
		if got := b.text("#story"); !strings.Contains(got, "Not allowed by the schema: "+row.story+"; the reason is above the message.") {
			t.Errorf("the story of %s: %s", row.event, got)
		}
		for place, whose := range map[string]string{"3": row.left, "4": row.right} {
			if place == "3" && b.texts(".heads.one") != "" {
				place = "2"
			}
			got, want := b.texts(".heads > :nth-child("+place+") p"), begins+whose+"|params.update.<b>bad</b>⟨U+202E⟩ is none of its members"
			if whose == "" {
				want = ""
			}
			if got != want {
				t.Errorf("%s: %q, want %q", row.event, got, want)
			}
		}
	}
	b.look("#4")
	b.screenshot("mark-boxes")
	b.quiet()
}

// TestErrorsFirst shows what an error says above everything else, and in its row.
func TestErrorsFirst(t *testing.T) {
	failed := updateLine(20, "Agent", "Client", `{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"failed","rawOutput":"no \u202esuch tool"}`)
	path := mixed(t)
	grow(t, path, failed)
	for _, width := range []int64{1440, 400} {
		b := newBrowser(t, width, 900)
		openAll(b, serve(t, path), "")
		for event, want := range map[string]string{"#12": "failed: no such file|Error: no such file", "#16": "Read a · failed: no ⟨U+202E⟩such tool|Error: no ⟨U+202E⟩such tool"} {
			b.look(event)
			if got := b.texts("[aria-selected=true] .says, #story p:nth-child(2)"); got != want {
				t.Errorf("%s: %s", event, got)
			}
			b.is("it is in sight, and what is drawn is below", `(() => { const place = (s) => document.querySelector(s).getBoundingClientRect(); return place("#story").bottom < innerHeight && (place("#plans").height === 0 || place("#plans").top > place("#story").bottom); })()`)
		}
		b.quiet()
	}
}

// TestJumps goes from a request to its answer and back, and from a message to its tool
// call.
func TestJumps(t *testing.T) {
	b := newBrowser(t, 1200, 900)
	openAll(b, serve(t, "testdata/bridge.jsonl"), "")
	b.look("#26")
	if got := b.texts("#story p"); got != "The agent asked for session/request_permission.|The proxy changed it on the way.|It was answered after 2.66 s: answer #28." {
		t.Errorf("the story of #26: %s", got)
	}
	b.click("#story .jump")
	b.await(chosen + ` === "#28"`)
	b.settle()
	if got := b.texts("#story p"); got != "The client answered session/request_permission after 2.66 s: request #26.|The proxy changed its id only." {
		t.Errorf("the story of #28: %s", got)
	}
	b.click("#story .jump")
	b.await(chosen + ` === "#26"`)
	b.look("#32")
	b.is("it belongs to no tool call", `!document.querySelector("#only-tool")`)
	b.look("#23")
	b.click("#only-tool")
	b.await(rowsShown + ` === "#23 #26 #31"`)
	b.is("the choice stays", chosen+` === "#23"`)
	b.quiet()
}

// TestToldOfRecording tells when a recording began and that it is redacted, what no user has
// seen, and what the proxy made of what.
func TestToldOfRecording(t *testing.T) {
	b := newBrowser(t, 1200, 900)
	b.open(pageOf(t,
		`{"type":"request","ts":1,"from":"Agent","to":"Client","id":1,"method":"cursor/create_plan","params":{"name":"Fix it","plan":"# *Fix*"}}`,
		`["row",{"n":1,"lines":[{"n":1,"from":"Agent","to":"Client","bytes":9}],"at":1,"toClient":true,"type":"request","method":"cursor/create_plan","about":"permission","fate":"forwarded","bytes":9,"unseen":true,"caused":[2]}]`,
		updateLine(2, "Proxy", "Client", `{"sessionUpdate":"plan","entries":[{"content":"Fix","status":"pending","priority":"low"}]}`),
		`["row",{"n":2,"lines":[{"n":2,"from":"Proxy","to":"Client","plan":{"id":"","form":"plan","total":1}}],"at":2,"toClient":true,"type":"notification","method":"session/update","update":"plan","about":"plan","fate":"added","bytes":9,"own":true,"of":1}]`,
		`["ends",{"began":"2026-01-02T03:04:05Z","redacted":true}]`) + "#1")
	b.await(chosen + ` === "#1"`)
	b.is("it is redacted", `document.querySelector("#redacted").checkVisibility()`)
	b.is("the clock of its beginning is there", `/began 2026-01-0\d \d\d:\d\d:05/.test(document.querySelector("#ends").textContent)`)
	if got := b.texts("#seen h2"); got != "What the agent asked; no user has seen it" {
		t.Errorf("above the request: %s", got)
	}
	b.is("an unanswered request is counted", `document.querySelector("#count-unanswered").textContent === "1 unanswered" && document.querySelector(".row.bad")`)
	b.click("#story .jump")
	b.await(chosen + ` === "#2"`)
	b.settle()
	if got := b.texts("#messages h2"); got != "What it was made of|What the client got from the proxy" {
		t.Errorf("above the messages: %s", got)
	}
	b.click("#story .jump")
	b.await(chosen + ` === "#1"`)
	b.quiet()
}
