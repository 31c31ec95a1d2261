package schema

import (
	"cmp"
	"fmt"
	"slices"
)

// A rule is what a value can be against, in the order of how surely that tells of a branch
// of a choice that another branch is meant.
type rule uint8

const (
	other rule = iota
	lacks      // members
	forbidden
	wrongType
	wrongTag
	wrongValue
)

// A fault is one thing that is not allowed in a value.
type fault struct {
	rule  rule
	at    []step  // the place of what is wrong
	of    *schema // of members that are missing, or of a wrong value: the one that does not allow it
	value any
	want  []string // what the value must be, or the members that are missing
	is    string   // what the value is, if want does not say it
}

// A step leads into an array or an object.
type step struct {
	index int // from 1; 0 for a member
	name  string
}

func (s step) compare(other step) int {
	return cmp.Or(cmp.Compare(s.index, other.index), cmp.Compare(s.name, other.name))
}

// maxFaults is how many faults are enough: a message can have one a byte.
const maxFaults = 100

// faults are those that were found so far. Without a limit only whether there are any is of
// interest.
type faults struct {
	at    []step
	limit int // of those that are kept
	found []fault
	any   bool
}

// enough reports whether more faults are not wanted.
func (c *faults) enough() bool { return c.any && len(c.found) >= c.limit }

// note adds a fault.
func (c *faults) note(f fault) {
	if c.any = true; !c.enough() {
		f.at = slices.Clone(c.at)
		c.found = append(c.found, f)
	}
}

// within notes that something is too short, or too long.
func (c *faults) within(least float64, most *float64, length int) {
	switch {
	case most != nil && float64(length) > *most:
		c.note(fault{is: fmt.Sprintf("too long: it must have a length of %v", *most)})
	case float64(length) >= least:
	case least == 1:
		c.note(fault{is: "empty"})
	default:
		c.note(fault{is: fmt.Sprintf("too short: it must have a length of %v", least)})
	}
}

// noteAll adds the faults of the branch that a value means, given all branches of
// which none allows it, such as
//
//	{"type":"text"}        the one whose tag it has: text is missing
//	{"name":"a"}           the one that lacks least, if it has no tag
//	{"type":"picture"}     none: the tag must be text, image or audio
//	"high"                 none: it must be an object or null
func (c *faults) noteAll(branches []*schema, value any) {
	if c.any = true; c.enough() {
		return
	}
	var best []fault
	var least, deepest int
	sure := fault{at: slices.Clone(c.at), value: value}
	for _, branch := range branches {
		tried := faults{at: slices.Clip(c.at), limit: maxFaults}
		branch.check(value, &tried)
		found, ruledOut := tried.found, other
		for _, f := range found {
			f.rule = f.rulesOut(branch, len(c.at))
			ruledOut = max(ruledOut, f.rule)
			switch {
			case f.rule > sure.rule:
				sure = f
			case f.rule == sure.rule && f.rule > forbidden && slices.Equal(f.at, sure.at):
				sure.want = appendNew(sure.want, f.want)
			}
		}
		if ruledOut > other {
			continue
		}
		missing, depth := weigh(found, branch)
		if best == nil || missing < least || missing == least && depth > deepest {
			best, least, deepest = withoutTag(found, branch), missing, depth
		}
	}
	if best == nil {
		best = []fault{sure}
	}
	c.found = append(c.found, best[:min(len(best), c.limit-len(c.found))]...)
}

// rulesOut returns how surely a fault of a branch tells that another one is meant.
func (f fault) rulesOut(branch *schema, depth int) rule {
	switch {
	case len(f.at) == depth && f.rule != lacks:
		return f.rule
	case f.rule == wrongValue && f.of == branch.Properties[branch.tag]:
		return wrongTag
	}
	return other
}

// withoutTag returns the fault of a branch that is for want of its tag, if there is
// one: what else that branch wants may not be meant. It returns all faults otherwise.
func withoutTag(found []fault, branch *schema) []fault {
	for i, f := range found {
		if f.rule == lacks && f.of == branch && slices.Contains(f.want, branch.tag) {
			return found[i : i+1]
		}
	}
	return found
}

// weigh returns how many things a branch lacks, or has otherwise, and how deep the deepest
// of them is: what is deep in a branch fits the rest of it.
func weigh(found []fault, branch *schema) (missing, depth int) {
	for _, f := range found {
		missing++
		if f.rule == lacks {
			missing += len(f.want) - 1
		}
		depth = max(depth, len(f.at))
	}
	if len(withoutTag(found, branch)) < len(found) {
		missing++ // there may be a branch that has none
	}
	return missing, depth
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

// path returns where the fault is: a member that is missing has a place, too.
func (f fault) path() []step {
	if f.rule == lacks {
		return append(slices.Clip(f.at), step{name: f.want[0]})
	}
	return f.at
}
