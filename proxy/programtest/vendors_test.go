package programtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRealVendors runs published agents that say their plans in words of their vendors'
// own, in front of a scripted model, behind the proxy.
func TestRealVendors(t *testing.T) {
	rig := installRealAgents(t, "opencode", "kilo", "grok")
	proxy := build(t, ".")

	const (
		list     = `"content":"Read the config —`
		approved = "Plan mode exited" // the title of Grok's tool call when it goes on
		own      = `"id":"acp-plan-proxy/`
		text     = `"content":{"type":"text","text":"# Plan: add a parser`
	)
	for _, test := range []struct {
		name, script string
		env          []string
		has, hasNot  []string // what the client gets
		says         []string // what it says
	}{
		{
			name: "opencode, legacy client", script: "run-opencode.sh",
			has: []string{`"sessionUpdate":"plan","entries":[{` + list, "todowrite"}, hasNot: []string{own, "plan_update"},
		},
		{
			name: "opencode, version 2", script: "run-opencode.sh", env: []string{"PROTOCOL=2"},
			has: []string{`"sessionUpdate":"plan_update","plan":{"type":"items","planId":"main","entries":[{` + list}, hasNot: []string{own},
		},
		{
			name: "kilo, legacy client", script: "run-kilo.sh",
			has: []string{`"sessionUpdate":"plan","entries":[{` + list, "todowrite"}, hasNot: []string{own, "plan_update"},
		},
		{
			name: "kilo, version 2", script: "run-kilo.sh", env: []string{"PROTOCOL=2"},
			has: []string{`"sessionUpdate":"plan_update","plan":{"type":"items","planId":"main","entries":[{` + list}, hasNot: []string{own},
		},
		{
			name: "grok, plan approved", script: "run-grok.sh", env: []string{"SCENARIO=planmode"},
			has: []string{`"sessionUpdate":"plan"`, own, text, approved}, says: []string{`"code":-32601`, `"optionId":"allow"`},
		},
		{
			name: "grok, plan approved, version 2", script: "run-grok.sh", env: []string{"SCENARIO=planmode", "PROTOCOL=2"},
			has: []string{`"sessionUpdate":"plan_update"`, "session/request_permission", approved}, says: []string{`"code":-32601`, `"optionId":"allow"`},
		},
		{
			name: "grok, plan abandoned", script: "run-grok.sh", env: []string{"SCENARIO=planmode", "DRIVE_OPTS=--allow Leave"},
			has: []string{own}, says: []string{`"optionId":"abandon"`},
		},
		{
			name: "grok, a client that knows the request", script: "run-grok.sh",
			env: []string{"SCENARIO=planmode", `DRIVE_OPTS=--ext {"x.ai/exit_plan_mode":{"outcome":"approved"}}`},
			has: []string{`"method":"_x.ai/exit_plan_mode"`, approved}, hasNot: []string{own},
		},
		{
			name: "grok, questions in a form", script: "run-grok.sh", env: []string{"SCENARIO=question", `CAPS={"elicitation":{"form":{}}}`},
			has: []string{own, "elicitation/create", `"Which colour?"`}, says: []string{`"action":"accept"`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			transcript := filepath.Join(t.TempDir(), "transcript.jsonl")
			cmd := exec.Command(filepath.Join(rig, test.script), proxy, "--log-level=debug", "--")
			cmd.Env = slices.Concat(os.Environ(), []string{"SCENARIO=todos", "CAPS={}", "PROTOCOL=1", "OUT=" + transcript}, test.env)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s\nthe proxy's log:\n%s", err, out, readFile(t, transcript+".stderr"))
			}
			got, said := linesOf(t, transcript)
			for _, want := range test.has {
				if !strings.Contains(got, want) {
					t.Errorf("the client does not get %s", want)
				}
			}
			for _, not := range test.hasNot {
				if strings.Contains(got, not) {
					t.Errorf("the client gets %s", not)
				}
			}
			for _, want := range test.says {
				if !strings.Contains(said, want) {
					t.Errorf("the client does not say %s", want)
				}
			}
			report(t, fmt.Sprintf("%s: as it should be", test.name))
		})
	}
}

// linesOf returns what the client in a transcript of the rig got, and what it said.
func linesOf(t *testing.T, transcript string) (got, said string) {
	t.Helper()
	for line := range bytes.Lines(readFile(t, transcript)) {
		var event struct{ Dir, Line string }
		if err := json.Unmarshal(line, &event); err != nil {
			t.Fatalf("%s: %v", transcript, err)
		}
		if event.Dir == "a2c" {
			got += event.Line + "\n"
		} else {
			said += event.Line + "\n"
		}
	}
	return got, said
}
