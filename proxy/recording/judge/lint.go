package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/schema"
)

// Rules returns the names of the rules. See the table in lint's documentation.
func Rules() []string {
	return []string{
		"schema", "unknown-session", "unknown-tool-call", "tool-call-twice", "unknown-plan", "after-turn", "left-open",
		"unknown-answer", "id-in-use", "no-answer", "not-offered", "not-announced", "turn-running", "not-initialized", "not-cancelled",
	}
}

// A Finding is a violation of the protocol.
type Finding struct {
	Number int             // of the message in the recording
	By     trace.Component // the sender; of a request without a response the side that owes it
	Rule   string
	Text   string // the fault and the correct form; may contain control characters
}

// A Linter finds what the protocol does not allow in a recording. It judges each side by the
// messages that it sent, in the conversation that it had: of a translated message the agent's
// conversation has one form, and the client's the other.
type Linter struct {
	schema Judge
	sides  [2]conversation
	text   bool // a line that is not a message
}

// NewLinter returns a Linter for a recording that begins.
func NewLinter(drafts *schema.Drafts) *Linter {
	return &Linter{schema: Judge{drafts}, sides: [2]conversation{{side: trace.Client}, {side: trace.Agent}}}
}

// Add returns the findings that the next message leads to; a [recording.Follower] must have
// followed it. They can concern earlier messages, and messages of the proxy (rule schema only).
func (l *Linter) Add(m *recording.Message) (found []Finding) {
	if m.Type == "" {
		return nil
	}
	if reason := l.schema.Judge(m); reason != "" {
		found = []Finding{{m.Line, m.From, "schema", reason}}
	}
	for i := range l.sides {
		if seen := (recording.Message{Event: m.Event}); !m.IsText() && seen.SeenBy(l.sides[i].side) {
			found = append(found, l.sides[i].add(&seen)...)
		}
	}
	return found
}

// End returns the findings that need the whole recording.
func (l *Linter) End() (found []Finding) {
	for i := range l.sides {
		found = append(found, l.sides[i].end()...)
	}
	return found
}

// Unjudged returns why most rules could not be applied to the recording, "" if they were.
func (l *Linter) Unjudged() string {
	a, b := &l.sides[0], &l.sides[1]
	switch {
	case !a.asked && !b.asked:
		return "the recording has no initialize (see --trace-all): only lines that are not messages were judged"
	case !a.whole && !b.whole:
		return "the recording has no messages other than initialize and updates: only the schema was applied"
	case !a.follower.Complete() || !b.follower.Complete():
		return "the recording has too many pending requests or sessions: some rules were not applied after that"
	}
	return ""
}

// A conversation is the traffic on one connection: the client's with the proxy, or the agent's.
type conversation struct {
	side     trace.Component // whose findings are wanted
	follower recording.Follower
	found    []Finding // by the current message

	asked, initialized bool
	whole              bool // other messages than plans are recorded
	version            int
	announced          map[trace.Component][]byte // the capabilities of a side
	logins             []string                   // ids of sign-in methods

	early    []Finding // before initialize
	latest   map[trace.Component]int
	creating int      // requests for a new session that are pending
	open     []string // sessions
}

// A session is the state of one. It hangs on the [recording.Session].
type session struct {
	known   bool // listed, open or closed
	open    bool
	closed  int                // the number of the message that closed it
	partial bool               // it has a history that is not in the recording
	loading *recording.Request // pending
	turn    *recording.Turn    // that runs
	ended   int                // the number of the message that ended the latest turn; 0 while one runs
	cancel  int                // the number of the message that cancelled the turn
	tools   map[string]*tool
	plans   map[string]bool
	offers  map[string][]string // values, by option; of modes by "mode", of models by "model"
}

type tool struct {
	number int // of the message that announced it
	status string
	turn   *recording.Turn // in which it changed last
}

// A request is what the rules remember of a pending one.
type request struct {
	session *session
	turn    *recording.Turn
	options []string // of a permission request
	value   string   // of session/set_…: the option
}

// maxNames bounds the tool calls and the plans of a session.
const maxNames = 1 << 14

func (c *conversation) report(m *recording.Message, rule, format string, args ...any) {
	c.reportAt(m.Line, m.From, rule, format, args...)
}

func (c *conversation) reportAt(number int, by trace.Component, rule, format string, args ...any) {
	if by == c.side {
		c.found = append(c.found, Finding{number, by, rule, fmt.Sprintf(format, args...)})
	}
}

// add applies the rules to a message.
func (c *conversation) add(m *recording.Message) []Finding {
	c.found = nil
	if m.Protocol == "mcp" {
		return nil
	}
	initializes := m.Method == "initialize" && m.Type == trace.Request
	if initializes && c.asked {
		*c = conversation{side: c.side, whole: c.whole} // another process of the agent
	}
	if m.Type == trace.Request {
		if r := c.follower.Pending(m); r != nil {
			c.report(m, "id-in-use", "the id %s is that of a pending request: #%d, %s", m.ID, r.Line, r.Method)
		}
	}
	c.follower.Follow(m)
	if c.latest == nil {
		c.latest, c.announced = make(map[trace.Component]int), make(map[trace.Component][]byte)
	}
	c.latest[m.From] = m.Line
	if initializes || m.Called() == "initialize" {
		c.initialize(m)
		return c.found
	}
	c.whole = c.whole || m.Type == trace.Response || m.From == trace.Client
	switch {
	case !c.asked:
		if m.Type != trace.Response && len(c.early) < maxList {
			c.report(m, "not-initialized", "%s is sent before initialize", m.Method)
			c.early = append(c.early, c.found...)
		}
		return nil
	case !c.initialized && m.Type != trace.Response:
		c.report(m, "not-initialized", "%s is sent before initialize is answered", m.Method)
	}
	if !c.whole || !c.follower.Complete() {
		return c.found
	}
	s := c.session(m)
	switch m.Type {
	case trace.Response:
		c.response(m, s)
	default:
		c.call(m, s)
	}
	if s != nil {
		c.turns(m, s)
	}
	return c.found
}

// end reports requests without a response. Some take as long as the user or the model needs:
// these must be answered when their turn has ended.
func (c *conversation) end() []Finding {
	c.found = nil
	for _, r := range c.follower.Unanswered() {
		by := trace.Agent
		if r.ToClient {
			by = trace.Client
		}
		asked, _ := r.Note.(*request)
		switch {
		case asked == nil || c.latest[by] < r.Line || !c.follower.Complete():
			continue
		case slices.Contains(lasting, r.Method) && (asked.turn == nil || asked.session.turn == asked.turn):
			continue
		}
		c.reportAt(r.Line, by, "no-answer", "the %s has not answered %s, id %s", strings.ToLower(string(by)), r.Method, r.ID)
	}
	return c.found
}

const maxList = 5 // names in a finding

// list returns names as a finding has them.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	text := strings.Join(names[:min(len(names), maxList)], ", ")
	if more := len(names) - maxList; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return recording.Cut(text, 200)
}

// name returns the text of an id in a finding.
func name(id string) string { return cmp.Or(recording.Cut(id, maxName), `""`) }
