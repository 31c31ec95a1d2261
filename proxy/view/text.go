package view

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/proxy/trace"
)

// Text prints the plan messages in the recording, one a line. With color it
// uses ANSI escape sequences.
func Text(w io.Writer, file string, color bool) error {
	recording, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	defer recording.Close()
	t := timeline{out: bufio.NewWriter(w), Painter: terminal.Painter(color), sessions: make(map[string]int)}
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
	out        *bufio.Writer
	sessions   map[string]int
	held       *entry // a message at the proxy
	printed    int
	unreadable int
}

// An entry is a line of the timeline.
type entry struct {
	event  trace.Event
	update planUpdate
	sent   []planUpdate
}

// A planUpdate is what a line says of a plan. A member that the message lacks, or
// has in another form than expected, is zero.
type planUpdate struct {
	kind, plan, form string
	done, total      int
	counts           bool // there are entries to be counted
}

func (t *timeline) add(e trace.Event) {
	update, ok := readPlanUpdate(e)
	if e.From == trace.Proxy && e.To != trace.Agent {
		if t.held != nil && ok {
			t.held.sent = append(t.held.sent, update)
		}
		return
	}
	// The events of one message are next to each other: this one is of another.
	t.release("dropped")
	if !ok || e.To == trace.Agent {
		return
	}
	if e.To == trace.Proxy {
		t.held = &entry{event: e, update: update}
		return
	}
	line := entry{event: e, update: update}
	action := "forwarded"
	if e.From != trace.Agent || e.To != trace.Client {
		action = Printable(string(e.From)) + " → " + Printable(string(e.To))
	}
	t.print(line, action)
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
		action += " → " + u.String()
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
	session := line.session()
	if _, ok := t.sessions[session]; !ok {
		t.sessions[session] = len(t.sessions) + 1
		fmt.Fprintln(t.out, t.Paint(terminal.Dim, fmt.Sprintf("%26s = %s", fmt.Sprintf("S%d", t.sessions[session]), Printable(session))))
	}
	plan := "(no id)"
	if line.update.plan != "" {
		plan = Printable(line.update.plan)
	}
	done := ""
	if line.update.counts {
		done = fmt.Sprintf("%d/%d", line.update.done, line.update.total)
	}
	color := terminal.Color("")
	switch {
	case strings.HasPrefix(action, "rewritten"):
		color = terminal.Cyan
	case action == "dropped":
		color = terminal.Red
	}
	fmt.Fprintf(t.out, "%s %10.3f  %-7s  %s  %s  %-5s  %s\n",
		t.Paint(terminal.Dim, fmt.Sprintf("%6d", line.event.Line)), line.event.Seconds, fmt.Sprintf("S%d", t.sessions[session]),
		t.Paint(terminal.Bold, column(plan, 20)), column(Printable(line.update.form), 8), done, t.Paint(color, action))
}

func (e entry) session() string {
	if e.event.Session != "" {
		return e.event.Session
	}
	var params struct {
		Session string `json:"sessionId"`
	}
	// Params of another shape have no session.
	_ = json.Unmarshal(e.event.Params, &params)
	return params.Session
}

// String says what the client got.
func (u planUpdate) String() string {
	switch {
	case u.kind == "plan_removed":
		return "removal of " + Printable(u.plan)
	case u.kind == "plan":
		return fmt.Sprintf("plan, %d entries", u.total)
	case u.counts:
		return fmt.Sprintf("%s, %d entries", Printable(u.plan), u.total)
	}
	return Printable(u.plan + ", " + u.form)
}

// readPlanUpdate reads what a session/update notification says of a plan. It
// reports false if the event is not one or does not concern a plan.
func readPlanUpdate(e trace.Event) (planUpdate, bool) {
	type entries []struct {
		Status json.RawMessage `json:"status"`
	}
	var params struct {
		Update json.RawMessage `json:"update"`
	}
	var u struct {
		Kind    string          `json:"sessionUpdate"`
		Entries entries         `json:"entries"`
		Plan    json.RawMessage `json:"plan"`
	}
	var plan struct {
		Type    string  `json:"type"`
		Entries entries `json:"entries"`
	}
	if e.Type != trace.Notification || e.Method != "session/update" {
		return planUpdate{}, false
	}
	// What does not fit stays zero.
	_ = json.Unmarshal(e.Params, &params)
	_ = json.Unmarshal(params.Update, &u)
	_ = json.Unmarshal(u.Plan, &plan)
	update := planUpdate{kind: u.Kind}
	list := u.Entries
	switch u.Kind {
	case "plan":
		update.form = "plan"
	case "plan_update":
		update.form, update.plan, list = plan.Type, planID(u.Plan), plan.Entries
	case "plan_removed":
		update.form, update.plan = "removed", planID(params.Update)
	default:
		return planUpdate{}, false
	}
	update.counts = list != nil
	update.total = len(list)
	for _, entry := range list {
		if asText(entry.Status) == "completed" {
			update.done++
		}
	}
	return update, true
}

// planID returns the id of the plan in an object that has it as a member.
func planID(object json.RawMessage) string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(object, &members) // a value of another type has none
	for i := range capabilities.PlanIDMembers {
		if id, ok := members[capabilities.PlanIDMember(i)]; ok {
			return asText(id)
		}
	}
	return ""
}

// asText returns a JSON value as text: strings as they are.
func asText(value json.RawMessage) string {
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
