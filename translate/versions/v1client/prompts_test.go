package v1client

import (
	"strings"
	"testing"
	"time"
)

// prompted is a prompt with that id, and what the agent gets, as its request of
// that number.
func prompted(id, number string) step {
	return client(id+` session/prompt {"sessionId":"s","prompt":[`+block("hi")+`]}`,
		toA(number+` session/prompt {"sessionId":"s","prompt":[`+block("hi")+`]}`))
}

// inserted is the agent's answer to a prompt.
func inserted(number, message string, want ...string) step {
	return agent(number+` = {"messageId":"`+message+`"}`, want...)
}

func answered(id, reason string) string {
	return toC(id + ` = {"stopReason":"` + reason + `"}`)
}

func failed(id, failure string) string { return toC(id + ` ! ` + failure) }

// echo is the echo of a prompt.
func echo(message string) string {
	return `{"sessionUpdate":"user_message","messageId":"` + message + `","content":[` + block("hi") + `]}`
}

const image = `{"type":"image","data":"AA==","mimeType":"image/png"}`

var hello = chunk("agent_message", "m2", "Hello")

func TestPrompts(t *testing.T) {
	cancel := client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`))
	long := strings.Repeat("x", 2000)
	const gateway = `{"code":-32000,"message":"sign in","data":{"a":1.0}}`
	runCases(t, []testCase{
		{name: "a prompt is answered when the turn ends, its echo is not shown", steps: []step{
			prompted("2", "1"), agent(echo("m1")), inserted("1", "m1"), agent(state("running")),
			agent(hello, toC(hello)),
			agent(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2}}`,
				toC(`2 = {"stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2}}`)),
		}},
		{name: "what the agent says in the user's place is shown before what follows it", steps: []step{
			prompted("2", "1"),
			agent(chunk("user_message", "other", "Implement the plan."), toC(chunk("user_message", "other", "Implement the plan."))),
			agent(hello, toC(hello)),
			agent(chunk("user_message", "m1", "hi")), inserted("1", "m1"),
			agent(chunk("user_message", "other", "!"), toC(chunk("user_message", "other", "!"))),
		}},
		{name: "a user message that begins like the prompt and goes on otherwise is shown from then on", steps: []step{
			prompted("2", "1"),
			agent(chunk("user_message", "a", "h")), agent(chunk("user_message", "b", "hi")), agent(chunk("user_message", "a", "")), agent(hello, toC(hello)),
			agent(chunk("user_message", "a", "o"), toC(chunk("user_message", "a", "h")), toC(chunk("user_message", "a", "")),
				toC(chunk("user_message", "a", "o"))),
			agent(chunk("user_message", "a", "!"), toC(chunk("user_message", "a", "!"))),
			agent(chunk("user_message", "b", "!"), toC(chunk("user_message", "b", "hi")), toC(chunk("user_message", "b", "!"))),
			agent(chunk("user_message", "m1", "hi")), inserted("1", "m1"),
		}},
		{name: "an echo with a long id", steps: []step{
			prompted("2", "1"), agent(chunk("user_message", strings.Repeat("m", 5000), "h")), inserted("1", strings.Repeat("m", 5000)),
			agent(chunk("user_message", strings.Repeat("m", 5000), "i")),
			agent(chunk("user_message", strings.Repeat("m", 5001), "i"), toC(chunk("user_message", strings.Repeat("m", 5001), "i"))),
		}},
		{name: "of a long prompt its beginning tells which message may be the echo", steps: []step{
			client(`2 session/prompt {"sessionId":"s","prompt":[`+block(long)+`]}`, toA(`1 session/prompt {"sessionId":"s","prompt":[`+block(long)+`]}`)),
			agent(chunk("user_message", "m1", long[:1000])), agent(chunk("user_message", "m1", long[1000:])), agent(chunk("user_message", "m2", long+"!")),
			agent(chunk("user_message", "m3", "x!"), toC(chunk("user_message", "m3", "x!"))),
			inserted("1", "m1", toC(chunk("user_message", "m2", long+"!"))),
		}},
		{name: "a user message that is given another content may be the echo", steps: []step{
			prompted("2", "1"),
			agent(`{"sessionUpdate":"user_message","messageId":"m1","content":[]}`), agent(chunk("user_message", "m1", "h")),
			agent(`{"sessionUpdate":"user_message","messageId":"m1","_meta":{}}`), agent(echo("m1")),
			inserted("1", "m1"), agent(echo("m1")),
		}},
		{name: "an image is no echo of a text, a text with it may be the echo of a prompt with one", steps: []step{
			prompted("2", "1"),
			agent(`{"sessionUpdate":"user_message_chunk","messageId":"a","content":`+image+`}`,
				toC(`{"sessionUpdate":"user_message_chunk","messageId":"a","content":`+image+`}`)),
			client(`3 session/prompt {"sessionId":"s","prompt":[`+image+`,`+block("see")+`]}`,
				toA(`2 session/prompt {"sessionId":"s","prompt":[`+image+`,`+block("see")+`]}`)),
			agent(`{"sessionUpdate":"user_message","messageId":"m2","content":[` + image + `,` + block("see") + `]}`), inserted("1", "m1"), inserted("2", "m2"),
		}},
		{name: "the echo of the second of two prompts, before the first is named", steps: []step{
			prompted("2", "1"),
			client(`3 session/prompt {"sessionId":"s","prompt":[`+block("hi you")+`]}`,
				toA(`2 session/prompt {"sessionId":"s","prompt":[`+block("hi you")+`]}`)),
			agent(chunk("user_message", "m2", "hi ")), agent(chunk("user_message", "x", "h")), agent(chunk("user_message", "y", "")), inserted("1", "m1"),
			agent(chunk("user_message", "m2", "you")),
			inserted("2", "m2", toC(chunk("user_message", "x", "h")), toC(chunk("user_message", "y", ""))),
		}},
		{name: "an agent that names no message has repeated the prompt before, or does not", steps: []step{
			prompted("2", "1"), agent(chunk("user_message", "m1", "h")), agent(chunk("user_message", "x", "hi")),
			agent(`1 = {}`, toC(chunk("user_message", "x", "hi"))), agent(chunk("user_message", "m1", "i")),
			agent(state("running")), agent(idle("end_turn"), answered("2", "end_turn")),
			prompted("3", "2"), agent(`2 = {}`), agent(echo("m3"), toC(chunk("user_message", "m3", "hi"))),
		}},
		{name: "an error before insertion is the answer, and what is held is shown", steps: []step{
			prompted("2", "1"), agent(echo("x")),
			agent(`1 ! `+gateway, toC(chunk("user_message", "x", "hi")), failed("2", gateway)),
			agent(idle("error")),
		}},
		{name: "2: the echo is before the end of the turn, the result behind it", steps: []step{
			prompted("2", "1"), agent(state("running")), agent(echo("m1")), agent(idle("end_turn")), inserted("1", "m1", answered("2", "end_turn")),
		}},
		{name: "a turn that fails at once ends with a bare idle", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("idle")), wait(1999 * time.Millisecond), wait(time.Millisecond, answered("2", "end_turn")),
			prompted("3", "2"), inserted("2", "m2"), agent(state("idle")), wait(time.Second),
			agent(`{"sessionUpdate":"usage_update","used":1,"size":2}`, toC(`{"sessionUpdate":"usage_update","used":1,"size":2}`)),
			wait(1999 * time.Millisecond), wait(time.Millisecond, answered("3", "end_turn")),
			prompted("4", "3"), inserted("3", "m3"), agent(state("running")), agent(idle("refusal"), answered("4", "refusal")),
			prompted("5", "4"), inserted("4", "m4"), agent(idle("refusal")), wait(2*time.Second, answered("5", "refusal")),
		}},
		{name: "a turn that fails at once and is cancelled", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), cancel, agent(state("idle"), answered("2", "cancelled")),
			prompted("3", "2"), inserted("2", "m2"), agent(state("idle")), cancel, wait(2*time.Second, answered("3", "cancelled")),
		}},
		{name: "a question behind an idle: the agent works", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("idle")),
			agent(`5 elicitation/create {"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}`,
				toC(`1 elicitation/create {"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}`)),
			wait(time.Minute), agent(state("running")), agent(idle("end_turn"), answered("2", "end_turn")),
		}},
		{name: "a session that is closed, and one that the agent's end ends, while an idle may be the end", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("idle")),
			client(`3 session/delete {"sessionId":"s"}`, toA(`2 session/delete {"sessionId":"s"}`)),
			agent(`2 = {}`, answered("2", "cancelled"), toC(`3 = {}`)), wait(2 * time.Second),
			prompted("4", "3"), inserted("3", "m1"), agent(state("idle")),
			gone(failed("4", `{"code":-32603,"message":"agent exited"}`)), wait(2 * time.Second),
		}},
		{name: "an unknown state is work", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("dreaming")), agent(state("idle"), answered("2", "end_turn")),
		}},
		{name: "a state that cannot be read changes nothing", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("running")),
			agent(`{"sessionUpdate":"state_update","stopReason":"end_turn"}`).Losing("unreadable update"), agent(idle("end_turn"), answered("2", "end_turn")),
		}},
		{name: "an unknown stop reason is told with end_turn", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("running")),
			agent(`{"sessionUpdate":"state_update","state":"idle","stopReason":"_bored","_meta":{"x":1e0}}`,
				toC(`2 = {"stopReason":"end_turn","_meta":{"x":1e0,"acp-bridge":{"stopReason":"_bored"}}}`)).Losing("unknown stop reason"),
		}},
		{name: "a failed turn is an error", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("running")),
			agent(`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":`+gateway+`}`, failed("2", gateway)),
			prompted("3", "2"), inserted("2", "m2"), agent(state("running")),
			agent(`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":"x"}}`,
				failed("3", `{"code":-32603,"message":"The turn failed"}`)),
		}},
	})
}

func TestCancelledPrompts(t *testing.T) {
	runCases(t, []testCase{
		{name: "a cancelled turn is cancelled, whatever the agent says of it", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("running")),
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`)),
			agent(idle("error"), answered("2", "cancelled")),
		}},
		{name: "a prompt that is cancelled before insertion", steps: []step{
			prompted("2", "1"),
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`)),
			agent(idle("cancelled")),
			agent(`1 ! {"code":-32800,"message":"withdrawn"}`, answered("2", "cancelled")),
			prompted("3", "2"),
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`)),
			agent(idle("cancelled")), inserted("2", "m1", answered("3", "cancelled")),
		}},
		{name: "a prompt that is withdrawn before insertion", steps: []step{
			prompted("2", "1"),
			client(`$/cancel_request {"requestId":2}`, toA(`$/cancel_request {"requestId":1}`)),
			agent(`1 ! {"code":-32800,"message":"withdrawn"}`, failed("2", `{"code":-32800,"message":"withdrawn"}`)),
		}},
		{name: "a prompt that is withdrawn after insertion: the turn is cancelled", steps: []step{
			prompted(`"p"`, "1"), inserted("1", "m1"), agent(state("running")),
			client(`$/cancel_request {"requestId":"\u0070"}`, toA(`session/cancel {"sessionId":"s"}`)),
			agent(idle("cancelled"), answered(`"p"`, "cancelled")),
			client(`$/cancel_request {"requestId":"p"}`),
		}},
		{name: "a prompt that is withdrawn while the agent inserts it: the turn is cancelled", steps: []step{
			prompted("2", "1"), client(`$/cancel_request {"requestId":2}`, toA(`$/cancel_request {"requestId":1}`)),
			inserted("1", "m1", toA(`session/cancel {"sessionId":"s"}`)), agent(state("running")), agent(idle("cancelled"), answered("2", "cancelled")),
		}},
		{name: "a session that is closed, and an agent that forgets the turn", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("running")), prompted("3", "2"),
			client(`4 session/close {"sessionId":"s"}`, toA(`3 session/close {"sessionId":"s"}`)),
			agent(`3 = null`, answered("2", "cancelled"), answered("3", "cancelled"), toC(`4 = {}`)),
			agent(`2 ! {"code":-32800,"message":"withdrawn"}`),
			agent(`4 = {}`).Losing("answer to no request"),
		}},
		{name: "a session that is deleted, and an agent that forgets a prompt that it held", steps: []step{
			prompted("2", "1"),
			client(`3 session/delete {"sessionId":"s"}`, toA(`2 session/delete {"sessionId":"s"}`)),
			agent(`2 = {}`, answered("2", "cancelled"), toC(`3 = {}`)),
		}},
		{name: "a close that fails answers no prompt", steps: []step{
			prompted("2", "1"),
			client(`3 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			agent(`2 ! {"code":-32603,"message":"no"}`, failed("3", `{"code":-32603,"message":"no"}`)),
			inserted("1", "m1"), agent(state("running")), agent(idle("end_turn"), answered("2", "end_turn")),
		}},
		{name: "a close that fails cancels no turn: how it ends is told as it is", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("running")),
			client(`3 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			client(`4 session/delete {"sessionId":"s"}`, toA(`3 session/delete {"sessionId":"s"}`)),
			agent(`2 ! {"code":-32601,"message":"no"}`, failed("3", `{"code":-32601,"message":"no"}`)),
			agent(`3 ! {"code":-32601,"message":"no"}`, failed("4", `{"code":-32601,"message":"no"}`)),
			agent(`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":-32000,"message":"sign in"}}`,
				failed("2", `{"code":-32000,"message":"sign in"}`)),
		}},
		{name: "a prompt behind a close is the agent's to answer", steps: []step{
			client(`2 session/close {"sessionId":"s"}`, toA(`1 session/close {"sessionId":"s"}`)),
			prompted("3", "2"),
			agent(`1 = {}`, toC(`2 = {}`)),
			agent(`2 ! {"code":-32002,"message":"unknown session"}`, failed("3", `{"code":-32002,"message":"unknown session"}`)),
		}},
	})
}

func TestPromptsOfOddAgents(t *testing.T) {
	cancel := client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`))
	runCases(t, []testCase{
		{name: "an empty prompt is refused", steps: []step{
			client(`2 session/prompt {"sessionId":"s","prompt":[]}`, failed("2", `{"code":-32602,"message":"a prompt has at least one content block"}`)),
			client(`3 session/prompt`, failed("3", `{"code":-32602,"message":"a prompt has at least one content block"}`)),
			client(`4 session/prompt {"sessionId":"s","prompt":[1]}`, failed("4", `{"code":-32602,"message":"a content block of the prompt cannot be read"}`)),
		}},
		{name: "an answer that cannot be read", steps: []step{
			prompted("2", "1"), agent(`{"id":1,"method":5}`, failed("2", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
		}},
		{name: "an agent that ends answers everything", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("running")), prompted("3", "2"),
			client(`4 session/list {}`, toA(`3 session/list {}`)),
			gone(failed("2", `{"code":-32603,"message":"agent exited"}`), failed("3", `{"code":-32603,"message":"agent exited"}`),
				failed("4", `{"code":-32603,"message":"agent exited"}`)),
			client(`5 session/list {}`, failed("5", `{"code":-32603,"message":"agent exited"}`)),
		}},
		{name: "what was collected leaves before the answer", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("running")),
			agent(`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T"}`, toC(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`)),
			agent(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":{"type":"content","content":` + block("a") + `}}`),
			agent(idle("end_turn"), toC(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":`+block("a")+`}]}`),
				answered("2", "end_turn")),
			wait(time.Second),
		}},
		{name: "the end of a turn comes with its usage and _meta, and without what cannot be read of them", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("running")),
			agent(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":1.5,"inputTokens":7,`+
				`"outputTokens":2},"_meta":5}`, answered("2", "end_turn")),
			prompted("3", "2"), inserted("2", "m2"), agent(state("running")),
			agent(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2,`+
				`"thoughtTokens":null,"cachedReadTokens":"x"},"_meta":{"a":1}}`,
				toC(`3 = {"stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2,"thoughtTokens":null},"_meta":{"a":1}}`)),
			prompted("4", "3"), inserted("3", "m3"), agent(state("running")),
			agent(`{"sessionUpdate":"state_update","state":"idle","stopReason":5}`, answered("4", "end_turn")),
			prompted("5", "4"), inserted("4", "m4"), agent(state("running")), cancel,
			agent(idle("_bored"),
				toC(`5 = {"stopReason":"cancelled","_meta":{"acp-bridge":{"stopReason":"_bored"}}}`)).Losing("unknown stop reason"),
		}},
		{name: "a turn that failed while its prompt was not yet inserted is told with its error", steps: []step{
			prompted("2", "1"), agent(state("running")), agent(hello, toC(hello)),
			agent(`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":5,"message":"m"},` +
				`"usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2}}`),
			inserted("1", "m1", failed("2", `{"code":5,"message":"m"}`)),
		}},
		{name: "an error of a prompt that was withdrawn, or that is no cancellation, stays an error", steps: []step{
			prompted("2", "1"), cancel,
			client(`$/cancel_request {"requestId":2}`, toA(`$/cancel_request {"requestId":1}`)),
			agent(`1 ! {"code":-32800,"message":"withdrawn"}`, failed("2", `{"code":-32800,"message":"withdrawn"}`)),
			prompted("3", "2"), cancel,
			agent(`2 ! {"code":-32603,"message":"broken"}`, failed("3", `{"code":-32603,"message":"broken"}`)),
			prompted("4", "3"),
			agent(`3 ! {"code":-32800,"message":"withdrawn"}`, failed("4", `{"code":-32800,"message":"withdrawn"}`)),
		}},
		{name: "user messages without an id, and those that the client knows, are no echoes", steps: []step{
			agent(chunk("user_message", "m0", "before"), toC(chunk("user_message", "m0", "before"))),
			prompted("2", "1"),
			agent(`{"sessionUpdate":"user_message_chunk","content":`+block("no id")+`}`,
				toC(`{"sessionUpdate":"user_message_chunk","content":`+block("no id")+`}`)),
			agent(chunk("user_message", "m0", "more"), toC(chunk("user_message", "m0", "more"))),
			agent(`1 = {}`),
			agent(chunk("user_message", "m0", "!"), toC(chunk("user_message", "m0", "!"))),
		}},
		{name: "the history of a session that is loaded in a turn is shown", steps: []step{
			prompted("2", "1"),
			client(`3 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`,
				toA(`2 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}`)),
			agent(chunk("user_message", "m0", "hi"), toC(chunk("user_message", "m0", "hi"))),
			agent(`2 = {}`, toC(`3 = {}`)),
			agent(chunk("user_message", "m1", "hi")),
			inserted("1", "m1"),
		}},
	})
}
