package diff

import (
	"cmp"
	"math"
	"slices"
)

// The kinds of differences.
const (
	Same    = "same" // except for names
	Changed = "changed"
	Missing = "missing"
	New     = "new"
	Moved   = "moved"
)

// A difference is between an item of the old conversation and one of the new. One of them
// is nil if the kind is Missing or New.
type difference struct {
	kind     string
	old, new *item
	place    int // its position in the report: a line of the old recording
}

// at returns the item that determines where a difference is reported.
func (d *difference) at() *item { return cmp.Or(d.old, d.new) }

// pair makes an item the partner of an old one.
func (it *item) pair(old *item, kind string) {
	it.partner, old.partner = old, it
	it.kind, old.kind = kind, kind
}

// unpaired returns the items without a partner, by key.
func unpaired[K comparable](items []item, key func(*item) K) map[K][]*item {
	byKey := make(map[K][]*item)
	for i := range items {
		if it := &items[i]; it.partner == nil {
			byKey[key(it)] = append(byKey[key(it)], it)
		}
	}
	return byKey
}

// compare returns the differences between two conversations, by session and turn, and the
// number of equal items.
func compare(before, after []item) (found []difference, same int) {
	inBlock := func(it *item) block { return it.block }
	news := unpaired(after, inBlock)
	for b, old := range unpaired(before, inBlock) {
		align(old, news[b])
	}
	for _, pass := range []struct {
		kind string
		key  func(*item) any
	}{
		{Moved, func(it *item) any { return [2]any{block{session: it.session, from: it.from}, it.hash} }},
		{Changed, func(it *item) any { return [2]any{it.block, it.shape} }},
		{Changed, func(it *item) any { return [2]any{it.block, it.label} }},
	} {
		news := unpaired(after, pass.key)
		for key, old := range unpaired(before, pass.key) {
			for i := range min(len(old), len(news[key])) {
				news[key][i].pair(old[i], pass.kind)
			}
		}
	}
	for i := range before {
		if it := &before[i]; it.kind == Same {
			same++
		} else {
			found = append(found, difference{cmp.Or(it.kind, Missing), it, it.partner, it.line})
		}
	}
	var added []difference
	next := make(map[int]int) // by session: the old line of the paired item behind
	for i := range after {
		it := &after[len(after)-1-i]
		if it.partner != nil {
			next[it.session] = it.partner.line
		} else {
			added = append(added, difference{New, nil, it, cmp.Or(next[it.session], math.MaxInt)})
		}
	}
	slices.Reverse(added)
	found = append(found, added...)
	slices.SortStableFunc(found, func(a, b difference) int {
		x, y := a.at(), b.at()
		return cmp.Or(x.session-y.session, x.turn-y.turn, cmp.Compare(a.place, b.place))
	})
	return found, same
}

// window is the number of items that are aligned at a time, which bounds the time for long
// blocks without much in common.
const window = 1000

// align pairs equal items in their order, by a longest common subsequence in each window.
func align(old, new []*item) {
	for len(old) > 0 && len(new) > 0 {
		if old[0].hash == new[0].hash {
			new[0].pair(old[0], Same)
			old, new = old[1:], new[1:]
			continue
		}
		a, b := old[:min(window, len(old))], new[:min(window, len(new))]
		lengths := make([][window + 1]uint16, len(a)+1) // of the common subsequence of a[i:] and b[j:]
		for i := len(a) - 1; i >= 0; i-- {
			for j := len(b) - 1; j >= 0; j-- {
				if a[i].hash == b[j].hash {
					lengths[i][j] = lengths[i+1][j+1] + 1
				} else {
					lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
				}
			}
		}
		// Without a common item, the next window begins in the middle of this one.
		i, j := 0, 0
		for i < len(a) && j < len(b) && (lengths[i][j] > 0 || i < window/2 && j < window/2) {
			switch {
			case a[i].hash == b[j].hash:
				b[j].pair(a[i], Same)
				i, j = i+1, j+1
			case lengths[i+1][j] >= lengths[i][j+1]:
				i++
			default:
				j++
			}
		}
		old, new = old[i:], new[j:]
	}
}
