package trace

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"sync"

	"acp-plan-proxy/transport/rawjson"
)

// maxLine limits the lines that are read as events, and thereby the memory for reading any file. It has
// room for a message of the default --max-message and the members around it.
const maxLine = 64<<20 + 1<<20

// An Event is a line of a trace. Members that events of its type do not have are zero. ID, Params and
// Payload are raw JSON.
type Event struct {
	Line     int    // the number of the line in the file, from 1
	Type     string // "" if the line is not an event, such as the last line after a proxy was killed
	Seconds  float64
	Began    string // of the first event: when the trace began
	Redacted bool   // of the first event: the trace is redacted
	Protocol string // "acp" or "mcp"
	From     Component
	To       Component
	Of       int // the number of the event that this one belongs to, or 0
	ID       []byte
	Method   string
	Session  string
	Params   []byte
	IsError  bool
	Payload  []byte
	Lost     []Loss // the losses that can be read
}

// ReadLine reads a line of a trace, which has the given number. The raw members of the event share the
// memory of the line.
func ReadLine(line []byte, number int) Event {
	e := Event{Line: number}
	var c rawjson.Cursor
	c.Reset(line)
	for more := c.Object(); more; more = c.NextMember() {
		name := string(c.Name())
		e.set(name, c.Value())
	}
	if isEvent := e.Type == Request || e.Type == Response || e.Type == Notification; !isEvent || !c.End() {
		return Event{Line: number}
	}
	return e
}

// set sets a member. It ignores a value of the wrong JSON type.
func (e *Event) set(name string, value []byte) {
	raw, _ := rawjson.TextOf(value)
	text, flag := string(raw), string(value) == "true"
	switch name {
	case "type":
		e.Type = text
	case "ts":
		if seconds, err := strconv.ParseFloat(string(value), 64); err == nil {
			e.Seconds = seconds
		}
	case "began":
		e.Began = text
	case "redacted":
		e.Redacted = flag
	case "protocol":
		e.Protocol = text
	case "from":
		e.From = Component(text)
	case "to":
		e.To = Component(text)
	case "of":
		e.Of, _ = strconv.Atoi(string(value))
	case "id":
		e.ID = value
	case "method":
		e.Method = text
	case "session":
		e.Session = text
	case "params":
		e.Params = value
	case "is_error":
		e.IsError = flag
	case "payload":
		e.Payload = value
	case "lost":
		e.Lost = readLosses(value)
	}
}

// AppendMessage appends the JSON-RPC message of the event, or the line that is not a message.
// Values are as recorded; members unknown to JSON-RPC are missing, and the order and spacing
// of the outermost members may differ.
func (e *Event) AppendMessage(dst []byte) []byte {
	if e.Method == NotAMessage {
		if len(e.Params) > 0 && e.Params[0] == '"' {
			return append(dst, rawjson.Unquote(e.Params)...)
		}
		return append(dst, e.Params...)
	}
	b := rawjson.Builder{Out: append(dst, `{"jsonrpc":"2.0"`...)}
	b.Member("id", e.ID)
	switch {
	case e.Type != Response:
		b.StringMember("method", []byte(e.Method))
		if !rawjson.IsNull(e.Params) {
			b.Member("params", e.Params)
		}
	case e.IsError:
		b.Member("error", orNull(e.Payload))
	default:
		b.Member("result", orNull(e.Payload))
	}
	b.EndObject()
	return b.Out
}

// Events reads the events of a trace, as [Lines] reads its lines. The raw members
// of an event are valid until the next one is read. After an error nothing follows.
func Events(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lines := NewLines(r)
		for number := 1; ; number++ {
			line, err := lines.Next()
			if !IsBlank(line) && !yield(ReadLine(line, number), nil) {
				return
			}
			if err != nil {
				if err != io.EOF {
					yield(Event{}, err)
				}
				return
			}
		}
	}
}

// IsBlank reports whether a line has only white space. Readers skip it.
func IsBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// unreadableLine replaces a line that is too long. It is not JSON, so that every reader counts it
// as a line that could not be read.
const unreadableLine = "?\n"

// Lines reads the lines of a recording one at a time.
type Lines struct {
	in     *bufio.Reader
	line   []byte
	offset int64
}

// NewLines returns the lines of r.
func NewLines(r io.Reader) *Lines { return &Lines{in: bufio.NewReaderSize(r, 1<<16)} }

// Offset returns the offset of the next line.
func (l *Lines) Offset() int64 { return l.offset }

// Next returns the next line with its newline. The line is valid until the next call. A line
// that is too long is returned as [unreadable]. With an error, such as io.EOF at the end, Next
// returns the rest of the last line.
func (l *Lines) Next() ([]byte, error) {
	l.line = rawjson.Reuse(l.line)
	for isLong := false; ; {
		part, err := l.in.ReadSlice('\n')
		l.offset += int64(len(part))
		if err == nil && len(l.line) == 0 && !isLong {
			return part, nil
		}
		if isLong = isLong || len(l.line)+len(part) > maxLine; isLong {
			l.line = append(l.line[:0], unreadableLine...)
		} else {
			if len(l.line)+len(part) > rawjson.MaxScratch && cap(l.line) < maxLine {
				// One allocation for the longest line costs less than growing to it.
				l.line = append(make([]byte, 0, maxLine), l.line...)
			}
			l.line = append(l.line, part...)
		}
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			err = fmt.Errorf("read trace: %w", err)
		}
		if err != bufio.ErrBufferFull {
			return l.line, err
		}
	}
}

// A Tail reads a trace that may still grow, for several readers; each supplies its own offset.
// It is safe for concurrent use.
type Tail struct {
	Path string // of the file

	mu        sync.Mutex
	recording int // the number of recordings that the file has had
	stat      os.FileInfo
	head      []byte // the first bytes of the recording
}

// headLength is the number of bytes that identify a recording. They contain the time of the first event,
// in which two recordings differ.
const headLength = 256

// A Part is a sequence of whole lines of a trace.
type Part struct {
	Recording int // the number of the recording in the file
	Lines     []byte
	End       int64 // the offset of the next part; -1 if there will be none
}

// Read returns whole lines of a recording from offset on: at most limit bytes, unless the first
// line is longer. The part is empty if the file has no whole line there. If the file no longer has
// that recording, because it has been truncated or replaced, Read returns the beginning of its
// present one. "?" replaces a line that is too long to be an event, and is the last line.
func (t *Tail) Read(recording int, offset int64, limit int) (Part, error) {
	file, err := os.Open(t.Path)
	if err != nil {
		return Part{}, fmt.Errorf("read trace: %w", err)
	}
	defer file.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.identify(file); err != nil {
		return Part{}, fmt.Errorf("read trace: %w", err)
	}
	if t.recording != recording {
		offset = 0
	}
	part := Part{Recording: t.recording, End: offset}
	if err := t.readLines(file, &part, limit); err != nil {
		return Part{}, fmt.Errorf("read trace: %w", err)
	}
	return part, nil
}

// identify counts a new recording if file is another file than before, has become shorter, or begins
// differently.
func (t *Tail) identify(file *os.File) error {
	stat, err := file.Stat()
	if err != nil {
		return err
	}
	head := make([]byte, headLength)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	head = head[:n]
	if t.stat == nil || !os.SameFile(t.stat, stat) || stat.Size() < t.stat.Size() || !bytes.HasPrefix(head, t.head) {
		t.recording++
	}
	t.stat, t.head = stat, head
	return nil
}

// readLines reads the lines of a part. On entry, part.End is the offset at which the part begins.
func (t *Tail) readLines(file *os.File, part *Part, limit int) error {
	for size := limit; part.End >= 0; size = min(4*size, maxLine) {
		buf := make([]byte, min(int64(size), max(0, t.stat.Size()-part.End)))
		n, err := file.ReadAt(buf, part.End)
		if err != nil && err != io.EOF {
			return err
		}
		end := bytes.LastIndexByte(buf[:n], '\n') + 1
		switch {
		case end > 0:
			part.Lines, part.End = buf[:end], part.End+int64(end)
			return nil
		case n < size:
			return nil
		case size >= maxLine:
			part.Lines, part.End = []byte(unreadableLine), -1
		}
	}
	return nil
}
