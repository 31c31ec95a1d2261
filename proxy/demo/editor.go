package demo

import (
	"encoding/json"
	"slices"
	"strings"
)

// An editor is what the scripted client has on its screen: the plans it was
// sent, in the order in which they appeared.
type editor struct{ plans []plan }

type plan struct {
	ID      string  `json:"planId"`
	OldID   string  `json:"id"`
	Type    string  `json:"type"`
	Entries []entry `json:"entries"`
	Content string  `json:"content"`
	URI     string  `json:"uri"`
}

type entry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

// apply takes in a session update, as clients do.
func (e *editor) apply(update json.RawMessage) {
	var u struct {
		Kind    string  `json:"sessionUpdate"`
		Entries []entry `json:"entries"`
		Plan    plan    `json:"plan"`
		ID      string  `json:"planId"`
		OldID   string  `json:"id"`
	}
	if json.Unmarshal(update, &u) != nil {
		return
	}
	switch u.Kind {
	case "plan":
		e.plans = []plan{{Type: "items", Entries: u.Entries}}
	case "plan_update":
		if u.Plan.ID == "" {
			u.Plan.ID = u.Plan.OldID
		}
		i := slices.IndexFunc(e.plans, func(p plan) bool { return p.ID == u.Plan.ID })
		if i < 0 {
			e.plans = append(e.plans, u.Plan)
		} else {
			e.plans[i] = u.Plan
		}
	case "plan_removed":
		e.plans = slices.DeleteFunc(e.plans, func(p plan) bool { return p.ID == u.ID || p.ID == u.OldID })
	}
}

// draw draws the plans.
func (e *editor) draw(s *screen) {
	s.label("editor shows")
	if len(e.plans) == 0 {
		s.println("    (no plan)")
	}
	for _, p := range e.plans {
		title := p.ID
		if title == "" {
			title = "Plan"
		}
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
