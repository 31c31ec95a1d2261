package transport

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// ErrOutletFull ends an Outlet that was sent more than its limit while its
// other end did not read.
var ErrOutletFull = errors.New("too much waits for a peer that does not read")

// maxAnswers is how many bytes of answers wait for a peer before no more of its
// lines are dealt with.
const maxAnswers = 1 << 20

// An Outlet is where the lines to one peer leave. One Relay writes through it,
// and anybody may Send it whole lines of their own. What is sent leaves between
// lines of the relay, behind everything that the relay had decided before. Send
// never waits for the peer.
//
// A peer can cause more lines to itself than it reads: answers to its own. So
// these are counted, and who reads the peer's lines waits for Answered.
//
// After an error nothing that is sent leaves any more. The relay ends with that
// error when it has dealt with the next lines, no matter who was writing.
type Outlet struct {
	dst   io.Writer
	limit int

	mu    sync.Mutex
	free  sync.Cond // busy has become false
	busy  bool      // somebody holds the outlet, and will finish
	queue []byte    // lines that were sent and are not written yet; empty after an error
	spare []byte    // memory for queue
	err   error     // of dst, or ErrOutletFull

	answers  int           // bytes of answers in the queue, and of those being written
	answered chan struct{} // closed when few of them are left; nil if nobody waits
	last     bool          // there will be no more of them than what the peer has said by now

	// The relay asks for these with each line, without the lock.
	crowded atomic.Bool // the queue is longer than mostWaiting: it should leave before more is decided
	many    atomic.Bool // fewAnswers is false

	inside bool // what was written last has no newline at its end; for who holds the outlet
}

// NewOutlet returns an Outlet that writes to dst. limit bounds how many bytes
// wait while dst takes nothing.
func NewOutlet(dst io.Writer, limit int) *Outlet {
	o := &Outlet{dst: dst, limit: limit}
	o.free.L = &o.mu
	return o
}

// Send queues whole lines, with their terminators; several parts make one text.
// They are copied. If they do not fit into the limit, the outlet fails with
// [ErrOutletFull]. It may be called from any goroutine, and by an Inspector of
// the relay.
func (o *Outlet) Send(parts ...[]byte) { o.send(false, parts) }

// Answer is Send for lines that the peer itself has caused.
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
	if len(o.queue) > mostWaiting {
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

// Answered returns nil unless more than a MiB of answers waits for the peer.
// Otherwise it returns a channel that is closed when the peer has read them, or
// never will, or has hung up.
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

// HungUp tells that the peer says nothing more, so that its last lines can be
// dealt with even if it does not read the answers.
func (o *Outlet) HungUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = true
	o.goOn()
}

// fewAnswers reports whether nobody has to wait for the peer to read. The caller
// has locked mu.
func (o *Outlet) fewAnswers() bool {
	return o.answers <= maxAnswers || o.err != nil || o.last
}

// goOn lets go on who waits, if nobody has to any more. The caller has locked mu.
func (o *Outlet) goOn() {
	if !o.fewAnswers() {
		return
	}
	o.many.Store(false)
	if o.answered != nil {
		close(o.answered)
		o.answered = nil
	}
}

// Flush waits until what was sent before is written, or cannot be. No relay may
// be running.
func (o *Outlet) Flush() error {
	o.hold()
	return o.finish()
}

// Restart makes the outlet forget what it could not write, because dst leads to
// another peer now. It waits until nobody writes any more.
func (o *Outlet) Restart() {
	o.hold()
	o.mu.Lock()
	o.queue, o.answers, o.err, o.inside = nil, 0, nil, false
	o.crowded.Store(false)
	o.goOn()
	o.mu.Unlock()
	o.finish()
}

// hold waits until nobody else writes. Until finish only the caller does: the
// relay, from the moment when it begins to decide on lines until they are
// written.
func (o *Outlet) hold() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.busy {
		o.free.Wait()
	}
	o.busy = true
}

// write writes what the relay has let through. The caller holds the outlet.
func (o *Outlet) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	o.inside = b[len(b)-1] != '\n'
	_, err := o.dst.Write(b)
	return err
}

// finish writes what was sent while the outlet was held, until nothing is left,
// and lets others hold the outlet. A later Send finds it free. It returns the
// error of the outlet, if there is one.
func (o *Outlet) finish() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) > 0 {
		b := o.queue
		o.queue, o.spare = o.spare[:0], nil
		o.crowded.Store(false)
		leaving := o.answers
		o.mu.Unlock()
		err := o.writeSent(b)
		o.mu.Lock()
		o.answers -= leaving
		if err != nil {
			o.fail(err)
		}
		o.goOn()
		if cap(b) <= mostWaiting {
			o.spare = b
		}
	}
	o.busy = false
	o.free.Signal()
	return o.err
}

// writeSent writes lines that were sent. They begin on a line of their own, also
// behind a last line of the relay without an end.
func (o *Outlet) writeSent(lines []byte) error {
	if o.inside {
		if err := o.write([]byte{'\n'}); err != nil {
			return err
		}
	}
	return o.write(lines)
}

// fail ends the outlet; the first error counts. The caller has locked mu.
func (o *Outlet) fail(err error) {
	if o.err == nil {
		o.err = err
	}
	o.queue = nil
	o.crowded.Store(false)
	o.goOn()
}
