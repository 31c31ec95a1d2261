package capabilities

import "slices"

// A Draft describes plans in one draft of the protocol.
type Draft struct {
	Schema     string // name in package schema; "" if it has none
	Version    int    // version of the protocol
	Capability string // client capability that selects the draft; "" if the version suffices
	Shows      Shows  // the plan messages that it defines
	PlanID     PlanID // the member with the id of a plan; 0 if plans have none
}

// drafts lists the drafts in use, the latest of each version first. Initialize does not
// distinguish all of them. A client is therefore assumed to understand the messages of every
// draft that it may implement, except those that the latest draft of its version has removed.
// Its plans carry their ids in the members of all these drafts.
var drafts = [...]Draft{
	{"", 2, "", Items | Markdown | Custom | Removed, PlanIDNew},                   // since November 2026
	{"v2.unstable", 2, "", Items | Markdown | File | Custom | Removed, PlanIDNew}, // since July 2026
	{"v2", 2, "", Items | Custom, PlanIDNew},                                      // since July 2026

	{"", 1, "plan", Plan | Items | Markdown | Removed, PlanIDNew},                                          // since November 2026
	{"v1.unstable", 1, "plan", Plan | Items | Markdown | File | Removed, PlanIDNew},                        // since July 2026
	{"v1.unstable.2026-06-05", 1, "plan", Plan | Items | Markdown | File | Removed, PlanIDOld},             // since June 2026
	{"v1.unstable.2026-05-27", 1, "planCapabilities", Plan | Items | Markdown | File | Removed, PlanIDOld}, // since May 2026
	{"v1", 1, "", Plan, 0}, // since August 2025
}

// Drafts returns the known drafts, the latest of each version first.
func Drafts() []Draft { return slices.Clone(drafts[:]) }

// latest returns the plan messages of the latest draft of a version.
func latest(version int) Shows {
	return drafts[slices.IndexFunc(drafts[:], func(d Draft) bool { return d.Version == version })].Shows
}

// operations lists the names of the capability for plan operations in version 1, the latest
// first.
var operations = [...]string{"plan", "planCapabilities"}
