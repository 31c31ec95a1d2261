package permissions

import (
	"fmt"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/translate/talktest"
	"acp-plan-proxy/transport/jsonrpc"
)

// words abbreviates messages.
var words = talktest.Templates{
	"claude":         `{"jsonrpc":"2.0","id":$1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"},"options":[{"optionId":"allow-once","name":"Yes","kind":"allow_once"},{"optionId":"allow-with-updates","name":"Yes, always","kind":"allow_always"},{"optionId":"reject","name":"No","kind":"reject_once"}]}}`,
	"avante":         `{"jsonrpc":"2.0","id":$1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"},"options":[{"optionId":"allow_once","name":"Yes","kind":"allow_once"},{"optionId":"allow","name":"Yes, always","kind":"allow_always"},{"optionId":"reject","name":"No","kind":"reject_once"}]}}`,
	"choose":         `{"jsonrpc":"2.0","id":$1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"},"options":[{"optionId":"a","name":"One","kind":"allow_once"},{"optionId":"b","name":"Two","kind":"allow_once"},{"optionId":"c","name":"Three","kind":"allow_once"},{"optionId":"n","name":"None","kind":"reject_once"}]}}`,
	"plain":          `{"jsonrpc":"2.0","id":$1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}}`,
	"plain-in":       `{"jsonrpc":"2.0","id":$1,"method":"session/request_permission","params":{"sessionId":"$2","toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`,
	"one":            `{"jsonrpc":"2.0","id":$1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"},"options":[{"optionId":"$2","name":"$4","kind":"$3"}]}}`,
	"two":            `{"jsonrpc":"2.0","id":$1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"},"options":[{"optionId":"$2","name":"$4","kind":"$3"},{"optionId":"$5","name":"$7","kind":"$6"}]}}`,
	"asks":           `{"jsonrpc":"2.0","id":$1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"},"options":$2}}`,
	"call":           `{"jsonrpc":"2.0","id":$1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"$2"$3},"options":$4}}`,
	"each":           `{"jsonrpc":"2.0","id":"acp-plan-proxy/permission-$1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"execute","status":"pending","title":"Run it $2?"},"options":[{"optionId":"allow","name":"$2","kind":"allow_once"},{"optionId":"reject","name":"Not $2","kind":"reject_once"}]}}`,
	"answer":         `{"jsonrpc":"2.0","id":"acp-plan-proxy/permission-$1","result":{"outcome":{"outcome":"selected","optionId":"$2"}}}`,
	"cancels":        `{"jsonrpc":"2.0","id":"acp-plan-proxy/permission-$1","result":{"outcome":{"outcome":"cancelled"}}}`,
	"chosen":         `{"jsonrpc":"2.0","id":$1,"result":{"outcome":{"outcome":"selected","optionId":"$2"}}}`,
	"cancelled":      `{"jsonrpc":"2.0","id":$1,"result":{"outcome":{"outcome":"cancelled"}}}`,
	"result":         `{"jsonrpc":"2.0","id":$1,"result":$2}`,
	"failed":         `{"jsonrpc":"2.0","id":$1,"error":{"code":-32603,"message":"broken"}}`,
	"no-answer":      `{"jsonrpc":"2.0","id":$1,"error":{"code":-32603,"message":"the response has neither a result nor an error"}}`,
	"takeback":       `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"acp-plan-proxy/permission-$1"}}`,
	"cancel":         `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"$1"}}`,
	"cancel-request": `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":$1}}`,
	"says":           `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\n\n$1\n\n"}}}}`,
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

func talks(t *testing.T, client, script string) {
	t.Helper()
	words.Run(t, func() translate.SimpleStage { return newStage(client) }, script)
}

// Option ids and kinds for avante, and the responses.
func TestAvante(t *testing.T) {
	talks(t, "avante", `
# ids, there and back
agent> update tool_call | ,"status":"pending"
client< =
agent> claude 0
client< avante 0
client> chosen 0 | allow_once
agent< chosen 0 | allow-once
# a second response
agent> two 0 | allow_once | allow_once | Yes | reject | reject_once | No
client< =
client> chosen 0 | reject
agent< =
client> chosen 0 | allow_once
client> cancelled 0
client> failed 0
agent< =
client> result 0 | {"content":"of another request"}
agent< =
# always is once
agent> asks 0 | [{"optionId":"x","name":"Always","kind":"allow_always"},{"optionId":"y","name":"Once","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]
client< asks 0 | [{"optionId":"allow","name":"Always","kind":"allow_always"},{"optionId":"allow_once","name":"Once","kind":"allow_once"},{"optionId":"reject","name":"No","kind":"reject_once"}]
client> chosen 0 | allow_once
agent< chosen 0 | y
# an only yes that is for good, an only no
agent> two 0 | x | allow_always | Always | y | reject_always | Never
client< two 0 | allow | allow_once | Always | reject | reject_once | Never
client> chosen 0 | allow
agent< chosen 0 | x
agent> two 1 | x | allow_always | Always | y | reject_always | Never
client< two 1 | allow | allow_once | Always | reject | reject_once | Never
client> chosen 1 | reject
agent< chosen 1 | y
# ids that it knows
agent> two 0 | allow | allow_once | Yes | reject | reject_once | No
client< =
agent> two 1 | allow_once | allow_once | Yes | reject | reject_once | No
client< =
agent> two 2 | allow_always | allow_once | Yes | allow | reject_once | No
client< two 2 | allow_once | allow_once | Yes | reject | reject_once | No
agent> asks 3 | [{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"},{"optionId":"allow_always","name":"Never","kind":"reject_always"}]
client< asks 3 | [{"optionId":"allow_once","name":"Yes","kind":"allow_once"},{"optionId":"reject","name":"No","kind":"reject_once"},{"optionId":"allow_always-2","name":"Never","kind":"reject_always"}]
client> chosen 3 | allow_always-2
agent< chosen 3 | allow_always
# an option that nobody offered, none, cancelled, an error
agent> claude 0
client< avante 0
client> chosen 0 | allow-once
agent< chosen 0 | reject
agent> claude 0
client< avante 0
client> result 0 | {"outcome":{"outcome":"selected"}}
agent< cancelled 0
agent> claude 0
client< avante 0
client> cancelled 0
agent< =
agent> claude 0
client< avante 0
client> failed 0
agent< =
agent> plain-in 0 | s
client< one 0 | allow_once | allow_once | Yes
client> chosen 0 | z
agent< cancelled 0
agent> plain-in 0 | s
client< one 0 | allow_once | allow_once | Yes
client> chosen 0
agent< cancelled 0
# an option beside an error, without selected, in a cancelled outcome
agent> claude 0
client< avante 0
client> {"id":0,"error":{"code":1},"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}}
agent< {"id":0,"error":{"code":1},"result":{"outcome":{"outcome":"selected","optionId":"allow-once"}}}
agent> two 0 | allow | allow_once | Yes | x | allow_always | Always
client< two 0 | allow_once | allow_once | Yes | allow | allow_always | Always
client> result 0 | {"outcome":{"optionId":"allow"}}
agent< result 0 | {"outcome":{"optionId":"x"}}
agent> two 0 | allow | allow_once | Yes | x | allow_always | Always
client< two 0 | allow_once | allow_once | Yes | allow | allow_always | Always
client> result 0 | {"outcome":{"outcome":"cancelled","optionId":"allow"}}
agent< result 0 | {"outcome":{"outcome":"cancelled","optionId":"x"}}
# what else is said stays
agent> {"id":"\u0030", "method":"session/request_permission", "params":{"_meta":{"a": 1},"sessionId":"s","options":[{"kind":"allow_once","_meta":{},"optionId":"y","name":"Yes"}],"toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"}}, "x":1}
client< {"id":"\u0030", "method":"session/request_permission", "params":{"_meta":{"a": 1},"sessionId":"s","options":[{"kind":"allow_once","_meta":{},"optionId":"allow_once","name":"Yes"}],"toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"}}, "x":1}
client> {"id": "0", "result":{"_meta":{"b": 2},"outcome":{"optionId":"allow_once","outcome":"selected","c":3}}}
agent< {"id": "0", "result":{"_meta":{"b": 2},"outcome":{"optionId":"y","outcome":"selected","c":3}}}
# a status first
agent> update tool_call | ,"title":"x"
client< =
agent> claude 0
client< pending t
client< avante 0
agent> one 1 | allow_once | allow_once | Yes
client< =
agent> call 2 | t2 | ,"status":"pending" | [{"optionId":"allow_once","name":"Yes","kind":"allow_once"}]
client< =
agent> call 3 | t3 |  | [{"optionId":"allow_once","name":"Yes","kind":"allow_once"}]
client< pending t3
client< =
agent> update tool_call_update | ,"title":"x"
client< =
agent> one 4 | allow_once | allow_once | Yes
client< =
# the status was said later
agent> update tool_call
client< =
agent> update tool_call_update | ,"status":"in_progress"
client< =
agent> one 1 | allow_once | allow_once | Yes
client< =
# a client without titles, of kinds that are for once
agent> call 0 | t | ,"title":"Run it","status":"pending","content":[{"type":"content","content":{"type":"text","text":"rm"}}] | [{"optionId":"a","name":"One","kind":"allow_always"},{"optionId":"b","name":"Two","kind":"allow_always"}]
client< says rm\n\nRun it\n\n- One\n- Two
client< call "acp-plan-proxy/permission-1" | t | ,"status":"pending","title":"Run it One?","kind":"other","content":[{"type":"content","content":{"type":"text","text":"Run it One?"}},{"type":"content","content":{"type":"text","text":"rm"}}] | [{"optionId":"allow","name":"One","kind":"allow_once"},{"optionId":"reject","name":"Not One","kind":"reject_once"}]
client> answer 1 | allow
agent< chosen 0 | a`)
}

func TestOneRequestAtATime(t *testing.T) {
	talks(t, "vscode-acp-client", `
# one open request
agent> plain 0
client< =
agent> plain-in 1 | s2
agent> plain "acp-plan-proxy/1"
client> chosen 1 | y
client> chosen 0 | y
agent< =
client< plain-in 1 | s2
client> cancelled 1
agent< =
client< plain "acp-plan-proxy/1"
client> chosen "acp-plan-proxy/1" | y
agent< =
agent> plain 2
client< =
client> failed 2
agent< =`)
	talks(t, "acp-ui", `
# the agent takes back the one that is open
agent> plain 0
client< =
agent> plain 1
agent> cancel-request 0
client< =
client< plain 1
client> cancelled 0
agent< =
client> chosen 1 | y
agent< =
# the agent takes back one that waits
agent> plain 0
client< =
agent> plain 1
agent> cancel-request 1
agent< cancelled 1
client> chosen 0 | y
agent< =
# a turn is cancelled: what waits in it is, and what waits for it is asked
agent> plain 0
client< =
agent> plain 1
agent> plain-in 2 | s2
client> cancel s
agent< =
agent< cancelled 1
client< plain-in 2 | s2
client> cancelled 0
agent< =
client> chosen 2 | y
agent< =`)
}

func TestStage(t *testing.T) {
	talks(t, "zed", `
# other clients
agent> choose 0
client< =
client> chosen 0 | z
agent< =`)
	talks(t, "editor", `
# nobody known
agent> choose 0
client< =`)
	talks(t, "vscode-acp", `
# a client that answers by itself
agent> choose 0
client< =`)
	talks(t, "acpx", `
# what is not misread
agent> claude 0
client< =
client> chosen 0 | allow-once
agent< =
# an id that was not offered
agent> claude 0
client< =
client> chosen 0 | z
agent< chosen 0 | reject
agent> asks 1 | [{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No"},{"optionId":3}]
client< =
client> chosen 1 | z
agent< cancelled 1
agent> asks 2 | [{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No"}]
client< =
client> chosen 2 | n
agent< =
# the client cancels the prompt by its id
client> prompt 5 | s
agent< =
agent> choose 0
client< says Run it\n\n- One\n- Two\n- Three
client< each 1 | One
agent> plain 1
client< =
client> cancel-request 4
agent< =
client> cancel-request 5
agent< =
agent< cancelled 0
client< takeback 1
client> chosen 1 | z
agent< chosen 1 | n
# options that cannot be read
agent> asks 0 | [{"optionId":"a","name":"One","kind":1},{"optionId":"b","name":"Two","kind":"allow_once"},{"optionId":"c","name":"Three","kind":"allow_once"},{"optionId":"n","name":"None","kind":"reject_once"}]
client< =
agent> {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","options":{}}}
client< =
agent> {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"options":[]}}
client< =
# one request per choice
agent> choose 0
client< says Run it\n\n- One\n- Two\n- Three
client< each 1 | One
client> answer 1 | reject
client< each 2 | Two
client> answer 2 | allow
agent< chosen 0 | b
client> answer 2 | reject
# all refused
agent> asks 0 | [{"optionId":"b","name":"Two","kind":"allow_once"},{"optionId":"c","name":"Three","kind":"allow_once"},{"optionId":"n","name":"None","kind":"reject_once"}]
client< says Run it\n\n- Two\n- Three
client< each 1 | Two
client> answer 1 | z
client< each 2 | Three
client> answer 2 | reject
agent< chosen 0 | n
agent> two 1 | b | allow_once | Two | c | allow_once | Three
client< says Run it\n\n- Two\n- Three
client< each 3 | Two
client> answer 3 | reject
client< each 4 | Three
client> answer 4 | reject
agent< cancelled 1
# the agent takes it back
agent> choose 0
client< says Run it\n\n- One\n- Two\n- Three
client< each 1 | One
agent> cancel-request 0
agent< cancelled 0
client< takeback 1
agent> cancel-request 0
client< =
client> answer 1 | allow
# the turn is cancelled
agent> choose 0
client< says Run it\n\n- One\n- Two\n- Three
client< each 1 | One
client> cancel other
agent< =
client> cancel s
agent< =
agent< cancelled 0
client< takeback 1
client> answer 1 | allow
# the session is closed
agent> choose 0
client< says Run it\n\n- One\n- Two\n- Three
client< each 1 | One
client> {"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":"s"}}
agent< =
agent< cancelled 0
client< takeback 1
# the same id twice
agent> choose 0
client< says Run it\n\n- One\n- Two\n- Three
client< each 1 | One
agent> choose 0
client< takeback 1
client< says Run it\n\n- One\n- Two\n- Three
client< each 2 | One
client> answer 1 | allow
client> answer 2 | allow
agent< chosen 0 | a
# more than ten choices are all asked
agent> asks 0 | [{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"x","name":"X","kind":"allow_once"},{"optionId":"n","name":"N","kind":"reject_once"}]
client< says Run it\n\n- X\n- X\n- X\n- X\n- X\n- X\n- X\n- X\n- X\n- X\n- X
client< each 1 | X
client> answer 1 | reject
client< each 2 | X
client> answer 2 | reject
client< each 3 | X
client> answer 3 | reject
client< each 4 | X
client> answer 4 | reject
client< each 5 | X
client> answer 5 | reject
client< each 6 | X
client> answer 6 | reject
client< each 7 | X
client> answer 7 | reject
client< each 8 | X
client> answer 8 | reject
client< each 9 | X
client> answer 9 | reject
client< each 10 | X
client> answer 10 | reject
client< each 11 | X
client> answer 11 | allow
agent< chosen 0 | x
# the kind of each option, and the agent's own params
agent> {"id":0,"method":"session/request_permission","params":{"sessionId":"s","_meta":{"a":1},"toolCall":{"toolCallId":"t","title":"Approve","kind":"switch_mode","content":[{"type":"content","content":{"type":"text","text":"the plan"}}],"rawInput":{"b":2}},"options":[{"optionId":"x","name":"Always","kind":"allow_always"},{"optionId":"a","name":"Once","kind":"allow_once"},{"optionId":"b","name":"Ask","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}}
client< says Approve\n\n- Always\n- Once\n- Ask
client< call "acp-plan-proxy/permission-1" | t | ,"kind":"switch_mode","content":[{"type":"content","content":{"type":"text","text":"the plan"}}],"rawInput":{"b":2},"title":"Approve Always?" | [{"optionId":"allow","name":"Always","kind":"allow_always"},{"optionId":"reject","name":"Not Always","kind":"reject_once"}],"_meta":{"a":1}
# a content that has the question and its choices is not said twice
agent> call 0 | t | ,"title":"Which?","content":[{"type":"content","content":{"type":"text","text":"Which?\n\n- One\n- Two"}}] | [{"optionId":"a","name":"One","kind":"allow_once"},{"optionId":"b","name":"Two","kind":"allow_once"}]
client< says Which?\n\n- One\n- Two
client< call "acp-plan-proxy/permission-1" | t | ,"content":[{"type":"content","content":{"type":"text","text":"Which?\n\n- One\n- Two"}}],"title":"Which? One?","kind":"other" | [{"optionId":"allow","name":"One","kind":"allow_once"},{"optionId":"reject","name":"Not One","kind":"reject_once"}]`)
	talks(t, "CodeCompanion.nvim", `
# one of each kind
agent> claude 0
client< =
# one per choice: cancelled, an error
agent> choose 0
client< says Run it\n\n- One\n- Two\n- Three
client< each 1 | One
client> cancels 1
agent< cancelled 0
agent> choose 1
client< says Run it\n\n- One\n- Two\n- Three
client< each 2 | One
client> failed "acp-plan-proxy/permission-2"
agent< failed 1
agent> choose 2
client< says Run it\n\n- One\n- Two\n- Three
client< each 3 | One
client> result "acp-plan-proxy/permission-3" | {}
agent< cancelled 2
# neither a result nor an error
agent> choose 0
client< says Run it\n\n- One\n- Two\n- Three
client< each 1 | One
client> {"jsonrpc":"2.0","id":"acp-plan-proxy/permission-1"}
agent< no-answer 0
agent> choose 1
client< says Run it\n\n- One\n- Two\n- Three
client< each 2 | One
client> {"id":"acp-plan-proxy/permission-2","error":null}
agent< no-answer 1`)
	talks(t, "avante", `
# neither a result nor an error to a request that has other ids
agent> claude 0
client< avante 0
client> {"jsonrpc":"2.0","id":0}
agent< no-answer 0`)
	talks(t, "t3-code", `
# t3-code
agent> asks 0 | [{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"n","name":"No","kind":"reject_once"}]
client< asks 0 | [{"optionId":"allow-once","name":"Yes","kind":"allow_once"},{"optionId":"allow-always","name":"Always","kind":"allow_always"},{"optionId":"reject-once","name":"No","kind":"reject_once"}]
client> chosen 0 | allow-always
agent< chosen 0 | a
# t3-code: an id that was not offered
agent> one 0 | allow-once | allow_once | Yes
client< =
client> chosen 0 | reject-once
agent< cancelled 0`)
	talks(t, "happy-cli", `
# happy-cli
agent> asks 0 | [{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"n","name":"No","kind":"reject_once"}]
client< asks 0 | [{"optionId":"proceed_once","name":"Yes","kind":"allow_once"},{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"cancel","name":"No","kind":"reject_once"}]
client> chosen 0 | cancel
agent< chosen 0 | n
# happy-cli: an id that was not offered
agent> one 0 | proceed_once | allow_once | Yes
client< =
client> chosen 0 | cancel
agent< cancelled 0`)
	talks(t, "hapi", `
# hapi: options that cannot be read
agent> asks 0 | [{"optionId":"y","name":"Yes"}]
client< =
# hapi: nothing to refuse with
agent> plain-in 0 | s
client< two 0 | y | allow_once | Yes | reject | reject_once | Reject
client> chosen 0 | reject
agent< cancelled 0
client> chosen 0 | reject
agent> one 1 | reject | allow_once | Yes
client< two 1 | reject | allow_once | Yes | reject-2 | reject_once | Reject
client> chosen 1 | reject
agent< =
agent> plain 2
client< =
agent> two 3 | y | allow_once | Yes | n | reject_always | No
client< =`)
}

// With --permissions=pass, the agent's requests pass unchanged.
func TestPass(t *testing.T) {
	s := New(Pass)
	s.Negotiated(profileOf("acpx"))
	if got := words.Send(s, "agent> choose 0"); got != "client< =" || s.Wants() != [2]*scan.Filter{} {
		t.Error(got)
	}
	s.Negotiated(profileOf("acp-ui"))
	for _, line := range []string{"agent> plain 0", "agent> plain 1"} {
		if got := words.Send(s, line); got != "client< =" {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// A connection without such a client needs no messages, and responses matter only after a
// request.
func TestWants(t *testing.T) {
	none := [2]*scan.Filter{}
	for _, name := range []string{"editor", "zed", "toad", "agent-shell", "Agentic.nvim", "vscode-acp", "QtCreator"} {
		if newStage(name).Wants() != none {
			t.Errorf("%q: something is wanted", name)
		}
	}
	s := newStage("acpx")
	first := s.Wants()
	if client := first[translate.Client]; client.Responses || first != s.Wants() {
		t.Errorf("before the first request: %+v", client)
	}
	words.Send(s, "agent> choose 0")
	own := jsonrpc.IDOf([]byte(`"acp-plan-proxy/permission-1"`))
	for side, filter := range s.Wants() {
		if filter == nil || !s.Awaits(translate.Client, own) || s.Awaits(translate.Agent, jsonrpc.IDOf([]byte("0"))) {
			t.Errorf("from the %s: %+v", translate.Side(side), filter)
		}
	}
	s.Negotiated(capabilities.ClientProfile{})
	words.Send(s, "client> answer 1 | allow")
	if got := words.Send(s, "client> answer 1 | allow"); got != "" || s.Wants()[translate.Client] == nil || s.Wants()[translate.Agent] != nil {
		t.Errorf("a late answer, after a second initialize: %s", got)
	}
	s.Negotiated(profileOf("CodeCompanion.nvim"))
	s.Wants()
	s.Negotiated(capabilities.ClientProfile{Displays: capabilities.OnePerKind, NeedsStatus: true})
	if got := s.Wants()[translate.Agent]; got == nil || got.Updates == nil {
		t.Errorf("a client that needs the status, after one that does not: %+v", got)
	}
}

// When the client disconnects, the agent receives one response to each rewritten or waiting
// request. Later requests pass.
func TestClientGone(t *testing.T) {
	for _, tt := range []struct{ client, script, want string }{
		{"acpx", "agent> choose 0", "agent< cancelled 0\nclient< takeback 1"},
		{"avante", "agent> claude 0\nagent> one 1 | allow_once | allow_once | Yes", "agent< cancelled 0"},
		{"acp-ui", "agent> plain 0\nagent> plain 1", "agent< cancelled 1"},
	} {
		s := newStage(tt.client)
		for line := range strings.SplitSeq(tt.script, "\n") {
			words.Send(s, line)
		}
		if got := talktest.CloseClient(s) + talktest.CloseClient(s); got != words.Expand(tt.want) {
			t.Errorf("%s: %s", tt.client, got)
		}
		if got := words.Send(s, "agent> choose 5"); got != "client< =" {
			t.Errorf("%s: then %s", tt.client, got)
		}
	}
}

// A request beyond the budget passes unchanged, and a finished request counts nothing.
func TestLimits(t *testing.T) {
	s := newStage("acp-ui")
	ask := func(i int, name string) string {
		return words.Send(s, fmt.Sprintf("agent> one %d | y | allow_once | %s", i, name))
	}
	for i, want := range []string{"client< =", "", "client< =\nlost memory"} {
		if got := ask(i, strings.Repeat("x", keep.MaxReserved/2)); got != want {
			t.Errorf("request %d: %.100s", i, got)
		}
	}
	words.Send(s, "client> chosen 0 | y")
	words.Send(s, "client> chosen 1 | y")
	for _, name := range []string{"acp-ui", "avante"} { // they never answer a cancelled request
		if s.pending.Len() != 0 || s.kept.Used() != keep.SessionCost {
			t.Errorf("%d requests of %d bytes are kept", s.pending.Len(), s.kept.Used())
		}
		s = newStage(name)
		for i := range keep.PerSession / asking.RequestCost {
			if got := ask(i, "Yes"); strings.Contains(got, "lost") {
				t.Fatalf("%s, request %d: %s", name, i, got)
			}
			words.Send(s, "client> cancel s")
		}
	}
	if s.ended.Len() == 0 || s.ended.Has("0") || s.kept.Used() > keep.PerSession+keep.SessionCost {
		t.Errorf("%d requests are kept of %d bytes", s.pending.Len(), s.kept.Used())
	}
	s = newStage("avante")
	for i := range maxCalls + 10 {
		words.Send(s, fmt.Sprintf(`agent> {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"%d"}}}`, i))
	}
	if n := s.calls.Len(); n != maxCalls {
		t.Errorf("%d tool calls are known", n)
	}
}

// The ids of pending requests count against the budget.
func TestLongIDs(t *testing.T) {
	s := newStage("acpx")
	for i := range 12 {
		id := fmt.Sprintf(`"%d%s"`, i, strings.Repeat("x", 8<<20))
		if got := words.Send(s, "agent> choose "+id); strings.HasPrefix(got, "agent< ") != (i >= 5) {
			t.Fatalf("request %d: %.100s", i, got)
		}
	}
	if used := s.kept.Used(); used > keep.MaxReserved {
		t.Errorf("%d bytes are kept", used)
	}
}

// A request and its response allocate as much with many pending requests as with few.
func TestCost(t *testing.T) {
	for _, client := range []string{"acpx", "hapi", "CodeCompanion.nvim"} {
		allocations := func(pending int) float64 {
			s := newStage(client)
			ask := func(i int) { words.Send(s, fmt.Sprintf("agent> choose %d", 1000+i)) }
			for i := range pending {
				ask(i)
			}
			return testing.AllocsPerRun(20, func() {
				ask(pending)
				words.Send(s, fmt.Sprintf("agent> cancel-request %d", 1000+pending))
				words.Send(s, "client> cancel other")
			})
		}
		if few, many := allocations(10), allocations(1000); many > few+50 {
			t.Errorf("%s: %.0f allocations with 10 pending requests, %.0f with 1000", client, few, many)
		}
	}
}
