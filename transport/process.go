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
	// linger is the delay between TERM and KILL for processes that outlive the
	// agent, and the time limit for draining the pipes after KILL.
	linger = 250 * time.Millisecond

	// killLimit bounds the wait for the agent's exit after KILL. The exit takes
	// longer only if the agent is blocked in the kernel (dead network file system).
	killLimit = 2 * time.Second
)

// Command describes the agent to run. The agent inherits the environment and the
// working directory like any child process, but no terminal: see [Start].
type Command struct {
	// Args is the program, looked up in PATH unless it contains a separator,
	// and its arguments.
	Args []string

	// Stderr is the agent's stderr, inherited unchanged. Nil means the null
	// device.
	Stderr *os.File

	// KeepStderrTail copies the agent's stderr to Stderr instead, and makes its
	// last bytes available as StderrTail. Stderr must then remain open until Wait
	// has returned. A terminal is always inherited.
	KeepStderrTail bool

	// Grace is the period between Stop and TERM, and between TERM and KILL. It
	// may be zero.
	Grace time.Duration

	// Terminating, if not nil, is called before the group gets TERM at the end of
	// a grace period. TERM may make the group lose unwritten output. exited
	// reports that the agent itself has exited and only its descendants are
	// running.
	//
	// It is called at most once, on a separate goroutine, never after Wait has
	// returned. TERM is sent when it returns.
	Terminating func(exited bool)
}

// Process is a running agent with its descendants.
//
// On Unix the agent is the leader of a new process group, on Windows it is in a
// new job. Below, "group" means either. Process neither signals nor awaits a
// descendant that has moved to another group; such a process cannot block Stdin,
// Stdout or Wait.
//
// Write Stdin and read Stdout; call Stop to end the agent; read Stdout to its
// end; call Wait. Wait must always be called, because it frees the descriptors.
// All methods may be called from any goroutine.
type Process struct {
	group       *group
	stdin       *pipeEnd
	stdout      *pipeEnd
	stderr      *errorOutput // nil if the agent inherits its stderr
	grace       time.Duration
	terminating func(exited bool)

	exited    chan struct{} // closed when the agent itself has exited
	stopped   chan struct{} // closed by Stop
	killed    chan struct{} // closed by Kill
	waited    chan struct{} // closed by Wait, to end the timers of escalate
	escalated chan struct{} // closed when escalate has returned

	stopOnce sync.Once
	killOnce sync.Once
	waitOnce sync.Once
	status   int
}

// Start starts the agent with its stdin and stdout connected to the returned
// Process. When the calling process ends, even by KILL, the agent's stdin is
// closed. On Linux the system also kills the agent, on Windows the whole group.
//
// On Unix the agent has no controlling terminal, so it cannot open /dev/tty. On
// the caller's terminal it would be a background process, which the system
// suspends when it reads. On Windows the agent shares the caller's console, if
// there is one. [Replace] runs an agent on the terminal.
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
	if cmd.KeepStderrTail && cmd.Stderr != nil && !IsTerminal(cmd.Stderr) {
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
		stopped:     make(chan struct{}),
		killed:      make(chan struct{}),
		waited:      make(chan struct{}),
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
		return nil, fmt.Errorf("start agent: %w", explain(agent.Path, err))
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
// with [os.ErrClosed] after Close or the agent's exit, and with another error
// (EPIPE on Unix) when no process has the other end open. Close and the agent's
// exit interrupt a blocked Write and lose its remaining bytes, so a caller should
// close Stdin after its last Write has returned. Close never fails and may be
// repeated.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout is the agent's stdout. Read blocks until there is output. It returns
// io.EOF after the last output of the agent and of every process that
// inherited its stdout. If such a process outlives the group, Read returns io.EOF
// after the output up to the end of the group. It fails with [os.ErrClosed] after
// Close or Wait. Close never fails and may be repeated.
//
// An unread Stdout exerts backpressure on the agent. Unread output remains
// readable after the agent's exit, until Wait.
func (p *Process) Stdout() io.ReadCloser { return p.stdout }

// StdoutEndedEarly reports whether Stdout has ended although a process outside the group
// still had it open. Further output of that process is lost.
func (p *Process) StdoutEndedEarly() bool { return p.stdout.endedEarly.Load() }

// Signal sends sig to every process of the group. Unlike [Process.Stop] it
// starts no grace period. It fails with [os.ErrProcessDone] after Wait, and
// possibly before Wait when the group is empty.
//
// Windows has no such signals: os.Kill ends the group, any other closes
// Stdin.
func (p *Process) Signal(sig os.Signal) error { return p.signal(sig) }

// Exited returns a channel that is closed when the agent has exited. Its
// descendants may still be running and writing to Stdout.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Stop starts the grace period. Unless the agent exits, its group gets TERM after
// Command.Grace and KILL after another grace period; on Windows the group is
// terminated after the first period. Stop does not notify the agent: the caller
// closes Stdin after the last message, or sends a signal. Stop returns at once.
// Further calls have no effect.
//
// The agent's exit starts the grace period for the rest of its group, unless Stop
// has started the period before. At the end of the period the rest gets TERM, and
// KILL a quarter of a second (at most a grace period) later. If the agent got TERM
// before it exited, the rest keeps its full second grace period, because
// the agent may be a launcher that exits before the process that does the work.
//
// Therefore, unless the agent survives KILL, Exited is closed and Stdout ends at most
// two grace periods after Stop, plus a quarter of a second in which processes outside
// the group may still write. Stdout ends at most one grace period after Exited, plus
// half a second: a quarter between TERM and KILL, a quarter for those processes.
func (p *Process) Stop() {
	p.stopOnce.Do(func() { close(p.stopped) })
}

// Kill sends KILL to the group without a grace period and closes Stdin. Buffered
// output remains readable. Stdout ends within a quarter of a second after the
// agent's exit, even if another process has it open. Kill returns at once. It may
// be called at any time, also after Stop and Wait. Further calls have no effect.
func (p *Process) Kill() {
	p.killOnce.Do(func() {
		close(p.killed)
		p.group.kill()
		p.stdin.Close()
	})
}

// Wait waits for the agent's exit, terminates the rest of its group (TERM, then
// KILL a quarter of a second later), frees all descriptors and returns the
// agent's exit status: its own, or 128+n after signal n. It does not call Stop:
// without Stop or Kill, Wait waits for as long as the agent runs. Read Stdout to
// its end first: Wait drops unread output.
//
// Wait returns at once when the group has ended and its stderr is copied. It
// waits at most half a second for a slow reader of stderr. If the agent survives
// KILL, Wait returns 137 at most three and a half seconds after KILL. Further calls
// return the same status.
func (p *Process) Wait() int {
	p.waitOnce.Do(func() {
		select {
		case <-p.exited:
		case <-p.escalated:
		}
		close(p.waited)
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

// Ending describes the agent's end, as in "exit status 3" or "signal: killed". It
// may be called after Wait.
func (p *Process) Ending() string { return p.group.ending() }

// StderrTail returns the last 4 KiB, or less, that the group has written to
// stderr. It is final after Wait. It is nil if the agent inherits its stderr.
func (p *Process) StderrTail() []byte {
	if p.stderr == nil {
		return nil
	}
	return p.stderr.lastBytes()
}

// escalate terminates the group after Stop, Kill or the agent's exit: a grace
// period, TERM, another period, KILL. After Kill, it skips the steps before KILL.
func (p *Process) escalate() {
	defer close(p.escalated)
	select {
	case <-p.stopped:
	case <-p.exited:
	case <-p.killed:
	case <-p.waited:
		return
	}
	if p.sleep(p.grace) {
		p.sleep(p.terminate())
	}
	if closed(p.waited) {
		return
	}
	p.group.kill()

	select {
	case <-p.exited:
	case <-time.After(killLimit):
	case <-p.waited:
		return
	}
	// The system closes the pipes of killed processes. A process that still has
	// stdout open is outside the group and out of reach of KILL.
	select {
	case <-time.After(linger):
		p.stdout.abandon()
	case <-p.waited:
	}
}

// terminate calls Command.Terminating, sends TERM, and returns the delay before KILL.
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

// sleep returns false if Kill or Wait interrupts it.
func (p *Process) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-p.killed:
	case <-p.waited:
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
