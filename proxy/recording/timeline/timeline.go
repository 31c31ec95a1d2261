// Package timeline reads a recording as a person does: as rows, each one message that
// one end sent, with what became of it on its way to the other end.
//
// A [Timeline] is given the messages of a recording one after another (package recording
// says who asked, in which session and turn) and says which rows are new or have changed. It decides everything that is not drawing:
// what belongs together, where turns begin and end, which line answers which, how long
// that took, what a message is about. It keeps no rows but those that can still change,
// so that its memory is bounded whatever the recording is.
//
//	timeline.go  what became of a message at the proxy
//	sessions.go  sessions, turns, tool calls and runs of chunks
//	plans.go     what a message says of a plan
//	says.go      what any other message says
//	ends.go      what the two ends say of themselves
//	text.go      the values of JSON that all of these read
package timeline

import (
	"cmp"
	"hash/maphash"
	"math"
	"regexp"
	"strings"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/rawjson"
)

// sameTime is the greatest difference, in seconds, between the times of a message and of the
// proxy's events that belong to it, in recordings without "of".
const sameTime = 0.001

// maxLines bounds the lines of a row, and the rows that belong to it. Another line begins
// a row of its own.
const maxLines = 64

// A Timeline turns messages into rows.
type Timeline struct {
	seed    maphash.Seed
	changes Changes
	line    []byte // memory for a message
	ends    Ends
	tools   map[uint64]*toolCall // by hashes of their ids
	calls   int                  // of tools
	task    *regexp.Regexp

	counts Counts
	last   int         // the number of the previous line
	sent   [2]*message // the latest message from each end: the agent's, the client's
	early  []*message  // messages of the proxy's own that precede the message that they belong to
	linked bool        // the recording has "of"

	initialized int // the number of the latest initialize
}

// New returns a Timeline of a recording that begins.
func New() *Timeline {
	return &Timeline{
		seed: maphash.MakeSeed(), tools: make(map[uint64]*toolCall),
		task: regexp.MustCompile(`(?m)^[ \t]*(?:[-*+]|[0-9]+[.)])[ \t]+\[(.)\] `),
	}
}

// Changes are what a line has changed. They are valid until the next line.
type Changes struct {
	Sessions []Session // that are new
	Rows     []*Row    // that are new or have changed, in no order
	Ends     *Ends     // nil if nothing more is known of them
}

// Counts are how many there are in what has been read.
type Counts struct {
	Messages   int // rows
	Errors     int // answers that are errors
	Unanswered int // requests
}

// Counts returns how many there are so far.
func (t *Timeline) Counts() Counts { return t.counts }

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
	content uint64 // of its first line
	latest  uint64 // of its last line
	asked   *Row   // of an answer: the request
	isError bool
	arrived int // how many of its lines lead to an end of the connection
	last    int // the number of the last line that belongs to it

	why       string // it is dropped, if nothing replaces it
	described string // what was sent, if it has come to a proxy
}

// Add reads the next message, which a [recording.Follower] has followed. The Timeline keeps
// a note in each request. An unreadable line may have shown what became of the messages before
// it.
func (t *Timeline) Add(e *recording.Message) Changes {
	if e.Type == "" {
		t.last, t.sent = e.Line, [2]*message{}
		return Changes{}
	}
	t.changes = Changes{Rows: t.changes.Rows[:0], Sessions: t.changes.Sessions[:0]}
	s := t.step(e)
	cause := t.cause(&s)
	t.settle(cause)
	m := cause
	if !cause.isReplacedBy(&s) {
		m = t.begun(&s, cause)
	}
	m.became(&s)
	m.Lines = append(m.Lines, s.line)
	m.latest = s.content
	m.Error = cmp.Or(m.Error, oneLine(s.errorText(), maxError))
	if s.Type == trace.Request {
		s.Request.Note = &asked{&m.Row, optionsOf(&s)}
	}
	t.arrive(m, &s)
	t.follow(m, &s)
	m.Fate = m.fate(&s)
	m.IDOnly = m.Fate == Rewritten && m.onlyItsID(&e.Event)
	t.last = e.Line
	t.changes.row(&m.Row)
	return t.changes
}

// An asked is what is noted of a request.
type asked struct {
	row     *Row
	options []option // of a permission request
}

// An option is one that a permission request offers.
type option struct{ id, name string }

// A step is a message, and what several parts of a Timeline want to know of it.
type step struct {
	*recording.Message
	toClient bool
	content  uint64 // of its params, with its method, or of its result or error
	update   update
	answers  *asked // nil for none
	line     Line
}

func (t *Timeline) step(e *recording.Message) step {
	s := step{Message: e, toClient: e.ToClient(), content: t.hash([]byte(e.Method), e.Params, e.Payload)}
	s.update = readUpdate(&e.Event)
	if s.In != nil && s.In.Note == nil {
		s.In.Note = new(session)
		t.changes.Sessions = append(t.changes.Sessions, Session{s.In.Number, brief(s.Session)})
	}
	t.line = e.AppendMessage(rawjson.Reuse(t.line))
	s.line = Line{Number: e.Line, From: brief(string(e.From)), To: brief(string(e.To))}
	if e.Type == trace.Response && e.Request != nil {
		s.answers, _ = e.Request.Note.(*asked)
		s.line.Method = brief(e.Called())
	}
	s.line.Plan = s.update.plan(t.task)
	return s
}

// cause returns the message that made the proxy send this one, nil if that is not known. In
// recordings without "of", it is a message right before this one, at the same time.
func (t *Timeline) cause(s *step) *message {
	t.linked = t.linked || s.Of != 0
	if s.From != trace.Proxy {
		return nil
	}
	for _, m := range t.sent {
		switch {
		case m == nil:
		case t.linked && m.Number == s.Of, !t.linked && m.last == t.last && math.Abs(s.Seconds-m.Seconds) <= sameTime:
			m.last = s.Line
			return m
		}
	}
	return nil
}

// isReplacedBy reports whether a message that m has caused replaces it. The proxy may send
// others at that moment: it answers a version 2 client's prompt when the agent sends the
// first message of the turn, whatever that is.
func (m *message) isReplacedBy(s *step) bool {
	if m == nil || m.Lines[0].To != string(trace.Proxy) || m.ToClient != s.toClient || len(m.Lines) >= maxLines {
		return false
	}
	switch kind := s.update.kind; {
	case s.Type == trace.Response:
		return m.Type == trace.Response || m.Closes
	case s.Type == trace.Request:
		return m.Type == trace.Request || m.Type == trace.Notification && !s.toClient
	case kind == "state_update":
		return m.Type == trace.Response || m.Update == kind
	case strings.HasPrefix(kind, "user_message"):
		return strings.HasPrefix(m.Update, "user_message")
	case s.line.Plan != nil:
		return m.Plan() != nil
	}
	return m.Type == trace.Notification && m.Plan() == nil && m.Update != "state_update"
}

func (t *Timeline) begun(s *step, cause *message) *message {
	m := &message{content: s.content, isError: s.IsError}
	m.Row = Row{
		Number: s.Line, Seconds: s.Seconds, ToClient: s.toClient, Type: s.Type, Bytes: len(t.line),
		Method: brief(s.Called()), Update: brief(s.update.kind), Own: s.From == trace.Proxy,
	}
	if s.In != nil {
		m.Session = s.In.Number
	}
	m.About = aboutOf(s)
	m.Lost = lossesOf(&s.Event)
	m.Says = says(s)
	if s.To == trace.Proxy {
		m.described = describe(s)
	}
	m.last = s.Line
	t.counts.Messages++
	if m.Type == trace.Request {
		t.counts.Unanswered++
	}
	switch {
	case !m.Own:
		t.begunAtEnd(m)
	case s.answers != nil:
		t.link(m, s.answers.row)
	case cause != nil:
		t.link(m, &cause.Row)
	case s.Of > s.Line && len(t.early) < maxLines:
		m.Of, t.early = s.Of, append(t.early, m)
	}
	return m
}

// begunAtEnd records a new message from the client or the agent, and links the messages
// before it that belong to it.
func (t *Timeline) begunAtEnd(m *message) {
	from := 0
	if !m.ToClient {
		from = 1
	}
	t.sent[from] = m
	for _, early := range t.early {
		if early.Of == m.Number {
			t.link(early, &m.Row)
		} else {
			early.Of = 0
		}
		t.changes.row(&early.Row)
	}
	t.early = nil
}

// link links a message of the proxy's own to the row that it belongs to.
func (t *Timeline) link(m *message, of *Row) {
	if m.Of = 0; len(of.Caused) < maxLines {
		m.Of = of.Number
		of.Caused = append(of.Caused, m.Number)
		t.changes.row(of)
	}
}

// became notes what is the first message to arrive in the place of another.
func (m *message) became(s *step) {
	if len(m.Lines) == 0 || m.arrived > 0 || s.To == trace.Proxy || m.content == s.content && s.line.Plan == nil {
		return
	}
	if described := describe(s); described != m.described || s.line.Plan != nil && m.content != s.content {
		m.Became = described
	}
}

// arrive records that a message has reached the client or the agent.
func (t *Timeline) arrive(m *message, s *step) {
	if s.To == trace.Proxy {
		return
	}
	m.arrived++
	if !m.Failed && (s.IsError || s.update.failed()) {
		m.Failed = true
		t.counts.Errors++
	}
}

// follow notes what a message means for its session and for the two ends.
func (t *Timeline) follow(m *message, s *step) {
	if len(m.Lines) == 1 && !s.toClient {
		m.Forgets = forgets(s)
	}
	if t.ends.introduce(s) {
		ends := t.ends
		t.changes.Ends = &ends
	}
	if s.answers != nil {
		t.answer(m, s)
	}
	if len(m.Lines) == 1 {
		in := (*session)(nil)
		if s.In != nil {
			in = s.In.Note.(*session)
		}
		t.followPlan(in, m, s.line.Plan)
	}
	if s.In == nil {
		return
	}
	if opener := m.followTurn(s); opener != nil {
		t.changes.row(opener)
	}
	t.followTool(m, s)
	t.followRun(s.In.Note.(*session), m, s)
}

// answer notes what a message answers. Who asked has waited until its own request was
// answered: what the proxy has asked for it meanwhile is another one.
func (t *Timeline) answer(m *message, s *step) {
	asked := s.answers.row
	if s.To != trace.Proxy || m.asked == nil {
		took := between(asked.Seconds, s.Seconds)
		m.asked, m.Request, m.Took = asked, asked.Number, &took
	}
	if s.To != trace.Proxy || asked.Own {
		if asked.Answer == 0 {
			t.counts.Unanswered--
		}
		asked.Answer = s.Line
	}
	if s.From == trace.Client && s.IsError && string(rawjson.Get(s.Payload, "code")) == methodNotFound {
		asked.Unseen = true
	}
	t.changes.row(asked)
}

// methodNotFound is the code of the error for a method that its receiver does not have.
const methodNotFound = "-32601"

// between returns the seconds between two times, which JSON can say: of hostile times the
// difference may be infinite.
func between(from, to float64) float64 {
	return max(-math.MaxFloat64, min(to-from, math.MaxFloat64))
}

// fate returns what became of a message whose last event this is. For a message at the
// proxy, only the next event shows that, because the recording may end between two events.
func (m *message) fate(s *step) Fate {
	switch {
	case s.To == trace.Proxy:
		return Unknown
	case len(m.Lines) == 1 && m.Own:
		return Added
	case len(m.Lines) == 1, m.Type == trace.Notification && m.onlyItsID(&s.Event):
		return Forwarded
	}
	return Rewritten
}

// onlyItsID reports whether what arrived, with the event as its last one, differs from
// what was sent in nothing but its id.
func (m *message) onlyItsID(e *trace.Event) bool {
	return m.arrived == 1 && m.content == m.latest && m.Type == e.Type && m.isError == e.IsError
}

// settle marks the messages as dropped that the proxy has neither replaced nor is handling:
// the events that belong to one message are next to each other.
func (t *Timeline) settle(handled *message) {
	for _, m := range t.sent {
		if m != nil && m != handled && m.Fate == Unknown {
			m.Fate, m.Took, m.Why = Dropped, nil, m.why
			switch {
			case m.Lost != nil:
				m.Why = strings.TrimPrefix(m.Lost[0].Detail, "dropped, as ")
			case m.asked != nil && m.asked.Own:
				m.Why = "it answers the proxy"
			}
			t.changes.row(&m.Row)
		}
	}
}
