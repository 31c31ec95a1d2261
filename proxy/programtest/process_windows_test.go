package programtest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A wrapper is the running program with a batch file as its agent. The batch file runs
// plain-agent, as npx runs node, and the program forwards the text that plain-agent prints.
type wrapper struct {
	*testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Reader
	stderr *os.File // ends when no process holds it
}

func wrap(t *testing.T, flags []string, words ...string) *wrapper {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "launch.cmd"), []byte("@ECHO OFF\r\nplain-agent %*\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	stderr, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	w := &wrapper{T: t, stderr: stderr}
	w.cmd = exec.Command(programName, slices.Concat([]string{"--stray=pass"}, flags, []string{"--", "launch"}, words)...)
	w.cmd.Stderr = write
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if w.out, err = w.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Make a hanging program fail instead of blocking the test.
	limit := time.AfterFunc(30*time.Second, func() {
		w.cmd.Process.Kill()
		stderr.Close()
	})
	t.Cleanup(func() {
		limit.Stop()
		w.cmd.Process.Kill()
		stderr.Close()
	})
	return w
}

// ready waits until the agent prints "ready".
func (w *wrapper) ready() {
	w.Helper()
	line := make([]byte, len("ready\n"))
	if _, err := io.ReadFull(w.out, line); err != nil || string(line) != "ready\n" {
		w.Fatalf("the agent prints %q, %v", line, err)
	}
}

// ends waits until the program and all its child processes exit, and checks the status.
func (w *wrapper) ends(status int) (stderr string) {
	w.Helper()
	rest, err := io.ReadAll(w.out)
	if err != nil || len(rest) > 0 {
		w.Errorf("the client gets %q, %v", rest, err)
	}
	w.cmd.Wait()
	if got := w.cmd.ProcessState.ExitCode(); got != status {
		w.Errorf("exit status %d, want %d", got, status)
	}
	text, err := io.ReadAll(w.stderr)
	if err != nil {
		w.Errorf("a process is still running: %v", err)
	}
	return string(text)
}

func TestBatchAgent(t *testing.T) {
	// Streams in text mode would change \r and \x1a.
	const message = `{"jsonrpc":"2.0","method":"_x","params":"a \"b\" & 100%"}` + "\x1a\x00\xff\r\n"
	w := wrap(t, nil, "say=ready", "cat", "err=x&y z", "exit=5")
	w.ready()
	if _, err := io.WriteString(w.in, message); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(message))
	if _, err := io.ReadFull(w.out, got); err != nil || string(got) != message {
		t.Errorf("got %q, %v", got, err)
	}
	w.in.Close()
	if stderr := w.ends(5); !strings.HasSuffix(stderr, "x&y z\n") {
		t.Errorf("stderr %q", stderr)
	}
}

// TestGraceEndsGroup checks that the program ends an agent, with its child processes, that
// survives the end of its input.
func TestGraceEndsGroup(t *testing.T) {
	w := wrap(t, []string{"--grace=300ms"}, "say=ready", "hang")
	w.ready()
	begin := time.Now()
	w.in.Close()
	w.ends(128 + 15)
	if d := time.Since(begin); d < 300*time.Millisecond {
		t.Errorf("ended after %v", d)
	}
}

func TestKilledProgramLeavesNothing(t *testing.T) {
	w := wrap(t, []string{"--grace=20s"}, "say=ready", "hang")
	w.ready()
	w.cmd.Process.Kill()
	w.ends(1)
}
