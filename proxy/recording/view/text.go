package view

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/timeline"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/translate/schema"
)

// Text prints the plan messages in the recording, one a line; if the proxy joins
// two versions in it, all messages from there on, with a bracket around each turn. If
// there are none, it prints what else is in the recording.
// With color it uses ANSI escape sequences.
func (r Recording) Text(w io.Writer, color bool) error {
	lines, err := r.open()
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	defer lines.Close()
	p := printer{out: bufio.NewWriter(w), Painter: terminal.Painter(color), sessions: make(map[int]string), kinds: make(map[string]int)}
	read, marks := timeline.New(), r.newMarker(new(schema.Drafts))
	for m, err := range recording.Events(lines) {
		if invalid := (*trace.LineError)(nil); errors.As(err, &invalid) {
			p.unreadable++
			read.Skip(invalid.Line)
			p.print(true, "not known: the next line could not be read")
			continue
		} else if err != nil {
			return fmt.Errorf("view: %w", err)
		}
		p.add(read.Add(&m))
		p.marks.add(m.Line, marks.Judge(&m))
	}
	p.end()
	if err := p.out.Flush(); err != nil {
		return fmt.Errorf("view: %w", err)
	}
	return nil
}

const (
	maxHeld    = 512     // rows that wait until it is known what became of one before them
	maxUnnamed = 1 << 14 // sessions that no line has named yet
)

// A printer prints rows as lines, each when it is known what became of it.
type printer struct {
	terminal.Painter
	out        *bufio.Writer
	held       []*timeline.Row // in order
	newest     int             // the number of the last of them
	joined     bool            // the proxy joins two versions
	sessions   map[int]string  // those that no line has named yet, by number
	printed    int
	messages   int
	kinds      map[string]int // of messages, and how many there are of each
	losses     lossCounts
	marks      markList
	unreadable int
}

func (p *printer) add(c timeline.Changes) {
	p.joined = p.joined || c.Ends != nil && c.Ends.Joined
	for _, s := range c.Sessions {
		if len(p.sessions) >= maxUnnamed {
			clear(p.sessions)
		}
		p.sessions[s.Number] = s.ID
	}
	for _, r := range c.Rows {
		if r.Number > p.newest {
			p.newest = r.Number
			p.held = append(p.held, r)
			p.count(r)
			p.losses.add(r)
		}
	}
	p.print(false, "not known")
}

// print prints the rows that are settled, up to the first one that is not, or all. More
// may leave in the place of the newest. It says otherwise of a row of which it is not
// known what became of it.
func (p *printer) print(all bool, otherwise string) {
	for len(p.held) > 0 && (all || len(p.held) > 1 && p.held[0].Settled() || len(p.held) > maxHeld) {
		r := p.held[0]
		p.held = p.held[1:]
		if p.joined || r.ToClient && concernsPlan(r) {
			p.row(r, otherwise)
		}
	}
}

func concernsPlan(r *timeline.Row) bool {
	return r.Plan != nil || slices.ContainsFunc(r.Lines, func(l timeline.Line) bool { return l.Plan != "" })
}

func (p *printer) end() {
	// What follows a message that was dropped is not there either.
	p.print(true, "not known: the recording ends here")
	if p.printed == 0 {
		p.printKinds()
	}
	p.losses.print(p.out)
	p.marks.print(p.out)
	if p.unreadable > 0 {
		fmt.Fprintf(p.out, "%s could not be read.\n", counted(p.unreadable, "line"))
	}
}

const (
	maxKinds     = 256 // that are counted
	maxKindsSaid = 20
)

// count counts a message by its kind.
func (p *printer) count(r *timeline.Row) {
	kind := r.Method
	switch {
	case r.Failed:
		kind = "errors"
	case r.Type == trace.Response:
		kind = "answers"
	case r.Update != "":
		kind += ", " + r.Update
	}
	p.messages++
	if kind = Printable(kind); p.kinds[kind] > 0 || len(p.kinds) < maxKinds {
		p.kinds[kind]++
	}
}

// printKinds prints what is in a recording without plans.
func (p *printer) printKinds() {
	if p.messages == 0 {
		fmt.Fprintln(p.out, "No messages.")
		return
	}
	fmt.Fprintf(p.out, "No plan messages, but %s:\n", counted(p.messages, "other"))
	kinds := slices.SortedFunc(maps.Keys(p.kinds), func(a, b string) int {
		return cmp.Or(p.kinds[b]-p.kinds[a], strings.Compare(a, b))
	})
	rest := p.messages
	for _, kind := range kinds[:min(len(kinds), maxKindsSaid)] {
		fmt.Fprintf(p.out, "%6d  %s\n", p.kinds[kind], kind)
		rest -= p.kinds[kind]
	}
	if rest > 0 {
		fmt.Fprintf(p.out, "%6d  of other kinds\n", rest)
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (p *printer) row(r *timeline.Row, otherwise string) {
	if p.printed == 0 {
		fmt.Fprintln(p.out, p.Paint(terminal.Dim, "     #       time  session  plan                  type      done   what became of it"))
	}
	p.printed++
	name := ""
	if r.Session != 0 {
		name = fmt.Sprintf("S%d", r.Session)
	}
	if id, isNew := p.sessions[r.Session]; isNew {
		delete(p.sessions, r.Session)
		fmt.Fprintln(p.out, p.Paint(terminal.Dim, fmt.Sprintf("%26s = %s", name, Printable(id))))
	}
	what := column(p.bracket(r)+Printable(whatOf(r)), 37)
	if r.Plan != nil {
		what = p.planColumns(r.Plan)
	}
	fate, color := fateOf(r, otherwise)
	fmt.Fprintf(p.out, "%s %10s  %-7s  %s  %s%s\n",
		p.Paint(terminal.Dim, fmt.Sprintf("%6d", r.Number)), clock(r.Seconds), name, what, p.Paint(color, Printable(fate)), p.Paint(terminal.Dim, tookOf(r)))
}

// tookOf says how long an answer took, or a turn.
func tookOf(r *timeline.Row) string {
	switch {
	case r.Took != nil:
		return fmt.Sprintf(" · after %.3f s", *r.Took)
	case r.Closes:
		return fmt.Sprintf(" · after %.3f s", r.Turn)
	}
	return ""
}

// bracket returns the part of a turn's bracket that is beside a row.
func (p *printer) bracket(r *timeline.Row) string {
	switch {
	case !p.joined:
		return ""
	case r.Opens:
		return "┌ "
	case r.Closes:
		return "└ "
	case r.InTurn:
		return "│ "
	}
	return "  "
}

// whatOf says a message that concerns no plan in one line.
func whatOf(r *timeline.Row) string {
	name := cmp.Or(r.Update, r.Method)
	switch {
	case r.Closes, r.Says != "" && r.About == timeline.AboutPermission && r.Type == trace.Request:
		return r.Says
	case r.Type == trace.Response:
		return "answer: " + cmp.Or(r.Says, r.Method)
	case r.Opens:
		name = "prompt"
	case r.About == timeline.AboutTool:
		name = "tool"
	}
	if r.Says == "" {
		return name
	}
	return name + ": " + r.Says
}

// fateOf says what became of a message, and in which color.
func fateOf(r *timeline.Row, otherwise string) (string, terminal.Color) {
	switch r.Fate {
	case timeline.Unknown:
		return otherwise, ""
	case timeline.Added:
		return "added by the proxy", terminal.Green
	case timeline.Dropped:
		return "dropped", terminal.Red
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
	return text, terminal.Cyan
}

// planColumns says a plan message in columns.
func (p *printer) planColumns(plan *timeline.Plan) string {
	name, done := cmp.Or(Printable(plan.ID), "(no id)"), ""
	if plan.Total > 0 || plan.Form == "plan" || plan.Form == "items" {
		done = fmt.Sprintf("%d/%d", plan.Done, plan.Total)
	}
	if p.joined {
		name = "│ plan " + name
	}
	return fmt.Sprintf("%s  %s  %-5s", p.Paint(terminal.Bold, column(name, 20)), column(Printable(plan.Form), 8), done)
}

// clock returns a time as it fits into its column: in seconds since the recording
// began, and from an hour on in hours, minutes and seconds.
func clock(seconds float64) string {
	const hour = 3600
	switch {
	case !(seconds >= 0): // nor a number
		return "0.000"
	case seconds < hour:
		return fmt.Sprintf("%.3f", seconds)
	case seconds >= 100*hour:
		return fmt.Sprintf("%.0f h", min(seconds/hour, 1e7))
	}
	tenths := int(seconds * 10)
	return fmt.Sprintf("%d:%02d:%02d.%d", tenths/36000, tenths/600%60, tenths/10%60, tenths%10)
}

// column makes text width wide.
func column(text string, width int) string {
	runes := []rune(text)
	if len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text + strings.Repeat(" ", width-len(runes))
}

// Printable returns text with every character spelled out that could act on a
// terminal, would not be seen, or would reorder the text around it.
func Printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == utf8.RuneError, r != ' ' && !unicode.IsPrint(r) && r != '\u200d':
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
