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

// A wrapped is the program running a batch file as its agent, which runs
// plain-agent, as npx runs node. What that says is text, which passes.
type wrapped struct {
	*testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Reader
	stderr *os.File // ends when nobody has it any more
}

func wrap(t *testing.T, flags []string, words ...string) *wrapped {
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
	w := &wrapped{T: t, stderr: stderr}
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
	// What hangs must fail, not hang the test.
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

// ready waits until the agent has said so.
func (w *wrapped) ready() {
	w.Helper()
	line := make([]byte, len("ready\n"))
	if _, err := io.ReadFull(w.out, line); err != nil || string(line) != "ready\n" {
		w.Fatalf("the agent says %q, %v", line, err)
	}
}

// ends waits for the end of the program, and of everything it has started.
func (w *wrapped) ends(status int) (stderr string) {
	w.Helper()
	rest, err := io.ReadAll(w.out)
	if err != nil || len(rest) > 0 {
		w.Errorf("the client gets %q, %v", rest, err)
	}
	w.cmd.Wait()
	if got := w.cmd.ProcessState.ExitCode(); got != status {
		w.Errorf("exit status %d, want %d", got, status)
	}
	said, err := io.ReadAll(w.stderr)
	if err != nil {
		w.Errorf("something is left running: %v", err)
	}
	return string(said)
}

func TestBatchAgent(t *testing.T) {
	// Where streams have a text mode, \r and \x1a mean something.
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
	if said := w.ends(5); !strings.HasSuffix(said, "x&y z\n") {
		t.Errorf("stderr %q", said)
	}
}

// An agent that does not end with its input is ended with all it has started.
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
