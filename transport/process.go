package transport

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"time"
)

const (
	// linger is how long processes that have outlived the agent get between
	// TERM and KILL, and how long the pipes get to empty after KILL.
	linger = 250 * time.Millisecond

	// killLimit bounds the wait for an agent to die of KILL. Only one that
	// hangs in the kernel (dead network file system) takes longer.
	killLimit = 2 * time.Second
)

// Command describes the agent to run. Environment and working directory are
// those of the calling process.
type Command struct {
	// Args is the program, looked up in PATH unless it contains a separator,
	// and its arguments.
	Args []string

	// Stderr is the agent's stderr, inherited as it is. Nil is the null
	// device.
	Stderr *os.File

	// Grace is how long a stopping agent is given before TERM, and again
	// before KILL. Zero gives it no time.
	Grace time.Duration
}

// Process is a running agent and whatever it has started since.
//
// The agent is the leader of a process group of its own; on Windows it is in
// a job of its own. "Group" stands for both. A process that leaves the group
// is not signalled and not waited for, but cannot hold up Stdin, Stdout or
// Wait either.
//
// The order of use: write Stdin and read Stdout; Stop when the agent has to
// end; read Stdout to its end; Wait. Wait has to be called in any case, it is
// what frees the descriptors. All methods may be called from any goroutine.
type Process struct {
	group  *group
	stdin  *pipeEnd
	stdout *pipeEnd
	grace  time.Duration

	exited    chan struct{} // the agent itself has exited
	stop      chan struct{} // closed by Stop
	finish    chan struct{} // closed by Wait: no more timers
	escalated chan struct{} // escalate has returned

	stopOnce sync.Once
	waitOnce sync.Once
	status   int
}

// Start starts the agent with its stdin and stdout connected to the returned
// Process. When the calling process dies, of KILL too, the agent's stdin is
// closed; on Linux the agent itself is killed as well, on Windows all of its
// group.
//
// [ExitStatus] tells what the caller should exit with after an error.
func Start(cmd Command) (*Process, error) {
	if len(cmd.Args) == 0 {
		return nil, errors.New("start agent: no command")
	}
	agentStdin, stdin, err := stdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start agent: stdin: %w", err)
	}
	defer agentStdin.Close()
	agentStdout, stdout, err := stdoutPipe()
	if err != nil {
		stdin.Close()
		return nil, fmt.Errorf("start agent: stdout: %w", err)
	}
	defer agentStdout.Close()

	agent := exec.Command(cmd.Args[0], cmd.Args[1:]...)
	agent.Stdin, agent.Stdout = agentStdin, agentStdout
	if cmd.Stderr != nil {
		agent.Stderr = cmd.Stderr
	}
	p := &Process{
		stdin:     stdin,
		stdout:    stdout,
		grace:     cmd.Grace,
		exited:    make(chan struct{}),
		stop:      make(chan struct{}),
		finish:    make(chan struct{}),
		escalated: make(chan struct{}),
	}
	p.group, err = startGroup(agent, func() {
		p.stdin.Close()
		close(p.exited)
	})
	if err != nil {
		stdin.Close()
		stdout.Close()
		return nil, fmt.Errorf("start agent: %w", err)
	}
	go p.escalate()
	return p, nil
}

// ExitStatus returns the exit status that stands for an error from [Start]:
// 127 when the program, or the interpreter its first line names, does not
// exist, 126 when it cannot be executed.
func ExitStatus(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return 127
	}
	return 126
}

// Stdin is the agent's stdin. Write blocks while the pipe is full. It fails
// with [os.ErrClosed] once Close was called or the agent has exited, with
// another error (EPIPE on Unix) once nobody can read what it writes. Both
// Close and the agent's exit free a Write that blocks; what it had not
// written by then is lost, so that a caller closes after its last Write
// returned. Close never fails and may be repeated.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout is the agent's stdout. Read blocks until there is output. It returns
// io.EOF after the last output of the agent and of every process that
// inherited its stdout; where such a process outlives the group, after what
// was written up to the group's end. It fails with [os.ErrClosed] after Close
// or Wait. Close never fails and may be repeated.
//
// Not reading is backpressure on the agent. Output that is unread when the
// agent exits, or is killed, stays readable until Wait.
func (p *Process) Stdout() io.ReadCloser { return p.stdout }

// Signal sends sig to every process of the group. Unlike [Process.Stop] it
// sets the agent no limit. It fails with [os.ErrProcessDone] after Wait, and
// may do so before it when the group is empty.
//
// Windows has no such signals: os.Kill ends the group, any other closes
// Stdin.
func (p *Process) Signal(sig os.Signal) error { return p.signal(sig) }

// Exited is closed when the agent has exited. Processes it has started may
// still be running and writing to Stdout.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Stop sets the agent a limit: unless it exits, its group gets
// TERM after Command.Grace and KILL after another; on Windows the group is
// ended after one. Stop tells the agent nothing, that is the caller's part:
// closing Stdin after the last message, or passing a signal on. It returns at
// once, and only the first call counts.
//
// The agent's exit sets the rest of its group a limit without Stop: TERM after
// one grace, counted from Stop if that came first, and KILL a quarter of a
// second (at most a grace) later. Where the agent has had TERM before it
// exited, the rest keeps its full second grace: the process that matters is
// often not the launcher that ends first.
//
// So Stdout ends and Exited is closed at the latest two graces after Stop,
// and Stdout one grace after Exited; for dying itself, and for processes
// outside the group, add a quarter of a second.
func (p *Process) Stop() {
	p.stopOnce.Do(func() { close(p.stop) })
}

// Wait waits until the agent has exited, ends what is left of its group
// (TERM, then KILL a quarter of a second later), frees all descriptors and
// returns the agent's exit status: its own, or 128+n when signal n ended it.
// It does not call Stop: without it, Wait waits for as long as the agent runs.
// Stdout should have been read to its end, Wait drops what is unread.
//
// Wait takes no time when the agent has exited and left nothing behind. An
// agent that does not die of KILL is given up on two seconds after it, with
// status 137. Further calls return the same status.
func (p *Process) Wait() int {
	p.waitOnce.Do(func() {
		select {
		case <-p.exited:
		case <-p.escalated:
		}
		close(p.finish)
		<-p.escalated
		p.stdin.Close()
		p.status = p.group.finish(p.hasExited())
		p.stdout.Close()
	})
	return p.status
}

// escalate ends the group step by step, from Stop or the agent's exit on.
func (p *Process) escalate() {
	defer close(p.escalated)
	select {
	case <-p.stop:
	case <-p.exited:
	case <-p.finish:
		return
	}
	if !p.sleep(p.grace) {
		return
	}
	toKill := p.grace
	if p.hasExited() {
		toKill = min(linger, p.grace)
	}
	p.group.terminate()
	if !p.sleep(toKill) {
		return
	}
	p.group.kill()

	dying := time.NewTimer(killLimit)
	defer dying.Stop()
	select {
	case <-p.exited:
	case <-dying.C:
	case <-p.finish:
		return
	}
	// The ends of killed processes close by themselves. Whoever keeps stdout
	// open beyond that has left the group and cannot be killed with it.
	if p.sleep(linger) {
		p.stdout.abandon()
	}
}

// sleep reports false when Wait put an end to it.
func (p *Process) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-p.finish:
		return false
	}
}

func (p *Process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}
