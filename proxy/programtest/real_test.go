package programtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/programtest/needs"
)

// TestRealAgents runs published agents, in front of a scripted model, behind
// the proxy. Their todos and a markdown plan must reach the client.
func TestRealAgents(t *testing.T) {
	rig := installRealAgents(t, "claude", "codex2")
	proxy := build(t, ".")

	todos := []string{"Read the config —", "Implement the parser 🚀", "Run tests"}
	tasks := []string{"write the lexer", "agree on the grammar", "run `go test ./...`"}
	markdown := append([]string{"Final line without trailing newline"}, tasks...)
	for _, test := range []struct {
		name, script  string
		env           []string
		flags         []string
		kinds         []string // of the plan updates that the client must get, and no other
		want          []string
		finished      []string // was shown, and makes room in the end
		whileStreamed int      // how many of them at least before the plan is complete
	}{
		{
			name: "claude, legacy client", script: "run-claude.sh",
			flags: []string{"--advertise=always"},
			kinds: []string{"plan"}, want: tasks, finished: todos,
		},
		{
			name: "claude, plan operations", script: "run-claude.sh",
			env:   []string{`CAPS={"plan":{}}`},
			kinds: []string{"plan_update"}, want: append(markdown, todos...),
		},
		{
			name: "claude, version 2", script: "run-claude.sh",
			env:   []string{"PROTOCOL=2"},
			kinds: []string{"plan_update"}, want: append(markdown, todos...),
		},
		{
			name: "codex, legacy client", script: "run-codex2.sh",
			flags: []string{"--advertise=always"},
			kinds: []string{"plan"}, want: todos, finished: tasks, whileStreamed: 2, // the list comes after the text
		},
		{
			name: "codex, plan operations", script: "run-codex2.sh",
			env:   []string{`CAPS={"plan":{}}`},
			kinds: []string{"plan_update"}, want: append(markdown, todos...), whileStreamed: 2,
		},
		{
			name: "codex, version 2", script: "run-codex2.sh",
			env:   []string{"PROTOCOL=2"},
			kinds: []string{"plan_update"}, want: append(markdown, todos...), whileStreamed: 2,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			transcript := filepath.Join(t.TempDir(), "transcript.jsonl")
			logFile := transcript + ".log"
			args := slices.Concat([]string{proxy, "--log-level=debug", "--log-file=" + logFile}, test.flags, []string{"--"})
			cmd := exec.Command(filepath.Join(rig, test.script), args...)
			cmd.Env = slices.Concat(os.Environ(), []string{"SCENARIO=both", "CAPS={}", "PROTOCOL=1", "OUT=" + transcript}, test.env)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s\nthe proxy's log:\n%s", err, out, readFile(t, logFile))
			}

			got := readTranscript(t, transcript)
			if !slices.Equal(got.kinds, test.kinds) {
				t.Errorf("the client got %q, want %q", got.kinds, test.kinds)
			}
			for _, step := range test.want {
				if !strings.Contains(got.shown, step) {
					t.Errorf("%q is not shown in:\n%s", step, got.shown)
				}
			}
			for _, step := range test.finished {
				if !strings.Contains(got.ever, step) || strings.Contains(got.shown, step) {
					t.Errorf("%q of a finished plan is shown at the end, or was never shown:\n%s", step, got.shown)
				}
			}
			if got.whileStreamed < test.whileStreamed {
				t.Errorf("%d updates while the plan was streamed, want %d", got.whileStreamed, test.whileStreamed)
			}

			var end struct {
				Exit                   struct{ Code *int }
				ExitAfterMs            int
				Children, ChildrenLeft []struct{ Args string }
			}
			readJSON(t, transcript+".meta.json", &end)
			if end.Exit.Code == nil || *end.Exit.Code != 0 {
				t.Errorf("the proxy did not exit with status 0: %s", readFile(t, transcript+".meta.json"))
			}
			if len(end.Children) == 0 || len(end.ChildrenLeft) > 0 {
				t.Errorf("of the processes %v these are left: %v", end.Children, end.ChildrenLeft)
			}
			report(t, fmt.Sprintf("%s: %d plan messages, all steps shown, no process left %d ms after stdin closed",
				test.name, got.messages, end.ExitAfterMs))
		})
	}
}

// installRealAgents makes sure that the rig has the agents, and returns its folder.
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
			t.Skipf("the real agents are not installed: %s %s installs them", install, strings.Join(agents, " "))
		}
	}
	return rig
}

// A received is what the client in a transcript of the rig got.
type received struct {
	kinds         []string // of plan updates, sorted
	messages      int      // that are plan updates
	whileStreamed int      // those before the client is asked to approve the plan
	ever, shown   string   // all plans, and those at the end
}

func readTranscript(t *testing.T, name string) received {
	t.Helper()
	var r received
	asked := false
	plans := map[string]string{}
	for line := range bytes.Lines(readFile(t, name)) {
		var event struct{ Dir, Line string }
		if err := json.Unmarshal(line, &event); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var message struct {
			Method string
			Params struct {
				Update struct {
					SessionUpdate string
					Entries       []struct{ Content string }
					Plan          struct {
						PlanID  string
						Content string
						Entries []struct{ Content string }
					}
				}
			}
		}
		if event.Dir != "a2c" {
			continue
		}
		if err := json.Unmarshal([]byte(event.Line), &message); err != nil {
			t.Fatalf("the client got %s: %v", event.Line, err)
		}
		asked = asked || message.Method == "session/request_permission"
		update := message.Params.Update
		if message.Method != "session/update" || !strings.HasPrefix(update.SessionUpdate, "plan") {
			continue
		}
		r.messages++
		if !asked {
			r.whileStreamed++
		}
		if !slices.Contains(r.kinds, update.SessionUpdate) {
			r.kinds = append(r.kinds, update.SessionUpdate)
		}
		text := update.Plan.Content
		for _, entry := range slices.Concat(update.Entries, update.Plan.Entries) {
			text += entry.Content + "\n"
		}
		plans[update.Plan.PlanID] = text
		r.ever += text
	}
	slices.Sort(r.kinds)
	r.shown = strings.Join(slices.Sorted(maps.Values(plans)), "\n")
	return r
}

// TestRealClient runs acpx, a published client, before the proxy and an agent of the
// demo's recordings. It knows only plan.
func TestRealClient(t *testing.T) {
	packages := needs.Packages(t, filepath.Join(interopDir, "acpx"))
	proxy := build(t, ".")
	home := t.TempDir()
	modules := filepath.Join(packages, "node_modules")
	recording := filepath.Join(home, "plans.jsonl")
	for name, text := range map[string][]byte{
		recording: slices.Concat(readFile(t, "proxy/demo/recordings/hello-both-legacy.jsonl"), readFile(t, "proxy/demo/recordings/plans.jsonl")),
		// It is in the folder of the session.
		filepath.Join(home, "plan.md"): []byte("1. Collect the merged changes\n2. Write the summary\n"),
	} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	acpx := exec.Command(filepath.Join(modules, "node", "bin", "node"), filepath.Join(modules, ".bin", "acpx"),
		"--cwd", home, "--agent", fmt.Sprintf("%s -- %[1]s play --speed=0 %s", proxy, recording), "exec", "Show your plan")
	acpx.Env = append(os.Environ(), "HOME="+home)
	out, err := acpx.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shown := string(out)
	for _, step := range []string{"[docs] Update the manual", "Ask for a review (cancelled)", "[Cache] Task 1: Count misses", "[plan.md] Write the summary"} {
		if !strings.Contains(shown, step) {
			t.Errorf("%q was not shown", step)
		}
	}
	last := shown[strings.LastIndex(shown, "[plan]"):]
	if !strings.Contains(last, "Answer comments") {
		t.Error("the plan that is not finished is not shown at the end")
	}
	if strings.Contains(last, "Update the manual") || strings.Contains(last, "Run the tests") {
		t.Error("a plan that was removed, or is finished, is shown at the end")
	}
	if !strings.Contains(last, "[done] end_turn") {
		t.Error("the turn did not end normally")
	}
	report(t, "acpx, at the end of the demo: "+last)
	if t.Failed() {
		t.Log(shown)
	}
}
