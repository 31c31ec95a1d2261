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
// Its id can name other processes only after the leader was reaped and the last
// member has ended. Linux can wait without reaping, so there the leader stays a
// zombie until finish, and every signal before that is certain to reach this
// group. On other systems, and in finish between reaping and KILL, the id is
// used only while the group has never been seen empty. A signal could hit a
// stranger only if the last member ended and a new group got its id between two
// looks at it.
type group struct {
	agent *exec.Cmd
	state *os.ProcessState // set by reap

	mu   sync.Mutex
	gone bool // the id may name other processes now
}

// startGroup starts the agent as the leader of a new group and calls onExit
// when it has exited.
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
	// A stopped process sees TERM only when it is continued.
	g.signal(syscall.SIGCONT)
}

func (g *group) kill() { g.signal(syscall.SIGKILL) }

// finish ends what is left of the group and returns the agent's status. A
// leader that has not exited is past killing and stays unreaped.
func (g *group) finish(exited bool) int {
	g.terminate()
	status := 128 + int(syscall.SIGKILL)
	if exited {
		status = g.reap()
	}
	if !g.empties(linger) {
		g.kill()
		g.empties(linger)
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

// ending says how the leader has ended. It is called after finish.
func (g *group) ending() string {
	if g.state == nil {
		return "not seen to end"
	}
	return g.state.String()
}

// isEmpty reports whether no process of the group runs any more. Zombies do not
// count where the system tells them apart.
func (g *group) isEmpty() bool {
	return errors.Is(g.signal(0), os.ErrProcessDone) || g.onlyZombies()
}

// empties waits for the group to become empty and reports whether it did within
// the limit. It is called after reap.
func (g *group) empties(limit time.Duration) bool {
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
