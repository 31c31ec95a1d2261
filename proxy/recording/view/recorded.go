package view

import (
	"bufio"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"time"

	"acp-plan-proxy/proxy/recording/judge"
	"acp-plan-proxy/proxy/recording/timeline"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/schema"
)

// A Recording is a file with a trace.
type Recording struct {
	File string

	makeLinter func() linter // makes a new linter; nil for a [judge.Linter]
}

// title returns the name of the recording on the page.
func (r Recording) title() string { return filepath.Base(r.File) }

// open opens the file. It returns an error if no line of it is an event.
func (r Recording) open() (io.ReadCloser, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	return os.Open(r.File)
}

// check returns an error if no line of the file is an event. An empty file may grow.
func (r Recording) check() error {
	file, err := os.Open(r.File)
	if err != nil {
		return err
	}
	defer file.Close()
	var noEvent error
	for e, err := range trace.Events(file) {
		if err != nil || e.Type != "" {
			return err
		}
		noEvent = fmt.Errorf("%s contains no event of a trace (--trace, --trace-all)", r.File)
	}
	return noEvent
}

// isGrowing reports whether the file has grown in the last 30 seconds. If so, pending requests may still be
// answered.
func (r Recording) isGrowing() bool {
	const growTimeout = 30 * time.Second
	stat, err := os.Stat(r.File)
	return err == nil && time.Since(stat.ModTime()) < growTimeout
}

// endChanges returns the changes for the page at the end of the file.
func (r Recording) endChanges() string {
	if r.isGrowing() {
		return changeGrows + changeRead
	}
	return changeRead
}

// newLinter returns a linter that expects the first message of a recording.
func (r Recording) newLinter(drafts *schema.Drafts) linter {
	if r.makeLinter == nil {
		return judge.NewLinter(drafts)
	}
	return r.makeLinter()
}

// writeLines writes the lines of a document: the lines of the recording and their changes.
func (r Recording) writeLines(out *bufio.Writer, in io.Reader) error {
	w := lineWriter{out: out, rows: timeline.New(), linter: r.newLinter(new(schema.Drafts))}
	w.prose = &prose{write: w.writeHTML, seed: maphash.MakeSeed(), done: make(map[textKey]uint64), runs: make(map[int]*chunkedMessage)}
	lines := trace.NewLines(in)
	for size := 0; ; {
		line, err := lines.Next()
		if len(line) > 0 {
			w.add(line)
		}
		if size += len(line); size > partSize {
			size = 0
			out.WriteString(endPart + beginPart)
		}
		switch {
		case err == io.EOF:
			w.prose.finish()
			w.writeJudged(r.isGrowing())
			out.WriteString(r.endChanges())
			return nil
		case err != nil:
			return err
		}
	}
}
