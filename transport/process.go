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
	// linger is how long processes that outlive the agent get between TERM and
	// KILL, and how long the pipes get to empty after KILL.
	linger = 250 * time.Millisecond

	// killLimit bounds the wait for an agent to die of KILL. An agent takes
	// longer only if it hangs in the kernel (dead network file system).
	killLimit = 2 * time.Second
)

// Command describes the agent to run. The agent inherits the environment, the
// working directory and everything else that a program inherits from the one
// that starts it, but no terminal: see [Start].
type Command struct {
	// Args is the program, looked up in PATH unless it contains a separator,
	// and its arguments.
	Args []string

	// Stderr is the agent's stderr, inherited as it is. Nil means the null
	// device.
	Stderr *os.File

	// KeepLastWords copies the agent's stderr to Stderr instead, so that
	// LastWords knows the end of it. Stderr must then stay open until Wait has
	// returned. A terminal is inherited nevertheless.
	KeepLastWords bool

	// Grace is how long a stopping agent is given before TERM, and again
	// before KILL. Zero gives it no time.
	Grace time.Duration

	// Terminating, which is optional, is called right before the group gets
	// TERM because a grace is over: what the group has not written by then may
	// be lost. Exited says whether the agent itself has exited, and only
	// processes that it has started still run.
	//
	// It is called at most once, on a goroutine of its own, never after Wait
	// has returned; TERM waits until it returns.
	Terminating func(exited bool)
}

// Process is a running agent and whatever it has started since.
//
// On Unix the agent is the leader of a new process group, on Windows it is in a
// new job. Below, "group" means either. A process that leaves the group gets no
// signal and nobody waits for it, but it cannot hold up Stdin, Stdout or Wait.
//
// The order of use: write Stdin and read Stdout; call Stop when the agent has to
// end; read Stdout to its end; call Wait. Wait must be called in any case,
// because it frees the descriptors. All methods may be called from any
// goroutine.
type Process struct {
	group       *group
	stdin       *pipeEnd
	stdout      *pipeEnd
	stderr      *errorOutput // nil if the agent has inherited its stderr
	grace       time.Duration
	terminating func(exited bool)

	exited    chan struct{} // the agent itself has exited
	stop      chan struct{} // closed by Stop
	killed    chan struct{} // closed by Kill
	finish    chan struct{} // closed by Wait: no more timers
	escalated chan struct{} // escalate has returned

	stopOnce sync.Once
	killOnce sync.Once
	waitOnce sync.Once
	status   int
}

// Start starts the agent with its stdin and stdout connected to the returned
// Process. When the calling process dies, of KILL too, the agent's stdin is
// closed; on Linux the agent itself is killed as well, on Windows all of its
// group.
//
// On Unix the agent has no controlling terminal. Whatever it asks on /dev/tty
// fails at once; on the caller's terminal it would be in the background, where
// the system stops a process that reads. On Windows the agent shares the
// caller's console, if there is one, and can ask there. [Replace] is for an
// agent that gets the terminal.
//
// After an error, [ExitStatus] returns the status to exit with.
func Start(cmd Command) (*Process, error) {
	if len(cmd.Args) == 0 {
		return nil, errors.New("start agent: no command")
	}
	agent, err := newCommand(cmd.Args)
	if err != nil {
		return nil, fmt.Errorf("start agent: %w", err)
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

	agent.Stdin, agent.Stdout = agentStdin, agentStdout
	if cmd.Stderr != nil {
		agent.Stderr = cmd.Stderr
	}
	var stderr *errorOutput
	if cmd.KeepLastWords && cmd.Stderr != nil && !IsTerminal(cmd.Stderr) {
		agentStderr, pipe, err := stdoutPipe()
		if err != nil {
			stdin.Close()
			stdout.Close()
			return nil, fmt.Errorf("start agent: stderr: %w", err)
		}
		defer agentStderr.Close()
		agent.Stderr = agentStderr
		stderr = &errorOutput{pipe: pipe, copied: make(chan struct{})}
	}
	p := &Process{
		stdin:       stdin,
		stdout:      stdout,
		stderr:      stderr,
		grace:       cmd.Grace,
		terminating: cmd.Terminating,
		exited:      make(chan struct{}),
		stop:        make(chan struct{}),
		killed:      make(chan struct{}),
		finish:      make(chan struct{}),
		escalated:   make(chan struct{}),
	}
	p.group, err = startGroup(agent, func() {
		p.stdin.Close()
		close(p.exited)
	})
	if err != nil {
		stdin.Close()
		stdout.Close()
		if stderr != nil {
			stderr.pipe.Close()
		}
		return nil, fmt.Errorf("start agent: %w", explained(agent.Path, err))
	}
	if stderr != nil {
		go stderr.copyTo(cmd.Stderr)
	}
	go p.escalate()
	return p, nil
}

// ExitStatus returns the exit status for an error from [Start] or [Replace]:
// 127 when the program, or the interpreter that its first line names, does not
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
// written by then is lost, so a caller should close after its last Write has
// returned. Close never fails and may be repeated.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout is the agent's stdout. Read blocks until there is output. It returns
// io.EOF after the last output of the agent and of every process that
// inherited its stdout; if such a process outlives the group, after what was
// written until the group ended. It fails with [os.ErrClosed] after Close or
// Wait. Close never fails and may be repeated.
//
// Not reading is backpressure on the agent. Output that is unread when the
// agent exits, or is killed, stays readable until Wait.
func (p *Process) Stdout() io.ReadCloser { return p.stdout }

// StdoutHeld reports whether Stdout has ended although a process outside the group
// still held it open. What that process writes is lost.
func (p *Process) StdoutHeld() bool { return p.stdout.held.Load() }

// Signal sends sig to every process of the group. Unlike [Process.Stop] it
// sets the agent no limit. It fails with [os.ErrProcessDone] after Wait, and
// may fail so before Wait when the group is empty.
//
// Windows has no such signals: os.Kill ends the group, any other closes
// Stdin.
func (p *Process) Signal(sig os.Signal) error { return p.signal(sig) }

// Exited is closed when the agent has exited. Processes it has started may
// still be running and writing to Stdout.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Stop sets the agent a limit: unless it exits, its group gets TERM after
// Command.Grace and KILL after another grace; on Windows the group is ended
// after the first one. Stop tells the agent nothing. The caller does that: it
// closes Stdin after the last message, or passes a signal on. Stop returns at
// once, and only the first call counts.
//
// The agent's exit sets the rest of its group a limit without Stop: TERM after
// one grace, counted from Stop if that came first, and KILL a quarter of a
// second (at most a grace) later. If the agent got TERM before it exited, the
// rest keeps its full second grace: the process that matters is often not the
// launcher that ends first.
//
// So Stdout ends and Exited is closed at the latest two graces after Stop,
// and Stdout one grace after Exited; add a quarter of a second for dying and
// for processes outside the group.
func (p *Process) Stop() {
	p.stopOnce.Do(func() { close(p.stop) })
}

// Kill ends the group at once: it sends KILL, without any grace, and closes
// Stdin. Output that is in the pipe stays readable; Stdout ends within a
// quarter of a second after the agent's death, no matter who still holds it.
// Kill returns at once. It may be called at any time, also after Stop and Wait,
// and only the first call counts.
func (p *Process) Kill() {
	p.killOnce.Do(func() {
		close(p.killed)
		p.group.kill()
		p.stdin.Close()
	})
}

// Wait waits until the agent has exited, ends what is left of its group
// (TERM, then KILL a quarter of a second later), frees all descriptors and
// returns the agent's exit status: its own, or 128+n when signal n ended it.
// It does not call Stop: without Stop or Kill, Wait waits for as long as the
// agent runs. Read Stdout to its end first: Wait drops unread output.
//
// Wait takes no time when the agent has exited and left nothing behind, and all
// of its stderr was taken. For a reader of stderr that is slow Wait waits half a
// second at most. If an agent does not die of KILL, Wait gives up on it after two
// seconds, with status 137. Further calls return the same status.
func (p *Process) Wait() int {
	p.waitOnce.Do(func() {
		select {
		case <-p.exited:
		case <-p.escalated:
		}
		close(p.finish)
		<-p.escalated
		p.stdin.Close()
		p.status = p.group.finish(closed(p.exited))
		p.stdout.Close()
		if p.stderr != nil {
			p.stderr.finish()
		}
	})
	return p.status
}

// Ending says in a few words how the agent has ended, as in "exit status 3" or
// "signal: killed". It may be called after Wait.
func (p *Process) Ending() string { return p.group.ending() }

// LastWords returns the end of what the agent and its processes have written to
// stderr, up to 4 KiB. After Wait nothing more comes. It returns nil if the agent
// has inherited its stderr.
func (p *Process) LastWords() []byte {
	if p.stderr == nil {
		return nil
	}
	return p.stderr.lastWords()
}

// escalate ends the group step by step, from Stop or the agent's exit on. Kill
// skips the steps before KILL.
func (p *Process) escalate() {
	defer close(p.escalated)
	select {
	case <-p.stop:
	case <-p.exited:
	case <-p.killed:
	case <-p.finish:
		return
	}
	if p.sleep(p.grace) {
		p.sleep(p.terminate())
	}
	if closed(p.finish) {
		return
	}
	p.group.kill()

	select {
	case <-p.exited:
	case <-time.After(killLimit):
	case <-p.finish:
		return
	}
	// The ends of killed processes close by themselves. A process that keeps
	// stdout open beyond that has left the group and cannot be killed with it.
	select {
	case <-time.After(linger):
		p.stdout.abandon()
	case <-p.finish:
	}
}

// terminate sends TERM and returns how long KILL has to wait.
func (p *Process) terminate() (toKill time.Duration) {
	exited := closed(p.exited)
	if p.terminating != nil && !(exited && p.group.isEmpty()) {
		p.terminating(exited)
	}
	p.group.terminate()
	if exited {
		return min(linger, p.grace)
	}
	return p.grace
}

// sleep reports false when Kill or Wait cut it short.
func (p *Process) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-p.killed:
	case <-p.finish:
	}
	return false
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
