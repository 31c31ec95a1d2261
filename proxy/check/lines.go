package check

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"github.com/creachadair/jrpc2"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Limits for the stdout of an agent.
const (
	maxOutput = 16 << 20 // bytes that are read
	maxStray  = 10       // reported lines that are not messages
)

// lines is the channel of a jrpc2 client to an agent. The client receives all responses that
// the proxy accepts, rewritten to those that jrpc2 accepts, and no other messages.
type lines struct {
	io.WriteCloser // the agent's stdin

	stdout  io.LimitedReader
	scanner *bufio.Scanner
	over    chan struct{} // closed at the end of the output
	stray   []string      // lines that are not messages, printable; complete when over
}

func newLines(p *transport.Process) *lines {
	l := &lines{WriteCloser: p.Stdin(), stdout: io.LimitedReader{R: p.Stdout(), N: maxOutput}, over: make(chan struct{})}
	l.scanner = bufio.NewScanner(&l.stdout)
	l.scanner.Buffer(nil, maxOutput+1)
	return l
}

// Send implements channel.Sender of jrpc2.
func (l *lines) Send(request []byte) error {
	_, err := l.Write(append(request, '\n'))
	return err
}

// Recv implements channel.Receiver of jrpc2. It returns the next response.
func (l *lines) Recv() ([]byte, error) {
	for l.scanner.Scan() {
		text, line := jsonrpc.CutStray(l.scanner.Bytes())
		l.addStray(text)
		var c rawjson.Cursor
		var m jsonrpc.Message
		c.Reset(line)
		m.Read(&c, line, nil)
		switch {
		case !c.End() || m.Method == nil && !m.IsResponse():
			l.addStray(line)
		case m.IsResponse() && m.Failed():
			raw := m.Error.Of(line)
			var strict jrpc2.Error
			if json.Unmarshal(raw, &strict) != nil || strict.Code == 0 {
				strict = jrpc2.Error{Message: string(raw)}
			}
			failure, err := json.Marshal(strict)
			return translate.Answer(m.ID, "error", failure), err
		case m.IsResponse():
			return translate.Answer(m.ID, "result", m.Result.Of(line)), nil
		}
	}
	close(l.over)
	return nil, io.EOF
}

func (l *lines) addStray(line []byte) {
	if line = bytes.TrimSpace(line); len(line) > 0 && len(l.stray) < maxStray {
		l.stray = append(l.stray, logging.Clean(string(line)))
	}
}
