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

// MarshalText implements [encoding.TextMarshaler].
func (k kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

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
	pairByKey(before, after, func(it *item) key { return key{block: it.block()} }, new(lengthTable).align)
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

// window is the number of items that are aligned at a time, which bounds the time for long
// blocks without much in common.
const window = 1000

// A lengthTable has at [i][j] the length of the longest common subsequence of a[i:] and b[j:], two
// windows.
type lengthTable [window + 1][window + 1]uint16

// align pairs equal items of a block in their order, by a longest common subsequence in each window. It
// sets the predecessor of each item.
func (lengths *lengthTable) align(before, after []*item) {
	restBefore, restAfter := before, after
	for len(restBefore) > 0 && len(restAfter) > 0 {
		if restBefore[0].hash == restAfter[0].hash {
			restAfter[0].pair(restBefore[0], kindSame)
			restBefore, restAfter = restBefore[1:], restAfter[1:]
			continue
		}
		a, b := restBefore[:min(window, len(restBefore))], restAfter[:min(window, len(restAfter))]
		clear(lengths[:len(a)+1])
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
				b[j].pair(a[i], kindSame)
				i, j = i+1, j+1
			case lengths[i+1][j] >= lengths[i][j+1]:
				i++
			default:
				j++
			}
		}
		restBefore, restAfter = restBefore[i:], restAfter[j:]
	}
	latest := int32(0)
	for _, it := range before {
		if it.partner != nil {
			latest = it.line
		}
		it.predecessor = latest
	}
	latest = 0
	for _, it := range after {
		if it.partner != nil {
			latest = it.partner.line
		}
		it.predecessor = latest
	}
}
