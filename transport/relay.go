// Package transport moves lines and runs the agent's process.
//
// It does not interpret the lines. A [Relay] copies lines at the speed of a pipe and lets an
// [Inspector] buffer, rewrite or drop individual ones. [Start] runs the agent as a child process
// and terminates its process group.
//
// Package transport is independent of the other packages of this module.
package transport

import (
	"bytes"
	"fmt"
	"io"
)

// bufferSize is the initial size of the read buffer, the capacity of a pipe on Linux.
const bufferSize = 64 << 10

// maxOutput limits the buffered output.
const maxOutput = 4 * bufferSize

// A Verdict is the decision of an Inspector about a line.
type Verdict uint8

const (
	// More means undecided: Inspect is called again with more of the line. At the end of
	// the line More means Hold.
	More Verdict = iota
	// Pass streams the line through unchanged.
	Pass
	// Hold buffers the whole line for Rewrite.
	Hold
	// Drop drops the line. Only Oversize returns it.
	Drop
	// Follow streams the line through like Pass and calls Rest with the rest of it.
	Follow
)

// An Inspector decides which lines of a Relay are forwarded, rewritten or dropped.
//
// The slices passed to its methods include the line's terminator if it has arrived. The
// methods must not modify or retain them.
type Inspector interface {
	// Inspect receives the beginning of a line as soon as its first bytes arrive, and a
	// longer beginning after each read, until it returns Pass, Follow or Hold or the line
	// is complete.
	Inspect(line []byte) Verdict

	// Rewrite returns the replacement of a complete line: any number of lines with their
	// terminators, valid until the next call. It returns false to forward the line
	// unchanged.
	Rewrite(line []byte) ([]byte, bool)

	// Oversize receives the beginning of a held line that exceeds the Relay's limit. It
	// returns Pass to stream the line through unchanged, or Drop.
	Oversize(beginning []byte) Verdict

	// Rest receives the rest of a line after Follow or Drop, in pieces. end marks the last
	// piece, which may be empty. After Follow, the Relay writes a piece when Rest has returned.
	Rest(piece []byte, end bool)

	// Pause is called before Rewrite and Oversize. If it returns a channel, the Relay
	// flushes its output and waits until the channel is closed.
	Pause(line []byte) <-chan struct{}
}

// A Relay copies lines from Src to Dst in order. After each read it inspects the new lines
// and writes its output before it reads again. A line therefore never waits for the next
// one, a stream of small lines is written in large pieces, and a slow Dst exerts
// backpressure on Src.
//
// A Relay allocates nothing for a line that passes. Its read buffer has 64 KiB and grows
// to MaxLine + 64 KiB while a longer line is held. Its output buffer is limited to 256 KiB.
type Relay struct {
	Src       io.Reader
	Dst       *Outlet
	Inspector Inspector
	MaxLine   int // limit of a held line, in bytes

	// start <= line <= searched <= end <= len(buf). After flush, line is the start of the held
	// line, or end if no line is held.
	buf      []byte
	start    int     // first byte that is neither written nor replaced
	line     int     // start of the current line
	searched int     // buf[line:searched] has no newline, and the Inspector has received it
	end      int     // end of the read bytes
	verdict  Verdict // on the current line
	out      []byte  // output that is not a part of buf
	holdsDst bool    // a passing line continues, so Dst remains acquired
	err      error   // of Dst
}

// A WriteError is an error from a Relay's Dst.
type WriteError struct{ Err error }

func (e *WriteError) Error() string { return fmt.Sprintf("write: %v", e.Err) }
func (e *WriteError) Unwrap() error { return e.Err }

// Run copies until Src ends, and returns nil. It returns an error of Dst as a
// *WriteError. It wraps an error of Src, and returns it after it has written everything
// that it has read. Run must not be called again.
func (r *Relay) Run() error {
	r.buf = make([]byte, bufferSize)
	for {
		n, err := r.Src.Read(r.buf[r.end:])
		r.end += n
		r.acquireDst()
		r.processLines()
		if err != nil && r.err == nil && (r.line < r.end || r.isFollowed()) { // an unterminated last line
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

// acquireDst acquires Dst until flush. In the middle of a passing line, the Relay still holds it.
func (r *Relay) acquireDst() {
	if !r.holdsDst {
		r.Dst.acquire()
	}
}

// processLines processes the buffered bytes line by line.
func (r *Relay) processLines() {
	for r.searched < r.end && r.err == nil {
		newline := bytes.IndexByte(r.buf[r.searched:r.end], '\n')
		if newline >= 0 {
			r.finishLine(r.searched + newline + 1)
			continue
		}
		r.inspect(r.end, false)
		r.searched = r.end
	}
}

// inspect passes the current line up to end to the Inspector. complete reports that the line
// ends there.
func (r *Relay) inspect(end int, complete bool) {
	if r.isFollowed() {
		r.Inspector.Rest(r.buf[r.searched:end], complete)
		return
	}
	text := r.buf[r.line:end]
	if r.verdict == More {
		r.verdict = r.Inspector.Inspect(text)
	}
	length := len(text)
	if complete {
		length-- // the terminator; without one, the limit was checked at the previous inspection
	}
	if r.isHeld() && length > r.MaxLine {
		r.oversize(text)
	}
	if complete && r.isFollowed() {
		r.Inspector.Rest(nil, true)
	}
}

// isHeld reports whether the current line is buffered.
func (r *Relay) isHeld() bool { return r.verdict == More || r.verdict == Hold }

// isFollowed reports whether the Inspector receives the rest of the current line.
func (r *Relay) isFollowed() bool { return r.verdict == Drop || r.verdict == Follow }

// finishLine processes the current line, which is complete and ends at end.
func (r *Relay) finishLine(end int) {
	r.inspect(end, true)
	held := r.isHeld()
	if held {
		r.pause(r.buf[r.line:end])
	}
	begin, drops := r.line, r.verdict == Drop
	r.line, r.searched, r.verdict = end, end, More
	if drops {
		r.replace(begin, nil)
	}
	if !held {
		return
	}
	if replacement, changed := r.Inspector.Rewrite(r.buf[begin:end]); changed {
		r.replace(begin, replacement)
	}
	if r.Dst.needsFlush.Load() {
		r.flush(true)
		r.acquireDst()
	}
}

// oversize asks the Inspector about a line that is too long to hold.
func (r *Relay) oversize(beginning []byte) {
	r.pause(beginning)
	r.verdict = r.Inspector.Oversize(beginning)
}

// replace writes replacement in place of the line from begin to r.line.
func (r *Relay) replace(begin int, replacement []byte) {
	r.emit(r.buf[r.start:begin])
	r.emit(replacement)
	r.start = r.line
}

// emit appends b to the output buffer, or flushes the buffer and writes b if it is too
// long.
func (r *Relay) emit(b []byte) {
	if len(r.out)+len(b) <= maxOutput {
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

// pause waits before a held line if the Inspector requests it.
func (r *Relay) pause(line []byte) {
	if wait := r.Inspector.Pause(line); wait != nil {
		r.flush(true)
		<-wait
		r.acquireDst()
	}
}

// flush writes the finished lines and the beginning of a passing line. lineEnds reports that the
// passing line, if any, is complete. Unless a passing line continues, flush releases Dst.
func (r *Relay) flush(lineEnds bool) {
	if r.verdict == Drop {
		r.emit(r.buf[r.start:r.line])
		r.start = r.end
	}
	if !r.isHeld() {
		r.line = r.end
	}
	b := r.buf[r.start:r.line]
	if len(r.out) > 0 {
		r.emit(b)
		b = r.out
	}
	r.write(b)
	r.start, r.out = r.line, r.out[:0]
	if r.holdsDst = (r.verdict == Pass || r.verdict == Follow) && !lineEnds && r.err == nil; !r.holdsDst {
		if err := r.Dst.flushAndRelease(); r.err == nil {
			r.err = err
		}
	}
}

// makeRoom moves the held part of a line to the front of the buffer. It grows the buffer for a long
// line, and shrinks it afterwards.
func (r *Relay) makeRoom() {
	held := r.buf[r.line:r.end]
	size := len(r.buf)
	switch {
	case len(held) < bufferSize/2:
		size = bufferSize
	case len(held) > size-bufferSize/2:
		// Few large steps keep the garbage small compared with the final buffer.
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
	r.searched -= r.line
	r.start, r.line, r.end = 0, 0, len(held)
}
