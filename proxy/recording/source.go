package recording

import (
	"bufio"
	"bytes"
	"io"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// maxAhead is how much of a text is looked at before it is passed on. A line that is longer
// counts as a message.
const maxAhead = 1 << 20

// A Source passes on a text as it is. It tells a trace from the lines of an agent, and both
// from a text that is neither.
type Source struct {
	in     *bufio.Reader
	line   []byte // begins with the current line
	parser Parser
	found  bool // a message has been seen
	text   bool // so has a line that is not blank
}

// NewSource returns a Source of r.
func NewSource(r io.Reader) *Source { return &Source{in: bufio.NewReaderSize(r, maxAhead)} }

// IsTrace reports whether the text is a recording of package trace, or returns the error of
// reading it. The first line that is an object or an array decides: in front of it may be
// the rest of a line of a recording that was cut. IsTrace reads no further than it has to,
// and is called before Read.
func (s *Source) IsTrace() (bool, error) {
	const enough = 4 << 10
	seen := 0 // the length of the lines that decide nothing
	for {
		_, err := s.in.Peek(s.in.Buffered() + 1)
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return false, err
		}
		ahead, _ := s.in.Peek(s.in.Buffered())
		for {
			line, _, whole := bytes.Cut(ahead[seen:], []byte("\n"))
			// Without "from", so much of a line is no event: its rest need not be awaited.
			long := len(line) >= enough && !bytes.Contains(line, []byte(`"from"`))
			if !whole && err == nil && !long {
				break
			}
			if event, decided := readEvent(line); decided || !whole {
				return event, nil
			}
			seen += len(line) + 1
		}
	}
}

// readEvent reports whether a line, which may be cut, is an event of a trace, and
// whether that can be said: a line of text says nothing.
func readEvent(line []byte) (event, decided bool) {
	var c rawjson.Cursor
	c.Reset(line)
	switch c.Kind() {
	case '[':
		c.Skip()
		return false, c.End()
	case '{':
	default:
		return false, false
	}
	found := make(map[string]bool)
	for more := c.Object(); more; more = c.NextMember() {
		name, kind := string(c.Name()), c.Kind()
		value := c.Value()
		switch name {
		case "type", "from", "to":
			found[name] = kind == '"' && len(value) > len(`""`)
		case "ts":
			found[name] = kind == '0' && value != nil
		}
	}
	return found["type"] && found["ts"] && found["from"] && found["to"], c.Err() == nil
}

// Read implements io.Reader.
func (s *Source) Read(p []byte) (n int, err error) {
	n, err = s.in.Read(p)
	if !s.found {
		s.look(p[:n], err != nil)
	}
	return n, err
}

// look looks at more of the text, and at the unfinished line if that is the end.
func (s *Source) look(more []byte, end bool) {
	s.line = append(s.line, more...)
	for !s.found {
		line, rest, whole := bytes.Cut(s.line, []byte("\n"))
		if !whole && !end && len(line) < maxAhead {
			return
		}
		s.text = s.text || len(bytes.TrimSpace(line)) > 0
		if s.found = len(line) >= maxAhead || s.parser.hasMessage(line); !whole {
			break
		}
		s.line = rest
	}
	s.line = nil
}

// hasMessage reports whether there is a JSON-RPC message in a line.
func (p *Parser) hasMessage(line []byte) bool {
	_, rest := jsonrpc.CutStray(bytes.TrimSpace(line))
	p.found = p.found[:0]
	p.messages(rest)
	return len(p.found) > 0
}

// Foreign reports whether there was text and no line of it was a message. It is called when
// Read has reached the end.
func (s *Source) Foreign() bool { return s.text && !s.found }
