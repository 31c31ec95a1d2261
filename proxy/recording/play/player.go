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
	// maxWait is how long a player waits during a turn for a message that the peer may
	// never send.
	maxWait = 10 * time.Second

	// maxBurst is how many bytes a player sends, up to the end of a message, before it receives again.
	maxBurst = 64 << 10

	// never is the time of an event that does not occur.
	never = time.Duration(math.MaxInt64)
)

// A player is one side of a recording. After newPlayer it is a state machine without I/O and a clock:
// the caller passes the messages of the peer and the time, and gets the messages to send. It
// sends a message as soon as it has received the messages that preceded it in the recording.
type player struct {
	us, them trace.Component
	agent    *agent  // nil if the player is the client
	client   *client // nil if the player is the agent

	scripts      []*script
	sessions     map[string]*script // by recorded and by current id
	ours, theirs []*call            // recorded requests of the player's side and of the peer's
	unmatched    []*call            // the peer's recorded requests that no request of this conversation has matched yet
	active       []*call            // requests of both sides in this conversation, until isSettled

	log      *slog.Logger
	follower recording.Follower // of this conversation
	now      time.Duration      // since the start of the conversation
	out      []byte             // lines to send
	names    names.Map
	lastID   int
}

// newPlayer reads a recording.
func newPlayer(us trace.Component, in io.Reader, o Options) (*player, error) {
	p := &player{us: us, log: o.Log, sessions: make(map[string]*script)}
	if us == trace.Agent {
		p.them, p.agent = trace.Client, &agent{player: p, speed: o.Speed, turnCount: 1}
	} else {
		p.them, p.client = trace.Agent, &client{player: p, timeout: o.Timeout}
	}
	all, err := readMessages(in, us)
	if err != nil {
		return nil, err
	}
	p.build(all)
	requests := p.theirs
	if us == trace.Client {
		requests = p.ours
	}
	switch {
	case us == trace.Agent && !slices.ContainsFunc(all, func(m *recording.Message) bool { return m.From == us }):
		return nil, errors.New("it has no message of an agent in it")
	case len(requests) == 0:
		return nil, errors.New("it has no request of a client in it; record both sides with --trace-all to play it")
	}
	return p, nil
}

// receive processes a line of the peer.
func (p *player) receive(text []byte, now time.Duration) {
	p.now = now
	m := recording.Parse(text, "")
	if m == nil {
		if p.agent != nil && !trace.IsBlank(text) {
			p.log.Warn("the client sent a line that is not a message", "text", string(text[:min(len(text), 200)]))
		}
		return
	}
	m.From, m.To = p.them, p.us
	p.follower.Follow(m)
	switch {
	case m.Type == trace.Response:
		p.receiveResponse(m)
	case p.client != nil:
		p.client.receiveMessage(m)
	case m.Type == trace.Request:
		p.agent.receiveRequest(m)
	default:
		p.agent.receiveNotification(m)
	}
}

// receiveResponse receives the response to a request of the player.
func (p *player) receiveResponse(m *recording.Message) {
	if m.Request == nil {
		return
	}
	c := m.Request.Note.(*call)
	c.answered, c.lastChange = true, p.now
	beginsTurn := m.Turn != nil && m.Turn.Prompt == m.Request
	c.turnOver = c.turnOver || !beginsTurn || m.Stop != ""
	if m.IsError {
		c.failure = bytes.Clone(m.Payload)
		if p.client != nil && c.Method == "initialize" && c.reply != nil && !c.reply.IsError {
			p.client.gaveUp = true
		}
	} else if c.reply != nil {
		p.names.AddResult(c.reply.Payload, m.Payload)
	}
}

// run appends the due messages to p.out, until p.out has maxBurst bytes, and returns when to call
// it again.
func (p *player) run(now time.Duration) (wake time.Duration) {
	p.now = now
	p.active = slices.DeleteFunc(p.active, p.isSettled)
	deadline := never
	for {
		if p.client != nil {
			deadline = p.client.deadline()
			p.client.gaveUp = p.client.gaveUp || deadline <= now
			if p.client.gaveUp {
				return never
			}
		} else if p.agent.draining && !p.agent.isAwaited() {
			return never
		}
		s, due := p.nextStep()
		if s == nil || due > now {
			return min(due, deadline)
		}
		if len(p.out) >= maxBurst {
			return now
		}
		sc := s.script
		sc.countFrom(s, cmp.Or(p.dueTime(s), now))
		s.done = true
		p.send(s)
		if s.Stop != "" {
			sc.turn = nil
		}
	}
}

// isSettled reports whether a request needs no further attention.
func (p *player) isSettled(c *call) bool {
	if c.From == p.us {
		return c.answered && (p.agent != nil || c.turnOver || !c.isPrompt())
	}
	return c.answered && c.done
}

// nextStep returns the next step to send, and when it is due. Of several due steps, it returns the one
// recorded first. If the step is nil, due is when to call nextStep again.
func (p *player) nextStep() (found *step, due time.Duration) {
	due = never
	for _, sc := range p.scripts {
		s, at := p.nextStepOf(sc)
		at = max(p.now, at)
		if at < due || at == due && s != nil && (found == nil || s.Line < found.Line) {
			found, due = s, at
		}
	}
	return found, due
}

// nextStepOf returns the next step of a script to send, and when it is due. If the step is nil, due is
// the time to call nextStepOf again.
func (p *player) nextStepOf(sc *script) (found *step, due time.Duration) {
	for {
		s := sc.next()
		switch {
		case s == nil:
			if p.client != nil || !p.agent.skip(sc) {
				return nil, never
			}
		case s.From != p.us:
			if wake := p.await(s); wake > p.now {
				return nil, wake
			}
		case s.Type == trace.Response && !s.call.isPending():
			s.done = true
		case p.agent != nil:
			return s, p.dueTime(s)
		case s.turn != nil && s.turn.isOver() && s.Method == "session/cancel":
			p.log.Info("the turn has ended before the client cancels it", "session", s.Session)
			s.done = true
		default:
			if wake := p.client.readyAt(s); wake > p.now {
				return nil, wake
			}
			return s, 0
		}
	}
}

// dueTime returns when a step is due; 0 means at once.
func (p *player) dueTime(s *step) time.Duration {
	sc := s.script
	if p.agent == nil || p.agent.speed == 0 || sc.turn == nil && s.Line < sc.undelayedLine {
		return 0
	}
	return p.agent.after(s)
}

// await marks a step of the peer as done if the player has received its message or does not need it.
// Otherwise it returns when to call it again.
func (p *player) await(s *step) (wake time.Duration) {
	sc := s.script
	switch {
	case s.Type == trace.Request:
		return p.agent.awaitRequest(s)
	case p.client != nil && s.Stop != "":
		if !s.turn.isOver() {
			return never
		}
	case s.Type == trace.Notification:
		if wake := p.agent.awaitCancel(s); wake > p.now {
			return wake
		}
	case s.call.isPending() && (sc.turn == nil || !sc.turn.cancelled):
		return never
	case s.call.answered:
		sc.countFrom(s, s.call.lastChange)
	}
	s.done = true
	return 0
}

// send sends the message of a step, unless it is a response that is not pending.
func (p *player) send(s *step) {
	c := s.call
	var id []byte
	switch {
	case s.IsText():
		p.out = append(append(p.out, bytes.ReplaceAll(s.Append(nil), []byte("\n"), []byte(" "))...), '\n')
		return
	case s.Type == trace.Request:
		id = p.begin(c)
	case s.Type == trace.Response && !c.isPending():
		return
	case s.Type == trace.Response:
		id, c.answered = c.currentID, true
	}
	referred := p.theirs // the requests to which requestId refers
	if p.client != nil {
		if dir := rawjson.StringAt(s.Params, "cwd"); dir != "" {
			p.names.AddDir("", dir, p.client.dir(dir))
		}
	}
	if s.Method == "$/cancel_request" {
		referred = p.ours
	}
	text := withIDs(p.names.Apply(s.script.session, s.Append(nil)), id, currentIDOf(referred, rawjson.Get(s.Params, "requestId")))
	p.out = append(append(p.out, text...), '\n')
	if s.Type != trace.Request {
		return
	}
	if m := recording.Parse(text, ""); m != nil { // so that the follower matches the response
		m.From, m.To = p.us, p.them
		p.follower.Follow(m)
		m.Request.Note = c
	}
}

// begin starts a request of the player and returns its id. A client counts from 1; an agent uses the
// recorded id unless it is pending.
func (p *player) begin(c *call) []byte {
	c.currentID, c.answered = nil, false
	newID := func(format string) []byte {
		p.lastID++
		return fmt.Appendf(nil, format, p.lastID)
	}
	id := c.ID
	if p.client != nil {
		id = newID("%d")
	}
	isTaken := func(o *call) bool {
		return o.From == p.us && o.isPending() && jsonrpc.IDOf(o.currentID) == jsonrpc.IDOf(id)
	}
	for find(p.active, isTaken) != nil {
		id = newID(`"played-%d"`)
	}
	c.currentID, c.lastChange = id, p.now
	p.active = append(p.active, c)
	return id
}

// respond sends a result that is not in the recording.
func (p *player) respond(id []byte, result string) {
	p.out = fmt.Appendf(p.out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
}

// refuse sends an error response that is not in the recording.
func (p *player) refuse(id []byte, code int, message string) {
	p.out = fmt.Appendf(p.out, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, code, rawjson.AppendQuoted(nil, message))
}

// isDone reports whether the player has nothing more to send. A client is done when it has
// sent all its messages and received all responses, an agent when the client has closed its
// side.
func (p *player) isDone() bool {
	if p.agent != nil {
		return p.agent.ended
	}
	return p.client.gaveUp || p.scripts[0].next() == nil && p.client.deadline() == never
}

// withIDs returns a message in which id replaces the id, and requestID the id of a request in the
// params. A nil id replaces nothing.
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

// currentIDOf returns the id that a request with a recorded id has in this conversation, or nil if the
// request was not sent.
func currentIDOf(calls []*call, recorded []byte) []byte {
	if recorded == nil {
		return nil
	}
	id := jsonrpc.IDOf(recorded)
	for _, c := range slices.Backward(calls) {
		if c.currentID != nil && jsonrpc.IDOf(c.ID) == id {
			return c.currentID
		}
	}
	return nil
}
