package capabilities

import "slices"

// A Draft is what a draft of the protocol says of plans.
type Draft struct {
	Since      string // in words
	Schema     string // its name in package schema; "" if it is not there
	Version    int    // of the protocol
	Capability string // by which a client says that it knows the draft; "" if its version says so
	Shows      Shows  // the plan messages that there are
	PlanID     PlanID // the member with the id of a plan; 0 if plans have none
}

// drafts are the drafts that clients and agents speak, of each version the latest first.
// Initialize does not tell all of them apart. So a client is taken to show what any draft
// has that it may speak, unless the latest one of its version has it no more; and it gets
// the ids of plans in the members of all of them.
var drafts = [...]Draft{
	{"November 2026", "", 2, "", Items | Markdown | Custom | Removed, PlanIDNew},
	{"July 2026", "v2.unstable", 2, "", Items | Markdown | File | Custom | Removed, PlanIDNew},
	{"July 2026", "v2", 2, "", Items | Custom, PlanIDNew},

	{"November 2026", "", 1, "plan", Plan | Items | Markdown | Removed, PlanIDNew},
	{"July 2026", "v1.unstable", 1, "plan", Plan | Items | Markdown | File | Removed, PlanIDNew},
	{"June 2026", "v1.unstable.2026-06-05", 1, "plan", Plan | Items | Markdown | File | Removed, PlanIDOld},
	{"May 2026", "v1.unstable.2026-05-27", 1, "planCapabilities", Plan | Items | Markdown | File | Removed, PlanIDOld},
	{"August 2025", "v1", 1, "", Plan, 0},
}

// Drafts returns the drafts that are known, of each version the latest first.
func Drafts() []Draft { return slices.Clone(drafts[:]) }

// Latest returns what the latest draft of a version has.
func Latest(version int) Shows {
	return drafts[slices.IndexFunc(drafts[:], func(d Draft) bool { return d.Version == version })].Shows
}

// operations are the capabilities by which clients of version 1 say that they know plan
// operations, the latest first.
var operations = [...]string{"plan", "planCapabilities"}
