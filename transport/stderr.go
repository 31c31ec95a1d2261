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

// maxLastWords is how much of the end of the agent's stderr is kept, in bytes.
const maxLastWords = 4 << 10

// An errorOutput is the agent's stderr on its way to the caller's. It goes
// through a pipe, so that the end of it is known when the agent has failed.
type errorOutput struct {
	pipe   *pipeEnd
	copied chan struct{} // closed when everything has been copied, or nothing can be

	mu  sync.Mutex
	end []byte // of what the agent wrote, at most maxLastWords
}

// copyTo copies everything to dst. When nobody reads dst any more, the agent is told
// so by the system, as if it had written there itself. What dst does not take for
// another reason, such as a full disk, is lost.
func (e *errorOutput) copyTo(dst *os.File) {
	defer close(e.copied)
	b := make([]byte, maxLastWords)
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
	e.end = append(e.end, b...)
	e.end = slices.Delete(e.end, 0, max(0, len(e.end)-maxLastWords))
}

// finish waits until everything has been copied: not for a process that has left
// the agent's group and keeps stderr open, and not for long if nobody reads the
// caller's stderr.
func (e *errorOutput) finish() {
	if !e.isCopied(linger) {
		e.pipe.abandon()
		e.isCopied(linger)
	}
	e.pipe.Close()
}

func (e *errorOutput) isCopied(limit time.Duration) bool {
	select {
	case <-e.copied:
		return true
	case <-time.After(limit):
		return false
	}
}

func (e *errorOutput) lastWords() []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	return bytes.Clone(e.end)
}
