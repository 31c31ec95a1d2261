package view

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A Spool is a temporary file that grows by what is read from elsewhere, so that it can
// be shown like any other file. Only its owner can read it.
type Spool struct {
	dir  string
	path string

	mu   sync.Mutex
	file *os.File // nil once it is closed
}

// NewSpool returns a Spool that in is read into until it ends, as whole lines. What cannot be written is
// left out from there on, and failed is told why; in is still read, so that who writes
// to it goes on. failed is also told if it was no recording, see [ErrNoRecording].
func NewSpool(in io.Reader, failed func(error)) (*Spool, error) {
	dir, err := os.MkdirTemp("", "acp-plan-proxy-view-") // for its owner alone
	if err != nil {
		return nil, fmt.Errorf("view: keep what is read: %w", err)
	}
	s := &Spool{dir: dir, path: filepath.Join(dir, "recording.jsonl")}
	s.file, err = os.OpenFile(s.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("view: keep what is read: %w", err)
	}
	go func() {
		out := &spooled{s: s, failed: failed}
		if _, err := io.Copy(out, in); err != nil {
			failed(err)
		}
		if out.inLine { // a page waits for the ends of lines
			out.Write([]byte{'\n'})
		}
		if err := (Recording{File: s.path, Name: "standard input"}).check(); errors.Is(err, ErrNoRecording) {
			failed(err)
		}
	}()
	return s, nil
}

// Path returns the path of the file.
func (s *Spool) Path() string { return s.path }

// end ends the file: what is read from now on is left out. The caller has locked mu.
func (s *Spool) end() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

// Remove deletes the file. Some systems delete no file that is open, and a page may just
// be reading it, so Remove waits a moment for that.
func (s *Spool) Remove() error {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	const (
		patience = 2 * time.Second
		interval = 20 * time.Millisecond
	)
	for end := time.Now().Add(patience); ; time.Sleep(interval) {
		switch err := os.RemoveAll(s.dir); {
		case err == nil:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("view: remove what was kept: %w", err)
		}
	}
}

// A spooled is what a Spool is written through.
type spooled struct {
	s      *Spool
	failed func(error)
	inLine bool // what was written last was not the end of a line
}

// Write implements io.Writer. It never fails.
func (w *spooled) Write(p []byte) (int, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.inLine = len(p) > 0 && p[len(p)-1] != '\n'
	if w.s.file == nil {
		return len(p), nil
	}
	if _, err := w.s.file.Write(p); err != nil {
		w.s.end()
		w.failed(err)
	}
	return len(p), nil
}
