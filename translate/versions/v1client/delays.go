package v1client

import (
	"math"
	"slices"
	"time"
)

// Version 1 replaces the whole content of a tool call with each update, so the bridge delays content
// that grows item by item:
//
//	                     the content is due, or
//	                     the tool call changes
//	the client has it ◄───────────────────────────── delayed
//	                  ─────────────────────────────►
//	                     an item is added; a terminal
//	                     or subagent has new output
//
// The delay grows with the size of the content that was sent last. Small content is also sent before
// other updates of the session.

const (
	smallContent  = 2 << 10 // bytes of content that is sent before other updates
	anyContent    = math.MaxInt
	contentDelay  = 100 * time.Millisecond
	terminalDelay = 250 * time.Millisecond
)

// delayContent sends the content after the delay, unless it is delayed already. It adds the delay again
// for each 64 KiB of the content that was sent last.
func (t *toolCall) delayContent(delay time.Duration) {
	const unit = 64 << 10
	if s := t.session; !t.timer.IsSet() {
		s.delayed = append(s.delayed, t)
		t.timer.Fire = t.sendContent
		s.bridge.timers.Set(&t.timer, s.link.After(delay*time.Duration(1+t.sent/unit)))
	}
}

// stopDelay ends the delay of a tool call whose content is being sent. It reports whether the
// content was delayed.
func (t *toolCall) stopDelay() bool {
	s, before := t.session, len(t.session.delayed)
	s.bridge.timers.Stop(&t.timer)
	s.delayed = slices.DeleteFunc(s.delayed, func(d *toolCall) bool { return d == t })
	return len(s.delayed) < before
}

// flush sends the delayed content of each tool call whose content had at most limit bytes when it was
// last sent. Only small content is flushed before other updates: otherwise a session that alternates
// between two kinds of updates would send large content with each update.
func (s *session) flush(limit int) {
	for _, call := range slices.Clone(s.delayed) {
		if call.sent <= limit {
			call.sendContent()
		}
	}
}
