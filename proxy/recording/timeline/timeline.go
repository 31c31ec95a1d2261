// Package timeline converts a recording to rows: one row per message, with the events of
// that message and its fate.
//
// A [Timeline] reads the messages in order and returns the rows that are new or have changed.
// Package recording supplies the sender, the request, the session and the turn of each
// message. The Timeline groups the events of a message, links a message of the proxy to its
// cause, measures response times, and summarizes each message. Memory is bounded: the
// Timeline retains only rows that can still change.
//
//	timeline.go  the events and the fate of a message
//	sessions.go  sessions, turns, plans, tool calls and runs of chunks
//	plans.go     the plan in a message
//	summary.go   the topic and the summary of other messages
//	peers.go     the names and versions of client and agent
//	text.go      the limits of texts
package timeline

import (
	"cmp"
	"hash/maphash"
	"math"
	"regexp"
	"slices"
	"strings"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/rawjson"
)

// maxLines limits the lines of a row, and the rows that a row caused. A further line starts a new row.
const maxLines = 64

// A Timeline converts messages to rows. It is not safe for concurrent use.
type Timeline struct {
	seed      maphash.Seed
	changes   Changes
	line      []byte // buffer for a message
	peers     Peers
	tools     map[uint64]*toolCall // by the hash of session and id
	toolCount int                  // the number of tool calls so far
	task      *regexp.Regexp

	counts   Counts
	lastSent [2]*message // the latest message of the agent and of the client
	unlinked []*message  // the proxy's own messages that precede the message that they belong to
}

// New returns a Timeline that expects the first message of a recording.
func New() *Timeline {
	return &Timeline{
		seed: maphash.MakeSeed(), tools: make(map[uint64]*toolCall),
		task: regexp.MustCompile(`(?m)^[ \t]*(?:[-*+]|[0-9]+[.)])[ \t]+\[(.)\] `),
	}
}

// Changes holds the result of [Timeline.Add]. It is valid until the next call.
type Changes struct {
	Sessions []Session // new sessions
	Rows     []*Row    // new or changed rows, in any order
	Peers    *Peers    // nil if unchanged
}

// Counts holds totals of the messages read.
type Counts struct {
	Messages   int // rows
	Errors     int // error responses and failed tool calls
	Unanswered int // pending requests
}

// Counts returns the totals so far.
func (t *Timeline) Counts() Counts { return t.counts }

func (c *Changes) addRow(r *Row) {
	if !slices.Contains(c.Rows, r) {
		c.Rows = append(c.Rows, r)
	}
}

// A message is a row with the state that later events need.
type message struct {
	Row
	content  uint64 // the hash of the first event
	latest   uint64 // the hash of the last event
	request  *Row   // that a response answers
	isError  bool
	arrivals int // the number of events that reached the client or the agent

	described string // the description of the message that the proxy received
}

// Add reads the next message, which a [recording.Follower] must have followed. It stores state in the
// Note of requests and sessions. After an unreadable line, the fate of the messages before it stays
// unknown.
func (t *Timeline) Add(e *recording.Message) Changes {
	if e.Type == "" {
		t.lastSent = [2]*message{}
		return Changes{}
	}
	t.changes = Changes{Rows: t.changes.Rows[:0], Sessions: t.changes.Sessions[:0]}
	s := t.step(e)
	cause := t.cause(&s)
	t.dropUnreplaced(cause)
	m := cause
	if !cause.isReplacedBy(&s) {
		m = t.newMessage(&s, cause)
	}
	m.setReplacement(&s)
	m.Lines = append(m.Lines, s.line)
	m.latest = s.content
	m.Error = cmp.Or(m.Error, oneLine(s.errorText(), maxError))
	if s.Type == trace.Request {
		s.Request.Note = &requestState{&m.Row, optionsOf(&s)}
	}
	t.countArrival(m, &s)
	t.updateState(m, &s)
	m.Fate = m.fate(&s)
	m.IDOnly = m.Fate == Rewritten && m.onlyItsID(&e.Event)
	t.changes.addRow(&m.Row)
	return t.changes
}

// A requestState is the Note of a request.
type requestState struct {
	row     *Row
	options []option // the options of a permission request
}

// An option is an option of a permission request.
type option struct{ id, name string }

// A step is the message that Add is reading, with values that several methods need.
type step struct {
	*recording.Message
	toClient bool
	content  uint64 // the hash of method, params and payload
	update   update
	answered *requestState // the request of a response; nil if unknown
	line     Line
}

func (t *Timeline) step(e *recording.Message) step {
	s := step{Message: e, toClient: e.ToClient(), content: t.hash([]byte(e.Method), e.Params, e.Payload)}
	s.update = readUpdate(&e.Event)
	if s.InSession != nil && s.InSession.Note == nil {
		s.InSession.Note = new(session)
		t.changes.Sessions = append(t.changes.Sessions, Session{s.InSession.Number, brief(s.Session)})
	}
	t.line = e.AppendMessage(rawjson.Reuse(t.line))
	s.line = Line{Number: e.Line, From: brief(string(e.From)), To: brief(string(e.To))}
	if e.Type == trace.Response && e.Request != nil {
		s.answered, _ = e.Request.Note.(*requestState)
		s.line.Method = brief(e.CalledMethod())
	}
	s.line.Plan = s.update.plan(t.task)
	return s
}

// cause returns the message that made the proxy send a message, or nil if it is unknown.
func (t *Timeline) cause(s *step) *message {
	for _, m := range t.lastSent {
		if m != nil && s.From == trace.Proxy && s.Of == m.Number {
			return m
		}
	}
	return nil
}

// isReplacedBy reports whether a message that m caused replaces m. The proxy may also send other
// messages because of m: it answers the prompt of a version 2 client on the agent's first message of
// the turn, of any kind.
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

// newMessage returns a new message for the first event of a row.
func (t *Timeline) newMessage(s *step, cause *message) *message {
	m := &message{content: s.content, isError: s.IsError}
	m.Row = Row{
		Number: s.Line, Seconds: s.Seconds, ToClient: s.toClient, Type: s.Type, Bytes: len(t.line),
		Method: brief(s.CalledMethod()), Update: brief(s.update.kind), Own: s.From == trace.Proxy,
	}
	if s.InSession != nil {
		m.Session = s.InSession.Number
	}
	m.About = aboutOf(s)
	m.Lost = lossesOf(&s.Event)
	if s.line.Plan == nil {
		m.Summary = oneLine(s.text(), maxSummary)
	}
	if s.To == trace.Proxy {
		m.described = describe(s)
	}
	t.counts.Messages++
	if m.Type == trace.Request {
		t.counts.Unanswered++
	}
	switch {
	case !m.Own:
		t.addSent(m)
	case s.answered != nil:
		t.link(m, s.answered.row)
	case cause != nil:
		t.link(m, &cause.Row)
	case s.Of > s.Line && len(t.unlinked) < maxLines:
		m.Of, t.unlinked = s.Of, append(t.unlinked, m)
	}
	return m
}

// addSent records a new message of the client or the agent, and links the earlier messages of the
// proxy that belong to it.
func (t *Timeline) addSent(m *message) {
	from := 0
	if !m.ToClient {
		from = 1
	}
	t.lastSent[from] = m
	for _, own := range t.unlinked {
		if own.Of == m.Number {
			t.link(own, &m.Row)
		} else {
			own.Of = 0
		}
		t.changes.addRow(&own.Row)
	}
	t.unlinked = nil
}

// link links a message of the proxy to the row that it belongs to.
func (t *Timeline) link(m *message, of *Row) {
	if m.Of = 0; len(of.Caused) < maxLines {
		m.Of = of.Number
		of.Caused = append(of.Caused, m.Number)
		t.changes.addRow(of)
	}
}

// setReplacement describes the first message that replaces m, if its content differs.
func (m *message) setReplacement(s *step) {
	if len(m.Lines) == 0 || m.arrivals > 0 || s.To == trace.Proxy || m.content == s.content && s.line.Plan == nil {
		return
	}
	if described := describe(s); described != m.described || s.line.Plan != nil && m.content != s.content {
		m.Became = described
	}
}

// countArrival records that a message has reached the client or the agent.
func (t *Timeline) countArrival(m *message, s *step) {
	if s.To == trace.Proxy {
		return
	}
	m.arrivals++
	if !m.Failed && (s.IsError || s.update.failed()) {
		m.Failed = true
		t.counts.Errors++
	}
}

// updateState updates the row's request, session, turn, tool call and run, and the peers.
func (t *Timeline) updateState(m *message, s *step) {
	if len(m.Lines) == 1 && !s.toClient {
		m.Forgets = forgets(s)
	}
	if t.peers.readPeers(s) {
		peers := t.peers
		t.changes.Peers = &peers
	}
	if s.answered != nil {
		t.linkResponse(m, s)
	}
	if s.InSession == nil {
		return
	}
	if opener := m.setTurn(s); opener != nil {
		t.changes.addRow(opener)
	}
	t.setTool(m, s)
	t.setRun(s.InSession.Note.(*session), m, s)
}

// linkResponse links a response to its request. If the proxy has replaced the request with one of its own,
// the response time is that of the original request.
func (t *Timeline) linkResponse(m *message, s *step) {
	request := s.answered.row
	if s.To != trace.Proxy || m.request == nil {
		took := between(request.Seconds, s.Seconds)
		m.request, m.Request, m.Took = request, request.Number, &took
	}
	if s.To != trace.Proxy || request.Own {
		if request.Answer == 0 {
			t.counts.Unanswered--
		}
		request.Answer = s.Line
	}
	if s.From == trace.Client && s.IsError && string(rawjson.Get(s.Payload, "code")) == methodNotFound {
		request.Unseen = true
	}
	t.changes.addRow(request)
}

// methodNotFound is the JSON-RPC error code for an unknown method.
const methodNotFound = "-32601"

// between returns the difference of two times, limited to finite numbers, which JSON requires.
func between(from, to float64) float64 {
	return max(-math.MaxFloat64, min(to-from, math.MaxFloat64))
}

// fate returns the fate of a message after this event. The fate of a message at the proxy is
// unknown until the next event, since a recording may end between the two.
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

// onlyItsID reports whether only the id of the message differs in e, its last event.
func (m *message) onlyItsID(e *trace.Event) bool {
	return m.arrivals == 1 && m.content == m.latest && m.Type == e.Type && m.isError == e.IsError
}

// dropUnreplaced marks the messages that the proxy has received but not replaced as dropped, except
// the handled one: the events of a message are consecutive.
func (t *Timeline) dropUnreplaced(handled *message) {
	for _, m := range t.lastSent {
		if m != nil && m != handled && m.Fate == Unknown {
			m.Fate, m.Took = Dropped, nil
			switch {
			case m.Lost != nil:
				m.Why = strings.TrimPrefix(m.Lost[0].Detail, "dropped: ")
			case m.request != nil && m.request.Own:
				m.Why = "it answers the proxy"
			case m.Plan() != nil:
				m.Why = "the client has nothing to show for it"
			}
			t.changes.addRow(&m.Row)
		}
	}
}
