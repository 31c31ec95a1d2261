// Package vendors translates what agents say of their plans in words of their
// vendors' own into the words of the protocol, and the answers back.
//
//	agent <─> vendors <─> bridge, if there is one <─> plans <─> client
//
// Some agents have no plan in any form of the protocol: their todos are tool
// calls, or they ask the client in requests that only few clients know. A client
// that does not know them shows no plan, or leaves the agent without an answer.
// A [Translator] makes plans, permission requests and forms of them. The packages
// behind it show these to any client.
//
//	vendors.go    who gets a message
//	wants.go      what of the traffic matters
//	todos.go      lists of todos: reading, merging, showing
//	toolcalls.go  todos in tool calls: opencode, kilo, Kimi, Cursor
//	requests.go   the vendors' requests: offered to the client, or done in its place
//	approvals.go  a plan that the user is to approve
//	questions.go  questions with choices
//	proposals.go  plans that oh-my-pi writes with tool calls
//	cursor.go     Cursor's words
//	grok.go       Grok's words
//	sessions.go   what is kept of sessions
//
// A vendor is one file with one table; see [vendor].
//
// # What passes
//
// What matters is found by its first bytes, see [Translator.Wants]: requests by
// their method, and tool calls by the tool that a title, a name or _meta at their
// beginning names. Updates of tool calls are read only while
// such a call is open. All tool calls that begin are read only where a request about one
// may not say which session it means, and it is not clear otherwise. A connection without
// vendors' words is read as without this package.
package vendors

import (
	"bytes"
	"strings"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Mode is what becomes of vendors' words.
type Mode string

// The values of --vendors.
const (
	Auto Mode = "auto" // a client is offered the vendors' requests first
	On   Mode = "on"   // they are done in the client's place at once
	Off  Mode = "off"  // everything passes
)

// Peers is what initialize says of the two sides.
type Peers struct {
	Client capabilities.ClientProfile
	Absent bool // nobody is there who could know requests; nobody waits for an answer either
	Forms  bool // the client shows forms
	Plans  capabilities.Client

	// SaysTexts is how many bytes of JSON the text of a markdown plan may have, so that the
	// client is shown it as a plan, or as a message before it is asked something.
	SaysTexts int

	Old    bool   // the agent speaks version 1, as all agents with words of their own do
	Agent  string // its name, or what else it is known by; "" if it is known by nothing
	Joined bool   // the two speak different versions, so that all messages are read anyway
}

// showsTexts reports whether the client is shown the text of a markdown plan: as a plan,
// or as a message beside the entries.
func (p Peers) showsTexts() bool {
	return p.Plans.Legacy() || p.Plans.Shows&capabilities.Markdown != 0
}

// A knownAgent is an agent whose words are known, by what is in its name, or in an extension
// that it has.
type knownAgent struct {
	name, vendor string
	omits        bool // its requests may not say which session they are about
	twice        bool // its todos come in a tool call and right behind it in a plan of the protocol
}

var knownAgents = []knownAgent{
	{name: "opencode", vendor: "opencode"}, {name: "kilo", vendor: "kilo"}, {name: "cursor", vendor: "cursor", omits: true},
	{name: "grok", vendor: "grok", twice: true}, {name: "x.ai", vendor: "grok", twice: true}, {name: "auggie", twice: true}, {name: "hermes", twice: true},
}

// agentOf returns what is known of an agent. One that does not say who it is may be Cursor.
func agentOf(name string) knownAgent {
	name = plain([]byte(name))
	for _, known := range knownAgents {
		if strings.Contains(name, known.name) {
			return known
		}
	}
	return knownAgent{omits: name == ""}
}

// Known returns the vendor whose words an agent of that name is known for, "" if it is
// known for none. An agent without a name may be known by an extension that it has.
func Known(agent string) string { return agentOf(agent).vendor }

// A Translator translates vendors' words on one connection. It must not be used by
// two goroutines at once. Until Negotiated it decides nothing.
type Translator struct {
	mode          Mode
	peers         Peers
	agent         knownAgent
	sessions      sessions
	offered       keep.Grouped[*request] // requests that the client was given as they are, by id and session
	asker         asking.Asker
	taken         map[*method]bool    // methods that are done in the client's place
	gone          bool                // the client has ended
	knows         map[*vendor]bool    // vendors whose requests the client has answered by itself
	proposals     keep.Map[*proposal] // by session
	proposalForms keep.Map[string]    // the sessions of forms about proposals, by their ids

	// ReadFile reads a plan file that a tool call may have changed. It may be nil.
	ReadFile func(path string) ([]byte, error)

	used string         // the name of the vendor whose words came first
	out  *translate.Out // of the message at hand

	want    want // what filters are for; few messages change it
	filters [2]*jsonrpc.Filter
}

// New returns a Translator.
func New(m Mode) *Translator {
	budget := new(keep.Budget)
	t := &Translator{mode: m, sessions: sessions{budget: budget, beside: budget.Open(0, nil)}}
	t.asker.Kept = t.sessions.beside
	return t
}

// Negotiated begins the connection of these peers, or begins it again: what the agent
// has asked stays asked then.
func (t *Translator) Negotiated(p Peers) {
	t.sessions.reset()
	*t = Translator{
		mode: t.mode, ReadFile: t.ReadFile, peers: p, offered: t.offered, asker: t.asker, gone: t.gone, sessions: t.sessions,
		taken: make(map[*method]bool), knows: make(map[*vendor]bool), agent: agentOf(p.Agent),
	}
	t.asker.Client, t.asker.Forms = p.Client, p.Forms
}

// active reports whether anything is translated.
func (t *Translator) active() bool { return t.mode != Off && t.peers.Old }

// Used returns the name of the vendor whose words the agent has used, "" if it has
// used none so far.
func (t *Translator) Used() string { return t.used }

// FromAgent implements [translate.Words]. A message in a vendor's words, or that answers or
// ends what was asked in them, is one about a plan.
func (t *Translator) FromAgent(m *jsonrpc.Message, out *translate.Out) bool {
	t.out, t.asker.Out = out, out
	defer t.settle()
	switch method := string(m.Method); {
	case m.Ambiguous:
		return false
	case method == "$/cancel_request":
		return t.agentCancels(m) // also a request from before a failed initialize
	case !t.active():
		return false
	case m.Method == nil:
		t.sessions.promptEnds(m.ID)
		return false
	case method == "session/update":
		return m.ID == nil && m.Session != nil && t.update(m)
	case method == "elicitation/create":
		t.formAsked(m)
		return false
	default:
		return t.vendorSays(m)
	}
}

// settle has the oldest of what is kept go if it is too much.
func (t *Translator) settle() {
	if t.sessions.budget.Settle() {
		t.lose("", translate.LossMemory, "too much is kept: the oldest was forgotten, or a vendor's request left to the client, or cancelled")
	}
}

func (t *Translator) update(m *jsonrpc.Message) bool {
	switch kind, _ := m.Members.Text("sessionUpdate"); string(kind) {
	case "tool_call", "tool_call_update":
		return t.toolCall(m, string(kind) == "tool_call")
	case translate.PlanUpdate:
		s := t.ownPlan(m)
		return s.showsApproved() && !isMarkdown(m.Members.Get("plan")) && t.takesPlace(s, m)
	case translate.PlanRemoved:
		t.ownPlan(m)
	case translate.LegacyPlan:
		s := t.ownPlan(m)
		return s.showsApproved() && t.takesPlace(s, m)
	}
	return false
}

// isMarkdown reports whether a raw plan has the type markdown. It reads no further than
// the type, because a plan can have many entries.
func isMarkdown(plan []byte) bool {
	if bytes.HasPrefix(plan, []byte(`{"type":"items"`)) { // as most begin
		return false
	}
	var c rawjson.Cursor
	c.Reset(plan)
	for more := c.Kind() == '{' && c.Object(); more; more = c.NextMember() {
		if string(c.Name()) == "type" {
			return string(jsonrpc.StringValue(&c)) == "markdown"
		}
		c.Skip()
	}
	return false
}

// takesPlace has a list of the agent's own take the place of the text that the user has
// approved.
func (t *Translator) takesPlace(s *session, m *jsonrpc.Message) bool {
	t.removeText(s)
	t.out.More()
	t.out.Send(translate.Client, m.Span.Of(m.Text))
	return true
}

// FromClient implements [translate.Words].
func (t *Translator) FromClient(m *jsonrpc.Message, out *translate.Out) bool {
	t.out, t.asker.Out = out, out
	defer t.settle()
	switch {
	case m.Ambiguous:
		return false
	case m.Method == nil:
		return m.ID != nil && t.clientAnswers(m)
	case !t.active() && t.waiting() == 0:
		return false
	}
	if session, closed, ok := asking.CancelledSession(m); ok {
		return t.overWith(session, closed)
	}
	switch string(m.Method) {
	case "session/prompt":
		t.sessions.promptBegins(m.ID, m.Session)
	case "$/cancel_request":
		id := string(asking.RequestID(m))
		return t.sessions.running.Has(id) && t.overWith(t.sessions.running.Get(id).session, false)
	}
	return false
}

// plain returns a name without case, blanks, _ and -.
func plain(name []byte) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '_', '-':
			return -1
		}
		return r
	}, strings.ToLower(string(name)))
}
