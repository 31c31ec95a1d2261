// Package transport moves lines and runs the agent's process.
//
// It knows nothing of what the lines say. A [Relay] copies lines from one end
// to another at the speed of a pipe, and lets an [Inspector] hold back, replace
// or drop the few that matter. A [Channel] is the same framing for a program
// that speaks the protocol itself. [Start] runs the agent as a child process
// and sees to its end.
//
// Package transport is independent of the other packages of this module.
package transport

import (
	"bufio"
	"bytes"
	"io"
	"sync"
)

// A Channel sends and receives records as lines: each record is followed by a
// newline, which is not part of it, and must not contain one. It implements
// the channel.Channel interface of the jrpc2 module, so that jrpc2 clients and
// servers can talk over the standard streams.
//
// An unterminated last line is a record like any other.
type Channel struct {
	r *bufio.Reader

	mu  sync.Mutex
	w   io.WriteCloser
	out []byte
}

// NewChannel returns a Channel that receives from r and sends to w.
func NewChannel(r io.Reader, w io.WriteCloser) *Channel {
	return &Channel{r: bufio.NewReaderSize(r, bufferSize), w: w}
}

// Send writes a record and its newline in one call to Write. It may be called
// from several goroutines at once.
func (c *Channel) Send(record []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = append(append(c.out[:0], record...), '\n')
	_, err := c.w.Write(c.out)
	return err
}

// Recv returns the next record, or nil and io.EOF when there are no more. Recv must
// not be called by two goroutines at once.
func (c *Channel) Recv() ([]byte, error) {
	line, err := c.r.ReadBytes('\n')
	if len(line) > 0 {
		return bytes.TrimSuffix(line, []byte{'\n'}), nil
	}
	return nil, err
}

// Close closes the sending side. Records may still be received.
func (c *Channel) Close() error { return c.w.Close() }
