package main

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
)

const interopDir = "testdata/interop"

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
