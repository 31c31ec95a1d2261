package conversation

import "time"

// An alarm rings once, at the time that it was set to last.
type alarm struct {
	now  func() time.Time
	ring func() // nil if the alarm does not ring by itself

	at    time.Time // zero if the alarm is not set
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

// rings reports whether the time has come. A ring may be late: the alarm has been
// stopped or set to another time since.
func (a *alarm) rings() bool {
	if a.at.IsZero() || a.now().Before(a.at) {
		return false
	}
	a.at = time.Time{}
	return true
}
