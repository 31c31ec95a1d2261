package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
)

// maxLine bounds the memory that reading takes. The longest message that the
// proxy looks into is far shorter.
const maxLine = 1 << 30

// An Event is one line of a trace. Members that its type does not have are
// zero.
type Event struct {
	Line     int             `json:"-"` // its number in the file, from 1
	Type     string          `json:"type"`
	Seconds  float64         `json:"ts"`
	Protocol string          `json:"protocol"`
	From     Component       `json:"from"`
	To       Component       `json:"to"`
	ID       json.RawMessage `json:"id"`
	Method   string          `json:"method"`
	Session  string          `json:"session"`
	Params   json.RawMessage `json:"params"`
	IsError  bool            `json:"is_error"`
	Payload  json.RawMessage `json:"payload"`
}

// A LineError tells of a line that is no event. The last line of a recording
// whose proxy was killed can be one.
type LineError struct {
	Line int
	Err  error
}

// Error implements error.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// Events reads the events of a trace. An error that is a [LineError] concerns
// one line only; after any other error nothing follows.
func Events(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		in := bufio.NewReaderSize(r, 1<<16)
		for number := 1; ; number++ {
			line, err := in.ReadBytes('\n')
			if text := bytes.TrimSpace(line); len(text) > 0 {
				e := Event{Line: number}
				invalid := json.Unmarshal(text, &e)
				if invalid == nil && e.Type == "" {
					invalid = errors.New("it has no type")
				}
				if invalid != nil {
					if !yield(Event{}, &LineError{number, invalid}) {
						return
					}
				} else if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				if err != io.EOF {
					yield(Event{}, fmt.Errorf("read trace: %w", err))
				}
				return
			}
		}
	}
}

// A Tail reads a trace that may still grow, on behalf of several readers, each
// of which remembers how far it has come. It may be used by several goroutines
// at once.
type Tail struct {
	path string

	mu        sync.Mutex
	recording int // counts how often another recording began in the file
	stat      os.FileInfo
	head      []byte // how the recording begins
}

// headLength is how much of the beginning of a recording is compared, to tell
// it from the one before. Two differ in the time of their first event at the
// latest.
const headLength = 256

// NewTail returns a Tail of the named file.
func NewTail(path string) *Tail { return &Tail{path: path} }

// A Part is some lines of a trace.
type Part struct {
	Recording int    // which recording it belongs to
	Start     int64  // where it begins
	Lines     []byte // whole lines
	End       int64  // where what follows will begin
}

// Read returns the whole lines that begin at offset in a recording, of about
// limit bytes at most, but a line longer than that in full. If the file has
// been truncated or replaced since, Read begins anew with the recording that
// is in it now. No lines mean that none are there yet.
func (t *Tail) Read(recording int, offset int64, limit int) (Part, error) {
	file, err := os.Open(t.path)
	if err != nil {
		return Part{}, fmt.Errorf("read trace: %w", err)
	}
	defer file.Close()
	now, err := t.identify(file)
	if err != nil {
		return Part{}, fmt.Errorf("read trace: %w", err)
	}
	if now != recording || offset < 0 {
		offset = 0
	}
	lines, err := readLines(file, offset, limit)
	if err != nil {
		return Part{}, fmt.Errorf("read trace: %w", err)
	}
	return Part{Recording: now, Start: offset, Lines: lines, End: offset + int64(len(lines))}, nil
}

// identify returns which recording is in the file. An open file is another
// recording than before if it is another file, is shorter than it was, or
// begins otherwise.
func (t *Tail) identify(file *os.File) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	stat, err := file.Stat()
	if err != nil {
		return 0, err
	}
	head := make([]byte, headLength)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return 0, err
	}
	head = head[:n]
	if t.stat == nil || !os.SameFile(t.stat, stat) || stat.Size() < t.stat.Size() || !bytes.HasPrefix(head, t.head) {
		t.recording++
	}
	t.stat, t.head = stat, head
	return t.recording, nil
}

// readLines reads whole lines from offset on.
func readLines(r io.ReaderAt, offset int64, limit int) ([]byte, error) {
	for size := limit; ; size *= 4 {
		buf := make([]byte, size)
		n, err := r.ReadAt(buf, offset)
		if err != nil && err != io.EOF {
			return nil, err
		}
		end := bytes.LastIndexByte(buf[:n], '\n') + 1
		if end > 0 || n < size {
			return buf[:end], nil
		}
		if size > maxLine {
			return nil, errors.New("a line is too long to be an event")
		}
	}
}
