package play

import (
	"bytes"
	"cmp"
	"fmt"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// awaitRequest goes on to a request of the client. One that came in the middle of a turn is
// waited for, but not for long: the client may never send it, and waits for the turn
// itself. Between turns the client is free to ask for what it wants.
func (p *player) awaitRequest(s *step) (again time.Duration) {
	l := s.lane
	switch {
	case s.call.now != nil:
	case !s.inTurn() && p.leap(l):
		return 0
	case !s.inTurn() && find(p.theirs, func(c *call) bool { return c.lane == l && c.open() }) == nil:
		return always
	default:
		until := p.after(s) + patience
		if p.now < until && p.pending(l) == nil && !p.ended {
			return until
		}
		p.log.Info("the client has not asked for what the recording has here; it goes on without that", "method", s.Method, "session", l.called)
	}
	p.enter(s.call)
	return 0
}

// pending returns the first request that has come and that its lane has not reached.
func (p *player) pending(l *lane) *call {
	return find(p.theirs, func(c *call) bool { return c.lane == l && c.now != nil && !c.done })
}

// leap goes to such a request, and reports whether there is one. What is behind its place
// was said, or is said in its time.
func (p *player) leap(l *lane) bool {
	c := p.pending(l)
	if c != nil {
		p.enter(c)
	}
	return c != nil
}

// enter goes behind a request, which may not have come.
func (p *player) enter(c *call) {
	l := c.lane
	l.at, l.hurries, c.done = c.index, 0, true
	if c.now == nil {
		return
	}
	l.time, l.live = c.time(), max(l.live, c.since)
	if c.turn == c {
		l.turn = c
		if c.cancelled {
			p.cancel(c)
		}
	}
}

// request handles a request of the client.
func (p *player) request(m *recording.Message) {
	c := p.match(m)
	if c == nil {
		c = p.repeat(m)
	}
	if c == nil {
		expected := p.expected(p.laneOf(m.Session))
		p.log.Warn("the client asks for more than was recorded", "method", m.Method, "session", m.Session, "expected", expected)
		p.refuse(m.ID, -32601, fmt.Sprintf("this agent plays a recording, which has no %s here: %s", m.Method, expected))
		return
	}
	p.log.Debug("request", "method", m.Method, "session", m.Session)
	l := c.lane
	p.bind(l, cmp.Or(m.Session, l.session))
	p.names.AddDir(l.session, recording.TextOf(c.Params, "cwd"), recording.TextOf(m.Params, "cwd"))
	if m.Method == "session/close" || m.Method == "session/delete" {
		p.cancelIn(l)
	}
	again := c.now != nil
	p.answerNow(c) // if it was asked before, and waits
	c.now, c.answered, c.since = bytes.Clone(m.ID), false, p.now
	for _, other := range p.lanes {
		other.hurries = c.Line
	}
	if again || c.done || !c.prompts() && !p.isNext(c) {
		// What the recording has around the answer was said, or is said in its time.
		c.done = true
		p.answerNow(c)
	}
}

// isNext reports whether a lane goes on to a request: it waits for that, or for any.
func (p *player) isNext(c *call) bool {
	l := c.lane
	if l.next() == c.step {
		return true
	}
	isQuestion := func(q *call) bool { return q.open() && q.lane == l }
	return l.turn == nil && c.turn == nil && find(p.ours, isQuestion) == nil
}

// match returns the recorded request that one of the client means: the next one of the
// method, in its session if that is known.
func (p *player) match(m *recording.Message) *call {
	if m.Method == "initialize" {
		return p.initialize(string(rawjson.Get(m.Params, "protocolVersion")))
	}
	known := p.laneOf(m.Session)
	return find(p.theirs, func(c *call) bool {
		isIn := c.lane == known || known == nil && c.lane.called == ""
		return c.Method == m.Method && c.now == nil && (c.Session == "") == (m.Session == "") && (m.Session == "" || isIn)
	})
}

// laneOf returns the recorded session that the client means, or nil.
func (p *player) laneOf(session string) *lane {
	if l := p.sessions[session]; l != nil && (l.called == "" || l.called == session) {
		return l
	}
	return nil
}

// initialize returns the recorded request for a version of the protocol, or else what was
// asked first: an agent answers with the version that it has. One that was answered is
// answered again.
func (p *player) initialize(version string) (best *call) {
	rank := 0
	for _, c := range p.theirs {
		r := 1
		switch {
		case c.Method != "initialize":
			continue
		case string(rawjson.Get(c.Params, "protocolVersion")) == version:
			r = 5
		case c.reply != nil && !c.reply.IsError:
			r = 3
		}
		if c.now == nil {
			r++
		}
		if r > rank {
			best, rank = c, r
		}
	}
	return best
}

// bind notes what the client calls a session.
func (p *player) bind(l *lane, session string) {
	if session == "" || l.called != "" {
		return
	}
	if other := p.laneOf(session); other == nil || other == l {
		p.sessions[session], l.called = l, session
		p.names.Add(l.session, session)
	}
}

// expected says what the recording has next.
func (p *player) expected(l *lane) string {
	next := "nothing is left of it"
	isLeft := func(c *call) bool { return c.now == nil && !c.done }
	if c := find(p.theirs, isLeft); c != nil {
		next = "next in it is " + c.Method
	}
	if c := find(p.theirs, func(c *call) bool { return isLeft(c) && l != nil && c.lane == l && c.Session != "" }); c != nil {
		next = "next in this session is " + c.Method
	}
	return next
}

// answerNow answers a request with what was recorded, wherever that is.
func (p *player) answerNow(c *call) {
	if c.reply != nil {
		p.say(c.reply)
	}
}

// told handles a notification. Only one that cancels something means anything.
func (p *player) told(m *recording.Message) {
	switch m.Method {
	case "session/cancel":
		if l := p.laneOf(m.Session); l != nil {
			p.cancelIn(l)
		}
	case "$/cancel_request":
		id := requestID(m)
		switch c := find(p.theirs, func(c *call) bool { return c.open() && jsonrpc.IDOf(c.now) == id }); {
		case c == nil:
		case c.prompts():
			p.cancelIn(c.lane)
		default:
			c.answered = true
			p.refuse(c.now, -32800, "the request was cancelled")
		}
	}
}

// cancelIn cancels the turn that is under way in a lane, or comes next.
func (p *player) cancelIn(l *lane) {
	waits := func(c *call) bool { return c.lane == l && c.now != nil && !c.done && c.prompts() }
	if l.turn == nil {
		if c := find(p.theirs, waits); c != nil {
			c.cancelled = true
		}
	} else if !l.turn.cancelled {
		p.cancel(l.turn)
	}
}

// cancel cancels the turn of a prompt. It goes on where the recording has the effect of
// that. If it has none the turn ends here.
func (p *player) cancel(t *call) {
	l, to := t.lane, t.canceled
	if to == nil {
		to = t.last
	}
	t.cancelled = true
	l.at, l.time, l.live = to.index, to.time(), p.now
	for _, s := range l.steps[t.index : to.index+1] {
		switch c := s.call; {
		case s.done || s.From != p.us || s.Type != trace.Response || !c.open():
		case c.prompts() && c.Version < 2: // in version 2 it is answered before its turn ends
			p.stop(c)
		default:
			p.say(s)
		}
		s.done = true
	}
	if to == t.canceled {
		return
	}
	l.turn = nil
	if t.Version < 2 {
		p.stop(t)
		return
	}
	if p.answerNow(t); t.open() {
		p.answer(t.now, false, `{}`)
	}
	p.out = append(idle(cmp.Or(l.called, l.session), "cancelled").AppendMessage(p.out), '\n')
}

// stop answers a prompt that was cancelled.
func (p *player) stop(c *call) {
	if c.open() {
		c.answered = true
		p.answer(c.now, false, `{"stopReason":"cancelled"}`)
	}
}

// idle says that a turn of version 2 has ended.
func idle(session, reason string) *trace.Event {
	params := `{"sessionId":` + string(rawjson.AppendQuoted(nil, session)) +
		`,"update":{"sessionUpdate":"state_update","state":"idle","stopReason":"` + reason + `"}}`
	return &trace.Event{Type: trace.Notification, From: trace.Agent, To: trace.Client, Method: "session/update", Session: session, Params: []byte(params)}
}
