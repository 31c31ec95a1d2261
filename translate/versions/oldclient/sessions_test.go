package oldclient

import (
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate/versions/words"
)

const (
	modeV2 = `{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code","description":"d"}]}`
	modeV1 = `{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code","description":"d"}]}`
	codeV2 = `{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"code","options":[{"value":"code","name":"Code"}]}`
	codeV1 = `{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"code","options":[{"value":"code","name":"Code"}]}`
	modes  = `{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code","description":"d"}]}`

	commandsV2 = `[{"type":"command","name":"plan","description":"Plan","input":{"type":"text","hint":"what"}}]`
	commandsV1 = `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"plan","description":"Plan","input":{"hint":"what"}}]}`
)

// opened opens the session s, with a mode.
var opened = []step{
	client(`{"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`, `A {"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`),
	agent(`{"id":1,"result":{"sessionId":"s","configOptions":[`+modeV2+`]}}`, `C {"id":1,"result":{"sessionId":"s","modes":`+modes+`,"configOptions":[`+modeV1+`]}}`),
}

// opens is a session/new of the client with that id, and what the agent gets, as its
// request of that number.
func opens(id, number string) step {
	return client(`{"id":`+id+`,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`, `A {"id":`+number+`,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`)
}

// loads is a session/load of the client for the session s with that id, and what the
// agent gets, as its request of that number.
func loads(id, number string) step {
	return client(`{"id":`+id+`,"method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`,
		`A {"id":`+number+`,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}}`)
}

// wantsToKnow is a permission request of the agent, with an id that is a string.
func wantsToKnow(id, session string) string {
	return `{"id":"` + id + `","method":"session/request_permission","params":{"sessionId":"` + session + `","title":"Go?","options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}}`
}

// isAsked is what the client gets of it.
func isAsked(number, session, question string) string {
	return `C {"id":` + number + `,"method":"session/request_permission","params":{"sessionId":"` + session + `","toolCall":{"toolCallId":"perm-` + question + `","kind":"other","status":"pending","title":"Go?"},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}}`
}

func TestSessions(t *testing.T) {
	// prompt has a link to a file by its path.
	prompt := func(id, session string) string {
		return `{"id":` + id + `,"method":"session/prompt","params":{"sessionId":"` + session + `","prompt":[` + block("see") + `,{"type":"resource_link","name":"n","uri":"a.go"}]}}`
	}
	runCases(t, []testCase{
		{name: "session/new: servers, modes, options, and commands behind the answer", steps: []step{
			client(`{"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[{"name":"fs","command":"/usr/bin/fs","args":[],"env":[]},{"type":"http","name":"fs","url":"https://x","headers":[]}]}}`,
				`A {"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[{"type":"stdio","name":"fs","command":"/usr/bin/fs","args":[],"env":[]},{"type":"http","name":"fs-2","url":"https://x","headers":[]}]}}`),
			agent(`{"id":1,"result":{"sessionId":"s1","configOptions":[`+modeV2+`],"availableCommands":`+commandsV2+`}}`,
				`C {"id":1,"result":{"sessionId":"s1","modes":`+modes+`,"configOptions":[`+modeV1+`]}}`, "C "+in("s1", commandsV1)),
		}},
		{name: "updates before the answer wait for it, those of other sessions do not", steps: []step{
			client(`{"id":1,"method":"session/resume","params":{"sessionId":"old","cwd":"/p","mcpServers":[]}}`,
				`A {"id":1,"method":"session/resume","params":{"sessionId":"old","cwd":"/p","mcpServers":[]}}`),
			client(`{"id":2,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`, `A {"id":2,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`),
			agent(in("s1", hello)), agent(in("old", hello), "C "+in("old", hello)), agent(in("s2", hello)),
			agent(`{"id":"p","method":"session/request_permission","params":{"sessionId":"s1","title":"Go?","options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}}`),
			agent(`{"id":2,"result":{"sessionId":"s1","availableCommands":`+commandsV2+`}}`, `C {"id":2,"result":{"sessionId":"s1"}}`, "C "+in("s1", hello),
				`C {"id":1,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}}`,
				"C "+in("s1", commandsV1), "C "+in("s2", hello)),
		}},
		{name: "what one side offers and the other does not know of is told with each session",
			client: words.OldClient{Files: true, Terminals: true}, agent: &words.NewAgent{SignIns: true}, steps: []step{
				client(`{"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[{"name":"fs","command":"/usr/bin/fs","args":[],"env":[]}]}}`,
					`A {"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[{"type":"stdio","name":"fs","command":"/usr/bin/fs","args":[],"env":[]}]}}`).
					losing("files of the client", "terminals of the client", "ways to sign in", "MCP servers"),
				client(`{"id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`,
					`A {"id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`).
					losing("files of the client", "terminals of the client", "ways to sign in"),
			}},
		{name: "a request before the answer waits for a second, and takes along what came before it", steps: []step{
			opens("1", "1"),
			agent(in("s", hello)), agent(wantsToKnow("p", "s")), agent(in("other", hello)), agent(in("s", chunk("agent_message", "m2", "!"))),
			wait(999 * time.Millisecond),
			wait(time.Millisecond, "C "+in("s", hello), isAsked("1", "s", "1"), "C "+in("s", chunk("agent_message", "m2", "!"))),
			tells(chunk("agent_message", "m2", "?"), shows(chunk("agent_message", "m2", "?"))),
			client(`{"id":1,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}`, `A {"id":"p","result":{"outcome":{"outcome":"selected","optionId":"y"}}}`, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-1","status":"completed"}`)),
			agent(`{"id":1,"result":{"sessionId":"s"}}`, `C {"id":1,"result":{"sessionId":"s"}}`, "C "+in("other", hello)),
			wait(time.Hour),
		}},
		{name: "two sessions that ask before their answers, one of which comes in time", steps: []step{
			opens("1", "1"), opens("2", "2"),
			agent(wantsToKnow("p", "s")), wait(time.Second / 2), agent(wantsToKnow("q", "t")),
			agent(`{"id":2,"result":{"sessionId":"t"}}`, `C {"id":2,"result":{"sessionId":"t"}}`, isAsked("1", "t", "1")),
			wait(time.Second/2, isAsked("2", "s", "2")),
			agent(`{"id":1,"error":{"code":-32603,"message":"no"}}`, failed("1", `{"code":-32603,"message":"no"}`)),
		}},
		{name: "an agent that asks, and then opens another session or none", steps: []step{
			opens("1", "1"), agent(wantsToKnow("p", "s")), agent(`{"id":1,"result":{"sessionId":"t"}}`, `C {"id":1,"result":{"sessionId":"t"}}`, isAsked("1", "s", "1")),
			opens("2", "2"), agent(wantsToKnow("q", "u")), agent(`{"id":2,"error":{"code":-32603,"message":"no"}}`, failed("2", `{"code":-32603,"message":"no"}`), isAsked("2", "u", "2")),
			wait(time.Hour),
		}},
		{name: "an agent that asks before its answer, and cancels what it has asked", steps: []step{
			opens("1", "1"), agent(wantsToKnow(`p`, "s")), agent(`{"id":7,"method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"m","url":"https://x","elicitationId":"e"}}`),
			agent(`{"id":8,"method":"_ask","params":{"sessionId":"s"}}`),
			agent(`{"method":"$/cancel_request","params":{"requestId":"\u0070"}}`, `A {"id":"p","result":{"outcome":{"outcome":"cancelled"}}}`),
			agent(`{"method":"$/cancel_request","params":{"requestId":7}}`, `A {"id":7,"result":{"action":"cancel"}}`),
			agent(`{"method":"$/cancel_request","params":{"requestId":8}}`, `A {"id":8,"error":{"code":-32800,"message":"Request cancelled"}}`),
			agent(`{"method":"$/cancel_request","params":{"requestId":8}}`), agent(`{"method":"$/cancel_request"}`),
			wait(time.Hour), agent(`{"id":1,"result":{"sessionId":"s"}}`, `C {"id":1,"result":{"sessionId":"s"}}`),
		}},
		{name: "an agent that asks before its answer, and ends", steps: []step{
			opens("1", "1"), agent(wantsToKnow("p", "s")), gone("agent exited", failed("1", `{"code":-32603,"message":"agent exited"}`)), wait(time.Hour),
		}},
		{name: "an answer without a session is an error", steps: []step{
			client(`{"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`, `A {"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`),
			agent(`{"id":1,"result":{}}`, failed("1", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`{"id":2,"method":"session/fork","params":{"sessionId":"s","cwd":"/p"}}`, `A {"id":2,"method":"session/fork","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`),
			agent(`{"id":2,"error":{"code":-32602,"message":"no","data":1.0}}`, failed("2", `{"code":-32602,"message":"no","data":1.0}`)),
			client(`{"id":3,"method":"session/new","params":5}`, failed("3", `{"code":-32602,"message":"the params cannot be read"}`)),
		}},
		{name: "what a subagent said before its session was answered comes before what it says then, also if another session is still open", steps: []step{
			opens("1", "1"), opens("2", "2"),
			tells(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Look"}`),
			agent(in("kid", chunk("agent_message", "m", "one "))),
			agent(`{"id":1,"result":{"sessionId":"s"}}`, `C {"id":1,"result":{"sessionId":"s"}}`,
				shows(`{"sessionUpdate":"tool_call","toolCallId":"subagent:kid","kind":"other","status":"in_progress","title":"Look","content":[]}`)).losing("subagent"),
			agent(in("kid", chunk("agent_message", "m", "two"))),
			wait(time.Second, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"subagent:kid","content":[`+textItem("one two")+`]}`)),
			agent(`{"id":2,"result":{"sessionId":"other"}}`, `C {"id":2,"result":{"sessionId":"other"}}`),
		}},
		{name: "a subagent that asks before the session that it works for is answered is asked about in that session", steps: []step{
			opens("1", "1"), agent(in("other", hello)),
			tells(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Look"}`),
			agent(in("kid", `{"sessionUpdate":"subagent_update","sessionId":"grandkid","title":"Deeper"}`)),
			agent(wantsToKnow("p", "grandkid")),
			wait(time.Second,
				shows(`{"sessionUpdate":"tool_call","toolCallId":"subagent:kid","kind":"other","status":"in_progress","title":"Look","content":[]}`),
				shows(`{"sessionUpdate":"tool_call","toolCallId":"subagent:grandkid","kind":"other","status":"in_progress","title":"Deeper","content":[]}`),
				isAsked("1", "s", "1")).losing("subagent", "subagent"),
			agent(`{"id":1,"result":{"sessionId":"s"}}`, `C {"id":1,"result":{"sessionId":"s"}}`, "C "+in("other", hello)),
		}},
		{name: "requests without an id reach nobody", steps: []step{
			client(`{"method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`).losing("request without an id"),
			client(`{"method":"session/set_mode","params":{"sessionId":"s","modeId":"code"}}`).losing("request without an id"),
			client(`{"method":"authenticate","params":{"methodId":"m"}}`).losing("request without an id"),
			client(`{"method":"logout"}`).losing("request without an id"),
			client(`{"method":"session/prompt","params":{"sessionId":"s","prompt":[` + block("hi") + `]}}`).losing("request without an id"),
			agent(`{"method":"session/request_permission","params":{"sessionId":"s","title":"Go?","options":[]}}`).losing("request without an id"),
		}},
		{name: "session/load is session/resume from the start; what was said is shown", steps: []step{
			client(`{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`,
				`A {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}}`),
			tells(`{"sessionUpdate":"user_message","messageId":"m1","content":[]}`),
			tells(chunk("user_message", "m1", "hi"), shows(chunk("user_message", "m1", "hi"))),
			tells(hello, shows(hello)), tells(`{"sessionUpdate":"replay_complete"}`), tells(state("idle")),
			agent(`{"id":1,"result":{"configOptions":[],"availableCommands":`+commandsV2+`}}`, `C {"id":1,"result":{"configOptions":[]}}`, shows(commandsV1)),
			client(`{"id":2,"method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`,
				`A {"id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}}`),
			tells(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello")+`]}`, shows(`{"sessionUpdate":"agent_message_chunk","messageId":"m2","content":`+block("Hello")+`}`)),
			agent(`{"id":2,"result":null}`, `C {"id":2,"result":{}}`),
		}},
		{name: "a system prompt is what version 2 can read, or refused", steps: []step{
			client(`{"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[],"systemPrompt":{"mode":"append","content":[{"type":"text","text":"a","annotations":{"priority":7,"audience":["user","x"]}},{"type":"resource_link","name":"n","uri":"/a b"},{"type":"resource_link","name":"n","uri":"c"}],"_meta":5}}}`,
				`A {"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[],"systemPrompt":{"mode":"append","content":[{"type":"text","text":"a","annotations":{"audience":["user"]}},{"type":"resource_link","name":"n","uri":"file:///a%20b"},{"type":"resource_link","name":"n","uri":"file:///p/c"}]}}}`),
			client(`{"id":2,"method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":[],"systemPrompt":{"mode":"override","content":[{"type":"text","text":"a"},{"type":"image"}]}}}`,
				failed("2", `{"code":-32602,"message":"the params cannot be read"}`)),
			client(`{"id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","systemPrompt":{"mode":"override","content":[{"type":"text","text":"a","_meta":5}]}}}`,
				`A {"id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","systemPrompt":{"mode":"override","content":[{"type":"text","text":"a"}]},"mcpServers":[]}}`),
			client(`{"id":4,"method":"session/fork","params":{"sessionId":"s","cwd":"/p","systemPrompt":null}}`,
				`A {"id":3,"method":"session/fork","params":{"sessionId":"s","cwd":"/p","systemPrompt":null,"mcpServers":[]}}`),
		}},
		{name: "list, delete, sign in and out, status, and what nobody knows", steps: []step{
			client(`{"id":1,"method":"session/list","params":{"cursor":""}}`, `A {"id":1,"method":"session/list","params":{"cursor":""}}`),
			agent(`{"id":1,"result":{"sessions":[{"sessionId":"a","cwd":"/p","updatedAt":5},{"cwd":"/q"}],"nextCursor":"c"}}`, `C {"id":1,"result":{"sessions":[{"sessionId":"a","cwd":"/p"}],"nextCursor":"c"}}`),
			client(`{"id":2,"method":"authenticate","params":{"methodId":"m"}}`, `A {"id":2,"method":"auth/login","params":{"methodId":"m"}}`),
			agent(`{"id":2,"result":null}`, `C {"id":2,"result":{}}`),
			client(`{"id":3,"method":"logout","params":{}}`, `A {"id":3,"method":"auth/logout","params":{}}`),
			agent(`{"id":3,"result":{"_meta":{}}}`, `C {"id":3,"result":{"_meta":{}}}`),
			client(`{"id":4,"method":"session/status","params":{"sessionId":"s"}}`, `A {"id":4,"method":"session/status","params":{"sessionId":"s"}}`),
			agent(`{"id":4,"result":{"state":{"state":"idle"},"status":"open"}}`, `C {"id":4,"result":{"status":"open"}}`),
			client(`{"id":"x","method":"_mine","params":[1]}`, `A {"id":5,"method":"_mine","params":[1]}`),
			agent(`{"id":5,"result":[2]}`, `C {"id":"x","result":[2]}`),
			client(`{"method":"_note"}`, `A {"method":"_note"}`),
			agent(`{"method":"_note"}`, `C {"method":"_note"}`),
			agent(`{"id":"x","method":"_theirs"}`, `C {"id":1,"method":"_theirs"}`),
			client(`{"id":1,"result":null}`, `A {"id":"x","result":{}}`),
			agent(`{"id":"y","method":"_theirs"}`, `C {"id":2,"method":"_theirs"}`),
			agent(`{"method":"$/cancel_request","params":{"requestId":"y"}}`, `C {"method":"$/cancel_request","params":{"requestId":2}}`),
			client(`{"id":2,"error":{"code":-32800,"message":"m"}}`, `A {"id":"y","error":{"code":-32800,"message":"m"}}`),
			agent(`{"id":7,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/x"}}`, `A {"id":7,"error":{"code":-32601,"message":"Method not found"}}`),
			client(`{"id":8,"method":"initialize","params":{}}`, failed("8", `{"code":-32600,"message":"initialize may only be requested once per connection"}`)),
		}},
		{name: "a _meta that is no object is left out of params", steps: []step{
			client(`{"id":1,"method":"session/set_title","params":{"_meta":5,"sessionId":"s","title":"T"}}`, `A {"id":1,"method":"session/set_title","params":{"sessionId":"s","title":"T"}}`),
			client(`{"id":2,"method":"session/new","params":{"cwd":"/p","mcpServers":[],"_meta":"x"}}`, `A {"id":2,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`),
			client(`{"id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("hi")+`],"_meta":[]}}`, `A {"id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("hi")+`]}}`),
			client(`{"id":4,"method":"_mine","params":{"_meta":5}}`, `A {"id":4,"method":"_mine","params":{"_meta":5}}`),
			client(`{"id":5,"method":"session/list","params":{"cwd":"/p","_meta":5}}`, `A {"id":5,"method":"session/list","params":{"cwd":"/p"}}`),
			client(`{"id":6,"method":"session/delete","params":{"sessionId":"t","_meta":true}}`, `A {"id":6,"method":"session/delete","params":{"sessionId":"t"}}`),
		}},
		{name: "notifications that version 1 cannot read", steps: []step{
			agent(`{"method":"elicitation/complete","params":{"elicitationId":5}}`).losing("unreadable notification"),
			agent(`{"method":"elicitation/complete"}`).losing("unreadable notification"),
			agent(`{"method":"elicitation/complete","params":{"elicitationId":"i","_meta":5}}`, `C {"method":"elicitation/complete","params":{"elicitationId":"i"}}`),
			agent(`{"method":"auth/status_update","params":{"state":"unknown","accounts":[{}]}}`, `C {"method":"auth/status_update","params":{"state":"unknown","accounts":[]}}`).losing("account"),
			agent(`{"method":"auth/status_update","params":{ "state":"unknown" }}`, `C {"method":"auth/status_update","params":{"state":"unknown"}}`),
			agent(`{"method":"auth/status_update","params":{}}`).losing("unreadable notification"),
		}},
		{name: "answers to nothing, and objects that are not messages", steps: []step{
			agent(`{"id":77,"result":{}}`).losing("answer to no request"), client(`{"id":77,"result":{}}`).losing("answer to no request"), agent(`{"x":1}`).losing("unreadable message"), client(`{"x":1}`).losing("unreadable message"),
			client(`{"id":1,"method":"a","result":1}`, failed("1", `{"code":-32600,"message":"the message is a request and a response"}`)),
			agent(`{"id":1,"method":"a","result":1}`, `A {"id":1,"error":{"code":-32600,"message":"the message is a request and a response"}}`),
		}},
		{name: "paths in a prompt are relative to the directory of the session", steps: []step{
			client(`{"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`, `A {"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`),
			agent(`{"id":1,"result":{"sessionId":"s"}}`, `C {"id":1,"result":{"sessionId":"s"}}`),
			client(prompt("2", "s"),
				`A {"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("see")+`,{"type":"resource_link","name":"n","uri":"file:///p/a.go"}]}}`),
			client(`{"id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/q","mcpServers":[]}}`,
				`A {"id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/q","mcpServers":[]}}`),
			client(prompt("4", "s"),
				`A {"id":4,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("see")+`,{"type":"resource_link","name":"n","uri":"file:///q/a.go"}]}}`),
			client(prompt("7", "unknown"), failed("7", `{"code":-32602,"message":"a content block of the prompt cannot be read"}`)),
			client(`{"id":8,"method":"session/fork","params":{"sessionId":"s","cwd":"/f","mcpServers":[]}}`,
				`A {"id":5,"method":"session/fork","params":{"sessionId":"s","cwd":"/f","mcpServers":[]}}`),
			agent(`{"id":5,"result":{"sessionId":"forked"}}`, `C {"id":8,"result":{"sessionId":"forked"}}`),
			client(prompt("9", "forked"),
				`A {"id":6,"method":"session/prompt","params":{"sessionId":"forked","prompt":[`+block("see")+`,{"type":"resource_link","name":"n","uri":"file:///f/a.go"}]}}`),
		}},
		{name: "session/load without a session is refused, and answers that cannot be read", steps: []step{
			client(`{"id":1,"method":"session/load","params":{"cwd":"/p","mcpServers":[]}}`, failed("1", `{"code":-32602,"message":"sessionId is missing"}`)),
			client(`{"id":2,"method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":5}}`, failed("2", `{"code":-32602,"message":"the params cannot be read"}`)),
			client(`{"id":3,"method":"session/load","params":{"sessionId":"s","cwd":"/p"}}`,
				`A {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}}`),
			agent(`{"id":1,"result":5}`, failed("3", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`{"id":4,"method":"session/new","params":{"cwd":"/p"}}`, `A {"id":2,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`),
			agent(`{"id":2,"result":5}`, failed("4", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`{"id":5,"method":"session/list","params":{}}`, `A {"id":3,"method":"session/list","params":{}}`),
			agent(`{"id":3,"result":5}`, failed("5", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`{"id":6,"method":"session/list","params":{}}`, `A {"id":4,"method":"session/list","params":{}}`),
			agent(`{"id":4,"result":{}}`, `C {"id":6,"result":{"sessions":[]}}`),
			client(`{"id":7,"method":"session/list","params":{}}`, `A {"id":5,"method":"session/list","params":{}}`),
			agent(`{"id":5,"error":{"code":1,"message":"m"}}`, failed("7", `{"code":1,"message":"m"}`)),
			client(`{"id":8,"method":"session/list","params":{}}`, `A {"id":6,"method":"session/list","params":{}}`),
			agent(`{"id":6}`, failed("8", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`{"id":9,"method":"session/list","params":{}}`, `A {"id":7,"method":"session/list","params":{}}`),
			agent(`{"id":7,"result":{"sessions":[{"sessionId":"a","cwd":"/p","title":null,"archived":1,"additionalDirectories":["/x",5]}],"nextCursor":5,"_meta":5}}`,
				`C {"id":9,"result":{"sessions":[{"sessionId":"a","cwd":"/p","title":null,"additionalDirectories":["/x"]}]}}`),
		}},
		{name: "session/resume keeps what the client has, session/load begins again", steps: []step{
			tells(hello,
				shows(hello)), begin,
			tells(call(`,"content":[{"type":"terminal","terminalId":"x"}]`),
				shows(call(`,"content":[]`))).losing("terminal"),
			client(`{"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`,
				`A {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`),
			agent(`{"id":1,"result":{}}`, `C {"id":1,"result":{}}`),
			tells(call(`,"status":"completed"`), shows(call(`,"status":"completed"`))),
			client(`{"id":2,"method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`,
				`A {"id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}}`),
			tells(call(`,"title":"T","status":"completed"`), shows(begun(`,"title":"T","status":"completed"`))),
			tells(`{"sessionUpdate":"user_message","messageId":"u","content":[`+block("hi")+`]}`, shows(chunk("user_message", "u", "hi"))),
			tells(contentChunk(textItem("a"))),
			agent(`{"id":2,"result":{}}`, shows(call(`,"content":[`+textItem("a")+`]`)), `C {"id":2,"result":{}}`),
			client(`{"id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("hi")+`]}}`,
				`A {"id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[`+block("hi")+`]}}`),
			tells(`{"sessionUpdate":"user_message","messageId":"v","content":[` + block("hi") + `]}`),
		}},
		{name: "a session that could not be loaded again goes on: what the client has is not shown twice", steps: []step{
			begin, tells(call(`,"content":[`+textItem("a")+`]`), shows(call(`,"content":[`+textItem("a")+`]`))), tells(hello, shows(hello)),
			tells(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"K"}`,
				shows(`{"sessionUpdate":"tool_call","toolCallId":"subagent:kid","kind":"other","status":"in_progress","title":"K","content":[]}`)).losing("subagent"),
			loads("1", "1"),
			agent(in("kid", chunk("agent_message", "m", "on it"))),
			agent(`{"id":1,"error":{"code":1,"message":"m"}}`, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"subagent:kid","content":[`+textItem("on it")+`]}`), failed("1", `{"code":1,"message":"m"}`)),
			tells(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello you")+`]}`, shows(chunk("agent_message", "m2", " you"))),
			tells(contentChunk(textItem("b"))),
			wait(time.Second, shows(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`]`))),
			loads("2", "2"), agent(`{"id":2,"result":5}`, failed("2", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			tells(`{"sessionUpdate":"agent_message","messageId":"m2","content":[` + block("Hello you") + `]}`),
		}},
		{name: "what the client has is forgotten when a session is loaded without a history", steps: []step{
			tells(hello, shows(hello)), loads("1", "1"), agent(`{"id":1,"result":{}}`, `C {"id":1,"result":{}}`),
			tells(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello")+`]}`, shows(hello)),
		}},
		{name: "a session that is loaded three times at once", steps: []step{
			tells(hello, shows(hello)), loads("1", "1"), loads("2", "2"), loads("3", "3"),
			agent(`{"id":1,"error":{"code":1,"message":"m"}}`, failed("1", `{"code":1,"message":"m"}`)),
			tells(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello")+`]}`, shows(hello)), agent(`{"id":2,"result":{}}`, `C {"id":2,"result":{}}`),
			tells(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello")+`]}`, shows(hello)), agent(`{"id":3,"result":{}}`, `C {"id":3,"result":{}}`),
			tells(`{"sessionUpdate":"agent_message","messageId":"m2","content":[` + block("Hello") + `]}`),
		}},
		{name: "a session that is resumed while it is loaded shows its history", steps: []step{
			tells(hello, shows(hello)), loads("1", "1"),
			client(`{"id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`,
				`A {"id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`),
			agent(`{"id":2,"result":{}}`, `C {"id":2,"result":{}}`),
			tells(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello")+`]}`, shows(hello)),
			agent(`{"id":1,"result":{}}`, `C {"id":1,"result":{}}`),
			tells(`{"sessionUpdate":"agent_message","messageId":"m2","content":[` + block("Hello") + `]}`),
		}},
		{name: "a session that could not be loaded again stays open: it is no subagent to the client", steps: []step{
			tells(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"K"}`,
				shows(`{"sessionUpdate":"tool_call","toolCallId":"subagent:kid","kind":"other","status":"in_progress","title":"K","content":[]}`)).losing("subagent"),
			client(`{"id":1,"method":"session/resume","params":{"sessionId":"kid","cwd":"/p","mcpServers":[]}}`,
				`A {"id":1,"method":"session/resume","params":{"sessionId":"kid","cwd":"/p","mcpServers":[]}}`),
			agent(`{"id":1,"result":{}}`, `C {"id":1,"result":{}}`),
			client(`{"id":2,"method":"session/resume","params":{"sessionId":"kid","cwd":"/p","mcpServers":[]}}`,
				`A {"id":2,"method":"session/resume","params":{"sessionId":"kid","cwd":"/p","mcpServers":[]}}`),
			agent(`{"id":2,"error":{"code":1,"message":"m"}}`, failed("2", `{"code":1,"message":"m"}`)),
			agent(in("kid", hello), "C "+in("kid", hello)),
		}},
		{name: "a session that could not be loaded is not open: its subagents are shown where they work", steps: []step{
			tells(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"K"}`,
				shows(`{"sessionUpdate":"tool_call","toolCallId":"subagent:kid","kind":"other","status":"in_progress","title":"K","content":[]}`)).losing("subagent"),
			client(`{"id":1,"method":"session/load","params":{"sessionId":"kid","cwd":"/p","mcpServers":[]}}`,
				`A {"id":1,"method":"session/resume","params":{"sessionId":"kid","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}}`),
			agent(in("kid", hello),
				"C "+in("kid", hello)),
			agent(`{"id":1,"error":{"code":1,"message":"m"}}`, failed("1", `{"code":1,"message":"m"}`)),
			agent(in("kid", chunk("agent_message", "m3", "again"))),
			wait(time.Second,
				shows(`{"sessionUpdate":"tool_call_update","toolCallId":"subagent:kid","content":[`+textItem("again")+`]}`)),
		}},
		{name: "an answer to session/load for a session that was closed meanwhile", steps: []step{
			client(`{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`,
				`A {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}}`),
			client(`{"id":2,"method":"session/close","params":{"sessionId":"s"}}`, `A {"id":2,"method":"session/close","params":{"sessionId":"s"}}`),
			agent(`{"id":2,"result":{}}`, `C {"id":2,"result":{}}`),
			agent(`{"id":1,"result":{"configOptions":[`+modeV2+`]}}`,
				`C {"id":1,"result":{"modes":`+modes+`,"configOptions":[`+modeV1+`]}}`),
		}},
		{name: "two sessions begin at once: the messages of each wait for its answer", steps: []step{
			client(`{"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`, `A {"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`),
			client(`{"id":2,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`, `A {"id":2,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`),
			agent(in("b", hello)), agent(in("a", hello)), agent(in("b", chunk("agent_message", "m2", "!"))),
			agent(`{"id":1,"result":{"sessionId":"a"}}`,
				`C {"id":1,"result":{"sessionId":"a"}}`,
				"C "+in("a", hello)),
			agent(in("a", hello),
				"C "+in("a", hello)), agent(in("b", chunk("agent_message", "m2", "?"))),
			agent(`{"id":2,"error":{"code":1,"message":"m"}}`,
				failed("2", `{"code":1,"message":"m"}`),
				"C "+in("b", hello),
				"C "+in("b", chunk("agent_message", "m2", "!")),
				"C "+in("b", chunk("agent_message", "m2", "?"))),
			agent(in("c", hello),
				"C "+in("c", hello)),
		}},
		{name: "the commands of a session that cannot be read are left out, and members of version 1 and _meta of another type", steps: []step{
			client(`{"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`, `A {"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`),
			agent(`{"id":1,"result":{"sessionId":"s","_meta":5,"modes":{"currentModeId":"x"},"models":{},"replayFrom":{},"availableCommands":5,"configOptions":5,"more":[1]}}`, `C {"id":1,"result":{"sessionId":"s","more":[1]}}`),
			client(`{"id":2,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`, `A {"id":2,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`),
			agent(`{"id":2,"result":{"sessionId":"s2","_meta":{"a":1},"availableCommands":null,"configOptions":null}}`, `C {"id":2,"result":{"sessionId":"s2","_meta":{"a":1}}}`),
		}},
		{name: "a session that is not closed stays, with its prompts", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), tells(state("running")),
			client(`{"id":3,"method":"session/close","params":{"sessionId":"s"}}`, `A {"id":2,"method":"session/close","params":{"sessionId":"s"}}`),
			agent(`{"id":2,"error":{"code":1,"message":"m"}}`, failed("3", `{"code":1,"message":"m"}`)),
			tells(idle("end_turn"), answered("2", "end_turn")),
			begin,
			tells(contentChunk(textItem("a"))),
			client(`{"id":4,"method":"session/delete","params":{"sessionId":"s"}}`, `A {"id":3,"method":"session/delete","params":{"sessionId":"s"}}`),
			agent(`{"id":3,"result":{}}`, shows(call(`,"content":[`+textItem("a")+`]`)), `C {"id":4,"result":{}}`),
			tells(call(`,"status":"completed"`), shows(begun(`,"status":"completed","title":"Tool call"`))),
		}},
		{name: "a user message that may be an echo is gone with its session", steps: []step{
			prompted("2", "1"), tells(chunk("user_message", "m1", "hi")),
			client(`{"id":3,"method":"session/close","params":{"sessionId":"s"}}`, `A {"id":2,"method":"session/close","params":{"sessionId":"s"}}`),
			agent(`{"id":2,"result":{}}`, answered("2", "cancelled"), `C {"id":3,"result":{}}`),
			inserted("1", "m1"), tells(hello, shows(hello)),
		}},
		{name: "requests of the agent that fail, that are answered with nothing, and that are answered with what is no answer", steps: []step{
			agent(`{"id":"a","method":"_theirs","params":{"x":1}}`, `C {"id":1,"method":"_theirs","params":{"x":1}}`),
			client(`{"id":1,"method":"_y","result":5}`, failed("1", `{"code":-32600,"message":"the message is a request and a response"}`)),
			client(`{"id":1,"error":{"code":"x","message":5}}`, `A {"id":"a","error":{"code":-32603,"message":"Internal error"}}`),
			agent(`{"id":"b","method":"_theirs"}`, `C {"id":2,"method":"_theirs"}`),
			client(`{"id":2,"error":{"code":1,"message":"m","data":{"d":1}}}`, `A {"id":"b","error":{"code":1,"message":"m","data":{"d":1}}}`),
			agent(`{"id":"c","method":"_theirs"}`, `C {"id":3,"method":"_theirs"}`),
			client(`{"id":3}`, `A {"id":"c","error":{"code":-32603,"message":"the client's answer cannot be read"}}`),
			agent(`{"id":"d","method":"_theirs"}`, `C {"id":4,"method":"_theirs"}`),
			client(`{"id":4,"result":{"r":1}}`, `A {"id":"d","result":{"r":1}}`),
			agent(`{"method":"$/cancel_request","params":{"requestId":"d"}}`),
			agent(`{"method":"$/cancel_request"}`),
			client(`{"method":"$/cancel_request","params":{"requestId":77}}`),
			client(`{"method":"$/cancel_request"}`),
		}},
	})
}

// TestResults pins what becomes of results that have the same shape in both
// versions.
func TestResults(t *testing.T) {
	const (
		unreadable = `{"code":-32603,"message":"the agent's answer cannot be read"}`
		params     = `{"sessionId":"s","title":"T","providerId":"p","apiType":"openai","baseUrl":"https://x"}`
	)
	for _, c := range []struct {
		method, result string
		want           string // an error if it begins with {"code"
		lost           []string
	}{
		{"session/close", `null`, `{}`, nil},
		{"session/delete", `true`, `{}`, nil},
		{"session/archive", `{"_meta":5}`, `{}`, nil},
		{"session/unarchive", `{"_meta":{"a":1},"more":[1]}`, `{"_meta":{"a":1},"more":[1]}`, nil},
		{"session/set_title", `{"title":"T"}`, `{"title":"T"}`, nil},
		{"session/set_title", `{}`, unreadable, nil},
		{"session/set_title", `null`, unreadable, nil},
		{"session/status", `{"status":"open","state":{"state":"idle"},"_meta":[]}`, `{"status":"open"}`, nil},
		{"session/status", `{"state":{"state":"idle"}}`, unreadable, nil},
		{"session/list", `null`, `{"sessions":[]}`, nil},
		{"providers/list", `{"providers":[{"providerId":"p","supported":["openai",5],"required":false,"current":{"apiType":"openai","baseUrl":"https://x","_meta":5}},{"providerId":"q","required":true,"current":{}},{"providerId":"r"}]}`,
			`{"providers":[{"providerId":"p","supported":["openai"],"required":false,"current":{"apiType":"openai","baseUrl":"https://x"}},{"providerId":"q","required":true,"supported":[]}]}`,
			[]string{"address of a provider", "provider"}},
		{"providers/list", `{}`, unreadable, nil},
		{"providers/set", `[]`, `{}`, nil},
		{"providers/disable", `null`, `{}`, nil},
		{"auth/status", `{"state":"authenticated","accounts":[{"label":"L","active":1,"email":null},{"name":"N"}]}`, `{"state":"authenticated","accounts":[{"label":"L","email":null}]}`, []string{"account"}},
		{"auth/status", `{"accounts":[]}`, unreadable, nil},
		{"_theirs", `[2]`, `[2]`, nil},
	} {
		answer := `C {"id":1,"result":` + c.want + `}`
		if strings.HasPrefix(c.want, `{"code"`) {
			answer = failed("1", c.want)
		}
		runCases(t, []testCase{{name: c.method + " " + c.result, steps: []step{
			client(`{"id":1,"method":"`+c.method+`","params":`+params+`}`, `A {"id":1,"method":"`+c.method+`","params":`+params+`}`),
			agent(`{"id":1,"result":`+c.result+`}`, answer).losing(c.lost...),
		}}})
	}
}

func TestOptions(t *testing.T) {
	const (
		model   = `{"configId":"llm","name":"Model","category":"model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}`
		gpt     = `{"configId":"model","name":"Model","category":"model","type":"select","currentValue":"m","options":[{"value":"m","name":"M"}]}`
		gptV1   = `{"id":"model","name":"Model","category":"model","type":"select","currentValue":"m","options":[{"value":"m","name":"M"}]}`
		boolean = `{"configId":"b","name":"B","type":"boolean","currentValue":true}`
	)
	mode := func(id string) string {
		return shows(`{"sessionUpdate":"current_mode_update","currentModeId":"` + id + `"}`)
	}
	list := func(options string) string {
		return `{"sessionUpdate":"config_option_update","configOptions":[` + options + `]}`
	}
	runCases(t, []testCase{
		{name: "a mode that the client sets", steps: append(opened[:2:2],
			client(`{"id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"code"}}`,
				`A {"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}`),
			agent(`{"id":2,"result":{"configOptions":[`+codeV2+`]}}`, `C {"id":2,"result":{}}`, mode("code"), shows(list(codeV1))),
			client(`{"id":3,"method":"session/set_mode","params":{"sessionId":"other","modeId":"code"}}`, failed("3", `{"code":-32602,"message":"the session has no such choice"}`)),
			client(`{"id":4,"method":"session/set_model","params":{"sessionId":"s","modelId":"m"}}`, failed("4", `{"code":-32602,"message":"the session has no such choice"}`)),
		)},
		{name: "a mode that the agent sets", steps: append(opened[:2:2],
			tells(list(codeV2), mode("code"), shows(list(codeV1))), tells(list(codeV2), shows(list(codeV1))),
		)},
		{name: "a mode that the client sets and the agent tells before its answer", steps: append(opened[:2:2],
			client(`{"id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"code"}}`,
				`A {"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}`),
			tells(list(codeV2), mode("code"), shows(list(codeV1))),
			agent(`{"id":2,"result":{"configOptions":[`+codeV2+`]}}`, `C {"id":2,"result":{}}`),
			tells(list(codeV2), shows(list(codeV1))), // by itself
		)},
		{name: "a mode that the client sets and the agent tells after its answer", steps: append(opened[:2:2],
			client(`{"id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"code"}}`,
				`A {"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}`),
			agent(`{"id":2,"result":{"configOptions":[`+codeV2+`]}}`, `C {"id":2,"result":{}}`, mode("code"), shows(list(codeV1))),
			tells(list(codeV2)),
			tells(list(codeV2), shows(list(codeV1))), // by itself
		)},
		{name: "a mode that changes again before the agent tells of it is told as it is", steps: append(opened[:2:2],
			client(`{"id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"code"}}`,
				`A {"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}`),
			agent(`{"id":2,"result":{"configOptions":[`+codeV2+`]}}`, `C {"id":2,"result":{}}`, mode("code"), shows(list(codeV1))),
			tells(list(modeV2), mode("ask"), shows(list(modeV1))),
			tells(list(codeV2), mode("code"), shows(list(codeV1))),
		)},
		{name: "a mode that the agent does not set is told again, as the client may show it", steps: append(opened[:2:2],
			client(`{"id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"code"}}`,
				`A {"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}`),
			agent(`{"id":2,"result":{"configOptions":[`+modeV2+`]}}`, `C {"id":2,"result":{}}`, mode("ask"), shows(list(modeV1))),
		)},
		{name: "a model that the client sets is told once, with the mode that it changes", steps: append(opened[:2:2],
			tells(list(codeV2+`,`+gpt), mode("code"), shows(list(codeV1+`,`+gptV1))),
			client(`{"id":2,"method":"session/set_model","params":{"sessionId":"s","modelId":"m"}}`,
				`A {"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"model","type":"id","value":"m"}}`),
			agent(`{"id":2,"result":{"configOptions":[`+modeV2+`,`+gpt+`]}}`, `C {"id":2,"result":{}}`, mode("ask"), shows(list(modeV1+`,`+gptV1))),
			tells(list(modeV2+`,`+gpt)),
			client(`{"id":3,"method":"session/set_model","params":{"sessionId":"s","modelId":"m"}}`,
				`A {"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"model","type":"id","value":"m"}}`),
			tells(list(codeV2+`,`+gpt), mode("code"), shows(list(codeV1+`,`+gptV1))),
			agent(`{"id":3,"result":{"configOptions":[`+codeV2+`,`+gpt+`]}}`, `C {"id":3,"result":{}}`),
		)},
		{name: "an option that the client sets and the agent tells before or after its answer", steps: append(opened[:2:2],
			client(`{"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"code"}}`,
				`A {"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"code","type":"id"}}`),
			tells(list(codeV2), mode("code"), shows(list(codeV1))),
			agent(`{"id":2,"result":{"configOptions":[`+codeV2+`]}}`, `C {"id":2,"result":{"configOptions":[`+codeV1+`]}}`),
			client(`{"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"ask"}}`,
				`A {"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"ask","type":"id"}}`),
			agent(`{"id":3,"result":{"configOptions":[`+modeV2+`]}}`, `C {"id":3,"result":{"configOptions":[`+modeV1+`]}}`, mode("ask")),
			tells(list(modeV2)),
			tells(`{"sessionUpdate":"config_option_update","configOptions":[`+modeV2+`],"_meta":{"a":1}}`, shows(`{"sessionUpdate":"config_option_update","configOptions":[`+modeV1+`],"_meta":{"a":1}}`)),
		)},
		{name: "an option that the client sets", steps: append(opened[:2:2],
			client(`{"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"code"}}`,
				`A {"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"code","type":"id"}}`),
			agent(`{"id":2,"result":{"configOptions":[`+codeV2+`]}}`, `C {"id":2,"result":{"configOptions":[`+codeV1+`]}}`, mode("code")),
			client(`{"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"x","type":"boolean","value":true}}`,
				`A {"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"x","type":"boolean","value":true}}`),
			agent(`{"id":3,"error":{"code":1,"message":"m"}}`, failed("3", `{"code":1,"message":"m"}`)),
			client(`{"id":4,"method":"session/set_config_option","params":{"sessionId":"s","configId":"x","value":5}}`, failed("4", `{"code":-32602,"message":"the option has no such value"}`)),
		)},
		{name: "a switch for a client that knows none", steps: append(opened[:2:2],
			tells(list(boolean+`,{"configId":"u","name":"U","type":"_slider","currentValue":1}`),
				shows(list(`{"id":"b","name":"B","currentValue":"on","type":"select","options":[{"value":"off","name":"Off"},{"value":"on","name":"On"}]}`))).losing("option of type boolean", "option of an unknown type"),
			client(`{"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"b","value":"off"}}`,
				`A {"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"b","value":false,"type":"boolean"}}`),
		)},
		{name: "a switch for a client that knows them", client: words.OldClient{Booleans: true}, steps: append(opened[:2:2],
			tells(list(boolean), shows(list(`{"id":"b","name":"B","type":"boolean","currentValue":true}`))),
		)},
		{name: "an option with the members of both versions", client: words.OldClient{Booleans: true}, steps: append(opened[:2:2],
			tells(list(`{"id":"b","configId":"b","name":"B","type":"boolean","currentValue":true}`), shows(list(`{"id":"b","name":"B","type":"boolean","currentValue":true}`))),
		)},
		{name: "groups, categories, options that cannot be read", steps: []step{
			tells(list(`{"configId":"m","name":"M","category":"_custom_category","type":"select","currentValue":"a","options":[{"groupId":"g","name":"G","options":[{"value":"a","name":"A"}]}]},{"configId":"n"},{"name":"M","type":"select"}`),
				shows(list(`{"id":"m","name":"M","category":"_custom_category","type":"select","currentValue":"a","options":[{"group":"g","name":"G","options":[{"value":"a","name":"A"}]}]}`))).losing("option of an unknown type", "unreadable option"),
			tells(`{"sessionUpdate":"config_option_update"}`).losing("unreadable update"),
		}},
		{name: "a model that the client sets", steps: []step{
			tells(list(modeV2+`,`+model),
				mode("ask"),
				shows(list(modeV1+`,{"id":"llm","name":"Model","category":"model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}`))),
			client(`{"id":2,"method":"session/set_model","params":{"sessionId":"s","modelId":"b","_meta":{"k":1}}}`,
				`A {"id":1,"method":"session/set_config_option","params":{"sessionId":"s","configId":"llm","type":"id","value":"b","_meta":{"k":1}}}`),
			agent(`{"id":1,"result":{"configOptions":[`+modeV2+`]}}`,
				`C {"id":2,"result":{}}`, shows(list(modeV1))),
			client(`{"id":3,"method":"session/set_model","params":{"sessionId":"s","modelId":"b"}}`, failed("3", `{"code":-32602,"message":"the session has no such choice"}`)),
		}},
		{name: "a mode that the agent refuses, and an answer without options", steps: append(opened[:2:2],
			client(`{"id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"code","_meta":5}}`,
				`A {"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}`),
			agent(`{"id":2,"error":{"code":1,"message":"m"}}`, failed("2", `{"code":1,"message":"m"}`)),
			client(`{"id":3,"method":"session/set_mode","params":{"sessionId":"s","modeId":"code","_meta":null}}`,
				`A {"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}`),
			agent(`{"id":3,"result":{}}`, `C {"id":3,"result":{}}`),
			client(`{"id":4,"method":"session/set_mode","params":{"sessionId":"s","modeId":"code"}}`,
				`A {"id":4,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}`),
			agent(`{"id":4,"result":{"configOptions":5}}`, `C {"id":4,"result":{}}`),
			client(`{"id":5,"method":"session/set_mode","params":{"sessionId":"s"}}`, failed("5", `{"code":-32602,"message":"the session has no such choice"}`)),
			client(`{"id":6,"method":"session/set_mode","params":{"sessionId":"s","modeId":"code"}}`,
				`A {"id":5,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}`),
			agent(`{"id":5,"result":{"configOptions":[]}}`,
				`C {"id":6,"result":{}}`, shows(list(``))),
			client(`{"id":7,"method":"session/set_mode","params":{"sessionId":"s","modeId":"code"}}`, failed("7", `{"code":-32602,"message":"the session has no such choice"}`)),
		)},
		{name: "a mode whose answer comes when the session is closed", steps: append(opened[:2:2],
			client(`{"id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"code"}}`,
				`A {"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}`),
			client(`{"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"code"}}`,
				`A {"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"code","type":"id"}}`),
			client(`{"id":4,"method":"session/close","params":{"sessionId":"s"}}`, `A {"id":4,"method":"session/close","params":{"sessionId":"s"}}`),
			agent(`{"id":4,"result":{}}`, `C {"id":4,"result":{}}`),
			agent(`{"id":2,"result":{"configOptions":[`+codeV2+`]}}`, `C {"id":2,"result":{}}`),
			agent(`{"id":3,"result":{"configOptions":[`+codeV2+`]}}`,
				`C {"id":3,"result":{"configOptions":[`+codeV1+`]}}`),
		)},
		{name: "of two options of category mode the first is the mode, whatever their names", steps: []step{
			tells(list(`{"configId":"mode","name":"M","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]},{"configId":"first","name":"F","category":"mode","type":"select","currentValue":"a","options":[]},{"configId":"second","name":"S","category":"mode","type":"select","currentValue":"b","options":[]}`),
				mode("a"),
				shows(list(`{"id":"mode","name":"M","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]},{"id":"first","name":"F","category":"mode","type":"select","currentValue":"a","options":[]},{"id":"second","name":"S","category":"mode","type":"select","currentValue":"b","options":[]}`))),
			client(`{"id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"z"}}`,
				`A {"id":1,"method":"session/set_config_option","params":{"sessionId":"s","configId":"first","type":"id","value":"z"}}`),
		}},
		{name: "of two options of category model the first is the model", steps: []step{
			tells(list(`{"configId":"first","name":"F","category":"model","type":"select","currentValue":"a","options":[]},{"configId":"second","name":"S","category":"model","type":"select","currentValue":"b","options":[]}`),
				shows(list(`{"id":"first","name":"F","category":"model","type":"select","currentValue":"a","options":[]},{"id":"second","name":"S","category":"model","type":"select","currentValue":"b","options":[]}`))),
			client(`{"id":2,"method":"session/set_model","params":{"sessionId":"s","modelId":"z"}}`,
				`A {"id":1,"method":"session/set_config_option","params":{"sessionId":"s","configId":"first","type":"id","value":"z"}}`),
			client(`{"id":3,"method":"session/set_mode","params":{"sessionId":"s","modeId":"z"}}`, failed("3", `{"code":-32602,"message":"the session has no such choice"}`)),
		}},
		{name: "an option that is called mode is the mode if none has that category", steps: []step{
			tells(list(`{"configId":"mode","name":"M","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]}`),
				mode("x"),
				shows(list(`{"id":"mode","name":"M","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]}`))),
			client(`{"id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"x"}}`,
				`A {"id":1,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"x"}}`),
		}},
		{name: "a switch is no mode, even if it is called so", steps: []step{
			tells(list(`{"configId":"mode","name":"M","category":"mode","type":"boolean","currentValue":true},{"configId":"mode","name":"M","category":"mode","type":"_x","currentValue":"x"}`),
				shows(list(`{"id":"mode","name":"M","category":"mode","currentValue":"on","type":"select","options":[{"value":"off","name":"Off"},{"value":"on","name":"On"}]}`))).losing("option of type boolean", "option of an unknown type"),
			client(`{"id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"x"}}`, failed("2", `{"code":-32602,"message":"the session has no such choice"}`)),
		}},
		{name: "modes are the values of all groups, except what cannot be read", steps: []step{
			client(`{"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`, `A {"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`),
			agent(`{"id":1,"result":{"sessionId":"s","configOptions":[{"configId":"m","name":"M","category":"mode","type":"select","currentValue":"a","options":[{"groupId":"g","name":"G","options":[{"value":"a","name":"A"},{"value":"no name"}]},{"groupId":"h","name":"H","options":[{"value":"b","name":"B"}]}]}]}}`,
				`C {"id":1,"result":{"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]},"configOptions":[{"id":"m","name":"M","category":"mode","type":"select","currentValue":"a","options":[{"group":"g","name":"G","options":[{"value":"a","name":"A"}]},{"group":"h","name":"H","options":[{"value":"b","name":"B"}]}]}]}}`),
		}},
		{name: "an option without a current value is no mode", steps: []step{
			client(`{"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`, `A {"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`),
			agent(`{"id":1,"result":{"sessionId":"s","configOptions":[{"configId":"m","name":"M","category":"mode","type":"select","currentValue":5,"options":[{"value":"a","name":"A"}]},{"name":"no id","category":"mode","type":"select","currentValue":"a","options":[{"value":"a","name":"A"}]}]}}`, `C {"id":1,"result":{"sessionId":"s","configOptions":[]}}`).losing("unreadable option", "unreadable option"),
		}},
		{name: "values that an option cannot have", steps: []step{
			tells(list(`{"configId":"b","name":"B","type":"boolean","currentValue":false}`),
				shows(list(`{"id":"b","name":"B","currentValue":"off","type":"select","options":[{"value":"off","name":"Off"},{"value":"on","name":"On"}]}`))).losing("option of type boolean"),
			client(`{"id":1,"method":"session/set_config_option","params":{"sessionId":"s","configId":"b","value":"on"}}`,
				`A {"id":1,"method":"session/set_config_option","params":{"sessionId":"s","configId":"b","value":true,"type":"boolean"}}`),
			client(`{"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"b","value":"maybe"}}`, failed("2", `{"code":-32602,"message":"the option has no such value"}`)),
			client(`{"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"b"}}`, failed("3", `{"code":-32602,"message":"the option has no such value"}`)),
			client(`{"id":4,"method":"session/set_config_option","params":{"sessionId":"s","value":"on"}}`, failed("4", `{"code":-32602,"message":"the option has no such value"}`)),
			client(`{"id":5,"method":"session/set_config_option","params":5}`, failed("5", `{"code":-32602,"message":"the option has no such value"}`)),
			client(`{"id":6,"method":"session/set_config_option","params":{"sessionId":"new","configId":"b","value":"on"}}`,
				`A {"id":2,"method":"session/set_config_option","params":{"sessionId":"new","configId":"b","value":"on","type":"id"}}`),
			client(`{"id":7,"method":"session/set_config_option","params":{"sessionId":"s","configId":"b","value":false}}`,
				`A {"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"b","value":false,"type":"boolean"}}`),
		}},
		{name: "an answer to session/set_config_option that cannot be read", steps: append(opened[:2:2],
			client(`{"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"code"}}`,
				`A {"id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"code","type":"id"}}`),
			agent(`{"id":2,"result":{}}`, failed("2", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`{"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"code"}}`,
				`A {"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"code","type":"id"}}`),
			agent(`{"id":3,"result":{"configOptions":{}}}`, failed("3", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`{"id":4,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"ask"}}`,
				`A {"id":4,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"ask","type":"id"}}`),
			agent(`{"id":4,"result":{"configOptions":[`+modeV2+`],"_meta":{"k":1}}}`,
				`C {"id":4,"result":{"configOptions":[`+modeV1+`],"_meta":{"k":1}}}`),
		)},
	})
}
