package plans

import (
	"encoding/json"
	"testing"
)

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
			a := p.translator.Approval([]byte("s"), []byte(tt.params))
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
			if err := json.Unmarshal(a.Says(), &said); err != nil {
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
		a := p.translator.Approval([]byte("s"), []byte(`{"toolCall":{"kind":"switch_mode","rawInput":{"plan":"1. A\n2. B"}}}`))
		if said := a.Says(); said != nil {
			t.Errorf("it is said again: %s", said)
		}
		if want := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + tt.removes + `}}`; string(a.Removes()) != want {
			t.Errorf("%s removes it, want %s", a.Removes(), want)
		}
	}
}

// TestApprovalOfSaidPlan asks about a plan that codex-acp has said in a message of its own.
func TestApprovalOfSaidPlan(t *testing.T) {
	for id, said := range map[string]bool{"plan-review:1": true, "call-1": false} {
		p := newPeer(defaults(), newClient)
		a := p.translator.Approval([]byte("s"), []byte(`{"toolCall":{"toolCallId":"`+id+`","kind":"switch_mode","rawInput":{"plan":"1. A"}}}`))
		if a.Says() == nil || a.shown != said {
			t.Errorf("%s: the text counts as shown: %v", id, a.shown)
		}
	}
}
