package permissions

import (
	"fmt"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/translate/talktest"
	"acp-plan-proxy/transport/jsonrpc"
)

// prefix begins the permission requests of session s about tool call t.
const prefix = `{"jsonrpc":"2.0","id":$1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"},"options":`

// templates abbreviates messages.
var templates = talktest.Templates{
	// Permission requests: those of the agent, as the client receives them, and the proxy's own. The
	// arguments of one-option and two-options are, for each option, its id, kind and name.
	"claude-request": prefix + `[{"optionId":"allow-once","name":"Yes","kind":"allow_once"},{"optionId":"allow-with-updates","name":"Yes, always","kind":"allow_always"},{"optionId":"reject","name":"No","kind":"reject_once"}]}}`,
	"avante-request": prefix + `[{"optionId":"allow_once","name":"Yes","kind":"allow_once"},{"optionId":"allow","name":"Yes, always","kind":"allow_always"},{"optionId":"reject","name":"No","kind":"reject_once"}]}}`,
	"three-choices":  prefix + `[{"optionId":"a","name":"One","kind":"allow_once"},{"optionId":"b","name":"Two","kind":"allow_once"},{"optionId":"c","name":"Three","kind":"allow_once"},{"optionId":"n","name":"None","kind":"reject_once"}]}}`,
	"yes-no":         prefix + `[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}}`,
	"yes-in":         `{"jsonrpc":"2.0","id":$1,"method":"session/request_permission","params":{"sessionId":"$2","toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`,
	"one-option":     prefix + `[{"optionId":"$2","name":"$4","kind":"$3"}]}}`,
	"two-options":    prefix + `[{"optionId":"$2","name":"$4","kind":"$3"},{"optionId":"$5","name":"$7","kind":"$6"}]}}`,
	"options":        prefix + `$2}}`,
	"call-options":   `{"jsonrpc":"2.0","id":$1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"$2"$3},"options":$4}}`,
	"one-choice":     `{"jsonrpc":"2.0","id":"acp-plan-proxy/permission-$1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"execute","status":"pending","title":"Run it $2?"},"options":[{"optionId":"allow","name":"$2","kind":"allow_once"},{"optionId":"reject","name":"Not $2","kind":"reject_once"}]}}`,

	// Responses.
	"chosen":        `{"jsonrpc":"2.0","id":$1,"result":{"outcome":{"outcome":"selected","optionId":"$2"}}}`,
	"cancelled":     `{"jsonrpc":"2.0","id":$1,"result":{"outcome":{"outcome":"cancelled"}}}`,
	"result":        `{"jsonrpc":"2.0","id":$1,"result":$2}`,
	"failed":        `{"jsonrpc":"2.0","id":$1,"error":{"code":-32603,"message":"broken"}}`,
	"failed-empty":  `{"jsonrpc":"2.0","id":$1,"error":{"code":-32603,"message":"the response has neither a result nor an error"}}`,
	"chosen-own":    `{"jsonrpc":"2.0","id":"acp-plan-proxy/permission-$1","result":{"outcome":{"outcome":"selected","optionId":"$2"}}}`,
	"cancelled-own": `{"jsonrpc":"2.0","id":"acp-plan-proxy/permission-$1","result":{"outcome":{"outcome":"cancelled"}}}`,

	// Other messages.
	"cancel-own":     `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"acp-plan-proxy/permission-$1"}}`,
	"cancel":         `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"$1"}}`,
	"cancel-request": `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":$1}}`,
	"message":        `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\n\n$1\n\n"}}}}`,
	"pending":        `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"$1","status":"pending"}}}`,
	"prompt":         `{"jsonrpc":"2.0","id":$1,"method":"session/prompt","params":{"sessionId":"$2","prompt":[]}}`,
	"update":         `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"$1","toolCallId":"t"$2}}}`,
}

// newStage returns a Stage for the named client. "avante" sends no name.
func newStage(client string) *Stage {
	s := New(Auto)
	s.Negotiated(profileOf(client))
	return s
}

func profileOf(client string) capabilities.ClientProfile {
	if client == "avante" {
		client = ""
	}
	return capabilities.Request{Name: client}.Profile()
}

// talks runs the conversations of a script, each with a new Stage for the named client.
func talks(t *testing.T, client, script string) {
	t.Helper()
	templates.Run(t, func() translate.SimpleStage { return newStage(client) }, script)
}

func TestAvante(t *testing.T) {
	talks(t, "avante", `
# the ids of the client, and of the agent in the response
agent> update tool_call | ,"status":"pending"
client< =
agent> claude-request 0
client< avante-request 0
client> chosen 0 | allow_once
agent< chosen 0 | allow-once
# a second response is dropped, unless it is to another request with the id
agent> two-options 0 | allow_once | allow_once | Yes | reject | reject_once | No
client< =
client> chosen 0 | reject
agent< =
client> chosen 0 | allow_once
client> cancelled 0
client> failed 0
agent< =
client> result 0 | {"content":"of another request"}
agent< =
# both allow options keep their ids apart
agent> options 0 | [{"optionId":"x","name":"Always","kind":"allow_always"},{"optionId":"y","name":"Once","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]
client< options 0 | [{"optionId":"allow","name":"Always","kind":"allow_always"},{"optionId":"allow_once","name":"Once","kind":"allow_once"},{"optionId":"reject","name":"No","kind":"reject_once"}]
client> chosen 0 | allow_once
agent< chosen 0 | y
# only an allow_always, only a reject_always
agent> two-options 0 | x | allow_always | Always | y | reject_always | Never
client< two-options 0 | allow | allow_once | Always | reject | reject_once | Never
client> chosen 0 | allow
agent< chosen 0 | x
agent> two-options 1 | x | allow_always | Always | y | reject_always | Never
client< two-options 1 | allow | allow_once | Always | reject | reject_once | Never
client> chosen 1 | reject
agent< chosen 1 | y
# the agent's ids are those of the client
agent> two-options 0 | allow | allow_once | Yes | reject | reject_once | No
client< =
agent> two-options 1 | allow_once | allow_once | Yes | reject | reject_once | No
client< =
agent> two-options 2 | allow_always | allow_once | Yes | allow | reject_once | No
client< two-options 2 | allow_once | allow_once | Yes | reject | reject_once | No
agent> options 3 | [{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"},{"optionId":"allow_always","name":"Never","kind":"reject_always"}]
client< options 3 | [{"optionId":"allow_once","name":"Yes","kind":"allow_once"},{"optionId":"reject","name":"No","kind":"reject_once"},{"optionId":"allow_always-2","name":"Never","kind":"reject_always"}]
client> chosen 3 | allow_always-2
agent< chosen 3 | allow_always
# an id that was not offered, no id, cancelled, an error
agent> claude-request 0
client< avante-request 0
client> chosen 0 | allow-once
agent< chosen 0 | reject
agent> claude-request 0
client< avante-request 0
client> result 0 | {"outcome":{"outcome":"selected"}}
agent< cancelled 0
agent> claude-request 0
client< avante-request 0
client> cancelled 0
agent< =
agent> claude-request 0
client< avante-request 0
client> failed 0
agent< =
agent> yes-in 0 | s
client< one-option 0 | allow_once | allow_once | Yes
client> chosen 0 | z
agent< cancelled 0
agent> yes-in 0 | s
client< one-option 0 | allow_once | allow_once | Yes
client> chosen 0
agent< cancelled 0
# an id beside an error, without an outcome, in a cancelled outcome
agent> claude-request 0
client< avante-request 0
client> {"id":0,"error":{"code":1},"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}}
agent< {"id":0,"error":{"code":1},"result":{"outcome":{"outcome":"cancelled"}}}
agent> two-options 0 | allow | allow_once | Yes | x | allow_always | Always
client< two-options 0 | allow_once | allow_once | Yes | allow | allow_always | Always
client> result 0 | {"outcome":{"optionId":"allow"}}
agent< result 0 | {"outcome":{"optionId":"x"}}
agent> two-options 0 | allow | allow_once | Yes | x | allow_always | Always
client< two-options 0 | allow_once | allow_once | Yes | allow | allow_always | Always
client> result 0 | {"outcome":{"outcome":"cancelled","optionId":"allow"}}
agent< cancelled 0
# all other members are unchanged
agent> {"id":"\u0030", "method":"session/request_permission", "params":{"_meta":{"a": 1},"sessionId":"s","options":[{"kind":"allow_once","_meta":{},"optionId":"y","name":"Yes"}],"toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"}}, "x":1}
client< {"id":"\u0030", "method":"session/request_permission", "params":{"_meta":{"a": 1},"sessionId":"s","options":[{"kind":"allow_once","_meta":{},"optionId":"allow_once","name":"Yes"}],"toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"}}, "x":1}
client> {"id": "0", "result":{"_meta":{"b": 2},"outcome":{"optionId":"allow_once","outcome":"selected","c":3}}}
agent< {"id": "0", "result":{"_meta":{"b": 2},"outcome":{"optionId":"y","outcome":"selected","c":3}}}
# a missing status is sent before the request
agent> update tool_call | ,"title":"x"
client< =
agent> claude-request 0
client< pending t
client< avante-request 0
agent> one-option 1 | allow_once | allow_once | Yes
client< =
agent> call-options 2 | t2 | ,"status":"pending" | [{"optionId":"allow_once","name":"Yes","kind":"allow_once"}]
client< =
agent> call-options 3 | t3 |  | [{"optionId":"allow_once","name":"Yes","kind":"allow_once"}]
client< pending t3
client< =
agent> update tool_call_update | ,"title":"x"
client< =
agent> one-option 4 | allow_once | allow_once | Yes
client< =
# a later update has the status
agent> update tool_call
client< =
agent> update tool_call_update | ,"status":"in_progress"
client< =
agent> one-option 1 | allow_once | allow_once | Yes
client< =
# a client that hides titles and recognizes only the once kinds
agent> call-options 0 | t | ,"title":"Run it","status":"pending","content":[{"type":"content","content":{"type":"text","text":"rm"}}] | [{"optionId":"a","name":"One","kind":"allow_always"},{"optionId":"b","name":"Two","kind":"allow_always"}]
client< message rm\n\nRun it\n\n- One\n- Two
client< call-options "acp-plan-proxy/permission-1" | t | ,"status":"pending","title":"Run it One?","kind":"other","content":[{"type":"content","content":{"type":"text","text":"Run it One?"}},{"type":"content","content":{"type":"text","text":"rm"}}] | [{"optionId":"allow_once","name":"One","kind":"allow_once"},{"optionId":"reject","name":"Not One","kind":"reject_once"}]
client> chosen-own 1 | allow_once
agent< chosen 0 | a
# a response with neither a result nor an error, to a request with other ids
agent> claude-request 0
client< avante-request 0
client> {"jsonrpc":"2.0","id":0}
agent< failed-empty 0`)
}

func TestOneRequestAtATime(t *testing.T) {
	talks(t, "vscode-acp-client", `
# a request waits for the response to the open one
agent> yes-no 0
client< =
agent> yes-in 1 | s2
agent> yes-no "acp-plan-proxy/1"
client> chosen 1 | y
client> chosen 0 | y
agent< =
client< yes-in 1 | s2
client> cancelled 1
agent< =
client< yes-no "acp-plan-proxy/1"
client> chosen "acp-plan-proxy/1" | y
agent< =
agent> yes-no 2
client< =
client> failed 2
agent< =`)
	talks(t, "acp-ui", `
# the agent withdraws the open request
agent> yes-no 0
client< =
agent> yes-no 1
agent> cancel-request 0
client< =
client< yes-no 1
client> cancelled 0
agent< =
client> chosen 1 | y
agent< =
# the agent withdraws a waiting request
agent> yes-no 0
client< =
agent> yes-no 1
agent> cancel-request 1
agent< cancelled 1
client> chosen 0 | y
agent< =
# a cancelled turn ends its waiting requests; then a request of another session is sent
agent> yes-no 0
client< =
agent> yes-no 1
agent> yes-in 2 | s2
client> cancel s
agent< =
agent< cancelled 1
client< yes-in 2 | s2
client> cancelled 0
agent< =
client> chosen 2 | y
agent< =`)
}

// A second request waits for the user's answers, whatever options the client displays.
func TestOneRequestAtATimeOfEachDisplay(t *testing.T) {
	one := func(d capabilities.OptionDisplay, script string) {
		templates.Run(t, func() translate.SimpleStage {
			s := New(Auto)
			s.Negotiated(capabilities.ClientProfile{Displays: d, OneRequestAtATime: true})
			return s
		}, script)
	}
	shared := []capabilities.OptionDisplay{capabilities.OnePerKind, capabilities.AllowAndReject}
	for _, d := range append(shared, capabilities.AllOptions) {
		one(d, `
# each option has a button
agent> yes-no 0
client< =
agent> yes-no 1
client> chosen 0 | y
agent< =
client< yes-no 1`)
	}
	for _, d := range shared {
		one(d, `
# options share a button
agent> three-choices 0
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 1 | One
agent> yes-no 1
client> chosen-own 1 | allow
agent< chosen 0 | a
client< yes-no 1
# the agent withdraws a request with a shared button
agent> three-choices 0
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 1 | One
agent> yes-no 1
agent> cancel-request 0
agent< cancelled 0
client< cancel-own 1
client< yes-no 1
# a request without a tool call is about one of the proxy
agent> {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"title":"Run it"},"options":[{"optionId":"a","name":"One","kind":"allow_once"},{"optionId":"b","name":"Two","kind":"allow_once"}]}}
client< message Run it\n\n- One\n- Two
client< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"acp-plan-proxy/permission-1","title":"Run it One?","kind":"other","status":"pending","content":[{"type":"content","content":{"type":"text","text":"Run it\n\n- One\n- Two\n\nOne?"}}]}}}
client< call-options "acp-plan-proxy/permission-1" | acp-plan-proxy/permission-1 | ,"title":"Run it One?","kind":"other" | [{"optionId":"allow","name":"One","kind":"allow_once"},{"optionId":"reject","name":"Not One","kind":"reject_once"}]`)
	}
}

func TestClientsWithAllOptions(t *testing.T) {
	talks(t, "zed", `
# a client that shows every option
agent> three-choices 0
client< =
client> chosen 0 | z
agent< =`)
	talks(t, "editor", `
# an unknown client
agent> three-choices 0
client< =`)
	talks(t, "vscode-acp", `
# a client that responds without asking the user
agent> three-choices 0
client< =`)
}

// The client has one button to allow, so several allow options are asked one after another.
func TestAcpx(t *testing.T) {
	talks(t, "acpx", `
# a request that the client reads correctly passes
agent> claude-request 0
client< =
client> chosen 0 | allow-once
agent< =
# an id that was not offered
agent> claude-request 0
client< =
client> chosen 0 | z
agent< chosen 0 | reject
agent> options 1 | [{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No"},{"optionId":3}]
client< =
client> chosen 1 | z
agent< cancelled 1
agent> options 2 | [{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No"}]
client< =
client> chosen 2 | n
agent< =
agent> options 3 | []
client< =
client> chosen 3 | z
agent< cancelled 3
agent> options 4 | null
client< =
client> chosen 4 | z
agent< cancelled 4
# the agent reuses the id of a request whose options are asked one by one
agent> three-choices 0
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 1 | One
agent> yes-no 0
client< cancel-own 1
client< =
client> chosen-own 1 | allow
client> chosen 0 | n
agent< =
# a response under the id of a request whose options are asked one by one
agent> three-choices 0
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 1 | One
client> chosen 0 | a
client> chosen-own 1 | allow
agent< chosen 0 | a
# the client cancels the prompt by its id
client> prompt 5 | s
agent< =
agent> three-choices 0
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 1 | One
agent> yes-no 1
client< =
client> cancel-request 4
agent< =
client> cancel-request 5
agent< =
agent< cancelled 0
client< cancel-own 1
client> chosen 1 | z
agent< chosen 1 | n
# options without a valid id and kind
agent> options 0 | [{"optionId":"a","name":"One","kind":1},{"optionId":"b","name":"Two","kind":"allow_once"},{"optionId":"c","name":"Three","kind":"allow_once"},{"optionId":"n","name":"None","kind":"reject_once"}]
client< =
agent> {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","options":{}}}
client< =
agent> {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"options":[]}}
client< =
# one request per choice
agent> three-choices 0
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 1 | One
client> chosen-own 1 | reject
client< one-choice 2 | Two
client> chosen-own 2 | allow
agent< chosen 0 | b
client> chosen-own 2 | reject
# every choice is refused
agent> options 0 | [{"optionId":"b","name":"Two","kind":"allow_once"},{"optionId":"c","name":"Three","kind":"allow_once"},{"optionId":"n","name":"None","kind":"reject_once"}]
client< message Run it\n\n- Two\n- Three
client< one-choice 1 | Two
client> chosen-own 1 | z
client< one-choice 2 | Three
client> chosen-own 2 | reject
agent< chosen 0 | n
agent> two-options 1 | b | allow_once | Two | c | allow_once | Three
client< message Run it\n\n- Two\n- Three
client< one-choice 3 | Two
client> chosen-own 3 | reject
client< one-choice 4 | Three
client> chosen-own 4 | reject
agent< cancelled 1
# the agent withdraws the request
agent> three-choices 0
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 1 | One
agent> cancel-request 0
agent< cancelled 0
client< cancel-own 1
agent> cancel-request 0
client< =
client> chosen-own 1 | allow
# the turn is cancelled
agent> three-choices 0
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 1 | One
client> cancel other
agent< =
client> cancel s
agent< =
agent< cancelled 0
client< cancel-own 1
client> chosen-own 1 | allow
# the session is closed
agent> three-choices 0
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 1 | One
client> {"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":"s"}}
agent< =
agent< cancelled 0
client< cancel-own 1
# the agent reuses the id
agent> three-choices 0
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 1 | One
agent> three-choices 0
client< cancel-own 1
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 2 | One
client> chosen-own 1 | allow
client> chosen-own 2 | allow
agent< chosen 0 | a
# more than ten choices are all asked
agent> options 0 | [{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"n","name":"N","kind":"reject_once"}]
client< message Run it\n\n- X\n- X\n- X\n- X\n- X\n- X\n- X\n- X\n- X\n- X\n- X
client< one-choice 1 | X
client> chosen-own 1 | reject
client< one-choice 2 | X
client> chosen-own 2 | reject
client< one-choice 3 | X
client> chosen-own 3 | reject
client< one-choice 4 | X
client> chosen-own 4 | reject
client< one-choice 5 | X
client> chosen-own 5 | reject
client< one-choice 6 | X
client> chosen-own 6 | reject
client< one-choice 7 | X
client> chosen-own 7 | reject
client< one-choice 8 | X
client> chosen-own 8 | reject
client< one-choice 9 | X
client> chosen-own 9 | reject
client< one-choice 10 | X
client> chosen-own 10 | reject
client< one-choice 11 | X
client> chosen-own 11 | allow
agent< chosen 0 | x
# the kind of each option, and the agent's own params
agent> {"id":0,"method":"session/request_permission","params":{"sessionId":"s","_meta":{"a":1},"toolCall":{"toolCallId":"t","title":"Approve","kind":"switch_mode","content":[{"type":"content","content":{"type":"text","text":"the plan"}}],"rawInput":{"b":2}},"options":[{"optionId":"x","name":"Always","kind":"allow_always"},{"optionId":"a","name":"Once","kind":"allow_once"},{"optionId":"b","name":"Ask","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}}
client< message Approve\n\n- Always\n- Once\n- Ask
client< call-options "acp-plan-proxy/permission-1" | t | ,"kind":"switch_mode","content":[{"type":"content","content":{"type":"text","text":"the plan"}}],"rawInput":{"b":2},"title":"Approve Always?" | [{"optionId":"allow","name":"Always","kind":"allow_always"},{"optionId":"reject","name":"Not Always","kind":"reject_once"}],"_meta":{"a":1}
# a content with the question and its choices is not repeated
agent> call-options 0 | t | ,"title":"Which?","content":[{"type":"content","content":{"type":"text","text":"Which?\n\n- One\n- Two"}}] | [{"optionId":"a","name":"One","kind":"allow_once"},{"optionId":"b","name":"Two","kind":"allow_once"}]
client< message Which?\n\n- One\n- Two
client< call-options "acp-plan-proxy/permission-1" | t | ,"content":[{"type":"content","content":{"type":"text","text":"Which?\n\n- One\n- Two"}}],"title":"Which? One?","kind":"other" | [{"optionId":"allow","name":"One","kind":"allow_once"},{"optionId":"reject","name":"Not One","kind":"reject_once"}]`)
}

// A text names a choice only in whole words.
func TestWordsOf(t *testing.T) {
	for _, tt := range []struct {
		text, name string
		want       bool
	}{
		{"- A\n- Both", "A", true}, {"A", "A", true}, {"(A), **B**", "B", true}, {"`A`: x", "A", true}, {"Yes, always", "Yes always", true},
		{"AA", "A", false}, {"Abort", "A", false}, {"ÄA", "A", false}, {"A1", "A", false}, {"", "A", false},
		{"C++ or C", "C++", true}, {"C", "C++", false}, {"A or B", "A B", false}, {"a\xffb", "\xff", false},
	} {
		if got := strings.Contains(wordsOf(tt.text), wordsOf(tt.name)); got != tt.want {
			t.Errorf("%q names %q: %t", tt.text, tt.name, got)
		}
	}
}

// The client has one button for each kind.
func TestCodeCompanion(t *testing.T) {
	talks(t, "CodeCompanion.nvim", `
# a request with one option of each kind passes
agent> claude-request 0
client< =
# one request per choice: cancelled, an error, no outcome
agent> three-choices 0
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 1 | One
client> cancelled-own 1
agent< cancelled 0
agent> three-choices 1
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 2 | One
client> failed "acp-plan-proxy/permission-2"
agent< failed 1
agent> three-choices 2
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 3 | One
client> result "acp-plan-proxy/permission-3" | {}
agent< cancelled 2
# a response with neither a result nor an error
agent> three-choices 0
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 1 | One
client> {"jsonrpc":"2.0","id":"acp-plan-proxy/permission-1"}
agent< failed-empty 0
agent> three-choices 1
client< message Run it\n\n- One\n- Two\n- Three
client< one-choice 2 | One
client> {"id":"acp-plan-proxy/permission-2","error":null}
agent< failed-empty 1`)
}

func TestT3Code(t *testing.T) {
	talks(t, "t3-code", `
# the ids of the client
agent> options 0 | [{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"n","name":"No","kind":"reject_once"}]
client< options 0 | [{"optionId":"allow-once","name":"Yes","kind":"allow_once"},{"optionId":"allow-always","name":"Always","kind":"allow_always"},{"optionId":"reject-once","name":"No","kind":"reject_once"}]
client> chosen 0 | allow-always
agent< chosen 0 | a
# an id that only avante interprets
agent> options 0 | [{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"},{"optionId":"allow_always","name":"Never","kind":"reject_always"}]
client< options 0 | [{"optionId":"allow-once","name":"Yes","kind":"allow_once"},{"optionId":"reject-once","name":"No","kind":"reject_once"},{"optionId":"allow_always","name":"Never","kind":"reject_always"}]
# a response with an id that was not offered
agent> one-option 0 | allow-once | allow_once | Yes
client< =
client> chosen 0 | reject-once
agent< cancelled 0
# one request per option, with the id of its kind
agent> options 0 | [{"optionId":"a","name":"One","kind":"allow_always"},{"optionId":"b","name":"Two","kind":"allow_always"}]
client< message Run it\n\n- One\n- Two
client< call-options "acp-plan-proxy/permission-1" | t | ,"kind":"execute","status":"pending","title":"Run it One?" | [{"optionId":"allow-always","name":"One","kind":"allow_always"},{"optionId":"reject-once","name":"Not One","kind":"reject_once"}]
client> chosen-own 1 | allow-always
agent< chosen 0 | a`)
}

func TestHappy(t *testing.T) {
	talks(t, "happy-cli", `
# the ids of the client, except for allow_always
agent> options 0 | [{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"n","name":"No","kind":"reject_once"}]
client< options 0 | [{"optionId":"proceed_once","name":"Yes","kind":"allow_once"},{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"cancel","name":"No","kind":"reject_once"}]
client> chosen 0 | cancel
agent< chosen 0 | n
# a response with an id that was not offered
agent> one-option 0 | proceed_once | allow_once | Yes
client< =
client> chosen 0 | cancel
agent< cancelled 0`)
}

// The client approves if there is no option to refuse with.
func TestHapi(t *testing.T) {
	talks(t, "hapi", `
# options without a kind
agent> options 0 | [{"optionId":"y","name":"Yes"}]
client< =
# a reject option is added if there is none
agent> options 0 | []
client< one-option 0 | reject | reject_once | Reject
client> chosen 0 | reject
agent< cancelled 0
agent> {"id":0,"method":"session/request_permission","params":{"sessionId":"s"}}
client< {"id":0,"method":"session/request_permission","params":{"sessionId":"s","options":[{"optionId":"reject","name":"Reject","kind":"reject_once"}]}}
client> chosen 0 | reject
agent< cancelled 0
agent> yes-in 0 | s
client< two-options 0 | y | allow_once | Yes | reject | reject_once | Reject
client> chosen 0 | reject
agent< cancelled 0
client> chosen 0 | reject
agent> one-option 1 | reject | allow_once | Yes
client< two-options 1 | reject | allow_once | Yes | reject-2 | reject_once | Reject
client> chosen 1 | reject
agent< =
agent> yes-no 2
client< =
agent> two-options 3 | y | allow_once | Yes | n | reject_always | No
client< =`)
}

// With --permissions=pass, the agent's requests pass unchanged.
func TestPass(t *testing.T) {
	s := New(Pass)
	s.Negotiated(profileOf("acpx"))
	if got := templates.Send(s, "agent> three-choices 0"); got != "client< =" || s.Wants() != [2]*scan.Filter{} {
		t.Error(got)
	}
	s.Negotiated(profileOf("acp-ui"))
	for _, line := range []string{"agent> yes-no 0", "agent> yes-no 1"} {
		if got := templates.Send(s, line); got != "client< =" {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// A client that reads every request needs no messages of the stage, and responses matter only after
// a request.
func TestWants(t *testing.T) {
	none := [2]*scan.Filter{}
	for _, name := range []string{"editor", "zed", "toad", "agent-shell", "Agentic.nvim", "vscode-acp", "QtCreator"} {
		if newStage(name).Wants() != none {
			t.Errorf("the stage selects messages for %s", name)
		}
	}
	s := newStage("acpx")
	first := s.Wants()
	if client := first[translate.Client]; client.Responses || first != s.Wants() {
		t.Errorf("before the first request: %+v", client)
	}
	templates.Send(s, "agent> three-choices 0")
	own := jsonrpc.IDOf([]byte(`"acp-plan-proxy/permission-1"`))
	for side, filter := range s.Wants() {
		if filter == nil || !s.Awaits(translate.Client, own) || s.Awaits(translate.Agent, jsonrpc.IDOf([]byte("0"))) {
			t.Errorf("from the %s: %+v", translate.Side(side), filter)
		}
	}
	s.Negotiated(capabilities.ClientProfile{})
	templates.Send(s, "client> chosen-own 1 | allow")
	if got := templates.Send(s, "client> chosen-own 1 | allow"); got != "" || s.Wants()[translate.Client] == nil || s.Wants()[translate.Agent] != nil {
		t.Errorf("a late answer, after a second initialize: %s", got)
	}
	s.Negotiated(profileOf("CodeCompanion.nvim"))
	s.Wants()
	s.Negotiated(capabilities.ClientProfile{Displays: capabilities.OnePerKind, NeedsStatus: true})
	if got := s.Wants()[translate.Agent]; got == nil || got.HeadUpdates == nil {
		t.Errorf("a client that needs the status, after one that does not: %+v", got)
	}
}

// When the client disconnects, the agent receives one response to each rewritten or waiting
// request. Later requests pass.
func TestClientGone(t *testing.T) {
	for _, tt := range []struct{ client, script, want string }{
		{"acpx", "agent> three-choices 0", "agent< cancelled 0\nclient< cancel-own 1"},
		{"avante", "agent> claude-request 0\nagent> one-option 1 | allow_once | allow_once | Yes", "agent< cancelled 0"},
		{"acp-ui", "agent> yes-no 0\nagent> yes-no 1", "agent< cancelled 1"},
	} {
		s := newStage(tt.client)
		for line := range strings.SplitSeq(tt.script, "\n") {
			templates.Send(s, line)
		}
		if got := talktest.CloseClient(s) + talktest.CloseClient(s); got != templates.Expand(tt.want) {
			t.Errorf("%s: %s", tt.client, got)
		}
		if got := templates.Send(s, "client> chosen 0 | allow"); tt.client == "avante" && got != "" {
			t.Errorf("%s: an answer that was read late: %s", tt.client, got)
		}
		if got := templates.Send(s, "agent> three-choices 5"); got != "client< =" {
			t.Errorf("%s: then %s", tt.client, got)
		}
	}
}

// A request beyond the budget is answered as cancelled, and a finished request counts nothing.
func TestLimits(t *testing.T) {
	s := newStage("acp-ui")
	for i, want := range []string{"client< =", "", templates.Expand("agent< cancelled 2") + "\nlost memory"} {
		if got := askOne(s, i, strings.Repeat("x", keep.MaxReserved/2)); got != want {
			t.Errorf("request %d: %.100s", i, got)
		}
	}
	templates.Send(s, "client> chosen 0 | y")
	templates.Send(s, "client> chosen 1 | y")
	wantNothingKept(t, s)

	s = newStage("avante")
	s.share.Reserve(keep.MaxReserved - keep.SessionCost)
	want := templates.Expand("agent< cancelled 0") + "\nlost memory"
	if got := templates.Send(s, `agent> call-options 0 | t |  | [{"optionId":"y","name":"Yes","kind":"allow_once"}]`); got != want {
		t.Errorf("a request without a status: %s", got)
	}
}

// askOne sends a request with one option of that name, and returns the output.
func askOne(s *Stage, id int, name string) string {
	return templates.Send(s, fmt.Sprintf("agent> one-option %d | y | allow_once | %s", id, name))
}

func wantNothingKept(t *testing.T, s *Stage) {
	t.Helper()
	if s.pending.Len() != 0 || s.share.Used() != keep.SessionCost {
		t.Errorf("%d requests of %d bytes are kept", s.pending.Len(), s.share.Used())
	}
}

// Requests of cancelled turns that the client never answers do not exhaust the budget.
func TestUnansweredRequests(t *testing.T) {
	cancelAll := func(client string) *Stage {
		s := newStage(client)
		for i := range maxEnded + 1 {
			if got := askOne(s, i, "Yes"); strings.Contains(got, "lost") {
				t.Fatalf("%s, request %d: %s", client, i, got)
			}
			templates.Send(s, "client> cancel s")
		}
		return s
	}
	wantNothingKept(t, cancelAll("acp-ui"))
	s := cancelAll("avante")
	if s.ended.Len() == 0 || s.ended.Has("0") || s.share.Used() > keep.PerSession+keep.SessionCost {
		t.Errorf("%d requests of %d bytes are kept", s.ended.Len(), s.share.Used())
	}
}

func TestMaxCalls(t *testing.T) {
	s := newStage("avante")
	for i := range maxToolCalls + 10 {
		templates.Send(s, fmt.Sprintf(`agent> {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"%d"}}}`, i))
	}
	if n := s.toolCalls.Len(); n != maxToolCalls {
		t.Errorf("%d tool calls are known", n)
	}
}

// The ids of pending requests count against the budget.
func TestLongIDs(t *testing.T) {
	s := newStage("acpx")
	for i := range 12 {
		id := fmt.Sprintf(`"%d%s"`, i, strings.Repeat("x", 8<<20))
		if got := templates.Send(s, "agent> three-choices "+id); strings.HasPrefix(got, "agent< ") != (i >= 5) {
			t.Fatalf("request %d: %.100s", i, got)
		}
	}
	if used := s.share.Used(); used > keep.MaxReserved {
		t.Errorf("%d bytes are kept", used)
	}
}

// A request and its response allocate as much with many pending requests as with few.
func TestCost(t *testing.T) {
	for _, client := range []string{"acpx", "hapi", "CodeCompanion.nvim"} {
		allocations := func(pending int) float64 {
			s := newStage(client)
			ask := func(i int) { templates.Send(s, fmt.Sprintf("agent> three-choices %d", 1000+i)) }
			for i := range pending {
				ask(i)
			}
			return testing.AllocsPerRun(20, func() {
				ask(pending)
				templates.Send(s, fmt.Sprintf("agent> cancel-request %d", 1000+pending))
				templates.Send(s, "client> cancel other")
			})
		}
		if few, many := allocations(10), allocations(1000); many > few+50 {
			t.Errorf("%s: %.0f allocations with 10 pending requests, %.0f with 1000", client, few, many)
		}
	}
}
