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

// advanceTo goes on to a request of the client. One that came in the middle of a turn is
// waited for, but not for long: the client may never send it, and waits for the turn
// itself. Between turns the client is free to ask for what it wants.
func (p *player) advanceTo(l *lane, next *cue) (again time.Duration) {
	inTurn := l.turn != nil && next.within == l.turn
	switch {
	case next.come || next.passed:
	case !inTurn:
		return p.leap(l)
	default:
		until := l.live + p.wait(next.time-l.time) + patience
		if p.now < until && l.pending() == nil && !p.ended {
			return until
		}
		p.log.Info("the client has not asked for what the recording has here; it goes on without that", "method", next.call.method, "session", l.called)
		next.passed = true
	}
	p.enter(l, next)
	return 0
}

// pending returns the first request that has come and is somewhere else in the lane.
func (l *lane) pending() *cue {
	if len(l.reached) == 0 {
		return nil
	}
	return slices.MinFunc(l.reached, func(a, b *cue) int { return a.index - b.index })
}

// leap goes to such a request. What is behind its place was said, or is said in its time.
func (p *player) leap(l *lane) (again time.Duration) {
	c := l.pending()
	if c == nil {
		return always
	}
	p.enter(l, c)
	return 0
}

// enter goes behind a request.
func (p *player) enter(l *lane, c *cue) {
	inTurn := l.turn != nil && c.within == l.turn
	l.at, l.hurries = c.index, 0
	i := slices.Index(l.reached, c)
	if i < 0 {
		return
	}
	l.reached = slices.Delete(l.reached, i, i+1)
	if !inTurn || c.since > l.live {
		l.time, l.live = c.time, c.since
	}
	if t := c.call.turn; t != nil && t.prompt == c.call {
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
	q := c.cue
	l := q.lane
	if m.Session != "" {
		p.bind(l, m.Session)
	}
	if m.Method == "session/close" || m.Method == "session/delete" {
		p.cancel(l, "")
	}
	again := q.come
	p.answerNow(c) // if it was asked before, and waits
	c.now, c.answered = bytes.Clone(m.ID), false
	if q.come = true; !again {
		q.since = p.now
		p.opens(c, m)
	}
	for _, other := range p.lanes {
		other.hurries = c.at.start
	}
	p.log.Debug("request", "method", m.Method, "session", m.Session)
	isNext := l.at+1 == q.index && l.cues[l.at].next == len(l.cues[l.at].lines)
	busy := (l.turn != nil || p.hasQuestion(l)) && m.Method != "session/prompt"
	elsewhere := q.within != nil && q.within.prompt != c && q.within != l.turn && m.Method != "session/prompt"
	gone := c.answers != nil && c.nth < c.answers.next
	if again || q.passed || gone || elsewhere || busy && !isNext {
		// What stood around the answer was said, or will be in its time.
		p.answerNow(c)
	} else {
		l.reached = append(l.reached, q)
	}
}

func (p *player) hasQuestion(l *lane) bool {
	return l.at+1 < len(l.cues) && l.cues[l.at+1].kind == answered && l.cues[l.at+1].call.open()
}

// match returns the recorded request that one of the client means: the next one of the
// method, in its session if that is known.
func (p *player) match(m *recording.Message) *call {
	if m.Method == "initialize" {
		return p.initialize(string(rawjson.Get(m.Params, "protocolVersion")))
	}
	known := p.laneOf(m)
	for _, c := range p.calls {
		switch l := c.cue.lane; {
		case c.method != m.Method || c.cue.come || (c.session == "") != (m.Session == ""):
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
		if !c.cue.come {
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
	l := c.cue.lane
	if m.Method == "session/new" && l.session != "" {
		p.bind(l, l.session)
	}
	now, ok := rawjson.TextOf(rawjson.Get(m.Params, "cwd"))
	if !ok || c.at.size == 0 {
		return
	}
	if asked, ok := p.load(c.at); ok {
		was, _ := rawjson.TextOf(rawjson.Get(asked.Params, "cwd"))
		p.names.move(l, string(was), string(now))
	}
}

// expected says what the recording has next.
func (p *player) expected(l *lane) string {
	var any, next *call
	for _, c := range p.calls {
		switch {
		case c.cue.come || c.cue.passed:
		case next == nil && l != nil && c.cue.lane == l && c.session != "":
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
		p.say(c.cue.lane, &c.answers.lines[c.nth])
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
		id := jsonrpc.IDOf(rawjson.Get(m.Params, "requestId"))
		const why = "the request was cancelled"
		for _, c := range p.calls {
			switch {
			case !c.open() || jsonrpc.IDOf(c.now) != id:
			case c.method == "session/prompt":
				p.cancel(c.cue.lane, why)
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
	prompts := func(c *cue) bool { return c.call.method == "session/prompt" }
	for l.turn == nil && slices.ContainsFunc(l.reached, prompts) {
		// The turn has not begun yet: what is in front of it is said at once.
		for c := l.cues[l.at]; c.next < len(c.lines); c.next++ {
			p.say(l, &c.lines[c.next])
		}
		p.enter(l, l.pending())
	}
	t := l.turn
	if t == nil || t.cancelled {
		return
	}
	t.cancelled = true
	for _, next := range l.cues[l.at+1:] {
		if next.kind == answered && next.within == t && next.call.open() {
			next.call.now = nil // it waits no longer for the answer
		}
	}
	for _, next := range l.cues[l.at+1:] {
		if next.kind == canceled && next.within == t {
			p.leave(l, t, next, 0)
			l.time, l.live = next.time, p.now
			return
		}
	}
	p.endTurn(l, t, refusal)
}

// leave leaves what a turn still had to say, up to some lines behind a cue. Requests whose
// answers are there get them.
func (p *player) leave(l *lane, t *turn, to *cue, lines int) {
	for _, c := range l.cues[t.prompt.cue.index : to.index+1] {
		last := len(c.lines)
		if c == to {
			last = lines
		}
		for ; c.next < last; c.next++ {
			ln := &c.lines[c.next]
			switch {
			case ln.kind != answers || !ln.call.open() || ln.call == t.prompt:
			case ln.call.method == "session/prompt":
				ln.call.answered = true
				p.result(ln.call.now, `{"stopReason":"cancelled"}`)
			default:
				p.say(l, ln)
			}
		}
		c.passed = c != to
	}
	l.at = to.index
}

// endTurn ends a turn before its end in the recording, and goes on behind that.
func (p *player) endTurn(l *lane, t *turn, refusal string) {
	inVersion2 := t.end != nil && !t.answered || t.end == nil && (t.prompt.answer.size > 0 || p.version == 2)
	to, lines := t.end, t.lines
	if to == nil {
		for _, c := range l.cues[t.prompt.cue.index:] {
			if c.within == t {
				to, lines = c, len(c.lines)
			}
		}
	}
	p.leave(l, t, to, lines)
	l.turn, l.time, l.live = nil, t.time, p.now
	if prompt := t.prompt; prompt.open() {
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
		p.out = append(p.out, idle(cmp.Or(l.called, l.session), "cancelled")...)
		p.out = append(p.out, '\n')
	}
}

// idle says that a turn of version 2 has ended.
func idle(session, reason string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":` + string(rawjson.AppendQuoted(nil, session)) +
		`,"update":{"sessionUpdate":"state_update","state":"idle","stopReason":"` + reason + `"}}}`
}
