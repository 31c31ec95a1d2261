package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"acp-plan-proxy/proxy/terminal"
)

// An editor is what the scripted client has on its screen: the plans it was
// sent, in the order in which they appeared.
type editor []plan

type plan struct {
	ID      string `json:"planId"`
	OldID   string `json:"id"`
	Type    string
	Entries []entry
	Content string
	URI     string
}

type entry struct{ Content, Priority, Status string }

// apply applies an update as clients do.
func (e *editor) apply(update string) {
	var u struct {
		SessionUpdate string
		plan
		Plan plan
	}
	json.Unmarshal([]byte(update), &u)
	switch u.SessionUpdate {
	case "plan":
		*e = editor{{Type: "items", Entries: u.Entries}}
	case "plan_update":
		p := u.Plan
		p.ID = cmp.Or(p.ID, p.OldID)
		if i := e.index(p.ID); i >= 0 {
			(*e)[i] = p
		} else {
			*e = append(*e, p)
		}
	case "plan_removed":
		if i := e.index(cmp.Or(u.ID, u.OldID)); i >= 0 {
			*e = slices.Delete(*e, i, i+1)
		}
	}
}

func (e editor) index(id string) int {
	return slices.IndexFunc(e, func(p plan) bool { return p.ID == id })
}

// draw draws the plans.
func (e editor) draw(s *screen) {
	s.label("editor shows")
	if len(e) == 0 {
		s.println("    (no plan)")
	}
	for _, p := range e {
		title := cmp.Or(p.ID, "Plan")
		switch p.Type {
		case "items":
			s.bar(title, p.Entries)
			for _, entry := range p.Entries {
				s.entry(entry)
			}
		case "markdown":
			s.println("    " + title + " (markdown)")
			for line := range strings.Lines(p.Content) {
				s.println("      │ " + strings.TrimRight(line, "\n"))
			}
		case "file":
			s.println("    " + title + " (file) " + p.URI)
		}
	}
}

// bar draws a plan's title and how much of it is done.
func (s *screen) bar(title string, entries []entry) {
	const cells = 20
	done := 0
	for _, e := range entries {
		if e.Status == "completed" {
			done++
		}
	}
	full := cells * done / max(1, len(entries))
	s.println(fmt.Sprintf("    %s %s%s %d of %d", title,
		s.Paint(terminal.Green, strings.Repeat("█", full)), s.Paint(terminal.Dim, strings.Repeat("░", cells-full)), done, len(entries)))
}

// entry draws one entry: its status, its text, and its priority if that is
// not medium.
func (s *screen) entry(e entry) {
	mark, color := "○", terminal.Color("")
	switch e.Status {
	case "completed":
		mark, color = "✓", terminal.Green
	case "in_progress":
		mark, color = "▸", terminal.Yellow
	case "cancelled":
		mark, color = "✗", terminal.Dim
	}
	text := "    " + s.Paint(color, mark) + " " + e.Content
	if e.Priority != "medium" {
		text += s.Paint(terminal.Dim, "  "+e.Priority)
	}
	s.println(text)
}
