package transport

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// linuxAction is act for the actions that require Linux.
func linuxAction(name string) bool {
	switch name {
	case "zombie": // creates a zombie in the parent's group
		args := agentArgs("exit:0")
		child := exec.Command(args[0], args[1:]...)
		child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: os.Getppid()}
		if err := child.Start(); err != nil {
			os.Exit(95)
		}
		unix.Waitid(unix.P_PID, child.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
	case "proxy": // starts an agent that ignores TERM
		_, err := Start(Command{
			Args:   agentArgs("deaf", "err:ready", "hang"),
			Stderr: os.Stderr,
			Grace:  testTimeout,
		})
		if err != nil {
			os.Exit(96)
		}
	default:
		return false
	}
	return true
}

func TestProcessDiesWithProxy(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.SetReadDeadline(time.Now().Add(testTimeout))
	args := agentArgs("proxy", "hang")
	proxy := exec.Command(args[0], args[1:]...)
	proxy.Stderr = w
	err = proxy.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	readLine(t, r)
	proxy.Process.Kill()
	proxy.Wait()
	readStderr(t, r)
}

func TestProcessWaitPassesZombies(t *testing.T) {
	p, stderr := startWatched(t, testTimeout, "spawn:leave,zombie,pid,silent,hang", "eof")
	outsider := readLine(t, p.Stdout())
	p.Stdin().Close()
	readOutput(t, p)
	begin := time.Now()
	waitAgent(t, p)
	if d := time.Since(begin); d >= linger {
		t.Errorf("Wait took %v", d)
	}
	killPID(t, outsider)
	readStderr(t, stderr)
}

// The agent survives the thread that called Start.
func TestProcessOutlivesThread(t *testing.T) {
	type result struct {
		p   *Process
		err error
		tid int
	}
	started := make(chan result)
	var onThread func()
	onThread = func() {
		runtime.LockOSThread() // never unlocked, so that the thread ends with the goroutine
		tid := syscall.Gettid()
		if tid == os.Getpid() {
			// The main thread never ends. Block it and try another one.
			done := make(chan struct{})
			go func() {
				defer close(done)
				onThread()
			}()
			<-done
			runtime.UnlockOSThread()
			return
		}
		p, err := Start(Command{Args: agentArgs("echo"), Grace: testTimeout})
		started <- result{p, err, tid}
	}
	go onThread()
	res := <-started
	if res.err != nil {
		t.Fatal(res.err)
	}
	p := res.p
	defer p.Wait()
	defer p.Stdin().Close()

	thread := filepath.Join("/proc/self/task", strconv.Itoa(res.tid))
	deadline := time.Now().Add(testTimeout)
	for {
		if _, err := os.Stat(thread); err != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the thread does not end")
		}
		runtime.Gosched()
	}
	if _, err := p.Stdin().Write([]byte("alive\n")); err != nil {
		t.Error(err)
	}
	if got := readLine(t, p.Stdout()); got != "alive" {
		t.Errorf("agent wrote %q", got)
	}
}

// The system does not reuse the id of a group whose leader is a zombie.
func TestProcessKeepsLeaderUntilWait(t *testing.T) {
	p := startAgent(t, Command{Args: agentArgs("exit:0"), Grace: testTimeout})
	<-p.Exited()
	if err := p.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("before Wait: %v", err)
	}
	waitAgent(t, p)
	if err := p.Signal(syscall.Signal(0)); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("after Wait: %v", err)
	}
}

// A pipe end inherited by another agent would keep this agent's stdin open.
func TestProcessInheritsNoDescriptor(t *testing.T) {
	p1 := startAgent(t, Command{Args: agentArgs("eof"), Grace: testTimeout})
	p2 := startAgent(t, Command{Args: []string{"ls", "-l", "/proc/self/fd"}, Grace: testTimeout})
	var pipes []string
	for _, end := range []*pipeEnd{p1.stdin, p1.stdout, p2.stdout} {
		end.mu.Lock()
		for _, fd := range []int{end.fd, end.wakeR} {
			name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
			if err != nil {
				t.Error(err)
			}
			pipes = append(pipes, name)
		}
		end.mu.Unlock()
	}
	out := readOutput(t, p2)
	count := 0
	for _, pipe := range pipes {
		count += strings.Count(out, pipe)
	}
	if count != 1 { // its own stdout
		t.Errorf("pipes %v in descriptors:\n%s", pipes, out)
	}
}

// The agent survives a full disk.
func TestProcessStderrOnAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	p := startAgent(t, Command{Args: agentArgs("err:one", "err:two", "exit:3"), Stderr: full, KeepStderrTail: true, Grace: testTimeout})
	readOutput(t, p)
	if status := waitAgent(t, p); status != 3 || string(p.StderrTail()) != "one\ntwo\n" {
		t.Errorf("status %d, tail %q", status, p.StderrTail())
	}
}
