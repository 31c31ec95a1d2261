package play

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

const (
	// patience is how long our end waits, in a turn that is under way, for what the
	// other may never say.
	patience = 10 * time.Second

	// mouthful is how much is said before our end listens again.
	mouthful = 64 << 10

	// always is the time of what does not come.
	always = time.Duration(math.MaxInt64)
)

// hear handles a line of the other end.
func (p *player) hear(text []byte, now time.Duration) {
	p.now = now
	var parser recording.Parser
	found := parser.Parse(text)
	if len(found) == 0 && len(bytes.TrimSpace(text)) > 0 && p.us == trace.Agent {
		p.log.Warn("the client wrote a line that is no message", "text", string(text[:min(len(text), 200)]))
	}
	for i := range found {
		m := &found[i]
		switch {
		case m.Type == trace.Response:
			p.answered(m)
		case p.us == trace.Client:
			p.agentSays(m)
		case m.Type == trace.Request:
			p.request(m)
		default:
			p.told(m)
		}
	}
}

// answered handles the answer to a request of ours.
func (p *player) answered(m *recording.Message) {
	id := jsonrpc.IDOf(m.ID)
	c := p.asked[id]
	if c == nil {
		return
	}
	delete(p.asked, id)
	c.answered, c.since = true, p.now
	if m.IsError {
		c.failure = bytes.Clone(m.Payload)
	}
	if p.us == trace.Client {
		p.agentAnswers(m, c)
	}
	if recorded, ok := p.load(c.answer); ok && !m.IsError {
		for _, what := range []string{"sessionId", "terminalId", "connectionId"} {
			was, now := textOf(recorded.Payload, what), textOf(m.Payload, what)
			if p.names.call(was, now); what == "sessionId" && was != "" {
				p.called[now] = was
			}
		}
	}
}

// speak says what has come due, at most a [mouthful] of it, and returns when it wants to
// speak again.
func (p *player) speak(now time.Duration) (again time.Duration) {
	p.now = now
	if p.givesUp() {
		return always
	}
	for p.err == nil && !(p.closing && !p.isWaitedFor()) {
		s, due := p.first()
		if s == nil || due > now {
			return min(due, p.deadline())
		}
		if len(p.out) >= mouthful {
			return now
		}
		l := s.lane
		if l.live = p.due(s); l.live == 0 {
			l.live = now
		}
		l.time, s.done = s.time, true
		p.say(s)
		if s.ended {
			l.turn = nil
		}
	}
	return always
}

// first returns the step of our end that comes first, and when it is due: of those that
// are due the one that was recorded first. If none is due, it may be time to look again
// before that.
func (p *player) first() (found *step, due time.Duration) {
	due, again := always, always
	for _, l := range p.lanes {
		s, at := p.next(l)
		switch at = max(p.now, at); {
		case s == nil:
			again = min(again, at)
		case found == nil || at < due || at == due && s.at.start < found.at.start:
			found, due = s, at
		}
	}
	if due > p.now {
		due = min(due, again)
	}
	return found, due
}

// next returns the next step of our end in a lane, and when it is due. If there is none
// now, it returns when to look again.
func (p *player) next(l *lane) (*step, time.Duration) {
	for {
		s := l.next()
		switch {
		case s == nil:
			if !p.leap(l) {
				return nil, always
			}
		case !s.isOurs():
			if again := p.await(l, s); again > p.now {
				return nil, again
			}
		case s.kind == answers && !s.call.open(): // nobody waits for it
			s.done = true
		case s.kind == cancels && p.isOver(s.call):
			p.log.Info("the turn is over before the client cancels it", "session", s.call.session)
			s.done = true
		case s.kind == asks && p.us == trace.Client && s.call.method == "session/prompt" && !p.isIdle(s.call.session):
			return nil, always
		default:
			return s, p.due(s)
		}
	}
}

// due returns when a step is due: 0 for at once, also if the client has gone on while the
// agent had something to say that nobody has asked for.
func (p *player) due(s *step) time.Duration {
	l := s.lane
	if p.speed == 0 || l.turn == nil && s.at.start < l.hurries {
		return 0
	}
	return l.live + p.wait(s.time-l.time)
}

// wait returns how long something takes that took so long when it was recorded.
func (p *player) wait(recorded time.Duration) time.Duration {
	if p.speed == 0 {
		return 0
	}
	return time.Duration(min(float64(max(0, recorded))/p.speed, math.MaxInt64/4))
}

// await goes behind a step of the other end if that has come. Otherwise it returns when to
// look again.
func (p *player) await(l *lane, s *step) (again time.Duration) {
	switch s.kind {
	case asked:
		return p.awaitRequest(l, s)
	case answered:
		if s.call.open() {
			return always
		}
		if s.call.answered {
			l.time, l.live = s.time, s.call.since
		}
	case canceled:
		if l.turn != nil && s.turn == l.turn && p.pending(l) == nil {
			return always
		}
	case over:
		if !p.isOver(s.call) {
			return always
		}
	case heard:
		if until := p.hasHeard(s); until > p.now {
			return until
		}
	}
	s.done = true
	return 0
}

// say says what our end said, unless it answers what nobody waits for.
func (p *player) say(s *step) {
	if s.kind == answers && !s.call.open() {
		return
	}
	m, ok := p.load(s.at)
	if !ok {
		return
	}
	text := m.Append(nil)
	if m.IsText() {
		p.out = append(append(p.out, bytes.ReplaceAll(text, []byte("\n"), []byte(" "))...), '\n')
		return
	}
	if p.us == trace.Client {
		p.moves(&m)
	}
	var id []byte
	switch s.kind {
	case answers:
		id, s.call.answered = s.call.now, true
	case asks:
		id = p.ask(s.call)
	}
	requestID := p.requestID
	if p.us == trace.Agent && m.Method == "$/cancel_request" { // of a request of ours
		requestID = nil
	}
	p.out = append(rename(p.out, text, p.names.of(s.lane), id, requestID), '\n')
}

// ask notes a request of ours, and returns its id: a client counts, an agent's is the
// recorded one if that is free.
func (p *player) ask(c *call) []byte {
	c.now = nil
	if m, ok := p.load(c.at); ok && p.us == trace.Agent {
		c.now = bytes.Clone(m.ID)
	}
	for c.now == nil || p.asked[jsonrpc.IDOf(c.now)] != nil {
		p.lastID++
		if c.now = strconv.AppendInt(nil, int64(p.lastID), 10); p.us == trace.Agent {
			c.now = rawjson.AppendQuoted(nil, "played-"+strconv.Itoa(p.lastID))
		}
	}
	c.since, c.answered = p.now, false
	p.asked[jsonrpc.IDOf(c.now)] = c
	if p.us == trace.Client && c.method == "session/prompt" {
		p.turns[c.session] = &liveTurn{prompt: c, begun: p.now, latest: p.now}
	}
	return c.now
}

// requestID returns what a request of the recorded client is called now.
func (p *player) requestID(raw []byte) []byte {
	id := jsonrpc.IDOf(raw)
	for _, c := range slices.Backward(p.calls) {
		if c.id == id && c.now != nil {
			return c.now
		}
	}
	return nil
}

// result answers a request with a result that the recording does not have.
func (p *player) result(id []byte, result string) {
	p.out = append(append(p.out, resultOf(id, result)...), '\n')
}

func resultOf(id []byte, result string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// refuse answers a request with an error.
func (p *player) refuse(id []byte, code int, message string) {
	p.out = fmt.Appendf(p.out, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, code, rawjson.AppendQuoted(nil, message))
}

// isWaitedFor reports whether the client has not got all answers, or the end of a turn.
func (p *player) isWaitedFor() bool {
	return slices.ContainsFunc(p.calls, (*call).open) || slices.ContainsFunc(p.lanes, func(l *lane) bool { return l.turn != nil })
}

// end notes that the other end has closed its side. What a client still waits for comes
// at once.
func (p *player) end(now time.Duration) {
	p.now, p.ended = now, true
	p.closing, p.speed = p.closing || p.speed > 0, 0
}
