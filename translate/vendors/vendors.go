// Package vendors translates plans and questions in vendor-specific formats into messages of
// the protocol, and the responses back.
//
//	agent <─> vendors <─> bridge, if there is one <─> plans <─> client
//
// Some agents send no plan in a format of the protocol. They write their todos with tool calls, or
// send requests that few clients support. Other clients show no plan, or never respond. A [Stage]
// converts these messages to plans, permission requests and forms, which the next stages translate
// for any client.
//
//	vendors.go    routes messages
//	wants.go      selects the messages that the stage needs
//	output.go     sends updates and responses
//	todos.go      todo lists: reading, merging, showing
//	toolcalls.go  todos in tool calls: opencode, kilo, Kimi, Cursor
//	requests.go   vendors' requests, which the client or the proxy answers
//	approvals.go  approvals of plans
//	questions.go  questions with choices
//	proposals.go  plans that oh-my-pi writes with tool calls
//	cursor.go     Cursor's requests
//	grok.go       Grok's requests
//	sessions.go   the state of sessions
//
// # Cost
//
// The scanner recognizes vendors' messages by their first bytes, see [Stage.Wants]: requests by
// their method, and tool calls by the name of the tool in a title, a name or _meta at the beginning
// of the line. The stage reads updates of tool calls only while a call with todos is open. It reads
// the beginning of every tool call only if a request may name a tool call without its session. A
// connection without vendors' messages costs nothing more.
package vendors

import (
	"strings"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport/jsonrpc"
)

// Mode selects how the proxy treats vendors' messages.
type Mode string

// The values of --vendors.
const (
	Auto Mode = "auto" // offer vendors' requests to the client first
	On   Mode = "on"   // answer vendors' requests without offering them to the client
	Off  Mode = "off"  // forward everything unchanged
)

// Peers describes the two sides after initialize.
type Peers struct {
	Client   capabilities.ClientProfile
	Forms    bool // the client supports forms
	Plans    capabilities.Client
	Version1 bool   // the agent uses version 1, as do all agents with formats of their own
	Agent    string // name of the agent, or an extension that identifies it; "" if unknown
	Bridged  bool   // there is a bridge, which reads all messages anyway
}

// A knownAgent describes an agent, found by a part of its name or of an extension.
type knownAgent struct {
	name, vendor string
	omitsSession bool // its requests may omit their session
	repeatsTodos bool // directly after a tool call with todos, it sends them as a plan
}

var knownAgents = []knownAgent{
	{name: "opencode", vendor: "opencode"},
	{name: "kilo", vendor: "kilo"},
	{name: "cursor", vendor: "cursor", omitsSession: true},
	{name: "grok", vendor: "grok", repeatsTodos: true},
	{name: "x.ai", vendor: "grok", repeatsTodos: true},
	{name: "auggie", repeatsTodos: true},
	{name: "hermes", repeatsTodos: true},
}

// agentOf returns the description of an agent. An agent without a name may be Cursor.
func agentOf(name string) knownAgent {
	name = normalize([]byte(name))
	for _, known := range knownAgents {
		if strings.Contains(name, known.name) {
			return known
		}
	}
	return knownAgent{omitsSession: name == ""}
}

// Known returns the vendor of an agent with that name or extension, "" if it is unknown.
func Known(agent string) string { return agentOf(agent).vendor }

// A Stage translates the vendors' messages of one connection. It forwards everything
// until Negotiated is called. A Stage is not safe for concurrent use.
type Stage struct {
	// ReadFile reads a plan file that a tool call may have changed. It may be nil.
	ReadFile func(path string) ([]byte, error)

	mode         Mode
	sessions     sessions
	offered      keep.Map[*request] // pending requests that the client has received unchanged, by id
	asker        asking.Asker
	clientClosed bool           // the client disconnected
	out          *translate.Out // output for the current message
	connection
}

// A connection is the state that a further initialize resets.
type connection struct {
	peers      Peers
	agent      knownAgent
	refused    map[*method]bool // methods that the client does not support
	supported  map[*vendor]bool // vendors whose requests the client has answered
	forms      keep.Map[string] // sessions of proposals by the id of the form that asks about them
	usedVendor string           // vendor of the first message in a vendor's format

	filters scan.Cache[wanted]
}

// New returns a Stage.
func New(m Mode) *Stage {
	budget := new(keep.Budget)
	share := budget.Open(0, nil)
	s := &Stage{mode: m, sessions: sessions{budget: budget, share: share, prompts: asking.Prompts{Share: share}}}
	s.asker.Share = share
	return s
}

// Negotiated sets the peers after initialize. Pending requests remain pending; the state of
// sessions is reset.
func (s *Stage) Negotiated(p Peers) {
	s.sessions.reset()
	s.connection = connection{peers: p, agent: agentOf(p.Agent), refused: make(map[*method]bool), supported: make(map[*vendor]bool)}
	s.asker.Client, s.asker.Forms = p.Client, p.Forms
}

// active reports whether the Stage translates anything.
func (s *Stage) active() bool { return s.mode != Off && s.peers.Version1 }

// Used returns the vendor of the agent's first message in a vendor's format, or "".
func (s *Stage) Used() string { return s.usedVendor }

// recordUse records that the agent sent a message in a vendor's format.
func (s *Stage) recordUse(vendor string) {
	if s.usedVendor == "" {
		s.usedVendor = vendor
	}
}

// FromAgent implements [translate.SimpleStage]. It marks vendors' messages, and the responses to
// them, as messages about a plan.
func (s *Stage) FromAgent(m *jsonrpc.Message, out *translate.Out) bool {
	s.out, s.asker.Out = out, out
	defer s.settle()
	switch method := string(m.Method); {
	case m.Ambiguous:
		return false
	case method == "$/cancel_request":
		return s.acceptCancel(m) // also after an initialize that failed
	case !s.active():
		return false
	case m.Method == nil:
		s.sessions.prompts.Requests.Delete(string(jsonrpc.IDOf(m.ID)))
		return false
	case method == "session/update":
		return m.ID == nil && m.Session != nil && s.acceptUpdate(m)
	case method == "elicitation/create":
		s.recordForm(m)
		return false
	default:
		return s.acceptVendorMessage(m)
	}
}

// settle evicts state if the budget is exhausted.
func (s *Stage) settle() {
	if s.sessions.budget.EvictExcess() {
		s.out.LoseIn("", translate.LossMemory, "memory limit: a session was evicted, or a vendor's request passed to the client or was cancelled")
	}
}

// acceptUpdate accepts a session update of the agent. It returns false if the update passes.
func (s *Stage) acceptUpdate(m *jsonrpc.Message) bool {
	kind, _ := m.Members.Text("sessionUpdate")
	switch {
	case string(kind) == "tool_call", string(kind) == "tool_call_update":
		return s.acceptCall(m, string(kind) == "tool_call")
	case translate.IsPlan(kind):
		s.sessions.open(m.Session).sendsPlans = true
	}
	return false
}

// FromClient implements [translate.SimpleStage].
func (s *Stage) FromClient(m *jsonrpc.Message, out *translate.Out) bool {
	s.out, s.asker.Out = out, out
	defer s.settle()
	switch {
	case m.Ambiguous:
		return false
	case m.Method == nil:
		return m.ID != nil && s.acceptResponse(m)
	case !s.active() && s.pending() == 0:
		return false
	}
	session, closed, ok := s.sessions.prompts.Read(m)
	if ok {
		s.cancelSession(session, closed)
	}
	return ok
}

// normalize returns a name in lower case, without spaces, underscores and hyphens.
func normalize(name []byte) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-", r) {
			return -1
		}
		return r
	}, strings.ToLower(string(name)))
}
