package judge

import (
	"iter"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/schema"
)

// draftsOf returns the drafts of each version that have a schema, the latest first.
func draftsOf() map[int][]string {
	names := make(map[int][]string)
	for _, d := range capabilities.Drafts() {
		if d.Schema != "" {
			names[d.Version] = append(names[d.Version], d.Schema)
		}
	}
	return names
}

// A version allows what one of its drafts allows.
type version struct {
	number int
	names  []string
	drafts *schema.Drafts
}

// each ranges over the drafts, and reads only those that are asked for.
func (v *version) each() iter.Seq[*schema.Draft] {
	return func(yield func(*schema.Draft) bool) {
		for _, name := range v.names {
			// A draft is a part of the program: tests load all.
			if draft, err := v.drafts.Get(name); err == nil && !yield(draft) {
				return
			}
		}
	}
}

func (v *version) knows(c *schema.Call) bool {
	for draft := range v.each() {
		if draft.Knows(c) {
			return true
		}
	}
	return false
}

// call judges a call, which no draft may know.
func (v *version) call(c *schema.Call) (faults schema.Faults, known bool) {
	return v.fewest(func(draft *schema.Draft) (schema.Faults, bool) {
		if !draft.Knows(c) {
			return nil, false
		}
		return draft.Call(c), true
	})
}

func (v *version) result(method string, result any) schema.Faults {
	faults, _ := v.fewest(func(draft *schema.Draft) (schema.Faults, bool) {
		return draft.Result(method, result), draft.HasMethod(method)
	})
	return faults
}

func (v *version) failure(failure any) schema.Faults {
	faults, _ := v.fewest(func(draft *schema.Draft) (schema.Faults, bool) { return draft.Error(failure), true })
	return faults
}

// fewest returns what the draft says that has least against a message: the one that its
// sender speaks, if it has a fault. It is false if no draft knows the message.
func (v *version) fewest(judge func(*schema.Draft) (faults schema.Faults, known bool)) (best schema.Faults, known bool) {
	for draft := range v.each() {
		faults, knows := judge(draft)
		switch {
		case !knows:
		case len(faults) == 0:
			return nil, true
		case !known || len(faults) < len(best):
			best, known = faults, true
		}
	}
	return best, known
}
