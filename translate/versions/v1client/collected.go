package v1client

import (
	"slices"
	"time"

	"acp-plan-proxy/translate/versions/link"
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
func (t *toolCalls) collect(c *toolCall, patience time.Duration) {
	const unit = 64 << 10
	t.lacks(c, t.link.After(patience*time.Duration(1+c.size/unit)))
}

// lacks notes that the client lacks content of a tool call, which is sent then, or
// earlier.
func (t *toolCalls) lacks(c *toolCall, due time.Time) {
	if c.due.IsZero() {
		c.due = due
		t.shared.lacking = append(t.shared.lacking, c)
	}
}

// sent notes that the client gets all content of a tool call. It reports whether it has
// lacked some.
func (t *toolCalls) sent(c *toolCall) bool {
	if c.due.IsZero() {
		return false
	}
	c.due = time.Time{}
	t.shared.lacking = slices.DeleteFunc(t.shared.lacking, func(l *toolCall) bool { return l == c })
	return true
}

// flush sends everything that was collected for the session.
func (t *toolCalls) flush() {
	t.shared.flush(func(c *toolCall) bool { return c.in == t })
}

// flushSmall sends what was collected before something else of the session is
// sent. What is large waits for its time: else a session that says two things
// in turns would send all of the content with each.
func (t *toolCalls) flushSmall() {
	if len(t.shared.lacking) == 0 {
		return
	}
	t.shared.flush(func(c *toolCall) bool {
		return c.in == t && c.size <= smallContent && c.size+c.liveSize() <= smallContent
	})
}

// flushDue sends what has waited long enough.
func (k *shared) flushDue() {
	k.flush(func(c *toolCall) bool { return !c.due.After(k.link.Now()) })
}

func (k *shared) flush(which func(*toolCall) bool) {
	for _, c := range slices.Clone(k.lacking) {
		if which(c) {
			c.in.sendContent(c)
		}
	}
}

// next returns when content has waited long enough; zero if none waits.
func (k *shared) next() (next time.Time) {
	for _, c := range k.lacking {
		next = link.Earliest(next, c.due)
	}
	return next
}
