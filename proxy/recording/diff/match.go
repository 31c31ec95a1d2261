package diff

import (
	"cmp"
	"math"
	"slices"
)

// A kind is the kind of a difference.
type kind uint8

// The zero kind is that of an old item without a partner.
const (
	Missing kind = iota
	New
	Same // except for names
	Changed
	Moved
)

func (k kind) String() string { return [...]string{"missing", "new", "same", "changed", "moved"}[k] }

// MarshalText implements [encoding.TextMarshaler].
func (k kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// A difference is between an item of the old conversation and one of the new. One of them
// is nil if their kind is Missing or New.
type difference struct {
	old, new *item
	place    int32 // its position in the report: a line of the old recording
}

// at returns the item that determines where a difference is reported.
func (d *difference) at() *item { return cmp.Or(d.old, d.new) }

// pair makes an item the partner of an old one.
func (it *item) pair(old *item, kind kind) {
	it.partner, old.partner = old, it
	it.kind, old.kind = kind, kind
}

// A key has what the items of a pair have in common. Other members are zero.
type key struct {
	block
	after int32
	label name
	hash  uint64
}

// byKey returns the items without a partner by their keys, otherwise in order.
func byKey(items []item, keyOf func(*item) key) map[key][]*item {
	all := make(map[key][]*item)
	for i := range items {
		if it := &items[i]; it.partner == nil {
			k := keyOf(it)
			all[k] = append(all[k], it)
		}
	}
	return all
}

// each calls pair for each key of the items in before that have no partner, with the items of both
// conversations that have the key and no partner.
func each(before, after []item, keyOf func(*item) key, pair func(old, new []*item)) {
	added := byKey(after, keyOf)
	for k, old := range byKey(before, keyOf) {
		pair(old, added[k])
	}
}

// compare returns the differences between two conversations, by session and turn, and the
// number of equal items.
func compare(before, after []item) (found []difference, same int) {
	each(before, after, func(it *item) key { return key{block: it.block()} }, new(lengths).align)
	for _, pass := range []struct {
		kind kind
		key  func(*item) key
	}{
		{Moved, func(it *item) key { return key{block: block{session: it.session, agent: it.agent}, hash: it.hash} }},
		{Changed, func(it *item) key { return key{block: it.block(), after: it.after, hash: it.shape} }},
		{Changed, func(it *item) key { return key{block: it.block(), hash: it.shape} }},
		{Changed, func(it *item) key { return key{block: it.block(), after: it.after, label: it.label} }},
		{Changed, func(it *item) key { return key{block: it.block(), label: it.label} }},
	} {
		each(before, after, pass.key, func(old, new []*item) {
			for i := range min(len(old), len(new)) {
				new[i].pair(old[i], pass.kind)
			}
		})
	}
	for i := range before {
		if it := &before[i]; it.kind == Same {
			same++
		} else {
			found = append(found, difference{it, it.partner, it.line})
		}
	}
	var added []difference
	next := make(map[int32]int32) // by session: the old line of the paired item behind
	for i := range after {
		it := &after[len(after)-1-i]
		if it.partner != nil {
			next[it.session] = it.partner.line
		} else {
			it.kind = New
			added = append(added, difference{nil, it, cmp.Or(next[it.session], math.MaxInt32)})
		}
	}
	slices.Reverse(added)
	found = append(found, added...)
	slices.SortStableFunc(found, func(a, b difference) int {
		x, y := a.at(), b.at()
		return cmp.Or(cmp.Compare(x.session, y.session), cmp.Compare(x.turn, y.turn), cmp.Compare(a.place, b.place))
	})
	return found, same
}

// window is the number of items that are aligned at a time, which bounds the time for long
// blocks without much in common.
const window = 1000

// lengths are those of the common subsequences of the ends of two windows.
type lengths [window + 1][window + 1]uint16

// align pairs equal items of a block in their order, by a longest common subsequence in each
// window, and sets the position of each item.
func (lengths *lengths) align(before, after []*item) {
	old, new := before, after
	for len(old) > 0 && len(new) > 0 {
		if old[0].hash == new[0].hash {
			new[0].pair(old[0], Same)
			old, new = old[1:], new[1:]
			continue
		}
		a, b := old[:min(window, len(old))], new[:min(window, len(new))]
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
	latest := int32(0)
	for _, it := range before {
		if it.partner != nil {
			latest = it.line
		}
		it.after = latest
	}
	latest = 0
	for _, it := range after {
		if it.partner != nil {
			latest = it.partner.line
		}
		it.after = latest
	}
}
