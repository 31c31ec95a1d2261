package view

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/judge"
	"acp-plan-proxy/proxy/recording/timeline"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/schema"
)

// The page receives lines. A line that begins with [ is a change. Any other is the next line
// of the recording: as it is, or "?" if it is not an event. The changes of a line follow it.
//
//	["session",{…}]       a timeline.Session
//	["row",{…}]           a new or changed timeline.Row
//	["peers",{…}]         timeline.Peers
//	["finding",{…}]       a judge.Finding
//	["judged","reason"]   the end of the findings; the reason why messages were not judged
//	["html","KEY","…"]    a text as HTML, in a document only (prose.go)
//	["grows"]             the file has just grown
//	["read"]              the end of the file, for now
//	["new"]               another recording replaces this one
const (
	changeGrows = `["grows"]` + "\n"
	changeRead  = `["read"]` + "\n"
	changeNew   = `["new"]` + "\n"
)

// A linter finds violations of the protocol in the events of a recording; see [judge.Linter].
type linter interface {
	Add(m *recording.Message) []judge.Finding
	End() []judge.Finding
	UnjudgedReason() string
}

// A lineWriter reads the lines of a recording once, and writes them with their changes for the page.
type lineWriter struct {
	out    *bufio.Writer
	rows   *timeline.Timeline
	linter linter
	prose  *prose // collects the texts of a document; nil for a stream

	number   int // of the latest line
	follower recording.Follower
}

// A stream writes a recording for the page, and continues as the recording grows.
type stream struct {
	Recording
	tail    *trace.Tail
	drafts  *schema.Drafts
	out     *bufio.Writer
	current int   // the number of the recording in the file; 0 before the first read
	end     int64 // the offset of the next line
	writer  lineWriter
	read    bool // changeRead was sent
	judged  bool // the end of the findings was sent
}

// run writes until a write fails or ctx is done. The page detects the end of its stream.
func (s *stream) run(ctx context.Context, flush func() error) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		// When there is nothing to write, only ctx shows that the page has closed the
		// connection.
		if s.out.Flush() != nil || flush() != nil || ctx.Err() != nil {
			return
		}
		more, err := s.writeNext()
		if err != nil {
			return
		}
		if more {
			continue
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// writeNext writes the next part of the recording, or the changes at its end. It reports whether
// there was any. A file that cannot be opened is being replaced or was deleted; another may follow.
func (s *stream) writeNext() (more bool, err error) {
	part, err := s.tail.Read(s.current, s.end, partSize)
	var failed *fs.PathError
	switch {
	case errors.As(err, &failed) && failed.Op == "open":
		part.End = s.end
	case err != nil:
		return false, err
	case part.Recording != s.current:
		if s.current != 0 {
			s.out.WriteString(changeNew)
		}
		s.current, s.judged = part.Recording, false
		s.writer = lineWriter{out: s.out, rows: timeline.New(), linter: s.newLinter(s.drafts)}
	}
	for line := range bytes.Lines(part.Lines) {
		s.writer.add(line)
	}
	s.end = part.End
	if len(part.Lines) > 0 {
		return true, nil
	}
	if s.current > 0 && !s.judged {
		s.judged, more = true, true
		s.writer.writeJudged(s.isGrowing())
	}
	if !s.read {
		s.read, more = true, true
		s.out.WriteString(s.endChanges())
	}
	return more, nil
}

// add reads the next line. w.out keeps write errors.
func (w *lineWriter) add(line []byte) {
	w.number++
	line = bytes.TrimRight(line, "\r\n")
	if trace.IsBlank(line) {
		w.writeLine(nil)
		return
	}
	m := recording.Message{Event: trace.ReadLine(line, w.number)}
	if m.Type == "" {
		line = []byte("?")
	}
	w.writeLine(line)
	w.follower.Follow(&m)
	c := w.rows.Add(&m)
	w.writeChanges(c)
	if w.prose != nil {
		w.prose.add(&m, c.Rows)
	}
	w.writeFindings(w.linter.Add(&m))
}

func (w *lineWriter) writeFindings(found []judge.Finding) {
	for _, f := range found {
		w.writeChange("finding", f)
	}
}

// writeJudged writes the end of the findings. While the recording grows, a request may still get
// its response.
func (w *lineWriter) writeJudged(isGrowing bool) {
	if !isGrowing {
		w.writeFindings(w.linter.End())
	}
	w.writeChange("judged", w.linter.UnjudgedReason())
}

func (w *lineWriter) writeLine(text []byte) {
	if w.prose != nil {
		writeEscaped(w.out, text)
	} else {
		w.out.Write(text)
	}
	w.out.WriteByte('\n')
}

func (w *lineWriter) writeChanges(c timeline.Changes) {
	for _, s := range c.Sessions {
		w.writeChange("session", s)
	}
	for _, r := range c.Rows {
		w.writeChange("row", r)
	}
	if c.Peers != nil {
		w.writeChange("peers", c.Peers)
	}
}

// writeChange writes a change. The JSON does not contain the character <.
func (w *lineWriter) writeChange(values ...any) {
	text, _ := json.Marshal(values) // of texts, numbers and package timeline's values it always succeeds
	w.out.Write(append(text, '\n'))
}

// writeHTML writes a text as HTML.
func (w *lineWriter) writeHTML(key textKey, markup []byte) {
	w.writeChange("html", key.String(), string(markup))
}

// writeEscaped writes the JSON of a line in a form for a script element: as UTF-8, with
// control characters that JSON does not allow in place of < and carriage returns, which HTML
// would interpret. The page restores them.
func writeEscaped(out *bufio.Writer, text []byte) {
	text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	text = bytes.ReplaceAll(text, []byte{'<'}, []byte{1})
	out.Write(bytes.ReplaceAll(text, []byte{'\r'}, []byte{2}))
}
