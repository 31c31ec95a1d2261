package transport

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// ErrOutletFull is the error of an Outlet whose queue exceeds its limit because the peer
// does not read.
var ErrOutletFull = errors.New("the peer does not read and its queue is full")

// maxAnswers is the number of queued bytes of responses beyond which no more lines of the
// peer are processed.
const maxAnswers = 1 << 20

// An Outlet writes the lines to one peer. One Relay writes through it, and any goroutine
// may Send whole lines. Sent lines are written between lines of the relay, after the
// relay's output so far. Send never waits for the peer.
//
// A peer can cause more responses to its own lines than it reads. The Outlet therefore
// counts responses, and the reader of the peer's lines waits for Answered.
//
// After an error the Outlet discards sent lines. The relay returns the error after its
// next lines, whichever goroutine was writing.
type Outlet struct {
	dst   io.Writer
	limit int

	mu    sync.Mutex
	free  sync.Cond // signals that busy is false
	busy  bool      // a goroutine holds the outlet and will call finish
	queue []byte    // sent lines that are not being written; empty after an error
	spare []byte    // memory for queue
	err   error     // of dst, or ErrOutletFull

	answers  int           // bytes of responses, queued or being written
	answered chan struct{} // closed when few responses are pending; nil without a waiter
	last     bool          // the peer sends nothing more

	// Read for each line, without the lock.
	crowded atomic.Bool // the queue is longer than maxOutput, flush it before the next line
	many    atomic.Bool // fewAnswers is false

	inside bool // the last write had no newline at its end; guarded by busy
}

// NewOutlet returns an Outlet that writes to dst and queues at most limit bytes.
func NewOutlet(dst io.Writer, limit int) *Outlet {
	o := &Outlet{dst: dst, limit: limit}
	o.free.L = &o.mu
	return o
}

// Send queues the concatenation of parts, whole lines with their terminators. It copies
// them. If they exceed the limit, the outlet fails with [ErrOutletFull]. Send may be
// called by several goroutines at once, and by an Inspector of the relay.
func (o *Outlet) Send(parts ...[]byte) { o.send(false, parts) }

// Answer is Send for responses to lines of the peer.
func (o *Outlet) Answer(parts ...[]byte) { o.send(true, parts) }

func (o *Outlet) send(answer bool, parts [][]byte) {
	o.mu.Lock()
	for _, part := range parts {
		if o.err == nil && len(o.queue)+len(part) > o.limit {
			o.fail(ErrOutletFull)
		}
		if o.err == nil {
			o.queue = append(o.queue, part...)
			if answer {
				o.answers += len(part)
			}
		}
	}
	if len(o.queue) > maxOutput {
		o.crowded.Store(true)
	}
	if answer && !o.fewAnswers() {
		o.many.Store(true)
	}
	if len(o.queue) > 0 && !o.busy {
		o.busy = true
		go o.finish()
	}
	o.mu.Unlock()
}

// Answered returns nil unless more than a MiB of responses is pending. Otherwise it
// returns a channel that is closed when the peer has read enough of them, when the outlet fails,
// or when the peer has hung up.
func (o *Outlet) Answered() <-chan struct{} {
	if !o.many.Load() {
		return nil
	}
	return o.awaitAnswered()
}

func (o *Outlet) awaitAnswered() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.fewAnswers() && o.answered == nil {
		o.answered = make(chan struct{})
	}
	return o.answered
}

// HungUp records that the peer sends nothing more. Its last lines are then processed even
// if it does not read the responses.
func (o *Outlet) HungUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = true
	o.release()
}

// fewAnswers reports whether the peer's lines may be processed. The caller holds mu.
func (o *Outlet) fewAnswers() bool {
	return o.answers <= maxAnswers || o.err != nil || o.last
}

// release closes answered if few responses are pending. The caller holds mu.
func (o *Outlet) release() {
	if !o.fewAnswers() {
		return
	}
	o.many.Store(false)
	if o.answered != nil {
		close(o.answered)
		o.answered = nil
	}
}

// Flush waits until the queue is written, or returns the error of the outlet. No relay
// may be running.
func (o *Outlet) Flush() error {
	o.hold()
	return o.finish()
}

// Restart discards the queue and the error, because dst now belongs to another peer. It waits
// until the outlet is free, which writes the queue if the old peer still reads.
func (o *Outlet) Restart() {
	o.hold()
	o.mu.Lock()
	o.queue, o.answers, o.err, o.inside = nil, 0, nil, false
	o.crowded.Store(false)
	o.release()
	o.mu.Unlock()
	o.finish()
}

// hold waits until the outlet is free and reserves it until finish. The relay holds it
// from the inspection of lines until they are written.
func (o *Outlet) hold() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.busy {
		o.free.Wait()
	}
	o.busy = true
}

// write writes output of the relay. The caller holds the outlet.
func (o *Outlet) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	o.inside = b[len(b)-1] != '\n'
	_, err := o.dst.Write(b)
	return err
}

// finish writes the queue until it is empty and releases the outlet. It returns the error
// of the outlet.
func (o *Outlet) finish() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) > 0 {
		b := o.queue
		o.queue, o.spare = o.spare[:0], nil
		o.crowded.Store(false)
		written := o.answers
		o.mu.Unlock()
		err := o.writeSent(b)
		o.mu.Lock()
		o.answers -= written
		if err != nil {
			o.fail(err)
		}
		o.release()
		if cap(b) <= maxOutput {
			o.spare = b
		}
	}
	o.busy = false
	o.free.Signal()
	return o.err
}

// writeSent writes sent lines. It first terminates an unterminated last line of the relay.
func (o *Outlet) writeSent(lines []byte) error {
	if o.inside {
		if err := o.write([]byte{'\n'}); err != nil {
			return err
		}
	}
	return o.write(lines)
}

// fail records the first error and discards the queue. The caller holds mu.
func (o *Outlet) fail(err error) {
	if o.err == nil {
		o.err = err
	}
	o.queue = nil
	o.crowded.Store(false)
	o.release()
}
