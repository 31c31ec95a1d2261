package transport

import (
	"errors"
	"io"
	"sync"
)

// ErrOutletFull ends an Outlet that was sent more than its limit while its
// other end did not read.
var ErrOutletFull = errors.New("too much waits for a peer that does not read")

// An Outlet is where the lines to one peer leave. One Relay writes through it,
// and anybody may Send it whole lines of their own. What is sent leaves between
// lines of the relay, behind everything that the relay had decided before. Send
// never waits for the peer.
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
func (o *Outlet) Send(parts ...[]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, part := range parts {
		if o.err == nil && len(o.queue)+len(part) > o.limit {
			o.fail(ErrOutletFull)
		}
		if o.err == nil {
			o.queue = append(o.queue, part...)
		}
	}
	if len(o.queue) > 0 && !o.busy {
		o.busy = true
		go o.finish()
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
	o.queue, o.err, o.inside = nil, nil, false
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
		o.mu.Unlock()
		err := o.writeSent(b)
		o.mu.Lock()
		if err != nil {
			o.fail(err)
		}
		if cap(b) <= 4*bufferSize {
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
}

// isCrowded reports whether so much was sent that it should leave before more
// is decided.
func (o *Outlet) isCrowded() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue) > 4*bufferSize
}
