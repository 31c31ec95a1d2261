package transport

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hostileArgs returns arguments that a batch file must receive unchanged. Unquoted,
// they make cmd.exe run a command that creates the file trace.
func hostileArgs(trace string) []string {
	command := "echo x>" + trace
	return []string{
		"", "a b", "x&" + command, "x|" + command, "&" + command + "&", "^&" + command, "x^", "a;b,c=d", "(x)", "<" + trace, ">" + trace,
		"!FOO!", "~1", "é☺", `dir\`, `a dir\`, `\\`, "/c", "*", "'",
	}
}

// quoteArgs returns arguments with quotes. The batch file itself prints them, because
// Go programs such as the test's agent parse two quotes as one and as the end of the
// quoted part.
func quoteArgs(trace string) []string {
	command := "echo x>" + trace
	return []string{`say "hi"`, `"`, `"&` + command, `"&` + command + `&"`, `a\"&` + command, `x" & ` + command + ` & "`, `"^&` + command}
}

// echoArgs creates a batch file that passes its arguments to this test binary, as
// npm's batch files pass them to node.
func echoArgs(t *testing.T, name string) string {
	t.Helper()
	agent := agentArgs("args")
	path := filepath.Join(t.TempDir(), name)
	text := "@ECHO OFF\r\nSETLOCAL\r\n" + `"` + agent[0] + `" ` + strings.Join(agent[1:], " ") + " %*\r\nexit /b %ERRORLEVEL%\r\n"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func checkArgs(t *testing.T, program string, args ...string) {
	t.Helper()
	p := startAgent(t, Command{Args: append([]string{program}, args...), Stderr: os.Stderr, Grace: testTimeout})
	p.Stdin().Close()
	if got, want := readOutput(t, p), strings.Join(args, "\n")+"\n"; got != want {
		t.Errorf("%s gets\n%swant\n%s", program, got, want)
	}
	if status := waitAgent(t, p); status != 0 {
		t.Errorf("status %d", status)
	}
}

func TestBatchFileArguments(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace")
	t.Setenv("FOO", "foo")
	for _, name := range []string{"agent.BAT", `R&D ^ (x)\an agent.cmd`} {
		checkArgs(t, echoArgs(t, name), hostileArgs(trace)...)
	}
	path := echoArgs(t, "agent.cmd")
	for _, arg := range hostileArgs(trace) {
		checkArgs(t, path, arg, "last")
	}
	checkNotRun(t, trace)
}

func checkNotRun(t *testing.T, trace string) {
	t.Helper()
	if _, err := os.Stat(trace); err == nil {
		t.Error("cmd.exe ran an argument as a command")
	}
}

// The batch file itself prints its arguments, still quoted.
func TestBatchFileQuotes(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace")
	path := filepath.Join(t.TempDir(), "print.cmd")
	if err := os.WriteFile(path, []byte("@ECHO OFF\r\nECHO %*\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arg := range quoteArgs(trace) {
		p := startAgent(t, Command{Args: []string{path, arg, "last"}, Stderr: os.Stderr, Grace: testTimeout})
		got := splitCommandLine(strings.TrimRight(readOutput(t, p), " \r\n"))
		if len(got) != 2 || got[0] != arg || got[1] != "last" {
			t.Errorf("%q becomes %q", arg, got)
		}
		if status := waitAgent(t, p); status != 0 {
			t.Errorf("%q: status %d", arg, status)
		}
	}
	checkNotRun(t, trace)
}

// cmd.exe expands no variable in its command line. The agent here is not a batch file,
// because Wine's cmd.exe, unlike the one of Windows, expands variables again in the
// arguments inserted for %*.
func TestBatchFilePercent(t *testing.T) {
	t.Setenv("FOO", "foo")
	args := []string{"%FOO%", "%", "%%", "100%", "%FOO:o=%", "%cd%", "%cd:~,%", "%%FOO%%", "%1", "%*", "% FOO %", "^%FOO^%"}
	agent := agentArgs(append([]string{"args"}, args...)...)
	line, err := batchCommandLine(agent[0], agent[1:])
	if err != nil {
		t.Fatal(err)
	}
	command, err := newCommand([]string{echoArgs(t, "agent.cmd")})
	if err != nil {
		t.Fatal(err)
	}
	command.SysProcAttr.CmdLine = line
	out, err := command.Output()
	if want := strings.Join(args, "\n") + "\n"; err != nil || string(out) != want {
		t.Errorf("%v, got\n%swant\n%s", err, out, want)
	}
}

func TestReplaceWithBatchFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.cmd")
	if err := os.WriteFile(path, []byte("@ECHO OFF\r\n>\"%~dp0got\" ECHO %*\r\nexit /b 7\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, err := Replace([]string{path, "x&ver"}); status != 7 || err != nil {
		t.Errorf("status %d, %v", status, err)
	}
	got, err := os.ReadFile(filepath.Join(filepath.Dir(path), "got"))
	if args := splitCommandLine(strings.TrimSpace(string(got))); err != nil || len(args) != 1 || args[0] != "x&ver" {
		t.Errorf("%q, %v", args, err)
	}
}

func TestUnknownExtension(t *testing.T) {
	script := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Start(Command{Args: []string{script}})
	if err == nil || ExitStatus(err) != 126 || !strings.Contains(err.Error(), script+" is no program") {
		t.Errorf("%v, exit status %d", err, ExitStatus(err))
	}
}

func TestBatchFileInvalidArgument(t *testing.T) {
	path := echoArgs(t, "agent.cmd")
	_, err := Start(Command{Args: []string{path, "ok", "a\nb"}})
	if err == nil || ExitStatus(err) != 126 || !strings.Contains(err.Error(), `argument 2, "a\nb"`) {
		t.Errorf("%v, exit status %d", err, ExitStatus(err))
	}
}

// Clients run npx without its extension.
func TestBatchFileInPath(t *testing.T) {
	path := echoArgs(t, "npx.cmd")
	dir := filepath.Dir(path)
	if err := os.WriteFile(filepath.Join(dir, "npx"), []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, program := range []string{"npx", "NPX", "npx.cmd", filepath.Join(dir, "npx"), filepath.ToSlash(path), path + ".", path + " . "} {
		checkArgs(t, program, "-y", "@scope/agent@1.2.3", "x&y z")
	}
	t.Chdir(dir)
	checkArgs(t, `.\npx`, "-y", "x&y")
}

// TestNotFound reports a program that does not exist, and one whose path the system refuses.
func TestNotFound(t *testing.T) {
	for path, isMissing := range map[string]bool{filepath.Join(t.TempDir(), "agent"): true, `C:\an` + "\x00" + `agent`: false} {
		if err := notFound(path, exec.ErrNotFound); errors.Is(err, fs.ErrNotExist) != isMissing {
			t.Errorf("%q: %v", path, err)
		}
	}
}
