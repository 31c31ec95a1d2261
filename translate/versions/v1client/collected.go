package v1client

import (
	"slices"
	"time"
)

// All of a content is sent each time, so content that grows item by item is collected
// for a while:
//
//	                    sent as a whole, or with a change
//	the client has it ◄────────────────────────────────── collected, due
//	                  ──────────────────────────────────►
//	                    an item is added, a terminal or
//	                    a subagent in it says something
//
// The more it is, the longer that takes. Something else that the session says has small
// content leave first.

const (
	smallContent    = 2 << 10 // content that is cheap to send again
	collectContent  = 100 * time.Millisecond
	collectTerminal = 250 * time.Millisecond
)

// collect has the content sent again in a while. The more it is, the longer.
func (c *toolCall) collect(patience time.Duration) {
	const unit = 64 << 10
	c.lacks(c.session.link.After(patience * time.Duration(1+c.size()/unit)))
}

// lacks notes that the client lacks content of a tool call, which is sent then, or
// earlier.
func (c *toolCall) lacks(due time.Time) {
	if c.isLacking {
		return
	}
	c.isLacking = true
	c.session.lacking = append(c.session.lacking, c)
	c.timer.Fire = c.sendContent
	c.session.bridge.timers.Set(&c.timer, due)
}

// sent notes that the client gets all content of a tool call. It reports whether it has
// lacked some.
func (c *toolCall) sent() bool {
	if !c.isLacking {
		return false
	}
	c.isLacking = false
	c.session.bridge.timers.Stop(&c.timer)
	c.session.lacking = slices.DeleteFunc(c.session.lacking, func(l *toolCall) bool { return l == c })
	return true
}

// flush sends everything that was collected for the session.
func (s *shown) flush() { s.flushOf(func(*toolCall) bool { return true }) }

// flushSmall sends what was collected before something else of the session is
// sent. What is large waits for its time: else a session that says two things
// in turns would send all of the content with each.
func (s *shown) flushSmall() {
	s.flushOf(func(c *toolCall) bool { return c.size()+c.liveSize() <= smallContent })
}

func (s *shown) flushOf(which func(*toolCall) bool) {
	if len(s.lacking) == 0 {
		return
	}
	for _, c := range slices.Clone(s.lacking) {
		if which(c) {
			c.sendContent()
		}
	}
}
