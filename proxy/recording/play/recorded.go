package play

import (
	"bufio"
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
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A place is where a message is in the recording.
type place struct {
	start int64
	size  int // 0: it is not there
	part  int // of a batch
}

// A step is what one end did: our end, which does it again, or the other, which is waited
// for.
type step struct {
	kind  stepKind
	at    place
	time  time.Duration // since the recording began; 0 if it has no times
	call  *call         // that it asks, answers or cancels; otherwise nil
	turn  *turn         // that was under way; of a prompt the one that it began
	ended bool          // the turn of an agent, with this step

	// Of a client in the middle of a turn.
	heard int  // messages of the turn
	asked bool // a question of the agent was open

	lane  *lane
	index int
	done  bool // or left out
}

type stepKind uint8

const (
	tells stepKind = iota // our end, as the next
	asks
	answers
	cancels

	asked    // the other end, as the next
	answered // a request of ours
	canceled // our turn
	over     // its turn
	heard    // so much of the turn that is under way
)

func (s *step) isOurs() bool { return s.kind < asked }

// A call is a request of the recording, of either end.
type call struct {
	at, answer place
	line       int // of the recording, from 1
	id         jsonrpc.ID
	method     string
	session    string // that it names
	failed     bool   // its answer was an error
	turn       *turn  // that it begins, or that was under way
	step       *step  // that is the request; of a question of an agent the one that answers it
	answers    *step  // of a request to an agent

	// What has become of it in this conversation.
	now      []byte // its id, nil while it is not asked
	since    time.Duration
	answered bool
	failure  []byte // the error, nil if there was none
}

// open reports whether it waits for an answer.
func (c *call) open() bool { return c.now != nil && !c.answered }

// A turn is one of the recording.
type turn struct {
	prompt    *call
	heard     int   // messages of the other end
	questions int   // of those, that are not answered
	end       *step // nil if it did not end
	cancelled bool  // in this conversation
}

// A lane is what our end did one after the other, and what it waited for: an agent in a
// session, a client in all of them.
type lane struct {
	session string // empty for what belongs to none
	steps   []*step
	latest  *step // request

	// What has become of it.
	at         int // the step that is next
	turn       *turn
	hurries    int64         // what was recorded before this is said at once
	time, live time.Duration // of what was said last, in the recording and now
	called     string        // what the client calls the session
}

// next returns the next step, nil if there is none.
func (l *lane) next() *step {
	for ; l.at < len(l.steps); l.at++ {
		if s := l.steps[l.at]; !s.done {
			return s
		}
	}
	return nil
}

// A player is one end of a recording: its agent, or its client. It is told what the other
// end says and what time it is, and says what our end said, each line when what the
// other had said before it has come. It does no input or output of its own, but reads
// the recording. What is kept of it in memory is who waited for whom, and the places of
// what our end said.
type player struct {
	us        trace.Component
	file      io.ReaderAt
	size      int64
	parser    recording.Parser
	line      []byte // that was read last
	lanes     []*lane
	session   map[string]*lane
	calls     []*call // of the other end for an agent, of our own for a client
	questions []*call // of a client's agent
	version   int     // that our end spoke; of a client's agent the one that it speaks

	log     *slog.Logger
	now     time.Duration
	out     []byte // what is said, as lines
	names   names
	asked   map[jsonrpc.ID]*call // of ours, that are not answered
	lastID  int
	err     error
	ended   bool // the other end has closed its side
	closing bool // and gets only what it waits for

	speed    float64          // of an agent; 0: at once
	sessions map[string]*lane // by what the client calls them

	timeout time.Duration // of a client
	folder  func(recorded string) string
	turns   map[string]*liveTurn // by what the recording calls the session
	called  map[string]string    // the recording's names of sessions, by the agent's
	gaveUp  bool
}

// newPlayer reads a recording.
func newPlayer(us trace.Component, file io.ReaderAt, size int64, o Options) (*player, error) {
	p := &player{
		us: us, file: file, size: size, parser: recording.Parser{Seen: us}, log: o.Log, timeout: o.Timeout,
		asked: make(map[jsonrpc.ID]*call), sessions: make(map[string]*lane), turns: make(map[string]*liveTurn), called: make(map[string]string),
	}
	if us == trace.Agent {
		p.speed = o.Speed // a client waits for nothing but its agent
	}
	r, err := p.read()
	switch {
	case err != nil:
		return nil, err
	case r.lines == 0:
		return nil, errors.New("it has no message of the protocol in it")
	case us == trace.Agent && !r.ours:
		return nil, errors.New("it has no message of an agent in it")
	case len(p.calls) > 0:
		return p, nil
	case us == trace.Client || r.traced:
		return nil, fmt.Errorf("it has no request of %s client in it; a recording to play is made with --trace-all",
			map[trace.Component]string{trace.Agent: "the", trace.Client: "a"}[us])
	}
	both, err := p.bothEnds()
	if err != nil {
		return nil, err
	}
	p.file, p.size = bytes.NewReader(both), int64(len(both))
	_, err = p.read()
	return p, err
}

// scan calls hear with each message of the recording. It is valid until hear returns.
func (p *player) scan(hear func(m *recording.Message, at place)) error {
	lines := trace.NewLines(bufio.NewReaderSize(io.NewSectionReader(p.file, 0, p.size), 1<<18))
	for number := 1; ; number++ {
		text, err := lines.Next()
		for i, found := 0, p.parser.Parse(text); i < len(found); i++ {
			m := &found[i]
			m.Line = number
			hear(m, place{lines.Start, len(text), m.Part})
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read recording: %w", err)
		}
	}
}

// load reads a message again, if it is there. It is valid until the next one is read.
func (p *player) load(at place) (recording.Message, bool) {
	if at.size == 0 {
		return recording.Message{}, false
	}
	p.line = append(rawjson.Reuse(p.line), make([]byte, at.size)...)
	if _, err := p.file.ReadAt(p.line, at.start); err != nil {
		p.err = cmp.Or[error](p.err, fmt.Errorf("read recording: %w", err))
		return recording.Message{}, false
	}
	for _, m := range p.parser.Parse(p.line) {
		if m.Part == at.part {
			return m, true
		}
	}
	return recording.Message{}, false
}

// A reading is a recording that is being read.
type reading struct {
	*player
	follower recording.Follower
	latest   *step // request
	fresh    *lane // of a session that is being made
	lines    int   // that have a message
	ours     bool  // our end has said something
	traced   bool
}

func (p *player) read() (*reading, error) {
	r := &reading{player: p}
	p.lanes, p.session = nil, make(map[string]*lane)
	r.lane("")
	err := p.scan(r.hear)
	for _, l := range p.lanes {
		for i, s := range l.steps {
			s.lane, s.index = l, i
		}
	}
	return r, err
}

// hear takes the next message of the recording.
func (r *reading) hear(m *recording.Message, at place) {
	r.lines++
	r.traced = r.traced || m.Text == nil
	r.follower.Follow(m)
	var c *call
	if m.Request != nil {
		if m.Request.Note == nil {
			m.Request.Note = &call{at: at, line: m.Line, id: jsonrpc.IDOf(m.ID), method: m.Method, session: m.Request.Session}
		}
		c = m.Request.Note.(*call)
	}
	if c != nil && m.Type == trace.Response {
		c.answer, c.failed = at, m.IsError
		if c.method == "initialize" && m.From == trace.Agent {
			r.version = m.Version
		}
	}
	s := &step{at: at, time: seconds(m.Seconds), call: c}
	if m.Turn != nil {
		prompt := m.Turn.Prompt.Note.(*call)
		if prompt.turn == nil {
			prompt.turn = &turn{prompt: prompt}
		}
		s.turn = prompt.turn
	}
	if m.Type == trace.Request {
		c.turn = s.turn
	}
	var l *lane
	switch {
	case m.From != r.us && r.us == trace.Agent:
		l = r.toAgent(m, s)
	case m.From != r.us:
		l = r.toClient(m, s)
	case r.us == trace.Agent:
		r.ours = true
		l = r.ofAgent(m, s)
	default:
		l = r.ofClient(m, s)
	}
	if l != nil {
		l.steps = append(l.steps, s)
	}
}

// seconds returns a recorded time. A time that a recording cannot have counts as none.
func seconds(s float64) time.Duration {
	const year = 365 * 24 * 60 * 60
	if !(0 <= s && s < year) {
		return 0
	}
	return time.Duration(math.Round(s*1e6)) * time.Microsecond
}

func (r *reading) lane(session string) *lane {
	l := r.session[session]
	if l == nil {
		l = r.newLane(session)
		r.session[session] = l
	}
	return l
}

func (r *reading) newLane(session string) *lane {
	l := &lane{session: session}
	r.lanes = append(r.lanes, l)
	return l
}

// toAgent notes what an agent waited for, and returns its lane.
func (r *reading) toAgent(m *recording.Message, s *step) *lane {
	switch c := s.call; {
	case m.Type == trace.Request:
		s.kind, c.step = asked, s
		r.calls = append(r.calls, c)
		if m.Method == "session/new" { // the session is not named yet
			r.fresh = r.newLane("")
			s.lane = r.fresh
		} else {
			s.lane = r.lane(m.Session)
		}
		r.latest, s.lane.latest = s, s
		return s.lane
	case m.Type == trace.Response && c != nil:
		s.kind, c.step = answered, s
		return r.laneOf(m)
	case m.Method == "session/cancel" && s.turn != nil:
		s.kind = canceled
		return s.turn.prompt.step.lane
	case m.Method == "$/cancel_request":
		i := slices.IndexFunc(r.calls, func(c *call) bool {
			return c.turn != nil && c.turn.prompt == c && c.turn.end == nil && c.id == requestID(m)
		})
		if i >= 0 {
			s.kind, s.turn = canceled, r.calls[i].turn
			return r.calls[i].step.lane
		}
	}
	return nil
}

// requestID returns the id of the request that a message cancels.
func requestID(m *recording.Message) jsonrpc.ID {
	return jsonrpc.IDOf(rawjson.Get(m.Params, "requestId"))
}

// laneOf returns the lane of what the agent said outside of answers: its session's. One
// that nobody has named yet is the one that is being made; or else it belongs to the
// latest request.
func (r *reading) laneOf(m *recording.Message) *lane {
	switch l := r.session[m.Session]; {
	case m.Session != "" && l != nil:
		return l
	case m.Session != "" && r.fresh != nil:
		l = r.fresh
		r.name(l, m.Session)
		return l
	case r.latest != nil:
		return r.latest.lane
	}
	return r.session[""]
}

// name notes which session a lane is, if no other is.
func (r *reading) name(l *lane, session string) {
	if l.session == "" && session != "" && r.session[session] == nil {
		l.session, r.session[session] = session, l
	}
	if r.fresh == l {
		r.fresh = nil
	}
}

// ofAgent notes what an agent said, and returns its lane.
func (r *reading) ofAgent(m *recording.Message, s *step) *lane {
	if s.turn != nil && m.Stop != "" {
		s.ended, s.turn.end = true, s
	}
	switch c := s.call; m.Type {
	case trace.Request:
		s.kind = asks
	case trace.Response:
		if c == nil || c.step == nil { // to nothing
			return nil
		}
		s.kind, c.answers = answers, s
		l := c.step.lane
		if c.method == "session/new" && !m.IsError {
			r.name(l, textOf(m.Payload, "sessionId"))
		}
		if c.method == "session/prompt" || l.latest == c.step {
			return l
		}
		// Of requests that were under way at once each waits only for itself.
		at := slices.Index(l.steps, c.step) + 1
		for at < len(l.steps) && l.steps[at].isOurs() {
			at++
		}
		l.steps = slices.Insert(l.steps, at, s)
		return nil
	}
	return r.laneOf(m)
}

// toClient notes what a client waited for, and returns the lane of that.
func (r *reading) toClient(m *recording.Message, s *step) *lane {
	t := s.turn
	if t != nil && m.Type != trace.Response {
		t.heard++
	}
	switch {
	case m.Type == trace.Request:
		r.questions = append(r.questions, s.call)
		if t != nil {
			t.questions++
		}
		return nil
	case m.Stop != "":
		s.kind, s.call = over, t.prompt
	case m.Type == trace.Response && s.call != nil && s.call.method != "session/prompt":
		s.kind = answered
	default:
		return nil
	}
	return r.session[""]
}

// ofClient notes what a client said, and returns its lane: in the middle of a turn it had
// heard so much of it. Its answers to questions wait for nothing.
func (r *reading) ofClient(m *recording.Message, s *step) *lane {
	t := s.turn
	switch {
	case m.Type == trace.Response:
		if s.call != nil && s.call.turn != nil {
			s.call.turn.questions--
		}
		return nil
	case m.IsText():
		return nil
	case m.Type == trace.Request:
		s.kind, s.call.step = asks, s
		r.calls = append(r.calls, s.call)
	case m.Method == "session/cancel" && t != nil:
		s.kind, s.call = cancels, t.prompt
	}
	l := r.session[""]
	if t != nil && (t.prompt != s.call || s.kind == cancels) {
		l.steps = append(l.steps, &step{kind: heard, call: t.prompt, heard: t.heard, asked: t.questions > 0})
	}
	return l
}

// textOf returns what a member says if it is a string.
func textOf(object []byte, path ...string) string {
	text, _ := rawjson.TextOf(rawjson.Get(object, path...))
	return string(text)
}
