package redact

import (
	"io"

	"acp-plan-proxy/proxy/recording/trace"
)

// Reader returns the lines that are read from source, redacted one by one: those of a
// trace by [Redactor.Event], others by [Redactor.Message]. Of a line that is too long to
// be kept, "?" is left.
func (r *Redactor) Reader(source io.Reader, isTrace bool) io.Reader {
	redact := r.Message
	if isTrace {
		redact = r.Event
	}
	return &reader{redact: redact, lines: trace.NewLines(source)}
}

type reader struct {
	redact func(dst, line []byte) []byte
	lines  *trace.Lines
	buf    []byte
	rest   []byte // of buf
	err    error
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		var line []byte
		line, r.err = r.lines.Next()
		r.buf = r.redact(r.buf[:0], line)
		r.rest = r.buf
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
