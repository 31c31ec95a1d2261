//go:build unix

package transport

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// systemAction is act for the actions that require Unix.
func systemAction(name, arg string) bool {
	switch name {
	case "pid":
		os.Stdout.WriteString(strconv.Itoa(os.Getpid()) + "\n")
	case "bytes":
		n, _ := strconv.Atoi(arg)
		os.Stdout.Write(bytes.Repeat([]byte("x"), n))
	case "errflood":
		signal.Reset(syscall.SIGPIPE)
		for {
			os.Stderr.Write(make([]byte, 4096))
		}
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "pause":
		time.Sleep(300 * time.Millisecond)
	case "silent": // closes stdin and stdout
		null, _ := os.Open(os.DevNull)
		fd := int(null.Fd())
		syscall.Close(0)
		syscall.Close(1)
		syscall.Dup(fd)
		syscall.Dup(fd)
	case "deaf":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	case "onterm": // writes ready, and arg on TERM
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		os.Stderr.WriteString("ready\n")
		select {
		case <-c:
			os.Stderr.WriteString(arg + "\n")
		case <-time.After(2 * testTimeout):
		}
	case "err":
		os.Stderr.WriteString(arg + "\n")
	case "halt":
		syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		time.Sleep(2 * testTimeout)
	case "leave":
		if err := syscall.Setpgid(0, 0); err != nil {
			os.Exit(97)
		}
	default:
		return linuxAction(name)
	}
	return true
}

// startWatched starts an agent whose stderr is the returned pipe. The pipe ends when
// all processes that inherited it have ended, in the group or not.
func startWatched(t *testing.T, grace time.Duration, actions ...string) (*Process, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	r.SetReadDeadline(time.Now().Add(testTimeout))
	p := startAgent(t, Command{Args: agentArgs(actions...), Stderr: w, Grace: grace})
	w.Close()
	return p, r
}

// readStderr waits until no process has stderr open, and returns its contents.
func readStderr(t *testing.T, stderr *os.File) string {
	t.Helper()
	b, err := io.ReadAll(stderr)
	if err != nil {
		t.Errorf("a process is still running: %v", err)
	}
	return string(b)
}

func killPID(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

func TestProcessSignalStatus(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL, syscall.SIGABRT} {
		p, _ := startWatched(t, testTimeout, "say:ready", "hang")
		readLine(t, p.Stdout())
		if err := p.Signal(sig); err != nil {
			t.Error(err)
		}
		want := 128 + int(sig)
		if sig == syscall.SIGABRT {
			want = 2 // exit status of a Go program
		}
		if got := waitAgent(t, p); got != want {
			t.Errorf("status %d, want %d", got, want)
		}
	}
}

func TestProcessOutputAfterExit(t *testing.T) {
	t.Parallel()
	const size = 60_000 // fits into a pipe
	// With a zero Grace, all limits have passed before the first Read.
	p := startAgent(t, Command{Args: agentArgs("bytes:"+strconv.Itoa(size), "exit:2")})
	within(t, "escalation", func() { <-p.escalated })
	if got := len(readOutput(t, p)); got != size {
		t.Errorf("%d bytes, want %d", got, size)
	}
	if got := waitAgent(t, p); got != 2 {
		t.Errorf("status %d", got)
	}
}

func TestProcessSignalReachesGroup(t *testing.T) {
	t.Parallel()
	p, stderr := startWatched(t, testTimeout, "spawn:say=ready,hang", "hang")
	readLine(t, p.Stdout())
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	readOutput(t, p) // the grandchild has inherited stdout
	readStderr(t, stderr)
	if got := waitAgent(t, p); got != 128+15 {
		t.Errorf("status %d", got)
	}
}

// gemini-cli ignores all signals except KILL.
func TestProcessTermIgnored(t *testing.T) {
	t.Parallel()
	const grace = 100 * time.Millisecond
	p, stderr := startWatched(t, grace, "deaf", "spawn:deaf,say=ready,hang", "hang")
	readLine(t, p.Stdout())
	begin := time.Now()
	p.Stdin().Close()
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	p.Stop()
	readOutput(t, p)
	if d := time.Since(begin); d < 2*grace || d > killLimit {
		t.Errorf("killed after %v", d)
	}
	if got := waitAgent(t, p); got != 128+9 {
		t.Errorf("status %d", got)
	}
	readStderr(t, stderr)
}

// The launcher exits on TERM at once, the actual agent later.
func TestProcessGrandchildHasSecondGrace(t *testing.T) {
	t.Parallel()
	const grace = 2 * linger
	p, stderr := startWatched(t, grace, "spawn:deaf,say=ready,hang", "hang")
	readLine(t, p.Stdout())
	begin := time.Now()
	p.Stop()
	readOutput(t, p)
	if d := time.Since(begin); d < 2*grace {
		t.Errorf("killed after %v", d)
	}
	if got := waitAgent(t, p); got != 128+15 {
		t.Errorf("status %d", got)
	}
	readStderr(t, stderr)
}

func TestProcessTermReachesStopped(t *testing.T) {
	t.Parallel()
	p, stderr := startWatched(t, 200*time.Millisecond, "say:ready", "halt")
	readLine(t, p.Stdout())
	p.Stop()
	readOutput(t, p)
	if got := waitAgent(t, p); got != 128+15 {
		t.Errorf("status %d", got)
	}
	readStderr(t, stderr)
}

func TestProcessGrandchildHoldsStdout(t *testing.T) {
	t.Parallel()
	const grace = 4 * linger
	p, stderr := startWatched(t, grace, "spawn:deaf,say=ready,eof,say=last,hang", "hang")
	readLine(t, p.Stdout())
	begin := time.Now()
	if err := syscall.Kill(p.group.agent.Process.Pid, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	// The agent's exit has closed stdin.
	if got := readOutput(t, p); got != "last\n" {
		t.Errorf("output %q", got)
	}
	if d := time.Since(begin); d < grace || d >= 2*grace {
		t.Errorf("stdout ended after %v", d)
	}
	if got := waitAgent(t, p); got != 128+15 {
		t.Errorf("status %d", got)
	}
	readStderr(t, stderr)
}

// Terminating is also called for processes that outlive the agent.
func TestProcessTerminatingGrandchild(t *testing.T) {
	t.Parallel()
	var told []bool
	p := startAgent(t, Command{
		Args: agentArgs("spawn:deaf,say=ready,hang", "line", "exit:0"), Grace: 50 * time.Millisecond,
		Terminating: func(exited bool) { told = append(told, exited) },
	})
	readLine(t, p.Stdout())
	if _, err := p.Stdin().Write([]byte("\n")); err != nil {
		t.Error(err)
	}
	readOutput(t, p)
	waitAgent(t, p)
	if !slices.Equal(told, []bool{true}) {
		t.Errorf("told %v", told)
	}
}

// Kill ends the whole group. A process outside the group does not block Stdin or
// Stdout.
func TestProcessKillEndsGroup(t *testing.T) {
	t.Parallel()
	p, stderr := startWatched(t, testTimeout, "deaf", "spawn:deaf,err=ready,hang", "spawn:leave,pid,hang", "hang")
	outsider := readLine(t, p.Stdout())
	readLine(t, stderr)
	wrote := blockedWrite(t, p)
	p.Kill()
	if err := <-wrote; err == nil {
		t.Error("Write without a reader succeeded")
	}
	readOutput(t, p)
	if got := waitAgent(t, p); got != 128+9 {
		t.Errorf("status %d", got)
	}
	killPID(t, outsider)
	readStderr(t, stderr)
}

func TestProcessOutsiderHoldsStdout(t *testing.T) {
	t.Parallel()
	p, stderr := startWatched(t, 50*time.Millisecond, "spawn:leave,deaf,pid,say=last,hang", "eof")
	outsider := readLine(t, p.Stdout())
	p.Stdin().Close()
	if got := readOutput(t, p); got != "last\n" {
		t.Errorf("output %q", got)
	}
	if got := waitAgent(t, p); got != 0 {
		t.Errorf("status %d", got)
	}
	killPID(t, outsider)
	readStderr(t, stderr)
}

// blockedWrite starts a Write that exceeds the capacity of the agent's stdin.
func blockedWrite(t *testing.T, p *Process) <-chan error {
	t.Helper()
	wrote := make(chan error, 1)
	go func() {
		_, err := p.Stdin().Write(make([]byte, 4<<20))
		wrote <- err
	}()
	within(t, "begin of Write", func() {
		for p.stdin.mu.TryLock() {
			p.stdin.mu.Unlock()
			runtime.Gosched()
		}
	})
	return wrote
}

func TestProcessCloseFreesWrite(t *testing.T) {
	p := startAgent(t, Command{Args: agentArgs("hang"), Grace: testTimeout})
	wrote := blockedWrite(t, p)
	within(t, "Close", func() { p.Stdin().Close() })
	within(t, "Write", func() {
		if err := <-wrote; !errors.Is(err, os.ErrClosed) {
			t.Errorf("Write: %v", err)
		}
	})
}

// A process outside the group that has stdin open keeps a Write blocked.
func TestProcessExitFreesWrite(t *testing.T) {
	p, stderr := startWatched(t, testTimeout, "spawn:leave,pid,hang", "hang")
	outsider := readLine(t, p.Stdout())
	wrote := blockedWrite(t, p)
	if err := p.Signal(os.Kill); err != nil {
		t.Error(err)
	}
	within(t, "Write", func() {
		if err := <-wrote; !errors.Is(err, os.ErrClosed) {
			t.Errorf("Write: %v", err)
		}
	})
	killPID(t, outsider)
	readStderr(t, stderr)
}

func TestPipeAbandonedEnds(t *testing.T) {
	agent, proxy, err := stdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	defer proxy.Close()
	proxy.abandon()
	chunk := make([]byte, 4096)
	for read := 0; read <= pipeCapacity; {
		if _, err := agent.Write(chunk); err != nil {
			t.Fatal(err)
		}
		n, err := proxy.Read(chunk)
		if err == io.EOF {
			return
		}
		read += n
	}
	t.Error("io.EOF before the end of the output")
}

func TestProcessWaitEndsGroup(t *testing.T) {
	t.Parallel()
	for actions, want := range map[string]string{
		"silent,onterm=bye":      "ready\nbye\n",
		"silent,deaf,err=r,hang": "r\n",
	} {
		p, stderr := startWatched(t, testTimeout, "spawn:"+actions, "line")
		got := readLine(t, stderr) + "\n"
		p.Stdin().Close()
		readOutput(t, p)
		begin := time.Now()
		waitAgent(t, p)
		if d := time.Since(begin); d > testTimeout/4 {
			t.Errorf("%s: Wait took %v", actions, d)
		}
		if got += readStderr(t, stderr); got != want {
			t.Errorf("%s: stderr %q, want %q", actions, got, want)
		}
	}
}

func TestProcessWaitTakesNoTime(t *testing.T) {
	shortest := time.Hour
	for range 5 {
		p := startAgent(t, Command{Args: agentArgs("exit:0"), Grace: testTimeout})
		readOutput(t, p)
		<-p.Exited()
		begin := time.Now()
		p.Wait()
		shortest = min(shortest, time.Since(begin))
	}
	if shortest > time.Millisecond {
		t.Errorf("Wait took %v or more", shortest)
	}
}
