package plans

import (
	"encoding/json"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// approval reads a permission request of a session, which has those params besides.
func (p *peer) approval(session, params string) *approval {
	params = strings.Replace(params, "{", `{"sessionId":"`+session+`",`, 1)
	return p.readApproval(p.read(`{"id":1,"method":"` + methodPermission + `","params":` + params + `}`))
}

// ask has the client be asked, and returns what it gets before that.
func (p *peer) ask(a *approval, own bool) []string {
	p.out.Reset(translate.Agent, nil)
	p.asked(a, own)
	return p.leaves()
}

// TestApproval tells which permission requests are about a plan, and with which text.
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
		text         string // "" if it is about none
	}{
		{"the raw input", `{"toolCall":{"kind":"switch_mode","rawInput":{"plan":"1. A"},"content":` + content("B") + `}}`, "1. A"},
		{"else the text content", `{"toolCall":{"kind":"switch_mode","rawInput":{"plan":{}},"content":` + content("1. A", "2. B") + `}}`, "1. A\n\n2. B"},
		{"of other content nothing", `{"toolCall":{"kind":"switch_mode","content":[{"type":"diff","path":"/a"},7,{"type":"content","content":{"type":"image"}}]}}`, ""},
		{"in version 2", `{"subject":{"type":"tool_call","toolCall":{"kind":"switch_mode","rawInput":{"plan":"1. A"}}}}`, "1. A"},
		{"behind a bridge, without the question", `{"_meta":{"acp-bridge":{"permission":{}}},"toolCall":{"kind":"switch_mode","content":` + content("Q?", "1. A") + `}}`, "1. A"},
		{"another kind", `{"toolCall":{"kind":"edit","rawInput":{"plan":"1. A"}}}`, ""},
		{"no kind", `{"toolCall":{"rawInput":{"plan":"1. A"}}}`, ""},
		{"blank", `{"toolCall":{"kind":"switch_mode","rawInput":{"plan":" \n"}}}`, ""},
		{"no object", `{"toolCall":[{"kind":"switch_mode"}]}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPeer(defaults(), newClient)
			a := p.approval("s", tt.params)
			if tt.text == "" || a == nil {
				if a != nil || tt.text != "" {
					t.Fatalf("%+v", a)
				}
				return
			}
			var said struct {
				Params struct {
					SessionID string
					Update    struct {
						Plan struct{ Content, PlanID string }
					}
				}
			}
			if err := json.Unmarshal(a.message(), &said); err != nil {
				t.Fatal(err)
			}
			if got := said.Params; got.SessionID != "s" || got.Update.Plan.Content != tt.text || got.Update.Plan.PlanID != toApprove {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestApprovalOfLivePlan asks about a plan that the agent has said.
func TestApprovalOfLivePlan(t *testing.T) {
	for _, tt := range []struct{ update, removes string }{
		{markdownUpdate("p", `1. A\n2. B\n`), `{"sessionUpdate":"plan_removed","planId":"p"}`},
		{`{"sessionUpdate":"plan_update","plan":{"type":"markdown","content":"1. A\r\n2. B"}}`, `{"sessionUpdate":"plan_removed","planId":"main"}`},
	} {
		p := newPeer(defaults(), newClient)
		mustSend(t, p, "s", tt.update)
		a := p.approval("s", `{"toolCall":{"kind":"switch_mode","rawInput":{"plan":"1. A\n2. B"}}}`)
		if said := a.message(); said != nil {
			t.Errorf("it is said again: %s", said)
		}
		p.ask(a, true)
		want := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + tt.removes + `}}`
		if removes := p.refused(a, nil); string(removes) != want {
			t.Errorf("%s removes it, want %s", removes, want)
		}
	}
}

// TestApprovalsOfOneID asks about two plans one after the other: the newer one is what the
// client is shown, and leaves only if that is refused.
func TestApprovalsOfOneID(t *testing.T) {
	const allow, reject = `{"outcome":{"outcome":"selected","optionId":"a"}}`, `{"outcome":{"outcome":"selected","optionId":"r"}}`
	for _, tt := range []struct {
		older, newer string
		want         bool // something leaves with the answer to the newer one
	}{{reject, reject, true}, {allow, reject, true}, {reject, allow, false}} {
		p := newPeer(defaults(), newClient)
		ask := func(text string) *approval {
			a := p.approval("s", `{"toolCall":{"kind":"switch_mode","rawInput":{"plan":"`+text+`"}},"options":[{"optionId":"a","kind":"allow_once"}]}`)
			mustSend(t, p, "s", string(rawjson.Get(a.message(), "params", "update")))
			p.ask(a, true)
			return a
		}
		older, newer := ask("1. A"), ask("1. B")
		if removes := p.refused(older, []byte(tt.older)); removes != nil {
			t.Errorf("the older one removes %s", removes)
		}
		if removes := p.refused(newer, []byte(tt.newer)); (removes != nil) != tt.want {
			t.Errorf("the newer one removes %s", removes)
		}
	}
}

// TestApprovalSaysText: whatever a client is shown of plans, it can read what it is asked to
// approve, once.
func TestApprovalSaysText(t *testing.T) {
	items := client("items,removed", capabilities.PlanIDNew, 1)
	for _, tt := range []struct {
		name     string
		markdown Markdown
		client   capabilities.Client
		text     string
		own      bool
		want     int // messages
	}{
		{"both", MarkdownBoth, legacyClient, "1. A", true, 1},
		{"both, a vendor's", MarkdownBoth, legacyClient, "1. A", false, 1},
		{"entries", MarkdownEntries, legacyClient, "1. A", true, 1},
		{"drop", MarkdownDrop, legacyClient, "1. A", true, 1},
		{"entries, and the vendor says it", MarkdownEntries, legacyClient, "1. A", false, 0},
		{"a list without markdown", MarkdownBoth, items, "1. A", true, 1},
		{"a list without markdown, of version 2", MarkdownBoth, client("items", capabilities.PlanIDNew, 2), "1. A", true, 1},
		{"markdown plans", MarkdownBoth, newClient, "1. A", true, 0},
		{"too long to be kept", MarkdownBoth, legacyClient, strings.Repeat("a ", longestText/2+1), true, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPeer(*with(func(o *Options) { o.Markdown = tt.markdown }), tt.client)
			for range 2 {
				a := p.approval("s", `{"toolCall":{"kind":"switch_mode","rawInput":{"plan":"`+tt.text+`"}}}`)
				if says := a.message(); says != nil {
					if _, err := p.send("s", string(rawjson.Get(says, "params", "update"))); err != nil {
						t.Fatal(err)
					}
				}
				said := 0
				for _, m := range p.ask(a, tt.own) {
					m := []byte(m)
					if text, ok := rawjson.TextOf(rawjson.Get(m, "params", "update", "content", "text")); ok {
						said++
						if got := strings.TrimSpace(string(text)); got != strings.TrimSpace(tt.text) {
							t.Errorf("it says %.100q", got)
						}
						if isNew := rawjson.Get(m, "params", "update", "messageId") != nil; isNew != tt.client.AnyEntry {
							t.Errorf("a number in %.200s", m)
						}
					}
				}
				if said != tt.want {
					t.Errorf("%d messages say it, want %d", said, tt.want)
				}
				tt.want = 0
			}
		})
	}
}

// TestApprovalOfSaidPlan asks about a plan that codex-acp has said in a message of its own.
func TestApprovalOfSaidPlan(t *testing.T) {
	for id, said := range map[string]bool{"plan-review:1": true, "call-1": false} {
		p := newPeer(defaults(), newClient)
		a := p.approval("s", `{"toolCall":{"toolCallId":"`+id+`","kind":"switch_mode","rawInput":{"plan":"1. A"}}}`)
		if a.message() == nil || a.shown != said {
			t.Errorf("%s: the text counts as shown: %v", id, a.shown)
		}
	}
}
