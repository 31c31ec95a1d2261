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

// faults are those that were found so far. A nil one takes none.
type faults struct {
	at    []string
	found []fault
}

// enough reports whether more faults are not wanted.
func (c *faults) enough() bool { return c == nil || len(c.found) >= maxFaults }

// note adds a fault. It returns false.
func (c *faults) note(f fault) bool {
	if !c.enough() {
		f.at = slices.Clone(c.at)
		c.found = append(c.found, f)
	}
	return false
}

// noteAll adds the faults of the branch that a value means, given all branches of
// which none allows it. If the value means none, the fault says what it could be. It
// returns false.
func (c *faults) noteAll(branches []*schema, value any) bool {
	if c.enough() {
		return false
	}
	var best, all []fault
	var meant *schema
	var least weight
	for _, branch := range branches {
		tried := faults{at: slices.Clip(c.at)}
		branch.check(value, &tried)
		all = append(all, tried.found...)
		isOther := slices.ContainsFunc(tried.found, func(f fault) bool { return f.rulesOut(branch, len(c.at)) })
		if against := weigh(tried.found, branch); !isOther && (meant == nil || against.less(least)) {
			best, meant, least = tried.found, branch, against
		}
	}
	if meant == nil {
		best = c.joined(branches, all)
	} else {
		best = withoutTag(best, meant)
	}
	c.found = append(c.found, best[:min(len(best), maxFaults-len(c.found))]...)
	return false
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

// rulesOut reports whether a fault of a branch tells that another one is meant.
func (f fault) rulesOut(branch *schema, depth int) bool {
	if len(f.at) == depth {
		return f.rule == wrongType || f.rule == wrongValue || f.rule == forbidden
	}
	return f.isTag(branch)
}

func (f fault) isTag(branch *schema) bool {
	return f.rule == wrongValue && branch.tag != "" && f.of == branch.property(branch.tag)
}

// A weight is what speaks against a branch.
type weight struct {
	missing int // and other faults
	depth   int // of the deepest fault: what is deep in a branch fits the rest of it
}

func weigh(found []fault, branch *schema) (w weight) {
	for _, f := range found {
		w.missing += max(1, len(f.missing))
		w.depth = max(w.depth, len(f.at))
	}
	if len(withoutTag(found, branch)) < len(found) {
		w.missing++ // there may be a branch that has none
	}
	return w
}

func (w weight) less(other weight) bool {
	return w.missing < other.missing || w.missing == other.missing && w.depth > other.depth
}

// joined makes one fault of those of all branches: it says which values there could be,
// or which tags, or which types.
func (c *faults) joined(branches []*schema, all []fault) []fault {
	depth := len(c.at)
	itself := func(f fault) bool { return f.rule == wrongValue && len(f.at) == depth }
	tagged := func(f fault) bool {
		return slices.ContainsFunc(branches, func(branch *schema) bool { return f.isTag(branch) })
	}
	typed := func(f fault) bool { return f.rule == wrongType && len(f.at) == depth }
	for _, of := range []func(fault) bool{itself, tagged, typed} {
		first := slices.IndexFunc(all, of)
		if first < 0 {
			continue
		}
		one := fault{rule: all[first].rule, at: all[first].at}
		for _, f := range all {
			if of(f) && slices.Equal(f.at, one.at) {
				one.values = append(one.values, f.values...)
				one.types = appendNew(one.types, f.types)
			}
		}
		return []fault{one}
	}
	return []fault{{rule: forbidden, at: slices.Clone(c.at)}}
}

func appendNew(names, more []string) []string {
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
