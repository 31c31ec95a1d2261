package transport

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	statusTerminated = 128 + 15 // of a process ended by TerminateJobObject
	statusUnknown    = 128 + 9  // of an agent that was not seen to exit
)

// group is a job object with the agent and its descendants. The system ends all of
// them when the job's last handle is closed. Only the proxy has a handle, so they
// end with the proxy.
type group struct {
	agent *exec.Cmd

	mu  sync.Mutex
	job windows.Handle // 0 once closed
}

// startGroup starts the agent in a new job and calls onExit after its exit. A
// process that the agent starts between its creation and its assignment to the job
// is not in the job. os/exec cannot avoid this: it closes the thread handle that
// resumes a process created suspended.
func startGroup(agent *exec.Cmd, onExit func()) (*group, error) {
	job, err := newJob(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)
	if err != nil {
		return nil, err
	}
	if err := agent.Start(); err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	if err := assign(job, agent.Process); err != nil {
		agent.Process.Kill()
		agent.Process.Wait()
		windows.CloseHandle(job)
		return nil, err
	}
	g := &group{agent: agent, job: job}
	go func() {
		agent.Wait()
		onExit()
	}()
	return g, nil
}

// newJob makes a job with JOB_OBJECT_LIMIT_… flags.
func newJob(flags uint32) (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, os.NewSyscallError("CreateJobObject", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: flags},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		windows.CloseHandle(job)
		return 0, os.NewSyscallError("SetInformationJobObject", err)
	}
	return job, nil
}

func assign(job windows.Handle, process *os.Process) error {
	var err error
	if noHandle := process.WithHandle(func(h uintptr) {
		err = windows.AssignProcessToJobObject(job, windows.Handle(h))
		// The assignment of an ended process fails.
		if event, _ := windows.WaitForSingleObject(windows.Handle(h), 0); event == windows.WAIT_OBJECT_0 {
			err = nil
		}
	}); noHandle != nil {
		return noHandle
	}
	return os.NewSyscallError("AssignProcessToJobObject", err)
}

func (p *Process) signal(sig os.Signal) error {
	if closed(p.exited) && sig != os.Kill {
		return fmt.Errorf("signal agent: %w", os.ErrProcessDone)
	}
	if sig != os.Kill {
		return p.stdin.Close()
	}
	if err := p.group.end(); err != nil {
		return fmt.Errorf("signal agent: %w", err)
	}
	return nil
}

func (g *group) end() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 {
		return os.ErrProcessDone
	}
	return os.NewSyscallError("TerminateJobObject", windows.TerminateJobObject(g.job, statusTerminated))
}

func (g *group) terminate() { g.end() }

func (g *group) kill() { g.end() }

// isEmpty reports whether the group has no running process.
func (g *group) isEmpty() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	var accounting struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		totalUser, totalKernel, periodUser, periodKernel int64
		pageFaults, total, active, terminated            uint32
	}
	err := windows.QueryInformationJobObject(g.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&accounting)), uint32(unsafe.Sizeof(accounting)), nil)
	return err == nil && accounting.active == 0
}

// finish terminates the rest of the group and returns the agent's status.
func (g *group) finish(exited bool) int {
	g.end()
	g.mu.Lock()
	defer g.mu.Unlock()
	windows.CloseHandle(g.job)
	g.job = 0
	if !exited || g.agent.ProcessState == nil {
		return statusUnknown
	}
	return g.agent.ProcessState.ExitCode()
}

// ending describes the agent's end. It is called after finish.
func (g *group) ending() string {
	if g.agent.ProcessState == nil {
		return "not seen to end"
	}
	return g.agent.ProcessState.String()
}

// pipeEnd is the proxy's end of the agent's stdin, stdout or stderr.
//
// Closing an os.File on Windows cancels a blocked Read or Write, but not one that
// is about to block. Close would then wait until the agent exits. Therefore calls
// and Close share a lock, and Close cancels calls until it gets the lock.
type pipeEnd struct {
	file       *os.File
	calls      sync.RWMutex // read-locked during a call
	closed     atomic.Bool
	abandoned  atomic.Bool
	endedEarly atomic.Bool // Read has returned io.EOF because of abandon
}

func stdinPipe() (agent *os.File, proxy *pipeEnd, err error) {
	r, w, err := os.Pipe()
	return r, &pipeEnd{file: w}, err
}

func stdoutPipe() (agent *os.File, proxy *pipeEnd, err error) {
	r, w, err := os.Pipe()
	return w, &pipeEnd{file: r}, err
}

// Read implements io.Reader. A Read interrupted by abandon returns io.EOF.
func (e *pipeEnd) Read(b []byte) (int, error) {
	n, err := e.call(e.file.Read, b)
	if errors.Is(err, os.ErrClosed) && e.abandoned.Load() {
		e.endedEarly.Store(true)
		return n, io.EOF
	}
	return n, err
}

// Write implements io.Writer.
func (e *pipeEnd) Write(b []byte) (int, error) { return e.call(e.file.Write, b) }

func (e *pipeEnd) call(readOrWrite func([]byte) (int, error), b []byte) (int, error) {
	e.calls.RLock()
	defer e.calls.RUnlock()
	if e.closed.Load() {
		return 0, os.ErrClosed
	}
	n, err := readOrWrite(b)
	if err != nil && e.closed.Load() {
		err = os.ErrClosed
	}
	return n, err
}

// Close interrupts blocked calls and closes the pipe.
func (e *pipeEnd) Close() error {
	if e.closed.Swap(true) {
		return nil
	}
	for !e.calls.TryLock() {
		e.cancel()
		time.Sleep(time.Millisecond)
	}
	defer e.calls.Unlock()
	return e.file.Close()
}

// cancel interrupts blocked calls.
func (e *pipeEnd) cancel() {
	control(e.file, func(handle uintptr) { windows.CancelIoEx(windows.Handle(handle), nil) })
}

// abandon ends reading from a pipe that a process outside the group keeps open.
func (e *pipeEnd) abandon() {
	e.abandoned.Store(true)
	e.Close()
}
