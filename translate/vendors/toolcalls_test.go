package vendors

import (
	"slices"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/translate/talktest"
)

func TestTodosInToolCalls(t *testing.T) {
	talks(t, Auto, Peers{}, `
# a list is shown when its call completes
agent> call 1 | todowrite | ,"status":"pending","rawInput":{}
client< =
agent> change 1 | ,"status":"in_progress","title":"todowrite","rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]}
client< =
agent> change 1 | ,"status":"completed","title":"2 todos"
client< =
client< plan {"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"}
# the last rawInput replaces earlier ones
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"x","status":"pending"}]}
client< =
agent> change 1 | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =
client< plan {"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"}
# a rawInput without todos changes nothing
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]}
client< =
agent> change 1 | ,"rawInput":{"other":1},"status":"completed"
client< =
client< plan {"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"}
# a call that begins completed
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =
client< plan {"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"}
# a call that failed
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]}
client< =
agent> change 1 | ,"status":"failed"
client< =
agent> change 1 | ,"status":"completed"
client< =
# tools known by name
agent> call 1 | TodoWrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =
client< plan {"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"}
agent> call 2 | update_todos | ,"rawInput":{"todos":[{"content":"c"}]},"status":"completed"
client< =
client< plan {"content":"c","priority":"medium","status":"pending"}
agent> call 3 | write-todos | ,"rawInput":{"todos":[{"content":"d"}]},"status":"completed"
client< =
client< plan {"content":"d","priority":"medium","status":"pending"}
agent> call 4 | TodoList | ,"rawInput":{"todos":[{"title":"e"}]},"status":"completed"
client< =
client< plan {"content":"e","priority":"medium","status":"pending"}
agent> call 5 | Update TODOs: f, g | ,"rawInput":{"_toolName":"updateTodos","todos":[{"content":"f"}]},"status":"completed"
client< =
client< plan {"content":"f","priority":"medium","status":"pending"}
agent> call 6 | read | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =
# other tools whose values look like todos
agent> call 1 | Update todo list | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =
client< plan {"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"}
agent> call 2 | Update | ,"name":"set_todos","rawInput":{"todos":[{"content":"c","status":"pending"}]},"status":"completed"
client< =
client< plan {"content":"c","priority":"medium","status":"pending"}
agent> call 3 | Plan | ,"_meta":{"claudeCode":{"toolName":"TodoWrite"}},"rawInput":{"todos":[{"content":"d"}]},"status":"completed"
client< =
client< plan {"content":"d","priority":"medium","status":"pending"}
agent> call 4 | Plan | ,"_meta":{"codebuddy.ai/toolName":"TodoWrite"},"rawInput":{"todos":[{"content":"e"}]},"status":"completed"
client< =
client< plan {"content":"e","priority":"medium","status":"pending"}
agent> call 5 | Todos | ,"rawInput":{"tasks":[{"title":"f","status":"done"}]},"status":"completed"
client< =
client< plan {"content":"f","priority":"medium","status":"completed"}
agent> call 6 | Todos | ,"rawInput":{"id":1}
client< =
agent> change 6 | ,"status":"completed","rawOutput":{"todos":[{"title":"g","status":"done"}]}
client< =
client< plan {"content":"g","priority":"medium","status":"completed"}
agent> call 7 | Todos | ,"status":"completed","rawOutput":{"metadata":{"todos":[{"title":"h","status":"done"}]}}
client< =
client< plan {"content":"h","priority":"medium","status":"completed"}
agent> call 8 | Todos | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]}
client< =
agent> change 8 | ,"status":"completed","rawOutput":{"todos":[{"title":"i","status":"done"}]}
client< =
client< plan {"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"}
agent> call 9 | Todos | ,"rawOutput":{"todos":[{"title":"j","status":"pending"}]}
client< =
agent> change 9 | ,"status":"completed","rawOutput":{"todos":[{"title":"j","status":"done"}]}
client< =
client< plan {"content":"j","priority":"medium","status":"completed"}
# other tools whose values do not look like todos
agent> call 1 | Read todo.md | ,"rawInput":{"path":"todo.md"},"status":"completed","rawOutput":{"content":"a"}
client< =
agent> call 2 | Search todos | ,"rawInput":{"todos":[{"content":"a"}]},"status":"completed"
client< =
agent> call 3 | Search todos | ,"rawInput":{"todos":[{"status":"pending"}]},"status":"completed"
client< =
agent> call 4 | Search todos | ,"rawInput":{"todos":[{"content":"a","status":"pending"},{"content":"b"}]},"status":"completed"
client< =
agent> call 5 | Search todos | ,"rawInput":{"todos":["a"]},"status":"completed"
client< =
agent> call 6 | Plan | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =
# spellings of a status
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"TODO_STATUS_PENDING"},{"content":"b","status":"inProgress"},{"content":"c","status":"done"},{"content":"d","status":"Cancelled"},{"content":"e","status":"TODO_STATUS_IN_PROGRESS"},{"content":"f","status":"COMPLETED"},{"content":"g"}]},"status":"completed"
client< =
client< plan {"content":"a","priority":"medium","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"},{"content":"c","priority":"medium","status":"completed"},{"content":"d","priority":"medium","status":"cancelled"},{"content":"e","priority":"medium","status":"in_progress"},{"content":"f","priority":"medium","status":"completed"},{"content":"g","priority":"medium","status":"pending"}
# members with the text
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"","title":"a"},{"description":"b"},{"step":"c"},{"other":"d"}]},"status":"completed"
client< =
client< plan {"content":"a","priority":"medium","status":"pending"},{"content":"b","priority":"medium","status":"pending"},{"content":"c","priority":"medium","status":"pending"}`)
}

// The effect of a list on the list before it.
func TestListsOfToolCalls(t *testing.T) {
	talks(t, Auto, Peers{}, `
# an unchanged list is not sent again
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =
client< plan {"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"}
agent> call 2 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =
agent> call 3 | todowrite | ,"rawInput":{"todos":[{"content":"c"}]},"status":"completed"
client< =
client< plan {"content":"c","priority":"medium","status":"pending"}
agent> call 4 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =
client< plan {"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"}
# an empty list clears the todos
agent> call 1 | todowrite | ,"rawInput":{"todos":[]},"status":"completed"
client< =
agent> call 2 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =
client< plan {"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"}
agent> call 3 | todowrite | ,"rawInput":{"todos":[]},"status":"completed"
client< =
client< plan
agent> call 4 | todowrite | ,"rawInput":{"todos":[]},"status":"completed"
client< =
# a list that changes the previous one
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"id":"1","content":"a"},{"id":"2","content":"b","status":"pending"}]},"status":"completed"
client< =
client< plan {"content":"a","priority":"medium","status":"pending"},{"content":"b","priority":"medium","status":"pending"}
agent> call 2 | todowrite | ,"rawInput":{"merge":true,"todos":[{"id":"2","status":"done"},{"id":"3","content":"c"},{"id":"4"}]},"status":"completed"
client< =
client< plan {"content":"a","priority":"medium","status":"pending"},{"content":"b","priority":"medium","status":"completed"},{"content":"c","priority":"medium","status":"pending"}
# calls without a list
agent> call 1 | todowrite | ,"rawInput":{"todos":"x"},"status":"completed"
client< =
agent> call 2 | todowrite | ,"rawInput":{"todos":[1,2]},"status":"completed"
client< =
agent> call 3 | todowrite | ,"status":"completed"
client< =
# a call without a list does not clear the todos
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =
client< plan {"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"}
agent> call 2 | todowrite | ,"rawInput":{"todos":[1,"x"]},"status":"completed"
client< =
agent> call 3 | todowrite | ,"rawInput":{"todos":[{"other":1}]},"status":"completed"
client< =
agent> call 4 | todowrite | ,"rawInput":{"todos":[{"id":"1"}]},"status":"completed"
client< =
agent> call 6 | todowrite | ,"rawInput":{"todos":{}},"status":"completed"
client< =
agent> call 5 | todowrite | ,"rawInput":{"todos":[]},"status":"completed"
client< =
client< plan
# a session with a plan of the agent's own
agent> plan
client< =
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =
# a plan_update of the agent's own while a call is open
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]}
client< =
agent> update "sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}
client< =
agent> change 1 | ,"status":"completed"
client< =
# a call that completes after the end of its turn
client> request 1 | session/prompt | "sessionId":"s"
agent< =
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]}
client< =
agent> result 1 | {}
client< =
agent> change 1 | ,"status":"completed"
client< =
client< plan {"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"}
# a call that is open when an earlier prompt ends
client> request 1 | session/prompt | "sessionId":"s"
agent< =
client> request 2 | session/prompt | "sessionId":"s"
agent< =
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]}
client< =
agent> result 1 | {}
client< =
agent> result 2 | {}
client< =
agent> change 1 | ,"status":"completed"
client< =
client< plan {"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"medium","status":"in_progress"}`)
	talks(t, Auto, Peers{Agent: "Grok"}, `
# an agent that repeats its todos as a plan
agent> call 1 | todo_write | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =
agent> plan
client< =`)
	talks(t, Auto, Peers{Agent: "x.ai"}, `
# such an agent, known by an extension
agent> call 1 | todo_write | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =`)
	talks(t, Off, Peers{}, `
# vendors off
agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending","priority":"high"},{"content":"b","status":"in_progress"}]},"status":"completed"
client< =`)
}

// After session/load, todos in tool calls count again: some agents replay tool calls but no plan.
func TestTodosOfReplays(t *testing.T) {
	stage := negotiated(Auto, Peers{})
	templates.Send(stage, "agent> plan")
	stage.Forget([]byte("s"))
	const done = `agent> call 1 | TodoList | ,"rawInput":{"todos":[{"content":"a"}]},"status":"completed"`
	if got := templates.Send(stage, done); !strings.HasPrefix(got, "client< =\nclient< {") {
		t.Errorf("got %s", got)
	}
}

// After session/resume, a list is sent again, because the client may not have received it.
func TestTodosOfResumed(t *testing.T) {
	for _, todos := range []string{`{"content":"a"}`, ""} {
		stage := negotiated(Auto, Peers{})
		say := func() string {
			return templates.Send(stage, `agent> call 1 | TodoList | ,"rawInput":{"todos":[`+todos+`]},"status":"completed"`)
		}
		say()
		stage.Resumed([]byte("other"))
		if got := say(); got != "client< =" {
			t.Errorf("the same list again: %s", got)
		}
		stage.Resumed([]byte("s"))
		if got := say(); !strings.HasPrefix(got, "client< =\nclient< {") {
			t.Errorf("after the session was resumed, the list does not leave again: %s", got)
		}
		if got := say(); got != "client< =" {
			t.Errorf("the same list again: %s", got)
		}
	}
}

// marked discards the output of a chain, and records whether a message concerned a plan.
type marked bool

func (*marked) Deliver(translate.Output, []byte) {}
func (*marked) Lose(translate.Loss)              {}
func (p *marked) MarkPlan()                      { *p = true }

// take returns the mark and clears it.
func (p *marked) take() bool {
	was := *p
	*p = false
	return bool(was)
}

// A tool call with a known name and no todos passes.
func TestOtherToolsArePlain(t *testing.T) {
	var plan marked
	c := translate.NewChain(&plan, translate.StageOf(negotiated(Auto, Peers{})))
	for line, want := range map[string]bool{
		`call 1 | Read todo.md | ,"status":"completed"`: false, `call 2 | Update todo list | ,"rawInput":{"todos":[]}`: true, "call 3 | todowrite": true,
	} {
		m := talktest.Read(templates.Expand(line))
		if c.Receive(translate.Agent, &m, time.Time{}); plan.take() != want {
			t.Errorf("%s: of a plan: %v", line, !want)
		}
	}
}

// A message that cancels a pending question counts as a message about a plan.
func TestCancelOfPlan(t *testing.T) {
	stage := negotiated(On, Peers{})
	templates.Send(stage, "agent> questions 0")
	var plan marked
	c := translate.NewChain(&plan, translate.StageOf(stage))
	for _, want := range []bool{true, false} {
		m := talktest.Read(templates.Expand("cancel s"))
		if c.Receive(translate.Client, &m, time.Time{}); plan.take() != want {
			t.Errorf("of a plan: %v", !want)
		}
	}
	templates.Send(stage, "agent> questions 1")
	for _, want := range []bool{true, false} {
		if c.PeerClosed(translate.Client, time.Time{}); plan.take() != want {
			t.Errorf("the end of the client is of a plan: %v", !want)
		}
	}
}

func wantsCalls(stage *Stage) bool {
	return slices.Contains(stage.Wants()[translate.Agent].Updates, "tool_call_update")
}

// The Stage reads updates of tool calls only while a call with todos is open, and responses
// only while a prompt is pending.
func TestWants(t *testing.T) {
	stage := negotiated(Auto, Peers{Agent: "OpenCode"})
	pending := false
	for _, s := range []struct {
		line string
		want bool
	}{
		{"agent> call 1 | Read", false}, {"agent> call 1 | todowrite", true}, {"agent> call 2 | todowrite", true},
		{`agent> change 1 | ,"status":"completed"`, true}, {`agent> change 2 | ,"status":"failed"`, false},
		{"agent> call 3 | todowrite", true}, {"forget", false}, {"agent> call 1 | todowrite", true}, {"client> prompt 1 | s", true},
		{"agent> result 2 | {}", true}, {"agent> result 1 | {}", true},
	} {
		switch s.line {
		case "forget":
			stage.Forget([]byte("s"))
		default:
			templates.Send(stage, s.line)
		}
		if got := wantsCalls(stage); got != s.want {
			t.Errorf("after %s, it wants tool_call_update: %v", s.line, got)
		}
		pending = s.line == "client> prompt 1 | s" || pending && s.line != "agent> result 1 | {}"
		if got := stage.Wants()[translate.Agent].Responses; got != pending {
			t.Errorf("after %s, it wants responses: %v", s.line, got)
		}
	}
	templates.Send(stage, "agent> call 1 | todowrite")
	stage.Negotiated(Peers{})
	if w := stage.Wants(); w != [2]*scan.Filter{} {
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
			t.Errorf("the vendor of %q is %q, want %q", name, got, want)
		}
	}
}

// A call whose latest list is too long sends no list, not even its earlier one.
func TestLongTodos(t *testing.T) {
	stage := negotiated(Auto, Peers{})
	templates.Send(stage, `agent> call 1 | todowrite | ,"rawInput":{"todos":[{"content":"a"}]}`)
	long := `,"status":"completed","rawInput":{"todos":[{"content":"` + strings.Repeat("x", maxTodos) + `"}]}`
	if got := templates.Send(stage, "agent> change 1 | "+long); got != "client< =" {
		t.Errorf("the client gets %.100s", got)
	}
}
