// Package capabilities reads from the initialize exchange what a client can
// show of an agent's plan.
//
// The Agent Client Protocol has carried plans in several ways since 2025 (see
// the table of drafts in CONTRIBUTING.md). Which of them a client
// understands follows from three things: the protocol version in the agent's
// answer to initialize, the client's capability for plan operations, and the
// name under which it was advertised. [ReadRequest] and [ReadAnswer] read
// these, [Settings.Client] draws the conclusion, and the rest of the program
// knows only the [Client] that comes out. [Told.Edit] edits what the
// agent is told.
//
//	initialize says                                  the client shows
//	the answer has protocolVersion 2 or more         plan_update of any type but file,
//	                                                 plan_removed; not plan
//	version 1, and the request advertises            plan, plan_update of items and markdown,
//	"plan" or "planCapabilities" by an object        plan_removed
//	version 1, and it does not                       plan
//
// A value that is neither an object nor null is not an advertisement, and the
// user is told. The version that counts is the one spoken towards the client.
// Fields of version 1 and 2 are read wherever they are, as some clients mix the
// two. A client or agent that has only fields of version 1 speaks version 1,
// whatever number it gives. The id of a plan is in "planId" for version 2, in "id"
// for a client that advertises planCapabilities alone, and in both otherwise. The
// flag --client, see [Settings], takes precedence over all of this.
//
// A new draft of the protocol is another row of the table in drafts.go, and in package
// translate/plans only if it brings a new type of plan.
package capabilities

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

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

	all Shows = 1<<iota - 1
)

// PlanID is a set of members by which a client may know the id of a plan; the
// drafts disagree. Each message gets all of them: clients keep the one they know
// and ignore the others.
type PlanID uint8

// The members of the set, the latest first.
const (
	PlanIDNew PlanID = 1 << iota // "planId", since July 2026
	PlanIDOld                    // "id", before

	PlanIDBoth = PlanIDNew | PlanIDOld
)

// planIDMembers are their names, in the same order.
var planIDMembers = [...]string{"planId", "id"}

// PlanIDMembers is how many members can carry the id of a plan. Where an agent
// sends several, the first counts.
const PlanIDMembers = len(planIDMembers)

// PlanIDMember returns the name of the i-th member.
func PlanIDMember(i int) string { return planIDMembers[i] }

// Has reports whether the i-th member is in the set.
func (p PlanID) Has(i int) bool { return p&(1<<i) != 0 }

// Client is what a client can show, whatever version of the protocol it speaks.
// The zero value is a client that nothing is known about yet; the proxy leaves
// its traffic alone.
type Client struct {
	Shows    Shows  // the plan messages it understands
	PlanID   PlanID // the members that carry a plan's id
	AnyEntry bool   // it shows entries of any status and priority; others accept only three of each

	ShowsContent bool // it shows the content of a permission request whole
	PlanCards    bool // it draws a new card for each "plan"
}

// Known reports whether it is known what the client can show.
func (c Client) Known() bool { return c.Shows != 0 }

// Legacy reports whether the client understands "plan" only.
func (c Client) Legacy() bool { return c.Shows&Items == 0 }

// String names the client as the flag --client does.
func (c Client) String() string {
	switch {
	case !c.Known():
		return "unknown"
	case c.Legacy():
		return "legacy"
	case c.Shows&Custom != 0:
		return "v2"
	case c.Shows|Plan == Latest(1):
		return "ops"
	}
	return strings.Join(c.Shows.Names(), ",")
}

// listed are the names of what a list for --client can have, by the bits of Shows.
var listed = []string{"", "items", "markdown", "file", "", "removed"}

// Names returns the names of what is in the set and can be in a list.
func (s Shows) Names() []string { return namesIn(listed, uint8(s)) }

// namesIn returns the names of a set whose bit i is the i-th.
func namesIn(names []string, set uint8) (in []string) {
	for i, name := range names {
		if name != "" && set&(1<<i) != 0 {
			in = append(in, name)
		}
	}
	return in
}

// readSet reads a list of names, with commas between, as the set of them.
func readSet(names []string, list string) (set uint8, err error) {
	for name := range strings.SplitSeq(list, ",") {
		i := slices.Index(names, name)
		if i < 0 || name == "" {
			return 0, fmt.Errorf("%q is not a list of %s", list, strings.Join(namesIn(names, math.MaxUint8), ", "))
		}
		set |= 1 << i
	}
	return set, nil
}
