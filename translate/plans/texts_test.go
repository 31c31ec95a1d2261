package plans

import (
	"bytes"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// textsOf returns a Translator for a client, and what has it read a markdown plan.
func textsOf(client capabilities.Client) (*Translator, func(session, id, text string) []string) {
	t := New(*with(func(o *Options) { o.Markdown = MarkdownBoth }))
	t.SetClient(client)
	return t, func(session, id, text string) (lost []string) {
		line := `{"method":"session/update","params":{"sessionId":"` + session + `","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"` + id + `","content":"` + text + `"}}}}`
		var c rawjson.Cursor
		var p Params
		var m jsonrpc.Message
		c.Reset([]byte(line))
		p.Reset()
		m.Read(&c, []byte(line), &p)
		for _, l := range t.FromAgent(m.Session, &p.Update).Losses {
			lost = append(lost, l.Kind.String())
		}
		return lost
	}
}

func countTexts(t *testing.T, got [][]byte, want int) {
	t.Helper()
	if len(got) != want {
		t.Errorf("%d messages leave, want %d: %.300q", len(got), want, got)
	}
}

func TestTexts(t *testing.T) {
	tr, plan := textsOf(legacyClient)
	plan("a", "p", "1. One")
	plan("b", "p", "1. Other")
	countTexts(t, tr.Complete("a"), 1)
	countTexts(t, tr.Complete("a"), 0)
	plan("a", "p", " 1. One ")
	countTexts(t, tr.Complete("a"), 0) // the same text
	plan("a", "p", "1. Two")
	plan("a", "q", "1. Three")
	countTexts(t, tr.Complete("a"), 2)
	plan("a", "p", "1. Two\\n2. Four\\n")
	countTexts(t, tr.Complete("a"), 1)
	plan("a", "p", "1. [x] Two\\n2.  Four ✅\\n")
	countTexts(t, tr.Complete("a"), 0) // only more of it is done
	countTexts(t, tr.AgentEnded(), 1)
	for _, path := range []string{"/t/six.md", "/t/seven.md"} {
		plan("a", "p", `1. Six","path":"`+path) // the same text in another file
	}
	plan("a", "q", `1. See /t/q.md","path":"/t/q.md`)
	plan("a", "r", `1. Seven","path":"r.md`)
	got := tr.Complete("a")
	countTexts(t, got, 3)
	if all := string(bytes.Join(got, nil)); strings.Count(all, "Plan file: ") != 1 || !strings.Contains(all, `1. Six\n\nPlan file: /t/seven.md\n\n"`) {
		t.Errorf("the file of a plan: %s", all)
	}
	plan("a", "p", `1. Six","path":"/t/six.md`)
	countTexts(t, tr.Complete("a"), 0)
	plan("a", "p", "1. Five")
	tr.FromClient([]byte("session/load"), []byte("a"), true)
	countTexts(t, tr.AgentEnded(), 0)
	plan("a", "p", "")
	countTexts(t, tr.AgentEnded(), 0)
}

// A replay that fails leaves a session as it was.
func TestTextsOfReplayThatFails(t *testing.T) {
	tr, plan := textsOf(legacyClient)
	plan("a", "p", "1. Shown")
	countTexts(t, tr.Complete("a"), 1)
	plan("a", "p", "1. Waits")
	call, _ := tr.FromClient([]byte("session/load"), []byte("a"), true)
	plan("a", "q", "1. Replayed")
	countTexts(t, tr.Answered(call, true), 0)
	plan("a", "r", "1. Shown")
	countTexts(t, tr.Complete("a"), 2)
}

// What leaves at the agent's end is the same each time.
func TestTextsAtTheEndAreInOrder(t *testing.T) {
	tr, plan := textsOf(legacyClient)
	for _, session := range []string{"d", "b", "a", "e", "c"} {
		plan(session, "p", "1. One")
	}
	for i, text := range tr.AgentEnded() {
		if want := `"sessionId":"` + string("abcde"[i]) + `"`; !strings.Contains(string(text), want) {
			t.Errorf("message %d is %s", i, text)
		}
	}
}

// Only a client that knows nothing but plan gets texts.
func TestTextsForOthers(t *testing.T) {
	tr, plan := textsOf(capabilities.Client{Shows: capabilities.Plan | capabilities.Items})
	plan("a", "p", "1. One")
	countTexts(t, tr.AgentEnded(), 0)
	if tr.CompletesTexts() {
		t.Error("ends of turns matter")
	}
}

func TestTextLimits(t *testing.T) {
	tr, plan := textsOf(legacyClient)
	if lost := plan("a", "p", strings.Repeat("a", longestText+1)); len(lost) != 2 { // its length, too
		t.Errorf("a long text loses %q", lost)
	}
	if lost := plan("a", "q", `- a\n\n~~~\n`+strings.Repeat("b", longestText-100)); lost != nil {
		t.Errorf("one that is not too long loses %q", lost)
	}
	countTexts(t, tr.AgentEnded(), 1)
}

// A text is not said again after its plan was removed.
func TestTextOfPlanThatWasRemoved(t *testing.T) {
	p := newPeer(*with(func(o *Options) { o.Markdown = MarkdownBoth }), legacyClient)
	mustSend(t, p, "a", markdownUpdate("p", "1. One"))
	countTexts(t, p.translator.Complete("a"), 1)
	mustSend(t, p, "a", removed("p"))
	mustSend(t, p, "a", markdownUpdate("q", "1. One"))
	countTexts(t, p.translator.Complete("a"), 0)
	closed(p.translator, "a")
	mustSend(t, p, "a", markdownUpdate("q", "1. One"))
	countTexts(t, p.translator.Complete("a"), 1)
}
