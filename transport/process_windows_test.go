package transport

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// systemAction has no actions on this system.
func systemAction(string, string) bool { return false }

// startWatched starts an agent whose stderr is the returned pipe. The pipe ends when
// all processes that inherited it have ended.
func startWatched(t *testing.T, grace time.Duration, actions ...string) (*Process, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	t.Cleanup(func() { r.Close() })
	return startAgent(t, Command{Args: agentArgs(actions...), Stderr: w, Grace: grace}), r
}

func readStderr(t *testing.T, stderr *os.File) {
	t.Helper()
	within(t, "the end of all processes", func() { io.Copy(io.Discard, stderr) })
}

// Descendants end one grace period after the agent.
func TestProcessGrandchildHoldsStdout(t *testing.T) {
	const grace = 200 * time.Millisecond
	p, stderr := startWatched(t, grace, "spawn:say=ready,hang", "line", "exit:3")
	readLine(t, p.Stdout())
	begin := time.Now()
	if _, err := p.Stdin().Write([]byte("\n")); err != nil {
		t.Error(err)
	}
	readOutput(t, p)
	if d := time.Since(begin); d < grace {
		t.Errorf("stdout ended after %v", d)
	}
	if got := waitAgent(t, p); got != 3 {
		t.Errorf("status %d", got)
	}
	readStderr(t, stderr)
}

func TestProcessWaitEndsGroup(t *testing.T) {
	p, stderr := startWatched(t, testTimeout, "spawn:say=ready,hang", "line", "exit:0")
	readLine(t, p.Stdout())
	p.Stdin().Close()
	<-p.Exited()
	waitAgent(t, p)
	readStderr(t, stderr)
}

func TestProcessKillEndsGroup(t *testing.T) {
	p, stderr := startWatched(t, testTimeout, "spawn:say=ready,hang", "hang")
	readLine(t, p.Stdout())
	p.Kill()
	readOutput(t, p)
	readStderr(t, stderr)
	if got := waitAgent(t, p); got != statusTerminated {
		t.Errorf("status %d", got)
	}
}

// blockedWrite writes to an agent that does not read, until a Write blocks.
func blockedWrite(t *testing.T, p *Process) <-chan error {
	t.Helper()
	var written atomic.Int64
	failed := make(chan error, 1)
	go func() {
		for {
			n, err := p.Stdin().Write(make([]byte, 512))
			written.Add(int64(n))
			if err != nil {
				failed <- err
				return
			}
		}
	}()
	within(t, "a full pipe", func() {
		for before := int64(-1); before != written.Load(); time.Sleep(50 * time.Millisecond) {
			before = written.Load()
		}
	})
	return failed
}

func TestProcessCloseFreesWrite(t *testing.T) {
	p, _ := startWatched(t, testTimeout, "hang")
	failed := blockedWrite(t, p)
	within(t, "Close", func() { p.Stdin().Close() })
	within(t, "Write", func() {
		if err := <-failed; !errors.Is(err, os.ErrClosed) {
			t.Errorf("Write: %v", err)
		}
	})
}

// A descendant with an open stdin keeps a Write blocked.
func TestProcessExitFreesWrite(t *testing.T) {
	p, _ := startWatched(t, testTimeout, "spawn:say=ready,hang", "line", "exit:0")
	readLine(t, p.Stdout())
	if _, err := p.Stdin().Write([]byte("\n")); err != nil {
		t.Error(err)
	}
	failed := blockedWrite(t, p)
	within(t, "Write", func() {
		if err := <-failed; !errors.Is(err, os.ErrClosed) {
			t.Errorf("Write: %v", err)
		}
	})
}

// abandon ends a Read that is blocked, is about to block, or begins later.
func TestPipeAbandonedEnds(t *testing.T) {
	for range 200 {
		agent, proxy, err := stdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		read := make(chan error, 1)
		go func() {
			_, err := proxy.Read(make([]byte, 1))
			read <- err
		}()
		within(t, "Read", func() {
			proxy.abandon()
			if err := <-read; err != io.EOF {
				t.Errorf("Read: %v", err)
			}
		})
		agent.Close()
	}
}
