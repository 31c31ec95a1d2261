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
//	sessions.go  turns, tool calls and runs of chunks
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

const (
	maxLines    = 64 // lines of a row; a further line starts a new row
	maxCaused   = 64 // rows that one row lists as caused by it
	maxUnlinked = 64 // rows of the proxy that wait for the row that caused them
)

// A Timeline converts messages to rows. It is not safe for concurrent use.
type Timeline struct {
	seed      maphash.Seed
	changes   Changes
	text      []byte // the text of the message that Add is reading; a buffer
	peers     Peers
	tools     map[uint64]*toolCall // by the hash of session and id
	toolCount int                  // the number of tool calls so far
	checkbox  *regexp.Regexp       // matches a checkbox in a markdown list

	counts   Counts
	lastSent [2]*message // the latest message of the agent and of the client
	unlinked []*message  // the proxy's own messages that precede the message that they belong to
}

// New returns a Timeline that expects the first message of a recording.
func New() *Timeline {
	return &Timeline{
		seed: maphash.MakeSeed(), tools: make(map[uint64]*toolCall),
		checkbox: regexp.MustCompile(`(?m)^[ \t]*(?:[-*+]|[0-9]+[.)])[ \t]+\[(.)\] `),
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
	firstHash    uint64 // the hash of the first event
	latestHash   uint64 // the hash of the last event
	request      *Row   // that a response answers
	isError      bool
	arrivalCount int // the number of events that reached the client or the agent

	described string // the description of the message that the proxy received
}

// Add reads the next message, which a [recording.Follower] must have followed. It stores state in the
// Note of requests and sessions. After an unreadable line, the fate of the messages before it stays
// unknown.
func (t *Timeline) Add(read *recording.Message) Changes {
	if read.Type == "" {
		t.lastSent = [2]*message{}
		return Changes{}
	}
	t.changes = Changes{Rows: t.changes.Rows[:0], Sessions: t.changes.Sessions[:0]}
	e := t.readEvent(read)
	cause := t.cause(&e)
	t.dropUnreplaced(cause)
	m := cause
	if !cause.isReplacedBy(&e) {
		m = t.newMessage(&e, cause)
	}
	m.setReplacement(&e)
	m.Lines = append(m.Lines, e.line)
	m.latestHash = e.hash
	m.Error = cmp.Or(m.Error, oneLine(e.errorText(), maxError))
	if e.Type == trace.Request {
		e.Request.Note = &requestState{&m.Row, optionsOf(&e)}
	}
	t.countArrival(m, &e)
	t.updateState(m, &e)
	m.Fate = m.fate(&e)
	m.IDOnly = m.Fate == Rewritten && m.differsOnlyInID(&e.Event)
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

// An event is the line of the recording that Add is reading, with values that several methods need.
type event struct {
	*recording.Message
	toClient bool
	hash     uint64 // the hash of method, params and payload
	update   update
	answered *requestState // the request of a response; nil if unknown
	line     Line
}

// readEvent returns the event of a message, and adds a new session to the changes. t.text becomes the
// text of the message.
func (t *Timeline) readEvent(m *recording.Message) event {
	e := event{Message: m, toClient: m.ToClient(), hash: t.hash([]byte(m.Method), m.Params, m.Payload)}
	e.update = readUpdate(&m.Event)
	if e.SessionState != nil && e.SessionState.Note == nil {
		e.SessionState.Note = new(session)
		t.changes.Sessions = append(t.changes.Sessions, Session{e.SessionState.Number, brief(e.Session)})
	}
	t.text = m.AppendMessage(rawjson.Reuse(t.text))
	e.line = Line{Number: m.Line, From: brief(string(m.From)), To: brief(string(m.To))}
	if m.Type == trace.Response && m.Request != nil {
		e.answered, _ = m.Request.Note.(*requestState)
		e.line.Method = brief(m.CalledMethod())
	}
	e.line.Plan = e.update.plan(t.checkbox)
	return e
}

// cause returns the message that made the proxy send a message, or nil if it is unknown.
func (t *Timeline) cause(e *event) *message {
	for _, m := range t.lastSent {
		if m != nil && e.From == trace.Proxy && e.Of == m.Number {
			return m
		}
	}
	return nil
}

// isReplacedBy reports whether a message that m caused replaces m. The proxy may also send other
// messages because of m: it answers the prompt of a version 2 client on the agent's first message of
// the turn, of any kind.
func (m *message) isReplacedBy(e *event) bool {
	if m == nil || m.Lines[0].To != string(trace.Proxy) || m.ToClient != e.toClient || len(m.Lines) >= maxLines {
		return false
	}
	switch kind := e.update.kind; {
	case e.Type == trace.Response:
		return m.Type == trace.Response || m.Closes
	case e.Type == trace.Request:
		return m.Type == trace.Request || m.Type == trace.Notification && !e.toClient
	case kind == "state_update":
		return m.Type == trace.Response || m.Update == kind
	case strings.HasPrefix(kind, "user_message"):
		return strings.HasPrefix(m.Update, "user_message")
	case e.line.Plan != nil:
		return m.Plan() != nil
	}
	return m.Type == trace.Notification && m.Plan() == nil && m.Update != "state_update"
}

// newMessage returns a new message for the first event of a row. It counts the message and, if that is
// the proxy's own, links it to the row that it belongs to.
func (t *Timeline) newMessage(e *event, cause *message) *message {
	m := &message{firstHash: e.hash, isError: e.IsError}
	m.Row = Row{
		Number: e.Line, Seconds: e.Seconds, ToClient: e.toClient, Type: e.Type, Bytes: len(t.text),
		Method: brief(e.CalledMethod()), Update: brief(e.update.kind), Own: e.From == trace.Proxy,
	}
	if e.SessionState != nil {
		m.Session = e.SessionState.Number
	}
	m.About = aboutOf(e)
	m.Lost = lossesOf(&e.Event)
	if e.line.Plan == nil {
		m.Summary = oneLine(e.text(), maxSummary)
	}
	if e.To == trace.Proxy {
		m.described = describe(e)
	}
	t.counts.Messages++
	if m.Type == trace.Request {
		t.counts.Unanswered++
	}
	switch {
	case !m.Own:
		t.addSent(m)
	case e.answered != nil:
		t.link(m, e.answered.row)
	case cause != nil:
		t.link(m, &cause.Row)
	case e.Of > e.Line && len(t.unlinked) < maxUnlinked:
		m.Of, t.unlinked = e.Of, append(t.unlinked, m)
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
	m.Of = 0
	if len(of.Caused) < maxCaused {
		m.Of = of.Number
		of.Caused = append(of.Caused, m.Number)
		t.changes.addRow(of)
	}
}

// setReplacement describes the first message that replaces m, if its content differs.
func (m *message) setReplacement(e *event) {
	if len(m.Lines) == 0 || m.arrivalCount > 0 || e.To == trace.Proxy || m.firstHash == e.hash && e.line.Plan == nil {
		return
	}
	if described := describe(e); described != m.described || e.line.Plan != nil && m.firstHash != e.hash {
		m.Became = described
	}
}

// countArrival records that a message has reached the client or the agent.
func (t *Timeline) countArrival(m *message, e *event) {
	if e.To == trace.Proxy {
		return
	}
	m.arrivalCount++
	if !m.Failed && (e.IsError || e.update.failed()) {
		m.Failed = true
		t.counts.Errors++
	}
}

// updateState updates the row's request, session, turn, tool call and run, and the peers.
func (t *Timeline) updateState(m *message, e *event) {
	if len(m.Lines) == 1 && !e.toClient {
		m.Forgets = forgets(e)
	}
	if t.peers.readPeers(e) {
		peers := t.peers
		t.changes.Peers = &peers
	}
	if e.answered != nil {
		t.linkResponse(m, e)
	}
	if e.SessionState == nil {
		return
	}
	if opener := m.setTurn(e); opener != nil {
		t.changes.addRow(opener)
	}
	t.setTool(m, e)
	t.setRun(e.SessionState.Note.(*session), m, e)
}

// linkResponse links a response to its request. If the proxy has replaced the request with one of its
// own, the response time is that of the original request.
func (t *Timeline) linkResponse(m *message, e *event) {
	request := e.answered.row
	if e.To != trace.Proxy || m.request == nil {
		took := between(request.Seconds, e.Seconds)
		m.request, m.Request, m.Took = request, request.Number, &took
	}
	if e.To != trace.Proxy || request.Own {
		if request.Answer == 0 {
			t.counts.Unanswered--
		}
		request.Answer = e.Line
	}
	if e.From == trace.Client && e.IsError && string(rawjson.Get(e.Payload, "code")) == methodNotFound {
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
// unknown until the next event, since the recording may end first.
func (m *message) fate(e *event) Fate {
	switch {
	case e.To == trace.Proxy:
		return Unknown
	case len(m.Lines) == 1 && m.Own:
		return Added
	case len(m.Lines) == 1, m.Type == trace.Notification && m.differsOnlyInID(&e.Event):
		return Forwarded
	}
	return Rewritten
}

// differsOnlyInID reports whether only the id of the message differs in e, its last event.
func (m *message) differsOnlyInID(e *trace.Event) bool {
	return m.arrivalCount == 1 && m.firstHash == m.latestHash && m.Type == e.Type && m.isError == e.IsError
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
