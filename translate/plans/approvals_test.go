package plans

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// permission sends a permission request of the agent with these params besides the session. It
// returns the messages that the client receives before the request.
func (p *peer) permission(id, session, params string) []string {
	params = strings.Replace(params, "{", `{"sessionId":"`+session+`",`, 1)
	outputs := p.from(translate.Agent, `{"id":`+id+`,"method":"session/request_permission","params":`+params+`}`)
	return outputs[:len(outputs)-1]
}

// choose answers a permission request, and returns the messages that the client receives
// afterwards.
func (p *peer) choose(id, option string) (outputs []string) {
	for i, text := range p.from(translate.Client, `{"id":`+id+`,"result":{"outcome":{"outcome":"selected","optionId":"`+option+`"}}}`) {
		if p.out.Outputs()[i].To == translate.Client {
			outputs = append(outputs, text)
		}
	}
	return outputs
}

// asksAbout returns the params of a request to approve a plan, with options "a" and "r".
func asksAbout(text string) string {
	return `{"toolCall":{"kind":"switch_mode","rawInput":{"plan":"` + text + `"}},"options":[{"optionId":"a","kind":"allow_once"},{"optionId":"r","kind":"reject_once"}]}`
}

func wantUpdates(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, received(got).Updates, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestApproval tests which permission requests ask about a plan, and the text of that plan.
func TestApproval(t *testing.T) {
	content := func(texts ...string) string {
		list := ""
		for i, text := range texts {
			if i > 0 {
				list += ","
			}
			list += `{"type":"content","content":{"type":"text","text":"` + text + `"}}`
		}
		return `[` + list + `]`
	}
	for _, tt := range []struct {
		name, params string
		text         string // as JSON; "" if the request does not ask about a plan
	}{
		{"the plan in the raw input", `{"toolCall":{"kind":"switch_mode","rawInput":{"plan":"1. A"},"content":` + content("B") + `}}`, "1. A"},
		{"the text content, if the raw input has no plan", `{"toolCall":{"kind":"switch_mode","rawInput":{"plan":{}},"content":` + content("1. A", "2. B") + `}}`, `1. A\n\n2. B`},
		{"content without a text", `{"toolCall":{"kind":"switch_mode","content":[{"type":"diff","path":"/a"},7,{"type":"content","content":{"type":"image"}}]}}`, ""},
		{"a request of version 2", `{"subject":{"type":"tool_call","toolCall":{"kind":"switch_mode","rawInput":{"plan":"1. A"}}}}`, "1. A"},
		{"a request of a bridge, without the inserted question", `{"_meta":{"acp-bridge":{"permission":{}}},"toolCall":{"kind":"switch_mode","content":` + content("Q?", "1. A") + `}}`, "1. A"},
		{"another kind", `{"toolCall":{"kind":"edit","rawInput":{"plan":"1. A"}}}`, ""},
		{"no kind", `{"toolCall":{"rawInput":{"plan":"1. A"}}}`, ""},
		{"a blank plan", `{"toolCall":{"kind":"switch_mode","rawInput":{"plan":" \n"}}}`, ""},
		{"a tool call that is no object", `{"toolCall":[{"kind":"switch_mode"}]}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var want []string
			if tt.text != "" {
				want = append(want, markdownUpdate(translate.ProposedPlan, tt.text))
			}
			wantUpdates(t, newPeer(defaults(), newClient).permission("7", "s", tt.params), want...)
		})
	}
}

// TestApprovalOfLivePlan verifies that a plan that the agent has sent is not sent again, and is
// removed if it is not approved.
func TestApprovalOfLivePlan(t *testing.T) {
	for _, tt := range []struct{ update, removes string }{
		{markdownUpdate("p", `1. A\n2. B\n`), removed("p")},
		{`{"sessionUpdate":"plan_update","plan":{"type":"markdown","content":"1. A\r\n2. B"}}`, removed("main")},
	} {
		p := newPeer(defaults(), newClient)
		mustSend(t, p, "s", tt.update)
		wantUpdates(t, p.permission("7", "s", asksAbout(`1. A\n2. B`)))
		wantUpdates(t, p.choose("7", "other"), tt.removes)
	}
}

// TestApprovalsOfOneID verifies that if two requests ask about a plan, only the answer to the later
// request removes the plan.
func TestApprovalsOfOneID(t *testing.T) {
	for _, tt := range []struct {
		older, newer string
		removes      bool
	}{{"r", "r", true}, {"a", "r", true}, {"r", "a", false}} {
		p := newPeer(defaults(), newClient)
		wantUpdates(t, p.permission("1", "s", asksAbout("1. A")), markdownUpdate(translate.ProposedPlan, "1. A"))
		wantUpdates(t, p.permission("2", "s", asksAbout("1. B")), markdownUpdate(translate.ProposedPlan, "1. B"))
		wantUpdates(t, p.choose("1", tt.older))
		var want []string
		if tt.removes {
			want = append(want, removed(translate.ProposedPlan))
		}
		wantUpdates(t, p.choose("2", tt.newer), want...)
	}
}

// TestApprovedPlanIsShownOnce verifies that the agent's own plan with the same text replaces a plan
// to approve, and that the pending request is then about the agent's plan.
func TestApprovedPlanIsShownOnce(t *testing.T) {
	p := newPeer(defaults(), newClient)
	wantUpdates(t, p.permission("1", "s", asksAbout(`1. A\n2. B`)), markdownUpdate(translate.ProposedPlan, `1. A\n2. B`))
	got := mustSend(t, p, "s", markdownUpdate("own", `1. A\n\n2. B\n`))
	if diff := cmp.Diff([]string{markdownUpdate("own", `1. A\n\n2. B\n`), removed(translate.ProposedPlan)}, got.Updates); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	wantUpdates(t, p.choose("1", "r"), removed("own"))

	// A text that grows replaces the plan when it is complete.
	p = newPeer(defaults(), legacyClient)
	wantUpdates(t, p.permission("1", "s", asksAbout(`1. A\n2. B`))[:1], legacyPlan(todo("A"), todo("B")))
	mustSend(t, p, "s", markdownUpdate("own", `1. A`))
	if got := mustSend(t, p, "s", markdownUpdate("own", `1. A\n2. B`)); got.Action != Drop {
		t.Errorf("the list does not wait: %v", got)
	}
	wantUpdates(t, p.turn("s"), legacyPlan(todo("A"), todo("B")))

	// The agent's plan also replaces it if its list is complete before.
	p = newPeer(defaults(), legacyClient)
	p.permission("1", "s", asksAbout(`1. A\n\nThe end.`))
	mustSend(t, p, "s", markdownUpdate("own", `1. A`))
	mustSend(t, p, "s", markdownUpdate("own", `1. A\n\nThe end.`))
	wantUpdates(t, p.turn("s"), legacyPlan(todo("A")))
}

// TestApprovedPlanMakesRoom verifies that a list replaces an approved plan, but not a plan that
// awaits approval.
func TestApprovedPlanMakesRoom(t *testing.T) {
	p := newPeer(defaults(), newClient)
	p.permission("1", "s", asksAbout("1. A"))
	mustSend(t, p, "s", items("p", todo("B")))
	wantUpdates(t, p.choose("1", "a"))
	mustSend(t, p, "s", markdownUpdate("q", "C"))
	got := mustSend(t, p, "s", items("p", todo("C")))
	if diff := cmp.Diff([]string{items("p", todo("C")), removed(translate.ProposedPlan)}, got.Updates); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestApprovalOfClosedSession verifies that the answer has no effect if the session is closed.
func TestApprovalOfClosedSession(t *testing.T) {
	p := newPeer(defaults(), newClient)
	p.permission("7", "s", asksAbout("1. A"))
	p.close("s")
	wantUpdates(t, p.choose("7", "r"))
}

// A response without an option id approves nothing, not even an option without an id.
func TestApprovalWithoutOptionID(t *testing.T) {
	p := newPeer(defaults(), newClient)
	p.permission("7", "s", `{"toolCall":{"kind":"switch_mode","rawInput":{"plan":"1. A"}},"options":[{"kind":"allow_once"}]}`)
	wantUpdates(t, p.choose("7", ""), removed(translate.ProposedPlan))
}

// TestApprovalText verifies that a client receives the text that it is asked to approve once,
// whichever plans it displays.
func TestApprovalText(t *testing.T) {
	items := client("items,removed", capabilities.PlanIDNew, 1)
	for _, tt := range []struct {
		name     string
		markdown Markdown
		client   capabilities.Client
		text     string
		want     bool
	}{
		{"both", MarkdownBoth, legacyClient, "1. A", true},
		{"entries", MarkdownEntries, legacyClient, "1. A", true},
		{"drop", MarkdownDrop, legacyClient, "1. A", true},
		{"a list without markdown", MarkdownBoth, items, "1. A", true},
		{"a list without markdown, of version 2", MarkdownBoth, client("items", 0, 2), "1. A", true},
		{"markdown plans", MarkdownBoth, newClient, "1. A", false},
		{"a text too long to be kept", MarkdownBoth, legacyClient, strings.Repeat("a ", longestText/2+1), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPeer(*with(func(o *Options) { o.Markdown = tt.markdown }), tt.client)
			for range 2 {
				texts := 0
				for _, m := range p.permission("1", "s", asksAbout(tt.text)) {
					text, ok := rawjson.TextOf(rawjson.Get([]byte(m), "params", "update", "content", "text"))
					if !ok {
						continue
					}
					texts++
					if got := strings.TrimSpace(string(text)); got != strings.TrimSpace(tt.text) {
						t.Errorf("the text is %.100q", got)
					}
					if strings.Contains(m, `"messageId"`) != tt.client.Version2 {
						t.Errorf("a message id in %.200s", m)
					}
				}
				if (texts == 1) != tt.want {
					t.Errorf("%d messages with the text", texts)
				}
				tt.want = false
			}
		})
	}
}

// TestApprovalOfSentText verifies that the text of a plan review of codex-acp is not sent again.
func TestApprovalOfSentText(t *testing.T) {
	for id, want := range map[string]int{"plan-review:1": 1, "call-1": 2} {
		p := newPeer(*with(func(o *Options) { o.Markdown = MarkdownBoth }), legacyClient)
		params := `{"toolCall":{"toolCallId":"` + id + `","kind":"switch_mode","rawInput":{"plan":"1. A"}}}`
		if got := p.permission("1", "s", params); len(got) != want {
			t.Errorf("%s: %q", id, got)
		}
	}
}
