package redact

import (
	"bytes"
	"io"

	"acp-plan-proxy/proxy/recording/trace"
)

// maxLine is the longest line that is redacted. A longer one becomes "?".
const maxLine = 65 << 20

// A Writer redacts lines on their way to another writer. Only whole lines leave, and
// the last one with Close.
type Writer struct {
	r     *Redactor
	w     io.Writer
	line  []byte // what has come of the line
	long  bool   // the rest of the line is left out
	ready []byte
}

// Writer returns a Writer of messages, see [Redactor.Message].
func (r *Redactor) Writer(w io.Writer) *Writer { return &Writer{r: r, w: w} }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.ready = w.ready[:0]
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		part := rest[:end]
		if end == 0 {
			part = rest
		}
		rest = rest[len(part):]
		if w.long = w.long || len(w.line)+len(part) > maxLine; w.long {
			w.line = append(w.line[:0], '?')
			if end > 0 {
				w.line = append(w.line, '\n')
			}
		} else {
			w.line = append(w.line, part...)
		}
		if end > 0 {
			w.take()
		}
	}
	if len(w.ready) > 0 {
		if _, err := w.w.Write(w.ready); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// take redacts the line.
func (w *Writer) take() {
	if w.long {
		w.ready = append(w.ready, w.line...)
	} else {
		w.ready = w.r.Message(w.ready, w.line)
	}
	w.line, w.long = w.line[:0], false
}

// Close writes the line that has no end. It does not close the other writer.
func (w *Writer) Close() error {
	w.ready = w.ready[:0]
	w.take()
	if len(w.ready) == 0 {
		return nil
	}
	_, err := w.w.Write(w.ready)
	return err
}

// Reader returns the trace that is read from source, redacted line by line, see
// [Redactor.Event].
func (r *Redactor) Reader(source io.Reader) io.Reader {
	return &reader{r: r, lines: trace.NewLines(source)}
}

type reader struct {
	r     *Redactor
	lines *trace.Lines
	buf   []byte
	rest  []byte // of buf
	err   error
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		var line []byte
		line, r.err = r.lines.Next()
		r.buf = r.r.Event(r.buf[:0], line)
		r.rest = r.buf
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Events appends lines of a trace, each redacted, see [Redactor.Event].
func (r *Redactor) Events(dst, lines []byte) []byte {
	for line := range bytes.Lines(lines) {
		dst = r.Event(dst, line)
	}
	return dst
}
