package schema

import (
	"cmp"
	"fmt"
	"slices"
)

// A rule classifies faults. The later the rule, the more a fault suggests that the sender meant another
// branch of the oneOf or anyOf.
type rule uint8

const (
	other         rule = iota // none of the following, for example a length
	missingMember             // a required member is missing
	forbidden                 // the schema in "not" allows the value
	wrongType
	wrongTag   // the tag of a branch has another value; only excludingRule returns it
	wrongValue // not one of the listed values
)

// A fault is one violation of a schema.
type fault struct {
	rule        rule
	path        []step   // path of the value
	schema      *schema  // the violated schema, for missing members and wrong values
	value       any      // unset if a member is missing
	want        []string // descriptions of the allowed values, or the missing members
	description string   // description of the value, if want does not apply
}

// A step is one element of a path.
type step struct {
	index int // from 1; 0 for a member
	name  string
}

func (s step) compare(next step) int {
	return cmp.Or(cmp.Compare(s.index, next.index), cmp.Compare(s.name, next.name))
}

// maxFaults limits the faults of one message, which can have one per byte.
const maxFaults = 100

// A collector collects the faults of a message. With limit 0, it only records whether there are any.
type collector struct {
	path  []step // of the current value
	limit int    // maximum length of found
	found []fault
	any   bool // there is a fault
}

// enough reports whether further faults are of no use, because the limit is reached.
func (c *collector) enough() bool { return c.any && len(c.found) >= c.limit }

// note adds a fault at the current path.
func (c *collector) note(f fault) {
	c.any = true
	if !c.enough() {
		f.path = slices.Clone(c.path)
		c.found = append(c.found, f)
	}
}

// noteLength adds a fault if a length is out of range.
func (c *collector) noteLength(least float64, most *float64, length int) {
	switch {
	case most != nil && float64(length) > *most:
		c.note(fault{description: fmt.Sprintf("too long: it must have a length of %v", *most)})
	case float64(length) >= least:
	case least == 1:
		c.note(fault{description: "empty"})
	default:
		c.note(fault{description: fmt.Sprintf("too short: it must have a length of %v", least)})
	}
}

// noteBranch adds the faults of one branch for a value that no branch allows: the branch that the
// sender most likely meant. For example:
//
//	{"type":"text"}        the branch with that tag: text is missing
//	{"name":"a"}           without a tag: the branch with the fewest missing members
//	{"type":"picture"}     no branch: the tag must be text, image or audio
//	"high"                 no branch: it must be an object or null
func (c *collector) noteBranch(branches []*schema, value any) {
	c.any = true
	if c.enough() {
		return
	}
	var best []fault
	var least, deepest int
	strongest := fault{path: slices.Clone(c.path), value: value}
	for _, branch := range branches {
		tried := collector{path: slices.Clip(c.path), limit: maxFaults}
		branch.check(value, &tried)
		found, ruledOut := tried.found, other
		for _, f := range found {
			f.rule = f.excludingRule(branch, len(c.path))
			ruledOut = max(ruledOut, f.rule)
			switch {
			case f.rule > strongest.rule:
				strongest = f
			case f.rule == strongest.rule && f.rule > forbidden && slices.Equal(f.path, strongest.path):
				strongest.want = appendNew(strongest.want, f.want)
			}
		}
		if ruledOut > other {
			continue
		}
		missing, depth := weigh(found, branch)
		if best == nil || missing < least || missing == least && depth > deepest {
			best, least, deepest = onlyMissingTag(found, branch), missing, depth
		}
	}
	if best == nil {
		best = []fault{strongest}
	}
	c.found = append(c.found, best[:min(len(best), c.limit-len(c.found))]...)
}

// excludingRule returns the rule of a fault that excludes its branch, or other if the fault does not
// exclude the branch.
func (f fault) excludingRule(branch *schema, depth int) rule {
	switch {
	case len(f.path) == depth && f.rule != missingMember:
		return f.rule
	case f.rule == wrongValue && f.schema == branch.Properties[branch.tag]:
		return wrongTag
	}
	return other
}

// onlyMissingTag returns only the fault of a missing tag, if there is one, because the value may
// belong to another branch. Otherwise, it returns all faults.
func onlyMissingTag(found []fault, branch *schema) []fault {
	for i, f := range found {
		if f.rule == missingMember && f.schema == branch && slices.Contains(f.want, branch.tag) {
			return found[i : i+1]
		}
	}
	return found
}

// weigh returns the number of missing or wrong members of a branch, and the depth of the deepest
// fault. A deep fault means that the value fits the rest of the branch.
func weigh(found []fault, branch *schema) (faulty, depth int) {
	for _, f := range found {
		faulty++
		if f.rule == missingMember {
			faulty += len(f.want) - 1
		}
		depth = max(depth, len(f.path))
	}
	if len(onlyMissingTag(found, branch)) < len(found) {
		faulty++ // a branch without a tag may fit better
	}
	return faulty, depth
}

func appendNew(names, more []string) []string {
	names = slices.Clip(names)
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// fullPath returns the path of the fault, which ends with the first missing member, if any.
func (f fault) fullPath() []step {
	if f.rule == missingMember {
		return append(slices.Clip(f.path), step{name: f.want[0]})
	}
	return f.path
}
