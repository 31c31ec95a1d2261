package programtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/programtest/needs"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/schematest"
)

const interopDir = "testdata/interop"

// scenarios lists the scenarios that a client of the SDK matrix plays, each in its own
// session. In the first three the agent sends the negotiated kind of plan, plan operations in
// any case, and entries with values that some generations reject. The others are the keys of
// wantedTalks.
var scenarios = []string{
	"negotiated", "unasked", "unknown entries",
	"turn", "tool", "permission", "cancel", "mode", "load", "list",
}

// A talk is the expected result of a scenario, for any versions of client and agent.
type talk struct {
	shown  []string
	states string // sent to a client of version 2
	stop   string // "end_turn" if empty
}

var wantedTalks = map[string]talk{
	"turn": {shown: []string{"user: turn", "thought: Let me see.", "agent: Hello, world."}, states: "running idle"},
	"tool": {shown: []string{"user: tool", "tool: Edit a.txt, edit, completed, /work/a.txt: -two +three, Done"}, states: "running idle"},
	"permission": {shown: []string{"user: permission", "tool: Run the tests, execute, completed", "asked: Run the tests", "agent: The answer is yes."},
		states: "running requires_action running idle"},
	"cancel": {shown: []string{"user: cancel", "agent: Working"}, states: "running idle", stop: "cancelled"},
	"mode":   {shown: []string{"user: mode", "agent: The mode is plan.", "modes: ask plan ask"}, states: "running idle"},
	"load":   {shown: []string{"user: Hi", "agent: Hello again"}, states: "idle"},
	"list":   {shown: []string{"Yesterday"}},
}

// listed is the expected session list of an agent that does not implement session/list: the
// proxy lists the sessions of the connection.
var listed = []string{"old", "session-1", "session-2", "session-3", "session-4", "session-5", "session-6", "session-7", "session-8"}

// A generation is an entry of testdata/interop/generations.json, with the plan support of its
// draft.
type generation struct {
	Name       string   `json:"name"`
	Module     string   `json:"module,omitempty"`     // of the TypeScript SDK; empty for the Go SDK
	Schema     string   `json:"schema"`               // of its draft
	Refuses    string   `json:"refuses,omitempty"`    // version 1, by an agent of version 2: "" with an error, "close", "answer"
	Lacks      []string `json:"lacks,omitempty"`      // unsupported scenarios and kinds of updates of its version
	ProxyFlags []string `json:"proxyFlags,omitempty"` // recommended in README.md for such a client

	Version    int      `json:"version"`
	Capability string   `json:"capability,omitempty"` // advertises plan operations
	IDMember   string   `json:"idMember,omitempty"`   // of plans
	Shows      []string `json:"shows,omitempty"`      // supported types of plans, and removed
}

// generations reads the generations, adds the plan support of their drafts, and writes the
// result for the scripts. It excludes file plans, because no application shows them.
func (r sdkRig) generations(t *testing.T) (all []generation) {
	file := filepath.Join(r.scripts, "generations.json")
	readJSON(t, file, &all)
	drafts := capabilities.Drafts()
	for i := range all {
		g := &all[i]
		at := slices.IndexFunc(drafts, func(d capabilities.Draft) bool { return d.Schema == g.Schema })
		if at < 0 {
			t.Fatalf("%s: no draft has the schema %q", g.Name, g.Schema)
		}
		d := drafts[at]
		g.Version, g.Capability = d.Version, d.Capability
		for member := range capabilities.PlanIDMembers {
			if d.PlanID.Has(member) {
				g.IDMember = capabilities.PlanIDMember(member)
			}
		}
		g.Shows = (d.Shows &^ capabilities.File).Names()
	}
	if err := os.WriteFile(file, []byte(marshal(t, all)), 0o600); err != nil {
		t.Fatal(err)
	}
	return all
}

// An outcome is a client's report about its conversation with an agent.
type outcome struct {
	Sessions []playedSession
	Lines    []string // sent lines after "> ", received ones after "< "
	Failure  string
	Exit     any
	Stderr   string
}

type playedSession struct {
	Scenario   string
	Played     []string
	StopReason string
	Shown      []string
	States     []string // sent to a client of version 2
	Rejected   []string
}

type turn struct{ Live, Gone []string }

// TestInterop connects every generation of the official SDKs as a client to every generation
// as an agent through the proxy, in separate processes, and prints a matrix.
func TestInterop(t *testing.T) {
	rig := sdkRig{packages: needs.Packages(t, interopDir), scripts: t.TempDir(), logs: t.TempDir()}
	// Without this, go test repeats the cached result after a change in these files.
	watchFiles(t)
	if err := os.CopyFS(rig.scripts, os.DirFS(interopDir)); err != nil {
		t.Fatal(err)
	}
	rig.proxy = buildProgram(t, ".")
	rig.gosdk = buildProgram(t, filepath.Join(rig.scripts, "gosdk"))
	generations := rig.generations(t)
	turns := map[string]turn{}
	readJSON(t, filepath.Join(rig.scripts, "turns.json"), &turns)
	m := matrix{generations: generations, cells: map[[2]string]string{}}
	t.Run("clients", func(t *testing.T) {
		for _, client := range generations {
			t.Run(client.Name, func(t *testing.T) {
				t.Parallel()
				for i, o := range rig.run(t, client, generations) {
					agent := generations[i]
					cell, problems := judgeOutcome(client, agent, o, turns)
					if client.Version != agent.Version {
						invalid := rig.invalid(t, client, agent, o)
						problems = append(problems, invalid...)
						if len(invalid) > 0 {
							cell += "V"
						}
					}
					m.set(client, agent, cell)
					if len(problems) > 0 {
						t.Errorf("agent %s:\n%s\nthe proxy's log:\n%s",
							agent.Name, strings.Join(problems, "\n"), rig.log(client, agent))
					}
				}
			})
		}
	})
	report(t, "SDK matrix"+m.String())
}

// An sdkRig holds the paths of the programs and files of the SDK matrix.
type sdkRig struct{ packages, scripts, proxy, gosdk, logs string }

// run runs client with each of the agents and returns the outcomes in order.
func (r sdkRig) run(t *testing.T, client generation, agents []generation) []outcome {
	var commands [][]string
	for _, agent := range agents {
		command := []string{"node", "agent.mjs", agent.Name}
		if agent.Module == "" {
			command = []string{r.gosdk, "agent", agent.Name}
		}
		proxy := slices.Concat([]string{r.proxy, "--log-level=debug", "--log-file=" + r.logFile(client, agent)}, client.ProxyFlags, []string{"--"})
		commands = append(commands, slices.Concat(proxy, command, []string{r.agentLines(client, agent)}))
	}
	args := []string{"node", "client.mjs", client.Name}
	if client.Module == "" {
		args = []string{r.gosdk, "client"}
	}
	args = append(args, marshal(t, commands), marshal(t, scenarios))

	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = r.scripts
	cmd.Env = append(os.Environ(), "INTEROP_PACKAGES="+r.packages, "NODE_NO_WARNINGS=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("client: %v\n%s", err, &stderr)
	}
	var outcomes []outcome
	decoder := json.NewDecoder(bytes.NewReader(out))
	for range agents {
		var o outcome
		if err := decoder.Decode(&o); err != nil {
			t.Fatalf("client: %v in %s", err, out)
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

func (r sdkRig) logFile(client, agent generation) string {
	return filepath.Join(r.logs, client.Name+" "+agent.Name)
}

func (r sdkRig) log(client, agent generation) string {
	text, _ := os.ReadFile(r.logFile(client, agent)) // the proxy creates it when it starts
	return string(text)
}

// agentLines returns the name of the file in which the agent records its lines.
func (r sdkRig) agentLines(client, agent generation) string {
	return r.logFile(client, agent) + " lines"
}

// invalid validates the lines received by both sides, each against the schema of its own
// version, and returns the violations.
func (r sdkRig) invalid(t *testing.T, client, agent generation, o outcome) (problems []string) {
	recorded, err := os.ReadFile(r.agentLines(client, agent))
	if err != nil {
		return []string{err.Error()}
	}
	for _, side := range []struct {
		generation
		is    translate.Side
		lines []string
	}{
		{client, translate.Client, o.Lines},
		{agent, translate.Agent, strings.Split(strings.TrimSpace(string(recorded)), "\n")},
	} {
		l := schematest.NewListener(t, side.Schema, side.is)
		got := 0
		for _, line := range side.lines {
			if line, sent := strings.CutPrefix(line, "> "); sent {
				l.RecordSent(line)
				continue
			}
			got++
			if err := l.Check(strings.TrimPrefix(line, "< ")); err != nil {
				problems = append(problems, fmt.Sprintf("%s got %v", side.Name, err))
			}
		}
		if got < len(scenarios) {
			problems = append(problems, fmt.Sprintf("%s got %d lines", side.Name, got))
		}
	}
	return problems
}

const legend = `
One mark per scenario: negotiated plans, plan operations without negotiation,
entries with unknown values, a turn of text and thoughts, a tool call with a diff,
a permission request, a cancelled turn, modes, a loaded session, and the session
list:
  ✓ shown   · not sent   R rejected or misread by the SDK   L a step lost
  S a removed step still shown   D a step shown twice   T the turn failed
  W shown incorrectly
  p only "plan" was sent, although both sides support plan operations
  V at the end: a side received lines that its version does not allow
Clients v2 except v2u show only items, so the proxy runs with --client=items. Agent v2
rejects version 1 with an error and accepts a second initialize, v2 1.5.1 rejects both,
v2 2.0.2 closes the connection, and v2u responds with version 2.
`

// judgeOutcome returns the cell of the matrix for a conversation, and a description of each problem.
func judgeOutcome(client, agent generation, o outcome, turns map[string]turn) (cell string, problems []string) {
	fail := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if o.Exit != 0.0 {
		fail("exit status %v", o.Exit)
	}
	if o.Stderr != "" {
		fail("standard error: %s", o.Stderr)
	}
	if o.Failure != "" || len(o.Sessions) != len(scenarios) {
		fail("%d sessions of %d, and then %s", len(o.Sessions), len(scenarios), cmp.Or(o.Failure, "nothing"))
		return "T", problems
	}
	for _, s := range o.Sessions {
		if len(s.Played) == 0 && client.mayLack(s.Scenario, agent) {
			cell += "·"
			continue
		}
		marks := map[string]bool{}
		wrong := func(mark, format string, args ...any) {
			marks[mark] = true
			fail("%s: %s", s.Scenario, fmt.Sprintf(format, args...))
		}
		if len(s.Played) == 0 {
			wrong("T", "not played")
		}
		stop := "end_turn"
		if t, ok := wantedTalks[s.Scenario]; ok {
			stop = cmp.Or(t.stop, stop)
			judgeTalk(client, agent, t, s, wrong)
		} else {
			judgePlans(client, agent, s, turns, wrong)
		}
		if s.StopReason != stop {
			wrong("T", "stop reason %q", s.StopReason)
		}
		for _, message := range s.Rejected {
			if !client.rejects(message) {
				wrong("R", "%s", message)
			}
		}
		worst := "✓"
		for _, mark := range []string{"p", "D", "S", "L", "W", "R", "T"} {
			if marks[mark] {
				worst = mark
			}
		}
		cell += worst
	}
	return cell, problems
}

// mayLack reports whether a scenario may have no effect: the agent has no plan operations to
// send without negotiation, or an SDK does not support the method.
func (client generation) mayLack(scenario string, agent generation) bool {
	switch {
	case scenario == "unasked":
		return agent.Capability == ""
	case client.Version == 1:
		return slices.Contains(client.Lacks, scenario) || agent.Version == 1 && slices.Contains(agent.Lacks, scenario)
	}
	return false
}

// rejects reports whether an error of the SDK is about an unsupported kind of update, which the SDK
// would reject without the proxy, too.
func (g generation) rejects(message string) bool {
	return slices.ContainsFunc(g.Lacks, func(kind string) bool {
		return strings.Contains(message, "sessionUpdate: '"+kind+"'")
	})
}

func judgeTalk(client, agent generation, t talk, s playedSession, wrong func(mark, format string, args ...any)) {
	want := t.shown
	if slices.Contains(agent.Lacks, s.Scenario) {
		want = listed
	}
	if !slices.Equal(s.Shown, want) {
		wrong("W", "shown %q, not %q", s.Shown, want)
	}
	if states := strings.Join(s.States, " "); client.Version == 2 && states != t.states {
		wrong("W", "states %q, not %q", states, t.states)
	}
}

func judgePlans(client, agent generation, s playedSession, turns map[string]turn, wrong func(mark, format string, args ...any)) {
	shown := strings.Join(s.Shown, "\n")
	for _, name := range s.Played {
		for _, step := range turns[name].Live {
			switch strings.Count(shown, step) {
			case 0:
				wrong("L", "lost: %s", step)
			case 1:
			default:
				wrong("D", "shown twice: %s", step)
			}
		}
		for _, step := range turns[name].Gone {
			if strings.Contains(shown, step) {
				wrong("S", "still shown: %s", step)
			}
		}
	}
	if s.Scenario == "negotiated" && client.Capability != "" && agent.Capability != "" && !slices.Contains(s.Played, "operations") {
		wrong("p", "the client's plan operations were not advertised to the agent")
	}
}

// A matrix prints agents as rows and clients as columns.
type matrix struct {
	generations []generation
	mu          sync.Mutex
	cells       map[[2]string]string
}

func (m *matrix) set(client, agent generation, cell string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cells[[2]string{client.Name, agent.Name}] = cell
}

func (m *matrix) String() string {
	var b strings.Builder
	b.WriteString("\n\nagent \\ client")
	for _, client := range m.generations {
		fmt.Fprintf(&b, "  %-11s", client.Name)
	}
	for _, agent := range m.generations {
		fmt.Fprintf(&b, "\n%-14s", agent.Name)
		for _, client := range m.generations {
			fmt.Fprintf(&b, "  %-11s", m.cells[[2]string{client.Name, agent.Name}])
		}
	}
	return b.String() + "\n" + legend
}
