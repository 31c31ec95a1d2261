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
}

// at returns the item that determines where a difference is reported.
func (d *difference) at() *item { return cmp.Or(d.old, d.new) }

// compare returns the differences between two conversations, by session and turn, and the
// number of equal items.
func compare(before, after []item) (found []difference, same int) {
	for i := range before {
		before[i].place = before[i].line
	}
	olds, news := byBlock(before), byBlock(after)
	var leftOld, leftNew []*item
	for b, old := range olds {
		o, n := unmatched(old, news[b])
		same += len(old) - len(o)
		leftOld, leftNew = append(leftOld, o...), append(leftNew, n...)
	}
	for b, n := range news {
		if olds[b] == nil {
			leftNew = append(leftNew, n...)
		}
	}
	byLine := func(a, b *item) int { return a.line - b.line }
	slices.SortStableFunc(leftOld, byLine)
	slices.SortStableFunc(leftNew, byLine)
	for _, pass := range []struct {
		kind string
		key  func(*item) any
	}{
		{Moved, func(it *item) any { return [2]any{block{session: it.session, from: it.from}, it.hash} }},
		{Changed, func(it *item) any { return [2]any{it.block, it.kind} }},
		{Changed, func(it *item) any { return [2]any{it.block, it.label} }},
	} {
		waiting := make(map[any][]*item)
		for _, n := range leftNew {
			waiting[pass.key(n)] = append(waiting[pass.key(n)], n)
		}
		paired := make(map[*item]bool)
		for _, o := range leftOld {
			if partners := waiting[pass.key(o)]; len(partners) > 0 {
				found = append(found, difference{pass.kind, o, partners[0]})
				partners[0].place = o.line
				paired[o], paired[partners[0]] = true, true
				waiting[pass.key(o)] = partners[1:]
			}
		}
		isPaired := func(it *item) bool { return paired[it] }
		leftOld, leftNew = slices.DeleteFunc(leftOld, isPaired), slices.DeleteFunc(leftNew, isPaired)
	}
	for _, o := range leftOld {
		found = append(found, difference{Missing, o, nil})
	}
	for _, n := range leftNew {
		found = append(found, difference{New, nil, n})
	}
	place(after)
	slices.SortStableFunc(found, func(a, b difference) int {
		x, y := a.at(), b.at()
		return cmp.Or(x.session-y.session, x.turn-y.turn, cmp.Compare(x.place, y.place))
	})
	return found, same
}

// place gives the new items without a partner the place of the item behind them.
func place(items []item) {
	next := make(map[int]int) // by session
	for i := range items {
		it := &items[len(items)-1-i]
		it.place = cmp.Or(it.place, next[it.session], math.MaxInt)
		next[it.session] = it.place
	}
}

func byBlock(items []item) map[block][]*item {
	blocks := make(map[block][]*item)
	for i := range items {
		it := &items[i]
		blocks[it.block] = append(blocks[it.block], it)
	}
	return blocks
}

// window is the number of items that are aligned at a time, which bounds the time for long
// blocks without much in common.
const window = 1000

// unmatched returns the items that have no equal partner in the same order.
func unmatched(old, new []*item) (o, n []*item) {
	for len(old) > 0 && len(new) > 0 {
		if old[0].hash == new[0].hash {
			new[0].place = old[0].line
			old, new = old[1:], new[1:]
			continue
		}
		a, b := old[:min(window, len(old))], new[:min(window, len(new))]
		doneA, doneB := align(a, b, func(it *item, isOld bool) {
			if isOld {
				o = append(o, it)
			} else {
				n = append(n, it)
			}
		})
		old, new = old[doneA:], new[doneB:]
	}
	return append(o, old...), append(n, new...)
}

// align aligns items by a longest common subsequence, and passes on those that are not in
// it. It returns the numbers of items that it has dealt with: those up to the last pair, and at
// least half of a window.
func align(a, b []*item, unmatched func(it *item, isOld bool)) (doneA, doneB int) {
	width := len(b) + 1
	lengths := make([]uint16, (len(a)+1)*width) // of the common subsequence of a[i:] and b[j:]
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].hash == b[j].hash {
				lengths[i*width+j] = lengths[(i+1)*width+j+1] + 1
			} else {
				lengths[i*width+j] = max(lengths[(i+1)*width+j], lengths[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) && (lengths[i*width+j] > 0 || i < window/2 && j < window/2) {
		switch {
		case a[i].hash == b[j].hash:
			b[j].place = a[i].line
			i, j = i+1, j+1
		case lengths[(i+1)*width+j] >= lengths[i*width+j+1]:
			unmatched(a[i], true)
			i++
		default:
			unmatched(b[j], false)
			j++
		}
	}
	return i, j
}
