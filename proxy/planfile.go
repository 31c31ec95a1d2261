package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"
)

const (
	maxPlanFile     = 1 << 20                // bytes
	planFileTimeout = 250 * time.Millisecond // how long traffic waits for a file
)

// A planFiles reads plan files. At most one read is under way at a time; while
// one hangs, others fail at once.
type planFiles struct {
	busy chan struct{}
	open func(path string) (*os.File, error)
}

func newPlanFiles() *planFiles {
	return &planFiles{busy: make(chan struct{}, 1), open: openPlanFile}
}

// read returns the text of a regular file of at most 1 MiB, or an error within
// planFileTimeout.
func (f *planFiles) read(path string) ([]byte, error) {
	select {
	case f.busy <- struct{}{}:
	default:
		return nil, errors.New("another plan file is still being read")
	}
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := f.readNow(path)
		<-f.busy
		done <- result{text, err}
	}()
	timeout := time.NewTimer(planFileTimeout)
	defer timeout.Stop()
	select {
	case r := <-done:
		return r.text, r.err
	case <-timeout.C:
		return nil, fmt.Errorf("not read within %v", planFileTimeout)
	}
}

func (f *planFiles) readNow(path string) ([]byte, error) {
	// To open a FIFO or a device can have effects of its own.
	if err := checkRegular(os.Stat(path)); err != nil {
		return nil, err
	}
	file, err := f.open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := checkRegular(file.Stat()); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxPlanFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxPlanFile:
		return nil, fmt.Errorf("larger than %d KiB", maxPlanFile>>10)
	case !utf8.Valid(text):
		return nil, errors.New("not UTF-8 text")
	case bytes.IndexByte(text, 0) >= 0:
		return nil, errors.New("not text")
	}
	return text, nil
}

func checkRegular(stat os.FileInfo, err error) error {
	if err == nil && !stat.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	return err
}
