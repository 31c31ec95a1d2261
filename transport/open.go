package transport

import (
	"io"
	"os"
	"time"
)

// OpenWithin returns the file that open opens, or its error. If open takes
// longer than the limit, as for a FIFO that nobody reads or a file on a network
// that is gone, it goes on in the background: the first Write to what is
// returned then waits for it, and fails with its error.
//
// What is returned is an [*os.File] if it was opened in time.
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

// A lateFile is a file that is still being opened.
type lateFile struct {
	opened chan struct{} // closed when the rest is set
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

// Close closes the file if it was opened.
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
