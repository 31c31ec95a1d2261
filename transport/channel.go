// Package transport moves lines and runs the agent's process.
//
// It does not interpret the lines. A [Relay] copies lines at the speed of a pipe
// and lets an [Inspector] buffer, rewrite or drop individual ones. A [Channel]
// provides the same framing to a JSON-RPC client or server in this process.
// [Start] runs the agent as a child process and terminates its process group.
//
// Package transport is independent of the other packages of this module.
package transport

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
)

// ErrRecordTooLong is the error of [Channel.Recv] for a record that is longer than the limit.
var ErrRecordTooLong = errors.New("line too long")

// A Channel sends and receives records as lines: each record is followed by a
// newline, which is not part of it, and must not contain one. It implements
// the channel.Channel interface of the jrpc2 module, so that jrpc2 clients and
// servers can talk over the standard streams.
//
// An unterminated last line is a record like any other.
type Channel struct {
	r     *bufio.Reader
	limit int

	mu  sync.Mutex
	w   io.WriteCloser
	out []byte
}

// NewChannel returns a Channel that receives records of at most limit bytes from r and
// sends to w.
func NewChannel(r io.Reader, w io.WriteCloser, limit int) *Channel {
	return &Channel{r: bufio.NewReaderSize(r, bufferSize), w: w, limit: limit}
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

// Recv returns the next record. The error is io.EOF after the last record, and
// [ErrRecordTooLong] as soon as a record exceeds the limit, whose rest remains unread. Recv
// must not be called by two goroutines at once.
func (c *Channel) Recv() ([]byte, error) {
	var record []byte
	for {
		part, err := c.r.ReadSlice('\n')
		record = append(record, part...)
		text, terminated := bytes.CutSuffix(record, []byte{'\n'})
		switch {
		case len(text) > c.limit:
			return nil, ErrRecordTooLong
		case terminated, len(text) > 0 && err != bufio.ErrBufferFull:
			return text, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

// Close closes the sending side. Records may still be received.
func (c *Channel) Close() error { return c.w.Close() }
