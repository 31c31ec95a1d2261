package trace

import (
	"io"
	"log/slog"
	"time"

	"acp-plan-proxy/transport"
)

const (
	// maxWaiting limits the bytes of events that wait for a slow file.
	maxWaiting = 64 << 20

	// fileTimeout limits how long the start waits for the file to open, and the exit for the buffer to
	// be written.
	fileTimeout = 250 * time.Millisecond
)

// A liveFile is the file of a recording whose Writer does not wait. The spool writes the file.
type liveFile struct {
	file  io.WriteCloser
	log   *slog.Logger
	spool *transport.Spool
	ended bool // a write has failed; Write then returns no error, for which the spool would try again
}

func newLiveWriter(file io.WriteCloser, log *slog.Logger) *Writer {
	l := &liveFile{file: file, log: log}
	l.spool = transport.NewSpool(l, maxWaiting, nil)
	w := New(l.spool, log)
	w.closer = l
	return w
}

// Write logs the first failure, and discards all events from then on.
func (l *liveFile) Write(events []byte) (int, error) {
	if !l.ended {
		if _, err := l.file.Write(events); err != nil {
			l.ended = true
			warnEnd(l.log, err)
		}
	}
	return len(events), nil
}

// Close waits up to fileTimeout for the buffer to be written, and logs the number of missing messages.
// The file remains open during a write in progress.
func (l *liveFile) Close() error {
	if lost := l.spool.Close(fileTimeout); lost > 0 {
		l.log.Warn("messages are missing from the trace, because it was not written fast enough", "missing", lost)
		return nil
	}
	return l.file.Close()
}

func warnEnd(log *slog.Logger, err error) {
	log.Warn("the trace cannot be written and ends here", "error", err)
}
