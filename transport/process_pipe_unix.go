//go:build unix

package transport

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipeCapacity is at least the default capacity of a pipe on every system.
const pipeCapacity = 1 << 20

// pipeEnd is the proxy's end of the agent's stdin, stdout or stderr.
//
// It waits in poll(2). Go's network poller would multiply the duration of a round
// trip, and a blocking read(2) or write(2) could not be interrupted: a process
// outside the agent's group may keep the other end open forever.
type pipeEnd struct {
	// mu is locked during a call, even while it blocks. Close first wakes the
	// call, and closes the descriptor when the call has returned.
	mu     sync.Mutex
	fd     int // -1 once closed
	wakeR  int // readable once wakeW is closed, so that poll returns at once
	unread int // bytes that may still be read after abandon

	endedEarly atomic.Bool // Read has returned io.EOF because of abandon

	abandonOnce sync.Once
	wakeW       int
}

// stdinPipe returns the two ends of the agent's stdin. The agent's end is in
// blocking mode, as programs expect, and no other process inherits it.
func stdinPipe() (agent *os.File, proxy *pipeEnd, err error) {
	r, w, err := osPipe()
	if err != nil {
		return nil, nil, err
	}
	// The mode applies to this end only, not to the pipe.
	if err := syscall.SetNonblock(w, true); err != nil {
		syscall.Close(r)
		syscall.Close(w)
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return newPipeEnd(r, w, "agent stdin")
}

// stdoutPipe is stdinPipe for stdout and stderr. The proxy's end is in blocking
// mode, because Read calls read(2) only when poll reports data.
func stdoutPipe() (agent *os.File, proxy *pipeEnd, err error) {
	r, w, err := osPipe()
	if err != nil {
		return nil, nil, err
	}
	return newPipeEnd(w, r, "agent output")
}

func newPipeEnd(agentFD, proxyFD int, name string) (*os.File, *pipeEnd, error) {
	wakeR, wakeW, err := osPipe()
	if err != nil {
		syscall.Close(agentFD)
		syscall.Close(proxyFD)
		return nil, nil, err
	}
	end := &pipeEnd{fd: proxyFD, wakeR: wakeR, wakeW: wakeW, unread: pipeCapacity}
	return os.NewFile(uintptr(agentFD), name), end, nil
}

// osPipe is os.Pipe without the network poller.
func osPipe() (r, w int, err error) {
	var fds [2]int
	syscall.ForkLock.RLock() // no child may start before CloseOnExec
	defer syscall.ForkLock.RUnlock()
	if err := syscall.Pipe(fds[:]); err != nil {
		return 0, 0, os.NewSyscallError("pipe", err)
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	return fds[0], fds[1], nil
}

// Read implements io.Reader. A Read interrupted by abandon or Close returns
// the buffered bytes, then io.EOF.
func (e *pipeEnd) Read(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fd < 0 {
		return 0, os.ErrClosed
	}
	if len(b) == 0 {
		return 0, nil
	}
	ready, abandoned, err := e.poll(unix.PollFd{Events: unix.POLLIN})
	if err != nil {
		return 0, fmt.Errorf("read agent output: %w", err)
	}
	if abandoned {
		b = b[:min(len(b), e.unread)]
	}
	if !ready || len(b) == 0 {
		e.endedEarly.Store(true)
		return 0, io.EOF
	}
	for {
		n, err := syscall.Read(e.fd, b)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 0, fmt.Errorf("read agent output: %w", err)
		case n == 0:
			return 0, io.EOF
		}
		if abandoned {
			e.unread -= n
		}
		return n, nil
	}
}

// Write implements io.Writer. A Write interrupted by Close fails with
// os.ErrClosed.
func (e *pipeEnd) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fd < 0 {
		return 0, os.ErrClosed
	}
	written := 0
	for written < len(b) {
		n, err := syscall.Write(e.fd, b[written:])
		if n > 0 {
			written += n
		}
		switch err {
		case nil, syscall.EINTR:
			continue
		case syscall.EAGAIN:
			_, abandoned, err := e.poll(unix.PollFd{Events: unix.POLLOUT})
			if err != nil {
				return written, fmt.Errorf("write agent stdin: %w", err)
			}
			if abandoned {
				return written, os.ErrClosed
			}
		default:
			return written, fmt.Errorf("write agent stdin: %w", err)
		}
	}
	return written, nil
}

// Close interrupts a blocked call and closes the pipe.
func (e *pipeEnd) Close() error {
	e.abandon()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fd >= 0 {
		syscall.Close(e.fd)
		syscall.Close(e.wakeR)
		e.fd = -1
	}
	return nil
}

// abandon interrupts the current call. Further calls do not block.
func (e *pipeEnd) abandon() {
	e.abandonOnce.Do(func() { syscall.Close(e.wakeW) })
}

// poll waits until the pipe is readable or writable, its other end is closed, or
// abandon is called.
func (e *pipeEnd) poll(pipe unix.PollFd) (ready, abandoned bool, err error) {
	pipe.Fd = int32(e.fd)
	fds := [...]unix.PollFd{pipe, {Fd: int32(e.wakeR), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds[:], -1)
		if err == unix.EINTR {
			continue
		}
		return fds[0].Revents != 0, fds[1].Revents != 0, os.NewSyscallError("poll", err)
	}
}
