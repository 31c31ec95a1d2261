package vendors

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// toolNames lists the tools that write todos or ask the user. The first title of a call starts with
// the name of its tool.
//
//	todowrite    opencode since May 2026, kilo 7, older versions of many agents
//	updatetodos  Cursor, with the todos in the rest of the title
//	writetodos   forks of Gemini CLI
//	todolist     Kimi until August 2026
//	createplan   Cursor; the call identifies the session of a request
//	askquestion  Cursor; likewise
var toolNames = []string{"todowrite", "updatetodos", "writetodos", "todolist", createPlanTool, askQuestionTool}

const (
	createPlanTool  = "createplan"
	askQuestionTool = "askquestion"

	// todoTool is part of the name of every tool that writes todos. For a tool that is not
	// in toolNames, the written value must look like todos.
	todoTool = "todo"
)

// ToolName returns the tool name at the beginning of a tool call's title if it is in toolNames,
// and nil otherwise.
func ToolName(title []byte) []byte {
	name, _, _ := bytes.Cut(title, []byte(":"))
	if slices.Contains(toolNames, normalize(name)) {
		return name
	}
	return nil
}

// A planCall is an open tool call that writes todos or a plan file.
type planCall struct {
	isKnown  bool   // the tool is in toolNames
	value    []byte // a copy of the latest todos, or of the content of the plan file, as JSON; nil if there was none
	hasInput bool   // the tool's input has todos
	merge    bool   // the todos change the previous list
	path     string // of the plan file, see proposals.go
	entry    *keep.Entry
}

// store sets the value of the call to a copy.
func (c *planCall) store(value []byte) {
	c.value = bytes.Clone(value)
	c.entry.SetSize(len(value))
}

// acceptCall processes a tool_call (begins) or a tool_call_update. It returns false if the caller must
// forward the message. The client receives the todos when the call completes.
func (s *Stage) acceptCall(m *jsonrpc.Message, begins bool) bool {
	id, ok := m.Members.Text("toolCallId")
	if !ok {
		return false
	}
	sess := s.sessions.all.Find(m.Session)
	var c *planCall
	if sess != nil {
		c = sess.calls.Find(id)
	}
	if c == nil && begins {
		sess, c = s.beginCall(m, id)
	}
	if c == nil {
		return false
	}
	if c.path != "" {
		return s.acceptPlanFile(sess, id, c, m, begins)
	}
	c.setTodos(m)
	if c.isKnown || c.value != nil {
		s.out.MarkPlan()
	}
	switch m.Members.String("status") {
	case "completed":
		s.sessions.endCall(sess, id)
		s.out.Forward()
		s.completeCall(sess, c)
		return true
	case "failed", "cancelled":
		s.sessions.endCall(sess, id)
	}
	return false
}

// setTodos sets the todos of a call to those in a message. Todos in the tool's output count only if
// its input has none. A list that is too long counts as none.
func (c *planCall) setTodos(m *jsonrpc.Message) {
	for _, path := range todoPaths {
		list, isInput := rawjson.Get(m.Members.Get(path[0]), path[1:]...), path[0] == "rawInput"
		if len(list) == 0 || list[0] != '[' || !isInput && c.hasInput {
			continue
		}
		if len(list) > maxTodos {
			list = nil
		}
		c.hasInput = isInput && list != nil
		c.store(list)
		c.merge = isTrue(rawjson.Get(m.Members.Get("rawInput"), "merge"))
		return
	}
}

// todoPaths are the paths of todos in a tool call.
var todoPaths = [][]string{{"rawInput", "todos"}, {"rawInput", "tasks"}, {"rawOutput", "todos"}, {"rawOutput", "metadata", "todos"}}

// toolOf returns the normalized name of a tool call's tool and true if the tool is in toolNames, and
// otherwise all names that the call contains.
func toolOf(members rawjson.Object) (names string, isKnown bool) {
	meta := members.Get("_meta")
	for _, raw := range [][]byte{
		rawjson.Get(members.Get("rawInput"), "_toolName"), members.Get("name"), members.Get("title"),
		rawjson.Get(meta, "claudeCode", "toolName"), rawjson.Get(meta, "codebuddy.ai/toolName"),
	} {
		text, _ := rawjson.TextOf(raw)
		name, _, _ := strings.Cut(normalize(text), ":")
		if slices.Contains(toolNames, name) {
			return name, true
		}
		names += name + " "
	}
	return names, false
}

// beginCall records a new tool call that writes todos or a plan file. It returns nil for any other
// call. It records the session of a call of a tool in toolNames, and if recordsCalls, of any call.
func (s *Stage) beginCall(m *jsonrpc.Message, id []byte) (*session, *planCall) {
	names, isKnown := toolOf(m.Members)
	if isKnown || s.recordsCalls() {
		s.sessions.recordCall(id, m.Session)
	}
	path := planFilePath(m.Members)
	if path == "" && (s.agent.repeatsTodos || !strings.Contains(names, todoTool)) {
		return nil, nil
	}
	sess := s.sessions.open(m.Session)
	c := &planCall{isKnown: isKnown, path: path}
	c.entry = sess.calls.Keep(sess.share, string(id), c, func() { s.sessions.openCallCount-- })
	s.sessions.openCallCount++
	return sess, c
}

// endCall removes a tool call.
func (s *sessions) endCall(sess *session, id []byte) {
	sess.calls.Delete(string(id))
	s.openCallCount--
}

// completeCall sends the todos of a completed call.
func (s *Stage) completeCall(sess *session, c *planCall) {
	changes, ok := readTodos(c.value, c.merge)
	if !ok || !c.isKnown && slices.ContainsFunc(changes, func(t todo) bool { return t.text == "" || t.status == "" }) {
		return
	}
	s.recordUse(cmp.Or(strings.ToLower(s.peers.Agent), "tool calls"))
	s.showTodos(sess, todoList{todos: applyTodos(sess.todos(), changes, c.merge)})
}
