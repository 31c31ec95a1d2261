package play

import (
	"bufio"
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

// A line is what our end said.
type line struct {
	at    place
	made  string        // in the place of at, if the recording has not what was said
	time  time.Duration // since the recording began; 0 if it has no times
	call  *call         // that it is, answers or cancels; otherwise nil
	kind  lineKind
	ended bool // the turn, with this line
}

type lineKind uint8

const (
	tells lineKind = iota
	asks
	answers
	cancels
)

// A call is a request of the recording, of either end.
type call struct {
	at, answer place
	line       int // of the recording, from 1
	id         jsonrpc.ID
	method     string
	session    string // that it names
	failed     bool   // its answer was an error
	cue        *cue   // of a request of the client, for an agent
	turn       *turn  // that it begins, or that was under way
	answers    *cue   // behind which an agent answers it
	nth        int    // of the lines there

	// What has become of it in this conversation.
	now      []byte // its id, nil while it is not asked
	since    time.Duration
	answered bool
	failure  []byte // the error, nil if there was none
}

// open reports whether it waits for an answer.
func (c *call) open() bool { return c.now != nil && !c.answered }

// A cue is a moment at which our end waited for the other one, and what it said behind
// that.
type cue struct {
	kind   cueKind
	lane   *lane
	index  int
	time   time.Duration
	call   *call // that has come, or is answered
	within *turn // that was under way; of a prompt the one that it began
	lines  []line
	heard  int  // of the turn
	asked  bool // a question of the other end was open

	next   int  // of the lines, that is to be said
	come   bool // a request
	since  time.Duration
	passed bool // without the request
}

type cueKind uint8

const (
	begins   cueKind = iota
	asked            // a request of the other end
	answered         // the answer to a request of ours
	canceled         // of our turn
	over             // the other end's turn
	heard            // of the turn that is under way, so much
)

// A turn is one of the recording.
type turn struct {
	prompt    *call
	heard     int  // messages of the other end
	questions int  // of those, that are not answered
	end       *cue // behind which it ended, nil if it did not
	lines     int  // of that cue, up to its end
	time      time.Duration
	answered  bool // the answer to the prompt ended it
	cancelled bool // in this conversation
}

// A lane is what our end did one after the other: an agent in a session, a client in
// all of them.
type lane struct {
	session string // empty for what belongs to none
	cues    []*cue

	// What has become of it.
	at         int    // the cue that it is behind
	reached    []*cue // requests that have come, and that it is not behind yet
	turn       *turn
	hurries    int64         // what was recorded before this is said at once
	time, live time.Duration // of what was said last, in the recording and now
	called     string        // what the client calls the session
}

func (l *lane) add(c *cue) *cue {
	c.lane, c.index = l, len(l.cues)
	l.cues = append(l.cues, c)
	return c
}

func (l *lane) last() *cue { return l.cues[len(l.cues)-1] }

// A player is one end of a recording: its agent, or its client. It is told what the other
// end says and what time it is, and says what our end said, each line when what the
// other had said before it has come. It does no input or output of its own, but reads
// the recording. What is kept of it in memory is who waited for whom, and the places of
// what our end said.
type player struct {
	us      trace.Component
	file    io.ReaderAt
	size    int64
	parser  recording.Parser
	ahead   []byte // a part of the file, which begins at aheadAt
	aheadAt int64
	lanes   []*lane
	session map[string]*lane
	calls   []*call // of the other end for an agent, of our own for a client
	choices []*choice
	version int // that our end spoke; of a client's agent the one that it speaks

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
		session: make(map[string]*lane), asked: make(map[jsonrpc.ID]*call),
		sessions: make(map[string]*lane), turns: make(map[string]*liveTurn), called: make(map[string]string),
	}
	if us == trace.Agent {
		p.speed = o.Speed // a client waits for nothing but its agent
	}
	var alone implied
	r := newReading(p)
	if err := p.scan(func(m *recording.Message, at place) {
		r.hear(m, at)
		alone.hear(m)
	}); err != nil {
		return nil, err
	}
	asked := len(p.calls) > 0
	switch {
	case r.lines == 0:
		return nil, errors.New("it has no message of the protocol in it")
	case us == trace.Agent && !r.ours:
		return nil, errors.New("it has no message of an agent in it")
	case !asked && (us == trace.Client || r.traced):
		return nil, fmt.Errorf("it has no request of %s client in it; a recording to play is made with --trace-all",
			map[trace.Component]string{trace.Agent: "the", trace.Client: "a"}[us])
	case !asked:
		r = newReading(p)
		return p, alone.fill(p, r)
	}
	return p, nil
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

// load reads a message again, and what is behind it ahead.
func (p *player) load(at place) (recording.Message, bool) {
	from := at.start - p.aheadAt
	if from < 0 || from+int64(at.size) > int64(len(p.ahead)) {
		const much = 64 << 10
		ahead := make([]byte, max(at.size, much))
		n, err := p.file.ReadAt(ahead, at.start)
		if n < at.size {
			p.err = cmp.Or[error](p.err, fmt.Errorf("read recording: %w", err))
			return recording.Message{}, false
		}
		p.ahead, p.aheadAt, from = ahead[:n], at.start, 0
	}
	for _, m := range p.parser.Parse(p.ahead[from : from+int64(at.size)]) {
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
	turns    map[*recording.Turn]*turn
	latest   *cue  // of the request that came last
	fresh    *lane // of a session that is being made
	lines    int   // that have a message
	ours     bool  // our end has said something
	traced   bool
}

func newReading(p *player) *reading {
	r := &reading{player: p, turns: make(map[*recording.Turn]*turn)}
	p.lanes, p.session = nil, make(map[string]*lane)
	r.lane("")
	return r
}

// hear takes the next message of the recording.
func (r *reading) hear(m *recording.Message, at place) {
	r.lines++
	r.traced = r.traced || m.Text == nil
	r.follower.Follow(m)
	if m.Type == trace.Response && m.Request != nil && m.Request.Method == "initialize" && m.From == trace.Agent {
		r.version = m.Version
	}
	if m.Request != nil && m.Request.Note == nil {
		m.Request.Note = &call{at: at, line: m.Line, id: jsonrpc.IDOf(m.ID), method: m.Method, session: m.Request.Session}
	}
	var c *call
	if m.Request != nil {
		c = m.Request.Note.(*call)
	}
	if c != nil && m.Type == trace.Response {
		c.answer, c.failed = at, m.IsError
	}
	t := r.turns[m.Turn]
	if t == nil && m.Turn != nil {
		t = &turn{prompt: m.Turn.Prompt.Note.(*call)}
		r.turns[m.Turn] = t
	}
	if m.Type == trace.Request {
		c.turn = t
	}
	switch {
	case m.From == r.us:
		r.ours = true
		ln := line{at: at, time: seconds(m.Seconds), call: c}
		if at.size == 0 {
			ln.made = string(m.Text)
		}
		r.said(m, c, t, ln)
	case r.us == trace.Agent:
		r.clientSaid(m, c, t)
	default:
		r.agentSaid(m, c, t)
	}
	if m.Stop != "" {
		delete(r.turns, m.Turn)
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
	l.add(&cue{kind: begins, come: true})
	r.lanes = append(r.lanes, l)
	return l
}

// clientSaid notes what an agent waited for.
func (r *reading) clientSaid(m *recording.Message, c *call, t *turn) {
	q := &cue{time: seconds(m.Seconds), call: c, within: t}
	switch {
	case m.Type == trace.Request:
		q.kind, c.cue = asked, q
		r.calls = append(r.calls, c)
		l := r.session[m.Session]
		switch {
		case l != nil && m.Method != "session/new":
		case m.Method == "session/new": // the session is not named yet
			l = r.newLane("")
			r.fresh = l
		default:
			l = r.lane(m.Session)
		}
		r.latest = l.add(q)
	case m.Type == trace.Response && c != nil:
		q.kind = answered
		r.laneOf(m, c).add(q)
	case m.Method == "session/cancel" && t != nil:
		q.kind = canceled
		t.prompt.cue.lane.add(q)
	case m.Method == "$/cancel_request":
		prompt := called(r.calls, rawjson.Get(m.Params, "requestId"))
		if prompt != nil && prompt.turn != nil && prompt.turn.prompt == prompt && prompt.turn.end == nil {
			q.kind, q.within = canceled, prompt.turn
			prompt.cue.lane.add(q)
		}
	}
}

// laneOf returns the lane of what the agent said outside of answers: its session's. One
// that nobody has named yet is the one that is being made; or else it belongs to the
// latest request.
func (r *reading) laneOf(m *recording.Message, c *call) *lane {
	if l := r.session[m.Session]; m.Session != "" && l != nil {
		return l
	}
	switch {
	case m.Session != "" && r.fresh != nil:
		l := r.fresh
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

// said notes what our end said, behind the cue that it waited for.
func (r *reading) said(m *recording.Message, c *call, t *turn, ln line) {
	var behind *cue
	switch {
	case r.us == trace.Client:
		behind = r.clientSays(m, &ln, t)
	case m.Type == trace.Response:
		ln.kind = answers
		if c == nil || c.cue == nil { // to nothing
			return
		}
		// Of requests that were under way at once each waits only for itself.
		if behind = c.cue; c.method == "session/prompt" || behind.lane.isLatest(behind) {
			behind = behind.lane.last()
		}
		if c.method == "session/new" && !m.IsError {
			session, _ := rawjson.TextOf(rawjson.Get(m.Payload, "sessionId"))
			r.name(c.cue.lane, string(session))
		}
	default:
		if behind = r.laneOf(m, c).last(); m.Type == trace.Request {
			ln.kind = asks
		}
	}
	if behind == nil {
		return
	}
	if ln.kind == answers {
		c.answers, c.nth = behind, len(behind.lines)
	}
	behind.lines = append(behind.lines, ln)
	if t != nil && m.Stop != "" && r.us == trace.Agent {
		behind.lines[len(behind.lines)-1].ended = true
		t.end, t.lines, t.time, t.answered = behind, len(behind.lines), ln.time, m.Type == trace.Response
	}
}

// isLatest reports whether no request came behind that of a cue.
func (l *lane) isLatest(c *cue) bool {
	for _, later := range l.cues[c.index+1:] {
		if later.kind == asked {
			return false
		}
	}
	return true
}

// called returns the latest of some requests that had an id, nil for none.
func called(all []*call, id []byte) *call {
	for _, c := range slices.Backward(all) {
		if c.id == jsonrpc.IDOf(id) {
			return c
		}
	}
	return nil
}

// agentSaid notes what a client waited for.
func (r *reading) agentSaid(m *recording.Message, c *call, t *turn) {
	l := r.session[""]
	if t != nil && m.Type != trace.Response {
		t.heard++
	}
	switch {
	case m.Type == trace.Request:
		r.choices = append(r.choices, describe(m, c))
		if t != nil {
			t.questions++
		}
	case m.Stop != "":
		l.add(&cue{kind: over, call: t.prompt})
	case m.Type == trace.Response && c != nil && c.method != "session/prompt":
		l.add(&cue{kind: answered, call: c})
	}
}

// clientSays returns the cue behind which a client said something: in the middle of a turn
// it had heard so much of it. Its answers to questions wait for nothing.
func (r *reading) clientSays(m *recording.Message, ln *line, t *turn) *cue {
	l := r.session[""]
	switch {
	case m.Type == trace.Response:
		if c := ln.call; c != nil && c.turn != nil {
			c.turn.questions--
		}
		return nil
	case m.IsText():
		return nil
	case m.Type == trace.Request:
		ln.kind = asks
		r.calls = append(r.calls, ln.call)
	case m.Method == "session/cancel" && t != nil:
		ln.kind, ln.call = cancels, t.prompt
	}
	if t != nil && t.prompt != ln.call || ln.kind == cancels {
		l.add(&cue{kind: heard, call: t.prompt, heard: t.heard, asked: t.questions > 0})
	}
	return l.last()
}
