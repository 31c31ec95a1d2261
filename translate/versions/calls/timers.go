package calls

import (
	"container/heap"
	"time"
)

// A Timer calls Fire at the time that it is set to.
type Timer struct {
	// Fire clears and fires the timers that are due, in order, and calls then after each.
	Fire func()

	at    time.Time
	set   int // number of the Set call; breaks ties
	place int // index in the heap plus 1; 0 if the timer is not set
}

// IsSet reports whether the timer is set.
func (t *Timer) IsSet() bool { return t.place > 0 }

// Timers are the timers that are set. The zero value has none. Each operation takes time
// logarithmic in the number of timers.
type Timers struct {
	heap timerHeap
	sets int
}

// Set sets a timer, or resets it to another time.
func (ts *Timers) Set(t *Timer, at time.Time) {
	ts.sets++
	t.at, t.set = at, ts.sets
	if t.IsSet() {
		heap.Fix(&ts.heap, t.place-1)
	} else {
		heap.Push(&ts.heap, t)
	}
}

// Stop clears a timer.
func (ts *Timers) Stop(t *Timer) {
	if t.IsSet() {
		heap.Remove(&ts.heap, t.place-1)
	}
}

// Next returns the earliest time of any timer, or the zero time.
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

// A timerHeap is a [heap.Interface] with the earliest timer first.
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
