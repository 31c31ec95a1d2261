package v1client

import (
	"math"
	"slices"
	"time"
)

// Version 1 replaces the whole content with each update, so content that grows item by item is
// delayed:
//
//	                    sent as a whole, or with a change
//	the client has it ◄────────────────────────────────── collected, due
//	                  ──────────────────────────────────►
//	                    an item is added; a terminal or
//	                    subagent in it has new output
//
// The delay grows with the size that was sent last. Before other updates of the session, small
// content is sent at once.

const (
	smallContent    = 2 << 10 // content that is sent before other updates
	anyContent      = math.MaxInt
	collectContent  = 100 * time.Millisecond
	collectTerminal = 250 * time.Millisecond
)

// collect schedules the content to be sent, unless it is scheduled already. The delay is in
// proportion to its size.
func (t *toolCall) collect(delay time.Duration) {
	const unit = 64 << 10
	if s := t.session; !t.timer.IsSet() {
		s.delayed = append(s.delayed, t)
		t.timer.Fire = t.sendContent
		s.bridge.timers.Set(&t.timer, s.link.After(delay*time.Duration(1+t.sent/unit)))
	}
}

// stopDelay clears the schedule of a tool call whose content is being sent. It reports whether
// there was one.
func (t *toolCall) stopDelay() bool {
	s, before := t.session, len(t.session.delayed)
	s.bridge.timers.Stop(&t.timer)
	s.delayed = slices.DeleteFunc(s.delayed, func(d *toolCall) bool { return d == t })
	return len(s.delayed) < before
}

// flush sends the delayed content of the session that had up to a number of bytes. Before
// other updates, only small content is sent: otherwise a session that alternates between two
// kinds of updates would send all of it with each.
func (s *session) flush(most int) {
	for _, c := range slices.Clone(s.delayed) {
		if c.sent <= most {
			c.sendContent()
		}
	}
}
