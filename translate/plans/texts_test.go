package plans

import (
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/rawjson"
)

// TestTexts tests which texts a legacy client receives as messages, and when.
func TestTexts(t *testing.T) {
	both := with(func(o *Options) { o.Markdown = MarkdownBoth })
	cases := []testCase{{
		name: "each text once, at the end of the turn of its session",
		talk: `
			> markdown p: 1. One
			< plan One
			other> markdown p: 1. Other
			< plan Other
			turn
			< chat 1. One
			turn`,
	}, {
		name: "before a question",
		talk: `
			> markdown p: 1. One
			< plan One
			> {"sessionUpdate":"x"}
			< =
			asks
			< chat 1. One
			turn`,
	}, {
		name: "when the agent ends",
		talk: `
			> markdown p: 1. One
			< plan One
			ends
			< chat 1. One`,
	}, {
		name: "after the list",
		talk: `
			> markdown p: Only words.
			turn
			< plan Only words.
			< chat Only words.`,
	}, {
		name: "the texts of all plans",
		talk: `
			> markdown p: 1. Two
			< plan Two
			> markdown q: 1. Three
			< plan [p] Two | [q] Three
			> markdown p: 1. Two\n2. Four\n
			turn
			< plan [p] Two | [p] Four | [q] Three
			< chat 1. Two\n2. Four
			< chat 1. Three`,
	}, {
		name: "white space and statuses do not make a text another one",
		talk: `
			> markdown p: 1. Two\n2. Four\n
			< plan Two | Four
			turn
			< chat 1. Two\n2. Four
			> markdown p: \n1. [x] Two\n2.  [ ] Four\n
			< plan Two (completed) | Four
			turn`,
	}, {
		name: "the same text is sent again after a reset of the session, not after the removal of the plan",
		talk: `
			> markdown p: 1. One
			< plan One
			turn
			< chat 1. One
			> removed p
			< plan
			> markdown q: 1. One
			< plan One
			turn
			load
			> markdown q: 1. One
			< plan One
			turn
			< chat 1. One`,
	}, {
		name: "a plan that was removed or reset before has no text",
		talk: `
			> markdown p: 1. One
			< plan One
			> removed p
			< plan
			turn
			> markdown p: 1. One
			< plan One
			load
			turn`,
	}, {
		name: "the last line is the path of the plan's file, which does not make the text another one",
		talk: `
			> markdown p /t/six.md: 1. Six
			< plan Six
			> markdown p /t/seven.md: 1. Six
			< plan Six
			turn
			< chat 1. Six\n\nPlan file: /t/seven.md
			> markdown p /t/six.md: 1. Six
			< plan Six
			turn`,
	}, {
		name: "no path that is in the text or is not absolute",
		talk: `
			> markdown p /t/q.md: 1. See /t/q.md
			< plan See /t/q.md
			> markdown q r.md: 1. Seven
			< plan [q.md] See /t/q.md | [q] Seven
			turn
			< chat 1. See /t/q.md
			< chat 1. Seven`,
	}, {
		name: "an empty text is none",
		talk: `
			> markdown p: \n
			turn`,
	}, {
		name:   "a client that displays more than lists receives none",
		client: capabilities.Client{Shows: capabilities.Plan | capabilities.Items, PlanID: capabilities.PlanIDNew},
		talk: `
			> markdown p: 1. One
			< items p: One
			turn`,
	}}
	for i := range cases {
		cases[i].options = both
	}
	runCases(t, legacyClient, cases)
}

// TestTextsAtTheEndAreInOrder verifies that the order at the agent's end is that of the sessions.
func TestTextsAtTheEndAreInOrder(t *testing.T) {
	p := newPeer(*with(func(o *Options) { o.Markdown = MarkdownBoth }), legacyClient)
	for _, session := range []string{"d", "b", "a", "e", "c"} {
		mustSend(t, p, session, markdownUpdate("p", "1. One"))
	}
	order := ""
	for _, text := range p.ends() {
		order += rawjson.StringAt([]byte(text), "params", "sessionId")
	}
	if order != "dbaec" {
		t.Errorf("the sessions of the messages are %q", order)
	}
}

func TestTextLimits(t *testing.T) {
	p := newPeer(*with(func(o *Options) { o.Markdown = MarkdownBoth }), legacyClient)
	for _, before := range []string{"", `\n`, `# Title\n`} {
		got := mustSend(t, p, "long", markdownUpdate("p", before+"a"+strings.Repeat("é", longestText/2)))
		if len(got.Warnings) != 2 || len(got.Updates) != 1 || !strings.Contains(got.Updates[0], `éé","priority"`) { // its length, too
			t.Errorf("a text that is too long: %q, %.200q", got.Warnings, got.Updates)
		}
	}
	if got := mustSend(t, p, "a", markdownUpdate("q", `- a\n\n~~~\n`+strings.Repeat("b", longestText-100))); got.Warnings != nil {
		t.Errorf("a text that is not too long: %q", got.Warnings)
	}
	if got := p.turn("a"); len(got) != 1 {
		t.Errorf("%d messages at the end of the turn", len(got))
	}
	mustSend(t, p, "a", markdownUpdate("r", "a"+strings.Repeat("b", longestText)))
	if used := p.live.sessions.Get("a").share.Used(); used > keep.PerSession {
		t.Errorf("%d bytes are kept", used)
	}
}
