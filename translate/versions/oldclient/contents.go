package oldclient

import "slices"

// Contents are kept because version 1 has them as a whole only, see
// toolcalls.go. How much is kept is bounded: of a tool call, of the tool calls
// that have ended, and in all.

const maxDone = 1 << 20 // bytes of contents of tool calls that have ended

// A doneCall is a tool call whose content is kept although it has ended, because
// agents may still add to it.
type doneCall struct {
	session *session
	call    *toolCall
	size    int
}

// keepDone keeps the content of a tool call that has ended, and forgets the
// content of others if it is too much.
func (b *Bridge) keepDone(s *session, c *toolCall) {
	t := &b.sessions
	d := doneCall{s, c, c.size + itemCost}
	t.done = append(t.done, d)
	for t.doneSize += d.size; t.doneSize > maxDone; {
		first := t.done[0]
		t.done = t.done[1:]
		t.doneSize -= first.size
		b.forgetContent(first.session, first.call)
	}
}

// forgetContent forgets the content of a tool call that has ended. It keeps a
// terminal or a subagent in it, with what is around, because those still change.
func (b *Bridge) forgetContent(s *session, c *toolCall) {
	changes := func(i item) bool { return i.json == nil }
	if !c.done || len(c.items) == 0 || slices.ContainsFunc(c.items, changes) {
		return
	}
	if !c.due.IsZero() {
		b.sendContent(s, c)
	}
	c.setItems(&s.tools, nil)
	c.cut = true
	if !s.closed {
		b.account(s)
	}
}

// bound drops the oldest content if there is too much of it.
func (b *Bridge) bound(s *session, c *toolCall) {
	t := &s.tools
	drop := 0
	// A quarter more than necessary is dropped, so that most additions drop nothing.
	for size := c.size; c.size > maxContent && size > maxContent*3/4 && drop < len(c.items)-1; drop++ {
		size -= len(c.items[drop].json) + itemCost
	}
	if drop > 0 {
		c.setItems(t, append([]item(nil), c.items[drop:]...))
		c.cut = true
		b.w.Lose("too much content of a tool call", "kept the last part of more than 1 MiB")
	}
	b.account(s)
}

// account counts what is kept of the session. If that is too much in all, the
// oldest sessions lose what is kept of them.
func (b *Bridge) account(s *session) {
	t := &b.sessions
	size := s.tools.size + s.terminals.size
	t.kept += size - s.kept
	s.kept = size
	for i := 0; t.kept > maxKept && i < len(t.order); i++ {
		if old := t.all[t.order[i]]; old != nil && old.kept > 0 && (old != s || i == len(t.order)-1) {
			b.flush(old)
			b.forgetContents(old)
			b.w.Lose("too much content of tool calls", "forgot that of an old session; what is added takes its place")
		}
	}
}

func (b *Bridge) forgetContents(s *session) {
	for _, c := range s.tools.order {
		c.setItems(&s.tools, nil)
	}
	s.terminals = terminals{}
	b.sessions.kept -= s.kept
	s.kept = 0
}
