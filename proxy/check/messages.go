package check

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/creachadair/jrpc2"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Limits of what an agent may write to stdout.
const (
	maxOutput = 16 << 20 // bytes in all
	maxStray  = 10       // lines that are kept
)

// messages is the channel of a jrpc2 client. It makes strict JSON-RPC of the agent's
// responses: they count even if they are not, as they do in the proxy. What the agent asks
// or tells by itself is dropped.
type messages struct {
	*transport.Channel
	stdout io.LimitedReader
	over   chan struct{} // closed when nothing more is read

	mu    sync.Mutex
	stray []string // lines that are not messages, cleaned
	more  int      // lines of that kind that are not kept
}

func newMessages(p *transport.Process) *messages {
	m := &messages{stdout: io.LimitedReader{R: p.Stdout(), N: maxOutput}, over: make(chan struct{})}
	m.Channel = transport.NewChannel(&m.stdout, p.Stdin())
	return m
}

// Recv returns the next response.
func (m *messages) Recv() ([]byte, error) {
	for {
		line, err := m.Channel.Recv()
		if err != nil {
			close(m.over)
			return nil, io.EOF
		}
		text, rest := jsonrpc.CutStray(line)
		m.noteStray(text)
		if response := m.response(rest); response != nil {
			return response, nil
		}
	}
}

// response returns the response in a line, nil if it has none.
func (m *messages) response(line []byte) []byte {
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
		return nil
	case !read.IsResponse():
		return nil
	case !read.Failed():
		return translate.Answer(read.ID, "result", read.Result.Of(line))
	}
	raw := read.Error.Of(line)
	var strict jrpc2.Error
	if json.Unmarshal(raw, &strict) != nil || strict.Message == "" && strict.Code == 0 {
		strict = jrpc2.Error{Message: string(raw)}
	}
	failure, _ := json.Marshal(&strict) // it was read from JSON
	return translate.Answer(read.ID, "error", failure)
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
