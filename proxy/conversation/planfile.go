package conversation

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	maxPlanFile      = 1 << 20                // bytes
	planFileTimeout  = 250 * time.Millisecond // how long traffic waits for a file
	maxPlanFileReads = 4                      // at a time
)

// planFiles reads plan files. A read can hang, for example on a network file system, and cannot be
// cancelled. Reads are therefore limited to one per file and maxPlanFileReads in total.
type planFiles struct {
	open func(path string) (*os.File, error)

	mu      sync.Mutex
	reading map[string]bool // by path
}

func newPlanFiles() *planFiles {
	return &planFiles{open: openPlanFile, reading: make(map[string]bool)}
}

// read returns the text of a regular file of at most 1 MiB, or an error within
// planFileTimeout. It may be called by several goroutines at once.
func (f *planFiles) read(path string) ([]byte, error) {
	if err := f.begin(path); err != nil {
		return nil, err
	}
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := f.readNow(path)
		f.end(path)
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

// begin registers a read, unless the limits forbid it.
func (f *planFiles) begin(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.reading[path]:
		return errors.New("it is still being read for an earlier update")
	case len(f.reading) == maxPlanFileReads:
		return fmt.Errorf("%d other plan files are still being read", maxPlanFileReads)
	}
	f.reading[path] = true
	return nil
}

func (f *planFiles) end(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.reading, path)
}

func (f *planFiles) readNow(path string) ([]byte, error) {
	// Opening a FIFO or a device can have side effects.
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
