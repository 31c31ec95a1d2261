package diff

import (
	"cmp"
	"math"
	"slices"
)

// A kind is the kind of a difference.
type kind uint8

// The kinds. An old item that is not paired keeps the zero value.
const (
	kindMissing kind = iota
	kindNew
	kindSame // the items differ at most in names
	kindChanged
	kindMoved
)

func (k kind) String() string { return [...]string{"missing", "new", "same", "changed", "moved"}[k] }

// A difference is between an item of the old and an item of the new conversation. The new item is nil
// for kindMissing, the old one for kindNew.
type difference struct {
	old, new *item
	sortLine int32 // where the report has the difference: a line of the old recording
}

// anchor returns the item that determines the session and the turn of a difference.
func (d *difference) anchor() *item { return cmp.Or(d.old, d.new) }

// pair makes two items partners.
func (it *item) pair(old *item, kind kind) {
	it.partner, old.partner = old, it
	it.kind, old.kind = kind, kind
}

// A key has the properties that two items must share to be paired. Properties that may differ are zero.
type key struct {
	block
	predecessor int32
	label       handle
	hash        uint64
}

// groupByKey groups the items without a partner by key. The order within a group stays.
func groupByKey(items []item, keyOf func(*item) key) map[key][]*item {
	all := make(map[key][]*item)
	for i := range items {
		if it := &items[i]; it.partner == nil {
			k := keyOf(it)
			all[k] = append(all[k], it)
		}
	}
	return all
}

// pairByKey groups the items without a partner of both conversations by key, and calls visit for each
// group of before with the group of after that has the same key, which may be empty.
func pairByKey(before, after []item, keyOf func(*item) key, visit func(old, new []*item)) {
	added := groupByKey(after, keyOf)
	for k, old := range groupByKey(before, keyOf) {
		visit(old, added[k])
	}
}

// compare returns the differences between two conversations, sorted by session, turn and line, and the
// number of equal items.
func compare(before, after []item) (found []difference, sameCount int) {
	pairByKey(before, after, func(it *item) key { return key{block: it.block()} }, align)
	// Each pass pairs items that align and the earlier passes have left without a partner.
	for _, pass := range []struct {
		kind kind
		key  func(*item) key
	}{
		{kindMoved, func(it *item) key {
			return key{block: block{session: it.session, fromAgent: it.fromAgent}, hash: it.hash}
		}},
		{kindChanged, func(it *item) key { return key{block: it.block(), predecessor: it.predecessor, hash: it.shape} }},
		{kindChanged, func(it *item) key { return key{block: it.block(), hash: it.shape} }},
		{kindChanged, func(it *item) key { return key{block: it.block(), predecessor: it.predecessor, label: it.label} }},
		{kindChanged, func(it *item) key { return key{block: it.block(), label: it.label} }},
	} {
		pairByKey(before, after, pass.key, func(old, new []*item) {
			for i := range min(len(old), len(new)) {
				new[i].pair(old[i], pass.kind)
			}
		})
	}
	for i := range before {
		if it := &before[i]; it.kind == kindSame {
			sameCount++
		} else {
			found = append(found, difference{it, it.partner, it.line})
		}
	}
	var added []difference
	next := make(map[int32]int32) // by session: the old line of the next paired item
	for i := range after {
		it := &after[len(after)-1-i]
		if it.partner != nil {
			next[it.session] = it.partner.line
		} else {
			it.kind = kindNew
			added = append(added, difference{nil, it, cmp.Or(next[it.session], math.MaxInt32)})
		}
	}
	slices.Reverse(added)
	found = append(found, added...)
	slices.SortStableFunc(found, func(a, b difference) int {
		x, y := a.anchor(), b.anchor()
		return cmp.Or(cmp.Compare(x.session, y.session), cmp.Compare(x.turn, y.turn), cmp.Compare(a.sortLine, b.sortLine))
	})
	return found, sameCount
}

// A match is a pair of equal items, at their indexes in the two conversations.
type match struct {
	old, new int
	previous *match // in a common subsequence; nil if this match is the first
}

// align pairs equal items of a block in their order, by a longest common subsequence, and sets the
// predecessor of each item. To bound the time for long blocks with many equal items, it pairs the nth
// of them in the old block only with those from n-maxShift to n+maxShift in the new block.
//
// The algorithm is that of Hunt and Szymanski: lasts[n] is the last match of a common subsequence of
// n+1 items. Of these subsequences, it is one that ends earliest in the new block.
func align(before, after []*item) {
	const most = 10_000_000 // matches that are considered
	maxShift := most / (len(before) + 1)
	indexes := make(map[uint64][]int) // of the new items with a hash
	for i, it := range after {
		indexes[it.hash] = append(indexes[it.hash], i)
	}
	seen := make(map[uint64]int) // number of old items with a hash
	var lasts []*match
	for i, it := range before {
		all, n := indexes[it.hash], seen[it.hash]
		seen[it.hash]++
		near := all[min(max(n-maxShift, 0), len(all)):min(n+maxShift+1, len(all))]
		for _, j := range slices.Backward(near) { // so that no match of i precedes another
			at, found := slices.BinarySearchFunc(lasts, j, func(m *match, j int) int { return cmp.Compare(m.new, j) })
			switch {
			case found:
				continue
			case at == len(lasts):
				lasts = append(lasts, nil)
			}
			lasts[at] = &match{old: i, new: j}
			if at > 0 {
				lasts[at].previous = lasts[at-1]
			}
		}
	}
	if len(lasts) > 0 {
		for m := lasts[len(lasts)-1]; m != nil; m = m.previous {
			after[m.new].pair(before[m.old], kindSame)
		}
	}
	for side, items := range [...][]*item{before, after} {
		latest := int32(0)
		for _, it := range items {
			switch {
			case it.partner == nil:
			case side == 0:
				latest = it.line
			default:
				latest = it.partner.line
			}
			it.predecessor = latest
		}
	}
}
