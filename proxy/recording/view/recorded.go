package view

import (
	"bufio"
	"cmp"
	"io"
	"os"
	"path/filepath"

	"acp-plan-proxy/proxy/recording/judge"
	"acp-plan-proxy/proxy/recording/timeline"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/schema"
)

// A Recording is a file with a trace.
type Recording struct {
	File string
	From io.Reader // optional: what is read, once and to its end, instead of the file; not by Serve
	Name string    // optional: what it is called, if not as the file is

	markers func() marker // makes the marker of a recording that begins; a [judge.Judge] if nil
}

// title returns what a page calls the recording.
func (r Recording) title() string { return cmp.Or(r.Name, filepath.Base(r.File)) }

// open returns the lines to show.
func (r Recording) open() (io.ReadCloser, error) {
	if r.From != nil {
		return io.NopCloser(r.From), nil
	}
	return os.Open(r.File)
}

// newMarker returns the marker of a recording that begins.
func (r Recording) newMarker(drafts *schema.Drafts) marker {
	if r.markers == nil {
		return judge.New(drafts)
	}
	return r.markers()
}

// writeLines writes what the page gets of the lines to show, all at once.
func (r Recording) writeLines(out *bufio.Writer, lines io.Reader) error {
	p := pass{out: out, rows: timeline.New(), marker: r.newMarker(new(schema.Drafts)), prose: newProse()}
	read := trace.NewLines(lines)
	for {
		line, err := read.Next()
		if len(line) > 0 {
			p.add(line)
		}
		switch {
		case err == io.EOF:
			p.prose.end(p.html)
			out.WriteString(changeRead)
			return nil
		case err != nil:
			return err
		}
	}
}
