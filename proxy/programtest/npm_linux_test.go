package programtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"acp-plan-proxy/proxy/programtest/needs"
)

const (
	npmVersion      = "1.2.3"
	launcherTarball = programName + "-" + npmVersion + ".tgz"
)

// TestNpm packs the npm packages, installs them and runs the installed programs, without a
// network.
func TestNpm(t *testing.T) {
	needs.Program(t, "node")
	needs.Program(t, "npm")
	npmSources(t)
	u := newNpmUser(t)
	u.pack()
	scripted := u.install()
	unscripted := u.install("--ignore-scripts")

	t.Run("installed", func(t *testing.T) {
		testInstalled(t, installation{command: []string{scripted}, between: []string{programName}})
	})
	t.Run("without its install script", func(t *testing.T) {
		command := []string{nodeThatReplacesItself(t), unscripted}
		testInstalled(t, installation{command: command, between: []string{programName}})
	})
	t.Run("without its install script and an old Node", func(t *testing.T) {
		old := filepath.Join(t.TempDir(), "old.js")
		if err := os.WriteFile(old, []byte("delete process.execve"), 0o600); err != nil {
			t.Fatal(err)
		}
		command := []string{"node", "--require=" + old, unscripted}
		testInstalled(t, installation{command: command, between: []string{programName, "node"}})
	})
}

// TestNpmWithoutProgram checks that the launcher names the missing package of the platform.
func TestNpmWithoutProgram(t *testing.T) {
	node := needs.Program(t, "node")
	launcher := filepath.Join(npmSources(t), "acp-plan-proxy", "bin", "acp-plan-proxy")
	out, err := exec.Command(node, launcher, "--", "agent").CombinedOutput()
	if err == nil || err.Error() != "exit status 127" || !strings.Contains(string(out), "package for linux-") {
		t.Errorf("%v: %s", err, out)
	}
}

// npmSources copies the sources of the packages and returns the copy. go test caches a result
// until a file changes that this process has read; it ignores the files that Node reads.
func npmSources(t *testing.T) string {
	t.Helper()
	watchFiles(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(".npm")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// An npmUser runs npm with its own home and cache, without a network.
type npmUser struct {
	*testing.T
	env      []string
	tarballs string // the folder of the packages
	platform string // the tarball of the program for this machine
}

func newNpmUser(t *testing.T) *npmUser {
	u := &npmUser{T: t, tarballs: t.TempDir()}
	platform, err := exec.Command("node", "-p", "process.platform+'-'+process.arch").Output()
	if err != nil {
		t.Fatal(err)
	}
	u.platform = programName + "-" + strings.TrimSpace(string(platform)) + "-" + npmVersion + ".tgz"
	home := t.TempDir()
	u.env = append(os.Environ(), "HOME="+home, "npm_config_userconfig="+filepath.Join(home, ".npmrc"),
		"npm_config_cache="+filepath.Join(home, "cache"),
		"npm_config_update_notifier=false", "npm_config_audit=false", "npm_config_fund=false")
	return u
}

// stubAgent is an agent in shell: it sends its process id and a plan, and echoes its input.
const stubAgent = `echo '{"pid":'$$'}'
read -r initialize
echo '{"id":0,"result":{"protocolVersion":1}}'
echo '{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"- [ ] One step"}}}}'
cat
echo '{"method":"_ended"}'
exit 5`

// pack packs the program as a release does. The programs for other platforms are empty files.
func (u *npmUser) pack() {
	u.Helper()
	dist := u.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dist, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			u.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			u.Fatal(err)
		}
		return path
	}
	program := filepath.Join(dist, programName)
	if err := os.Rename(buildProgram(u.T, "."), program); err != nil {
		u.Fatal(err)
	}
	platform := exec.Command("go", "env", "GOHOSTOS", "GOHOSTARCH")
	here, err := platform.Output()
	if err != nil {
		u.Fatal(err)
	}
	type artifact struct {
		Type   string `json:"type"`
		Path   string `json:"path"`
		GoOS   string `json:"goos"`
		GoArch string `json:"goarch"`
	}
	artifacts := []artifact{{Type: "Checksum", Path: "checksums.txt"}}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, goarch := range []string{"amd64", "arm64"} {
			a := artifact{"Binary", program, goos, goarch}
			if string(here) != goos+"\n"+goarch+"\n" {
				a.Path = write(filepath.Join(goos, programName), "")
			}
			artifacts = append(artifacts, a)
		}
	}
	write("artifacts.json", marshal(u.T, artifacts))
	write("metadata.json", `{"version":"`+npmVersion+`"}`)
	u.run("node", ".npm/pack.mjs", dist, u.tarballs)
	packed, err := filepath.Glob(filepath.Join(u.tarballs, "*.tgz"))
	if err != nil || len(packed) != 7 {
		u.Fatalf("npm packed %q, %v; want 7 packages", packed, err)
	}
}

// install installs the tarballs of the launcher and of this platform offline, and returns the
// path of the installed command.
func (u *npmUser) install(flags ...string) string {
	u.Helper()
	prefix := u.TempDir()
	u.run("npm", slices.Concat([]string{"install", "--global", "--offline", "--prefix=" + prefix}, flags,
		[]string{filepath.Join(u.tarballs, launcherTarball), filepath.Join(u.tarballs, u.platform)})...)
	return filepath.Join(prefix, "bin", programName)
}

func (u *npmUser) run(name string, args ...string) {
	u.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = u.env
	if out, err := cmd.CombinedOutput(); err != nil {
		u.Fatalf("%v: %v\n%s", cmd, err, out)
	}
}

// nodeThatReplacesItself returns the path of a Node with process.execve. The installed Node may
// be too old.
func nodeThatReplacesItself(t *testing.T) string {
	t.Helper()
	const can = "process.exit(process.execve ? 0 : 1)"
	if exec.Command("node", "-e", can).Run() == nil {
		return "node"
	}
	node := filepath.Join(needs.Packages(t, filepath.Join(interopDir, "acpx")), "node_modules", "node", "bin", "node")
	if err := exec.Command(node, "-e", can).Run(); err != nil {
		t.Fatalf("%s cannot replace itself: %v", node, err)
	}
	return node
}

// An installation is a way to run the program.
type installation struct {
	command []string
	between []string // the programs between the client and the agent
}

// run returns a command that runs a shell script as the agent and forwards its text.
func (i installation) run(agent string) *exec.Cmd {
	args := slices.Concat(i.command[1:], []string{ample, "--stray=pass", "--", "sh", "-c", agent})
	return exec.Command(i.command[0], args...)
}

// testInstalled checks that an installed program behaves like one that the client runs directly.
func testInstalled(t *testing.T, i installation) {
	t.Run("conversation", func(t *testing.T) {
		cmd := i.run(stubAgent)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		w := startWrapped(t, cmd)
		between := converseWithStub(w)
		w.ends(5)
		if stderr.Len() > 0 {
			t.Errorf("stderr has %s", &stderr)
		}
		if !slices.Equal(between, i.between) {
			t.Errorf("processes between the agent and the client: %q, want %q", between, i.between)
		}
		report(t, fmt.Sprintf("%s: between the agent and the client: %s", t.Name(), strings.Join(between, ", ")))
	})
	t.Run("TERM", func(t *testing.T) {
		w := startWrapped(t, i.run(`trap 'echo caught; exit 9' TERM; echo ready; while :; do sleep 0.02; done`))
		w.gets("ready")
		w.cmd.Process.Signal(syscall.SIGTERM)
		w.gets("caught")
		w.ends(9)
	})
	t.Run("program killed", func(t *testing.T) {
		w := startWrapped(t, i.run(`echo ready; read -r line; kill -KILL $PPID; cat`))
		w.gets("ready")
		io.WriteString(w.in, "{}\n")
		w.cmd.Wait()
		if got := w.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(); got != syscall.SIGKILL {
			t.Errorf("ended by %v", got)
		}
	})
	t.Run("all killed but the agent", func(t *testing.T) {
		w := startWrapped(t, i.run(`echo ready; cat; echo input ended`))
		w.gets("ready")
		w.cmd.Process.Kill()
		w.in.Close()
		// Reading to EOF requires that no process holds the other end of the pipe.
		if _, err := io.ReadAll(w.out); err != nil {
			t.Error(err)
		}
	})
	t.Run("terminal", func(t *testing.T) {
		term := newTerminal(t)
		cmd := term.run(i.run(`trap 'n=$((n + 1)); echo interrupted' INT
			trap 'echo "ended after $n"; exit 7' TERM
			test -t 0 && test -t 1 && echo terminal
			read -r answer </dev/tty; echo "<$answer>"
			while :; do sleep 0.02; done`))
		term.shows("terminal")
		term.typed("yes\n")
		term.shows("<yes>")
		term.typed("\x03")
		term.shows("interrupted")
		cmd.Process.Signal(syscall.SIGTERM)
		term.shows("ended after 1") // interrupt, not two
		ended(t, cmd, 7)
	})
}

// converseWithStub plays the client of stubAgent until the end of its input, and returns the
// programs between the agent and this process.
func converseWithStub(w *wrapper) (between []string) {
	w.t.Helper()
	var agent struct{ PID int }
	if err := json.Unmarshal([]byte(w.getsLine()), &agent); err != nil {
		w.t.Fatal(err)
	}
	for pid := parent(w.t, agent.PID); pid != os.Getpid(); pid = parent(w.t, pid) {
		program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if err != nil {
			w.t.Fatal(err)
		}
		between = append(between, filepath.Base(program))
	}
	io.WriteString(w.in, `{"id":0,"method":"initialize","params":{"protocolVersion":1}}`+"\n")
	w.gets(`{"id":0,"result":{"protocolVersion":1}}`)
	if got := w.getsLine(); !strings.Contains(got, `"sessionUpdate":"plan"`) || !strings.Contains(got, "One step") {
		w.t.Errorf("the translated plan is %s", got)
	}
	io.WriteString(w.in, "{}\n")
	w.gets("{}")
	w.in.Close()
	w.gets(`{"method":"_ended"}`)
	return between
}

// getsLine reads a line of the agent's output.
func (w *wrapper) getsLine() string {
	w.t.Helper()
	var line []byte
	for b := make([]byte, 1); ; line = append(line, b[0]) {
		if _, err := w.out.Read(b); err != nil {
			w.t.Fatalf("got %q: %v", line, err)
		}
		if b[0] == '\n' {
			return string(line)
		}
	}
}

func parent(t *testing.T, pid int) int {
	t.Helper()
	status := string(readFile(t, fmt.Sprintf("/proc/%d/status", pid)))
	_, after, _ := strings.Cut(status, "\nPPid:\t")
	number, _, _ := strings.Cut(after, "\n")
	ppid, err := strconv.Atoi(number)
	if err != nil || ppid == 0 {
		t.Fatalf("process %d is not a descendant of this process", pid)
	}
	return ppid
}
