package vendors

import (
	"errors"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
)

// oh-my-pi's plan is in a tool call. oh-my-pi asks in a form, or not at all.
func TestProposals(t *testing.T) {
	const script = `
# an approved proposal
agent> write 1 | Draft
client< =
agent> wrote 1
client< =
agent> write 2 | # Plan\n\n1. Measure
client< =
agent> wrote 2
client< =
agent> propose 3
client< =
client< text plan-to-approve | # Plan\n\n1. Measure
agent> asks-form 0
client< =
client> result 0 | {"action":"accept","content":{"value":"Approve and execute"}}
agent< =
agent> change 3 | ,"status":"completed"
client< =
# a refused proposal, proposed again
agent> write 1 | A plan
client< =
agent> wrote 1
client< =
agent> propose 2
client< =
client< text plan-to-approve | A plan
agent> asks-form 0
client< =
client> result 0 | {"action":"accept","content":{"value":"Refine plan"}}
agent< =
client< removed plan-to-approve
agent> change 2 | ,"status":"failed"
client< =
agent> propose 3
client< =
client< text plan-to-approve | A plan
agent> asks-form 1
client< =
client> result 1 | {"action":"decline"}
agent< =
client< removed plan-to-approve
# no form asks about the proposal
agent> write 1 | A plan
client< =
agent> wrote 1
client< =
agent> propose 2
client< =
client< text plan-to-approve | A plan
agent> change 2 | ,"status":"completed"
client< =
lost user not asked
# a proposal that fails
agent> write 1 | A plan
client< =
agent> wrote 1
client< =
agent> propose 2
client< =
client< text plan-to-approve | A plan
agent> change 2 | ,"status":"failed"
client< =
client< removed plan-to-approve
# proposals of a failed write, another plan and an empty text
agent> write 1 | A plan
client< =
agent> change 1 | ,"status":"failed"
client< =
agent> propose 2
client< =
agent> write 3 |  \n
client< =
agent> wrote 3
client< =
agent> propose 4
client< =
agent> call 5 | xd://propose | ,"rawInput":{"path":"xd://propose","content":"other"}
client< =
agent> asks-form 0
client< =
client> result 0 | {"action":"accept"}
agent< =
# a file that another call has changed
agent> write 1 | A plan
client< =
agent> wrote 1
client< =
agent> call 2 | local://cache-plan.md | ,"kind":"read","rawInput":{"path":"local://cache-plan.md"}
client< =
agent> change 2 | ,"status":"completed"
client< =
agent> propose 3
client< =
client< text plan-to-approve | A plan
agent> call 4 | local://cache-plan.md | ,"kind":"edit","rawInput":{"path":"local://cache-plan.md","edits":[]}
client< =
agent> change 4 | ,"status":"completed"
client< =
agent> propose 5
client< =
client< text plan-to-approve | from /tmp/cache-plan.md`
	readFile := func(path string) ([]byte, error) {
		if path == "" {
			return nil, errors.New("no path")
		}
		return []byte("from " + path), nil
	}
	for _, m := range []Mode{Auto, On} {
		templates.Run(t, func() translate.SimpleStage {
			stage := negotiated(m, Peers{Plans: capabilities.Client{Shows: capabilities.Items | capabilities.Markdown}, Agent: "oh-my-pi"})
			stage.ReadFile = readFile
			return stage
		}, script)
	}
	templates.Run(t, func() translate.SimpleStage {
		return negotiated(Auto, Peers{Plans: capabilities.Client{Shows: capabilities.Items | capabilities.Markdown}})
	}, `
# a changed file that cannot be read
agent> write 1 | A plan
client< =
agent> wrote 1
client< =
agent> call 2 | local://cache-plan.md | ,"kind":"edit","status":"completed","rawInput":{"path":"local://cache-plan.md","edits":[]}
client< =
agent> propose 3
client< =
client< text plan-to-approve | A plan\n\n(The agent may have changed this plan since. Its file cannot be read here.)
lost plan file
# a changed file without an earlier text
agent> call 2 | local://cache-plan.md | ,"kind":"edit","status":"completed","rawInput":{"path":"local://cache-plan.md","edits":[]}
client< =
agent> propose 3
client< =
lost plan file`)
	stage := negotiated(Off, Peers{})
	templates.Send(stage, "agent> write 1 | A plan")
	templates.Send(stage, "agent> wrote 1")
	if got := templates.Send(stage, "agent> propose 2"); got != "client< =" {
		t.Errorf("with off, the client gets %s", got)
	}
}

// The number of plan files is limited, and they count in the budget. Calls that have ended are not kept.
func TestPlanFiles(t *testing.T) {
	stage := negotiated(Auto, Peers{})
	for _, name := range strings.Split("abcdefghijk", "") {
		templates.Send(stage, `agent> call `+name+` | local://`+name+`-plan.md | ,"status":"completed","rawInput":{"path":"local://`+name+`-plan.md","content":"text"}`)
	}
	sess := stage.sessions.all.Get("s")
	checkMemory(t, stage)
	if wantsCalls(stage) {
		t.Error("a completed call is open")
	}
	if n := sess.planFiles.Len(); n != maxPlanFiles || sess.planFiles.Has("local://a-plan.md") {
		t.Errorf("%d plan files", n)
	}
}
