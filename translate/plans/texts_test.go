package plans

import (
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
)

// textsOf returns a peer with a client that gets texts, and what has it read a markdown plan.
func textsOf(client capabilities.Client) (*peer, func(session, id, text string) []string) {
	p := newPeer(*with(func(o *Options) { o.Markdown = MarkdownBoth }), client)
	return p, func(session, id, text string) (lost []string) {
		p.from(translate.Agent, before+session+middle+markdownUpdate(id, text)+behind)
		for _, l := range p.out.Losses() {
			lost = append(lost, l.Kind.String())
		}
		return lost
	}
}

func countTexts(t *testing.T, got []string, want int) {
	t.Helper()
	if len(got) != want {
		t.Errorf("%d messages leave, want %d: %.300q", len(got), want, got)
	}
}

func TestTexts(t *testing.T) {
	p, plan := textsOf(legacyClient)
	plan("a", "p", "1. One")
	plan("b", "p", "1. Other")
	countTexts(t, p.turn("a"), 1)
	countTexts(t, p.turn("a"), 0)
	plan("a", "p", " 1. One ")
	countTexts(t, p.turn("a"), 0) // the same text
	plan("a", "p", "1. Two")
	plan("a", "q", "1. Three")
	countTexts(t, p.turn("a"), 2)
	plan("a", "p", "1. Two\\n2. Four\\n")
	countTexts(t, p.turn("a"), 1)
	plan("a", "p", "1. [x] Two\\n2.  Four ✅\\n")
	countTexts(t, p.turn("a"), 0) // only more of it is done
	countTexts(t, p.ends(), 1)
	for _, path := range []string{"/t/six.md", "/t/seven.md"} {
		plan("a", "p", `1. Six","path":"`+path) // the same text in another file
	}
	plan("a", "q", `1. See /t/q.md","path":"/t/q.md`)
	plan("a", "r", `1. Seven","path":"r.md`)
	got := p.turn("a")
	countTexts(t, got, 3)
	if all := strings.Join(got, ""); strings.Count(all, "Plan file: ") != 1 || !strings.Contains(all, `1. Six\n\nPlan file: /t/seven.md\n\n"`) {
		t.Errorf("the file of a plan: %s", all)
	}
	plan("a", "p", `1. Six","path":"/t/six.md`)
	countTexts(t, p.turn("a"), 0)
	plan("a", "p", "1. Five")
	p.load("a")
	countTexts(t, p.ends(), 0)
	plan("a", "p", "")
	countTexts(t, p.ends(), 0)
}

// What leaves at the agent's end is the same each time.
func TestTextsAtTheEndAreInOrder(t *testing.T) {
	p, plan := textsOf(legacyClient)
	for _, session := range []string{"d", "b", "a", "e", "c"} {
		plan(session, "p", "1. One")
	}
	for i, text := range p.ends() {
		if want := `"sessionId":"` + string("abcde"[i]) + `"`; !strings.Contains(text, want) {
			t.Errorf("message %d is %s", i, text)
		}
	}
}

// Only a client that knows nothing but plan gets texts.
func TestTextsForOthers(t *testing.T) {
	p, plan := textsOf(capabilities.Client{Shows: capabilities.Plan | capabilities.Items})
	plan("a", "p", "1. One")
	countTexts(t, p.ends(), 0)
	if p.completesTexts() {
		t.Error("ends of turns matter")
	}
}

func TestTextLimits(t *testing.T) {
	p, plan := textsOf(legacyClient)
	if lost := plan("a", "p", strings.Repeat("a", longestText+1)); len(lost) != 2 { // its length, too
		t.Errorf("a long text loses %q", lost)
	}
	if lost := plan("a", "q", `- a\n\n~~~\n`+strings.Repeat("b", longestText-100)); lost != nil {
		t.Errorf("one that is not too long loses %q", lost)
	}
	countTexts(t, p.ends(), 1)
}

// A text is not said again after its plan was removed.
func TestTextOfPlanThatWasRemoved(t *testing.T) {
	p := newPeer(*with(func(o *Options) { o.Markdown = MarkdownBoth }), legacyClient)
	mustSend(t, p, "a", markdownUpdate("p", "1. One"))
	countTexts(t, p.turn("a"), 1)
	mustSend(t, p, "a", removed("p"))
	mustSend(t, p, "a", markdownUpdate("q", "1. One"))
	countTexts(t, p.turn("a"), 0)
	p.close("a")
	mustSend(t, p, "a", markdownUpdate("q", "1. One"))
	countTexts(t, p.turn("a"), 1)
}
