package oldclient

import (
	"strings"
	"testing"
	"time"
)

// prompted is a prompt with that id, and what the agent gets, as its request of
// that number.
func prompted(id, number string) step {
	return client(`{"id":`+id+`,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("hi")+`]}}`,
		`A {"id":`+number+`,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("hi")+`]}}`)
}

// inserted is the agent's answer to a prompt.
func inserted(number, message string, want ...string) step {
	return agent(`{"id":`+number+`,"result":{"messageId":"`+message+`"}}`, want...)
}

func answered(id, reason string) string {
	return `C {"id":` + id + `,"result":{"stopReason":"` + reason + `"}}`
}

func failed(id, failure string) string { return `C {"id":` + id + `,"error":` + failure + `}` }

// echo is the echo of a prompt.
func echo(message string) string {
	return `{"sessionUpdate":"user_message","messageId":"` + message + `","content":[` + block("hi") + `]}`
}

const image = `{"type":"image","data":"AA==","mimeType":"image/png"}`

var hello = chunk("agent_message", "m2", "Hello")

func TestPrompts(t *testing.T) {
	cancel := client(`{"method":"session/cancel","params":{"sessionId":"s"}}`, `A {"method":"session/cancel","params":{"sessionId":"s"}}`)
	const gateway = `{"code":-32000,"message":"sign in","data":{"a":1.0}}`
	runCases(t, []testCase{
		{name: "a prompt is answered when the turn ends, its echo is not shown", steps: []step{
			prompted("2", "1"), tells(echo("m1")), inserted("1", "m1"), tells(state("running")),
			tells(hello, shows(hello)),
			tells(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2}}`,
				`C {"id":2,"result":{"stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2}}}`),
		}},
		{name: "the client's id comes back as it was spelled", steps: []step{
			prompted(`"a\u0062"`, "1"), inserted("1", "m1"), tells(state("running")), tells(idle("refusal"), answered(`"a\u0062"`, "refusal")),
			prompted(`null`, "2"), inserted("2", "m2"), tells(state("running")), tells(idle("max_tokens"), answered(`null`, "max_tokens")),
			prompted(`2.50`, "3"), inserted("3", "m3"), tells(state("running")), tells(idle("max_turn_requests"), answered(`2.50`, "max_turn_requests")),
		}},
		{name: "running, then a chunk as the echo, then the result", steps: []step{
			prompted("2", "1"), tells(state("running")), tells(chunk("user_message", "m1", "hi")), inserted("1", "m1"), tells(idle("end_turn"), answered("2", "end_turn")),
		}},
		{name: "a prompt that was echoed in a turn that another one was answered with, and its result last", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")), tells(hello, shows(hello)),
			prompted("3", "2"), tells(echo("m3")), tells(idle("end_turn"), answered("2", "end_turn")),
			inserted("2", "m3", answered("3", "end_turn")),
		}},
		{name: "an echo behind the result", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")), tells(echo("m1")), tells(idle("end_turn"), answered("2", "end_turn")), tells(echo("m1")),
		}},
		{name: "what the agent says in the user's place is shown before what follows it", steps: []step{
			prompted("2", "1"),
			tells(chunk("user_message", "other", "Implement the plan."), shows(chunk("user_message", "other", "Implement the plan."))),
			tells(hello, shows(hello)),
			tells(chunk("user_message", "m1", "hi")), inserted("1", "m1"),
			tells(chunk("user_message", "other", "!"), shows(chunk("user_message", "other", "!"))),
		}},
		{name: "a user message that begins like the prompt and goes on otherwise is shown from then on", steps: []step{
			prompted("2", "1"),
			tells(chunk("user_message", "a", "h")), tells(chunk("user_message", "b", "hi")), tells(chunk("user_message", "a", "")), tells(hello, shows(hello)),
			tells(chunk("user_message", "a", "o"), shows(chunk("user_message", "a", "h")), shows(chunk("user_message", "a", "")), shows(chunk("user_message", "a", "o"))),
			tells(chunk("user_message", "a", "!"), shows(chunk("user_message", "a", "!"))),
			tells(chunk("user_message", "b", "!"), shows(chunk("user_message", "b", "hi")), shows(chunk("user_message", "b", "!"))),
			tells(chunk("user_message", "m1", "hi")), inserted("1", "m1"),
		}},
		{name: "an echo with a long id", steps: []step{
			prompted("2", "1"), tells(chunk("user_message", strings.Repeat("m", 5000), "h")), inserted("1", strings.Repeat("m", 5000)), tells(chunk("user_message", strings.Repeat("m", 5000), "i")),
			tells(chunk("user_message", strings.Repeat("m", 5001), "i"), shows(chunk("user_message", strings.Repeat("m", 5001), "i"))),
		}},
		{name: "a user message that is given another content may be the echo", steps: []step{
			prompted("2", "1"),
			tells(`{"sessionUpdate":"user_message","messageId":"m1","content":[]}`), tells(chunk("user_message", "m1", "h")), tells(`{"sessionUpdate":"user_message","messageId":"m1","_meta":{}}`), tells(echo("m1")),
			inserted("1", "m1"), tells(echo("m1")),
		}},
		{name: "an image is no echo of a text, a text with it may be the echo of a prompt with one", steps: []step{
			prompted("2", "1"),
			tells(`{"sessionUpdate":"user_message_chunk","messageId":"a","content":`+image+`}`, shows(`{"sessionUpdate":"user_message_chunk","messageId":"a","content":`+image+`}`)),
			client(`{"id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+image+`,`+block("see")+`]}}`, `A {"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+image+`,`+block("see")+`]}}`),
			tells(`{"sessionUpdate":"user_message","messageId":"m2","content":[` + image + `,` + block("see") + `]}`), inserted("1", "m1"), inserted("2", "m2"),
		}},
		{name: "the echo of the second of two prompts, before the first is named", steps: []step{
			prompted("2", "1"),
			client(`{"id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("hi you")+`]}}`, `A {"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("hi you")+`]}}`),
			tells(chunk("user_message", "m2", "hi ")), tells(chunk("user_message", "x", "h")), tells(chunk("user_message", "y", "")), inserted("1", "m1"), tells(chunk("user_message", "m2", "you")),
			inserted("2", "m2", shows(chunk("user_message", "x", "h")), shows(chunk("user_message", "y", ""))),
		}},
		{name: "what is said in the user's place before an agent of August 2026 answers is not the echo", steps: []step{
			prompted("2", "1"), tells(chunk("user_message", "other", "Implement the plan."), shows(chunk("user_message", "other", "Implement the plan."))),
			agent(`{"id":1,"result":{}}`), tells(echo("m1")),
		}},
		{name: "an error before insertion is the answer, and what is held is shown", steps: []step{
			prompted("2", "1"), tells(echo("x")),
			agent(`{"id":1,"error":`+gateway+`}`, shows(chunk("user_message", "x", "hi")), failed("2", gateway)),
			tells(idle("error")),
		}},
		{name: "1: a turn that ended before insertion answers nothing", steps: []step{
			tells(state("running")), prompted("2", "1"), tells(idle("end_turn")), inserted("1", "m1"),
			tells(state("running")), tells(idle("refusal"), answered("2", "refusal")),
		}},
		{name: "2: the echo is before the end of the turn, the result behind it", steps: []step{
			prompted("2", "1"), tells(state("running")), tells(echo("m1")), tells(idle("end_turn")), inserted("1", "m1", answered("2", "end_turn")),
		}},
		{name: "2: the same when the next turn has begun", steps: []step{
			prompted("2", "1"), tells(state("running")), tells(echo("m1")), tells(idle("end_turn")), tells(state("running")), inserted("1", "m1", answered("2", "end_turn")),
			tells(idle("refusal")),
		}},
		{name: "2: the result is last, and there is no echo", steps: []step{
			prompted("2", "1"), tells(state("running")), tells(hello, shows(hello)), tells(idle("end_turn")), inserted("1", "m1", answered("2", "end_turn")),
		}},
		{name: "3: the end of a turn answers all prompts that were inserted", steps: []step{
			prompted("2", "1"), prompted("3", "2"), prompted("4", "3"), inserted("1", "m1"), tells(state("running")), inserted("2", "m2"),
			tells(idle("end_turn"), answered("2", "end_turn"), answered("3", "end_turn")),
			inserted("3", "m3"), tells(state("running")), tells(idle("refusal"), answered("4", "refusal")),
		}},
		{name: "2: a turn that has answered one prompt late answers no other", steps: []step{
			prompted("2", "1"), prompted("3", "2"), tells(state("running")), tells(hello, shows(hello)), tells(idle("end_turn")),
			inserted("1", "m1", answered("2", "end_turn")), inserted("2", "m2"),
			tells(state("running")), tells(idle("refusal"), answered("3", "refusal")),
		}},
		{name: "4: what comes behind the answer is forwarded", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")), tells(idle("end_turn"), answered("2", "end_turn")), tells(hello, shows(hello)),
		}},
		{name: "5: work that nobody asked for ends without an answer", steps: []step{
			tells(state("running")), tells(hello, shows(hello)), tells(idle("end_turn")), tells(state("requires_action")), tells(idle("end_turn")),
		}},
		{name: "an agent that says idle again does not end a turn", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")), tells(idle("end_turn"), answered("2", "end_turn")),
			tells(idle("end_turn")), prompted("3", "2"), inserted("2", "m3"), tells(idle("end_turn")), tells(state("idle")),
			tells(state("running")), tells(idle("end_turn"), answered("3", "end_turn")),
		}},
		{name: "an agent that never says running", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(hello, shows(hello)), tells(idle("end_turn"), answered("2", "end_turn")),
			prompted("3", "2"), inserted("2", "m3"), tells(idle("refusal"), answered("3", "refusal")),
			prompted("4", "3"), inserted("3", "m4"), tells(state("idle")), tells(hello, shows(hello)), tells(state("idle"), answered("4", "end_turn")),
		}},
		{name: "an agent that never says running, does nothing, and ends as before", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(idle("end_turn"), answered("2", "end_turn")),
			prompted("3", "2"), inserted("2", "m3"), tells(idle("end_turn"), answered("3", "end_turn")),
		}},
		{name: "an agent that never says running and gives its result last", steps: []step{
			prompted("2", "1"), tells(hello, shows(hello)), tells(idle("end_turn")), inserted("1", "m1", answered("2", "end_turn")),
			prompted("3", "2"), tells(echo("m3")), tells(idle("refusal")), inserted("2", "m3", answered("3", "refusal")),
		}},
		{name: "an unknown state is work", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("dreaming")), tells(state("idle"), answered("2", "end_turn")),
		}},
		{name: "a state that cannot be read changes nothing", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")),
			tells(`{"sessionUpdate":"state_update","stopReason":"end_turn"}`).losing("unreadable update"), tells(idle("end_turn"), answered("2", "end_turn")),
		}},
		{name: "an unknown stop reason is told with end_turn", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")),
			tells(`{"sessionUpdate":"state_update","state":"idle","stopReason":"_bored","_meta":{"x":1e0}}`,
				`C {"id":2,"result":{"stopReason":"end_turn","_meta":{"x":1e0,"acp-bridge":{"stopReason":"_bored"}}}}`).losing("unknown stop reason"),
		}},
		{name: "a failed turn is an error", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")),
			tells(`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":`+gateway+`}`, failed("2", gateway)),
			prompted("3", "2"), inserted("2", "m2"), tells(state("running")),
			tells(`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":"x"}}`, failed("3", `{"code":-32603,"message":"The turn failed"}`)),
		}},
		{name: "a cancelled turn is cancelled, whatever the agent says of it", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")),
			client(`{"method":"session/cancel","params":{"sessionId":"s"}}`, `A {"method":"session/cancel","params":{"sessionId":"s"}}`),
			tells(idle("error"), answered("2", "cancelled")),
		}},
		{name: "a prompt that is cancelled before insertion", steps: []step{
			prompted("2", "1"),
			client(`{"method":"session/cancel","params":{"sessionId":"s"}}`, `A {"method":"session/cancel","params":{"sessionId":"s"}}`),
			tells(idle("cancelled")),
			agent(`{"id":1,"error":{"code":-32800,"message":"withdrawn"}}`, answered("2", "cancelled")),
			prompted("3", "2"),
			client(`{"method":"session/cancel","params":{"sessionId":"s"}}`, `A {"method":"session/cancel","params":{"sessionId":"s"}}`),
			tells(idle("cancelled")), inserted("2", "m1", answered("3", "cancelled")),
		}},
		{name: "an echo behind the end of the turn, and the result last", steps: []step{
			prompted("2", "1"), tells(state("running")), tells(hello, shows(hello)), tells(idle("end_turn")),
			tells(echo("m1")), inserted("1", "m1", answered("2", "end_turn")),
		}},
		{name: "a cancelled prompt that the agent runs all the same, and the prompt behind it", steps: []step{
			prompted("2", "1"), prompted("3", "2"), inserted("1", "m1"), tells(state("running")),
			client(`{"method":"session/cancel","params":{"sessionId":"s"}}`, `A {"method":"session/cancel","params":{"sessionId":"s"}}`),
			tells(idle("cancelled"), answered("2", "cancelled")),
			tells(echo("m2")), inserted("2", "m2", answered("3", "cancelled")), prompted("4", "3"), tells(state("running")), tells(idle("cancelled")),
			tells(echo("m3")), inserted("3", "m3"), tells(state("running")), tells(idle("end_turn"), answered("4", "end_turn")),
		}},
		{name: "the turn of one cancelled prompt excuses one later echo, not all", steps: []step{
			prompted("2", "1"), prompted("3", "2"), inserted("1", "m1"), tells(state("running")),
			client(`{"method":"session/cancel","params":{"sessionId":"s"}}`, `A {"method":"session/cancel","params":{"sessionId":"s"}}`),
			tells(idle("cancelled"), answered("2", "cancelled")),
			tells(echo("m2")), inserted("2", "m2", answered("3", "cancelled")), prompted("4", "3"), tells(state("running")), tells(idle("cancelled")),
			tells(echo("m3")), inserted("3", "m3"), tells(state("running")), tells(idle("end_turn"), answered("4", "end_turn")),
			prompted("5", "4"), tells(state("running")), tells(idle("refusal")), tells(echo("m4")), inserted("4", "m4", answered("5", "refusal")),
		}},
		{name: "a prompt that is withdrawn before insertion", steps: []step{
			prompted("2", "1"),
			client(`{"method":"$/cancel_request","params":{"requestId":2}}`, `A {"method":"$/cancel_request","params":{"requestId":1}}`),
			agent(`{"id":1,"error":{"code":-32800,"message":"withdrawn"}}`, failed("2", `{"code":-32800,"message":"withdrawn"}`)),
		}},
		{name: "a prompt that is withdrawn after insertion: the turn is cancelled", steps: []step{
			prompted(`"p"`, "1"), inserted("1", "m1"), tells(state("running")),
			client(`{"method":"$/cancel_request","params":{"requestId":"\u0070"}}`, `A {"method":"session/cancel","params":{"sessionId":"s"}}`),
			tells(idle("cancelled"), answered(`"p"`, "cancelled")),
			client(`{"method":"$/cancel_request","params":{"requestId":"p"}}`),
		}},
		{name: "a prompt that is withdrawn while the agent inserts it: the turn is cancelled", steps: []step{
			prompted("2", "1"), client(`{"method":"$/cancel_request","params":{"requestId":2}}`, `A {"method":"$/cancel_request","params":{"requestId":1}}`),
			inserted("1", "m1", `A {"method":"session/cancel","params":{"sessionId":"s"}}`), tells(state("running")), tells(idle("cancelled"), answered("2", "cancelled")),
		}},
		{name: "a session that is closed in a turn", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")),
			client(`{"id":3,"method":"session/close","params":{"sessionId":"s"}}`, `A {"id":2,"method":"session/close","params":{"sessionId":"s"}}`),
			tells(idle("cancelled"), answered("2", "cancelled")),
			agent(`{"id":2,"result":{}}`, `C {"id":3,"result":{}}`),
		}},
		{name: "a session that is closed, and an agent that forgets the turn", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")), prompted("3", "2"),
			client(`{"id":4,"method":"session/close","params":{"sessionId":"s"}}`, `A {"id":3,"method":"session/close","params":{"sessionId":"s"}}`),
			agent(`{"id":3,"result":null}`, answered("2", "cancelled"), answered("3", "cancelled"), `C {"id":4,"result":{}}`),
			agent(`{"id":2,"error":{"code":-32800,"message":"withdrawn"}}`),
			agent(`{"id":4,"result":{}}`).losing("answer to no request"),
		}},
		{name: "a session that is deleted, and an agent that forgets a prompt that it held", steps: []step{
			prompted("2", "1"),
			client(`{"id":3,"method":"session/delete","params":{"sessionId":"s"}}`, `A {"id":2,"method":"session/delete","params":{"sessionId":"s"}}`),
			agent(`{"id":2,"result":{}}`, answered("2", "cancelled"), `C {"id":3,"result":{}}`),
		}},
		{name: "a close that fails answers no prompt", steps: []step{
			prompted("2", "1"),
			client(`{"id":3,"method":"session/close","params":{"sessionId":"s"}}`, `A {"id":2,"method":"session/close","params":{"sessionId":"s"}}`),
			agent(`{"id":2,"error":{"code":-32603,"message":"no"}}`, failed("3", `{"code":-32603,"message":"no"}`)),
			inserted("1", "m1"), tells(state("running")), tells(idle("end_turn"), answered("2", "end_turn")),
		}},
		{name: "a close that fails cancels no turn: how it ends is told as it is", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")),
			client(`{"id":3,"method":"session/close","params":{"sessionId":"s"}}`, `A {"id":2,"method":"session/close","params":{"sessionId":"s"}}`),
			client(`{"id":4,"method":"session/delete","params":{"sessionId":"s"}}`, `A {"id":3,"method":"session/delete","params":{"sessionId":"s"}}`),
			agent(`{"id":2,"error":{"code":-32601,"message":"no"}}`, failed("3", `{"code":-32601,"message":"no"}`)),
			agent(`{"id":3,"error":{"code":-32601,"message":"no"}}`, failed("4", `{"code":-32601,"message":"no"}`)),
			tells(`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":-32000,"message":"sign in"}}`,
				failed("2", `{"code":-32000,"message":"sign in"}`)),
		}},
		{name: "a prompt behind a close is the agent's to answer", steps: []step{
			client(`{"id":2,"method":"session/close","params":{"sessionId":"s"}}`, `A {"id":1,"method":"session/close","params":{"sessionId":"s"}}`),
			prompted("3", "2"),
			agent(`{"id":1,"result":{}}`, `C {"id":2,"result":{}}`),
			agent(`{"id":2,"error":{"code":-32002,"message":"unknown session"}}`, failed("3", `{"code":-32002,"message":"unknown session"}`)),
		}},
		{name: "an empty prompt is refused", steps: []step{
			client(`{"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`, failed("2", `{"code":-32602,"message":"a prompt has at least one content block"}`)),
			client(`{"id":3,"method":"session/prompt"}`, failed("3", `{"code":-32602,"message":"a prompt has at least one content block"}`)),
			client(`{"id":4,"method":"session/prompt","params":{"sessionId":"s","prompt":[1]}}`, failed("4", `{"code":-32602,"message":"a content block of the prompt cannot be read"}`)),
		}},
		{name: "an agent of August 2026 answers with an empty object", steps: []step{
			prompted("2", "1"), agent(`{"id":1,"result":{}}`), tells(state("running")), tells(idle("end_turn"), answered("2", "end_turn")),
			prompted("3", "2"), tells(echo("m2")), agent(`{"id":2,"result":{}}`), tells(echo("m2")),
			tells(state("running")), tells(chunk("user_message", "other", "Implement the plan."), shows(chunk("user_message", "other", "Implement the plan."))), tells(idle("end_turn"), answered("3", "end_turn")),
			prompted("4", "3"), agent(`{"id":3,"result":{}}`), tells(state("running")), tells(chunk("user_message", "m3", "h")), tells(chunk("user_message", "m3", "i")), tells(echo("m3")),
			tells(idle("end_turn"), answered("4", "end_turn")),
		}},
		{name: "what an agent of August 2026 says in the user's place after its answer is not the echo", steps: []step{
			prompted("2", "1"), agent(`{"id":1,"result":{}}`), tells(state("running")),
			tells(chunk("user_message", "other", "Implement the plan."), shows(chunk("user_message", "other", "Implement the plan."))),
			tells(chunk("user_message", "begins", "h")),
			tells(chunk("user_message", "begins", "ello"), shows(chunk("user_message", "begins", "h")), shows(chunk("user_message", "begins", "ello"))),
			tells(echo("m1")), tells(echo("m1")),
			tells(chunk("user_message", "again", "h"), shows(chunk("user_message", "again", "h"))), tells(idle("end_turn"), answered("2", "end_turn")),
		}},
		{name: "of two messages before an answer that names none, the one that says all of the prompt is the echo", steps: []step{
			prompted("2", "1"), tells(chunk("user_message", "x", "h")), tells(echo("m1")),
			agent(`{"id":1,"result":{}}`, shows(chunk("user_message", "x", "h"))), tells(echo("m1")),
		}},
		{name: "two prompts whose messages are not named, and the echo of the second is first", steps: []step{
			prompted("2", "1"),
			client(`{"id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("ho")+`]}}`, `A {"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("ho")+`]}}`),
			agent(`{"id":1,"result":{}}`), agent(`{"id":2,"result":{}}`), tells(state("running")),
			tells(chunk("user_message", "x", "h")), tells(chunk("user_message", "m2", "ho")), tells(chunk("user_message", "y", "ho"), shows(chunk("user_message", "y", "ho"))),
			tells(echo("m1"), shows(chunk("user_message", "x", "h"))),
			tells(idle("end_turn"), answered("2", "end_turn"), answered("3", "end_turn")),
		}},
		{name: "an echo that is not all of its prompt by the end of the turn is one, and no other message is", steps: []step{
			client(`{"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("hi ")+`,`+image+`]}}`, `A {"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("hi ")+`,`+image+`]}}`),
			agent(`{"id":1,"result":{}}`), tells(state("running")), tells(echo("m1")), tells(chunk("user_message", "other", "h")),
			tells(idle("end_turn"), shows(chunk("user_message", "other", "h")), answered("2", "end_turn")),
			tells(echo("m1")), prompted("3", "2"), tells(chunk("user_message", "other", "ey"), shows(chunk("user_message", "other", "ey"))),
		}},
		{name: "a prompt whose turn had ended when the agent answered without a name has no echo any more", steps: []step{
			prompted("2", "1"), tells(state("running")), tells(idle("end_turn")), agent(`{"id":1,"result":{}}`, answered("2", "end_turn")),
			tells(echo("m1"), shows(chunk("user_message", "m1", "hi"))),
		}},
		{name: "a prompt whose message is not named, in a session that is closed", steps: []step{
			prompted("2", "1"), agent(`{"id":1,"result":{}}`), tells(state("running")), tells(chunk("user_message", "m1", "h")),
			client(`{"id":3,"method":"session/close","params":{"sessionId":"s"}}`, `A {"id":2,"method":"session/close","params":{"sessionId":"s"}}`),
			agent(`{"id":2,"result":{}}`, answered("2", "cancelled"), `C {"id":3,"result":{}}`), tells(hello, shows(hello)),
		}},
		{name: "an answer that cannot be read", steps: []step{
			prompted("2", "1"), agent(`{"id":1,"method":5}`, failed("2", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
		}},
		{name: "an agent that ends answers everything", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")), prompted("3", "2"),
			client(`{"id":4,"method":"session/list","params":{}}`, `A {"id":3,"method":"session/list","params":{}}`),
			gone("agent exited", failed("2", `{"code":-32603,"message":"agent exited"}`), failed("3", `{"code":-32603,"message":"agent exited"}`), failed("4", `{"code":-32603,"message":"agent exited"}`)),
			client(`{"id":5,"method":"session/list","params":{}}`, failed("5", `{"code":-32603,"message":"agent exited"}`)),
		}},
		{name: "what was collected behind the end of a turn leaves before the answer that comes last", steps: []step{
			begin, prompted("2", "1"), tells(state("running")), tells(idle("end_turn")), tells(contentChunk(textItem("a"))),
			inserted("1", "m1", shows(call(`,"content":[`+textItem("a")+`]`)), answered("2", "end_turn")),
		}},
		{name: "what was collected leaves before the answer", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")),
			tells(`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T"}`, shows(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`)),
			tells(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":{"type":"content","content":` + block("a") + `}}`),
			tells(idle("end_turn"), shows(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":`+block("a")+`}]}`), answered("2", "end_turn")),
			wait(time.Second),
		}},
		{name: "the turn of one cancelled prompt excuses one later echo, not all", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")), prompted("3", "2"), cancel,
			tells(idle("cancelled"), answered("2", "cancelled")),
			inserted("2", "m2", answered("3", "cancelled")),
			prompted("4", "3"), tells(state("running")), tells(idle("end_turn")),
			tells(echo("m3")), inserted("3", "m3"),
			tells(state("running")), tells(idle("end_turn"), answered("4", "end_turn")),
			prompted("5", "4"), tells(state("running")), tells(idle("refusal")),
			tells(echo("m4")), inserted("4", "m4", answered("5", "refusal")),
		}},
		{name: "a cancelled prompt that the agent inserts while it works waits for the end of that work", steps: []step{
			tells(state("running")), prompted("2", "1"), cancel, inserted("1", "m1"), tells(idle("cancelled"), answered("2", "cancelled")),
		}},
		{name: "a cancelled prompt that was inserted after a turn that was not cancelled waits for its own", steps: []step{
			prompted("2", "1"), cancel, tells(state("running")), tells(hello, shows(hello)),
			inserted("1", "m1"), tells(idle("end_turn"), answered("2", "end_turn")),
		}},
		{name: "a turn that answered a prompt does not answer one that was inserted later", steps: []step{
			prompted("2", "1"), prompted("3", "2"), inserted("1", "m1"), tells(state("running")), tells(idle("end_turn"), answered("2", "end_turn")),
			inserted("2", "m2"), tells(state("running")), tells(idle("refusal"), answered("3", "refusal")),
		}},
		{name: "an idle without a reason, after work in a turn that never began, ends it if the agent never says running", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("idle")), tells(hello, shows(hello)), tells(state("idle"), answered("2", "end_turn")),
		}},
		{name: "an idle without a reason does not end a turn that never began if the agent has said running before", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")), tells(idle("end_turn"), answered("2", "end_turn")),
			prompted("3", "2"), inserted("2", "m2"), tells(hello, shows(hello)), tells(state("idle")), tells(idle("end_turn"), answered("3", "end_turn")),
		}},
		{name: "an idle with another reason ends a turn that never began", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")), tells(idle("end_turn"), answered("2", "end_turn")),
			prompted("3", "2"), inserted("2", "m2"), tells(idle("end_turn")), tells(idle("refusal"), answered("3", "refusal")),
		}},
		{name: "the end of a turn comes with its usage and _meta, and without what cannot be read of them", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")),
			tells(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":1.5,"inputTokens":7,"outputTokens":2},"_meta":5}`, answered("2", "end_turn")),
			prompted("3", "2"), inserted("2", "m2"), tells(state("running")),
			tells(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2,"thoughtTokens":null,"cachedReadTokens":"x"},"_meta":{"a":1}}`,
				`C {"id":3,"result":{"stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2,"thoughtTokens":null},"_meta":{"a":1}}}`),
			prompted("4", "3"), inserted("3", "m3"), tells(state("running")),
			tells(`{"sessionUpdate":"state_update","state":"idle","stopReason":5}`, answered("4", "end_turn")),
			prompted("5", "4"), inserted("4", "m4"), tells(state("running")), cancel,
			tells(idle("_bored"),
				`C {"id":5,"result":{"stopReason":"cancelled","_meta":{"acp-bridge":{"stopReason":"_bored"}}}}`).losing("unknown stop reason"),
		}},
		{name: "a turn that failed while its prompt was not yet inserted is told with its error", steps: []step{
			prompted("2", "1"), tells(state("running")), tells(hello, shows(hello)),
			tells(`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":5,"message":"m"},"usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2}}`),
			inserted("1", "m1", failed("2", `{"code":5,"message":"m"}`)),
		}},
		{name: "an error of a prompt that was withdrawn, or that is no cancellation, stays an error", steps: []step{
			prompted("2", "1"), cancel,
			client(`{"method":"$/cancel_request","params":{"requestId":2}}`, `A {"method":"$/cancel_request","params":{"requestId":1}}`),
			agent(`{"id":1,"error":{"code":-32800,"message":"withdrawn"}}`, failed("2", `{"code":-32800,"message":"withdrawn"}`)),
			prompted("3", "2"), cancel,
			agent(`{"id":2,"error":{"code":-32603,"message":"broken"}}`, failed("3", `{"code":-32603,"message":"broken"}`)),
			prompted("4", "3"),
			agent(`{"id":3,"error":{"code":-32800,"message":"withdrawn"}}`, failed("4", `{"code":-32800,"message":"withdrawn"}`)),
		}},
		{name: "a cancel for a session that is not known, and a prompt behind a cancel", steps: []step{
			client(`{"method":"session/cancel","params":{"sessionId":"other"}}`,
				`A {"method":"session/cancel","params":{"sessionId":"other"}}`), cancel,
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")), tells(idle("_bored"),
				`C {"id":2,"result":{"stopReason":"end_turn","_meta":{"acp-bridge":{"stopReason":"_bored"}}}}`).losing("unknown stop reason"),
		}},
		{name: "an echo that comes in parts before the result is dropped, another user message is not", steps: []step{
			prompted("2", "1"), tells(chunk("user_message", "m1", "h")), tells(chunk("user_message", "m1", "i")),
			tells(chunk("user_message", "x", "other"), shows(chunk("user_message", "x", "other"))),
			prompted("3", "2"),
			inserted("1", "m1"), tells(chunk("user_message", "m1", "!")),
			agent(`{"id":2,"error":{"code":1,"message":"m"}}`, failed("3", `{"code":1,"message":"m"}`)),
		}},
		{name: "two prompts whose echoes are not named", steps: []step{
			prompted("2", "1"), prompted("3", "2"), agent(`{"id":1,"result":{}}`), agent(`{"id":2,"result":{}}`),
			tells(echo("m1")), tells(echo("m2")), tells(echo("m3"), shows(chunk("user_message", "m3", "hi"))), tells(echo("m1")),
		}},
		{name: "an echo that never came is not expected after the turn", steps: []step{
			prompted("2", "1"), agent(`{"id":1,"result":{}}`), tells(state("running")), tells(idle("end_turn"), answered("2", "end_turn")),
			tells(echo("m1"), shows(chunk("user_message", "m1", "hi"))),
		}},
		{name: "user messages without an id, and those that the client knows, are no echoes", steps: []step{
			tells(chunk("user_message", "m0", "before"), shows(chunk("user_message", "m0", "before"))),
			prompted("2", "1"),
			tells(`{"sessionUpdate":"user_message_chunk","content":`+block("no id")+`}`, shows(`{"sessionUpdate":"user_message_chunk","content":`+block("no id")+`}`)),
			tells(chunk("user_message", "m0", "more"), shows(chunk("user_message", "m0", "more"))),
			agent(`{"id":1,"result":{}}`),
			tells(chunk("user_message", "m0", "!"), shows(chunk("user_message", "m0", "!"))),
			tells(echo("m1")),
		}},
		{name: "the history of a session that is loaded in a turn is shown", steps: []step{
			prompted("2", "1"),
			client(`{"id":3,"method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`,
				`A {"id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}}`),
			tells(chunk("user_message", "m0", "hi"), shows(chunk("user_message", "m0", "hi"))),
			agent(`{"id":2,"result":{}}`, `C {"id":3,"result":{}}`),
			tells(chunk("user_message", "m1", "hi")),
			inserted("1", "m1"),
		}},
	})
}
