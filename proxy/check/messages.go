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

// Limits for the stdout of an agent.
const (
	maxOutput = 16 << 20 // bytes
	maxStray  = 10       // reported lines that are not messages
)

// messages is the channel of a jrpc2 client. It accepts the responses that the proxy accepts
// and turns them into strict JSON-RPC. It drops requests and notifications of the agent.
type messages struct {
	*transport.Channel
	stdout io.LimitedReader
	over   chan struct{} // closed at the end of the output

	mu    sync.Mutex
	stray []string // lines that are not messages, printable
	more  int      // further ones
}

func newMessages(p *transport.Process) *messages {
	m := &messages{stdout: io.LimitedReader{R: p.Stdout(), N: maxOutput}, over: make(chan struct{})}
	m.Channel = transport.NewChannel(&m.stdout, p.Stdin(), maxOutput)
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
		m.addStray(text)
		if response := m.response(rest); response != nil {
			return response, nil
		}
	}
}

// response returns the response in a line, or nil.
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
		m.addStray(line)
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
	failure, _ := json.Marshal(&strict) // decoded from JSON
	return translate.Answer(read.ID, "error", failure)
}

func (m *messages) addStray(line []byte) {
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
