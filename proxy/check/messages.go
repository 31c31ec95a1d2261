package check

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Limits of what an agent may write to stdout.
const (
	maxOutput = 16 << 20 // bytes in all
	maxStray  = 10       // lines that are kept
)

var errTooMuch = errors.New("too much output")

// messages is the channel of a jrpc2 client. Each response of the agent becomes the
// result of its request as a whole: so an answer counts even if it is not strict JSON-RPC, as
// it does in the proxy. What the agent asks or tells by itself is dropped.
type messages struct {
	*transport.Channel
	over chan struct{} // closed when nothing more is read
	err  error         // why, set then

	mu    sync.Mutex
	stray []string // lines that are not messages, cleaned
	more  int      // lines of that kind that are not kept
}

func newMessages(p *transport.Process) *messages {
	return &messages{
		Channel: transport.NewChannel(&bounded{p.Stdout(), maxOutput}, p.Stdin()),
		over:    make(chan struct{}),
	}
}

// Recv returns the next response.
func (m *messages) Recv() ([]byte, error) {
	for {
		line, err := m.Channel.Recv()
		if err != nil {
			m.err = err
			close(m.over)
			return nil, err
		}
		text, rest := jsonrpc.CutStray(line)
		m.noteStray(text)
		if response := m.read(rest); response != nil {
			return response, nil
		}
	}
}

// read returns the response in a line, as the result of its request.
func (m *messages) read(line []byte) []byte {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	var c rawjson.Cursor
	var read jsonrpc.Message
	c.Reset(line)
	read.Read(&c, line, nil)
	switch {
	case !c.End(), read.Method == nil && !read.IsResponse():
		m.noteStray(line)
	case read.IsResponse():
		switch id := jsonrpc.IDOf(read.ID); id {
		case "1", "2": // jrpc2 counts so
			return link.Result([]byte(id), read.Span.Of(line))
		}
	}
	return nil
}

func (m *messages) noteStray(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.stray) < maxStray {
		m.stray = append(m.stray, logging.Clean(string(bytes.TrimSpace(line))))
	} else {
		m.more++
	}
}

// A bounded reader fails when it has read too much.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errTooMuch
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
