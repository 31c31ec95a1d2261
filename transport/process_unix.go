//go:build unix

package transport

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// group is the process group whose leader is the agent.
//
// The system may reuse the id of the group once the leader is reaped and the last
// member has ended. On Linux, awaitExit does not reap the leader, so the system
// cannot reuse the id before finish. Otherwise signal sets gone when it finds the
// group empty, and sends no further signal. A signal reaches another group only if
// the last member has ended and a new group has got the id since the signal before.
type group struct {
	agent *exec.Cmd
	state *os.ProcessState // set by reap

	mu   sync.Mutex
	gone bool // the system may have reused the id
}

// startGroup starts the agent as the leader of a new group and calls onExit
// after its exit.
func startGroup(agent *exec.Cmd, onExit func()) (*group, error) {
	agent.SysProcAttr = groupAttr()
	g := &group{agent: agent}
	started := make(chan error)
	go func() {
		// Linux sends Pdeathsig when the thread that started the agent ends, not
		// when the process does. A thread lives as long as the goroutine that
		// is locked to it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := agent.Start()
		started <- err
		if err != nil {
			return
		}
		g.awaitExit()
		onExit()
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return g, nil
}

func (p *Process) signal(sig os.Signal) error {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return fmt.Errorf("signal agent: this system has no signal %v", sig)
	}
	if err := p.group.signal(s); err != nil {
		return fmt.Errorf("signal agent: %w", err)
	}
	return nil
}

func (g *group) signal(sig syscall.Signal) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone {
		return os.ErrProcessDone
	}
	err := syscall.Kill(-g.agent.Process.Pid, sig)
	if err == syscall.ESRCH {
		g.gone = true
		return os.ErrProcessDone
	}
	return err
}

func (g *group) terminate() {
	g.signal(syscall.SIGTERM)
	// A stopped process handles TERM only when it continues.
	g.signal(syscall.SIGCONT)
}

func (g *group) kill() { g.signal(syscall.SIGKILL) }

// finish terminates the rest of the group and returns the agent's status. It does
// not reap a leader that has survived KILL.
func (g *group) finish(exited bool) int {
	g.terminate()
	status := 128 + int(syscall.SIGKILL)
	if exited {
		status = g.reap()
	}
	if !g.awaitEmpty(linger) {
		g.kill()
		g.awaitEmpty(linger)
	}
	g.mu.Lock()
	g.gone = true
	g.mu.Unlock()
	return status
}

// reap returns the status of the leader, which has exited.
func (g *group) reap() int {
	if g.state == nil {
		state, err := g.agent.Process.Wait()
		if err != nil {
			return 128 + int(syscall.SIGKILL)
		}
		g.state = state
	}
	ws := g.state.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// ending describes the leader's end. It is called after finish.
func (g *group) ending() string {
	if g.state == nil {
		return "not seen to end"
	}
	return g.state.String()
}

// isEmpty reports whether the group has no running process. Only on Linux, zombies
// do not count as running.
func (g *group) isEmpty() bool {
	return errors.Is(g.signal(0), os.ErrProcessDone) || g.hasOnlyZombies()
}

// awaitEmpty waits up to limit until the group is empty, and reports whether it is.
// It is called after reap, unless the leader has survived KILL.
func (g *group) awaitEmpty(limit time.Duration) bool {
	deadline := time.Now().Add(limit)
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		if g.isEmpty() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
	}
}
