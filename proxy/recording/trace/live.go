package trace

import (
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"acp-plan-proxy/transport"
)

const (
	// maxWaiting is how many bytes of events wait for a file that is slow.
	maxWaiting = 64 << 20

	// moment is how long the start waits for the file to open, and the exit for
	// it to be written.
	moment = 250 * time.Millisecond
)

// errEnded is the error of a liveFile after a failure that was warned of.
var errEnded = errors.New("the trace has ended")

// A liveFile is the file of a recording that nobody waits for.
type liveFile struct {
	file  endingFile
	spool *transport.Spool
	log   *slog.Logger
}

func newLiveFile(file io.WriteCloser, log *slog.Logger) *liveFile {
	l := &liveFile{file: endingFile{WriteCloser: file, log: log}, log: log}
	l.spool = transport.NewSpool(&l.file, maxWaiting, nil)
	return l
}

// Write returns [transport.ErrFull] if the events are dropped.
func (l *liveFile) Write(events []byte) (int, error) {
	if l.file.ended.Load() {
		return 0, errEnded
	}
	return l.spool.Write(events)
}

// Close waits a moment until the file has what was recorded, and warns of what
// is missing from it. While something is still being written, the file stays
// open.
func (l *liveFile) Close() error {
	if lost := l.spool.Close(moment); lost > 0 {
		l.log.Warn("messages are missing from the trace, because it was not written fast enough", "missing", lost)
		return nil
	}
	return l.file.Close()
}

// An endingFile warns of its first failure and takes no more after it.
type endingFile struct {
	io.WriteCloser
	log   *slog.Logger
	ended atomic.Bool
}

func (e *endingFile) Write(events []byte) (int, error) {
	if e.ended.Load() {
		return len(events), nil
	}
	if _, err := e.WriteCloser.Write(events); err != nil {
		e.ended.Store(true)
		warnEnd(e.log, err)
	}
	return len(events), nil
}

func warnEnd(log *slog.Logger, err error) {
	log.Warn("the trace cannot be written and ends here", "error", err)
}
