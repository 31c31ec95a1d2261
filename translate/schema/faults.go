package schema

import (
	"cmp"
	"slices"
	"strconv"
)

// A rule is what a value can be against.
type rule uint8

const (
	wrongType rule = iota
	wrongValue
	wrongForm
	lacks
	tooShort
	tooSmall
	tooBig
	forbidden
	ambiguous
)

// A fault is one thing that is not allowed in a value.
type fault struct {
	rule rule
	at   []string // the place in the value
	of   *schema  // the one that does not allow it

	// What would be allowed, or what is missing.
	types, missing []string
	values         []any
	form           string
	least, most    float64
}

// maxFaults is how many faults are enough: a message can have one a byte.
const maxFaults = 100

// faults are those that were found so far. Without a limit only whether there are any is of
// interest.
type faults struct {
	at    []string
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
	other := fault{rule: forbidden, at: slices.Clone(c.at)}
	var sure certainty
	for _, branch := range branches {
		tried := faults{at: slices.Clip(c.at), limit: maxFaults}
		branch.check(value, &tried)
		found, ruledOut := tried.found, unsure
		for _, f := range found {
			by := f.rulesOut(branch, len(c.at))
			ruledOut = max(ruledOut, by)
			switch {
			case by > sure:
				other, sure = f, by
			case by == sure && by > byOther && slices.Equal(f.at, other.at):
				other.values, other.types = append(slices.Clip(other.values), f.values...), appendNew(other.types, f.types)
			}
		}
		if ruledOut > unsure {
			continue
		}
		missing, depth := weigh(found, branch)
		if best == nil || missing < least || missing == least && depth > deepest {
			best, least, deepest = withoutTag(found, branch), missing, depth
		}
	}
	if best == nil {
		best = []fault{other}
	}
	c.found = append(c.found, best[:min(len(best), c.limit-len(c.found))]...)
}

// A certainty is how surely a fault of a branch tells that another one is meant.
type certainty uint8

const (
	unsure  certainty = iota
	byOther           // it is forbidden
	byType
	byTag
	byValue
)

// rulesOut returns how surely a fault of a branch tells that another one is meant.
func (f fault) rulesOut(branch *schema, depth int) certainty {
	isHere := len(f.at) == depth
	switch {
	case f.rule == wrongValue && isHere:
		return byValue
	case f.rule == wrongValue && branch.tag != "" && f.of == branch.property(branch.tag):
		return byTag
	case f.rule == wrongType && isHere:
		return byType
	case f.rule == forbidden && isHere:
		return byOther
	}
	return unsure
}

// withoutTag returns the fault of a branch that is for want of its tag, if there is
// one: what else that branch wants may not be meant. It returns all faults otherwise.
func withoutTag(found []fault, branch *schema) []fault {
	for i, f := range found {
		if f.rule == lacks && f.of == branch && slices.Contains(f.missing, branch.tag) {
			return found[i : i+1]
		}
	}
	return found
}

// weigh returns how many things a branch lacks, or has otherwise, and how deep the deepest
// of them is: what is deep in a branch fits the rest of it.
func weigh(found []fault, branch *schema) (missing, depth int) {
	for _, f := range found {
		missing += max(1, len(f.missing))
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
func (f fault) path() []string {
	if f.rule == lacks {
		return append(slices.Clip(f.at), f.missing[0])
	}
	return f.at
}

// inOrder compares two places in a value. The elements of arrays are in their order.
func inOrder(a, b []string) int {
	return slices.CompareFunc(a, b, func(a, b string) int {
		i, errI := strconv.Atoi(a)
		j, errJ := strconv.Atoi(b)
		if errI == nil && errJ == nil {
			return cmp.Compare(i, j)
		}
		return cmp.Compare(a, b)
	})
}
