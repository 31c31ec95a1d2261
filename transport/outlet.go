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

// maxAnswerBytes is the number of queued bytes of responses beyond which no more lines of the
// peer are processed.
const maxAnswerBytes = 1 << 20

// An Outlet writes the lines to one peer. One Relay writes through it, and any goroutine
// may Send whole lines. Sent lines are written between lines of the relay, after the
// relay's output so far. Send never waits for the peer.
//
// A peer can cause more responses to its own lines than it reads. The Outlet therefore
// counts the bytes of responses, and the reader of the peer's lines waits for AnswersRead.
//
// After a write error of a sent line, or once the queue is full, the Outlet discards sent lines, and
// Run of the relay returns that error after its next lines. Run returns a write error of its own lines
// at once.
type Outlet struct {
	dst   io.Writer
	limit int

	mu    sync.Mutex
	idle  sync.Cond // signals that busy is false
	busy  bool      // a goroutine has acquired the outlet and will release it
	queue []byte    // sent lines that are not being written; empty after an error
	spare []byte    // memory for queue
	err   error     // the first error of a sent line, or ErrOutletFull

	answerBytes int           // bytes of responses, queued or being written
	answersRead chan struct{} // closed when few responses are pending; nil without a waiter
	hungUp      bool          // the peer sends nothing more

	// These are read for each line that is held, without the lock.
	needsFlush     atomic.Bool // the queue is longer than maxOutput; the relay flushes it after a held line
	tooManyAnswers atomic.Bool // a copy of !mayReadPeer()

	midLine bool // the last write had no newline at its end; guarded by busy
}

// NewOutlet returns an Outlet that writes to dst and queues at most limit bytes.
func NewOutlet(dst io.Writer, limit int) *Outlet {
	o := &Outlet{dst: dst, limit: limit}
	o.idle.L = &o.mu
	return o
}

// Send queues the concatenation of parts, whole lines with their terminators. It copies
// them. If the queue exceeds its limit, the outlet fails with [ErrOutletFull]. Send may be
// called by several goroutines at once, and by an Inspector of the relay.
func (o *Outlet) Send(parts ...[]byte) { o.send(false, parts) }

// Answer is Send for responses to lines of the peer.
func (o *Outlet) Answer(parts ...[]byte) { o.send(true, parts) }

func (o *Outlet) send(isAnswer bool, parts [][]byte) {
	o.mu.Lock()
	for _, part := range parts {
		if o.err == nil && len(o.queue)+len(part) > o.limit {
			o.fail(ErrOutletFull)
		}
		if o.err == nil {
			o.queue = append(o.queue, part...)
			if isAnswer {
				o.answerBytes += len(part)
			}
		}
	}
	if len(o.queue) > maxOutput {
		o.needsFlush.Store(true)
	}
	if isAnswer && !o.mayReadPeer() {
		o.tooManyAnswers.Store(true)
	}
	if len(o.queue) > 0 && !o.busy {
		o.busy = true
		go o.flushAndRelease()
	}
	o.mu.Unlock()
}

// AnswersRead returns nil unless more than a MiB of responses is pending. Otherwise it
// returns a channel that is closed when the peer has read enough of them, when the outlet fails,
// or when the peer has hung up.
func (o *Outlet) AnswersRead() <-chan struct{} {
	if !o.tooManyAnswers.Load() {
		return nil
	}
	return o.awaitAnswersRead()
}

func (o *Outlet) awaitAnswersRead() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.mayReadPeer() && o.answersRead == nil {
		o.answersRead = make(chan struct{})
	}
	return o.answersRead
}

// NoteHangup records that the peer sends nothing more. Its last lines are then processed even
// if it does not read the responses.
func (o *Outlet) NoteHangup() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.hungUp = true
	o.releaseReader()
}

// mayReadPeer reports whether more of the peer's lines may be processed: few responses are pending,
// or the outlet has failed, or the peer has hung up. The caller holds mu.
func (o *Outlet) mayReadPeer() bool {
	return o.answerBytes <= maxAnswerBytes || o.err != nil || o.hungUp
}

// releaseReader closes answersRead if mayReadPeer. The caller holds mu.
func (o *Outlet) releaseReader() {
	if !o.mayReadPeer() {
		return
	}
	o.tooManyAnswers.Store(false)
	if o.answersRead != nil {
		close(o.answersRead)
		o.answersRead = nil
	}
}

// Flush writes the queue and returns the error of the outlet. It first waits until the relay is not in
// the middle of a line. It does not wait for later lines of the relay.
func (o *Outlet) Flush() error {
	o.acquire()
	return o.flushAndRelease()
}

// Restart discards the queue and the error, because dst now belongs to another peer. It first waits
// for the goroutine that holds the outlet, which may still write lines to the old peer.
func (o *Outlet) Restart() {
	o.acquire()
	o.mu.Lock()
	o.queue, o.answerBytes, o.err, o.midLine = nil, 0, nil, false
	o.needsFlush.Store(false)
	o.releaseReader()
	o.mu.Unlock()
	o.flushAndRelease()
}

// acquire waits until the outlet is idle and reserves it until flushAndRelease. The relay
// holds the outlet from the inspection of lines until they are written.
func (o *Outlet) acquire() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.busy {
		o.idle.Wait()
	}
	o.busy = true
}

// write writes output of the relay. The caller holds the outlet.
func (o *Outlet) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	o.midLine = b[len(b)-1] != '\n'
	_, err := o.dst.Write(b)
	return err
}

// flushAndRelease writes the queue until it is empty, and then releases the outlet. It returns the
// error of the outlet.
func (o *Outlet) flushAndRelease() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) > 0 {
		b := o.queue
		o.queue, o.spare = o.spare[:0], nil
		o.needsFlush.Store(false)
		written := o.answerBytes
		o.mu.Unlock()
		err := o.writeSent(b)
		o.mu.Lock()
		o.answerBytes -= written
		if err != nil {
			o.fail(err)
		}
		o.releaseReader()
		if cap(b) <= maxOutput {
			o.spare = b
		}
	}
	o.busy = false
	o.idle.Signal()
	return o.err
}

// writeSent writes sent lines. It first terminates an unterminated last line of the relay.
func (o *Outlet) writeSent(lines []byte) error {
	if o.midLine {
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
	o.needsFlush.Store(false)
	o.releaseReader()
}
