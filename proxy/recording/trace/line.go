package trace

import (
	"bytes"

	"acp-plan-proxy/transport/rawjson"
)

// A LineReader reads lines of a trace, which [Lines] or a [Tail] has read, as events. Its
// zero value is ready.
type LineReader struct{ cursor rawjson.Cursor }

// Read reads a line, which has the given number. The raw members of the event are parts
// of the line. The error is a [LineError].
func (r *LineReader) Read(line []byte, number int) (Event, error) {
	e := Event{Line: number}
	if err := e.read(&r.cursor, line); err != nil {
		return Event{}, &LineError{number, err}
	}
	return e, nil
}

// Blank reports whether a line says nothing. Such a line is neither an event nor an error.
func Blank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }
