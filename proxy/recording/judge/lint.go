package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/schema"
)

// Rules returns the names of the rules.
func Rules() []string {
	return []string{
		"schema", "unknown-session", "unknown-tool-call", "tool-call-twice", "unknown-plan", "after-turn", "left-open",
		"unknown-answer", "id-in-use", "no-answer", "not-offered", "not-announced", "turn-running", "not-initialized", "not-cancelled",
	}
}

// A Finding is a violation of the protocol.
type Finding struct {
	Number int             `json:"number"` // of the message in the recording
	By     trace.Component `json:"by"`     // the sender of the message, or of the missing response
	Rule   string          `json:"rule"`
	Text   string          `json:"text"` // the fault and the correct form; may contain control characters
}

// A Linter finds violations of the protocol in a recording. It judges each side by the messages on
// its own connection to the proxy, because the proxy can change those on the other one.
type Linter struct {
	schema Judge
	sides  [2]*connection
}

// NewLinter returns a Linter that expects the first message of a recording.
func NewLinter(drafts *schema.Drafts) *Linter {
	return &Linter{Judge{drafts}, [2]*connection{newConnection(trace.Client), newConnection(trace.Agent)}}
}

// Add judges the next message of the recording, which a [recording.Follower] must have followed.
// Findings can concern earlier messages. The rule schema also applies to messages of the proxy.
func (l *Linter) Add(m *recording.Message) (found []Finding) {
	if m.Type == "" {
		return nil
	}
	if reason := l.schema.Judge(m); reason != "" {
		found = []Finding{{m.Line, m.From, "schema", reason}}
	}
	for _, c := range l.sides {
		if seen := (recording.Message{Event: m.Event}); !m.IsText() && seen.ReplaceProxy(c.side) {
			c.found = nil
			c.add(&seen)
			found = append(found, c.found...)
		}
	}
	return found
}

// End returns the findings that depend on the end of the recording.
func (l *Linter) End() (found []Finding) {
	for _, c := range l.sides {
		c.found = nil
		c.end()
		found = append(found, c.found...)
	}
	return found
}

// UnjudgedReason returns the reason why some rules were not applied, or "".
func (l *Linter) UnjudgedReason() string {
	a, b := l.sides[0], l.sides[1]
	switch {
	case !a.initializeSent && !b.initializeSent:
		return "the recording has no initialize (see --trace-all): only lines that are not messages were judged"
	case !a.hasOtherMessages && !b.hasOtherMessages:
		return "the recording has no messages other than initialize and updates: only the schema was applied"
	case !a.follower.Complete() || !b.follower.Complete():
		return "the recording has too many pending requests or sessions, or a very long name or id: some rules were not applied after that"
	}
	return ""
}

// A connection is the state of the connection between a side and the proxy.
type connection struct {
	side     trace.Component // whose messages are judged
	follower recording.Follower
	found    []Finding

	initializeSent, initialized bool // initialize was sent, and answered without an error
	hasOtherMessages            bool // there are messages other than initialize and updates
	version                     int  // 0 until initialized
	capabilities                map[trace.Component][]byte
	signIns                     []string // ids of the sign-in methods

	earlyFindings   []Finding               // of messages before initialize; dropped if initialize never follows
	latest          map[trace.Component]int // number of the latest message, by sender
	pendingNewCount int                     // pending requests for a new session
	openSessions    []string                // ids of sessions
}

func newConnection(side trace.Component) *connection {
	return &connection{side: side, capabilities: make(map[trace.Component][]byte), latest: make(map[trace.Component]int)}
}

// A session is the state of a [recording.Session].
type session struct {
	state       sessionState
	closedBy    int                // number of the request that closed it, if it is closed
	opening     *recording.Request // the pending request that loads or resumes it, or nil
	partial     bool               // a part of its history is not in the recording, or was evicted
	promptCount int                // number of pending prompts
	turnEnd     int                // number of the message that ended the latest turn; 0 while a turn runs or may still begin
	cancelledBy int                // number of the message that cancelled the turn; 0 if none did
	tools       map[string]*tool
	plans       []string            // ids of live plans
	offers      map[string][]string // values of "mode", "model" and options
}

type sessionState int

const (
	sessionUnknown   sessionState = iota
	sessionAnnounced              // by a response, an update, or a pending request to open it
	sessionOpen
	sessionClosed
)

type tool struct {
	announcedBy int             // number of the message that announced it
	status      string          // "" if only permission requests announced it
	answered    bool            // the user has selected an option of such a request
	turn        *recording.Turn // of the latest update
}

// A judgedRequest is the Note of a [recording.Request] that was judged.
type judgedRequest struct {
	options []string // offered ids of a permission request
	tool    *tool    // of a permission request; nil if it has none
}

// maxNames bounds the tool calls and the plans of a session.
const maxNames = 1 << 14

// report adds a finding about a message, if c judges its sender.
func (c *connection) report(m *recording.Message, rule, format string, args ...any) {
	if m.From == c.side {
		c.found = append(c.found, Finding{m.Line, m.From, rule, fmt.Sprintf(format, args...)})
	}
}

// add applies the rules to a message.
func (c *connection) add(m *recording.Message) {
	isRequest := m.Type == trace.Request
	if isRequest && m.Method == "initialize" && m.Protocol != "mcp" && c.initializeSent {
		*c = *newConnection(c.side) // another process of the agent
	}
	if r := c.follower.Pending(m); isRequest && r != nil {
		c.report(m, "id-in-use", "the id %s is that of a pending request: #%d, %s", m.ID, r.Line, r.Method)
	}
	c.follower.Follow(m)
	c.latest[m.From] = m.Line
	if r := m.Request; m.Protocol == "mcp" || r != nil && r.Protocol == "mcp" {
		return
	}
	if m.CalledMethod() == "initialize" {
		c.readInitialize(m)
		return
	}
	isResponse := m.Type == trace.Response
	c.hasOtherMessages = c.hasOtherMessages || isResponse || m.From == trace.Client
	if !c.initializeSent {
		if !isResponse && len(c.earlyFindings) < maxEarly {
			c.report(m, "not-initialized", "%s is sent before initialize", m.Method)
			c.earlyFindings = append(c.earlyFindings, c.found...)
		}
		c.found = nil // the recording may lack its beginning
		return
	}
	if !c.initialized && !isResponse {
		c.report(m, "not-initialized", "%s is sent before initialize is answered", m.Method)
	}
	if !c.hasOtherMessages || !c.follower.Complete() {
		return
	}
	s := stateOf(m.SessionState)
	if isResponse {
		c.judgeResponse(m, s)
	} else {
		c.judgeSent(m, s)
	}
	if s != nil && m.Stop != "" && isJudged(m.Turn.Prompt) {
		c.judgeStop(m, s)
	}
}

// end reports missing responses. A request with a slow method can be pending until the end of its
// turn. If the other side has sent nothing after a request, the recording may have ended too early.
func (c *connection) end() {
	for _, r := range c.follower.Unanswered() {
		from := trace.Agent
		if r.ToClient {
			from = trace.Client
		}
		if !isJudged(r) || c.latest[from] < r.Line || slices.Contains(slowMethods, r.Method) && (r.Turn == nil || !r.Turn.Ended) {
			continue
		}
		missing := &recording.Message{Event: trace.Event{Line: r.Line, From: from}}
		c.report(missing, "no-answer", "the %s has not answered %s, id %s", strings.ToLower(string(from)), r.Method, r.ID)
	}
}

const (
	maxList  = 5 // names in a finding
	maxEarly = 5 // findings before initialize, of a side
)

// listText returns names as text.
func listText(names []string) string {
	text := strings.Join(names[:min(len(names), maxList)], ", ")
	if more := len(names) - maxList; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return translate.Truncate(cmp.Or(text, "none"), 200)
}

// shortText returns an id as text of at most maxName characters.
func shortText(id string) string { return cmp.Or(translate.Truncate(id, maxName), `""`) }
