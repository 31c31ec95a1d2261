package view

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/proxy/trace"
	"acp-plan-proxy/transport/rawjson"
)

// Text prints the plan messages in the recording, one a line; if the proxy joins
// two versions in it, all messages from there on, with a bracket around each turn.
// With color it uses ANSI escape sequences.
func Text(w io.Writer, file string, color bool) error {
	recording, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	defer recording.Close()
	t := timeline{out: bufio.NewWriter(w), Painter: terminal.Painter(color), sessions: make(map[uint64]int), seed: maphash.MakeSeed(),
		bridged: bridged{requests: make(map[requestKey]request), turns: make(map[uint64]bool)}}
	for e, err := range trace.Events(recording) {
		if invalid := (*trace.LineError)(nil); errors.As(err, &invalid) {
			t.unreadable++
			t.release("not known: the next line could not be read")
			continue
		} else if err != nil {
			return fmt.Errorf("view: %w", err)
		}
		t.add(e)
	}
	t.end()
	if err := t.out.Flush(); err != nil {
		return fmt.Errorf("view: %w", err)
	}
	return nil
}

// A timeline prints events as lines. A message that reached the proxy is
// printed when the next event tells what became of it.
type timeline struct {
	terminal.Painter
	out      *bufio.Writer
	sessions map[uint64]int // numbers, by a hash of the ids, which can be long
	seed     maphash.Seed
	held     *entry // a message at the proxy
	bridged
	printed    int
	unreadable int
}

// An entry is a line of the timeline: a message, and what left in its place.
type entry struct {
	number  int // of the event's line in the file
	seconds float64
	session string
	toAgent bool
	what    string // in columns
	left    string // the same where it is told what left in its place

	sent    []string
	renamed bool // what left is another message than the one that came in
}

func sessionOf(e trace.Event, answered request) string {
	if answered.session != "" {
		return answered.session
	}
	if id := member(e.Params, "sessionId"); e.Session == "" && len(id) > 0 && id[0] == '"' {
		return asText(id)
	}
	return e.Session
}

// A planUpdate is what a line says of a plan. A member that the message lacks, or
// has in another form than expected, is zero.
type planUpdate struct {
	kind, plan, form string
	done, total      int
	counts           bool // there are entries to be counted
}

func (t *timeline) add(e trace.Event) {
	line, isPlan := t.entryOf(e)
	shown := isPlan && e.To != trace.Agent || t.joined
	if h := t.held; h != nil && e.From == trace.Proxy && (e.To == trace.Agent) == h.toAgent && e.Seconds-h.seconds <= sameTime {
		if shown {
			h.sent = append(h.sent, line.left)
			h.renamed = h.renamed || isPlan || line.left != h.left
		}
		return
	}
	// The events of one message are next to each other: this one is of another.
	t.release("dropped")
	switch {
	case !shown:
	case e.To == trace.Proxy:
		t.held = &line
	case e.From == trace.Proxy:
		t.print(line, "added by the proxy")
	case e.From == trace.Agent && e.To == trace.Client, e.From == trace.Client && e.To == trace.Agent:
		t.print(line, "forwarded")
	default:
		t.print(line, brief(string(e.From))+" → "+brief(string(e.To)))
	}
}

// entryOf returns the line of an event, and whether the event concerns a plan.
func (t *timeline) entryOf(e trace.Event) (entry, bool) {
	answered := t.requestOf(e, e.Session)
	line := entry{number: e.Line, seconds: e.Seconds, session: sessionOf(e, answered), toAgent: !toClient(e)}
	if update, ok := readPlanUpdate(e); ok {
		line.what, line.left = t.planColumns(update), update.String()
		return line, true
	}
	what := t.read(e, line.session, answered)
	line.what, line.left = column(what, 37), strings.TrimLeft(what, "│┌└ ")
	return line, false
}

// release prints the message that is held, if there is one. Unless it was
// rewritten, otherwise is what became of it.
func (t *timeline) release(otherwise string) {
	if t.held == nil {
		return
	}
	line := *t.held
	t.held = nil
	action := otherwise
	for i, u := range line.sent {
		action = "rewritten"
		if i > 0 {
			continue
		}
		if line.renamed {
			action += " → " + u
		}
	}
	if len(line.sent) > 1 {
		action += fmt.Sprintf(" and %d more", len(line.sent)-1)
	}
	t.print(line, action)
}

func (t *timeline) end() {
	// What follows a message that was dropped is not there either.
	t.release("not known: the recording ends here")
	if t.printed == 0 {
		fmt.Fprintln(t.out, "No plan messages.")
	}
	if t.unreadable > 0 {
		lines := "lines"
		if t.unreadable == 1 {
			lines = "line"
		}
		fmt.Fprintf(t.out, "%d %s could not be read.\n", t.unreadable, lines)
	}
}

func (t *timeline) print(line entry, action string) {
	if t.printed == 0 {
		fmt.Fprintln(t.out, t.Paint(terminal.Dim, "     #       time  session  plan                  type      done   what became of it"))
	}
	t.printed++
	id := maphash.String(t.seed, line.session)
	number, known := t.sessions[id]
	if !known && line.session != "" {
		number = len(t.sessions) + 1
		t.sessions[id] = number
		fmt.Fprintln(t.out, t.Paint(terminal.Dim, fmt.Sprintf("%26s = %s", fmt.Sprintf("S%d", number), brief(line.session))))
	}
	color := terminal.Color("")
	switch {
	case strings.HasPrefix(action, "rewritten"):
		color = terminal.Cyan
	case strings.HasPrefix(action, "added"):
		color = terminal.Green
	case action == "dropped":
		color = terminal.Red
	}
	name := fmt.Sprintf("S%d", number)
	if line.session == "" {
		name = ""
	}
	fmt.Fprintf(t.out, "%s %10.3f  %-7s  %s  %s\n",
		t.Paint(terminal.Dim, fmt.Sprintf("%6d", line.number)), line.seconds, name, line.what, t.Paint(color, action))
}

// planColumns says a plan message in columns.
func (t *timeline) planColumns(u planUpdate) string {
	plan, done := "(no id)", ""
	if u.plan != "" {
		plan = brief(u.plan)
	}
	if u.counts {
		done = fmt.Sprintf("%d/%d", u.done, u.total)
	}
	if t.joined {
		plan = "│ plan " + plan
	}
	return fmt.Sprintf("%s  %s  %-5s", t.Paint(terminal.Bold, column(plan, 20)), column(brief(u.form), 8), done)
}

// String says what the client got.
func (u planUpdate) String() string {
	switch {
	case u.kind == "plan_removed":
		return "removal of " + brief(u.plan)
	case u.kind == "plan":
		return fmt.Sprintf("plan, %d entries", u.total)
	case u.counts:
		return fmt.Sprintf("%s, %d entries", brief(u.plan), u.total)
	}
	return brief(u.plan) + ", " + brief(u.form)
}

// readPlanUpdate reads what a session/update notification says of a plan. It
// reports false if the event is not one or does not concern a plan. Whatever the
// message lacks, or has in another form than expected, stays zero.
func readPlanUpdate(e trace.Event) (planUpdate, bool) {
	if e.Type != trace.Notification || e.Method != "session/update" {
		return planUpdate{}, false
	}
	update := member(e.Params, "update")
	holder := update // of the entries
	u := planUpdate{kind: asText(member(update, "sessionUpdate"))}
	switch u.kind {
	case "plan":
		u.form = "plan"
	case "plan_update":
		holder = member(update, "plan")
		u.form, u.plan = asText(member(holder, "type")), planID(holder)
	case "plan_removed":
		u.form, u.plan = "removed", planID(update)
	default:
		return planUpdate{}, false
	}
	u.count(member(holder, "entries"))
	return u, true
}

// count counts entries, if they are an array.
func (u *planUpdate) count(entries []byte) {
	var c rawjson.Cursor
	c.Reset(entries)
	if c.Kind() != '[' {
		return
	}
	u.counts = true
	for more := c.Array(); more; more = c.NextElement() {
		u.total++
		if asText(member(c.Value(), "status")) == "completed" {
			u.done++
		}
	}
}

// planID returns the id of the plan in an object that has it as a member.
func planID(object []byte) string {
	for i := range capabilities.PlanIDMembers {
		if id := member(object, capabilities.PlanIDMember(i)); id != nil {
			return asText(id)
		}
	}
	return ""
}

// member returns a member of a JSON object, as it is in the text: nil if the
// value is not an object or does not have the member.
func member(object []byte, name string) (value []byte) {
	var c rawjson.Cursor
	c.Reset(object)
	if c.Kind() != '{' {
		return nil
	}
	for more := c.Object(); more; more = c.NextMember() {
		if string(c.Name()) == name {
			value = c.Value()
		} else {
			c.Skip()
		}
	}
	return value
}

// asText returns a JSON value as text: what a string says, nothing for null, and
// any other value as it is.
func asText(value []byte) string {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return string(value)
	}
	return s
}

// column makes text width wide.
func column(text string, width int) string {
	runes := []rune(text)
	if len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text + strings.Repeat(" ", width-len(runes))
}

// brief returns a text of an agent in a form that fits into the timeline.
func brief(text string) string {
	const longest = 200 // bytes, at which a character may be cut
	if len(text) > longest {
		return Printable(strings.ToValidUTF8(text[:longest], "")) + "…"
	}
	return Printable(text)
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
