//go:build unix

package transport

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The agent's stderr is copied completely and its tail is available, for every kind of
// exit, and if another process keeps stderr open.
func TestProcessStderrTail(t *testing.T) {
	for _, test := range []struct {
		name    string
		actions []string
		stderr  string
		ending  string
	}{
		{"an agent that exits", []string{"err:one", "err:two", "exit:3"}, "one\ntwo\n", "exit status 3"},
		{"an agent without output", []string{"exit:0"}, "", "exit status 0"},
		{"a killed agent", []string{"err:one", "kill"}, "one\n", "signal: killed"},
		{"a descendant that runs on", []string{"err:one", "spawn:silent,deaf,hang", "exit:1"}, "one\n", "exit status 1"},
		{"a descendant in another group", []string{"spawn:leave,silent,err=two,hang", "pause", "exit:1"}, "two\n", "exit status 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			p := startAgent(t, Command{Args: agentArgs(test.actions...), Stderr: w, KeepStderrTail: true, Grace: testTimeout})
			readOutput(t, p)
			<-p.Exited()
			begin := time.Now()
			waitAgent(t, p)
			if d := time.Since(begin); d > testTimeout/4 {
				t.Errorf("Wait took %v", d)
			}
			w.Close()
			stderr, err := io.ReadAll(r)
			if string(stderr) != test.stderr || err != nil {
				t.Errorf("stderr %q, %v", stderr, err)
			}
			if tail := string(p.StderrTail()); tail != test.stderr {
				t.Errorf("tail %q", tail)
			}
			if ending := p.Ending(); ending != test.ending {
				t.Errorf("ending %s, want %s", ending, test.ending)
			}
		})
	}
}

// Only the last bytes of a long output are buffered.
func TestErrorOutputBuffersTail(t *testing.T) {
	var e errorOutput
	var all strings.Builder
	for _, size := range []int{1, 10, maxTail - 5, 3, maxTail, 2, 3 * maxTail, 100} {
		text := strings.Repeat(string(rune('a'+all.Len()%26)), size-1) + "\n"
		all.WriteString(text)
		e.keep([]byte(text))
		want := all.String()
		if got := string(e.lastBytes()); got != want[max(0, len(want)-maxTail):] {
			t.Fatalf("after %d bytes: %d buffered", len(want), len(got))
		}
	}
}

// An agent whose stderr has lost its reader gets EPIPE as if it had inherited the pipe. A
// slow reader does not block Wait.
func TestProcessStderrWithoutReader(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p := startAgent(t, Command{Args: agentArgs("errflood"), Stderr: w, KeepStderrTail: true, Grace: testTimeout})
	time.Sleep(50 * time.Millisecond) // it fills the pipes
	select {
	case <-p.Exited():
		t.Error("the agent does not wait for a slow reader")
	default:
	}
	r.Close()
	readOutput(t, p)
	if status := waitAgent(t, p); status != 128+int(syscall.SIGPIPE) {
		t.Errorf("status %d", status)
	}

	r, w, err = os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	p = startAgent(t, Command{Args: agentArgs("errflood"), Stderr: w, KeepStderrTail: true, Grace: testTimeout})
	time.Sleep(50 * time.Millisecond)
	p.Signal(os.Kill)
	readOutput(t, p)
	begin := time.Now()
	if status := waitAgent(t, p); status != 128+int(syscall.SIGKILL) || time.Since(begin) > testTimeout/4 {
		t.Errorf("status %d after %v", status, time.Since(begin))
	}
}

// Without Stderr there is no copy, and no goroutine remains after the agent's exit.
func TestProcessStderrInherited(t *testing.T) {
	p := startAgent(t, Command{Args: agentArgs("exit:0"), KeepStderrTail: true, Grace: testTimeout})
	readOutput(t, p)
	waitAgent(t, p)
	if p.stderr != nil || p.StderrTail() != nil {
		t.Error("stderr is copied to the null device")
	}
	if _, err := Start(Command{Args: []string{"no-such-agent"}, Stderr: os.Stderr, KeepStderrTail: true}); err == nil || !strings.Contains(err.Error(), exec.ErrNotFound.Error()) {
		t.Errorf("%v", err)
	}
}
