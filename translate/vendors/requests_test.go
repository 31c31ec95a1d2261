package vendors

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/talktest"
)

func TestOffers(t *testing.T) {
	talks(t, Auto, Peers{}, `
# a request that the client supports
agent> listed 0
client< =
client> outcome 0 | accepted
agent< =
agent> merge 1
client< =
agent> tell-listed
client< =
# a request that the client does not support
agent> listed 0
client< =
client> notfound 0
client< the-list
agent< listed-accepted 0
agent> merge 1
client< plan {"content":"Measure","priority":"medium","status":"completed"},{"content":"Choose","priority":"medium","status":"pending"}
agent< accepted 1 | {"id":"m","content":"Measure","status":"completed"},{"id":"c","content":"Choose","status":"pending"}
# a tool call does not change the list of a request
agent> listed 0
client< =
client> notfound 0
client< the-list
agent< listed-accepted 0
agent> call 1 | todo | ,"status":"completed","rawInput":{"merge":true,"todos":[{"id":"c","content":"Choose","status":"completed"}]}
client< =
agent> merge 1
client< plan {"content":"Measure","priority":"medium","status":"completed"},{"content":"Choose","priority":"medium","status":"pending"}
agent< accepted 1 | {"id":"m","content":"Measure","status":"completed"},{"id":"c","content":"Choose","status":"pending"}
# a response with neither a result nor an error
agent> listed 0
client< =
client> {"jsonrpc":"2.0","id":0}
agent< {"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"the response has neither a result nor an error"}}
# another error of the client passes
agent> listed 0
client< =
client> {"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"Method not found"}}
agent< =
agent> merge 1
client< =
# a reused id
agent> merge 1
client< =
agent> listed 1
client< =
client> notfound 1
client< the-list
agent< listed-accepted 1
client> notfound 1
agent< =
# ids in strings, null, and of any size
agent> listed "0"
client< =
client> notfound 0
agent< =
client> notfound "\u0030"
client< the-list
agent< listed-accepted "0"
agent> merge null
client< plan {"content":"Measure","priority":"medium","status":"completed"},{"content":"Choose","priority":"medium","status":"pending"}
agent< accepted null | {"id":"m","content":"Measure","status":"completed"},{"id":"c","content":"Choose","status":"pending"}
agent> merge 123456789012345678901234567890
agent< accepted 123456789012345678901234567890 | {"id":"m","content":"Measure","status":"completed"},{"id":"c","content":"Choose","status":"pending"}
# an offered request whose session is closed
agent> listed 0
client< =
client> request 5 | session/close | "sessionId":"s"
agent< =
client> notfound 0
client< the-list
agent< listed-accepted 0
# the error code in another spelling
agent> listed 0
client< =
client> {"jsonrpc":"2.0","id":0,"error":{"code":-32601.0,"message":"x"}}
client< the-list
agent< listed-accepted 0
# a method with an underscore
agent> request 0 | _cursor/update_todos | "sessionId":"s","toolCallId":"t","todos":[{"id":"m","content":"Measure","status":"in_progress"},{"id":"c","content":"Choose","status":"pending"}],"merge":false
client< =
client> notfound 0
client< the-list
agent< listed-accepted 0
agent> merge 1
client< plan {"content":"Measure","priority":"medium","status":"completed"},{"content":"Choose","priority":"medium","status":"pending"}
agent< accepted 1 | {"id":"m","content":"Measure","status":"completed"},{"id":"c","content":"Choose","status":"pending"}
# a notification
agent> tell-todos "todos":[{"id":"m","content":"Measure","status":"in_progress"},{"id":"c","content":"Choose","status":"pending"}],"merge":false
client< =
client< the-list
# an unsupported method leaves the vendor's other methods offered
agent> listed 0
client< =
client> notfound 0
client< the-list
agent< listed-accepted 0
agent> create 1
client< =`)
	talks(t, Off, Peers{}, `
# vendors off
agent> listed 0
client< =
client> notfound 0
agent< =`)
	talks(t, Auto, Peers{Client: capabilities.ClientProfile{IgnoresUnknownRequests: true, NoVendors: true}}, `
# a client that never responds to an unknown request
agent> listed 0
client< the-list
agent< listed-accepted 0
agent> request 1 | cursor/task | "x":1
agent< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: cursor/task"}}
agent> request 2 | _x.ai/other | "x":1
agent< {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: _x.ai/other"}}
agent> request 3 | _other/method | "x":1
client< =
agent> notify cursor/task | "x":1
client< =`)
	talks(t, Auto, Peers{Client: capabilities.ClientProfile{BreaksOnUnknownNotification: true, NoVendors: true}}, `
# a client that breaks on an unknown notification
agent> tell-todos "todos":[{"id":"m","content":"Measure","status":"in_progress"},{"id":"c","content":"Choose","status":"pending"}],"merge":false
client< the-list
agent> notify _x.ai/session_notification | "sessionId":"s"
agent> notify _other/method | "sessionId":"s"
client< =
agent> request 1 | cursor/task | "x":1
client< =`)
}

func TestUpdateTodos(t *testing.T) {
	talks(t, On, Peers{}, `
# lists, replaced and merged
agent> todos 5 | "todos":[{"id":"1","content":"a"},{"id":"2"}],"merge":true
client< plan {"content":"a","priority":"medium","status":"pending"}
agent< accepted 5 | {"id":"1","content":"a","status":"pending"}
agent> todos 5 | "todos":[{"id":"2","content":"b","status":"TODO_STATUS_COMPLETED"}],"merge":true
client< plan {"content":"a","priority":"medium","status":"pending"},{"content":"b","priority":"medium","status":"completed"}
agent< accepted 5 | {"id":"1","content":"a","status":"pending"},{"id":"2","content":"b","status":"completed"}
agent> request 5 | cursor/update_todos | "sessionId":"s"
agent< accepted 5 | {"id":"1","content":"a","status":"pending"},{"id":"2","content":"b","status":"completed"}
agent> todos 5 | "todos":null
agent< accepted 5 | {"id":"1","content":"a","status":"pending"},{"id":"2","content":"b","status":"completed"}
agent> todos 5 | "todos":[]
client< plan
agent< accepted 5
agent> todos 5 | "todos":[{"content":"c"}],"merge":false
client< plan {"content":"c","priority":"medium","status":"pending"}
agent< accepted 5 | {"content":"c","status":"pending"}
# todos in tool calls are ignored after a request
agent> todos 5 | "todos":[{"id":"1","content":"a"}]
client< plan {"content":"a","priority":"medium","status":"pending"}
agent< accepted 5 | {"id":"1","content":"a","status":"pending"}
agent> call 1 | Update TODOs: x | ,"status":"completed","rawInput":{"_toolName":"updateTodos","todos":[{"content":"x"}]}
client< =
# a request after the agent's own plan
agent> plan
client< =
agent> todos 5 | "todos":[{"id":"1","content":"a"}]
agent< accepted 5 | {"id":"1","content":"a","status":"pending"}`)
}

func TestSessionsOfRequests(t *testing.T) {
	for _, peers := range []Peers{{}, {Agent: "Cursor"}, {Agent: "npx -y something"}} {
		talks(t, On, peers, `
# the session of the tool call
client> prompt 1 | s
agent< =
client> prompt 2 | other
agent< =
agent> call t1 | Update TODOs: a | ,"rawInput":{"_toolName":"updateTodos"}
client< =
agent> request 0 | cursor/update_todos | "toolCallId":"t1","todos":[{"content":"a"}]
client< plan {"content":"a","priority":"medium","status":"pending"}
agent< accepted 0 | {"content":"a","status":"pending"}
# the session of a tool call that began before the other session was used
client> prompt 1 | s
agent< =
agent> call t1 | Ask Question
client< =
client> prompt 2 | other
agent< =
agent> request 0 | cursor/update_todos | "toolCallId":"t1","todos":[{"content":"a"}]
client< plan {"content":"a","priority":"medium","status":"pending"}
agent< accepted 0 | {"content":"a","status":"pending"}
# the session of a tool call whose turn has ended
client> prompt 1 | s
agent< =
client> prompt 2 | other
agent< =
agent> call t1 | Read
client< =
agent> result 1 | {}
client< =
agent> request 0 | cursor/update_todos | "toolCallId":"t1","todos":[{"content":"a"}]
client< plan {"content":"a","priority":"medium","status":"pending"}
agent< accepted 0 | {"content":"a","status":"pending"}
# the session of the later of two tool calls with the same id
client> prompt 1 | s
agent< =
client> prompt 2 | other
agent< =
agent> notify session/update | "sessionId":"other","update":{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Read"}
client< =
agent> call t1 | Read
client< =
agent> request 0 | cursor/update_todos | "toolCallId":"t1","todos":[{"content":"a"}]
client< plan {"content":"a","priority":"medium","status":"pending"}
agent< accepted 0 | {"content":"a","status":"pending"}
# the only session with a running prompt
client> prompt 1 | s
agent< =
client> prompt 2 | other
agent< =
agent> result 2 | {}
client< =
agent> request 0 | cursor/update_todos | "toolCallId":"t1","todos":[{"content":"a"}]
client< plan {"content":"a","priority":"medium","status":"pending"}
agent< accepted 0 | {"content":"a","status":"pending"}
# the session of the latest prompt
client> prompt 1 | s
agent< =
client> prompt 2 | other
agent< =
agent> request 0 | cursor/update_todos | "toolCallId":"t1","todos":[{"content":"a"}]
client< notify session/update | "sessionId":"other","update":{"sessionUpdate":"plan","entries":[{"content":"a","priority":"medium","status":"pending"}]}
agent< accepted 0 | {"content":"a","status":"pending"}
# no known session: the user is not asked, and nothing is shown
agent> request 0 | cursor/update_todos | "toolCallId":"t1","todos":[{"content":"a"}]
agent< accepted 0 | {"content":"a","status":"pending"}
agent> request 1 | cursor/create_plan | "toolCallId":"t","plan":"# A","todos":[{"content":"a"}]
agent< outcome 1 | cancelled
agent> request 2 | cursor/ask_question | "questions":[{"id":"q","prompt":"p","options":[{"id":"a"}]}]
agent< outcome 2 | cancelled
agent> notify cursor/create_plan | "plan":"# A"
client< =`)
	}
}

// The Stage reads every tool_call if the session of a request may be ambiguous.
func TestWantsBegins(t *testing.T) {
	for name, always := range map[string]bool{"Cursor": true, "": true, "Grok": false} {
		stage := negotiated(Auto, Peers{Agent: name})
		for _, s := range []struct {
			line string
			want bool
		}{{"client> prompt 1 | s", always}, {"client> prompt 2 | s", always}, {"client> prompt 3 | other", true}, {"agent> result 3 | {}", true}} {
			templates.Send(stage, s.line)
			if got := slices.Contains(stage.Wants()[translate.Agent].HeadUpdates, "tool_call"); got != s.want {
				t.Errorf("%q: after %s: %v", name, s.line, got)
			}
		}
	}
}

func TestApprovals(t *testing.T) {
	talks(t, On, Peers{}, `
# an accepted plan
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
client> chosen 1 | allow
agent< outcome 0 | accepted
# a rejected plan is removed at once
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
client> chosen 1 | reject
agent< outcome 0 | rejected
client< plan`)
}

// A plan that is not approved is removed, and the list that it replaced returns.
func TestApprovalsLeave(t *testing.T) {
	talks(t, On, Peers{}, `
# the earlier list is restored
agent> tell-todos "todos":[{"content":"a"}]
client< =
client< plan {"content":"a","priority":"medium","status":"pending"}
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
client> chosen 1 | reject
agent< outcome 0 | rejected
client< plan {"content":"a","priority":"medium","status":"pending"}
# the list before two cancelled plans is restored
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
agent> request 1 | cursor/create_plan | "sessionId":"s","toolCallId":"t7","name":"Cache","plan":"# Cache\n\n1. Measure\n2. Choose","todos":[{"content":"a"}]
client< plan {"content":"a","priority":"medium","status":"pending"}
client< the-text cursor
client< approve 2
client> cancel s
agent< =
agent< outcome 0 | cancelled
client< takeback 1
agent< outcome 1 | cancelled
client< plan
client< takeback 2
# of two plans, the older is rejected and the newer stays
agent> tell-todos "todos":[{"content":"z"}]
client< =
client< plan {"content":"z","priority":"medium","status":"pending"}
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
agent> request 1 | cursor/create_plan | "sessionId":"s","toolCallId":"t7","name":"Cache","plan":"# Cache\n\n1. Measure\n2. Choose","todos":[{"content":"a"}]
client< plan {"content":"a","priority":"medium","status":"pending"}
client< the-text cursor
client< approve 2
client> chosen 1 | reject
agent< outcome 0 | rejected
client> chosen 2 | reject
agent< outcome 1 | rejected
client< plan {"content":"z","priority":"medium","status":"pending"}
# a rejected plan after an approved one
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
agent> create 1
client< the-text cursor
client< approve 2
client> chosen 1 | allow
agent< outcome 0 | accepted
client> chosen 2 | reject
agent< outcome 1 | rejected
# after a rejection, tool calls change the earlier list again
agent> call c | todowrite | ,"rawInput":{"todos":[{"content":"a","status":"pending"}]},"status":"completed"
client< =
client< plan {"content":"a","priority":"medium","status":"pending"}
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
agent> call c | todowrite | ,"rawInput":{"todos":[{"content":"b","status":"pending"}]},"status":"completed"
client< =
client> chosen 1 | reject
agent< outcome 0 | rejected
client< plan {"content":"a","priority":"medium","status":"pending"}
agent> call c | todowrite | ,"rawInput":{"todos":[{"content":"b","status":"pending"}]},"status":"completed"
client< =
client< plan {"content":"b","priority":"medium","status":"pending"}
# a later list stays
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
agent> tell-todos "todos":[{"content":"a"}]
client< =
client< plan {"content":"a","priority":"medium","status":"pending"}
client> chosen 1 | reject
agent< outcome 0 | rejected`)
}

// Requests without an answer of the user are cancelled.
func TestApprovalsCancelled(t *testing.T) {
	talks(t, On, Peers{}, `
# a plan cancelled by the user
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
client> outcome "acp-plan-proxy/1" | cancelled
agent< outcome 0 | cancelled
client< plan
# the turn is cancelled
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
client> cancel other
agent< =
client> cancel s
agent< =
agent< outcome 0 | cancelled
client< plan
client< takeback 1
client> chosen 1 | allow
# the session is closed: the client receives no update of it
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
client> request 9 | session/close | "sessionId":"s"
agent< =
agent< outcome 0 | cancelled
client< takeback 1
# the agent withdraws the request
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
agent> notify $/cancel_request | "requestId":0
agent< outcome 0 | cancelled
client< plan
client< takeback 1
agent> notify $/cancel_request | "requestId":0
client< =
# the client cancels the prompt by its id
client> prompt 7 | s
agent< =
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
client> notify $/cancel_request | "requestId":8
agent< =
client> notify $/cancel_request | "requestId":7
agent< =
agent< outcome 0 | cancelled
client< plan
client< takeback 1`)
}

// The messages that show a plan and ask about it.
func TestApprovalsShown(t *testing.T) {
	talks(t, On, Peers{}, `
# unreadable params
agent> {"jsonrpc":"2.0","id":0,"method":"cursor/create_plan","params":[1]}
agent< outcome 0 | cancelled
agent> request 0 | cursor/create_plan | "sessionId":"s","toolCallId":7,"name":{},"plan":[],"todos":{},"phases":[{"todos":3},5]
client< begins 1 | Plan | switch_mode | The agent has given no text for this plan.
client< approve-any 1 | acp-plan-proxy/1 | Plan | The agent has given no text for this plan.
client> grok-outcome "acp-plan-proxy/1" | selected","optionId":"allow
client< failed 1
agent< outcome 0 | cancelled
# every member is missing
client> request 1 | session/prompt | "sessionId":"s"
agent< =
agent> request 0 | cursor/create_plan
client< begins 1 | Plan | switch_mode | The agent has given no text for this plan.
client< approve-any 1 | acp-plan-proxy/1 | Plan | The agent has given no text for this plan.
client> chosen 1 | allow
client< done 1 | The agent has given no text for this plan. | Accept the plan
agent< outcome 0 | accepted
# the overview is in the title
agent> request 0 | cursor/create_plan | "sessionId":"s","toolCallId":"t7","name":"Cache","plan":"# Cache\n\n1. Measure\n2. Choose","overview":"Pick\na size"
client< the-text cursor
client< approve-any 1 | t7 | Cache: Pick a size | # Cache\n\n1. Measure\n2. Choose
# todos in phases
agent> request 0 | cursor/create_plan | "sessionId":"s","toolCallId":"t7","plan":"o","phases":[{"name":"p","todos":[{"content":"a"}]},{"todos":[{"content":"b"}]}]
client< plan {"content":"a","priority":"medium","status":"pending"},{"content":"b","priority":"medium","status":"pending"}
client< text cursor-plan | o
client< approve-any 1 | t7 | Plan | o
# todos that the client has already
agent> tell-listed
client< =
client< the-list
agent> create-listed 0
client< the-text cursor
client< approve 1
# a rejected plan of Grok
agent> exit 0
client< the-text grok
client< approve-grok 1
client> chosen 1 | reject
agent< grok-outcome 0 | cancelled
# an abandoned plan of Grok
agent> exit 0
client< the-text grok
client< approve-grok 1
client> chosen 1 | abandon
agent< grok-outcome 0 | abandoned
# a wrapped request of Grok
agent> request 0 | _x.ai/exit_plan_mode | "method":"x.ai/exit_plan_mode","params":{"sessionId":"s","toolCallId":"t7","planContent":"# Cache\n\n1. Measure\n2. Choose"}
client< the-text grok
client< approve-grok 1`)
	talks(t, On, Peers{Forms: true}, `
# a plan is not approved in a form
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1`)
	talks(t, Auto, Peers{}, `
# the agent withdraws an offered request
agent> create-listed 0
client< =
agent> notify $/cancel_request | "requestId":0
client< =
client> notfound 0
agent< outcome 0 | cancelled
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
# the turn of an offered request is cancelled
agent> create-listed 0
client< =
client> cancel s
agent< =
client> notfound 0
agent< outcome 0 | cancelled
# a notification with a plan
agent> notify cursor/create_plan | "sessionId":"s","toolCallId":"t7","name":"Cache","plan":"# Cache\n\n1. Measure\n2. Choose"
client< =
client< the-text cursor
# an approved plan of Grok
agent> exit 0
client< =
client> notfound 0
client< the-text grok
client< approve-grok 1
client> chosen 1 | allow
agent< grok-outcome 0 | approved
agent> exit 0
client< the-text grok
client< approve-grok 2`)
	talks(t, On, Peers{Plans: capabilities.Client{Shows: capabilities.Plan | capabilities.Items}}, `
# a client without markdown plans receives only the todos
agent> create-listed 0
client< the-list
client< approve 1
client> chosen 1 | reject
agent< outcome 0 | rejected
client< plan
# a client without markdown plans receives the text of a plan without todos
agent> create 0
client< the-text cursor
client< approve 1
# the text of a notification is a message
agent> notify cursor/create_plan | "sessionId":"s","plan":"# Cache","todos":[{"content":"a"}]
client< =
client< plan {"content":"a","priority":"medium","status":"pending"}
client< says # Cache
# the agent's own plan precedes the todos
agent> plan
client< =
agent> create-listed 0
client< the-text cursor
client< approve 1`)
	talks(t, On, Peers{Client: capabilities.ClientProfile{AutoApproves: true}}, `
# a client that responds without asking the user
agent> create-listed 0
client< the-list
client< the-text cursor
client< approve 1
lost user not asked`)
}

// After a reset of the session, a rejected plan needs no removal.
func TestRejectedAfterReplay(t *testing.T) {
	stage := negotiated(On, Peers{})
	templates.Send(stage, `agent> tell-todos "todos":[{"content":"a"}]`)
	templates.Send(stage, "agent> create-listed 0")
	stage.Forget([]byte("s"))
	if got, want := templates.Send(stage, "client> chosen 1 | reject"), templates.Expand("agent< outcome 0 | rejected"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// When the client disconnects, the agent receives one response per request, never an approval.
func TestClientGone(t *testing.T) {
	stage := negotiated(On, Peers{})
	for id := range 3 { // in the order of the requests
		templates.Send(stage, "agent> create "+strconv.Itoa(id))
	}
	if got := talktest.CloseClient(stage); got != templates.Expand(`
agent< outcome 0 | cancelled
client< takeback 1
agent< outcome 1 | cancelled
client< takeback 2
agent< outcome 2 | cancelled
client< takeback 3`) {
		t.Errorf("the agent gets %s", got)
	}
	if got := templates.Send(stage, "agent> create 9"); got != templates.Expand("client< the-text cursor\nagent< outcome 9 | cancelled") {
		t.Errorf("asked after the client's end, it gets %s", got)
	}
	stage = negotiated(Auto, Peers{})
	for _, id := range []string{"7", "0", "10"} {
		templates.Send(stage, "agent> create "+id)
	}
	templates.Send(stage, `agent> request 1 | cursor/update_todos | "todos":[]`)
	if got := talktest.CloseClient(stage); got != templates.Expand(`
agent< outcome 7 | cancelled
agent< outcome 0 | cancelled
agent< outcome 10 | cancelled
agent< accepted 1`) {
		t.Errorf("for what the client was offered, the agent gets %s", got)
	}
	if got := talktest.CloseClient(stage); got != "" {
		t.Errorf("a second answer: %s", got)
	}
	if got := templates.Send(stage, "agent> create 9"); got != templates.Expand("client< the-text cursor\nagent< outcome 9 | cancelled") {
		t.Errorf("asked after the client's end, it gets %s", got)
	}
}

// A request with a reused id replaces the first one.
func TestReusedID(t *testing.T) {
	stage := negotiated(Auto, Peers{})
	for range 2 {
		templates.Send(stage, "agent> create 0")
	}
	talktest.CloseClient(stage)
	if used := stage.sessions.share.Used(); used != keep.SessionCost {
		t.Errorf("%d bytes are kept", used)
	}
}

// The agent can cancel a request from before an initialize that failed.
func TestCancelAfterFailedInitialize(t *testing.T) {
	stage := negotiated(On, Peers{})
	templates.Send(stage, "agent> create 0")
	stage.Negotiated(Peers{})
	got := templates.Send(stage, `agent> {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}`)
	if !strings.HasPrefix(got, templates.Expand("agent< outcome 0 | cancelled")) || !strings.HasSuffix(got, templates.Expand("client< takeback 1")) {
		t.Errorf("got %s", got)
	}
}

// A second initialize resets the sessions. Pending requests remain pending.
func TestNegotiatedAgain(t *testing.T) {
	for _, old := range []bool{true, false} {
		stage := negotiated(Auto, Peers{})
		templates.Send(stage, "client> prompt 9 | s")
		templates.Send(stage, "agent> create 0")
		templates.Send(stage, "agent> exit 1")
		templates.Send(stage, "client> notfound 0")
		if used := stage.Used(); used != "cursor" {
			t.Errorf("the vendor is %q", used)
		}
		stage.Negotiated(Peers{Version1: old})
		if old {
			templates.Send(stage, `agent> request 5 | cursor/create_plan | "toolCallId":"z"`)
			if got := templates.Send(stage, "client> notfound 5"); got != templates.Expand("agent< outcome 5 | cancelled") {
				t.Errorf("for a plan of no session the agent gets %s", got)
			}
		}
		if w := stage.Wants()[translate.Client]; !w.Responses || len(w.Methods) == 0 {
			t.Errorf("wanted: %+v", w)
		}
		if got := templates.Send(stage, "client> chosen 1 | allow"); got != templates.Expand("agent< outcome 0 | accepted") {
			t.Errorf("the agent gets %s", got)
		}
		if got := templates.Send(stage, "client> notfound 1"); !strings.Contains(got, `"id":"acp-plan-proxy/2"`) {
			t.Errorf("the client gets %s", got)
		}
		templates.Send(stage, "client> chosen 2 | allow")
		if got := templates.Send(stage, "client> chosen 1 | allow"); got != "" || !stage.Wants()[translate.Client].Responses {
			t.Errorf("a late answer goes on: %s", got)
		}
	}
}

func TestQuestions(t *testing.T) {
	talks(t, On, Peers{}, `
# questions are asked one after another
agent> questions 0
client< which-says
client< which-begins
client< which
client> chosen 1 | allow-1
client< which-done B
client< says Size? (2 of 2)\n\n- X
client< begins 2 | Size? | other | Size? (2 of 2)\n\n- X
client< asks 2 | acp-plan-proxy/2 | Size? | other | Size? (2 of 2)\n\n- X | {"optionId":"allow-0","name":"X","kind":"allow_once"},{"optionId":"reject","name":"Skip","kind":"reject_once"}
client> chosen 2 | allow-0
client< done 2 | Size? (2 of 2)\n\n- X | X
agent< result 0 | {"outcome":{"outcome":"answered","answers":[{"questionId":"q1","selectedOptionIds":["b"]},{"questionId":"q2","selectedOptionIds":["x"]}]}}
# a skipped question
agent> questions 0
client< which-says
client< which-begins
client< which
client> chosen 1 | reject
client< which-done Skip
agent< outcome 0 | skipped","reason":"the user has skipped the questions
# a cancelled question
agent> questions 0
client< which-says
client< which-begins
client< which
client> outcome "acp-plan-proxy/1" | cancelled
client< failed 1
agent< outcome 0 | cancelled
# the turn is cancelled
agent> questions 0
client< which-says
client< which-begins
client< which
client> cancel s
agent< =
agent< outcome 0 | cancelled
client< takeback 1
client< failed 1
# a question that cannot be asked is a message
agent> request 0 | cursor/ask_question | "sessionId":"s","toolCallId":"t","title":"Cache","questions":[{"id":"q1","prompt":"Which?","options":[{"id":"a","label":"A"},{"id":"b","label":"B"}]},{"id":"q2","prompt":"Size?"}]
client< which-says
client< says Size? (2 of 2)
agent< outcome 0 | skipped","reason":"the editor cannot show these questions
lost user not asked
# a request without questions
agent> request 0 | cursor/ask_question | "sessionId":"s"
agent< outcome 0 | skipped","reason":"the editor cannot show these questions
lost user not asked
agent> request 0 | x.ai/ask_user_question | "sessionId":"s","questions":{}
agent< grok-outcome 0 | cancelled
lost user not asked
# questions of Grok
agent> request 0 | x.ai/ask_user_question | "sessionId":"s","toolCallId":"t","questions":[{"question":"Which?","options":[{"label":"A","description":"small"},{"label":"B"}]}],"mode":"plan"
client< says Which?\n\n- A: small\n- B
client< begins 1 | Which? | other | Which?\n\n- A: small\n- B
client< asks 1 | acp-plan-proxy/1 | Which? | other | Which?\n\n- A: small\n- B | {"optionId":"allow-0","name":"A","kind":"allow_once"},{"optionId":"allow-1","name":"B","kind":"allow_once"},{"optionId":"reject","name":"Skip","kind":"reject_once"}
client> chosen 1 | allow-0
client< done 1 | Which?\n\n- A: small\n- B | A
agent< result 0 | {"outcome":"accepted","answers":{"Which?":["A"]}}`)
	talks(t, On, Peers{Client: capabilities.ClientProfile{AutoApproves: true}}, `
# a client that responds without asking the user
agent> questions 0
client< which-says
client< says Size? (2 of 2)\n\n- X
agent< outcome 0 | skipped","reason":"the editor cannot show these questions
lost user not asked`)
	talks(t, On, Peers{Forms: true}, `
# questions in a form
agent> request 0 | cursor/ask_question | "sessionId":"s","questions":[{"id":"q","prompt":"Which?","allowMultiple":true,"options":[{"id":"a","label":"A"},{"id":"b","label":"B"}]}]
client< form 1 | "mode":"form","message":"Questions" | "q1":{"title":"Which?","type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}}
client> result "acp-plan-proxy/1" | {"action":"accept","content":{"q1":["b","a"]}}
agent< result 0 | {"outcome":{"outcome":"answered","answers":[{"questionId":"q","selectedOptionIds":["b","a"]}]}}
# questions of Grok in a form
agent> request 0 | x.ai/ask_user_question | "sessionId":"s","toolCallId":"t","questions":[{"question":"Which?","options":[{"label":"A","description":"small"},{"label":"B"}]}],"mode":"plan"
client< form 1 | "toolCallId":"t","mode":"form","message":"Questions" | "q1":{"title":"Which?","type":"string","oneOf":[{"const":"A","title":"A","description":"small"},{"const":"B","title":"B"}]}
client> result "acp-plan-proxy/1" | {"action":"accept","content":{"q1":"B"}}
agent< result 0 | {"outcome":"accepted","answers":{"Which?":["B"]}}
# a text of the user in a form
agent> request 0 | x.ai/ask_user_question | "sessionId":"s","toolCallId":"t","questions":[{"question":"Which?"}],"mode":"plan"
client< form 1 | "toolCallId":"t","mode":"form","message":"Questions" | "q1":{"title":"Which?","type":"string"}
client> result "acp-plan-proxy/1" | {"action":"accept","content":{"q1":"C"}}
agent< result 0 | {"outcome":"accepted","answers":{"Which?":["Other"]},"annotations":{"Which?":{"notes":"C"}}}`)
}

// The budget of a connection evicts the least recently grown session.
func TestMemory(t *testing.T) {
	stage := negotiated(Auto, Peers{})
	in := func(session, line string) string {
		return templates.Send(stage, "agent> "+strings.Replace(templates.Expand(line), `"s"`, `"`+session+`"`, 1))
	}
	listed := `,"rawInput":{"todos":[{"content":"` + strings.Repeat("x", maxTodos-1000) + `"}]}`
	last := 0
	for evicted := false; !evicted; last++ {
		session := strconv.Itoa(last)
		in(session, "call 1 | todowrite | "+listed)
		got := in(session, `call 2 | todowrite | ,"status":"completed"`+listed)
		evicted = strings.HasSuffix(got, "lost memory")
		if !strings.Contains(got, `"sessionUpdate":"plan"`) || evicted == stage.sessions.all.Has("0") {
			t.Fatalf("session %d: %.100s", last, got)
		}
		checkMemory(t, stage)
	}
	for session, known := range map[string]bool{"0": false, "1": true, strconv.Itoa(last - 1): true} {
		if got := in(session, `change 1 | ,"status":"completed"`); known != stage.sessions.all.Has(session) || !known && got != "client< =" {
			t.Errorf("session %s is known: %t; %.100s", session, !known, got)
		}
	}
	for i := range last {
		stage.Forget([]byte(strconv.Itoa(i)))
	}
	if stage.sessions.budget.Used() != stage.sessions.share.Used() {
		t.Errorf("%d bytes are kept in the end", stage.sessions.budget.Used())
	}
}

// A request beyond the budget passes to the client, or is cancelled.
func TestRequestLimits(t *testing.T) {
	ask := func(stage *Stage, id int) string {
		return templates.Send(stage, fmt.Sprintf(`agent> request %d | cursor/create_plan | "sessionId":"s","plan":"%s"`, id, strings.Repeat("x", keep.MaxReserved/4)))
	}
	stage := negotiated(Auto, Peers{})
	for i := range 4 {
		if got := strings.Split(ask(stage, i), "\n"); got[0] != "client< =" || (len(got) > 1) != (i == 3) {
			t.Fatalf("request %d: %.100s", i, got)
		}
	}
	templates.Send(stage, "client> prompt 5 | s")
	templates.Send(stage, "agent> call 1 | todowrite")
	stage.Negotiated(Peers{Version1: true})
	checkMemory(t, stage)
	if got := templates.Send(stage, "client> notfound 3"); got != "agent< =" {
		t.Errorf("one request too many is done: %.100s", got)
	}
	for i := range 3 {
		templates.Send(stage, fmt.Sprintf("client> result %d | {}", i))
	}
	checkMemory(t, stage)
	if stage.sessions.share.Used() != keep.SessionCost {
		t.Errorf("%d bytes are kept in the end", stage.sessions.share.Used())
	}
	stage = negotiated(On, Peers{})
	for i := range 3 {
		ask(stage, i)
	}
	if got := ask(stage, 1000); !strings.Contains(got, templates.Expand("agent< outcome 1000 | cancelled")) || !strings.HasSuffix(got, "lost memory") {
		t.Errorf("a request too many that the client is not offered: %.100s", got)
	}
}
