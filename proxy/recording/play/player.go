package play

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/names"
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

// A player is one end of a recording: its agent, or its client. It is told what the other
// end says and what time it is, and says what our end said, each line when what the
// other had said before it has come. It does no input or output of its own.
type player struct {
	us, them     trace.Component
	lanes        []*lane
	sessions     map[string]*lane // by what they are called, in the recording or now
	ours, theirs []*call          // the requests of the two ends

	log      *slog.Logger
	follower recording.Follower // of this conversation
	now      time.Duration
	out      []byte // what is said, as lines
	names    names.Map
	lastID   int
	ended    bool // the other end has closed its side
	closing  bool // and gets only what it waits for

	speed   float64 // of an agent; 0: at once
	builtin []byte  // of an agent: the recording if it is built in, which can be repeated
	turns   int     // of it, by now

	timeout time.Duration // of a client
	folder  func(recorded string) string
	gaveUp  bool
}

// newPlayer reads a recording.
func newPlayer(us trace.Component, in io.Reader, o Options) (*player, error) {
	p := &player{us: us, them: trace.Agent, log: o.Log, timeout: o.Timeout, sessions: make(map[string]*lane), turns: 1}
	if us == trace.Agent {
		p.them, p.speed = trace.Client, o.Speed // a client waits for nothing but its agent
	}
	all, err := readMessages(in, us)
	if err != nil {
		return nil, err
	}
	p.read(all)
	asked := p.theirs
	if us == trace.Client {
		asked = p.ours
	}
	switch {
	case len(all) == 0:
		return nil, errors.New("it has no message of the protocol in it")
	case us == trace.Agent && !slices.ContainsFunc(all, func(m *recording.Message) bool { return m.From == us }):
		return nil, errors.New("it has no message of an agent in it")
	case len(asked) == 0:
		return nil, errors.New("it has no request of a client in it; record both sides with --trace-all to play it")
	}
	return p, nil
}

// hear handles a line of the other end.
func (p *player) hear(text []byte, now time.Duration) {
	p.now = now
	found := recording.Parse(text, "")
	if len(found) == 0 && len(bytes.TrimSpace(text)) > 0 && p.us == trace.Agent {
		p.log.Warn("the client wrote a line that is no message", "text", string(text[:min(len(text), 200)]))
	}
	for i := range found {
		m := &found[i]
		m.From, m.To = p.them, p.us
		p.follower.Follow(m)
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
	if m.Request == nil {
		return
	}
	c := m.Request.Note.(*call)
	c.answered, c.since = true, p.now
	c.over = c.over || m.Turn == nil || m.Turn.Prompt != m.Request || m.Stop != "" // or it is known to have no turn of its own
	if m.IsError {
		c.failure = bytes.Clone(m.Payload)
		p.gaveUp = p.gaveUp || c.Method == "initialize" && c.reply != nil && !c.reply.IsError
	} else if c.reply != nil {
		p.names.AddResult(c.reply.Payload, m.Payload)
	}
}

// speak says what has come due, at most a [mouthful] of it, and returns when it wants to
// speak again.
func (p *player) speak(now time.Duration) (again time.Duration) {
	p.now = now
	for !p.givesUp() && !(p.closing && !p.isWaitedFor()) {
		s, due := p.first()
		if s == nil || due > now {
			return min(due, p.deadline())
		}
		if len(p.out) >= mouthful {
			return now
		}
		l := s.lane
		l.live = cmp.Or(p.due(s), now)
		l.time, s.done = s.time(), true
		p.say(s)
		if s.Stop != "" {
			l.turn = nil
		}
	}
	return always
}

// first returns the step of our end that comes first, and when it is due: of those that
// are due the one that was recorded first. If it is nil, it is time to look again then.
func (p *player) first() (found *step, due time.Duration) {
	due = always
	for _, l := range p.lanes {
		s, at := p.next(l)
		if at = max(p.now, at); at < due || at == due && s != nil && (found == nil || s.Line < found.Line) {
			found, due = s, at
		}
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
		case s.From != p.us:
			if again := p.await(s); again > p.now {
				return nil, again
			}
		case s.Type == trace.Response && !s.call.open(): // nobody waits for it
			s.done = true
		case p.us == trace.Agent:
			return s, p.due(s)
		default:
			if again := p.free(s); again > p.now {
				return nil, again
			}
			if !s.done {
				return s, 0
			}
		}
	}
}

// due returns when a step is due: 0 for at once, also if the client has gone on while the
// agent had something to say that nobody has asked for.
func (p *player) due(s *step) time.Duration {
	if l := s.lane; p.speed == 0 || l.turn == nil && s.Line < l.hurries {
		return 0
	}
	return p.after(s)
}

// after returns when a step comes after what was said last in its lane, if it takes as long
// as it took when it was recorded.
func (p *player) after(s *step) time.Duration {
	l := s.lane
	if p.speed == 0 {
		return l.live
	}
	return l.live + time.Duration(min(float64(max(0, s.time()-l.time))/p.speed, math.MaxInt64/4))
}

// await goes behind a step of the other end if that has come. Otherwise it returns when to
// look again.
func (p *player) await(s *step) (again time.Duration) {
	l := s.lane
	switch {
	case s.Type == trace.Request:
		return p.awaitRequest(s)
	case p.us == trace.Client && s.Stop != "":
		if !s.turn.isOver() {
			return always
		}
	case s.Type == trace.Notification: // it cancels the turn
		switch until := p.after(s) + patience; {
		case !s.inTurn() || p.pending(l) != nil:
		case p.builtin == nil:
			return always
		case p.now < until:
			return until
		}
	case s.call.open() && (l.turn == nil || !l.turn.cancelled):
		return always
	case s.call.answered:
		l.time, l.live = s.time(), s.call.since
	}
	s.done = true
	return 0
}

// say says what our end said, unless it answers what nobody waits for.
func (p *player) say(s *step) {
	c := s.call
	var id []byte
	switch {
	case s.IsText():
		p.out = append(append(p.out, bytes.ReplaceAll(s.Append(nil), []byte("\n"), []byte(" "))...), '\n')
		return
	case s.Type == trace.Request:
		id = p.ask(c)
	case s.Type == trace.Response && !c.open():
		return
	case s.Type == trace.Response:
		id, c.answered = c.now, true
	}
	if folder := recording.TextOf(s.Params, "cwd"); folder != "" && p.us == trace.Client {
		p.names.AddDir("", folder, p.folder(folder))
	}
	asked := p.theirs
	if s.Method == "$/cancel_request" {
		asked = p.ours
	}
	text := withIDs(p.names.Apply(s.lane.session, s.Append(nil)), id, nowOf(asked, rawjson.Get(s.Params, "requestId")))
	p.out = append(append(p.out, text...), '\n')
	if s.Type != trace.Request {
		return
	}
	for _, m := range recording.Parse(text, "") { // so that the answer finds it
		m.From, m.To = p.us, p.them
		p.follower.Follow(&m)
		m.Request.Note = c
	}
}

// withIDs returns a message with its id, and the id of the request that its params name,
// replaced, unless the new ones are nil.
func withIDs(message, id, requestID []byte) []byte {
	put := func(value []byte, path ...string) {
		if value != nil && rawjson.Get(message, path...) != nil {
			message = rawjson.With(message, value, path...)
		}
	}
	put(id, "id")
	put(requestID, "params", "requestId")
	return message
}

// nowOf returns the id in this conversation of a request that was recorded with another,
// nil if it was not asked.
func nowOf(asked []*call, recorded []byte) []byte {
	id := jsonrpc.IDOf(recorded)
	for _, c := range slices.Backward(asked) {
		if c.now != nil && jsonrpc.IDOf(c.ID) == id {
			return c.now
		}
	}
	return nil
}

// ask begins a request of ours, and returns its id: a client counts, an agent's is the
// recorded one if that is free.
func (p *player) ask(c *call) []byte {
	c.now, c.answered = nil, false
	next := func(format string) []byte {
		p.lastID++
		return fmt.Appendf(nil, format, p.lastID)
	}
	id := c.ID
	if p.us == trace.Client {
		id = next("%d")
	}
	isTaken := func(o *call) bool { return o.open() && jsonrpc.IDOf(o.now) == jsonrpc.IDOf(id) }
	for find(p.ours, isTaken) != nil {
		id = next(`"played-%d"`)
	}
	c.now, c.since, c.latest = id, p.now, p.now
	return id
}

// answer answers a request with what the recording does not have.
func (p *player) answer(id []byte, isError bool, payload string) {
	e := trace.Event{Type: trace.Response, ID: id, IsError: isError, Payload: []byte(payload)}
	p.out = append(e.AppendMessage(p.out), '\n')
}

// refuse answers a request with an error.
func (p *player) refuse(id []byte, code int, message string) {
	p.answer(id, true, fmt.Sprintf(`{"code":%d,"message":%s}`, code, rawjson.AppendQuoted(nil, message)))
}

// isWaitedFor reports whether the client has not got all answers, or the end of a turn.
func (p *player) isWaitedFor() bool {
	return find(p.theirs, (*call).open) != nil || slices.ContainsFunc(p.lanes, func(l *lane) bool { return l.turn != nil })
}

// end notes that the other end has closed its side. What a client still waits for comes
// at once.
func (p *player) end(now time.Duration) {
	p.now, p.ended = now, true
	p.closing, p.speed = p.closing || p.speed > 0, 0
}
