package play

import (
	"bufio"
	"fmt"
	"io"
)

// maxLine is the longest line of a recording that is played: a longest message, by the
// default of --max-message, with what is around it, and escapes.
const maxLine = 128 << 20

// A source is the file of a recording. Its lines are read again when they are played,
// so that what is kept of it in memory does not grow with what was said.
type source struct {
	file io.ReaderAt
	size int64
	parser
}

func newSource(file io.ReaderAt, size int64, view view) *source {
	return &source{file: file, size: size, parser: parser{view: view}}
}

// scan calls handle with the messages of each line, in order. They are valid until
// handle returns.
func (s *source) scan(handle func([]message)) error {
	lines := lineReader{in: bufio.NewReaderSize(io.NewSectionReader(s.file, 0, s.size), 1<<18)}
	for number := 1; ; number++ {
		line, start, err := lines.next()
		if len(line) > 0 {
			if found := s.parse(line, start); len(found) > 0 {
				for i := range found {
					found[i].at.line = number
				}
				handle(found)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read recording: %w", err)
		}
	}
}

// load reads the messages of a line that was scanned.
func (s *source) load(p place) ([]message, error) {
	line := make([]byte, p.size)
	if _, err := s.file.ReadAt(line, p.start); err != nil {
		return nil, fmt.Errorf("read recording: %w", err)
	}
	return s.parse(line, p.start), nil
}

// one loads one message; false if it is not there any more.
func (s *source) one(p place) (message, bool, error) {
	found, err := s.load(p)
	for _, m := range found {
		if m.at.part == p.part {
			return m, true, nil
		}
	}
	return message{}, false, err
}

// A lineReader reads lines, and knows where each begins.
type lineReader struct {
	in   *bufio.Reader
	at   int64
	line []byte
}

// next returns the next line with its newline; an empty one in the place of a line that
// is too long. With io.EOF it returns the last line.
func (r *lineReader) next() (line []byte, start int64, err error) {
	start = r.at
	if cap(r.line) > 1<<20 {
		r.line = nil
	}
	r.line = r.line[:0]
	for long := false; ; {
		part, err := r.in.ReadSlice('\n')
		r.at += int64(len(part))
		if err == nil && len(r.line) == 0 && !long {
			return part, start, nil
		}
		if long = long || len(r.line)+len(part) > maxLine; long {
			r.line = nil
		} else {
			r.line = append(r.line, part...)
		}
		if err != bufio.ErrBufferFull {
			return r.line, start, err
		}
	}
}
