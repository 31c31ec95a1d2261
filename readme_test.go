package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestReadme runs every command of the README, and the agent as every setting
// to paste has it run.
func TestReadme(t *testing.T) {
	if runtime.GOOS == "windows" {
		skip(t, "the agents of this test are shell scripts")
	}
	r := newReader(t)
	shown, fenced := splitReadme(string(readFile(t, "README.md")))
	for _, command := range shown {
		r.run(command)
	}
	for language, blocks := range fenced {
		for _, block := range blocks {
			if language == "json" && !json.Valid([]byte(block)) {
				t.Errorf("not JSON: %s", block)
			}
			r.run(commandIn(block))
		}
	}
	if len(shown) < 10 || len(fenced) < 3 {
		t.Errorf("found only %d commands, and settings of %d kinds", len(shown), len(fenced))
	}
}

// splitReadme returns the commands that stand indented, and the fenced blocks
// by language.
func splitReadme(text string) (commands []string, fenced map[string][]string) {
	fenced = make(map[string][]string)
	fence := regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		fenced[m[1]] = append(fenced[m[1]], m[2])
	}
	rest := fence.ReplaceAllString(text, "")
	for _, m := range regexp.MustCompile(`(?m)^ {4,}((?:go|acp-plan-proxy) .*)$`).FindAllStringSubmatch(rest, -1) {
		commands = append(commands, m[1])
	}
	return commands, fenced
}

// commandIn returns the command that a setting has run: the program and the
// strings that follow it, but for names of members.
func commandIn(setting string) string {
	_, after, _ := strings.Cut(setting, `"`+programName+`"`)
	command := programName
	for _, m := range regexp.MustCompile(`"([^"]*)"(:?)`).FindAllStringSubmatch(after, -1) {
		if m[2] == "" {
			command += " " + m[1]
		}
	}
	return command
}

// A reader of the README tries what it says, in a folder of their own.
type reader struct {
	*testing.T
	dir     string
	env     []string
	started string // file with the command lines of the agents that were run
}

func newReader(t *testing.T) *reader {
	dir := t.TempDir()
	r := &reader{T: t, dir: dir, started: filepath.Join(dir, "started")}
	r.env = append(os.Environ(),
		"PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GOBIN="+dir, "STARTED="+r.started, envPrefix+"NO_OPEN=true")
	agent := "#!/bin/sh\necho ${0##*/} $* >>$STARTED\nexec acp-plan-proxy demo --agent\n"
	for _, name := range []string{"agent", "npx", "claude-agent-acp", "ssh"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(agent), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	recorded := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`
	if err := os.WriteFile(filepath.Join(dir, "recorded.jsonl"), []byte(recorded+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reader) run(command string) {
	if command == "go test ./..." {
		return // this is what is running
	}
	sh := exec.Command("sh", "-c", "exec "+command)
	sh.Dir, sh.Env = r.dir, r.env
	if strings.HasPrefix(command, "go ") {
		sh.Dir = "" // the clone
	}
	if strings.HasPrefix(command, programName+" view ") && !strings.Contains(command, "--") {
		r.serve(command, sh)
		return
	}
	if out, err := sh.CombinedOutput(); err != nil {
		r.Errorf("%s: %v\n%s", command, err, out)
	}
	if _, agent, ok := strings.Cut(command, " -- "); ok {
		started, _ := os.ReadFile(r.started)
		if !strings.HasSuffix(string(started), agent+"\n") {
			r.Errorf("%s does not run %s, but %q", command, agent, started)
		}
	}
}

// serve runs a command that serves a page until it is interrupted.
func (r *reader) serve(command string, sh *exec.Cmd) {
	stdout, err := sh.StdoutPipe()
	if err != nil {
		r.Fatal(err)
	}
	if err := sh.Start(); err != nil {
		r.Fatal(err)
	}
	for lines, line := bufio.NewReader(stdout), ""; !strings.Contains(line, "http://127.0.0.1:"); {
		if line, err = lines.ReadString('\n'); err != nil {
			r.Fatalf("%s serves nothing: %v", command, err)
		}
	}
	sh.Process.Signal(os.Interrupt)
	if err := sh.Wait(); err != nil {
		r.Errorf("%s: %v", command, err)
	}
}
