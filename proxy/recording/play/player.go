package play

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"time"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

const (
	// patience is how long a turn that is under way waits for a request that came in
	// it when it was recorded.
	patience = 10 * time.Second

	// mouthful is how much the player says before it listens again.
	mouthful = 64 << 10

	// always is the time of what does not come.
	always = time.Duration(math.MaxInt64)
)

// A player is the agent of a recording. It is told what the client says and what time
// it is, and says what has come due. It does no input or output of its own, but reads
// the recording.
type player struct {
	*recording
	log     *slog.Logger
	speed   float64 // 0: at once
	ended   bool    // the client has closed its side
	closing bool    // and gets only what it waits for

	now       time.Duration
	out       []byte // what is said, as lines
	active    []*lane
	sessions  map[string]*lane      // by what this client calls them
	waiting   map[int64]*point      // requests that are not answered, by their recorded answers
	open      map[jsonrpc.ID]*point // all that are not answered, by their ids
	questions map[jsonrpc.ID]*question
	names     names
	fresh     int // ids that the recording has not
	err       error
}

// A pointState is what has become of a point.
type pointState struct {
	reached bool // what the agent waited for has come
	since   time.Duration
	passed  bool   // the agent has gone on without it
	id      []byte // of the client's request, as it spells it
}

// A laneState is what has become of a session.
type laneState struct {
	active    bool
	main      *cursor
	detours   []*cursor // to points that were gone past
	turn      *point    // that is under way
	cancelled *point    // the turn that was cancelled last
	latest    int       // the last point that was reached
	pending   map[int64]bool
	chosen    map[int64]time.Duration // when a question was answered
	called    string                  // what the client calls the session
}

func newPlayer(r *recording, speed float64, log *slog.Logger) *player {
	p := &player{
		recording: r, speed: speed, log: log,
		sessions: make(map[string]*lane), waiting: make(map[int64]*point),
		open: make(map[jsonrpc.ID]*point), questions: make(map[jsonrpc.ID]*question),
	}
	for _, l := range r.lanes {
		l.play.latest = -1
		for _, first := range l.points {
			if first.waits == elsewise && first.asked == nil { // the agent speaks first
				p.reach(first)
			}
		}
	}
	return p
}

// activate returns the state of a lane, of which something can be played from now on.
func (p *player) activate(l *lane) *laneState {
	s := &l.play
	if !s.active {
		s.active, s.main = true, &cursor{lane: l, index: -1, live: p.now}
		s.pending, s.chosen = make(map[int64]bool), make(map[int64]time.Duration)
		p.active = append(p.active, l)
	}
	return s
}

// hear handles a line of the client.
func (p *player) hear(line []byte, now time.Duration) {
	p.now = now
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	var listener parser
	listener.messages(line, place{})
	if len(listener.read) == 0 {
		p.log.Warn("the client wrote a line that is no message", "text", string(line[:min(len(line), 200)]))
	}
	for i := range listener.read {
		switch m := &listener.read[i]; m.kind {
		case request:
			p.request(m)
		case answer:
			p.answered(m)
		case notification:
			p.told(m)
		}
	}
}

// told handles a notification. Only one that cancels something means anything.
func (p *player) told(m *message) {
	switch string(m.method) {
	case methodCancel:
		if l := p.laneOf(m.session); l != nil {
			p.cancel(l, "")
		}
	case methodCancelAny:
		asked := p.open[jsonrpc.IDOf(rawjson.Get(m.params, "requestId"))]
		switch {
		case asked == nil:
		case asked.method == methodPrompt:
			p.cancel(asked.lane, "the request was cancelled")
		default:
			p.refuse(asked.state.id, -32800, "the request was cancelled")
			p.forget(asked)
		}
	}
}

// laneOf returns the recorded session that the client means, or nil.
func (p *player) laneOf(session []byte) *lane {
	if session == nil {
		return p.lanes[""]
	}
	if l := p.sessions[string(session)]; l != nil {
		return l
	}
	if l := p.lanes[string(session)]; l != nil && l.play.called == "" {
		return l
	}
	return nil
}

// request handles a request of the client.
func (p *player) request(m *message) {
	method := string(m.method)
	found := p.match(method, m)
	if found == nil {
		expected := p.expected(p.laneOf(m.session))
		p.log.Warn("the client asks for more than was recorded", "method", method, "session", string(m.session), "expected", expected)
		p.refuse(m.id, -32601, fmt.Sprintf("this agent plays a recording, which has no %s here: %s", method, expected))
		return
	}
	if m.session != nil {
		p.bind(found.lane, string(m.session))
	}
	if method == "session/close" || method == "session/delete" {
		p.cancel(found.lane, "")
	}
	again := found.state.reached
	found.state.id = bytes.Clone(m.id)
	if !again {
		p.begins(found, m)
	}
	p.log.Debug("request", "method", method, "session", string(m.session))
	p.open[jsonrpc.IDOf(m.id)] = found
	if found.answer.present() {
		p.waiting[found.answer.key()] = found
	}
	s := p.activate(found.lane)
	busy := (s.turn != nil || len(s.pending) > 0) && method != methodPrompt
	switch {
	case again, found.state.passed, busy && !p.isNext(found):
		// What stood around the answer was said, or will be in its time.
		found.state.reached = true
		p.answerNow(found)
	default:
		p.reach(found)
	}
	if found.given != "" {
		p.give(found)
	}
}

// give answers a request whose answer is not in the recording. A turn that the recording
// does not end is ended when everything is said; in version 2 its prompt has its answer
// before that.
func (p *player) give(asked *point) {
	switch {
	case asked.method != methodPrompt:
		p.result(asked, asked.given)
	case p.speaks2():
		p.result(asked, "{}")
	}
}

// giveEnd ends such a turn.
func (p *player) giveEnd(asked *point) {
	s := &asked.lane.play
	if s.turn != asked || asked.end.present() {
		return
	}
	s.turn = nil
	if p.speaks2() {
		p.idle(asked.lane, "end_turn")
	} else {
		p.result(asked, asked.given)
	}
}

// speaks2 reports whether the agent speaks version 2.
func (p *player) speaks2() bool {
	first := p.asks[0]
	return p.version == 2 || p.version == 0 && first.given != "" && versionOf([]byte(first.given)) == 2
}

// match returns the recorded request that one of the client means.
func (p *player) match(method string, m *message) *point {
	if method == methodInitialize {
		return p.initialize(string(rawjson.Get(m.params, "protocolVersion")))
	}
	known := p.laneOf(m.session)
	all := p.byMethod[method]
	for len(all) > 0 && all[0].state.reached {
		all = all[1:]
	}
	p.byMethod[method] = all
	for _, candidate := range all {
		l := candidate.lane
		if candidate.state.reached || known != nil && l != known {
			continue
		}
		if known == nil && (l.session == "" || l.play.called != "") {
			continue
		}
		return candidate
	}
	return nil
}

// initialize returns the recorded request for a version of the protocol, or else what
// was asked first: an agent answers with the version that it has. One that was answered
// is answered again.
func (p *player) initialize(version string) *point {
	var best *point
	rank := 0
	for _, candidate := range p.byMethod[methodInitialize] {
		r := 1
		asked, ok, err := p.source.one(candidate.at)
		if err != nil {
			p.fail(err)
		}
		if ok && string(rawjson.Get(asked.params, "protocolVersion")) == version {
			r += 4
		} else if said, ok, _ := p.source.one(candidate.answer); ok && !said.failed {
			r += 2
		}
		if !candidate.state.reached {
			r++
		}
		if r > rank {
			best, rank = candidate, r
		}
	}
	return best
}

// bind notes what the client calls a session.
func (p *player) bind(l *lane, session string) {
	if p.sessions[session] == nil && l.play.called == "" {
		p.sessions[session], l.play.called = l, session
		p.names.call(l.session, session)
	}
}

// begins notes what is known of a session when the client makes or loads it: its name,
// and the two working directories.
func (p *player) begins(found *point, m *message) {
	l := found.lane
	if l.session == "" && found.answer.present() {
		said, ok, err := p.source.one(found.answer)
		if err != nil {
			p.fail(err)
		}
		if session := textOf(said.result, "sessionId"); ok && !said.failed && p.lanes[string(session)] != nil {
			l = p.lanes[string(session)]
			p.bind(l, l.session)
		}
	}
	now := textOf(m.params, "cwd")
	if now == nil {
		return
	}
	asked, ok, err := p.source.one(found.at)
	if err != nil {
		p.fail(err)
	}
	if ok {
		p.names.move(l, string(textOf(asked.params, "cwd")), string(now))
	}
}

// expected says what the recording has next.
func (p *player) expected(l *lane) string {
	next := func(asks []*point) *point {
		for _, a := range asks {
			if a.waits == ask && !a.state.reached && !a.state.passed {
				return a
			}
		}
		return nil
	}
	var a *point
	if l != nil {
		a = next(l.points)
	}
	if a == nil {
		a = next(p.asks)
	}
	switch {
	case a == nil:
		return "nothing is left of it"
	case l != nil && a.lane != l || a.lane.session == "":
		return "next in it is " + a.method
	}
	return "next in this session is " + a.method
}

// isNext reports whether what the agent says next in the session waits for the point.
func (p *player) isNext(found *point) bool {
	main := found.lane.play.main
	return main.index+1 == found.index && main.next == nil && main.atEnd()
}

// reach notes that what the agent waited for has come.
func (p *player) reach(found *point) {
	s := p.activate(found.lane)
	found.state.reached, found.state.since = true, p.now
	if found.index <= s.main.index && !found.state.passed {
		p.detourTo(found)
	}
	s.latest = max(s.latest, found.index)
	for _, other := range found.besides {
		p.reach(other)
	}
}

// answerNow answers a request with what was recorded, wherever that is.
func (p *player) answerNow(found *point) {
	if !found.answer.present() {
		return
	}
	m, ok, err := p.source.one(found.answer)
	if err != nil || !ok {
		p.fail(err)
		return
	}
	p.say(found.lane, &m)
}

// answered handles the answer to a question.
func (p *player) answered(m *message) {
	id := jsonrpc.IDOf(m.id)
	q := p.questions[id]
	if q == nil {
		return
	}
	delete(p.questions, id)
	s := &q.lane.play
	if s.pending[q.key] {
		delete(s.pending, q.key)
		s.chosen[q.key] = p.now
	}
	recorded := p.answers[q.key]
	if recorded == nil || m.failed {
		return
	}
	for _, what := range []string{"terminalId", "connectionId"} {
		now := textOf(m.result, what)
		if now == nil {
			continue
		}
		if was, ok, err := p.source.one(recorded.at); err == nil && ok {
			p.names.call(string(textOf(was.result, what)), string(now))
		}
	}
}

// fail notes that the recording cannot be read any more.
func (p *player) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// forget drops what is known of a request that has its answer.
func (p *player) forget(asked *point) {
	if id := jsonrpc.IDOf(asked.state.id); p.open[id] == asked {
		delete(p.open, id)
	}
	if asked.answer.present() && p.waiting[asked.answer.key()] == asked {
		delete(p.waiting, asked.answer.key())
	}
}

// result answers a request with a result that the recording does not have.
func (p *player) result(asked *point, result string) {
	p.out = append(append(append(p.out, `{"jsonrpc":"2.0","id":`...), asked.state.id...), `,"result":`...)
	p.out = append(append(p.out, result...), "}\n"...)
	p.forget(asked)
}

// refuse answers a request with an error.
func (p *player) refuse(id []byte, code int, message string) {
	p.out = append(append(append(p.out, `{"jsonrpc":"2.0","id":`...), id...), `,"error":{"code":`...)
	p.out = append(strconv.AppendInt(p.out, int64(code), 10), `,"message":`...)
	p.out = append(rawjson.AppendQuoted(p.out, message), "}}\n"...)
}

// say says a message of the recording, unless it answers what nobody has asked.
func (p *player) say(l *lane, m *message) {
	var id []byte
	switch m.kind {
	case answer:
		asked := p.waiting[m.at.key()]
		if asked == nil {
			return
		}
		id = asked.state.id
		defer p.forget(asked)
	case request:
		id = p.pose(l, m)
	}
	var requests func([]byte) []byte
	if len(p.waiting) > 0 && string(m.method) != methodCancelAny {
		requests = requestIDs(p.waiting)
	}
	line := m.append(nil)
	if m.kind == text {
		p.out = append(p.out, bytes.ReplaceAll(line, []byte("\n"), []byte(" "))...)
	} else {
		p.out = rename(p.out, line, p.names.of(l), id, requests)
	}
	p.out = append(p.out, '\n')
}

// pose notes a question, and returns its id: the recorded one, if that is free.
func (p *player) pose(l *lane, m *message) []byte {
	id := m.id
	for p.questions[jsonrpc.IDOf(id)] != nil {
		p.fresh++
		id = rawjson.AppendQuoted(nil, "played-"+strconv.Itoa(p.fresh))
	}
	p.questions[jsonrpc.IDOf(id)] = &question{m.at.key(), l}
	if p.answers[m.at.key()] != nil {
		p.activate(l).pending[m.at.key()] = true
	}
	return id
}

// speak says what has come due, at most a [mouthful] of it, and returns when it wants
// to speak again.
func (p *player) speak(now time.Duration) (again time.Duration) {
	p.now = now
	for p.err == nil && !(p.closing && len(p.open) == 0 && !p.inTurn()) {
		c, due := p.first()
		if c == nil || due > now {
			return due
		}
		if len(p.out) >= mouthful {
			return now
		}
		m := c.next
		if c.live = p.due(c); c.live == 0 {
			c.live = now
		}
		c.time, c.next = m.time, nil
		l := c.lane
		ends := l.play.turn != nil && l.play.turn.end.present() && l.play.turn.end.key() == m.at.key()
		p.say(l, m)
		if ends {
			l.play.turn = nil
		}
	}
	return always
}

// inTurn reports whether a turn is under way.
func (p *player) inTurn() bool {
	return slices.ContainsFunc(p.active, func(l *lane) bool { return l.play.turn != nil })
}

// first returns the cursor whose message comes first, and when that is due: of those
// that are due the one that was recorded first. If none is due, it may be time to look
// again before that.
func (p *player) first() (found *cursor, due time.Duration) {
	due, again := always, always
	for _, l := range p.active {
		s := &l.play
		s.detours = slices.DeleteFunc(s.detours, func(c *cursor) bool { return c.over })
		for i := -1; i < len(s.detours); i++ {
			c := s.main
			if i >= 0 {
				c = s.detours[i]
			}
			at := max(p.now, p.due(c))
			switch {
			case c.next == nil:
				again = min(again, at)
			case found == nil || at < due || at == due && c.next.at.key() < found.next.at.key():
				found, due = c, at
			}
		}
	}
	if due > p.now {
		due = min(due, again)
	}
	return found, due
}

// end notes that the client has closed its side. What it still waits for comes at once.
func (p *player) end(now time.Duration) {
	p.now, p.ended = now, true
	if p.speed > 0 {
		p.speed = 0
		p.closing = true
	}
}

// over reports whether nothing more is to be said to a client that has closed its side.
// It is called when nothing is due.
func (p *player) over() bool { return p.ended }
