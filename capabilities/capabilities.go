// Package capabilities derives from the initialize exchange which plan messages a client
// understands.
//
// The drafts of the Agent Client Protocol disagree about plans (CONTRIBUTING.md has a table of
// them). Three facts identify what a client understands: the protocol version of the agent's
// response, the client's capability for plan operations, and the name of that capability.
// [ReadRequest] and [ReadResult] read them and [Settings.Client] returns the [Client], which
// holds the plan messages that the client understands. [Announcement.Edit] changes the capabilities that
// the agent receives.
//
//	initialize                                       plan messages
//	response with protocolVersion 2 or more          plan_update of any type but file,
//	                                                 plan_removed; not plan
//	version 1, and the request has an object         plan, plan_update of items and markdown,
//	"plan" or "planCapabilities"                     plan_removed
//	version 1 otherwise                              plan
//
// A value that is neither an object nor null does not advertise anything; the proxy warns about it.
// The decisive version is the one used towards the client. Members of both versions are read in
// every request, because some clients mix them. A client with members of version 1 only counts as
// version 1, whatever number it sends, and so does an agent without members of version 2. Version 2
// has the id of a plan in "planId", a client that advertises only planCapabilities expects it in
// "id", and all others receive both. The flag --client, see [Settings], overrides all of this.
//
// CONTRIBUTING.md describes the changes for a new draft.
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

// PlanID is a set of members that carry the id of a plan; the drafts disagree on the name. A
// message gets all members of the set, and a client ignores the unknown one.
type PlanID uint8

// The members of the set, the latest first.
const (
	PlanIDNew PlanID = 1 << iota // "planId", since July 2026
	PlanIDOld                    // "id", before

	PlanIDBoth = PlanIDNew | PlanIDOld
)

// planIDMembers has the names by bit of PlanID.
var planIDMembers = [...]string{"planId", "id"}

// PlanIDMembers is the number of members that can carry the id of a plan. If an agent sends
// several, the first counts.
const PlanIDMembers = len(planIDMembers)

// PlanIDMember returns the name of the i-th member.
func PlanIDMember(i int) string { return planIDMembers[i] }

// Has reports whether the i-th member is in the set.
func (p PlanID) Has(i int) bool { return p&(1<<i) != 0 }

// Client describes the plan messages that a client understands. The zero value stands for a
// client before initialize, whose traffic is not translated.
type Client struct {
	Shows    Shows  // the plan messages it understands
	PlanID   PlanID // the members that carry a plan's id
	Version2 bool   // it uses version 2: any status and priority of an entry (version 1: three of each), and messages with ids

	ShowsContent bool // see ClientProfile
	PlanCards    bool // see ClientProfile
}

// Known reports whether c is not the zero value.
func (c Client) Known() bool { return c.Shows != 0 }

// Legacy reports whether the client understands "plan" only.
func (c Client) Legacy() bool { return c.Shows&Items == 0 }

// String returns the value of --client that selects the same messages.
func (c Client) String() string {
	switch {
	case !c.Known():
		return "unknown"
	case c.Legacy():
		return "legacy"
	case c.Shows&Custom != 0:
		return "v2"
	case c.Shows|Plan == latest(1):
		return "ops"
	}
	return strings.Join(c.Shows.Names(), ",")
}

// listNames has the names that a list for --client accepts, by bit of Shows; "" for none.
var listNames = []string{"", "items", "markdown", "file", "", "removed"}

// Names returns the names of the members that a list for --client accepts.
func (s Shows) Names() []string { return namesIn(listNames, uint8(s)) }

// namesIn returns names[i] for each bit i of set.
func namesIn(names []string, set uint8) (selected []string) {
	for i, name := range names {
		if name != "" && set&(1<<i) != 0 {
			selected = append(selected, name)
		}
	}
	return selected
}

// readSet is the inverse of namesIn for a comma-separated list.
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
