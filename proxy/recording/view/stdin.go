package view

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// A Spool is a temporary file that grows by what is read from elsewhere, so that it can
// be shown like any other file. Only its owner can read it.
type Spool struct {
	dir  string
	file *os.File
}

// NewSpool returns a Spool that in is read into until it ends, as whole lines. What cannot be written is
// left out from there on, and failed is told why; in is still read, so that who writes
// to it goes on. failed is also told if it was no recording, see [ErrNoRecording].
func NewSpool(in io.Reader, failed func(error)) (*Spool, error) {
	dir, err := os.MkdirTemp("", "acp-plan-proxy-view-") // for its owner alone
	if err != nil {
		return nil, fmt.Errorf("view: keep what is read: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "recording.jsonl"), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("view: keep what is read: %w", err)
	}
	s := &Spool{dir, file}
	go s.fill(in, failed)
	return s, nil
}

// fill reads in until it ends. After Remove it only reads.
func (s *Spool) fill(in io.Reader, failed func(error)) {
	size, err := io.Copy(s.file, in)
	if err != nil && !errors.Is(err, os.ErrClosed) {
		failed(err)
	}
	io.Copy(io.Discard, in)
	last := []byte{'\n'}
	if s.file.ReadAt(last, size-1); last[0] != '\n' { // a page waits for the ends of lines
		s.file.Write([]byte{'\n'})
	}
	if err := (Recording{File: s.Path(), Name: "standard input"}).check(); errors.Is(err, ErrNoRecording) {
		failed(err)
	}
}

// Path returns the path of the file.
func (s *Spool) Path() string { return s.file.Name() }

// Remove deletes the file. Some systems delete no file that is open, and a page may just
// be reading it, so Remove waits a moment for that.
func (s *Spool) Remove() error {
	s.file.Close()
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
