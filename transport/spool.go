package transport

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// ErrFull is the error of [Spool.Write] for a record that is dropped because
// too much is waiting.
var ErrFull = errors.New("too much is waiting to be written")

// A Spool is a writer that never blocks, in front of a writer that may, such as
// a pipe that nobody reads or a disk that hangs. What the other writer does not
// take at once waits in memory.
//
// Each call of Write is one record. A record waits if it fits into the limit together
// with what is being written, or if there is nothing else; otherwise it is dropped whole,
// and so are those behind it until half of the room is free. Records are written in order, by a
// goroutine that runs only while there is something to write. What waits is written
// together. After an error from the other writer, what it did not take waits, and is
// tried again at the next Write.
//
// A Spool may be used by several goroutines at once.
type Spool struct {
	dst   io.Writer
	limit int
	gap   func(dropped int) []byte

	mu      sync.Mutex
	waiting []byte        // without what is being written
	records int           // how many wait
	writing int           // how many are being written
	held    int           // bytes that are being written
	dropped int           // how many were dropped since gap was asked
	lost    int           // how many were dropped in all
	done    chan struct{} // closed when the goroutine ends; nil while none runs
	closed  bool
	spare   []byte // memory for waiting
}

// NewSpool returns a Spool that writes to dst and holds at most limit bytes, or a single
// longer record. If records were dropped, the
// record that gap returns takes their place as soon as there is room for it; gap may
// be nil and must not use the Spool.
func NewSpool(dst io.Writer, limit int, gap func(dropped int) []byte) *Spool {
	if gap == nil {
		gap = func(int) []byte { return nil }
	}
	return &Spool{dst: dst, limit: limit, gap: gap}
}

// Write keeps a copy of a record to be written. It returns [ErrFull] if the
// record is dropped and [os.ErrClosed] after Close.
func (s *Spool) Write(record []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, os.ErrClosed
	}
	defer s.start()
	if !s.hasRoom(len(record)) {
		s.dropped++
		s.lost++
		return 0, ErrFull
	}
	s.waiting = append(s.waiting, record...)
	s.records++
	return len(record), nil
}

func (s *Spool) hasRoom(n int) bool {
	held := s.held + len(s.waiting)
	return s.dropped == 0 && (held+n <= s.limit || held == 0)
}

// start makes sure that what waits is being written.
func (s *Spool) start() {
	if s.done == nil && len(s.waiting) > 0 {
		s.done = make(chan struct{})
		go s.write()
	}
}

// write writes what waits, until nothing does or dst fails.
func (s *Spool) write() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) > 0 && s.writeNext() {
		if s.dropped > 0 && len(s.waiting) <= s.limit/2 {
			s.waiting = append(s.waiting, s.gap(s.dropped)...)
			s.dropped = 0
		}
	}
	close(s.done)
	s.done = nil
}

// writeNext writes what waits now, without the lock, and reports whether dst took it
// whole.
func (s *Spool) writeNext() bool {
	const maxSpare = 64 << 10
	b, records := s.waiting, s.records
	s.waiting, s.spare = s.spare[:0], nil
	s.records, s.writing, s.held = 0, records, len(b)
	s.mu.Unlock()
	n, err := s.dst.Write(b)
	s.mu.Lock()
	s.writing, s.held = 0, 0
	if err != nil && n < len(b) {
		s.waiting = append(b[n:], s.waiting...)
		s.records += records
		return false
	}
	if cap(b) <= maxSpare {
		s.spare = b
	}
	return true
}

// Close takes no more records and waits until everything is written, dst fails
// or the limit has passed. It returns how many records were not written, those
// dropped earlier among them. What still waits then may be written later; dst is
// not closed.
func (s *Spool) Close(limit time.Duration) (lost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.start()
	if done := s.done; done != nil {
		s.mu.Unlock()
		select {
		case <-done:
		case <-time.After(limit):
		}
		s.mu.Lock()
	}
	return s.lost + s.writing + s.records
}
