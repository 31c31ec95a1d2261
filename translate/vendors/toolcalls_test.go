package vendors

import (
	"slices"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

func call(id, title, more string) string {
	return updateOf(`"sessionUpdate":"tool_call","toolCallId":"` + id + `","title":"` + title + `"` + more)
}

func change(id, more string) string {
	return updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"` + id + `"` + more)
}

const (
	todosAB = `,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]}`
)

func TestTodosInToolCalls(t *testing.T) {
	ab := plan("a:pending:high", "b:in_progress")
	todos := func(list string) string { return `,"rawInput":{"todos":` + list + `}` }
	done := `,"status":"completed"`
	run(t, []test{
		{name: "a list counts when its call is completed", steps: []step{
			agent(call("1", "todowrite", `,"status":"pending","rawInput":{}`), "="),
			agent(change("1", `,"status":"in_progress","title":"todowrite"`+todosAB), "="),
			agent(change("1", `,"status":"completed","title":"2 todos"`), "=", ab),
		}},
		{name: "the last rawInput counts", steps: []step{
			agent(call("1", "todowrite", todos(`[{"content":"x","status":"pending"}]`)), "="),
			agent(change("1", todosAB+done), "=", ab),
		}},
		{name: "a rawInput without todos changes nothing", steps: []step{
			agent(call("1", "todowrite", todosAB), "="),
			agent(change("1", `,"rawInput":{"other":1}`+done), "=", ab),
		}},
		{name: "a call that is completed at once", steps: []step{agent(call("1", "todowrite", todosAB+done), "=", ab)}},
		{name: "a call that failed", steps: []step{
			agent(call("1", "todowrite", todosAB), "="),
			agent(change("1", `,"status":"failed"`), "="),
			agent(change("1", done), "="),
		}},
		{name: "names of tools", steps: []step{
			agent(call("1", "TodoWrite", todosAB+done), "=", ab),
			agent(call("2", "update_todos", todos(`[{"content":"c"}]`)+done), "=", plan("c:pending")),
			agent(call("3", "write-todos", todos(`[{"content":"d"}]`)+done), "=", plan("d:pending")),
			agent(call("4", "TodoList", todos(`[{"title":"e"}]`)+done), "=", plan("e:pending")),
			agent(call("5", "Update TODOs: f, g", `,"rawInput":{"_toolName":"updateTodos","todos":[{"content":"f"}]}`+done), "=", plan("f:pending")),
			agent(call("6", "read", todosAB+done), "="),
		}},
		{name: "other tools, by what they write", steps: []step{
			agent(call("1", "Update todo list", todosAB+done), "=", ab),
			agent(call("2", "Update", `,"name":"set_todos"`+todos(`[{"content":"c","status":"pending"}]`)+done), "=", plan("c:pending")),
			agent(call("3", "Plan", `,"_meta":{"claudeCode":{"toolName":"TodoWrite"}}`+todos(`[{"content":"d"}]`)+done), "=", plan("d:pending")),
			agent(call("4", "Plan", `,"_meta":{"codebuddy.ai/toolName":"TodoWrite"}`+todos(`[{"content":"e"}]`)+done), "=", plan("e:pending")),
			agent(call("5", "Todos", `,"rawInput":{"tasks":[{"title":"f","status":"done"}]}`+done), "=", plan("f:completed")),
			agent(call("6", "Todos", `,"rawInput":{"id":1}`), "="),
			agent(change("6", done+`,"rawOutput":{"todos":[{"title":"g","status":"done"}]}`), "=", plan("g:completed")),
			agent(call("7", "Todos", done+`,"rawOutput":{"metadata":{"todos":[{"title":"h","status":"done"}]}}`), "=", plan("h:completed")),
			agent(call("8", "Todos", todosAB), "="),
			agent(change("8", done+`,"rawOutput":{"todos":[{"title":"i","status":"done"}]}`), "=", ab),
		}},
		{name: "what other tools write is no list of todos", steps: []step{
			agent(call("1", "Read todo.md", `,"rawInput":{"path":"todo.md"}`+done+`,"rawOutput":{"content":"a"}`), "="),
			agent(call("2", "Search todos", todos(`[{"content":"a"}]`)+done), "="),
			agent(call("3", "Search todos", todos(`[{"status":"pending"}]`)+done), "="),
			agent(call("4", "Search todos", todos(`[{"content":"a","status":"pending"},{"content":"b"}]`)+done), "="),
			agent(call("5", "Search todos", todos(`["a"]`)+done), "="),
			agent(call("6", "Plan", todosAB+done), "="),
		}},
		{name: "words for the status", steps: []step{
			agent(call("1", "todowrite", todos(`[{"content":"a","status":"TODO_STATUS_PENDING"},{"content":"b","status":"inProgress"},{"content":"c","status":"done"},{"content":"d","status":"Cancelled"},{"content":"e","status":"TODO_STATUS_IN_PROGRESS"},{"content":"f","status":"COMPLETED"},{"content":"g"}]`)+done),
				"=", plan("a:pending", "b:in_progress", "c:completed", "d:cancelled", "e:in_progress", "f:completed", "g:pending")),
		}},
		{name: "names of the text", steps: []step{
			agent(call("1", "todowrite", todos(`[{"content":"","title":"a"},{"description":"b"},{"step":"c"},{"other":"d"}]`)+done), "=", plan("a:pending", "b:pending", "c:pending")),
		}},
		{name: "no list twice in a row", steps: []step{
			agent(call("1", "todowrite", todosAB+done), "=", ab),
			agent(call("2", "todowrite", todosAB+done), "="),
			agent(call("3", "todowrite", todos(`[{"content":"c"}]`)+done), "=", plan("c:pending")),
			agent(call("4", "todowrite", todosAB+done), "=", ab),
		}},
		{name: "an empty list clears", steps: []step{
			agent(call("1", "todowrite", todos(`[]`)+done), "="),
			agent(call("2", "todowrite", todosAB+done), "=", ab),
			agent(call("3", "todowrite", todos(`[]`)+done), "=", plan()),
			agent(call("4", "todowrite", todos(`[]`)+done), "="),
		}},
		{name: "a list that changes the one before", steps: []step{
			agent(call("1", "todowrite", todos(`[{"id":"1","content":"a"},{"id":"2","content":"b","status":"pending"}]`)+done), "=", plan("a:pending", "b:pending")),
			agent(call("2", "todowrite", `,"rawInput":{"merge":true,"todos":[{"id":"2","status":"done"},{"id":"3","content":"c"},{"id":"4"}]}`+done), "=", plan("a:pending", "b:completed", "c:pending")),
		}},
		{name: "no list", steps: []step{
			agent(call("1", "todowrite", todos(`"x"`)+done), "="),
			agent(call("2", "todowrite", todos(`[1,2]`)+done), "="),
			agent(call("3", "todowrite", done), "="),
		}},
		{name: "what is no list clears none", steps: []step{
			agent(call("1", "todowrite", todosAB+done), "=", ab),
			agent(call("2", "todowrite", todos(`[1,"x"]`)+done), "="),
			agent(call("3", "todowrite", todos(`[{"other":1}]`)+done), "="),
			agent(call("4", "todowrite", todos(`[{"id":"1"}]`)+done), "="),
			agent(call("6", "todowrite", todos(`{}`)+done), "="),
			agent(call("5", "todowrite", todos(`[]`)+done), "=", plan()),
		}},
		{name: "a session with a plan of the agent's own", steps: []step{
			agent(updateOf(`"sessionUpdate":"plan","entries":[]`), "="),
			agent(call("1", "todowrite", todosAB+done), "="),
		}},
		{name: "a plan_update of the agent's own while a call is open", steps: []step{
			agent(call("1", "todowrite", todosAB), "="),
			agent(updateOf(`"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}`), "="),
			agent(change("1", done), "="),
		}},
		{name: "a call that is completed behind the end of its turn", steps: []step{
			client(requestOf("1", "session/prompt", `"sessionId":"s"`), "="),
			agent(call("1", "todowrite", todosAB), "="),
			agent(result("1", "{}"), "="),
			agent(change("1", done), "=", ab),
		}},
		{name: "a call that is open while an earlier prompt is answered", steps: []step{
			client(requestOf("1", "session/prompt", `"sessionId":"s"`), "="),
			client(requestOf("2", "session/prompt", `"sessionId":"s"`), "="),
			agent(call("1", "todowrite", todosAB), "="),
			agent(result("1", "{}"), "="),
			agent(result("2", "{}"), "="),
			agent(change("1", done), "=", ab),
		}},
		{name: "a call that is open at the end of the next turn is over", steps: []step{
			client(requestOf("1", "session/prompt", `"sessionId":"s"`), "="),
			agent(call("1", "todowrite", todosAB), "="),
			agent(result("1", "{}"), "="),
			client(requestOf("2", "session/prompt", `"sessionId":"s"`), "="),
			agent(result("2", "{}"), "="),
			agent(change("1", done), "="),
		}},
		{name: "an agent that says its todos in a plan of its own right behind", peers: Peers{Agent: "Grok"}, steps: []step{
			agent(call("1", "todo_write", todosAB+done), "="),
			agent(updateOf(`"sessionUpdate":"plan","entries":[]`), "="),
		}},
		{name: "one of them that is known by an extension", peers: Peers{Agent: "x.ai"}, steps: []step{agent(call("1", "todo_write", todosAB+done), "=")}},
		{name: "off", mode: Off, steps: []step{agent(call("1", "todowrite", todosAB+done), "=")}},
	})
}

// A session that is loaded again has had no plan of its own yet: some agents replay
// tool calls, and no plan.
func TestTodosOfReplays(t *testing.T) {
	tr := New(Auto)
	tr.Negotiated(Peers{Old: true})
	say(tr, agent(updateOf(`"sessionUpdate":"plan","entries":[]`)))
	tr.Forget([]byte("s"))
	done := agent(call("1", "TodoList", todosAB+`,"status":"completed"`))
	if got, want := say(tr, done), "=\n"+plan("a:pending:high", "b:in_progress"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	restore := tr.Forget([]byte("s"))
	say(tr, agent(call("2", "TodoList", "")))
	restore() // the agent has failed in the middle of the replay
	if got := say(tr, done); got != "=" || wantsCalls(tr) {
		t.Errorf("after a replay that failed, the list that is shown leaves again: %s", got)
	}
}

// What a session that is resumed has replayed may not have reached the client.
func TestTodosOfResumed(t *testing.T) {
	for _, list := range []string{todosAB, `,"rawInput":{"todos":[]}`} {
		tr := New(Auto)
		tr.Negotiated(Peers{Old: true})
		done := agent(call("1", "TodoList", list+`,"status":"completed"`))
		say(tr, done)
		tr.Resumed([]byte("other"))
		if got := say(tr, done); got != "=" {
			t.Errorf("the same list again: %s", got)
		}
		tr.Resumed([]byte("s"))
		if got := say(tr, done); !strings.HasPrefix(got, "=\nC ") {
			t.Errorf("after the session was resumed, the list does not leave again: %s", got)
		}
		if got := say(tr, done); got != "=" {
			t.Errorf("the same list again: %s", got)
		}
	}
}

// A tool call that may write todos, and does not, is none in a vendor's words.
func TestOtherToolsArePlain(t *testing.T) {
	tr := New(Auto)
	tr.Negotiated(Peers{Old: true})
	c := translate.NewChain(nowhere{}, translate.StageOf(tr))
	for line, want := range map[string]bool{
		call("1", "Read todo.md", `,"status":"completed"`): false, call("2", "Update todo list", todosAB): true, call("3", "todowrite", ""): true,
	} {
		m := read(line)
		if got := c.From(translate.Agent, &m, time.Time{}); got != want {
			t.Errorf("%s: of a plan: %v", line, got)
		}
	}
}

func wantsCalls(tr *Translator) bool {
	return slices.Contains(tr.Wants()[translate.Agent].Updates, "tool_call_update")
}

// While no call with todos is open, changes of tool calls do not matter.
func TestWants(t *testing.T) {
	tr := New(Auto)
	tr.Negotiated(Peers{Old: true, Agent: "OpenCode"})
	wants := func(calls bool) {
		t.Helper()
		if got := wantsCalls(tr); got != calls {
			t.Errorf("wants tool_call_update: %v", got)
		}
	}
	wants(false)
	say(tr, agent(call("1", "todowrite", "")))
	wants(true)
	say(tr, agent(call("2", "todowrite", "")))
	say(tr, agent(change("1", `,"status":"completed"`)))
	wants(true)
	say(tr, agent(change("2", `,"status":"failed"`)))
	wants(false)
	say(tr, agent(call("3", "todowrite", "")))
	restore := tr.Forget([]byte("s"))
	wants(false)
	restore()
	wants(true)
	say(tr, client(requestOf("1", "session/prompt", `"sessionId":"s"`)))
	say(tr, agent(result("2", "{}")))
	wants(true)
	say(tr, agent(result("1", "{}"))) // the turn was cancelled
	wants(false)
	tr.Negotiated(Peers{Old: true})
	say(tr, agent(call("1", "todowrite", "")))
	tr.Negotiated(Peers{})
	if w := tr.Wants(); w != [2]*jsonrpc.Filter{} {
		t.Errorf("of an agent of version 2 %v matters", w)
	}
}

func TestKnown(t *testing.T) {
	for name, want := range map[string]string{
		"OpenCode": "opencode", "Kilo": "kilo", "Kilo Code": "kilo", "cursor-agent": "cursor", "Cursor Agent": "cursor",
		"Grok": "grok", "grok-native agent stdio": "grok", "x.ai": "grok",
		"": "", "@agentclientprotocol/claude-agent-acp": "", "Open": "",
	} {
		if got := Known(name); got != want {
			t.Errorf("%q is known for the words of %q, not %q", name, got, want)
		}
	}
}
