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
	if b := c.session.bridge; c.due.IsZero() {
		c.due = due
		b.lacking = append(b.lacking, c)
	}
}

// sent notes that the client gets all content of a tool call. It reports whether it has
// lacked some.
func (c *toolCall) sent() bool {
	if c.due.IsZero() {
		return false
	}
	c.due = time.Time{}
	b := c.session.bridge
	b.lacking = slices.DeleteFunc(b.lacking, func(l *toolCall) bool { return l == c })
	return true
}

// flush sends everything that was collected for the session.
func (s *session) flush() { s.bridge.flush(func(c *toolCall) bool { return c.session == s }) }

// flushSmall sends what was collected before something else of the session is
// sent. What is large waits for its time: else a session that says two things
// in turns would send all of the content with each.
func (s *session) flushSmall() {
	if len(s.bridge.lacking) == 0 {
		return
	}
	s.bridge.flush(func(c *toolCall) bool { return c.session == s && c.size()+c.liveSize() <= smallContent })
}

// flushDue sends what has waited long enough.
func (b *Bridge) flushDue() {
	b.flush(func(c *toolCall) bool { return !c.due.After(b.link.Now()) })
}

func (b *Bridge) flush(which func(*toolCall) bool) {
	for _, c := range slices.Clone(b.lacking) {
		if which(c) {
			c.sendContent()
		}
	}
}
