package transport

import (
	"io"
	"os"
	"time"
)

// OpenWithin returns the result of open. If open takes longer than the limit, as for a
// FIFO without a reader or a file on a lost network, open continues in the background.
// Write then waits until open returns, and returns the error of open.
//
// The result is an [*os.File] if open returned in time.
func OpenWithin(limit time.Duration, open func() (*os.File, error)) (io.WriteCloser, error) {
	late := &lateFile{opened: make(chan struct{})}
	go func() {
		late.file, late.err = open()
		close(late.opened)
	}()
	select {
	case <-late.opened:
		if late.err != nil {
			return nil, late.err
		}
		return late.file, nil
	case <-time.After(limit):
		return late, nil
	}
}

// A lateFile is a file whose open may not have returned yet.
type lateFile struct {
	opened chan struct{} // closed when the other fields are set
	file   *os.File
	err    error
}

func (l *lateFile) Write(b []byte) (int, error) {
	<-l.opened
	if l.err != nil {
		return 0, l.err
	}
	return l.file.Write(b)
}

// Close closes the file if open has returned. A file that is opened later stays open.
func (l *lateFile) Close() error {
	select {
	case <-l.opened:
		if l.err == nil {
			return l.file.Close()
		}
	default:
	}
	return nil
}
