package play

import (
	"bytes"
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
	for _, what := range []string{"sessionId", "terminalId", "connectionId"} {
		now, ok := rawjson.TextOf(rawjson.Get(m.Payload, what))
		if !ok || m.IsError || c.answer.size == 0 {
			continue
		}
		if recorded, ok := p.load(c.answer); ok {
			was, _ := rawjson.TextOf(rawjson.Get(recorded.Payload, what))
			p.names.call(string(was), string(now))
			if what == "sessionId" && was != nil {
				p.called[string(now)] = string(was)
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
		l, due := p.first()
		if l == nil || due > now {
			return min(due, p.deadline())
		}
		if len(p.out) >= mouthful {
			return now
		}
		c := l.cues[l.at]
		ln := &c.lines[c.next]
		if l.live = p.due(l, ln); l.live == 0 {
			l.live = now
		}
		l.time = ln.time
		c.next++
		p.say(l, ln)
		if ln.ended {
			l.turn = nil
		}
	}
	return always
}

// first returns the lane whose next line comes first, and when that is due: of those that
// are due the one that was recorded first. If none is due, it may be time to look again
// before that.
func (p *player) first() (found *lane, due time.Duration) {
	due, again := always, always
	var next *line
	for _, l := range p.lanes {
		ln, at := p.next(l)
		switch at = max(p.now, at); {
		case ln == nil:
			again = min(again, at)
		case found == nil || at < due || at == due && ln.at.start < next.at.start:
			found, next, due = l, ln, at
		}
	}
	if due > p.now {
		due = min(due, again)
	}
	return found, due
}

// next returns the next line of a lane, and when it is due. If there is none now, it
// returns when to look again.
func (p *player) next(l *lane) (*line, time.Duration) {
	for {
		for c := l.cues[l.at]; c.next < len(c.lines); c.next++ {
			switch ln := &c.lines[c.next]; {
			case ln.kind == answers && !ln.call.open(): // nobody waits for it
			case ln.kind == cancels && p.isOver(ln.call):
				p.log.Info("the turn is over before the client cancels it", "session", ln.call.session)
			case ln.kind == asks && p.us == trace.Client && ln.call.method == "session/prompt" && !p.isIdle(ln.call.session):
				return nil, always
			default:
				return ln, p.due(l, ln)
			}
		}
		if again := p.advance(l); again > p.now {
			return nil, again
		}
	}
}

// due returns when a line is due: 0 for at once, also if the client has gone on while the
// agent had something to say that nobody has asked for.
func (p *player) due(l *lane, ln *line) time.Duration {
	if p.speed == 0 || l.turn == nil && ln.at.start < l.hurries {
		return 0
	}
	return l.live + p.wait(ln.time-l.time)
}

// wait returns how long something takes that took so long when it was recorded.
func (p *player) wait(recorded time.Duration) time.Duration {
	if p.speed == 0 {
		return 0
	}
	return time.Duration(min(float64(max(0, recorded))/p.speed, math.MaxInt64/4))
}

// advance goes on to the next cue, if what our end waits for there has come. Otherwise it
// returns when to look again.
func (p *player) advance(l *lane) (again time.Duration) {
	if l.at+1 == len(l.cues) {
		return p.leap(l)
	}
	next := l.cues[l.at+1]
	switch next.kind {
	case asked:
		return p.advanceTo(l, next)
	case answered:
		if next.call.open() {
			return always
		}
		if l.at++; next.call.answered {
			l.time, l.live = next.time, next.call.since
		}
		return 0
	case canceled:
		if l.turn != nil && next.within == l.turn && l.pending() == nil {
			return always
		}
	case over:
		if !p.isOver(next.call) {
			return always
		}
	case heard:
		if until := p.hasHeard(next); until > p.now {
			return until
		}
	}
	l.at++
	return 0
}

// say says a line, unless it answers what nobody waits for.
func (p *player) say(l *lane, ln *line) {
	if ln.kind == answers && !ln.call.open() {
		return
	}
	var id []byte
	text, cancelsOurs := []byte(ln.made), false
	if ln.made == "" {
		m, ok := p.load(ln.at)
		if !ok {
			return
		}
		if text = m.Append(nil); m.IsText() {
			p.out = append(append(p.out, bytes.ReplaceAll(text, []byte("\n"), []byte(" "))...), '\n')
			return
		}
		if p.us == trace.Client {
			p.moves(&m)
		}
		cancelsOurs = p.us == trace.Agent && m.Method == "$/cancel_request"
	}
	switch ln.kind {
	case answers:
		id = ln.call.now
		ln.call.answered = true
	case asks:
		id = p.ask(ln.call)
	}
	var requestID func([]byte) []byte
	if bytes.Contains(text, []byte(`"requestId"`)) && !cancelsOurs {
		requestID = p.requestID
	}
	p.out = append(rename(p.out, text, p.names.of(l), id, requestID), '\n')
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
	p.out = append(append(append(p.out, `{"jsonrpc":"2.0","id":`...), id...), `,"result":`...)
	p.out = append(append(p.out, result...), "}\n"...)
}

// refuse answers a request with an error.
func (p *player) refuse(id []byte, code int, message string) {
	p.out = append(append(append(p.out, `{"jsonrpc":"2.0","id":`...), id...), `,"error":{"code":`...)
	p.out = append(strconv.AppendInt(p.out, int64(code), 10), `,"message":`...)
	p.out = append(rawjson.AppendQuoted(p.out, message), "}}\n"...)
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
