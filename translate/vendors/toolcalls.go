package vendors

import (
	"bytes"
	"slices"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// toolNames are the names of the tools that write todos, and of those that ask, as they
// are at the beginning of the first title of a call.
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

	// writesTodos is in the names of tools that write todos. Of one that is not in
	// toolNames, what it writes has to look like todos.
	writesTodos = "todo"
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

// A todoCall is a tool call that writes todos.
type todoCall struct {
	known bool   // by its name; else its todos say so
	list  []byte // its last todos, a copy
	merge bool   // they change the list before
	began int    // by the clock of the sessions
	path  string // of a plan file that the call writes or proposes, see proposals.go; list is its content
}

// toolCall handles the beginning of a tool call or a change of it. A list counts
// when its call is completed.
func (t *Translator) toolCall(m *jsonrpc.Message, begins bool) bool {
	id, ok := m.Members.Text("toolCallId")
	if !ok {
		return false
	}
	s := t.sessions.all.Find(m.Session)
	var c *todoCall
	if s != nil {
		c = s.calls[string(id)]
	}
	if c == nil {
		if !begins {
			return false
		}
		if s, c = t.begins(m, id); c == nil {
			return false
		}
	}
	if c.path != "" {
		return t.draftCall(s, id, c, m, begins)
	}
	s.keepList(c, m)
	if c.known || c.list != nil {
		t.out.OfPlan()
	}
	switch status, _ := m.Members.Text("status"); string(status) {
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

// keepList keeps the todos that a call has said. What the tool returns counts if it was given
// none.
func (s *session) keepList(c *todoCall, m *jsonrpc.Message) {
	for _, path := range todoPaths {
		list := rawjson.Get(m.Members.Get(path[0]), path[1:]...)
		if len(list) == 0 || list[0] != '[' || path[0] == "rawOutput" && c.list != nil {
			continue
		}
		if len(list) <= maxTodos {
			s.keeps(len(list) - len(c.list))
			c.list, c.merge = bytes.Clone(list), isTrue(rawjson.Get(m.Members.Get("rawInput"), "merge"))
		}
		return
	}
}

// todoPaths lead to the todos in a tool call.
var todoPaths = [][]string{{"rawInput", "todos"}, {"rawInput", "tasks"}, {"rawOutput", "todos"}, {"rawOutput", "metadata", "todos"}}

// toolOf returns what a tool call that begins says of its tool, without case, blanks, _ and
// -: a name that is in toolNames, or all that may be one.
func toolOf(members rawjson.Object) (tool string) {
	meta := members.Get("_meta")
	for _, raw := range [][]byte{
		rawjson.Get(members.Get("rawInput"), "_toolName"), members.Get("name"), members.Get("title"),
		rawjson.Get(meta, "claudeCode", "toolName"), rawjson.Get(meta, "codebuddy.ai/toolName"),
	} {
		text, _ := rawjson.TextOf(raw)
		name, _, _ := strings.Cut(plain(text), ":")
		if slices.Contains(toolNames, name) {
			return name
		}
		tool += name + " "
	}
	return tool
}

// begins notes a tool call if it writes todos, or has a plan approved, or if the agent may
// ask something about it and not say in which session. It returns nil if the call writes
// none.
func (t *Translator) begins(m *jsonrpc.Message, id []byte) (*session, *todoCall) {
	tool := toolOf(m.Members)
	known := slices.Contains(toolNames, tool)
	if known || t.notesCalls() {
		t.sessions.note(id, m.Session)
	}
	path := draftPath(m.Members)
	if path == "" && (t.agent.twice || !strings.Contains(tool, writesTodos)) {
		return nil, nil
	}
	s := t.session(m.Session)
	if s.calls == nil {
		s.calls = make(map[string]*todoCall)
	}
	t.sessions.clock++
	c := &todoCall{known: known, began: t.sessions.clock, path: path}
	s.calls[string(id)] = c
	s.keeps(callCost + len(id))
	t.sessions.openCalls++
	return s, c
}

func (ss *sessions) endCall(s *session, id []byte, c *todoCall) {
	delete(s.calls, string(id))
	ss.openCalls--
	s.keeps(-callCost - len(id) - len(c.list))
}

// completed shows the list of a call.
func (t *Translator) completed(s *session, c *todoCall) {
	changes, ok := readTodos(c.list, c.merge)
	if !ok || !c.known && slices.ContainsFunc(changes, func(t todo) bool { return t.text == "" || t.status == "" }) {
		return
	}
	t.use(or(strings.ToLower(t.peers.Agent), "tool calls"))
	t.showTodos(s, list{todos: merged(s.todos(), changes, c.merge)})
}

// ownPlan notes that the agent has plans of the protocol: its todos say the same. It
// returns the session.
func (t *Translator) ownPlan(m *jsonrpc.Message) *session {
	s := t.session(m.Session)
	s.ownPlans = true
	return s
}

// use notes whose words the agent uses.
func (t *Translator) use(vendor string) {
	if t.used == "" {
		t.used = vendor
	}
}

// sendUpdate sends the client a session update, see [translate.Update]. Without
// a session it sends nothing.
func (t *Translator) sendUpdate(session, kind string, write func(*rawjson.Builder)) {
	if session != "" {
		t.out.Send(translate.Client, translate.Update(session, kind, write))
	}
}
