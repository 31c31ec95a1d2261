package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/judge"
	"acp-plan-proxy/proxy/recording/timeline"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/schema"
)

// Text prints the messages of the recording, one per line, and a summary of errors, pending
// requests, losses and findings. Lines fit into width characters; 0 means any width. With
// color, Text uses ANSI escape sequences.
func (r Recording) Text(w io.Writer, color bool, width int) error {
	file, err := r.open()
	if err != nil {
		return err
	}
	defer file.Close()
	p := newPrinter(w, color, width)
	rows, lint := timeline.New(), r.newLinter(new(schema.Drafts))
	for m, err := range recording.Events(file) {
		if err != nil {
			return err
		}
		changes := rows.Add(&m)
		if m.Type == "" {
			p.unreadableCount++
			p.printAll("unknown: the next line could not be read")
			continue
		}
		p.add(changes)
		p.addFindings(lint.Add(&m))
	}
	p.addFindings(lint.End())
	return p.finish(rows.Counts(), lint.UnjudgedReason())
}

// Message prints the message in the line with the given number, as recorded. If printable is
// set, it spells out characters that could act on a terminal.
func (r Recording) Message(w io.Writer, number int, printable bool) error {
	file, err := r.open()
	if err != nil {
		return err
	}
	defer file.Close()
	for e, err := range trace.Events(file) {
		switch {
		case err != nil:
			return err
		case e.Type == "" || e.Line != number:
			continue
		}
		text := string(e.AppendMessage(nil))
		if printable {
			text = terminal.Printable(text)
		}
		_, err := fmt.Fprintln(w, text)
		return err
	}
	return fmt.Errorf("%s has no message %d", r.File, number)
}

const (
	maxWaiting   = 512     // rows that wait because the fate of an earlier row is unknown
	maxRequests  = 512     // pending requests in the summary
	maxUnnamed   = 1 << 14 // sessions not printed yet
	maxAligned   = 1 << 12 // lines with common column widths
	maxSummary   = 72      // characters of a message's summary
	minSummary   = 20
	otherColumns = 36      // characters of a line's other columns: number, time, session, entries done
	maxSeconds   = 999_999 // the latest time that is printed
)

// A printer prints rows as lines, each when its fate is known.
type printer struct {
	terminal.Painter
	out   *tabwriter.Writer
	width int // of a line; 0 for any

	waiting      []*timeline.Row // the rows that are not printed yet, in order
	newest       int             // the number of the newest row
	printedCount int             // the number of printed rows

	// For the headings:
	peers    timeline.Peers
	sessions map[int]string // the ids of sessions not printed yet, by number

	// For the summary:
	requests        []*timeline.Row // at most maxRequests + 1
	losses          notes
	findings        notes
	unreadableCount int
}

func newPrinter(w io.Writer, color bool, width int) *printer {
	return &printer{
		Painter: terminal.Painter(color), out: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), width: width,
		sessions: make(map[int]string),
	}
}

func (p *printer) add(c timeline.Changes) {
	if c.Peers != nil {
		p.peers = *c.Peers
	}
	for _, s := range c.Sessions {
		if len(p.sessions) >= maxUnnamed {
			clear(p.sessions)
		}
		p.sessions[s.Number] = s.ID
	}
	for _, r := range c.Rows {
		if r.Number > p.newest {
			p.newest = r.Number
			p.waiting = append(p.waiting, r)
			p.addToSummary(r)
		}
	}
	p.printKnown()
}

// addFindings keeps findings for the summary.
func (p *printer) addFindings(found []judge.Finding) {
	for _, f := range found {
		p.findings.add(fmt.Sprint(f.Number, f.Rule, f.Text), strings.ToLower(string(f.By))+", "+f.Rule+": "+f.Text, f.Number)
	}
}

// addToSummary adds the losses of a new row, and the row of a request, to the summary.
func (p *printer) addToSummary(r *timeline.Row) {
	for _, l := range r.Lost {
		text := l.Kind
		if l.Name != "" {
			text += " " + l.Name
		}
		key := text
		if l.Detail != "" {
			text += ": " + l.Detail
		}
		p.losses.add(key, text, r.Number)
	}
	if r.Type != trace.Request {
		return
	}
	if len(p.requests) > maxRequests {
		p.requests = slices.DeleteFunc(p.requests, func(r *timeline.Row) bool { return r.Answer != 0 })
		p.requests = p.requests[:min(len(p.requests), maxRequests)]
	}
	p.requests = append(p.requests, r)
}

// printKnown prints the waiting rows in order, up to the first one whose fate is unknown. It keeps the
// newest row, because more events may belong to it. If too many rows wait, it prints them nevertheless.
func (p *printer) printKnown() {
	for len(p.waiting) > 1 && p.waiting[0].Fate != timeline.Unknown || len(p.waiting) > maxWaiting {
		p.printNext("unknown")
	}
}

// printAll prints the waiting rows. unknown is the text for an unknown fate.
func (p *printer) printAll(unknown string) {
	for len(p.waiting) > 0 {
		p.printNext(unknown)
	}
}

// printNext prints the first waiting row.
func (p *printer) printNext(unknown string) {
	r := p.waiting[0]
	p.waiting = p.waiting[1:]
	session := ""
	if r.Session != 0 {
		session = fmt.Sprintf("S%d", r.Session)
	}
	p.printHeadings(r, session)
	done := ""
	if plan := r.Plan(); plan != nil && (plan.Total > 0 || plan.Form == "plan" || plan.Form == "items") {
		done = fmt.Sprintf("%d/%d", plan.Done, plan.Total)
	}
	fate, color := fateOf(r, unknown)
	summary, failure := bracket(r)+terminal.Printable(summaryOf(r)), ""
	summaryWidth, room := maxSummary, 1<<16
	if p.width > 0 {
		summaryWidth = max(minSummary, min(maxSummary, (p.width-otherColumns)*4/7))
		room = max(0, p.width-otherColumns-summaryWidth)
	}
	short := translate.Truncate(summary, summaryWidth)
	if short != summary && r.Error != "" {
		failure = " · " + terminal.Printable(r.Error)
	}
	fmt.Fprintf(p.out, "%6d %10.3f\t%s\t%s\t%s\t", r.Number, max(0, min(r.Seconds, maxSeconds)), session, short, done)
	for _, part := range []struct {
		color terminal.Color
		text  string
	}{{color, terminal.Printable(fate)}, {terminal.Dim, tookOf(r)}, {terminal.Red, failure}} {
		if room > 0 && part.text != "" {
			part.text = translate.Truncate(part.text, room)
			room -= utf8.RuneCountInString(part.text)
			fmt.Fprint(p.out, p.Paint(part.color, part.text))
		}
	}
	fmt.Fprintln(p.out)
}

// printHeadings prints what precedes a row: the header of the recording or of the columns, and the id of
// a new session.
func (p *printer) printHeadings(r *timeline.Row, session string) {
	if p.printedCount == 0 && p.peers.Began != "" {
		fmt.Fprintln(p.out, "Began at", terminal.Printable(p.peers.Began))
	}
	if p.printedCount == 0 && p.peers.Redacted {
		fmt.Fprintln(p.out, "Redacted")
	}
	if p.printedCount%maxAligned == 0 {
		p.out.Flush()
		fmt.Fprintln(p.out, "     #       time\tsession\tmessage\tdone\tresult")
	}
	p.printedCount++
	if id, isNew := p.sessions[r.Session]; isNew {
		delete(p.sessions, r.Session)
		fmt.Fprintf(p.out, "%17s\t%s\tis %s\t\t\n", "", session, terminal.Printable(id))
	}
}

// finish prints the remaining rows and the summary.
func (p *printer) finish(c timeline.Counts, unjudged string) error {
	// A recording can also end between a dropped message and the next one.
	p.printAll("unknown: the recording ends here")
	if c.Messages == 0 {
		fmt.Fprintln(p.out, "No messages.")
	}
	var unanswered notes
	for _, r := range p.requests {
		if r.Answer == 0 {
			unanswered.add(strconv.Itoa(r.Number), r.Method, r.Number)
		}
	}
	unanswered.count = c.Unanswered
	unanswered.print(p.out, "Not answered:", p.width)
	p.losses.print(p.out, "Lost in translation:", p.width)
	p.findings.print(p.out, "Not allowed by the protocol:", p.width)
	var counts []string
	for _, n := range []struct {
		count int
		name  string
	}{{c.Errors, "errors"}, {c.Unanswered, "unanswered"}, {p.losses.count, "lost"}, {p.findings.count, "findings"}} {
		if n.count == 1 {
			n.name = strings.TrimSuffix(n.name, "s")
		}
		if n.count > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n.count, n.name))
		}
	}
	if counts != nil {
		fmt.Fprintln(p.out, strings.Join(counts, " · "))
	}
	switch {
	case c.Messages == 0:
	case unjudged != "":
		fmt.Fprintln(p.out, terminal.Hang("Not judged: ", unjudged, p.width))
	case counts == nil:
		fmt.Fprintln(p.out, "No errors, losses or findings.")
	}
	if p.unreadableCount > 0 {
		fmt.Fprintf(p.out, "Lines that could not be read: %d.\n", p.unreadableCount)
	}
	return p.out.Flush()
}

// tookOf returns the response time, or the length of a turn.
func tookOf(r *timeline.Row) string {
	took := r.TurnTook
	if r.Took != nil {
		took = *r.Took
	} else if !r.Closes {
		return ""
	}
	return fmt.Sprintf(" · after %.3f s", took)
}

// bracket returns the part of a turn's bracket in front of a row.
func bracket(r *timeline.Row) string {
	switch {
	case r.Opens:
		return "┌ "
	case r.Closes:
		return "└ "
	case r.InTurn:
		return "│ "
	}
	return ""
}

// summaryOf describes a message in one line.
func summaryOf(r *timeline.Row) string {
	name, says, plan := cmp.Or(r.Update, r.Method), r.Summary, r.Plan()
	if r.Error != "" {
		says += ": " + r.Error
	}
	switch {
	case plan != nil && plan.Form == "plan":
		return "plan"
	case plan != nil:
		return "plan " + cmp.Or(plan.ID, "(no id)") + ", " + plan.Form
	case r.Closes, says != "" && r.About == timeline.AboutPermission && r.Type == trace.Request:
		return says
	case r.Type == trace.Response:
		return "answer: " + cmp.Or(says, r.Method)
	case r.Opens:
		name = "prompt"
	case r.About == timeline.AboutTool && says != "":
		name = "tool"
	}
	if says == "" {
		return name
	}
	return name + ": " + says
}

// fateOf returns the fate of a message and its color. unknown is the text for an unknown fate.
func fateOf(r *timeline.Row, unknown string) (string, terminal.Color) {
	switch r.Fate {
	case timeline.Unknown:
		return unknown, ""
	case timeline.Added:
		text := "added by the proxy"
		if r.Of != 0 {
			text += fmt.Sprintf(" for #%d", r.Of)
		}
		return text, terminal.Green
	case timeline.Dropped:
		if r.Why != "" {
			return "dropped: " + r.Why, lossColor(r)
		}
		return "dropped", lossColor(r)
	case timeline.Forwarded:
		return "forwarded", ""
	}
	text := "rewritten"
	if r.Became != "" {
		text += " → " + r.Became
	}
	if more := len(r.Lines) - 2; more > 0 && r.Lines[0].To == string(trace.Proxy) {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text, cmp.Or(lossColor(r), terminal.Cyan)
}

// lossColor returns red for a message with losses.
func lossColor(r *timeline.Row) terminal.Color {
	if r.Lost != nil {
		return terminal.Red
	}
	return ""
}
