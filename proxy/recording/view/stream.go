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

// The page gets a recording as lines. One that begins with [ says what has changed. Any
// other is the next line of the recording: as it is, or "?" if it is not an event. The
// changes of a line follow it.
//
//	["session",{…}]       a timeline.Session
//	["row",{…}]           a timeline.Row that is new or has changed
//	["ends",{…}]          timeline.Peers
//	["mark",LINE,{…}]     a finding about the message in that line (package judge)
//	["judged","why"]      all messages have been judged, or why not
//	["html","KEY","…"]    a text as HTML, in a document only (prose.go)
//	["grows"]             the file has grown just now
//	["read"]              everything that the file had has been sent
//	["new"]               another recording begins in the file
const (
	changeGrows = `["grows"]` + "\n"
	changeRead  = `["read"]` + "\n"
	changeNew   = `["new"]` + "\n"
)

// A linter finds what the protocol does not allow in the events of a recording, given one
// after another; see [judge.Linter].
type linter interface {
	Add(m *recording.Message) []judge.Finding
	End() []judge.Finding
	Unjudged() string
}

// A finding is a [judge.Finding] for the page.
type finding struct {
	By   trace.Component `json:"by"`
	Rule string          `json:"rule"`
	Text string          `json:"text"`
}

// A pass goes through the lines of a recording once and writes what the page gets of
// them.
type pass struct {
	out    *bufio.Writer
	rows   *timeline.Timeline
	linter linter
	prose  *prose // the lines are for a document, which has its texts as HTML; nil for a stream

	number     int   // of lines
	end        int64 // of those in the file
	unreadable int
	found      bool // an event
	follower   recording.Follower
}

// A stream writes a recording as the page gets it, and what the recording grows by.
// Judging takes its time, so the marks come behind the rows.
type stream struct {
	Recording
	tail        *trace.Tail
	drafts      *schema.Drafts
	out         *bufio.Writer
	number      int // of the recording in the file, 0 before there is one
	rows, marks pass
	read        bool // the page knows that it has read everything
	judged      bool // and that everything has been judged
}

// run writes until it cannot, or ctx is done. The page sees that its stream has ended.
func (s *stream) run(ctx context.Context, flush func() error) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		// A page that has gone away is seen by ctx where there is nothing to be written.
		if s.out.Flush() != nil || flush() != nil || ctx.Err() != nil {
			return
		}
		more, err := s.step()
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

// step writes what is next, and reports whether there was something.
func (s *stream) step() (more bool, err error) {
	if more, err = s.advance(&s.rows); more || err != nil {
		return more, err
	}
	if s.read {
		if more, err = s.advance(&s.marks); more || err != nil || s.judged || s.marks.linter == nil {
			return more, err
		}
		s.judged = true
		s.marks.judged(s.grows())
		return true, nil
	}
	s.read = true
	if s.grows() {
		s.out.WriteString(changeGrows)
	}
	s.out.WriteString(changeRead)
	return true, nil
}

// advance lets a pass go on by a part of the recording, and reports whether it could. The
// marks go no further than the rows have come, whatever the file has grown by meanwhile. A
// file that is missing is being replaced or has been deleted; another may follow.
func (s *stream) advance(p *pass) (more bool, err error) {
	part, err := s.tail.Read(s.number, p.end, partSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case part.Recording != s.number:
		if s.number != 0 {
			s.out.WriteString(changeNew)
		}
		s.number = part.Recording
		s.rows, s.marks = pass{out: s.out, rows: timeline.New()}, pass{out: s.out, linter: s.newLinter(s.drafts)}
		s.judged = false
		return s.advance(&s.rows)
	}
	if early := part.End - s.rows.end; p == &s.marks && s.rows.end >= 0 && early > 0 {
		part.Lines, part.End = part.Lines[:len(part.Lines)-int(early)], s.rows.end
	}
	for line := range bytes.Lines(part.Lines) {
		p.add(line)
	}
	p.end = part.End
	return len(part.Lines) > 0, nil
}

// add takes the next line. A pass without rows writes no lines, one without a linter no
// marks. Errors of writing stay with the Writer.
func (p *pass) add(line []byte) {
	p.number++
	line = bytes.TrimRight(line, "\r\n")
	if trace.Blank(line) {
		p.line(nil)
		return
	}
	m := recording.Message{Event: trace.ReadLine(line, p.number)}
	if m.Type == "" {
		p.unreadable++
		line = []byte("?")
	} else {
		p.found = true
	}
	p.line(line)
	p.follower.Follow(&m)
	if p.rows != nil {
		c := p.rows.Add(&m)
		p.changes(c)
		if p.prose != nil {
			p.prose.add(&m, c.Rows, p.html)
		}
	}
	if p.linter != nil {
		p.marks(p.linter.Add(&m))
	}
}

func (p *pass) marks(found []judge.Finding) {
	for _, f := range found {
		p.change("mark", f.Number, finding{f.By, f.Rule, f.Text})
	}
}

// judged writes that all messages have been judged. While the recording grows, a request
// may still get its response.
func (p *pass) judged(grows bool) {
	if !grows {
		p.marks(p.linter.End())
	}
	p.change("judged", p.linter.Unjudged())
}

func (p *pass) line(text []byte) {
	switch {
	case p.rows == nil:
		return
	case p.prose != nil:
		writeEscaped(p.out, text)
	default:
		p.out.Write(text)
	}
	p.out.WriteByte('\n')
}

func (p *pass) changes(c timeline.Changes) {
	for _, s := range c.Sessions {
		p.change("session", s)
	}
	for _, r := range c.Rows {
		p.change("row", r)
	}
	if c.Peers != nil {
		p.change("ends", c.Peers)
	}
}

// change writes a change. Its JSON has no character < in it.
func (p *pass) change(values ...any) {
	text, _ := json.Marshal(values) // of texts, numbers and package timeline's values it always succeeds
	p.out.Write(append(text, '\n'))
}

// html writes a text as HTML.
func (p *pass) html(key textKey, markup []byte) { p.change("html", key.String(), string(markup)) }

// writeEscaped writes the JSON of a line in a form that fits into a script element: as
// UTF-8, and without the character < and carriage returns, which HTML would take for its
// own. In their places are control characters that no JSON has, for the page to put back.
func writeEscaped(out *bufio.Writer, text []byte) {
	text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	text = bytes.ReplaceAll(text, []byte{'<'}, []byte{1})
	out.Write(bytes.ReplaceAll(text, []byte{'\r'}, []byte{2}))
}
