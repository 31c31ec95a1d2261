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
			s.println("    " + title + " " + s.paint(bar(p.Entries, 20)))
			for _, entry := range p.Entries {
				s.println("    " + s.paint(entry.line()))
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

// A spans is a line of text in pieces, each in its colour.
type spans []span

type span struct {
	color terminal.Color
	text  string
}

// bar returns how much of a plan is done, drawn with so many cells and said in words.
func bar(entries []entry, cells int) spans {
	done := 0
	for _, e := range entries {
		if e.Status == "completed" {
			done++
		}
	}
	full := cells * done / max(1, len(entries))
	return spans{{terminal.Green, strings.Repeat("█", full)}, {terminal.Dim, strings.Repeat("░", cells-full)},
		{"", fmt.Sprintf(" %d of %d", done, len(entries))}}
}

// line returns the entry on one line: its status, its text, and its priority if that is
// not medium.
func (e entry) line() spans {
	text := spans{mark(e.Status), {"", " " + e.Content}}
	if e.Priority != "medium" {
		text = append(text, span{terminal.Dim, "  " + e.Priority})
	}
	return text
}

// mark returns the sign of a status.
func mark(status string) span {
	switch status {
	case "completed":
		return span{terminal.Green, "✓"}
	case "in_progress":
		return span{terminal.Yellow, "▸"}
	case "cancelled":
		return span{terminal.Dim, "✗"}
	}
	return span{"", "○"}
}
