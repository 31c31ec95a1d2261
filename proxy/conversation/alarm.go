package conversation

import "time"

// An alarm calls ring once, at the time of the latest set.
type alarm struct {
	now  func() time.Time
	ring func() // nil to call nothing

	at    time.Time // zero if not set
	timer *time.Timer
}

// set sets the alarm; the zero time stops it.
func (a *alarm) set(at time.Time) {
	a.at = at
	switch {
	case a.ring == nil:
	case at.IsZero():
		a.timer.Stop()
	case a.timer == nil:
		a.timer = time.AfterFunc(time.Until(at), a.ring)
	default:
		a.timer.Reset(time.Until(at))
	}
}

// expire stops the alarm and returns true if its time is reached. Otherwise the call of ring is
// obsolete, because of a later set.
func (a *alarm) expire() bool {
	if a.at.IsZero() || a.now().Before(a.at) {
		return false
	}
	a.at = time.Time{}
	return true
}
