// Package transcript looks at the lines that translate is given: whether they are
// what an agent wrote or a trace, or neither.
package transcript

import (
	"bytes"
	"encoding/json"
	"io"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// maxLine is how much of a line is kept while no message has been seen. A line
// that is longer counts as a message.
const maxLine = 1 << 20

// A Reader passes on what it reads as it is, and looks at its lines until one is
// a message of the protocol.
type Reader struct {
	r       io.Reader
	ahead   []byte // read by IsTrace, and not passed on yet
	line    []byte // begins with the current line
	message bool   // one has been seen
	text    bool   // so has a line that is not blank
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// IsTrace reports whether this is a recording of package trace, or returns the error
// of reading it. The first line that is an object or an array decides: in front of it
// may be the rest of a line of a recording that was cut. IsTrace reads no further than
// it has to, and is called before Read.
func (t *Reader) IsTrace() (bool, error) {
	buf := make([]byte, 4<<10)
	seen := 0 // the length of the lines that decide nothing
	for ended := false; ; {
		for {
			line, _, whole := bytes.Cut(t.ahead[seen:], []byte("\n"))
			// The rest of a line that is nothing but a message need not be awaited.
			long := len(t.ahead) >= maxLine || len(line) >= len(buf) && !bytes.Contains(line, []byte(`"from"`))
			if !whole && !ended && !long {
				break
			}
			if event, decided := readEvent(line); decided || !whole {
				return event, nil
			}
			seen += len(line) + 1
		}
		n, err := t.r.Read(buf)
		t.ahead = append(t.ahead, buf[:n]...)
		if ended = err == io.EOF; err != nil && !ended {
			return false, err
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
func (t *Reader) Read(p []byte) (n int, err error) {
	if len(t.ahead) > 0 {
		n = copy(p, t.ahead)
		t.ahead = t.ahead[n:]
	} else {
		n, err = t.r.Read(p)
	}
	if !t.message {
		t.look(p[:n], err != nil)
	}
	return n, err
}

// look looks at more of the text, and at the unfinished line if that is the end.
func (t *Reader) look(more []byte, end bool) {
	t.line = append(t.line, more...)
	for !t.message {
		line, rest, complete := bytes.Cut(t.line, []byte("\n"))
		if !complete && !end && len(line) < maxLine {
			return
		}
		line = bytes.TrimSpace(line)
		t.text = t.text || len(line) > 0
		_, message := jsonrpc.CutStray(line)
		t.message = len(line) >= maxLine || isMessage(message)
		if t.line = rest; !complete {
			break
		}
	}
	if t.message {
		t.line = nil
	}
}

// Foreign reports whether there was text and no line of it was a message. It is
// called when Read has reached the end.
func (t *Reader) Foreign() bool { return t.text && !t.message }

// isMessage reports whether a line is a JSON-RPC message or a batch.
func isMessage(line []byte) bool {
	if len(line) > 0 && line[0] == '[' {
		var batch []json.RawMessage
		if json.Unmarshal(line, &batch) != nil {
			return false
		}
		for _, m := range batch {
			if isMessage(m) {
				return true
			}
		}
		return false
	}
	var m struct{ Method, ID, Result, Error json.RawMessage }
	if json.Unmarshal(line, &m) != nil {
		return false
	}
	return m.Method != nil || m.ID != nil && (m.Result != nil || m.Error != nil)
}
