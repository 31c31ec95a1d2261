package calls

import (
	"cmp"
	"slices"
	"time"
)

// A Timer calls Fire at the time that it is set to.
type Timer struct {
	Fire func()

	at  time.Time
	set int // number of the Set call, which breaks ties; 0 if the timer is not set
}

// IsSet reports whether the timer is set.
func (t *Timer) IsSet() bool { return t.set > 0 }

// compareTimers orders timers, the latest first.
func compareTimers(t, u *Timer) int { return cmp.Or(u.at.Compare(t.at), cmp.Compare(u.set, t.set)) }

// Timers are the timers that are set. The zero value has none.
type Timers struct {
	timers []*Timer // the latest first
	sets   int
}

// Set sets a timer, or resets it to another time.
func (ts *Timers) Set(t *Timer, at time.Time) {
	ts.Stop(t)
	ts.sets++
	t.at, t.set = at, ts.sets
	i, _ := slices.BinarySearchFunc(ts.timers, t, compareTimers)
	ts.timers = slices.Insert(ts.timers, i, t)
}

// Stop clears a timer.
func (ts *Timers) Stop(t *Timer) {
	if t.IsSet() {
		i, _ := slices.BinarySearchFunc(ts.timers, t, compareTimers)
		ts.timers = slices.Delete(ts.timers, i, i+1)
		t.set = 0
	}
}

// next returns the earliest timer, or nil.
func (ts *Timers) next() *Timer {
	if len(ts.timers) == 0 {
		return nil
	}
	return ts.timers[len(ts.timers)-1]
}

// Next returns the earliest time of any timer, or the zero time.
func (ts *Timers) Next() (at time.Time) {
	if t := ts.next(); t != nil {
		at = t.at
	}
	return at
}

// Fire clears and fires the timers that are due, in order. After each it calls then.
func (ts *Timers) Fire(now time.Time, then func()) {
	for t := ts.next(); t != nil && !t.at.After(now); t = ts.next() {
		ts.Stop(t)
		t.Fire()
		then()
	}
}
