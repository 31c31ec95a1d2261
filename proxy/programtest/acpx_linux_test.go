package programtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/programtest/needs"
)

// TestRealClientAsks runs acpx, a published client, on a terminal with an agent that sends
// vendor requests. The terminal must show the plan and each text before its question, and the
// agent must receive the user's answers.
func TestRealClientAsks(t *testing.T) {
	packages := needs.Packages(t, filepath.Join(interopDir, "acpx"))
	modules := filepath.Join(packages, "node_modules")
	proxy := buildProgram(t, ".")
	home := t.TempDir()
	recording, err := filepath.Abs(filepath.Join(interopDir, "acpx", "asks.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(home, "trace.jsonl")

	term := newTerminal(t)
	acpx := exec.Command(filepath.Join(modules, "node", "bin", "node"), filepath.Join(modules, ".bin", "acpx"),
		"--cwd", home, "--agent", fmt.Sprintf("%s --trace=%s --trace-all -- %[1]s play --speed=0 %[3]s", proxy, trace, recording), "exec", "Go.")
	acpx.Env = append(os.Environ(), "HOME="+home)
	term.run(acpx)
	for _, step := range []struct{ shows, key string }{
		{"[plan]", ""},
		{"The misses decide.", ""},
		{"Allow Cache sizing [switch_mode]? (y/N)", "n\n"},
		{"Which size?", ""},
		{"- 1 GiB", ""},
		{"Allow Which size? 64 MiB? [other]? (y/N)", "n\n"},
		{"Allow Which size? 1 GiB? [other]? (y/N)", "y\n"},
		{"Answer: 1 GiB", ""},
		{"The config is short.", ""},
		{"Allow Parser [switch_mode]? (y/N)", "y\n"},
		{"[done] end_turn", ""},
	} {
		term.shows(step.shows)
		term.typed(step.key)
	}
	acpx.Wait()

	got := string(readFile(t, trace))
	for id, result := range map[string]string{
		"plan": `{"outcome":{"outcome":"rejected"}}`,
		"ask":  `{"outcome":{"outcome":"answered","answers":[{"questionId":"q","selectedOptionIds":["l"]}]}}`,
		"exit": `{"outcome":"approved"}`,
	} {
		answer := `"to":"Agent","id":"` + id + `"`
		if at := strings.Index(got, answer); at < 0 || !strings.Contains(got[at:at+strings.IndexByte(got[at:], '\n')], result) {
			t.Errorf("no result %s for request %s", result, id)
		}
	}
	if strings.Contains(got, `"to":"Client","id":"plan"`) {
		t.Error("the client receives a request that it is known to reject")
	}
	if t.Failed() {
		t.Log(got)
	}
}
