package judge

import (
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

func (v *version) knows(c *schema.Call) bool {
	_, known := v.fewest(func(draft *schema.Draft) (schema.Faults, bool) { return nil, draft.Knows(c) })
	return known
}

// fewest returns what the draft says that has least against a message: the one that its
// sender speaks, if it has a fault. It is false if no draft knows the message.
func (v *version) fewest(judge func(*schema.Draft) (faults schema.Faults, known bool)) (best schema.Faults, known bool) {
	for _, name := range v.names {
		draft, err := v.drafts.Get(name)
		if err != nil {
			continue // a draft is a part of the program: tests load all
		}
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
