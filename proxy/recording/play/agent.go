package play

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// awaitRequest goes on to a request of the client. One that came in the middle of a turn is
// waited for, but not for long: the client may never send it, and waits for the turn
// itself. Between turns the client is free to ask for what it wants.
func (p *player) awaitRequest(l *lane, s *step) (again time.Duration) {
	inTurn := l.turn != nil && s.turn == l.turn
	switch {
	case s.call.now != nil:
	case !inTurn:
		if !p.leap(l) {
			return always
		}
		return 0
	default:
		until := l.live + p.wait(s.time-l.time) + patience
		if p.now < until && p.pending(l) == nil && !p.ended {
			return until
		}
		p.log.Info("the client has not asked for what the recording has here; it goes on without that", "method", s.call.method, "session", l.called)
	}
	p.enter(l, s)
	return 0
}

// pending returns the first request that has come and that its lane has not reached.
func (p *player) pending(l *lane) *step {
	for _, c := range p.calls {
		if c.step.lane == l && c.now != nil && !c.step.done {
			return c.step
		}
	}
	return nil
}

// leap goes to such a request, and reports whether there is one. What is behind its place
// was said, or is said in its time.
func (p *player) leap(l *lane) bool {
	s := p.pending(l)
	if s != nil {
		p.enter(l, s)
	}
	return s != nil
}

// enter goes behind a request, which may not have come.
func (p *player) enter(l *lane, s *step) {
	inTurn := l.turn != nil && s.turn == l.turn
	c := s.call
	l.at, l.hurries, s.done = s.index, 0, true
	if c.now == nil {
		return
	}
	if !inTurn || c.since > l.live {
		l.time, l.live = s.time, c.since
	}
	if t := c.turn; t != nil && t.prompt == c {
		l.turn = t
	}
}

// request handles a request of the client.
func (p *player) request(m *recording.Message) {
	c := p.match(m)
	if c == nil {
		expected := p.expected(p.laneOf(m))
		p.log.Warn("the client asks for more than was recorded", "method", m.Method, "session", m.Session, "expected", expected)
		p.refuse(m.ID, -32601, fmt.Sprintf("this agent plays a recording, which has no %s here: %s", m.Method, expected))
		return
	}
	s := c.step
	l := s.lane
	if m.Session != "" {
		p.bind(l, m.Session)
	}
	if m.Method == "session/close" || m.Method == "session/delete" {
		p.cancel(l, "")
	}
	again := c.now != nil
	p.answerNow(c) // if it was asked before, and waits
	c.now, c.answered = bytes.Clone(m.ID), false
	if !again {
		c.since = p.now
		p.opens(c, m)
	}
	for _, other := range p.lanes {
		other.hurries = c.at.start
	}
	p.log.Debug("request", "method", m.Method, "session", m.Session)
	prompts := m.Method == "session/prompt"
	busy := (l.turn != nil || p.hasQuestion(l)) && !prompts && l.next() != s
	elsewhere := s.turn != nil && s.turn != l.turn && !prompts
	if again || s.done || c.answers != nil && c.answers.done || elsewhere || busy {
		// What stood around the answer was said, or will be in its time.
		s.done = true
		p.answerNow(c)
	}
}

// hasQuestion reports whether a question of the agent waits for its answer.
func (p *player) hasQuestion(l *lane) bool {
	for _, c := range p.asked {
		if c.open() && c.step != nil && c.step.lane == l {
			return true
		}
	}
	return false
}

// match returns the recorded request that one of the client means: the next one of the
// method, in its session if that is known.
func (p *player) match(m *recording.Message) *call {
	if m.Method == "initialize" {
		return p.initialize(string(rawjson.Get(m.Params, "protocolVersion")))
	}
	known := p.laneOf(m)
	for _, c := range p.calls {
		switch l := c.step.lane; {
		case c.method != m.Method || c.now != nil || (c.session == "") != (m.Session == ""):
		case m.Session == "", l == known, known == nil && l.called == "":
			return c
		}
	}
	return nil
}

// laneOf returns the recorded session that the client means, or nil.
func (p *player) laneOf(m *recording.Message) *lane {
	if l := p.sessions[m.Session]; l != nil {
		return l
	}
	if l := p.session[m.Session]; l != nil && l.called == "" {
		return l
	}
	return nil
}

// initialize returns the recorded request for a version of the protocol, or else what was
// asked first: an agent answers with the version that it has. One that was answered is
// answered again.
func (p *player) initialize(version string) (best *call) {
	rank := 0
	for _, c := range p.calls {
		if c.method != "initialize" {
			continue
		}
		r := 1
		if asked, ok := p.load(c.at); ok && string(rawjson.Get(asked.Params, "protocolVersion")) == version {
			r += 4
		} else if c.answer.size > 0 && !c.failed {
			r += 2
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
	if p.sessions[session] == nil && l.called == "" {
		p.sessions[session], l.called = l, session
		p.names.call(l.session, session)
	}
}

// opens notes what is known of a session when the client makes or loads it: its name, and
// the two working directories.
func (p *player) opens(c *call, m *recording.Message) {
	l := c.step.lane
	if m.Method == "session/new" && l.session != "" {
		p.bind(l, l.session)
	}
	if asked, ok := p.load(c.at); ok {
		p.names.move(l, textOf(asked.Params, "cwd"), textOf(m.Params, "cwd"))
	}
}

// expected says what the recording has next.
func (p *player) expected(l *lane) string {
	var any, next *call
	for _, c := range p.calls {
		switch {
		case c.now != nil || c.step.done:
		case next == nil && l != nil && c.step.lane == l && c.session != "":
			next = c
		case any == nil:
			any = c
		}
	}
	switch {
	case next != nil:
		return "next in this session is " + next.method
	case any != nil:
		return "next in it is " + any.method
	}
	return "nothing is left of it"
}

// answerNow answers a request with what was recorded, wherever that is.
func (p *player) answerNow(c *call) {
	if c.answers != nil {
		p.say(c.answers)
	}
}

// told handles a notification. Only one that cancels something means anything.
func (p *player) told(m *recording.Message) {
	switch m.Method {
	case "session/cancel":
		if l := p.laneOf(m); l != nil {
			p.cancel(l, "")
		}
	case "$/cancel_request":
		id := requestID(m)
		const why = "the request was cancelled"
		for _, c := range p.calls {
			switch {
			case !c.open() || jsonrpc.IDOf(c.now) != id:
			case c.method == "session/prompt":
				p.cancel(c.step.lane, why)
			default:
				c.answered = true
				p.refuse(c.now, -32800, why)
			}
		}
	}
}

// cancel cancels the turn that is under way in a session. It goes on where the recording
// has the effect of that. If it has none the turn ends here, with the error refusal or
// else as cancelled.
func (p *player) cancel(l *lane, refusal string) {
	prompts := func(c *call) bool {
		return c.method == "session/prompt" && c.step.lane == l && c.now != nil && !c.step.done
	}
	for l.turn == nil && slices.ContainsFunc(p.calls, prompts) {
		// The turn has not begun yet: what is in front of it is said at once.
		for s := l.next(); s != nil && s.isOurs(); s = l.next() {
			s.done = true
			p.say(s)
		}
		p.leap(l)
	}
	t := l.turn
	if t == nil || t.cancelled {
		return
	}
	t.cancelled = true
	var to *step
	for _, s := range slices.Backward(l.steps[l.at:]) {
		switch {
		case s.turn != t:
		case s.kind == canceled:
			to = s
		case s.kind == answered && s.call.open():
			s.call.now = nil // it waits no longer for the answer
		}
	}
	if to == nil {
		p.endTurn(l, t, refusal)
		return
	}
	p.leave(l, t, to)
	l.time, l.live = to.time, p.now
}

// leave leaves what a turn still had to say, up to a step. Requests whose answers are there
// get them.
func (p *player) leave(l *lane, t *turn, to *step) {
	for _, s := range l.steps[t.prompt.step.index : to.index+1] {
		switch {
		case s.done || s.kind != answers || !s.call.open() || s.call == t.prompt:
		case s.call.method == "session/prompt":
			s.call.answered = true
			p.result(s.call.now, `{"stopReason":"cancelled"}`)
		default:
			p.say(s)
		}
		s.done = true
	}
	l.at = to.index
}

// endTurn ends a turn before its end in the recording, and goes on behind that.
func (p *player) endTurn(l *lane, t *turn, refusal string) {
	to, prompt := t.end, t.prompt
	inVersion2 := to != nil && to.kind != answers || to == nil && (prompt.answer.size > 0 || p.version == 2)
	for _, s := range l.steps {
		if t.end == nil && s.turn == t {
			to = s
		}
	}
	p.leave(l, t, to)
	l.turn, l.time, l.live = nil, to.time, p.now
	if prompt.open() {
		switch {
		case refusal != "":
			prompt.answered = true
			p.refuse(prompt.now, -32800, refusal)
		case inVersion2 && prompt.answer.size > 0:
			p.answerNow(prompt)
		default:
			prompt.answered = true
			p.result(prompt.now, map[bool]string{true: `{}`, false: `{"stopReason":"cancelled"}`}[inVersion2])
		}
	}
	if inVersion2 {
		p.out = append(p.out, idle(cmp.Or(l.called, l.session), "cancelled")+"\n"...)
	}
}

// idle says that a turn of version 2 has ended.
func idle(session, reason string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":` + string(rawjson.AppendQuoted(nil, session)) +
		`,"update":{"sessionUpdate":"state_update","state":"idle","stopReason":"` + reason + `"}}}`
}
