package view

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/proxy/trace"
	"acp-plan-proxy/transport/rawjson"
)

// Text prints the plan messages in the recording, one a line; if the proxy joins
// two versions in it, all messages from there on, with a bracket around each turn. If
// there are none, it prints what else is in the recording.
// With color it uses ANSI escape sequences.
func (r Recording) Text(w io.Writer, color bool) error {
	recording, err := r.open()
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	defer recording.Close()
	t := timeline{out: bufio.NewWriter(w), Painter: terminal.Painter(color), sessions: make(map[uint64]int), seed: maphash.MakeSeed(),
		kinds:   make(map[string]int),
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
	last       place // of the message that was counted last
	messages   int
	kinds      map[string]int // of messages, and how many there are of each
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

	hidden  bool   // it is not printed, unless something else is that left in its place
	sent    int    // how many messages left in its place
	first   string // what the first of them says
	renamed bool   // what left is another message than the one that came in
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
	t.count(e)
	line, isPlan := t.entryOf(e)
	shown := isPlan && e.To != trace.Agent || t.joined
	if h := t.held; h != nil && e.From == trace.Proxy && (e.To == trace.Agent) == h.toAgent && e.Seconds-h.seconds <= sameTime {
		h.hidden = h.hidden && !shown
		if h.sent++; h.sent == 1 {
			h.first = line.left
		}
		h.renamed = h.renamed || isPlan || line.left != h.left
		return
	}
	// The events of one message are next to each other: this one is of another.
	t.release("dropped")
	switch {
	case e.To == trace.Proxy:
		line.hidden = !shown
		t.held = &line
	case !shown:
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
	if line.hidden {
		return
	}
	action := otherwise
	if line.sent > 0 {
		action = "rewritten"
	}
	if line.renamed {
		action += " → " + line.first
	}
	if line.sent > 1 {
		action += fmt.Sprintf(" and %d more", line.sent-1)
	}
	t.print(line, action)
}

func (t *timeline) end() {
	// What follows a message that was dropped is not there either.
	t.release("not known: the recording ends here")
	if t.printed == 0 {
		t.printKinds()
	}
	if t.unreadable > 0 {
		fmt.Fprintf(t.out, "%s could not be read.\n", counted(t.unreadable, "line"))
	}
}

const (
	maxKinds     = 256 // that are counted
	maxKindsSaid = 20
)

// count counts an event's message, by its kind, unless it is what left in the place of
// another.
func (t *timeline) count(e trace.Event) {
	now := place{atProxy: e.To == trace.Proxy, toAgent: !toClient(e), seconds: e.Seconds}
	switch e.From {
	case trace.Client, trace.Agent:
	case trace.Proxy:
		if t.last.atProxy && t.last.toAgent == now.toAgent && e.Seconds-t.last.seconds <= sameTime {
			return
		}
	default: // a proxy of a chain passes it on
		return
	}
	t.last = now
	kind := e.Method
	switch {
	case e.Type == trace.Response && e.IsError:
		kind = "errors"
	case e.Type == trace.Response:
		kind = "answers"
	case e.Method == "session/update":
		kind += ", " + asText(member(member(e.Params, "update"), "sessionUpdate"))
	}
	t.messages++
	if kind = brief(kind); t.kinds[kind] > 0 || len(t.kinds) < maxKinds {
		t.kinds[kind]++
	}
}

// A place is where a message is on its way, and when.
type place struct {
	atProxy, toAgent bool
	seconds          float64
}

// printKinds prints what is in a recording without plans.
func (t *timeline) printKinds() {
	if t.messages == 0 {
		fmt.Fprintln(t.out, "No messages.")
		return
	}
	fmt.Fprintf(t.out, "No plan messages, but %s:\n", counted(t.messages, "other"))
	kinds := slices.SortedFunc(maps.Keys(t.kinds), func(a, b string) int {
		return cmp.Or(t.kinds[b]-t.kinds[a], strings.Compare(a, b))
	})
	rest := t.messages
	for _, kind := range kinds[:min(len(kinds), maxKindsSaid)] {
		fmt.Fprintf(t.out, "%6d  %s\n", t.kinds[kind], kind)
		rest -= t.kinds[kind]
	}
	if rest > 0 {
		fmt.Fprintf(t.out, "%6d  of other kinds\n", rest)
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
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
	fmt.Fprintf(t.out, "%s %10s  %-7s  %s  %s\n",
		t.Paint(terminal.Dim, fmt.Sprintf("%6d", line.number)), clock(line.seconds), name, line.what, t.Paint(color, action))
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
