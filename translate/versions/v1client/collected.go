package v1client

import (
	"slices"
	"time"
)

// Version 1 replaces the whole content with each update, so content that grows item by item is
// delayed (bridge.md §4.4):
//
//	                    sent as a whole, or with a change
//	the client has it ◄────────────────────────────────── collected, due
//	                  ──────────────────────────────────►
//	                    an item is added; a terminal or
//	                    subagent in it has new output
//
// The delay grows with the size. Before other updates of the session, small content is sent at
// once.

const (
	smallContent    = 2 << 10 // content that is sent before other updates
	collectContent  = 100 * time.Millisecond
	collectTerminal = 250 * time.Millisecond
)

// collect delays the content, in proportion to its size.
func (c *toolCall) collect(patience time.Duration) {
	const unit = 64 << 10
	c.lacks(c.session.link.After(patience * time.Duration(1+c.size()/unit)))
}

// lacks schedules the content to be sent at the given time, unless it is scheduled already.
func (c *toolCall) lacks(due time.Time) {
	if c.isLacking {
		return
	}
	c.isLacking = true
	c.session.lacking = append(c.session.lacking, c)
	c.timer.Fire = c.sendContent
	c.session.bridge.timers.Set(&c.timer, due)
}

// sent clears the schedule of a tool call whose content is being sent. It reports whether
// there was one.
func (c *toolCall) sent() bool {
	if !c.isLacking {
		return false
	}
	c.isLacking = false
	c.session.bridge.timers.Stop(&c.timer)
	c.session.lacking = slices.DeleteFunc(c.session.lacking, func(l *toolCall) bool { return l == c })
	return true
}

// flush sends all delayed content of the session.
func (s *shown) flush() { s.flushOf(func(*toolCall) bool { return true }) }

// flushSmall sends small delayed content before another update. Large content remains delayed:
// otherwise a session that alternates between two kinds of updates would send all of it with
// each.
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
