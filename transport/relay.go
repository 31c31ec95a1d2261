package transport

import (
	"bytes"
	"fmt"
	"io"
)

// bufferSize is how much a Relay reads at a time: what a pipe holds on Linux.
const bufferSize = 64 << 10

// mostWaiting is how much of what lines become may wait until all lines that have
// arrived are dealt with.
const mostWaiting = 4 * bufferSize

// A Verdict is what an Inspector says of a line.
type Verdict uint8

const (
	// More: it cannot be said yet. The line is shown again when more of it has
	// arrived. At the end of the line More means Hold.
	More Verdict = iota
	// Pass: the line leaves as it is and as it arrives.
	Pass
	// Hold: the line is kept until it is whole and then given to Rewrite.
	Hold
	// Drop: the line does not leave. Only Oversize says so.
	Drop
	// Follow: the line leaves as Pass has it, and Rest is given the rest of it.
	Follow
)

// An Inspector decides what becomes of the lines that go through a Relay.
//
// The slices it is given include the line's terminator, if that has arrived.
// They are valid, and may be read, only until the method returns.
type Inspector interface {
	// Inspect is shown a line as soon as its first bytes have arrived, and
	// again each time there is more of it, until it says Pass, Follow or Hold or the
	// line is whole.
	Inspect(line []byte) Verdict

	// Rewrite returns what replaces a whole line: no, one or several lines with their
	// terminators. The result need be valid only until the next call. Rewrite returns
	// false to forward the line unchanged.
	Rewrite(line []byte) ([]byte, bool)

	// Oversize is given the beginning of a line that is longer than the Relay's
	// limit and was not let pass. It says Pass, and the line streams through as
	// it is, or Drop.
	Oversize(beginning []byte) Verdict

	// Rest is given the rest of a line that Oversize has dropped or that Inspect
	// follows, piece by piece. end tells that the line ends with this piece, which may
	// be empty; it has not left then.
	Rest(piece []byte, end bool)

	// Pause is called before Rewrite and Oversize. If it returns a channel, the
	// Relay writes what may leave and waits until the channel is closed.
	Pause(line []byte) <-chan struct{}
}

// A Relay copies lines from Src to Dst in order. It reads what there is, looks
// at each line once, and writes everything that may leave before it reads
// again; so a line never waits for the next one, a stream of small lines is
// moved in large pieces, and when Dst does not take more, Src is not read.
//
// A Relay allocates nothing for a line that passes. It holds one buffer of
// 64 KiB, which grows to MaxLine while a longer line is held, and up to 256 KiB of
// what lines have become.
type Relay struct {
	Src       io.Reader
	Dst       *Outlet
	Inspector Inspector
	MaxLine   int // the longest line that is held, in bytes

	// start <= line <= scan <= end <= len(buf). After flush, line is where the
	// unfinished line begins; if that line is not held, line == end.
	buf     []byte
	start   int     // what is before this has been written or replaced
	line    int     // where the current line begins
	scan    int     // up to here buf was searched for the end of the line
	end     int     // up to here buf is filled
	verdict Verdict // on the current line
	out     []byte  // what leaves, if it is not simply a part of buf
	inside  bool    // what was written last is a part of a line
	err     error   // from writing
}

// A WriteError is an error from a Relay's Dst.
type WriteError struct{ Err error }

func (e *WriteError) Error() string { return fmt.Sprintf("write: %v", e.Err) }
func (e *WriteError) Unwrap() error { return e.Err }

// Run relays until Src ends, and returns nil; or until Dst fails, and returns a
// *WriteError; or until Src fails otherwise, and returns that error. Whatever
// Src delivered before it ended has then been written. Run may be called once.
func (r *Relay) Run() error {
	r.buf = make([]byte, bufferSize)
	for {
		n, err := r.Src.Read(r.buf[r.end:])
		r.end += n
		r.begin()
		r.lines()
		if err != nil && r.err == nil && (r.line < r.end || r.isShown()) { // an unterminated last line
			r.finishLine(r.end)
		}
		r.flush(err != nil)
		switch {
		case r.err != nil:
			return &WriteError{r.err}
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("read: %w", err)
		}
		r.makeRoom()
	}
}

// begin keeps others from writing until flush. Inside a line they are kept from
// it already.
func (r *Relay) begin() {
	if !r.inside {
		r.Dst.hold()
	}
}

// lines deals with what has arrived, line by line.
func (r *Relay) lines() {
	for r.scan < r.end && r.err == nil {
		newline := bytes.IndexByte(r.buf[r.scan:r.end], '\n')
		if newline >= 0 {
			r.finishLine(r.scan + newline + 1)
			continue
		}
		r.scan = r.end
		r.inspect(r.end, false)
	}
}

// inspect shows the Inspector what has arrived of the current line, up to end; last tells
// that the line ends there.
func (r *Relay) inspect(end int, last bool) {
	text := r.buf[r.line:end]
	if r.isShown() {
		r.Inspector.Rest(text, last)
		return
	}
	if r.verdict == More {
		r.verdict = r.Inspector.Inspect(text)
	}
	length := len(text)
	if last {
		length-- // without its terminator
	}
	if r.isHeld() && length > r.MaxLine {
		r.oversize(text)
	}
	if last && r.isShown() {
		r.Inspector.Rest(nil, true)
	}
}

// isHeld reports whether the current line is kept.
func (r *Relay) isHeld() bool { return r.verdict == More || r.verdict == Hold }

// isShown reports whether the Inspector is given the rest of the current line.
func (r *Relay) isShown() bool { return r.verdict == Drop || r.verdict == Follow }

// finishLine deals with the current line, which is whole and ends at end.
func (r *Relay) finishLine(end int) {
	r.inspect(end, true)
	held := r.isHeld()
	if held {
		r.pause(r.buf[r.line:end])
	}
	begin, drops := r.line, r.verdict == Drop
	r.line, r.scan, r.verdict = end, end, More
	if drops {
		r.replace(begin, nil)
	}
	if !held {
		return
	}
	if instead, changed := r.Inspector.Rewrite(r.buf[begin:end]); changed {
		r.replace(begin, instead)
	}
	if r.Dst.crowded.Load() {
		r.flush(true)
		r.begin()
	}
}

// oversize asks what becomes of a line that is too long to be held. Only its
// beginning is known.
func (r *Relay) oversize(beginning []byte) {
	r.pause(beginning)
	r.verdict = r.Inspector.Oversize(beginning)
}

// replace puts something in the place of the line from begin to r.line.
func (r *Relay) replace(begin int, instead []byte) {
	r.leave(r.buf[r.start:begin])
	r.leave(instead)
	r.start = r.line
}

// leave takes what leaves next and is not simply a part of buf. It is written now if too
// much would wait.
func (r *Relay) leave(b []byte) {
	if len(r.out)+len(b) <= mostWaiting {
		r.out = append(r.out, b...)
		return
	}
	r.write(r.out)
	r.out = r.out[:0]
	r.write(b)
}

func (r *Relay) write(b []byte) {
	if r.err == nil {
		r.err = r.Dst.write(b)
	}
}

// pause waits before a line that is held, if the Inspector wants that.
func (r *Relay) pause(line []byte) {
	if wait := r.Inspector.Pause(line); wait != nil {
		r.flush(true)
		<-wait
		r.begin()
	}
}

// flush writes all that may leave: the finished lines and the beginning of one
// that passes. Then others may write, unless that line goes on; last says that
// it does not.
func (r *Relay) flush(last bool) {
	if r.verdict == Drop {
		r.leave(r.buf[r.start:r.line])
		r.start = r.end
	}
	if !r.isHeld() {
		r.line = r.end
	}
	b := r.buf[r.start:r.line]
	if len(r.out) > 0 {
		r.leave(b)
		b = r.out
	}
	r.write(b)
	r.start, r.out = r.line, r.out[:0]
	if r.inside = (r.verdict == Pass || r.verdict == Follow) && !last && r.err == nil; !r.inside {
		if err := r.Dst.finish(); r.err == nil {
			r.err = err
		}
	}
}

// makeRoom makes sure that there is room to read into, behind the part of a
// line that is held.
func (r *Relay) makeRoom() {
	held := r.buf[r.line:r.end]
	size := len(r.buf)
	switch {
	case len(held) < bufferSize/2:
		size = bufferSize
	case len(held) > size-bufferSize/2:
		// There are few steps, so that what they leave behind stays small
		// compared with the last one, which must not be a small one.
		if size *= 4; size > r.MaxLine/2 {
			size = r.MaxLine + bufferSize
		}
		size = max(size, len(held)+bufferSize)
	}
	if size == len(r.buf) {
		copy(r.buf, held)
	} else {
		buf := make([]byte, size)
		copy(buf, held)
		r.buf = buf
	}
	r.scan -= r.line
	r.start, r.line, r.end = 0, 0, len(held)
}
