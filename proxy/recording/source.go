package recording

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"strconv"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// maxAhead limits the bytes that Recognize inspects.
const maxAhead = 1 << 20

// ErrForeign is the error for a text that is not a recording.
var ErrForeign = errors.New("not a recording: it has no message of the protocol in it")

// Recognize reads the beginning of r, only as far as necessary. isDirected reports whether the lines
// have directions, as in a trace; otherwise they are the messages of an agent alone. text is the whole
// text of r. The error is [ErrForeign] if the beginning contains no message and is not blank.
//
// The first object decides whether the lines have directions. The rest of a truncated line may
// precede it.
func Recognize(r io.Reader) (text io.Reader, isDirected bool, err error) {
	in := bufio.NewReaderSize(r, maxAhead)
	isDecided, isBlank := false, true
	for offset := 0; ; {
		line, lineErr := peekLine(in, offset) // lineErr is nil for a whole line
		if lineErr != nil && lineErr != io.EOF && lineErr != bufio.ErrBufferFull {
			return nil, false, lineErr
		}
		isDirectedLine := false
		if !isDecided {
			isDirectedLine, isDecided = beginsDirected(line)
		}
		// A line that is too long to be inspected is a message if it begins like one.
		tooLong := lineErr == bufio.ErrBufferFull && len(line) > 0 && !jsonrpc.IsStray(line)
		if isDirectedLine || tooLong || Parse(line, "") != nil {
			return in, isDirectedLine, nil
		}
		isBlank = isBlank && len(bytes.TrimSpace(line)) == 0
		switch {
		case lineErr == nil:
			offset += len(line) + 1
		case isBlank:
			return in, false, nil
		default:
			return nil, false, ErrForeign
		}
	}
}

// peekLine returns the line at an offset in the buffer of in. If the line is incomplete, it returns an
// error too.
func peekLine(in *bufio.Reader, offset int) (line []byte, err error) {
	for {
		ahead, _ := in.Peek(in.Buffered())
		line, _, isComplete := bytes.Cut(ahead[offset:], []byte("\n"))
		if isComplete {
			return line, nil
		}
		if err != nil {
			return line, err
		}
		_, err = in.Peek(in.Buffered() + 1)
	}
}

// beginsDirected reports whether a line, which may be truncated, has a direction. isObject reports
// whether the line is a whole object.
func beginsDirected(line []byte) (isDirected, isObject bool) {
	var c rawjson.Cursor
	c.Reset(line)
	if c.Kind() != '{' {
		return false, false
	}
	members := c.Members(nil)
	has := func(name string) bool { return members.String(name) != "" }
	_, err := strconv.ParseFloat(string(members.Get("ts")), 64)
	return err == nil && has("type") && has("from") && has("to") || has("dir"), c.Err() == nil
}

// AgentLines returns the lines that the agent sent in a recording with directions, and the first
// initialize request of the client with the response that the client received.
func AgentLines(in io.Reader) io.Reader {
	next, _ := iter.Pull2(Messages(in, ""))
	return &agentLines{next: next}
}

type agentLines struct {
	next          func() (Message, error, bool)
	rest          []byte // the unread part of a line
	hasInitialize bool   // the initialize request has been read
}

// Read implements [io.Reader].
func (l *agentLines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		m, err, ok := l.next()
		switch isInitialize := m.CalledMethod() == "initialize"; {
		case err != nil:
			return 0, err
		case !ok:
			return 0, io.EOF
		case isInitialize && m.Type == trace.Request && m.From == trace.Client && !l.hasInitialize:
			l.hasInitialize = true
		case isInitialize && m.To == trace.Client, !isInitialize && m.From == trace.Agent:
		default:
			continue
		}
		l.rest = append(m.Append(l.rest), '\n')
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}
