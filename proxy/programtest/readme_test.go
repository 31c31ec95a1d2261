package programtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/proxy/programtest/needs"
)

var (
	fencedBlock  = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")
	indentedLine = regexp.MustCompile(`(?m)^ {4,}(\S.*)$`)
	quotedString = regexp.MustCompile(`"([^"]*)"(:?)`)
	// firstWord matches the start of the command in a setting.
	firstWord = regexp.MustCompile(`"(npx|` + programName + `)"`)
)

// TestReadme runs every command and every editor setting in the README, the troubleshooting page
// and the page about releases. It compares the example in translate/README.md with the program's
// translation.
func TestReadme(t *testing.T) {
	needs.Program(t, "sh") // runs the agents of this test
	r := newReader(t)
	r.example(string(readFile(t, "translate/README.md")))
	for _, page := range []struct {
		name               string
		commands, settings int // at least
	}{
		{"README.md", 13, 1}, {"proxy/TROUBLESHOOTING.md", 2, 0}, {".npm/README.md", 1, 1},
	} {
		before := r.runCount
		settings := r.page(string(readFile(t, page.name)))
		if ran := r.runCount - before; ran-settings < page.commands || settings < page.settings {
			t.Errorf("%s has only %d commands, and %d settings", page.name, ran-settings, settings)
		}
	}
}

// page runs the commands and settings of a page, and returns the number of its settings.
func (r *reader) page(text string) (settings int) {
	for _, m := range indentedLine.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
		r.run(m[1])
	}
	blocks := fencedBlock.FindAllStringSubmatch(text, -1)
	for _, m := range blocks {
		if m[1] == "json" && !json.Valid([]byte(m[2])) {
			r.Errorf("not JSON: %s", m[2])
		}
		r.run(commandIn(m[2]))
	}
	return len(blocks)
}

// commandIn returns the command in a setting: the first word of the command and the strings after it,
// without the names of members.
func commandIn(setting string) string {
	start := firstWord.FindStringIndex(setting)
	if start == nil {
		return ""
	}
	var words []string
	for _, m := range quotedString.FindAllStringSubmatch(setting[start[0]:], -1) {
		if m[2] == "" {
			words = append(words, m[1])
		}
	}
	return strings.Join(words, " ")
}

// A reader runs the commands of a page in its own folder.
type reader struct {
	*testing.T
	dir      string
	env      []string
	started  string // file with the command lines of started agents
	runCount int
}

func newReader(t *testing.T) *reader {
	dir := t.TempDir()
	r := &reader{T: t, dir: dir, started: filepath.Join(dir, "started")}
	r.env = append(os.Environ(),
		"PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GOBIN="+dir, "STARTED="+r.started, envPrefix+"NO_OPEN=true")
	const agent = "echo ${0##*/} $* >>$STARTED\necho '{\"jsonrpc\":\"2.0\",\"method\":\"_started\"}'\nexec cat >/dev/null\n"
	// npx runs the program, which runs npx again for the agent.
	const npx = `[ "$1 $2" != "-y acp-plan-proxy" ] || { shift 2; exec acp-plan-proxy "$@"; }` + "\n" + agent
	scripts := map[string]string{"npx": npx, "npm": "", "agent": agent, "claude-agent-acp": agent, "ssh": agent}
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "recorded.jsonl"), []byte(`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

// example translates the agent's message of a page and compares the result with the editor's
// message. The page may break both into lines.
func (r *reader) example(text string) {
	text = regexp.MustCompile(`\n *`).ReplaceAllString(text, "")
	_, agent, _ := strings.Cut(text, "agent   {")
	agent, editor, _ := strings.Cut(agent, "editor  {")
	editor, _, ok := strings.Cut(editor, "]}")
	if !ok {
		r.Fatal("no example found")
	}
	translate := exec.Command(programName, "translate")
	translate.Stdin = strings.NewReader(`{"method":"session/update","params":{"sessionId":"s","update":{` + agent + "}}")
	out, err := translate.Output()
	if err != nil || !strings.Contains(string(out), editor) {
		r.Errorf("the example is translated to %s, %v", out, err)
	}
}

func (r *reader) run(command string) {
	r.runCount++
	if command == "go test ./..." {
		return // this test is part of it
	}
	os.Remove(r.started)
	ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
	defer cancel()
	sh := exec.CommandContext(ctx, "sh", "-c", "exec "+command)
	sh.Dir, sh.Env, sh.WaitDelay = r.dir, r.env, time.Second
	if strings.HasPrefix(command, "go ") {
		sh.Dir = "" // the clone
	}
	if view := strings.Replace(command, "go run . ", programName+" ", 1); strings.HasPrefix(view, programName+" view ") && !strings.Contains(view, "--") {
		sh.Args[2] = "exec " + view // go run does not forward signals
		r.serve(command, sh)
		return
	}
	if out, err := sh.CombinedOutput(); err != nil {
		r.Errorf("%s: %v\n%s", command, err, out)
	}
	if _, agent, ok := strings.Cut(command, " -- "); ok {
		if started, _ := os.ReadFile(r.started); string(started) != agent+"\n" {
			r.Errorf("%s does not run %s, but %q", command, agent, started)
		}
	}
}

// serve runs a command that serves a page until it is interrupted.
func (r *reader) serve(command string, sh *exec.Cmd) {
	var stderr bytes.Buffer
	sh.Stderr = &stderr
	stdout, err := sh.StdoutPipe()
	if err != nil {
		r.Fatal(err)
	}
	if err := sh.Start(); err != nil {
		r.Fatal(err)
	}
	defer sh.Process.Kill()
	for lines, line := bufio.NewReader(stdout), ""; !strings.Contains(line, "http://127.0.0.1:"); {
		if line, err = lines.ReadString('\n'); err != nil {
			r.Fatalf("%s serves nothing: %v\n%s", command, err, &stderr)
		}
	}
	sh.Process.Signal(os.Interrupt)
	if err := sh.Wait(); err != nil {
		r.Errorf("%s: %v\n%s", command, err, &stderr)
	}
}
