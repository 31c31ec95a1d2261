package transport

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// ErrFull is the error of [Spool.Write] for a record that it drops.
var ErrFull = errors.New("the buffer is full")

// A Spool is a writer that never blocks, in front of a writer that may block, such as a pipe without
// a reader or a stalled disk. It buffers records in memory.
//
// Each call of Write is one record. The Spool buffers a record if it fits into the limit
// together with all bytes buffered or being written, or if it is the only record. Otherwise it drops
// the record, and further records until half of the buffer is free. A goroutine writes the records
// in order, and runs only while there are records. It writes all buffered records in one call. After
// an error, the next Write tries to write the unwritten bytes again.
//
// A Spool may be used by several goroutines at once.
type Spool struct {
	dst      io.Writer
	maxBytes int
	gap      func(dropped int) []byte

	mu           sync.Mutex
	waiting      recordBatch   // buffered, not being written
	writing      recordBatch   // being written
	dropped      int           // records dropped since the last call of gap
	droppedTotal int           // records dropped since the start
	done         chan struct{} // closed when the goroutine ends; nil while none runs
	closed       bool
	spare        []byte // memory for waiting
}

// A recordBatch is the text of records.
type recordBatch struct {
	text        []byte
	recordCount int
}

// NewSpool returns a Spool that writes to dst and holds at most maxBytes bytes, or a single
// longer record. In place of dropped records it writes the result of gap as soon as the
// buffer has room. gap may be nil and must not use the Spool.
func NewSpool(dst io.Writer, maxBytes int, gap func(dropped int) []byte) *Spool {
	if gap == nil {
		gap = func(int) []byte { return nil }
	}
	return &Spool{dst: dst, maxBytes: maxBytes, gap: gap}
}

// Write buffers a copy of a record. It returns [ErrFull] if it drops the record, and
// [os.ErrClosed] after Close.
func (s *Spool) Write(record []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, os.ErrClosed
	}
	defer s.start()
	buffered := len(s.writing.text) + len(s.waiting.text)
	if s.dropped > 0 || buffered > 0 && buffered+len(record) > s.maxBytes {
		s.dropped++
		s.droppedTotal++
		return 0, ErrFull
	}
	s.waiting.text = append(s.waiting.text, record...)
	s.waiting.recordCount++
	return len(record), nil
}

// start starts the goroutine if there are records to write.
func (s *Spool) start() {
	if s.done == nil && len(s.waiting.text) > 0 {
		s.done = make(chan struct{})
		go s.write()
	}
}

// write writes the buffered records until there are none or dst fails.
func (s *Spool) write() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting.text) > 0 && s.writeNext() {
		if s.dropped > 0 && len(s.waiting.text) <= s.maxBytes/2 {
			s.waiting.text = append(s.waiting.text, s.gap(s.dropped)...)
			s.dropped = 0
		}
	}
	close(s.done)
	s.done = nil
}

// writeNext writes the buffered records in one call, without the lock. It reports whether
// dst accepted all bytes.
func (s *Spool) writeNext() bool {
	const maxSpare = 64 << 10
	b := s.waiting
	s.waiting, s.writing, s.spare = recordBatch{text: s.spare[:0]}, b, nil
	s.mu.Unlock()
	n, err := s.dst.Write(b.text)
	s.mu.Lock()
	s.writing = recordBatch{}
	if err != nil && n < len(b.text) {
		s.waiting.text = append(b.text[n:], s.waiting.text...)
		s.waiting.recordCount += b.recordCount
		return false
	}
	if cap(b.text) <= maxSpare {
		s.spare = b.text
	}
	return true
}

// Close rejects further records and waits until all are written, dst fails or the timeout has
// passed. It returns the number of unwritten records, including dropped ones. If dst fails, all
// records of the failed call count as unwritten. After the timeout, records may still be written.
// Close does not close dst.
func (s *Spool) Close(timeout time.Duration) (unwritten int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.start()
	if done := s.done; done != nil {
		s.mu.Unlock()
		select {
		case <-done:
		case <-time.After(timeout):
		}
		s.mu.Lock()
	}
	return s.droppedTotal + s.writing.recordCount + s.waiting.recordCount
}
