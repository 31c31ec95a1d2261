// Package timeline reads a recording as a person does: as rows, each one message that
// one end sent, with what became of it on its way to the other end.
//
// A [Timeline] is given the events of a recording one after another (package trace) and
// says which rows are new or have changed. It decides everything that is not drawing:
// what belongs together, where turns begin and end, which line answers which, how long
// that took, what a message is about. It keeps no rows but those that can still change,
// so that its memory is bounded whatever the recording is.
//
//	timeline.go  what became of a message at the proxy
//	chain.go     and on its way through a chain of proxies
//	requests.go  requests and their answers
//	sessions.go  turns, tool calls and runs of chunks
//	plans.go     what a message says of a plan
//	says.go      what any other message says
//	ends.go      what the two ends say of themselves
//	text.go      the values of JSON that all of these read
package timeline

import (
	"hash/maphash"
	"math"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/rawjson"
)

// sameTime is how much later, in seconds, an event may be that tells what left in
// the place of a message. The two have one time, in older recordings nearly so.
const sameTime = 0.001

// A Timeline turns events into rows.
type Timeline struct {
	seed     maphash.Seed
	changes  Changes
	line     []byte // memory for a message
	sessions sessions
	requests requests
	chain    chain
	ends     ends

	last      int         // the number of the line that was read last
	open      [2]*message // at the only proxy, by direction
	undecided *message    // the one of them that the last line brought there
}

// New returns a Timeline of a recording that begins.
func New() *Timeline {
	seed := maphash.MakeSeed()
	return &Timeline{seed: seed, sessions: newSessions(seed), requests: newRequests(), chain: newChain()}
}

// Changes are what a line has changed. They are valid until the next line.
type Changes struct {
	Sessions []Session // that are new
	Rows     []*Row    // that are new or have changed, in no order
	Ends     *Ends     // nil if nothing more is known of them
}

func (c *Changes) row(r *Row) {
	for _, known := range c.Rows {
		if known == r {
			return
		}
	}
	c.Rows = append(c.Rows, r)
}

// A message is a row, and what must be known of it while it can change.
type message struct {
	Row
	content uint64 // of its first line, see contentOf
	latest  uint64 // of its last line
	isError bool
	arrived int // how many of its lines lead to an end of the connection

	described string // what was sent, if it has come to a proxy
}

// Add reads the next event.
func (t *Timeline) Add(e *trace.Event) Changes {
	t.changes = Changes{Rows: t.changes.Rows[:0], Sessions: t.changes.Sessions[:0]}
	before := t.undecided
	t.undecided = nil
	s := t.step(e)
	m := t.continued(&s)
	if m == nil {
		m = t.begun(&s)
	}
	m.became(&s)
	m.Lines = append(m.Lines, s.line)
	m.latest = s.content
	t.requests.note(&s, m)
	t.place(m, &s)
	t.follow(m, &s)
	m.Fate = t.fate(m, &s)
	m.IDOnly = m.Fate == Rewritten && m.onlyItsID(e)
	t.last = e.Line
	if before != nil && before != m {
		t.drop(before)
	}
	t.changes.row(&m.Row)
	return t.changes
}

// Skip notes a line that is not an event. It may have told what became of the message
// before it.
func (t *Timeline) Skip(line int) Changes {
	t.changes = Changes{}
	t.last, t.undecided = line, nil
	return t.changes
}

// A step is an event, and what several parts of a Timeline want to know of it.
type step struct {
	*trace.Event
	toClient bool
	content  uint64
	update   update
	plan     planUpdate
	request  request // that it answers; its row is nil if there is none
	session  string
	number   int // of the session, 0 for none
	line     Line
}

func (t *Timeline) step(e *trace.Event) step {
	s := step{Event: e, toClient: e.From.Rank() > e.To.Rank(), content: contentOf(t.seed, e)}
	s.update = readUpdate(e)
	s.plan = s.update.plan()
	s.request = t.requests.answeredBy(e, s.toClient)
	if s.session = sessionOf(e); s.request.row != nil {
		s.session = s.request.session
	}
	if s.session != "" {
		var isNew bool
		if s.number, isNew = t.sessions.number(s.session); isNew {
			t.changes.Sessions = append(t.changes.Sessions, Session{s.number, brief(s.session)})
		}
	}
	t.line = e.AppendMessage(rawjson.Reuse(t.line))
	s.line = Line{Number: e.Line, From: string(component(e.From)), To: string(component(e.To)), Bytes: len(t.line), Method: s.request.method}
	s.line.Plan, s.line.Removed = s.plan.key, s.plan.removed
	return s
}

// continued returns the message that an event from a proxy carries on, nil if it is one
// that begins.
func (t *Timeline) continued(s *step) *message {
	switch {
	case !isProxy(s.From):
		return nil
	case !isOnlyProxy(s.From):
		return t.chain.leaves(s)
	}
	// What leaves is in the lines right behind what came in, and has its time. The
	// proxy also says things by itself.
	open := t.open[direction(s.toClient)]
	if open == nil || len(open.Lines) >= maxLines || open.Lines[len(open.Lines)-1].Number != t.last || math.Abs(s.Seconds-open.Seconds) > sameTime {
		return nil
	}
	return open
}

func (t *Timeline) begun(s *step) *message {
	m := &message{content: s.content, isError: s.IsError}
	m.Row = Row{
		Number: s.Line, Seconds: s.Seconds, ToClient: s.toClient, Session: s.number, Type: s.Type, Bytes: s.line.Bytes,
		Method: brief(s.methodAnswered()), Update: brief(s.update.kind), Own: isOnlyProxy(s.From),
		Failed: s.Type == trace.Response && s.IsError,
	}
	m.About = aboutOf(s)
	m.Lost = lossesOf(s.Event)
	m.Says = says(s)
	if s.plan.isPlan() {
		m.Plan = s.plan.summary()
	}
	if isProxy(s.To) {
		m.described = describe(s)
	}
	return m
}

// methodAnswered returns the method of a message: of a response that of its request.
func (s *step) methodAnswered() string {
	if s.Type == trace.Response {
		return s.request.method
	}
	return s.Method
}

// became notes what is the first message to arrive in the place of another.
func (m *message) became(s *step) {
	if len(m.Lines) == 0 || m.arrived > 0 || isProxy(s.To) || m.content == s.content && !s.plan.isPlan() {
		return
	}
	if described := describe(s); described != m.described || s.plan.isPlan() && m.content != s.content {
		m.Became = described
	}
}

// place notes where a message is now.
func (t *Timeline) place(m *message, s *step) {
	switch {
	case !isProxy(s.To):
		m.arrived++
		m.waiting = false
	case isOnlyProxy(s.To):
		t.open[direction(s.toClient)] = m
	default:
		t.chain.arrives(m, s)
	}
}

// follow notes what a message means for its session and for the two ends.
func (t *Timeline) follow(m *message, s *step) {
	if len(m.Lines) == 1 && !s.toClient {
		m.Forgets = forgets(s)
	}
	if t.ends.introduce(s) {
		ends := t.ends.Ends
		t.changes.Ends = &ends
	}
	if answered := s.request.row; answered != nil {
		answered.Answer = s.Line
		t.changes.row(answered)
		if len(m.Lines) == 1 {
			took := between(s.request.seconds, s.Seconds)
			m.Request, m.Took = s.request.line, &took
		}
	}
	if s.number == 0 {
		return
	}
	in := t.sessions.of(s)
	if opener := in.followTurn(m, s); opener != nil {
		t.changes.row(opener)
	}
	t.sessions.followTool(m, s)
	t.sessions.followRun(in, m, s)
}

// between returns the seconds between two times, which JSON can say: of hostile times the
// difference may be infinite.
func between(from, to float64) float64 {
	return max(-math.MaxFloat64, min(to-from, math.MaxFloat64))
}

// fate returns what became of a message whose last event this is. At the only proxy
// this is not known before the next event, because the recording may end between two
// events of one message.
func (t *Timeline) fate(m *message, s *step) Fate {
	switch {
	case isOnlyProxy(s.To):
		t.undecided = m
		return Unknown
	case isProxy(s.To):
		return Dropped
	case len(m.Lines) == 1 && m.Own:
		return Added
	case len(m.Lines) == 1:
		return Forwarded
	// At each proxy of a chain a message has an event more. The only proxy makes a
	// second event of a message only if it has changed it.
	case isOnlyProxy(s.From) || m.arrived != 1 || m.content != m.latest:
		return Rewritten
	}
	return Forwarded
}

// onlyItsID reports whether what arrived, with the event as its last one, differs from
// what was sent in nothing but its id.
func (m *message) onlyItsID(e *trace.Event) bool {
	return m.arrived == 1 && m.content == m.latest && m.Type == e.Type && m.isError == e.IsError
}

// drop notes that nothing left in the place of a message: the events of one message are
// next to each other, and the last one is of another.
func (t *Timeline) drop(m *message) {
	m.Fate = Dropped
	if i := direction(m.ToClient); t.open[i] == m {
		t.open[i] = nil
	}
	t.changes.row(&m.Row)
}

func direction(toClient bool) int {
	if toClient {
		return 1
	}
	return 0
}

// contentOf tells one content from another: the params of a message, with its method, or
// its result or error.
func contentOf(seed maphash.Seed, e *trace.Event) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(e.Method)
	h.WriteByte(0)
	h.Write(e.Params)
	h.Write(e.Payload)
	return h.Sum64()
}
