package programtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/programtest/needs"
)

// TestRealAgents runs published agents with a scripted model behind the proxy. The client must
// receive each step of their plans and no unsupported update, and all processes must exit.
func TestRealAgents(t *testing.T) {
	rig := installRealAgents(t, "claude", "codex2", "opencode", "kilo", "grok")
	proxy := buildProgram(t, ".")

	const (
		v2       = "PROTOCOL=2"
		legacy   = `"sessionUpdate":"plan",`
		todos    = "Read the config —"
		list     = `"entries":[{"content":"` + todos
		markdown = `Final line without trailing newline`
		approved = "Plan mode exited" // the title of Grok's tool call after the approval
		own      = `"id":"acp-plan-proxy/`
		refused  = `"code":-32601`
	)
	for _, test := range []struct {
		name, agent  string
		env          []string
		flag         string
		gets, getsNo []string // the client
		sends        []string
	}{
		{name: "claude, legacy client", agent: "claude", flag: "--advertise=always",
			gets: []string{legacy, list, "write the lexer", "run `go test ./...`"}, getsNo: []string{"plan_update"}},
		{name: "claude, version 2", agent: "claude", env: []string{v2}, gets: []string{list, markdown}, getsNo: []string{legacy}},
		{name: "codex, plan operations", agent: "codex2", env: []string{`CAPS={"plan":{}}`},
			gets: []string{todos, markdown}, getsNo: []string{legacy}},
		{name: "codex, legacy client", agent: "codex2", flag: "--advertise=always",
			gets: []string{legacy, todos, "write the lexer"}, getsNo: []string{"plan_update"}},
		{name: "opencode, legacy client", agent: "opencode", env: []string{"SCENARIO=todos"},
			gets: []string{legacy + list, "todowrite"}, getsNo: []string{own, "plan_update"}},
		{name: "kilo, version 2", agent: "kilo", env: []string{"SCENARIO=todos", v2},
			gets: []string{`"sessionUpdate":"plan_update","plan":{"type":"items","planId":"main",` + list}, getsNo: []string{own}},
		{name: "grok, plan approved", agent: "grok", env: []string{"SCENARIO=planmode"},
			gets: []string{legacy, own, `"content":{"type":"text","text":"# Plan: add a parser`, approved}, sends: []string{refused, `"optionId":"allow"`}},
		{name: "grok, plan approved, version 2", agent: "grok", env: []string{"SCENARIO=planmode", v2},
			gets: []string{`"sessionUpdate":"plan_update"`, "session/request_permission", approved}, sends: []string{refused, `"optionId":"allow"`}},
		{name: "grok, plan abandoned", agent: "grok", env: []string{"SCENARIO=planmode", "DRIVE_OPTS=--allow Leave"},
			gets: []string{own}, sends: []string{`"optionId":"abandon"`}},
		{name: "grok, a client that knows the request", agent: "grok",
			env:  []string{"SCENARIO=planmode", `DRIVE_OPTS=--ext {"x.ai/exit_plan_mode":{"outcome":"approved"}}`},
			gets: []string{`"method":"_x.ai/exit_plan_mode"`, approved}, getsNo: []string{own}},
		{name: "grok, questions in a form", agent: "grok", env: []string{"SCENARIO=question", `CAPS={"elicitation":{"form":{}}}`},
			gets: []string{own, "elicitation/create", `"Which colour?"`}, sends: []string{`"action":"accept"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			transcript := filepath.Join(t.TempDir(), "transcript.jsonl")
			args := []string{proxy, "--log-level=debug", cmp.Or(test.flag, "--advertise=auto"), "--"}
			cmd := exec.Command(filepath.Join(rig, "run-"+test.agent+".sh"), args...)
			cmd.Env = slices.Concat(os.Environ(), []string{"SCENARIO=both", "CAPS={}", "PROTOCOL=1", "OUT=" + transcript}, test.env)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s\nthe proxy's log:\n%s", err, out, readFile(t, transcript+".stderr"))
			}
			got, sent := linesOf(t, transcript)
			for _, want := range test.gets {
				if !strings.Contains(got, want) {
					t.Errorf("the client does not get %s", want)
				}
			}
			for _, not := range test.getsNo {
				if strings.Contains(got, not) {
					t.Errorf("the client gets %s", not)
				}
			}
			for _, want := range test.sends {
				if !strings.Contains(sent, want) {
					t.Errorf("the client does not send %s", want)
				}
			}
			var end struct {
				Exit                   struct{ Code *int }
				Children, ChildrenLeft []struct{ Args string }
			}
			readJSON(t, transcript+".meta.json", &end)
			if end.Exit.Code == nil || *end.Exit.Code != 0 || len(end.Children) == 0 || len(end.ChildrenLeft) > 0 {
				t.Errorf("a process failed or is still running: %s", readFile(t, transcript+".meta.json"))
			}
		})
	}
}

// linesOf returns the lines that the client in a transcript of the rig received and sent.
func linesOf(t *testing.T, transcript string) (got, sent string) {
	t.Helper()
	for line := range bytes.Lines(readFile(t, transcript)) {
		var event struct{ Dir, Line string }
		if err := json.Unmarshal(line, &event); err != nil {
			t.Fatalf("%s: %v", transcript, err)
		}
		if event.Dir == "a2c" {
			got += event.Line + "\n"
		} else {
			sent += event.Line + "\n"
		}
	}
	return got, sent
}

// installRealAgents installs the agents in the rig if tests are required, and returns its folder.
func installRealAgents(t *testing.T, agents ...string) (rig string) {
	t.Helper()
	rig = needs.Shared(t, "rig")
	install := filepath.Join(rig, "install.sh")
	if needs.Required() {
		if out, err := exec.Command(install, agents...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", install, err, out)
		}
		return rig
	}
	cache := cmp.Or(os.Getenv("RIG_CACHE"), filepath.Join(os.TempDir(), "acp-rig"))
	for _, agent := range agents {
		if _, err := os.Stat(filepath.Join(cache, "agents", agent, ".done")); err != nil {
			needs.Skip(t, "the real agents are not installed: "+install+" "+strings.Join(agents, " ")+" installs them")
		}
	}
	return rig
}
