// Package capabilities reads from the initialize exchange what a client can
// show of an agent's plan.
//
// The Agent Client Protocol has carried plans in several ways since 2025 (see
// the table of dialects in CONTRIBUTING.md). Which of them a client
// understands follows from three things: the protocol version in the agent's
// answer to initialize, the client's capability for plan operations, and under
// which name it was advertised. [ReadRequest] and [ReadAnswer] read these,
// [Settings.Client] draws the conclusion, and the rest of the program knows
// only the [Client] that comes out. [Policy.Advertise] edits what the agent is told.
//
// A new draft of the protocol is added here, as another way to arrive at a
// Client, and in package translate only if it brings a new shape of plan.
package capabilities

import "strings"

// Shows is a set of plan messages that a client understands.
type Shows uint8

// The members of the set.
const (
	Plan     Shows = 1 << iota // the session update "plan"
	Items                      // "plan_update" of type "items"
	Markdown                   // "plan_update" of type "markdown"
	File                       // "plan_update" of type "file"
	Custom                     // "plan_update" of any other type
	Removed                    // "plan_removed"
)

// operations is what a client of the plan operations draft shows.
const operations = Items | Markdown | File | Removed

// PlanID says by which member a client knows the id of a plan; the drafts
// disagree.
type PlanID uint8

// The spellings. PlanIDBoth puts both members into each message: clients keep
// the one they know and ignore the other.
const (
	PlanIDBoth PlanID = iota
	PlanIDNew         // "planId", since July 2026
	PlanIDOld         // "id", before
)

// Client is what a client can show. The zero value is a client of which
// nothing is known yet; its traffic is left alone.
type Client struct {
	Version int    // protocol version of the connection; 0 if nothing was negotiated
	Shows   Shows  // the plan messages it understands
	PlanID  PlanID // the member that carries a plan's id
}

// Known reports whether anything was negotiated.
func (c Client) Known() bool { return c.Version > 0 }

// Legacy reports whether the client understands "plan" only.
func (c Client) Legacy() bool { return c.Shows&Items == 0 }

// FixedEntries reports whether the client knows just the three statuses and
// three priorities of protocol version 1 and rejects entries with others.
func (c Client) FixedEntries() bool { return c.Version < 2 }

// String names the client as the flag --client does.
func (c Client) String() string {
	switch {
	case !c.Known():
		return "unknown"
	case c.Legacy():
		return "legacy"
	case c.Shows&Custom != 0:
		return "v2"
	case c.Shows&operations == operations:
		return "ops"
	}
	var names []string
	for _, s := range listed {
		if c.Shows&s.shows != 0 {
			names = append(names, s.name)
		}
	}
	return strings.Join(names, ",")
}

// listed are the names that make up a list for --client.
var listed = [...]struct {
	name  string
	shows Shows
}{{"items", Items}, {"markdown", Markdown}, {"file", File}, {"removed", Removed}}
