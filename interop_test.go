package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

const interopDir = "testdata/interop"

// The environment variables of the tests in this file.
const (
	requireEnv = "ACP_PLAN_PROXY_TEST_REQUIRE" // install what is missing, and fail without it
	reportEnv  = "ACP_PLAN_PROXY_TEST_REPORT"  // append what the tests found to this file
)

// scenarios are the prompts that a client of the SDK matrix sends, a session
// each: the agent plays what was negotiated, plan operations whether or not
// they were, and entries that not every generation knows.
var scenarios = []string{"negotiated", "unasked", "unknown entries"}

// A generation is an entry of testdata/interop/generations.json.
type generation struct {
	Name       string
	Module     string // of the TypeScript SDK; the Go SDK has none
	Version    int
	Capability string   // that announces plan operations
	ProxyFlags []string // that README.md recommends for such a client
}

// An outcome is what a client reports of its conversation with an agent.
type outcome struct {
	Sessions []struct {
		Scenario   string
		Played     []string
		StopReason string
		Shown      []string
		Rejected   []string
	}
	Failure string
	Exit    any
	Stderr  string
}

type turn struct{ Live, Gone []string }

// TestInterop puts every generation of the official SDKs, as client, in front
// of every other, as agent, without and with the proxy, and prints two
// matrices. Every conversation is real processes.
func TestInterop(t *testing.T) {
	rig := sdkRig{packages: npmPackages(t, interopDir), scripts: t.TempDir(), logs: t.TempDir()}
	// go test caches a result until a file changes that this process has read.
	if err := os.CopyFS(rig.scripts, os.DirFS(interopDir)); err != nil {
		t.Fatal(err)
	}
	rig.proxy = build(t, ".")
	rig.gosdk = build(t, filepath.Join(rig.scripts, "gosdk"))
	var generations []generation
	readJSON(t, filepath.Join(rig.scripts, "generations.json"), &generations)
	turns := map[string]turn{}
	readJSON(t, filepath.Join(rig.scripts, "turns.json"), &turns)
	for _, through := range []bool{false, true} {
		name := "without the proxy"
		if through {
			name = "with the proxy"
		}
		m := matrix{generations: generations, cells: map[[2]string]string{}}
		t.Run(name, func(t *testing.T) {
			for _, client := range generations {
				t.Run(client.Name, func(t *testing.T) {
					t.Parallel()
					for i, o := range rig.run(t, client, generations, through) {
						agent := generations[i]
						cell, problems := judge(client, agent, o, turns)
						m.set(client, agent, cell, len(problems) > 0)
						if through && len(problems) > 0 {
							t.Errorf("agent %s:\n%s\nthe proxy's log:\n%s",
								agent.Name, strings.Join(problems, "\n"), rig.log(client, agent))
						}
					}
				})
			}
		})
		report(t, "SDK matrix "+name+m.String())
		if !through && !m.red {
			t.Error("nothing is wrong without the proxy: the matrix cannot show what the proxy does")
		}
	}
}

// An sdkRig has what the SDK matrix runs.
type sdkRig struct{ packages, scripts, proxy, gosdk, logs string }

// run runs client with each of the agents and returns the outcomes in order.
func (r sdkRig) run(t *testing.T, client generation, agents []generation, through bool) []outcome {
	var commands [][]string
	for _, agent := range agents {
		command := []string{"node", "agent.mjs", agent.Name}
		if agent.Module == "" {
			command = []string{r.gosdk, "agent"}
		}
		if through {
			proxy := slices.Concat([]string{r.proxy, "--log-level=debug", "--log-file=" + r.logFile(client, agent)}, client.ProxyFlags, []string{"--"})
			command = append(proxy, command...)
		}
		commands = append(commands, command)
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
	text, _ := os.ReadFile(r.logFile(client, agent)) // there is none if the proxy did not start
	return string(text)
}

const legend = `
A mark each for what was negotiated, for plan operations unasked, and for entries
that not every generation knows:
  ✓ shown   · not sent   R rejected or misread by the SDK   L a step lost
  S a removed step still shown   D a step shown twice   T the turn failed
  p only "plan" was sent, although both know plan operations
none: no common protocol version, and rewriting plans gives them none.
Client v2 shows only items, and has --client=items for that with the proxy.
`

// judge returns the cell of the matrix for a conversation, and what is wrong
// in words.
func judge(client, agent generation, o outcome, turns map[string]turn) (cell string, problems []string) {
	fail := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if o.Exit != 0.0 {
		fail("exit status %v", o.Exit)
	}
	if client.Version != agent.Version {
		if o.Failure == "" {
			fail("versions %d and %d got on", client.Version, agent.Version)
		}
		return "none", problems
	}
	if o.Stderr != "" {
		fail("standard error: %s", o.Stderr)
	}
	if o.Failure != "" || len(o.Sessions) != len(scenarios) {
		fail("%d sessions of %d, and then %s", len(o.Sessions), len(scenarios), cmp.Or(o.Failure, "nothing"))
		return "TTT", problems
	}
	for _, s := range o.Sessions {
		if len(s.Played) == 0 {
			cell += "·"
			continue
		}
		shown := strings.Join(s.Shown, "\n")
		marks := map[string]bool{}
		wrong := func(mark, format string, args ...any) {
			marks[mark] = true
			fail("%s: %s", s.Scenario, fmt.Sprintf(format, args...))
		}
		if s.StopReason != "end_turn" {
			wrong("T", "stop reason %q", s.StopReason)
		}
		for _, message := range s.Rejected {
			wrong("R", "%s", message)
		}
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
			wrong("p", "the agent was not told of plan operations")
		}
		worst := "✓"
		for _, mark := range []string{"p", "D", "S", "L", "R", "T"} {
			if marks[mark] {
				worst = mark
			}
		}
		cell += worst
	}
	return cell, problems
}

// A matrix is drawn with agents as rows and clients as columns.
type matrix struct {
	generations []generation
	mu          sync.Mutex
	cells       map[[2]string]string
	red         bool
}

func (m *matrix) set(client, agent generation, cell string, red bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cells[[2]string{client.Name, agent.Name}] = cell
	m.red = m.red || red
}

func (m *matrix) String() string {
	var b strings.Builder
	b.WriteString("\n\nagent \\ client")
	for _, client := range m.generations {
		fmt.Fprintf(&b, "  %-6s", client.Name)
	}
	for _, agent := range m.generations {
		fmt.Fprintf(&b, "\n%-14s", agent.Name)
		for _, client := range m.generations {
			fmt.Fprintf(&b, "  %-6s", m.cells[[2]string{client.Name, agent.Name}])
		}
	}
	return b.String() + "\n" + legend
}

const realAgentsRig = "../shared/rig"

// TestRealAgents runs published agents, in front of a scripted model, behind
// the proxy. Their todos and a markdown plan must reach the client.
func TestRealAgents(t *testing.T) {
	if _, err := os.Stat(realAgentsRig); err != nil {
		skip(t, "the real agents' rig is not there: "+err.Error())
	}
	installRealAgents(t, "claude", "codex2")
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
		whileStreamed int // how many of them at least before the plan is complete
	}{
		{
			name: "claude, legacy client", script: "run-claude.sh",
			flags: []string{"--advertise=always"},
			kinds: []string{"plan"}, want: append(tasks, todos...),
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
			kinds: []string{"plan"}, want: append(tasks, todos...), whileStreamed: 2,
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
			cmd := exec.Command(filepath.Join(realAgentsRig, test.script), args...)
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

// installRealAgents makes sure that the rig has the agents.
func installRealAgents(t *testing.T, agents ...string) {
	t.Helper()
	install := filepath.Join(realAgentsRig, "install.sh")
	if os.Getenv(requireEnv) != "" {
		if out, err := exec.Command(install, agents...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", install, err, out)
		}
		return
	}
	cache := cmp.Or(os.Getenv("RIG_CACHE"), filepath.Join(os.TempDir(), "acp-rig"))
	for _, agent := range agents {
		if _, err := os.Stat(filepath.Join(cache, "agents", agent, ".done")); err != nil {
			t.Skipf("the real agents are not installed: %s %s installs them", install, strings.Join(agents, " "))
		}
	}
}

// A received is what the client in a transcript of the rig got.
type received struct {
	kinds         []string // of plan updates, sorted
	messages      int      // that are plan updates
	whileStreamed int      // those before the client is asked to approve the plan
	shown         string   // the plans at the end
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
	}
	slices.Sort(r.kinds)
	r.shown = strings.Join(slices.Sorted(maps.Values(plans)), "\n")
	return r
}

// TestRealClient runs acpx, a published client, before the proxy and the
// demo's agent. It knows only plan.
func TestRealClient(t *testing.T) {
	packages := npmPackages(t, filepath.Join(interopDir, "acpx"))
	proxy := build(t, ".")
	home := t.TempDir()
	modules := filepath.Join(packages, "node_modules")

	acpx := exec.Command(filepath.Join(modules, "node", "bin", "node"), filepath.Join(modules, ".bin", "acpx"),
		"--cwd", home, "--agent", fmt.Sprintf("%s -- %[1]s demo --agent", proxy), "exec", "Show your plan")
	acpx.Env = append(os.Environ(), "HOME="+home)
	out, err := acpx.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shown := string(out)
	for _, step := range []string{"[docs] Update the manual", "Ask for a review (cancelled)", "[Cache] Measure misses"} {
		if !strings.Contains(shown, step) {
			t.Errorf("%q was not shown", step)
		}
	}
	last := shown[strings.LastIndex(shown, "[plan]"):]
	for _, step := range []string{"[completed] Run the tests", "Write the summary"} {
		if !strings.Contains(last, step) {
			t.Errorf("%q is not shown at the end", step)
		}
	}
	if strings.Contains(last, "Update the manual") {
		t.Error("a removed plan is shown at the end")
	}
	if !strings.Contains(last, "[done] end_turn") {
		t.Error("the turn did not end normally")
	}
	report(t, "acpx, at the end of the demo: "+last)
	if t.Failed() {
		t.Log(shown)
	}
}

var npmFiles = []string{"package.json", "package-lock.json", ".npmrc"}

// npmPackages returns a directory with what dir/package.json depends on. It is
// outside the repository, so that a clean clone finds it again.
func npmPackages(t *testing.T, dir string) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		skip(t, "node is not installed")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		skip(t, "npm is not installed")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		skip(t, err.Error())
	}
	hash := sha256.New()
	for _, name := range npmFiles {
		hash.Write(readFile(t, filepath.Join(dir, name)))
	}
	installed := filepath.Join(cache, "acp-plan-proxy", fmt.Sprintf("npm-%.6x", hash.Sum(nil)))
	if _, err := os.Stat(installed); err == nil {
		return installed
	}
	if os.Getenv(requireEnv) == "" {
		t.Skipf("npm packages are not installed: %s=1 go test -run '^%s$' . installs them", requireEnv, t.Name())
	}
	if err := os.MkdirAll(filepath.Dir(installed), 0o755); err != nil {
		t.Fatal(err)
	}
	// Renamed when complete, so that another test never sees half of it.
	fresh, err := os.MkdirTemp(filepath.Dir(installed), "installing-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	for _, name := range npmFiles {
		if err := os.WriteFile(filepath.Join(fresh, name), readFile(t, filepath.Join(dir, name)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("npm", "install")
	cmd.Dir = fresh
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	if err := os.Rename(fresh, installed); err != nil {
		if _, err := os.Stat(installed); err != nil { // another test was not faster
			t.Fatal(err)
		}
	}
	return installed
}

// build builds the Go program in dir and returns its path.
func build(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", name, ".")
	cmd.Dir = dir
	cmd.Env = os.Environ()
	if os.Getenv(requireEnv) == "" {
		cmd.Env = append(cmd.Env, "GOPROXY=off")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		skip(t, fmt.Sprintf("go build in %s: %v: %s", dir, err, out))
	}
	return name
}

// skip says why the test cannot run here. In CI that is a failure.
func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv(requireEnv) != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// report logs what a test found, and appends it to the file that is asked for.
func report(t *testing.T, text string) {
	t.Helper()
	t.Log(text)
	name := os.Getenv(reportEnv)
	if name == "" {
		return
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := fmt.Fprintln(file, text); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func readJSON(t *testing.T, name string, to any) {
	t.Helper()
	if err := json.Unmarshal(readFile(t, name), to); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
