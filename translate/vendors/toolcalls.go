package vendors

import (
	"bytes"
	"slices"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// toolNames are the names of the tools that write todos, and of the one that has a
// plan approved, as they are at the beginning of the first title of a call.
//
//	todowrite    opencode since May 2026, kilo 7, older ones of many agents
//	updatetodos  Cursor, whose titles go on with the todos
//	writetodos   agents made of Gemini CLI
//	todolist     Kimi until August 2026
//	createplan   Cursor, and askquestion; they say which session a request belongs to
var toolNames = []string{"todowrite", "updatetodos", "writetodos", "todolist", createPlanTool, askQuestionTool}

const (
	createPlanTool  = "createplan"
	askQuestionTool = "askquestion"
)

// ToolName returns the name that the title of a tool call begins with if it is the name
// of a tool that writes todos or has a plan approved, nil otherwise.
func ToolName(title []byte) []byte {
	name, _, _ := bytes.Cut(title, []byte(":"))
	if slices.Contains(toolNames, plain(name)) {
		return name
	}
	return nil
}

// An update is a session/update.
type update struct {
	m       *jsonrpc.Message
	kind    []byte
	members rawjson.Object
}

// A todoCall is a tool call that writes todos.
type todoCall struct {
	input []byte // the last rawInput that has todos, a copy
	began int    // by the clock of the sessions
}

// toolCall handles the beginning of a tool call or a change of it. A list counts
// when its call is completed.
func (t *Translator) toolCall(u update) bool {
	id, ok := u.members.Text("toolCallId")
	if !ok || len(id) > maxID {
		return false
	}
	s := t.sessions.all[string(u.m.Session)]
	var c *todoCall
	if s != nil {
		c = s.calls[string(id)]
	}
	status, _ := u.members.Text("status")
	if t.notesCalls() && (string(u.kind) == "tool_call" || t.sessions.lacksStatus(string(id))) {
		t.sessions.note(id, u.m.Session, len(status) > 0)
	}
	if c == nil {
		if string(u.kind) != "tool_call" {
			return false
		}
		if s, c = t.begins(u, id); c == nil {
			return false
		}
	}
	t.known = true
	if input := u.members.Get("rawInput"); len(input) > 0 && input[0] == '{' && len(input) <= maxTodos {
		if o, _ := rawjson.ReadObject(nil, input); o.Get("todos") != nil {
			t.keepInput(s, c, input)
		}
	}
	switch string(status) {
	case "completed":
		t.sessions.endCall(s, id, c)
		t.out.Forward()
		t.out.NoPlan()
		t.completed(s, c)
		return true
	case "failed", "cancelled":
		t.sessions.endCall(s, id, c)
	}
	return false
}

// keepInput keeps what a call has said. If that is too much, its list is not shown.
func (t *Translator) keepInput(s *session, c *todoCall, input []byte) {
	if !t.sessions.keeps(s, len(input)-len(c.input)) {
		t.lose(s.id, translate.LossPlanMemory, "too many tool calls with todos are open; the list of one is not shown")
		t.sessions.keeps(s, -len(c.input))
		input = nil
	}
	c.input = bytes.Clone(input)
}

// begins notes a tool call if it writes todos, or has a plan approved, or if the agent may
// ask something about it and not say in which session. It returns nil if the call writes
// none.
func (t *Translator) begins(u update, id []byte) (*session, *todoCall) {
	title, _ := u.members.Text("title")
	input, _ := rawjson.ReadObject(nil, u.members.Get("rawInput"))
	own, _ := input.Text("_toolName")
	name := plain(own)
	if name == "" {
		name, _, _ = strings.Cut(plain(title), ":")
	}
	if !t.notesCalls() && slices.Contains(toolNames, name) {
		t.sessions.note(id, u.m.Session, true)
	}
	if t.mute || !writesTodos(name) {
		return nil, nil
	}
	s := t.session(u.m.Session)
	if len(s.calls) >= maxCalls {
		return nil, nil
	}
	if s.calls == nil {
		s.calls = make(map[string]*todoCall)
	}
	t.sessions.clock++
	c := &todoCall{began: t.sessions.clock}
	s.calls[string(id)] = c
	t.sessions.openCalls++
	return s, c
}

func writesTodos(tool string) bool {
	return slices.Contains(toolNames, tool) && tool != createPlanTool && tool != askQuestionTool
}

func (ss *sessions) endCall(s *session, id []byte, c *todoCall) {
	delete(s.calls, string(id))
	ss.openCalls--
	ss.keeps(s, -len(c.input))
}

// completed shows the list of a call.
func (t *Translator) completed(s *session, c *todoCall) {
	input, _ := rawjson.ReadObject(nil, c.input)
	merge := string(input.Get("merge")) == "true"
	changes, ok := readTodos(input.Get("todos"), merge)
	if !ok {
		return
	}
	t.use(or(strings.ToLower(t.peers.Agent), "tool calls"))
	t.showTodos(s, merged(s.todos, changes, merge), fromToolCalls)
}

// ownPlan notes that the agent has plans of the protocol: its todos say the same. It
// returns the session.
func (t *Translator) ownPlan(u update) *session {
	s := t.session(u.m.Session)
	s.from = fromPlans
	return s
}

// use notes whose words the agent uses.
func (t *Translator) use(vendor string) {
	if t.used == "" {
		t.used = vendor
	}
}

// sendUpdate sends the client a session/update whose members write writes. There is none
// without a session.
func (t *Translator) sendUpdate(session string, write func(*rawjson.Builder)) {
	if session == "" {
		return
	}
	var b rawjson.Builder
	b.JSON(`{"jsonrpc":"2.0","method":"session/update","params":{`)
	b.StringMember("sessionId", []byte(session))
	b.Name("update")
	b.Object()
	write(&b)
	b.EndObject()
	b.EndObject()
	b.EndObject()
	t.out.Send(translate.Client, b.Out)
}
