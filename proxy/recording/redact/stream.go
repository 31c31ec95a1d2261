package redact

import (
	"bytes"
	"io"

	"acp-plan-proxy/proxy/recording/trace"
)

// Reader returns the lines that are read from source, redacted one by one: those of a
// trace by [Redactor.Event], others by [Redactor.Message]. The first event says that it is
// redacted. Of a line that is too long to
// be kept, "?" is left.
func (r *Redactor) Reader(source io.Reader, isTrace bool) io.Reader {
	redact := r.Message
	if isTrace {
		redact = r.Event
	}
	return &reader{redact: redact, lines: trace.NewLines(source), unsaid: isTrace}
}

// said is how the first event begins.
const said = `{"redacted":true,`

type reader struct {
	redact func(dst, line []byte) []byte
	lines  *trace.Lines
	unsaid bool // no event has said yet that it is redacted
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
		if members, ok := bytes.CutPrefix(r.buf, []byte(`{"`)); ok && r.unsaid {
			r.unsaid = false
			r.buf = append([]byte(said+`"`), bytes.TrimPrefix(members, []byte(said[2:]+`"`))...)
		}
		r.rest = r.buf
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
