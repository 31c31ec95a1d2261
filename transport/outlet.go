package transport

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// ErrOutletFull is why an Outlet ends that was sent more than its limit while
// its other end did not read.
var ErrOutletFull = errors.New("too much waits for a peer that does not read")

// An Outlet is where the lines to one peer leave. One Relay writes through it,
// and anybody may Send it whole lines of their own. What is sent leaves between
// lines of the relay, behind everything that the relay had decided before. Send
// never waits for the peer.
//
// A connection to which nobody sends pays one uncontended lock for each write of
// the relay.
type Outlet struct {
	dst   io.Writer
	limit int

	// writing is held by who writes to dst: the relay, from the moment when it
	// begins to decide on lines until they are written, or deliver.
	writing sync.Mutex

	mu      sync.Mutex
	queue   []byte // lines that were sent and are not written yet
	spare   []byte // memory for queue
	err     error  // of dst; nothing is written any more
	waiting atomic.Bool
}

// NewOutlet returns an Outlet that writes to dst. limit bounds how many bytes
// wait while dst takes nothing.
func NewOutlet(dst io.Writer, limit int) *Outlet {
	return &Outlet{dst: dst, limit: limit}
}

// Send queues whole lines, with their terminators; several parts make one text.
// They are copied. If they do not fit into the limit, the outlet fails with
// [ErrOutletFull]. It may be called from any goroutine, and by an Inspector of
// the relay.
func (o *Outlet) Send(parts ...[]byte) {
	o.mu.Lock()
	for _, part := range parts {
		if o.err == nil && len(o.queue)+len(part) > o.limit {
			o.err = ErrOutletFull
		}
		if o.err == nil {
			o.queue = append(o.queue, part...)
			o.waiting.Store(true)
		}
	}
	o.mu.Unlock()
	if o.waiting.Load() && o.writing.TryLock() {
		go func() {
			o.writeQueue()
			o.release()
		}()
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
	defer o.writing.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue, o.err = o.queue[:0], nil
	o.waiting.Store(false)
}

// hold begins a stretch in which the relay decides on lines and writes them.
func (o *Outlet) hold() { o.writing.Lock() }

// write writes what the relay has let through, during a stretch.
func (o *Outlet) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := o.dst.Write(b)
	return err
}

// finish ends a stretch, at the end of a line: what was sent meanwhile leaves.
func (o *Outlet) finish() error {
	var err error
	if o.waiting.Load() {
		err = o.writeQueue()
	}
	o.release()
	return err
}

// release lets others write. What was sent between the last look at the queue
// and now is written by a goroutine, because nobody else will come.
func (o *Outlet) release() {
	o.writing.Unlock()
	for o.waiting.Load() && o.writing.TryLock() {
		o.writeQueue()
		o.writing.Unlock()
	}
}

// writeQueue writes what was sent until nothing is left. The caller holds
// writing.
func (o *Outlet) writeQueue() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) > 0 && o.err == nil {
		b := o.queue
		o.queue, o.spare = o.spare[:0], nil
		o.mu.Unlock()
		_, err := o.dst.Write(b)
		o.mu.Lock()
		if o.err == nil {
			o.err = err
		}
		if cap(b) <= 4*bufferSize {
			o.spare = b
		}
	}
	o.waiting.Store(false)
	return o.err
}
