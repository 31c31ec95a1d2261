package calls

import (
	"container/heap"
	"time"
)

// A Timer calls Fire at the time that it is set to.
type Timer struct {
	Fire func()

	at    time.Time
	set   int // counts calls of Set: of timers for one time, the one set first fires first
	place int // in the heap, from 1; 0 if the timer is not set
}

// IsSet reports whether the timer is set.
func (t *Timer) IsSet() bool { return t.place > 0 }

// Timers are the timers that are set. The zero value has none. What they cost does not
// depend on the number of sessions, but for the logarithm of the number of timers.
type Timers struct {
	heap timerHeap
	sets int
}

// Set sets a timer, or sets it to another time.
func (ts *Timers) Set(t *Timer, at time.Time) {
	ts.sets++
	t.at, t.set = at, ts.sets
	if t.IsSet() {
		heap.Fix(&ts.heap, t.place-1)
	} else {
		heap.Push(&ts.heap, t)
	}
}

// Stop has a timer not fire.
func (ts *Timers) Stop(t *Timer) {
	if t.IsSet() {
		heap.Remove(&ts.heap, t.place-1)
	}
}

// Next returns the earliest time that a timer is set to, the zero time if none is set.
func (ts *Timers) Next() time.Time {
	if len(ts.heap) == 0 {
		return time.Time{}
	}
	return ts.heap[0].at
}

// Fire fires the timers that are due, in order, each of them once. After each it calls then.
func (ts *Timers) Fire(now time.Time, then func()) {
	for len(ts.heap) > 0 && !ts.heap[0].at.After(now) {
		t := ts.heap[0]
		ts.Stop(t)
		t.Fire()
		then()
	}
}

// A timerHeap has the earliest timer first.
type timerHeap []*Timer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	if c := h[i].at.Compare(h[j].at); c != 0 {
		return c < 0
	}
	return h[i].set < h[j].set
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i+1, j+1
}

func (h *timerHeap) Push(t any) {
	*h = append(*h, t.(*Timer))
	(*h)[len(*h)-1].place = len(*h)
}

func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last], *h = nil, (*h)[:last]
	t.place = 0
	return t
}
