package transport

import (
	"errors"
	"io"
	"os"
	"slices"
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
// Each call of Write is one record. A record waits if it fits into the limit,
// or if nothing else waits; otherwise it is dropped whole, and so are those
// behind it until half of the room is free. Records are written in order, by a
// goroutine that runs only while there is something to write. Short ones that
// wait are written together, up to 4 KiB at a time, which on Linux a pipe takes
// whole or not at all. After an error from the other writer, what it did not
// take waits, and is tried again at the next Write.
//
// A Spool may be used by several goroutines at once.
type Spool struct {
	dst   io.Writer
	limit int
	gap   func(dropped int) []byte

	mu      sync.Mutex
	waiting []spooled     // without what is being written
	size    int           // its length in bytes
	dropped int           // records dropped since gap was asked
	lost    int           // records dropped in all
	writing int           // records that are being written
	done    chan struct{} // closed when the goroutine ends; nil while none runs
	closed  bool
	spare   []byte // for the next batch; may be nil
}

// A spooled text is written by one Write.
type spooled struct {
	text    []byte
	records int
}

// batchSize is how much is written together: what Linux writes to a pipe in one
// piece, so that the agent, which may use the same one, cannot write inside a
// record.
const batchSize = 4 << 10

// NewSpool returns a Spool that writes to dst and lets limit bytes wait. If
// records were dropped, the record that gap returns takes their place as soon
// as there is room for it; gap may be nil and must not use the Spool.
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
	s.add(record, 1)
	return len(record), nil
}

func (s *Spool) hasRoom(n int) bool {
	return s.dropped == 0 && (s.size+n <= s.limit || s.size == 0 && s.done == nil)
}

func (s *Spool) add(text []byte, records int) {
	if len(text) == 0 {
		return
	}
	last := len(s.waiting) - 1
	if last < 0 || len(s.waiting[last].text)+len(text) > batchSize {
		room := s.spare
		s.spare = nil
		if cap(room) < len(text) {
			room = make([]byte, 0, max(batchSize, len(text)))
		}
		s.waiting = append(s.waiting, spooled{text: room})
		last++
	}
	b := &s.waiting[last]
	b.text = append(b.text, text...)
	b.records += records
	s.size += len(text)
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
		if s.dropped > 0 && s.size <= s.limit/2 {
			s.add(s.gap(s.dropped), 0)
			s.dropped = 0
		}
	}
	close(s.done)
	s.done = nil
}

// writeNext writes the next batch, without the lock, and reports whether dst
// took it whole.
func (s *Spool) writeNext() bool {
	b := s.waiting[0]
	s.waiting[0] = spooled{}
	s.waiting = s.waiting[1:]
	s.size -= len(b.text)
	s.writing = b.records
	s.mu.Unlock()
	n, err := s.dst.Write(b.text)
	s.mu.Lock()
	s.writing = 0
	if err != nil && n < len(b.text) {
		b.text = b.text[n:]
		s.waiting = slices.Insert(s.waiting, 0, b)
		s.size += len(b.text)
		return false
	}
	if cap(b.text) == batchSize {
		s.spare = b.text[:0]
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
		timeout := time.NewTimer(limit)
		select {
		case <-done:
		case <-timeout.C:
		}
		timeout.Stop()
		s.mu.Lock()
	}
	lost = s.lost + s.writing
	for _, b := range s.waiting {
		lost += b.records
	}
	return lost
}
