package transport

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// maxTail limits the result of [Process.StderrTail], in bytes.
const maxTail = 4 << 10

// An errorOutput copies the agent's stderr through a pipe and buffers its last bytes, for
// error messages about an agent that failed.
type errorOutput struct {
	pipe   *pipeEnd
	copied chan struct{} // closed when the copy has ended

	mu   sync.Mutex
	tail []byte // the last bytes, at most maxTail
}

// copyTo copies stderr to dst. When dst is a pipe without a reader, it closes the agent's
// pipe, so that the agent gets EPIPE as if it had written to dst itself. It ignores other
// errors of dst, such as a full disk.
func (e *errorOutput) copyTo(dst *os.File) {
	defer close(e.copied)
	b := make([]byte, maxTail)
	for {
		n, err := e.pipe.Read(b)
		e.keep(b[:n])
		if n > 0 {
			if _, failed := dst.Write(b[:n]); errors.Is(failed, syscall.EPIPE) {
				e.pipe.Close()
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (e *errorOutput) keep(b []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tail = append(e.tail, b...)
	e.tail = slices.Delete(e.tail, 0, max(0, len(e.tail)-maxTail))
}

// finish waits until the copy ends. The wait is limited, because a process outside the
// agent's group may keep stderr open, and the reader of the caller's stderr may be slow.
func (e *errorOutput) finish() {
	if !e.awaitCopy(linger) {
		e.pipe.abandon()
		e.awaitCopy(linger)
	}
	e.pipe.Close()
}

// awaitCopy waits up to limit until the copy ends, and reports whether it has ended.
func (e *errorOutput) awaitCopy(limit time.Duration) bool {
	select {
	case <-e.copied:
		return true
	case <-time.After(limit):
		return false
	}
}

func (e *errorOutput) lastBytes() []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	return bytes.Clone(e.tail)
}
