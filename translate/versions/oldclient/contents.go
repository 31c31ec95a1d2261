package oldclient

import (
	"slices"

	"acp-plan-proxy/translate"
)

// Contents are kept because version 1 has them as a whole only, see
// toolcalls.go. How much is kept is bounded: of a tool call, of the tool calls
// that have ended, and in all. All of what sessions keep counts: contents, outputs
// of terminals, the ids and titles of tool calls and terminals, what the client has of
// messages, options, the end of the last turn.

const maxKept = 64 << 20 // bytes of what is kept of sessions

const maxDone = 1 << 20 // bytes of contents of tool calls that have ended

// A doneCall is a tool call whose content is kept although it has ended, because
// agents may still add to it.
type doneCall struct {
	session *session
	call    *toolCall
}

// keepDone keeps the content of a tool call that has ended, and forgets the
// content of others if it is too much.
func (b *Bridge) keepDone(s *session, c *toolCall) {
	t := &b.sessions
	if !s.tools.has(c) {
		return
	}
	if c.counted == 0 {
		t.done = append(t.done, doneCall{s, c})
	}
	t.doneSize -= c.counted
	c.counted = c.size + itemCost
	for t.doneSize += c.counted; t.doneSize > maxDone; {
		first := t.done[0]
		t.done = t.done[1:]
		t.uncount(first.call)
		b.forgetContent(first.session, first.call)
	}
}

// uncount takes in that a tool call is not among those that have ended any more.
func (t *sessions) uncount(c *toolCall) {
	t.doneSize -= c.counted
	c.counted = 0
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
	c.forgetItems(&s.tools, nil)
	b.sessions.account(s)
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
		c.forgetItems(t, append([]item(nil), c.items[drop:]...))
		b.w.Lose(translate.LossTooMuchContent, "kept the last part of more than 1 MiB")
	}
}

// account counts what is kept of the session.
func (t *sessions) account(s *session) {
	if s.closed {
		return
	}
	size := s.size()
	t.kept += size - s.kept
	s.kept = size
}

// makeRoom has old sessions lose what is kept of them if that is too much in all, and
// the current one last: first contents, then all, so that the client is shown as new
// what it has been shown before.
func (b *Bridge) makeRoom(current []byte) {
	t := &b.sessions
	if t.kept <= maxKept {
		return
	}
	now := t.find(string(b.shownIn(current)))
	forget := func(l translate.Loss, size func(*session) int, forget func(*session)) {
		lose := func(s *session) {
			if s != nil && t.kept > maxKept && size(s) > 0 {
				b.flush(s)
				forget(s)
				t.account(s)
				b.w.Losses = append(b.w.Losses, l)
			}
		}
		for _, id := range t.order {
			if s := t.all[id]; s != now {
				lose(s)
			}
		}
		lose(now)
	}
	forget(translate.Loss{Kind: translate.LossTooMuchContents, Detail: "forgot that of an old session; what is added takes its place"},
		(*session).contents, (*session).forgetContents)
	forget(translate.Loss{Kind: translate.LossTooManyNames, Detail: "forgot which tool calls, messages and options an old session has"},
		(*session).size, (*session).forgetKnown)
}

func (s *session) contents() int { return s.tools.size + s.terminals.size }

func (s *session) size() int {
	return s.contents() + s.tools.named + s.terminals.named + s.messages.size + s.options.size + s.turns.size()
}

// forgetContents forgets contents and outputs. That a tool call shows terminals or
// subagents is not forgotten, as these still change.
func (s *session) forgetContents() {
	for _, c := range s.tools.order {
		var left []item
		for _, i := range c.items {
			if i.json == nil {
				left = append(left, i)
			}
		}
		c.forgetItems(&s.tools, left)
	}
	for _, t := range s.terminals.all {
		t.output = nil
	}
	s.terminals.size = 0
}

// forgetKnown forgets what the client has been shown of the session, and can choose.
// What still waits for an answer may refer to a tool call of it.
func (s *session) forgetKnown() {
	s.forgetContents()
	s.messages, s.tools, s.terminals, s.options = messages{link: s.messages.link}, toolCalls{}, terminals{}, options{}
	s.turns.forgetEnd()
}
