package calls

import (
	"slices"
	"time"
)

// A Timer calls Fire when it is due.
type Timer struct {
	Fire func()

	due time.Time // zero if the timer is not set
}

// IsSet reports whether the timer is set.
func (t *Timer) IsSet() bool { return !t.due.IsZero() }

// Timers are the timers that are set. The zero value has none.
type Timers struct {
	timers []*Timer // the latest first
}

// Set sets a timer, or resets it to another time. Timers with the same time fire in the order in
// which they were set.
func (ts *Timers) Set(t *Timer, at time.Time) {
	ts.Stop(t)
	t.due = at
	ts.timers = slices.Insert(ts.timers, ts.index(at), t)
}

// index returns the index of the first timer that is due at a time or earlier.
func (ts *Timers) index(at time.Time) int {
	i, _ := slices.BinarySearchFunc(ts.timers, at, func(t *Timer, at time.Time) int { return at.Compare(t.due) })
	return i
}

// Stop stops a timer.
func (ts *Timers) Stop(t *Timer) {
	if t.IsSet() {
		i := ts.index(t.due)
		i += slices.Index(ts.timers[i:], t)
		ts.timers = slices.Delete(ts.timers, i, i+1)
		t.due = time.Time{}
	}
}

// Next returns the earliest time of any timer, or the zero time.
func (ts *Timers) Next() (at time.Time) {
	if n := len(ts.timers); n > 0 {
		at = ts.timers[n-1].due
	}
	return at
}

// Fire stops and fires the timers that are due, in order. It calls afterEach after each of them.
func (ts *Timers) Fire(now time.Time, afterEach func()) {
	for at := ts.Next(); !at.IsZero() && !at.After(now); at = ts.Next() {
		t := ts.timers[len(ts.timers)-1]
		ts.Stop(t)
		t.Fire()
		afterEach()
	}
}
