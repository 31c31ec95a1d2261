package forms

import (
	"fmt"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/talktest"
)

// templates abbreviates messages.
var templates = talktest.Templates{
	"form":       `{"jsonrpc":"2.0","id":$1,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{"x":{"type":"string","enum":["a","b"]}}}}}`,
	"create":     `{"jsonrpc":"2.0","id":$1,"method":"elicitation/create","params":{"message":"Which?",$2}}`,
	"yes":        `{"jsonrpc":"2.0","id":$1,"method":"elicitation/create","params":{"message":"Which?",$2,"requestedSchema":{"properties":{"x":{"type":"boolean"}}}}}`,
	"says":       `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\n\nWhich?\n\n- a\n- b\n\n"}}}}`,
	"begins":     `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"acp-plan-proxy/form-$1","title":"Which?","kind":"other","status":"pending","content":[{"type":"content","content":{"type":"text","text":"Which?\n\n- a\n- b"}}]}}}`,
	"asks":       `{"jsonrpc":"2.0","id":"acp-plan-proxy/form-$1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"acp-plan-proxy/form-$1","title":"Which?","kind":"other","status":"pending","content":[{"type":"content","content":{"type":"text","text":"Which?\n\n- a\n- b"}}]},"options":[{"optionId":"allow-0","name":"a","kind":"allow_once"},{"optionId":"allow-1","name":"b","kind":"allow_once"},{"optionId":"reject","name":"Answer in the chat","kind":"reject_once"}]}}`,
	"yes-says":   `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\n\nWhich?\n\n- Yes\n- No\n\n"}}}}`,
	"yes-begins": `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"acp-plan-proxy/form-1","title":"Which?","kind":"other","status":"pending","content":[{"type":"content","content":{"type":"text","text":"Which?\n\n- Yes\n- No"}}]}}}`,
	"yes-asks":   `{"jsonrpc":"2.0","id":"acp-plan-proxy/form-1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"acp-plan-proxy/form-1","title":"Which?","kind":"other","status":"pending","content":[{"type":"content","content":{"type":"text","text":"Which?\n\n- Yes\n- No"}}]},"options":[{"optionId":"allow","name":"Yes","kind":"allow_once"},{"optionId":"allow-1","name":"No","kind":"allow_once"},{"optionId":"reject","name":"Answer in the chat","kind":"reject_once"}]}}`,
	"alone":      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\n\nWhich?\n\n"}}}}`,
	"chosen":     `{"jsonrpc":"2.0","id":"acp-plan-proxy/form-$1","result":{"outcome":{"outcome":"selected","optionId":"$2"}}}`,
	"nothing":    `{"jsonrpc":"2.0","id":"acp-plan-proxy/form-$1","result":{"outcome":{"outcome":"cancelled"}}}`,
	"done":       `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"acp-plan-proxy/form-$1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"Which?\n\n- a\n- b\n\nAnswer: $2"}}]}}}`,
	"failed":     `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"acp-plan-proxy/form-$1","status":"failed"}}}`,
	"takeback":   `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"acp-plan-proxy/form-$1"}}`,
	"answer":     `{"jsonrpc":"2.0","id":$1,"result":{"action":"$2"}}`,
	"accept":     `{"jsonrpc":"2.0","id":$1,"result":{"action":"accept","content":$2}}`,
	"cancel":     `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":$1}}`,
	"turn":       `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"$1"}}`,
	"close":      `{"jsonrpc":"2.0","id":1,"method":"session/close","params":{"sessionId":"$1"}}`,
	"prompt":     `{"jsonrpc":"2.0","id":$1,"method":"session/prompt","params":{"sessionId":"$2","prompt":[]}}`,
}

// unknownClient has no row in the table of clients.
var unknownClient = capabilities.Request{Offers: capabilities.OfferTerminals}

// begin returns a Stage for a client.
func begin(client capabilities.Request) *Stage {
	s := New()
	s.Negotiated(client, 1, true)
	return s
}

func talks(t *testing.T, client capabilities.Request, script string) {
	t.Helper()
	templates.Run(t, func() translate.SimpleStage { return begin(client) }, script)
}

// Ways for a form to end, and the responses to the agent.
func TestEnds(t *testing.T) {
	talks(t, unknownClient, `
# a chosen value
agent> form 1
client< says
client< begins 1
client< asks 1
client> chosen 1 | allow-1
client< done 1 | b
agent< accept 1 | {"x":"b"}
# the user answers in the chat
agent> form 1
client< says
client< begins 1
client< asks 1
client> chosen 1 | reject
client< done 1 | Answer in the chat
agent< answer 1 | decline
# an option that was not offered
agent> form 1
client< says
client< begins 1
client< asks 1
client> chosen 1 | allow-2
client< done 1 | Answer in the chat
agent< answer 1 | decline
# a cancelled question
agent> form 1
client< says
client< begins 1
client< asks 1
client> nothing 1
client< failed 1
agent< answer 1 | cancel
# an error of the client
agent> form 1
client< says
client< begins 1
client< asks 1
client> {"jsonrpc":"2.0","id":"acp-plan-proxy/form-1","error":{"code":-32601,"message":"no"}}
client< failed 1
agent< answer 1 | cancel
# the agent withdraws the open form and a waiting one; a late response
agent> form 1
client< says
client< begins 1
client< asks 1
agent> form 2
agent> form 3
agent> cancel 2
agent< answer 2 | cancel
agent> cancel 9
client< =
agent> cancel 1
agent< answer 1 | cancel
client< takeback 1
client< failed 1
client< says
client< begins 2
client< asks 2
client> nothing 1
# the turn is cancelled
agent> form 1
client< says
client< begins 1
client< asks 1
agent> form 2
client> turn o
agent< =
client> turn s
agent< answer 1 | cancel
client< takeback 1
client< failed 1
agent< answer 2 | cancel
agent< =
# the client cancels the prompt by its id
client> prompt 7 | s
agent< =
agent> form 1
client< says
client< begins 1
client< asks 1
client> cancel 8
agent< =
client> cancel 7
agent< answer 1 | cancel
client< takeback 1
client< failed 1
agent< =
# the session is closed
agent> form 1
client< says
client< begins 1
client< asks 1
client> close s
agent< answer 1 | cancel
client< takeback 1
agent< =`)
	s := begin(unknownClient)
	templates.Send(s, "agent> form 1")
	if got := talktest.CloseClient(s) + templates.Send(s, "agent> form 2"); got != templates.Expand("agent< answer 1 | cancel\nclient< takeback 1")+templates.Expand("agent< answer 2 | cancel") {
		t.Errorf("when the client is gone: %s", got)
	}
	s = begin(unknownClient)
	templates.Send(s, "agent> form 1")
	s.Negotiated(capabilities.Request{Offers: capabilities.OfferForms}, 1, false)
	if got := templates.Send(s, "client> chosen 1 | allow-0"); !strings.HasSuffix(got, templates.Expand(`agent< accept 1 | {"x":"a"}`)) {
		t.Errorf("after a second initialize: %s", got)
	}
	if before := s.Wants(); s.Wants() != before {
		t.Error("the same filters are made again")
	}
	if got := templates.Send(s, "agent> form 2"); got != "client< =" {
		t.Errorf("a form for a client that has forms: %s", got)
	}
}

// Forms that cannot be asked with choices, and the session of a form.
func TestCreate(t *testing.T) {
	talks(t, unknownClient, `
# a form of a session
client> prompt 1 | o
agent< =
agent> yes 1 | "sessionId":"s","mode":"form"
client< yes-says
client< yes-begins
client< yes-asks
# a form without a mode
agent> yes 1 | "sessionId":"s"
client< yes-says
client< yes-begins
client< yes-asks
# a form of a prompt
client> prompt 1 | s
agent< =
client> prompt 2 | o
agent< =
agent> yes 1 | "requestId":1
client< yes-says
client< yes-begins
client< yes-asks
# a form of another request belongs to the session of the latest prompt
client> prompt 1 | o
agent< =
client> prompt 2 | s
agent< =
agent> yes 1 | "requestId":9
client< yes-says
client< yes-begins
client< yes-asks
# a form without a session
agent> yes 1 | "requestId":9
agent< answer 1 | decline
lost user not asked
# a URL
agent> create 1 | "sessionId":"s","mode":"url","url":"https://example.org","elicitationId":"e"
client< alone
agent< answer 1 | decline
lost user not asked
# a form without a schema
agent> create 1 | "sessionId":"s","mode":"form"
client< alone
agent< answer 1 | decline
lost user not asked`)
	talks(t, capabilities.Request{OpensURLs: true, Offers: capabilities.OfferTerminals}, `
# a client that opens URLs
agent> create 1 | "sessionId":"s","mode":"url","url":"https://example.org","elicitationId":"e"
client< =
agent> yes 1 | "sessionId":"s","mode":"form"
client< yes-says
client< yes-begins
client< yes-asks`)
	talks(t, capabilities.Request{Name: "vscode-acp"}, `
# a client that responds without asking the user
agent> form 1
client< says
agent< answer 1 | decline
lost user not asked`)
}

func TestLimits(t *testing.T) {
	s := begin(unknownClient)
	long := `agent> create %d | "sessionId":"s","requestedSchema":{},"x":"` + strings.Repeat("x", keep.MaxReserved/2) + `"`
	templates.Send(s, fmt.Sprintf(long, 1))
	if got, want := templates.Send(s, fmt.Sprintf(long, 2)), templates.Expand("agent< answer 2 | cancel\nlost memory"); got != want {
		t.Errorf("of too many forms: %s", got)
	}
	s = begin(unknownClient)
	for i := range 4 {
		templates.Send(s, fmt.Sprintf("client> prompt %d | %s", i, strings.Repeat("x", keep.PerSession/3)))
	}
	if used := s.budget.Used(); used < keep.PerSession/3*2 || used > keep.PerSession {
		t.Errorf("the prompts count %d bytes", used)
	}
}
