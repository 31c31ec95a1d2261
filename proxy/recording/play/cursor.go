package play

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"time"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A cursor goes from point to point of a session and reads what the agent says behind
// each.
type cursor struct {
	lane   *lane
	index  int // of the point in front of it; -1 before the first
	detour bool
	over   bool

	left   []byte // runs that are not read yet
	tail   bool   // the last run is not among them
	runEnd int64  // of the run that is read
	lines  *lineReader
	start  int64     // where lines begins
	batch  []message // what is left of the line that was read last
	next   *message

	// The time of what was said last, in the recording and in this conversation.
	time time.Duration
	live time.Duration
}

// atEnd reports whether all was read behind the point.
func (c *cursor) atEnd() bool {
	return c.index < 0 || len(c.batch) == 0 && len(c.left) == 0 && !c.tail && c.lines == nil
}

// enter goes behind a point.
func (c *cursor) enter(p *point) {
	c.index = p.index
	c.left, c.tail, c.runEnd = p.runs.encoded, p.runs.end > 0, 0
	c.lines, c.batch, c.next = nil, nil, nil
}

// read reads the next message behind the point, or returns nil.
func (c *cursor) read(s *source) (*message, error) {
	for {
		if len(c.batch) > 0 {
			m := c.batch[0]
			c.batch = c.batch[1:]
			return &m, nil
		}
		if c.lines == nil {
			if !c.more() {
				return nil, nil
			}
			c.begin(s, c.start)
		}
		line, at, err := c.lines.next()
		if len(line) > 0 {
			// The messages outlive the line, and the parser's list of them.
			found := s.parse(append([]byte(nil), line...), c.start+at)
			c.batch = append([]message(nil), found...)
		}
		if err != nil {
			c.lines = nil
			if err != io.EOF {
				return nil, err
			}
		}
	}
}

// more goes to the next run.
func (c *cursor) more() bool {
	switch {
	case len(c.left) > 0:
		gap, n := binary.Uvarint(c.left)
		length, k := binary.Uvarint(c.left[n:])
		c.left = c.left[n+k:]
		c.start = c.runEnd + int64(gap)
		c.runEnd = c.start + int64(length)
	case c.tail:
		c.tail = false
		r := &c.lane.points[c.index].runs
		c.start, c.runEnd = r.start, r.end
	default:
		return false
	}
	return true
}

// begin begins to read the run at an offset.
func (c *cursor) begin(s *source, at int64) {
	c.start = at
	size := max(16, min(c.runEnd-at, 1<<16))
	c.lines = &lineReader{in: bufio.NewReaderSize(io.NewSectionReader(s.file, at, c.runEnd-at), int(size))}
}

// skip leaves out what comes before limit, and the line there, which ends at end.
func (c *cursor) skip(s *source, limit, end int64) {
	for c.more() {
		if c.runEnd > limit {
			c.begin(s, end)
			return
		}
	}
}

// due makes the next message of a cursor ready, and returns when it is due. If there is
// none now, it returns when to look again.
func (p *player) due(c *cursor) time.Duration {
	for c.next == nil {
		if c.index >= 0 {
			m, err := c.read(p.source)
			if err != nil {
				p.fail(err)
				return always
			}
			if c.next = m; m != nil {
				break
			}
		}
		on, again := p.advance(c)
		if !on {
			return again
		}
	}
	if p.speed == 0 || p.hurries(c) {
		return 0
	}
	return c.live + p.wait(c.next.time-c.time)
}

// wait returns how long something takes that took so long when it was recorded.
func (p *player) wait(recorded time.Duration) time.Duration {
	if p.speed == 0 {
		return 0
	}
	return time.Duration(min(float64(max(0, recorded))/p.speed, math.MaxInt64/4))
}

// hurries reports whether the client has gone on while the agent had something to say
// that nobody has asked for.
func (p *player) hurries(c *cursor) bool {
	s := &c.lane.play
	return s.turn == nil && !c.detour && s.latest > c.index
}

// advance goes on to the next point, if what the agent waits for there has come.
// Otherwise it returns when to look again.
func (p *player) advance(c *cursor) (on bool, again time.Duration) {
	l, s := c.lane, &c.lane.play
	if t := s.turn; t != nil && t.given != "" && (c.index+1 >= len(l.points) || l.points[c.index+1].within != t) {
		p.giveEnd(t)
	}
	if c.index+1 >= len(l.points) {
		c.over = c.detour
		return false, always
	}
	next := l.points[c.index+1]
	switch next.waits {
	case ask, elsewise:
		if c.detour {
			c.over = true
			return false, always
		}
		return p.advanceTo(c, next)
	case cancel:
		if s.turn != nil && next.within == s.turn && s.latest < next.index {
			return false, always
		}
	case choice:
		if s.pending[next.about] {
			return false, always
		}
		if at, ok := s.chosen[next.about]; ok {
			delete(s.chosen, next.about)
			c.enter(next)
			c.time, c.live = next.time, at
			return true, 0
		}
	}
	c.enter(next)
	return true, 0
}

// advanceTo goes on to a request. One that came in the middle of a turn is waited for,
// but not for long: the client may never send it, and waits for the turn itself. So is
// one that does not concern the session. Otherwise the client is free to ask for what
// it wants.
func (p *player) advanceTo(c *cursor, next *point) (on bool, again time.Duration) {
	l, s := c.lane, &c.lane.play
	if next.state.reached || next.state.passed {
		p.arrive(c, next)
		return true, 0
	}
	inTurn := s.turn != nil && next.within == s.turn
	if inTurn || next.waits == elsewise && next.index > 0 {
		until := c.live + p.wait(next.time-c.time) + patience
		if p.now < until && s.latest < next.index && !(inTurn && p.ended) {
			return false, until
		}
		if next.waits == ask {
			p.log.Info("the client has not asked for what the recording has here; it goes on without that", "method", next.method, "session", s.called)
		}
		next.state.passed = true
		p.arrive(c, next)
		return true, 0
	}
	for i := next.index + 1; i <= s.latest; i++ {
		if later := l.points[i]; later.state.reached && (later.waits == ask || later.waits == elsewise) {
			p.arrive(c, later)
			return true, 0
		}
	}
	return false, always
}

// arrive goes behind a request.
func (p *player) arrive(c *cursor, next *point) {
	s := &c.lane.play
	inTurn := s.turn != nil && next.within == s.turn
	c.enter(next)
	if !next.state.reached {
		return
	}
	if !inTurn || next.state.since > c.live {
		c.time, c.live = next.time, next.state.since
	}
	if next.waits == ask && next.method == methodPrompt {
		s.turn = next
	}
}

// detourTo reads what follows a point that the session has gone past.
func (p *player) detourTo(found *point) {
	c := &cursor{lane: found.lane, detour: true}
	c.enter(found)
	c.time, c.live = found.time, p.now
	found.lane.play.detours = append(found.lane.play.detours, c)
}

// cancel cancels the turn that is under way in a session. It goes on where the
// recording has the effect of that. If it has none the turn ends here, with the error
// refusal or else as cancelled.
func (p *player) cancel(l *lane, refusal string) {
	s := p.activate(l)
	if s.turn == nil {
		for i := s.main.index + 1; i <= s.latest; i++ {
			if next := l.points[i]; next.method == methodPrompt && next.state.reached {
				p.arrive(s.main, next)
				break
			}
		}
	}
	turn := s.turn
	if turn == nil || s.cancelled == turn {
		return
	}
	s.cancelled = turn
	clear(s.pending)
	for _, next := range l.points[s.main.index+1:] {
		if next.waits == cancel && next.within == turn {
			p.leave(l, turn, next, next.at.key())
			s.main.enter(next)
			s.main.time, s.main.live = next.time, p.now
			return
		}
	}
	p.endTurn(l, turn, refusal)
}

// leave leaves what a turn still had to say, up to a point and a place in the
// recording. Requests whose answers are there get them.
func (p *player) leave(l *lane, turn, to *point, limit int64) {
	for i := turn.index; i < to.index; i++ {
		l.points[i].state.passed = true
	}
	for _, asked := range p.asks {
		switch {
		case p.open[jsonrpc.IDOf(asked.state.id)] != asked || asked.lane != l || asked == turn || asked.answer.key() >= limit || !asked.answer.present():
		case asked.method == methodPrompt:
			p.result(asked, `{"stopReason":"cancelled"}`)
		default:
			p.answerNow(asked)
		}
	}
}

// endTurn ends a turn before its end in the recording, and goes on behind that.
func (p *player) endTurn(l *lane, turn *point, refusal string) {
	s := &l.play
	inVersion2 := turn.end.present() && turn.end.key() != turn.answer.key() || !turn.end.present() && (turn.answer.present() || p.version == 2)
	to, limit := turn.endPoint, turn.end.key()
	if !turn.end.present() {
		to, limit = turn, math.MaxInt64
		for _, next := range l.points[turn.index+1:] {
			if next.within == turn {
				to = next
			}
		}
	}
	p.leave(l, turn, to, limit)
	s.main.enter(to)
	s.main.skip(p.source, limit, turn.end.end())
	s.main.live = p.now
	if last, ok, err := p.source.one(turn.end); err == nil && ok {
		s.main.time = last.time
	}
	s.turn = nil
	if p.open[jsonrpc.IDOf(turn.state.id)] == turn {
		switch {
		case refusal != "":
			p.refuse(turn.state.id, -32800, refusal)
			p.forget(turn)
		case !inVersion2:
			p.result(turn, `{"stopReason":"cancelled"}`)
		case turn.answer.present():
			p.answerNow(turn)
		default:
			p.result(turn, `{}`)
		}
	}
	if inVersion2 {
		p.idle(l, "cancelled")
	}
}

// idle says that a turn of version 2 has ended.
func (p *player) idle(l *lane, reason string) {
	p.out = append(p.out, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":`...)
	p.out = rawjson.AppendQuoted(p.out, cmp.Or(l.play.called, l.session))
	p.out = append(append(p.out, `,"update":{"sessionUpdate":"state_update","state":"idle","stopReason":"`...), reason...)
	p.out = append(p.out, `"}}}`+"\n"...)
}
