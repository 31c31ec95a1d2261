package v1client

import (
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate/versions/words"
)

const (
	modeV2 = `{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},` +
		`{"value":"code","name":"Code","description":"d"}]}`
	modeV1 = `{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},` +
		`{"value":"code","name":"Code","description":"d"}]}`
	codeV2 = `{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"code","options":[{"value":"code","name":"Code"}]}`
	codeV1 = `{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"code","options":[{"value":"code","name":"Code"}]}`
	modes  = `{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code","description":"d"}]}`

	commandsV2 = `[{"type":"command","name":"plan","description":"Plan","input":{"type":"text","hint":"what"}}]`
	commandsV1 = `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"plan","description":"Plan","input":{"hint":"what"}}]}`
)

// opened opens the session s, with a mode.
var opened = []step{
	client(`1 session/new {"cwd":"/p","mcpServers":[]}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
	agent(`1 = {"sessionId":"s","configOptions":[`+modeV2+`]}`, toC(`1 = {"sessionId":"s","modes":`+modes+`,"configOptions":[`+modeV1+`]}`)),
}

// opens is a session/new of the client with that id, and what the agent gets, as its
// request of that number.
func opens(id, number string) step {
	return client(id+` session/new {"cwd":"/p","mcpServers":[]}`, toA(number+` session/new {"cwd":"/p","mcpServers":[]}`))
}

// loads is a session/load of the client for the session s with that id, and what the
// agent gets, as its request of that number.
func loads(id, number string) step {
	return client(id+` session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`,
		toA(number+` session/resume {"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}`))
}

// wantsToKnow is a permission request of the agent, with an id that is a string.
func wantsToKnow(id, session string) string {
	return `"` + id + `" session/request_permission {"sessionId":"` + session + `","title":"Go?","options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}`
}

// isAsked is what the client gets of it.
func isAsked(number, session, question string) string {
	return toC(number + ` session/request_permission {"sessionId":"` + session + `","toolCall":{"toolCallId":"perm-` + question + `","kind":"other","status":"pending","title":"Go?"},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}`)
}

func TestSessions(t *testing.T) {
	// prompt has a link to a file by its path.
	prompt := func(id, session string) string {
		return id + ` session/prompt {"sessionId":"` + session + `","prompt":[` + block("see") + `,{"type":"resource_link","name":"n","uri":"a.go"}]}`
	}
	runCases(t, []testCase{
		{name: "session/new: servers, modes, options, and commands behind the answer", steps: []step{
			client(`1 session/new {"cwd":"/p","mcpServers":[{"name":"fs","command":"/usr/bin/fs","args":[],"env":[]},`+
				`{"type":"http","name":"fs","url":"https://x","headers":[]}]}`,
				toA(`1 session/new {"cwd":"/p","mcpServers":[{"type":"stdio","name":"fs","command":"/usr/bin/fs","args":[],"env":[]},`+
					`{"type":"http","name":"fs-2","url":"https://x","headers":[]}]}`)),
			agent(`1 = {"sessionId":"s1","configOptions":[`+modeV2+`],"availableCommands":`+commandsV2+`}`,
				toC(`1 = {"sessionId":"s1","modes":`+modes+`,"configOptions":[`+modeV1+`]}`), toC(in("s1", commandsV1))),
		}},
		{name: "options in a request for a session are left out", steps: []step{
			client(`1 session/resume {"sessionId":"s","cwd":"/p","configOptions":[{"configId":"m","value":"a"}],"mcpServers":[]}`,
				toA(`1 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[]}`)).Losing("capability configOptions"),
		}},
		{name: "updates before the answer wait for it, those of other sessions do not", steps: []step{
			client(`1 session/resume {"sessionId":"old","cwd":"/p","mcpServers":[]}`,
				toA(`1 session/resume {"sessionId":"old","cwd":"/p","mcpServers":[]}`)),
			client(`2 session/new {"cwd":"/p","mcpServers":[]}`, toA(`2 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(in("s1", hello)), agent(in("old", hello), toC(in("old", hello))), agent(in("s2", hello)),
			agent(`"p" session/request_permission {"sessionId":"s1","title":"Go?","options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}`),
			agent(`2 = {"sessionId":"s1","availableCommands":`+commandsV2+`}`, toC(`2 = {"sessionId":"s1"}`), toC(in("s1", hello)),
				toC(`1 session/request_permission {"sessionId":"s1","toolCall":{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"},`+
					`"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}`),
				toC(in("s1", commandsV1)), toC(in("s2", hello))),
		}},
		{name: "what one side offers and the other does not know of is told with each session",
			client: words.V1Client{Files: true, Terminals: true, Untold: "nes"}, agent: &words.V2Agent{SignIns: true, Untold: "positionEncoding"}, steps: []step{
				client(`1 session/new {"cwd":"/p","mcpServers":[{"name":"fs","command":"/usr/bin/fs","args":[],"env":[]}]}`,
					toA(`1 session/new {"cwd":"/p","mcpServers":[{"type":"stdio","name":"fs","command":"/usr/bin/fs","args":[],"env":[]}]}`)).
					Losing("files of the client", "terminals of the client", "ways to sign in", "capability nes", "capability positionEncoding", "MCP servers"),
				client(`2 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[]}`,
					toA(`2 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[]}`)).
					Losing("files of the client", "terminals of the client", "ways to sign in", "capability nes", "capability positionEncoding"),
			}},
		{name: "a request before the answer waits for a second, and takes along what came before it", steps: []step{
			opens("1", "1"),
			agent(hello), agent(wantsToKnow("p", "s")), agent(in("other", hello)), agent(chunk("agent_message", "m2", "!")),
			wait(999 * time.Millisecond),
			wait(time.Millisecond, toC(in("s", hello)), isAsked("1", "s", "1"), toC(in("s", chunk("agent_message", "m2", "!")))),
			agent(chunk("agent_message", "m2", "?"), toC(chunk("agent_message", "m2", "?"))),
			client(`1 `+chosen, toA(`"p" `+chosen), inventedEnds("1", "completed")),
			agent(`1 = {"sessionId":"s"}`, toC(`1 = {"sessionId":"s"}`), toC(in("other", hello))),
			wait(time.Hour),
		}},
		{name: "an agent that asks, and then opens another session or none", steps: []step{
			opens("1", "1"), agent(wantsToKnow("p", "s")), agent(`1 = {"sessionId":"t"}`, toC(`1 = {"sessionId":"t"}`), isAsked("1", "s", "1")),
			opens("2", "2"), agent(wantsToKnow("q", "u")),
			agent(`2 ! {"code":-32603,"message":"no"}`, failed("2", `{"code":-32603,"message":"no"}`), isAsked("2", "u", "2")),
			wait(time.Hour),
		}},
		{name: "an agent that asks before its answer, and cancels what it has asked", steps: []step{
			opens("1", "1"), agent(wantsToKnow(`p`, "s")),
			agent(`7 elicitation/create {"sessionId":"s","mode":"url","message":"m","url":"https://x","elicitationId":"e"}`),
			agent(`8 _ask {"sessionId":"s"}`),
			agent(`$/cancel_request {"requestId":"\u0070"}`, toA(`"p" = {"outcome":{"outcome":"cancelled"}}`)),
			agent(`$/cancel_request {"requestId":7}`, toA(`7 = {"action":"cancel"}`)),
			agent(`$/cancel_request {"requestId":8}`, toA(`8 ! {"code":-32800,"message":"Request cancelled"}`)),
			agent(`$/cancel_request {"requestId":8}`), agent(`$/cancel_request`),
			wait(time.Hour), agent(`1 = {"sessionId":"s"}`, toC(`1 = {"sessionId":"s"}`)),
		}},
		{name: "an agent that asks before its answer, and ends", steps: []step{
			opens("1", "1"), agent(wantsToKnow("p", "s")), gone(failed("1", `{"code":-32603,"message":"agent exited"}`)), wait(time.Hour),
		}},
		{name: "an answer without a session is an error", steps: []step{
			client(`1 session/new {"cwd":"/p","mcpServers":[]}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`1 = {}`, failed("1", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`2 session/fork {"sessionId":"s","cwd":"/p"}`, toA(`2 session/fork {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			agent(`2 ! {"code":-32602,"message":"no","data":1.0}`, failed("2", `{"code":-32602,"message":"no","data":1.0}`)),
			client(`3 session/new 5`, failed("3", `{"code":-32602,"message":"the params cannot be read"}`)),
		}},
		{name: "what a subagent said before its session was answered comes before what it says then, also if another session is still open", steps: []step{
			opens("1", "1"), opens("2", "2"),
			agent(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Look"}`),
			agent(in("kid", chunk("agent_message", "m", "one "))),
			agent(`1 = {"sessionId":"s"}`, toC(`1 = {"sessionId":"s"}`),
				subagentBegins("kid", "Look")).Losing("subagent"),
			agent(in("kid", chunk("agent_message", "m", "two"))),
			wait(time.Second, toC(`{"sessionUpdate":"tool_call_update","toolCallId":"subagent:kid","content":[`+textItem("one two")+`]}`)),
			agent(`2 = {"sessionId":"other"}`, toC(`2 = {"sessionId":"other"}`)),
		}},
		{name: "a subagent that asks before the session that it works for is answered is asked about in that session", steps: []step{
			opens("1", "1"), agent(in("other", hello)),
			agent(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Look"}`),
			agent(in("kid", `{"sessionUpdate":"subagent_update","sessionId":"grandkid","title":"Deeper"}`)),
			agent(wantsToKnow("p", "grandkid")),
			wait(time.Second,
				subagentBegins("kid", "Look"),
				subagentBegins("grandkid", "Deeper"),
				isAsked("1", "s", "1")).Losing("subagent", "subagent"),
			agent(`1 = {"sessionId":"s"}`, toC(`1 = {"sessionId":"s"}`), toC(in("other", hello))),
		}},
		{name: "requests without an id reach nobody", steps: []step{
			client(`session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`).Losing("request without an id"),
			client(`session/set_mode {"sessionId":"s","modeId":"code"}`).Losing("request without an id"),
			client(`authenticate {"methodId":"m"}`).Losing("request without an id"),
			client(`logout`).Losing("request without an id"),
			client(`session/prompt {"sessionId":"s","prompt":[` + block("hi") + `]}`).Losing("request without an id"),
			agent(`session/request_permission {"sessionId":"s","title":"Go?","options":[]}`).Losing("request without an id"),
		}},
		{name: "session/load is session/resume from the start; what was said is shown", steps: []step{
			client(`1 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`,
				toA(`1 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}`)),
			agent(`{"sessionUpdate":"user_message","messageId":"m1","content":[]}`),
			agent(chunk("user_message", "m1", "hi"), toC(chunk("user_message", "m1", "hi"))),
			agent(hello, toC(hello)), agent(`{"sessionUpdate":"replay_complete"}`), agent(state("idle")),
			agent(`1 = {"configOptions":[],"availableCommands":`+commandsV2+`}`, toC(commandsV1), toC(`1 = {"configOptions":[]}`)),
			client(`2 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`,
				toA(`2 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}`)),
			agent(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello")+`]}`,
				toC(`{"sessionUpdate":"agent_message_chunk","messageId":"m2","content":`+block("Hello")+`}`)),
			agent(`2 = null`, toC(`2 = {}`)),
		}},
		{name: "a system prompt is what version 2 can read, or refused", steps: []step{
			client(`1 session/new {"cwd":"/p","mcpServers":[],`+
				`"systemPrompt":{"mode":"append","content":[{"type":"text","text":"a","annotations":{"priority":7,"audience":["user","x"]}},`+
				`{"type":"resource_link","name":"n","uri":"/a b"},{"type":"resource_link","name":"n","uri":"c"}],"_meta":5}}`,
				toA(`1 session/new {"cwd":"/p","mcpServers":[],`+
					`"systemPrompt":{"mode":"append","content":[{"type":"text","text":"a","annotations":{"audience":["user"]}},`+
					`{"type":"resource_link","name":"n","uri":"file:///a%20b"},{"type":"resource_link","name":"n","uri":"file:///p/c"}]}}`)),
			client(`2 session/load {"sessionId":"s","cwd":"/p","mcpServers":[],`+
				`"systemPrompt":{"mode":"override","content":[{"type":"text","text":"a"},{"type":"image"}]}}`,
				failed("2", `{"code":-32602,"message":"the params cannot be read"}`)),
			client(`3 session/resume {"sessionId":"s","cwd":"/p","systemPrompt":{"mode":"override","content":[{"type":"text","text":"a","_meta":5}]}}`,
				toA(`2 session/resume {"sessionId":"s","cwd":"/p","systemPrompt":{"mode":"override","content":[{"type":"text","text":"a"}]},"mcpServers":[]}`)),
			client(`4 session/fork {"sessionId":"s","cwd":"/p","systemPrompt":null}`,
				toA(`3 session/fork {"sessionId":"s","cwd":"/p","systemPrompt":null,"mcpServers":[]}`)),
		}},
		{name: "list, delete, sign in and out, status, and what nobody knows", steps: []step{
			client(`1 session/list {"cursor":""}`, toA(`1 session/list {"cursor":""}`)),
			agent(`1 = {"sessions":[{"sessionId":"a","cwd":"/p","updatedAt":5},{"cwd":"/q"}],"nextCursor":"c"}`,
				toC(`1 = {"sessions":[{"sessionId":"a","cwd":"/p"}],"nextCursor":"c"}`)),
			client(`2 authenticate {"methodId":"m"}`, toA(`2 auth/login {"methodId":"m"}`)),
			agent(`2 = null`, toC(`2 = {}`)),
			client(`3 logout {}`, toA(`3 auth/logout {}`)),
			agent(`3 = {"_meta":{}}`, toC(`3 = {"_meta":{}}`)),
			client(`4 session/status {"sessionId":"s"}`, toA(`4 session/status {"sessionId":"s"}`)),
			agent(`4 = {"state":{"state":"idle"},"status":"open"}`, toC(`4 = {"status":"open"}`)),
			client(`"x" _mine [1]`, toA(`5 _mine [1]`)),
			agent(`5 = [2]`, toC(`"x" = [2]`)),
			client(`_note`, toA(`_note`)),
			agent(`_note`, toC(`_note`)),
			agent(`"x" _theirs`, toC(`1 _theirs`)),
			client(`1 = null`, toA(`"x" = {}`)),
			agent(`"y" _theirs`, toC(`2 _theirs`)),
			agent(`$/cancel_request {"requestId":"y"}`, toC(`$/cancel_request {"requestId":2}`)),
			client(`2 ! {"code":-32800,"message":"m"}`, toA(`"y" ! {"code":-32800,"message":"m"}`)),
			agent(`7 fs/read_text_file {"sessionId":"s","path":"/x"}`, toA(`7 ! {"code":-32601,"message":"Method not found"}`)),
			client(`8 initialize {}`, failed("8", `{"code":-32600,"message":"initialize may only be requested once per connection"}`)),
		}},
		{name: "a _meta that is no object is left out of params", steps: []step{
			client(`1 session/set_title {"_meta":5,"sessionId":"s","title":"T"}`, toA(`1 session/set_title {"sessionId":"s","title":"T"}`)),
			client(`2 session/new {"cwd":"/p","mcpServers":[],"_meta":"x"}`, toA(`2 session/new {"cwd":"/p","mcpServers":[]}`)),
			client(`3 session/prompt {"sessionId":"s","prompt":[`+block("hi")+`],"_meta":[]}`,
				toA(`3 session/prompt {"sessionId":"s","prompt":[`+block("hi")+`]}`)),
			client(`4 _mine {"_meta":5}`, toA(`4 _mine {"_meta":5}`)),
			client(`5 session/list {"cwd":"/p","_meta":5}`, toA(`5 session/list {"cwd":"/p"}`)),
			client(`6 session/delete {"sessionId":"t","_meta":true}`, toA(`6 session/delete {"sessionId":"t"}`)),
		}},
		{name: "notifications that version 1 cannot read", steps: []step{
			agent(`elicitation/complete {"elicitationId":5}`).Losing("unreadable notification"),
			agent(`elicitation/complete`).Losing("unreadable notification"),
			agent(`elicitation/complete {"elicitationId":"i","_meta":5}`, toC(`elicitation/complete {"elicitationId":"i"}`)),
			agent(`auth/status_update { "state":"unknown" }`, toC(`auth/status_update {"state":"unknown"}`)),
			agent(`auth/status_update {"authenticated":true}`, toC(`auth/status_update {"authenticated":true}`)).Foreign(),
			agent(`auth/status_update`).Losing("unreadable notification"),
			client(`1 auth/status {}`, toA(`1 auth/status {}`)),
			agent(`1 = {"authenticated":true}`, toC(`1 = {"authenticated":true}`)).Foreign(),
		}},
		{name: "answers to nothing, and objects that are not messages", steps: []step{
			agent(`77 = {}`).Losing("answer to no request"), client(`77 = {}`).Losing("answer to no request"), agent(`{"x":1}`).Losing("unreadable message"),
			client(`{"x":1}`).Losing("unreadable message"),
			client(`{"id":1,"method":"a","result":1}`, failed("1", `{"code":-32600,"message":"the message is a request and a response"}`)),
			agent(`{"id":1,"method":"a","result":1}`, toA(`1 ! {"code":-32600,"message":"the message is a request and a response"}`)),
		}},
		{name: "paths in a prompt are relative to the directory of the session", steps: []step{
			client(`1 session/new {"cwd":"/p","mcpServers":[]}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`1 = {"sessionId":"s"}`, toC(`1 = {"sessionId":"s"}`)),
			client(prompt("2", "s"),
				toA(`2 session/prompt {"sessionId":"s","prompt":[`+block("see")+`,{"type":"resource_link","name":"n","uri":"file:///p/a.go"}]}`)),
			client(`3 session/resume {"sessionId":"s","cwd":"/q","mcpServers":[]}`,
				toA(`3 session/resume {"sessionId":"s","cwd":"/q","mcpServers":[]}`)),
			client(prompt("4", "s"),
				toA(`4 session/prompt {"sessionId":"s","prompt":[`+block("see")+`,{"type":"resource_link","name":"n","uri":"file:///q/a.go"}]}`)),
			client(prompt("7", "unknown"), failed("7", `{"code":-32602,"message":"a content block of the prompt cannot be read"}`)),
			client(`8 session/fork {"sessionId":"s","cwd":"/f","mcpServers":[]}`,
				toA(`5 session/fork {"sessionId":"s","cwd":"/f","mcpServers":[]}`)),
			agent(`5 = {"sessionId":"forked"}`, toC(`8 = {"sessionId":"forked"}`)),
			client(prompt("9", "forked"),
				toA(`6 session/prompt {"sessionId":"forked","prompt":[`+block("see")+`,{"type":"resource_link","name":"n","uri":"file:///f/a.go"}]}`)),
		}},
		{name: "session/load without a session is refused, and answers that cannot be read", steps: []step{
			client(`1 session/load {"cwd":"/p","mcpServers":[]}`, failed("1", `{"code":-32602,"message":"sessionId is missing"}`)),
			client(`2 session/load {"sessionId":"s","cwd":"/p","mcpServers":5}`, failed("2", `{"code":-32602,"message":"the params cannot be read"}`)),
			client(`3 session/load {"sessionId":"s","cwd":"/p"}`,
				toA(`1 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}`)),
			agent(`1 = 5`, failed("3", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`4 session/new {"cwd":"/p"}`, toA(`2 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`2 = 5`, failed("4", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`5 session/list {}`, toA(`3 session/list {}`)),
			agent(`3 = 5`, failed("5", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`6 session/list {}`, toA(`4 session/list {}`)),
			agent(`4 = {}`, toC(`6 = {"sessions":[]}`)),
			client(`7 session/list {}`, toA(`5 session/list {}`)),
			agent(`5 ! {"code":1,"message":"m"}`, failed("7", `{"code":1,"message":"m"}`)),
			client(`8 session/list {}`, toA(`6 session/list {}`)),
			agent(`{"id":6}`, failed("8", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`9 session/list {}`, toA(`7 session/list {}`)),
			agent(`7 = {"sessions":[{"sessionId":"a","cwd":"/p","title":null,"archived":1,"additionalDirectories":["/x",5]}],"nextCursor":5,"_meta":5}`,
				toC(`9 = {"sessions":[{"sessionId":"a","cwd":"/p","title":null,"additionalDirectories":["/x"]}]}`)),
		}},
	})
}

func TestSessionsAgain(t *testing.T) {
	runCases(t, []testCase{
		{name: "session/resume keeps what the client has, session/load begins again", steps: []step{
			agent(hello,
				toC(hello)), begin,
			agent(call(`,"content":[{"type":"terminal","terminalId":"x"}]`),
				toC(call(`,"content":[]`))).Losing("terminal"),
			client(`1 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[]}`,
				toA(`1 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			agent(`1 = {}`, toC(`1 = {}`)),
			agent(call(`,"status":"completed"`), toC(call(`,"status":"completed"`))),
			client(`2 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`,
				toA(`2 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}`)),
			agent(call(`,"title":"T","status":"completed"`), toC(begun(`,"title":"T","status":"completed"`))),
			agent(`{"sessionUpdate":"user_message","messageId":"u","content":[`+block("hi")+`]}`, toC(chunk("user_message", "u", "hi"))),
			agent(contentChunk(textItem("a"))),
			agent(`2 = {}`, toC(call(`,"content":[`+textItem("a")+`]`)), toC(`2 = {}`)),
			client(`3 session/prompt {"sessionId":"s","prompt":[`+block("hi")+`]}`,
				toA(`3 session/prompt {"sessionId":"s","prompt":[`+block("hi")+`]}`)),
			agent(`{"sessionUpdate":"user_message","messageId":"v","content":[` + block("hi") + `]}`),
		}},
		{name: "a session that could not be loaded again goes on: what the client has is not shown twice", steps: []step{
			begin, agent(call(`,"content":[`+textItem("a")+`]`), toC(call(`,"content":[`+textItem("a")+`]`))), agent(hello, toC(hello)),
			agent(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"K"}`,
				subagentBegins("kid", "K")).Losing("subagent"),
			loads("1", "1"),
			agent(in("kid", chunk("agent_message", "m", "on it"))),
			agent(`1 ! {"code":1,"message":"m"}`, toC(`{"sessionUpdate":"tool_call_update","toolCallId":"subagent:kid","content":[`+textItem("on it")+`]}`),
				failed("1", `{"code":1,"message":"m"}`)),
			agent(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello you")+`]}`, toC(chunk("agent_message", "m2", " you"))),
			agent(contentChunk(textItem("b"))),
			wait(time.Second, toC(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`]`))),
			loads("2", "2"), agent(`2 = 5`, failed("2", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			agent(`{"sessionUpdate":"agent_message","messageId":"m2","content":[` + block("Hello you") + `]}`),
		}},
		{name: "what the client has is forgotten when a session is loaded without a history", steps: []step{
			agent(hello, toC(hello)), loads("1", "1"), agent(`1 = {}`, toC(`1 = {}`)),
			agent(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello")+`]}`, toC(hello)),
		}},
		{name: "a session that is loaded three times at once", steps: []step{
			agent(hello, toC(hello)), loads("1", "1"), loads("2", "2"), loads("3", "3"),
			agent(`1 ! {"code":1,"message":"m"}`, failed("1", `{"code":1,"message":"m"}`)),
			agent(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello")+`]}`, toC(hello)), agent(`2 = {}`, toC(`2 = {}`)),
			agent(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello")+`]}`, toC(hello)), agent(`3 = {}`, toC(`3 = {}`)),
			agent(`{"sessionUpdate":"agent_message","messageId":"m2","content":[` + block("Hello") + `]}`),
		}},
		{name: "a session that is resumed while it is loaded shows its history", steps: []step{
			agent(hello, toC(hello)), loads("1", "1"),
			client(`2 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[]}`,
				toA(`2 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			agent(`2 = {}`, toC(`2 = {}`)),
			agent(`{"sessionUpdate":"agent_message","messageId":"m2","content":[`+block("Hello")+`]}`, toC(hello)),
			agent(`1 = {}`, toC(`1 = {}`)),
			agent(`{"sessionUpdate":"agent_message","messageId":"m2","content":[` + block("Hello") + `]}`),
		}},
		{name: "a session that could not be loaded again stays open: it is no subagent to the client", steps: []step{
			agent(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"K"}`,
				subagentBegins("kid", "K")).Losing("subagent"),
			client(`1 session/resume {"sessionId":"kid","cwd":"/p","mcpServers":[]}`,
				toA(`1 session/resume {"sessionId":"kid","cwd":"/p","mcpServers":[]}`)),
			agent(`1 = {}`, toC(`1 = {}`)),
			client(`2 session/resume {"sessionId":"kid","cwd":"/p","mcpServers":[]}`,
				toA(`2 session/resume {"sessionId":"kid","cwd":"/p","mcpServers":[]}`)),
			agent(`2 ! {"code":1,"message":"m"}`, failed("2", `{"code":1,"message":"m"}`)),
			agent(in("kid", hello), toC(in("kid", hello))),
		}},
		{name: "a session that could not be loaded is not open: its subagents are shown where they work", steps: []step{
			agent(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"K"}`,
				subagentBegins("kid", "K")).Losing("subagent"),
			client(`1 session/load {"sessionId":"kid","cwd":"/p","mcpServers":[]}`,
				toA(`1 session/resume {"sessionId":"kid","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}`)),
			agent(in("kid", hello),
				toC(in("kid", hello))),
			agent(`1 ! {"code":1,"message":"m"}`, failed("1", `{"code":1,"message":"m"}`)),
			agent(in("kid", chunk("agent_message", "m3", "again"))),
			wait(time.Second,
				toC(`{"sessionUpdate":"tool_call_update","toolCallId":"subagent:kid","content":[`+textItem("again")+`]}`)),
		}},
		{name: "an answer to session/load for a session that was closed meanwhile", steps: []step{
			client(`1 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`,
				toA(`1 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}`)),
			client(`2 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			agent(`2 = {}`, toC(`2 = {}`)),
			agent(`1 = {"configOptions":[`+modeV2+`]}`,
				toC(`1 = {"modes":`+modes+`,"configOptions":[`+modeV1+`]}`)),
		}},
		{name: "two sessions begin at once: the messages of each wait for its answer", steps: []step{
			client(`1 session/new {"cwd":"/p","mcpServers":[]}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			client(`2 session/new {"cwd":"/p","mcpServers":[]}`, toA(`2 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(in("b", hello)), agent(in("a", hello)), agent(in("b", chunk("agent_message", "m2", "!"))),
			agent(`1 = {"sessionId":"a"}`,
				toC(`1 = {"sessionId":"a"}`),
				toC(in("a", hello))),
			agent(in("a", hello),
				toC(in("a", hello))), agent(in("b", chunk("agent_message", "m2", "?"))),
			agent(`2 ! {"code":1,"message":"m"}`,
				failed("2", `{"code":1,"message":"m"}`),
				toC(in("b", hello)),
				toC(in("b", chunk("agent_message", "m2", "!"))),
				toC(in("b", chunk("agent_message", "m2", "?")))),
			agent(in("c", hello),
				toC(in("c", hello))),
		}},
		{name: "the commands of a session that cannot be read are left out, and members of version 1 and _meta of another type", steps: []step{
			client(`1 session/new {"cwd":"/p","mcpServers":[]}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`1 = {"sessionId":"s","_meta":5,"modes":{"currentModeId":"x"},"models":{},"replayFrom":{},`+
				`"availableCommands":5,"configOptions":5,"more":[1]}`,
				toC(`1 = {"sessionId":"s","more":[1]}`)),
			client(`2 session/new {"cwd":"/p","mcpServers":[]}`, toA(`2 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`2 = {"sessionId":"s2","_meta":{"a":1},"availableCommands":null,"configOptions":null}`, toC(`2 = {"sessionId":"s2","_meta":{"a":1}}`)),
		}},
		{name: "a session that is not closed stays, with its prompts", steps: []step{
			prompted("2", "1"), inserted("1", "m1"), agent(state("running")),
			client(`3 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			agent(`2 ! {"code":1,"message":"m"}`, failed("3", `{"code":1,"message":"m"}`)),
			agent(idle("end_turn"), answered("2", "end_turn")),
			begin,
			agent(contentChunk(textItem("a"))),
			client(`4 session/delete {"sessionId":"s"}`, toA(`3 session/delete {"sessionId":"s"}`)),
			agent(`3 = {}`, toC(call(`,"content":[`+textItem("a")+`]`)), toC(`4 = {}`)),
			agent(call(`,"status":"completed"`), toC(begun(`,"status":"completed","title":"Tool call"`))),
		}},
		{name: "a user message that may be an echo is gone with its session", steps: []step{
			prompted("2", "1"), agent(chunk("user_message", "m1", "hi")),
			client(`3 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			agent(`2 = {}`, answered("2", "cancelled"), toC(`3 = {}`)),
			inserted("1", "m1"), agent(hello, toC(hello)),
		}},
		{name: "requests of the agent that fail, that are answered with nothing, and that are answered with what is no answer", steps: []step{
			agent(`"a" _theirs {"x":1}`, toC(`1 _theirs {"x":1}`)),
			client(`{"id":1,"method":"_y","result":5}`, failed("1", `{"code":-32600,"message":"the message is a request and a response"}`)),
			client(`1 ! {"code":"x","message":5}`, toA(`"a" ! {"code":-32603,"message":"Internal error"}`)),
			agent(`"b" _theirs`, toC(`2 _theirs`)),
			client(`2 ! {"code":1,"message":"m","data":{"d":1}}`, toA(`"b" ! {"code":1,"message":"m","data":{"d":1}}`)),
			agent(`"c" _theirs`, toC(`3 _theirs`)),
			client(`{"id":3}`, toA(`"c" ! {"code":-32603,"message":"the client's answer cannot be read"}`)),
			agent(`"d" _theirs`, toC(`4 _theirs`)),
			client(`4 = {"r":1}`, toA(`"d" = {"r":1}`)),
			agent(`$/cancel_request {"requestId":"d"}`),
			agent(`$/cancel_request`),
			client(`$/cancel_request {"requestId":77}`),
			client(`$/cancel_request`),
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
		{"session/set_title", `{"title":"T"}`, `{"title":"T"}`, nil},
		{"session/set_title", `{}`, unreadable, nil},
		{"session/status", `{"status":"open","state":{"state":"idle"},"_meta":[]}`, `{"status":"open"}`, nil},
		{"providers/list",
			`{"providers":[{"providerId":"p","supported":["openai",5],"required":false,"current":{"apiType":"openai","baseUrl":"https://x","_meta":5}},` +
				`{"providerId":"q","required":true,"current":{}},{"providerId":"r"}]}`,
			`{"providers":[{"providerId":"p","supported":["openai"],"required":false,"current":{"apiType":"openai","baseUrl":"https://x"}},` +
				`{"providerId":"q","required":true,"supported":[]}]}`,
			[]string{"address of a provider", "provider"}},
		{"_theirs", `[2]`, `[2]`, nil},
	} {
		answer := toC(`1 = ` + c.want)
		if strings.HasPrefix(c.want, `{"code"`) {
			answer = failed("1", c.want)
		}
		runCases(t, []testCase{{name: c.method + " " + c.result, steps: []step{
			client(`1 `+c.method+` `+params, toA(`1 `+c.method+` `+params)),
			agent(`1 = `+c.result, answer).Losing(c.lost...),
		}}})
	}
}

func TestOptions(t *testing.T) {
	const (
		model = `{"configId":"llm","name":"Model","category":"model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"},` +
			`{"value":"b","name":"B"}]}`
		gpt     = `{"configId":"model","name":"Model","category":"model","type":"select","currentValue":"m","options":[{"value":"m","name":"M"}]}`
		gptV1   = `{"id":"model","name":"Model","category":"model","type":"select","currentValue":"m","options":[{"value":"m","name":"M"}]}`
		boolean = `{"configId":"b","name":"B","type":"boolean","currentValue":true}`
	)
	mode := func(id string) string {
		return toC(`{"sessionUpdate":"current_mode_update","currentModeId":"` + id + `"}`)
	}
	list := func(options string) string {
		return `{"sessionUpdate":"config_option_update","configOptions":[` + options + `]}`
	}
	runCases(t, []testCase{
		{name: "a list that was told before comes again behind a choice that is refused, or another mode", steps: append(opened[:2:2],
			agent(list(codeV2), mode("code"), toC(list(codeV1))),
			agent(list(codeV2)),
			client(`2 session/set_config_option {"sessionId":"s","configId":"mode","value":"ask"}`,
				toA(`2 session/set_config_option {"sessionId":"s","configId":"mode","value":"ask","type":"id"}`)),
			agent(`2 ! {"code":-32603,"message":"no"}`, toC(`2 ! {"code":-32603,"message":"no"}`)),
			agent(list(codeV2), toC(list(codeV1))),
			agent(`{"sessionUpdate":"current_mode_update","currentModeId":"ask"}`, mode("ask")),
			agent(list(codeV2), toC(list(codeV1))),
		)},
		{name: "a mode that the client sets", steps: append(opened[:2:2],
			client(`2 session/set_mode {"sessionId":"s","modeId":"code"}`,
				toA(`2 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"code"}`)),
			agent(`2 = {"configOptions":[`+codeV2+`]}`, toC(`2 = {}`), mode("code"), toC(list(codeV1))),
			client(`3 session/set_mode {"sessionId":"other","modeId":"code"}`, failed("3", `{"code":-32602,"message":"the session has no such choice"}`)),
			client(`4 session/set_model {"sessionId":"s","modelId":"m"}`, failed("4", `{"code":-32602,"message":"the session has no such choice"}`)),
		)},
		{name: "a mode that the agent sets", steps: append(opened[:2:2],
			agent(list(modeV2)), agent(list(codeV2), mode("code"), toC(list(codeV1))), agent(list(codeV2)),
		)},
		{name: "a mode that the client sets and the agent tells before its answer", steps: append(opened[:2:2],
			client(`2 session/set_mode {"sessionId":"s","modeId":"code"}`,
				toA(`2 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"code"}`)),
			agent(list(codeV2), mode("code"), toC(list(codeV1))),
			agent(`2 = {"configOptions":[`+codeV2+`]}`, toC(`2 = {}`)),
			agent(list(codeV2)),
		)},
		{name: "a mode that the client sets and the agent tells after its answer", steps: append(opened[:2:2],
			client(`2 session/set_mode {"sessionId":"s","modeId":"code"}`,
				toA(`2 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"code"}`)),
			agent(`2 = {"configOptions":[`+codeV2+`]}`, toC(`2 = {}`), mode("code"), toC(list(codeV1))),
			agent(list(codeV2)),
			client(`3 session/set_mode {"sessionId":"s","modeId":"ask"}`,
				toA(`3 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"ask"}`)),
			agent(`3 ! {"code":1,"message":"m"}`, failed("3", `{"code":1,"message":"m"}`)), agent(list(codeV2), toC(list(codeV1))),
		)},
		{name: "a mode that the agent does not set is told again, as the client may show it", steps: append(opened[:2:2],
			client(`2 session/set_mode {"sessionId":"s","modeId":"code"}`,
				toA(`2 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"code"}`)),
			agent(`2 = {"configOptions":[`+modeV2+`]}`, toC(`2 = {}`), mode("ask"), toC(list(modeV1))),
		)},
		{name: "a model that the client sets is told once, with the mode that it changes", steps: append(opened[:2:2],
			agent(list(codeV2+`,`+gpt), mode("code"), toC(list(codeV1+`,`+gptV1))),
			client(`2 session/set_model {"sessionId":"s","modelId":"m"}`,
				toA(`2 session/set_config_option {"sessionId":"s","configId":"model","type":"id","value":"m"}`)),
			agent(`2 = {"configOptions":[`+modeV2+`,`+gpt+`]}`, toC(`2 = {}`), mode("ask"), toC(list(modeV1+`,`+gptV1))),
			agent(list(modeV2+`,`+gpt)),
			client(`3 session/set_model {"sessionId":"s","modelId":"m"}`,
				toA(`3 session/set_config_option {"sessionId":"s","configId":"model","type":"id","value":"m"}`)),
			agent(list(codeV2+`,`+gpt), mode("code"), toC(list(codeV1+`,`+gptV1))),
			agent(`3 = {"configOptions":[`+codeV2+`,`+gpt+`]}`, toC(`3 = {}`)),
		)},
		{name: "an option that the client sets and the agent tells before or after its answer", steps: append(opened[:2:2],
			client(`2 session/set_config_option {"sessionId":"s","configId":"mode","value":"code"}`,
				toA(`2 session/set_config_option {"sessionId":"s","configId":"mode","value":"code","type":"id"}`)),
			agent(list(codeV2), mode("code"), toC(list(codeV1))),
			agent(`2 = {"configOptions":[`+codeV2+`]}`, toC(`2 = {"configOptions":[`+codeV1+`]}`)),
			client(`3 session/set_config_option {"sessionId":"s","configId":"mode","value":"ask"}`,
				toA(`3 session/set_config_option {"sessionId":"s","configId":"mode","value":"ask","type":"id"}`)),
			agent(`3 = {"configOptions":[`+modeV2+`]}`, toC(`3 = {"configOptions":[`+modeV1+`]}`), mode("ask")),
			agent(list(modeV2)),
			agent(`{"sessionUpdate":"config_option_update","configOptions":[`+modeV2+`],"_meta":{"a":1}}`,
				toC(`{"sessionUpdate":"config_option_update","configOptions":[`+modeV1+`],"_meta":{"a":1}}`)),
		)},
		{name: "an option that the client sets", steps: append(opened[:2:2],
			client(`2 session/set_config_option {"sessionId":"s","configId":"mode","value":"code"}`,
				toA(`2 session/set_config_option {"sessionId":"s","configId":"mode","value":"code","type":"id"}`)),
			agent(`2 = {"configOptions":[`+codeV2+`]}`, toC(`2 = {"configOptions":[`+codeV1+`]}`), mode("code")),
			client(`3 session/set_config_option {"sessionId":"s","configId":"x","type":"boolean","value":true}`,
				toA(`3 session/set_config_option {"sessionId":"s","configId":"x","type":"boolean","value":true}`)),
			agent(`3 ! {"code":1,"message":"m"}`, failed("3", `{"code":1,"message":"m"}`)),
			client(`4 session/set_config_option {"sessionId":"s","configId":"x","value":5}`,
				failed("4", `{"code":-32602,"message":"the option has no such value"}`)),
		)},
		{name: "a switch for a client that knows none", steps: append(opened[:2:2],
			agent(list(boolean+`,{"configId":"u","name":"U","type":"_slider","currentValue":1}`),
				toC(list(`{"id":"b","name":"B","currentValue":"on","type":"select","options":[{"value":"off","name":"Off"},{"value":"on","name":"On"}]}`))).
				Losing("option of type boolean", "option of an unknown type"),
			client(`2 session/set_config_option {"sessionId":"s","configId":"b","value":"off"}`,
				toA(`2 session/set_config_option {"sessionId":"s","configId":"b","value":false,"type":"boolean"}`)),
		)},
		{name: "groups, categories, options that cannot be read", steps: []step{
			agent(list(`{"configId":"m","name":"M","category":"_custom_category","type":"select","currentValue":"a","options":[{"groupId":"g","name":"G",`+
				`"options":[{"value":"a","name":"A"}]}]},{"configId":"n"},{"name":"M","type":"select"}`),
				toC(list(`{"id":"m","name":"M","category":"_custom_category","type":"select","currentValue":"a","options":[{"group":"g","name":"G",`+
					`"options":[{"value":"a","name":"A"}]}]}`))).
				Losing("option of an unknown type", "unreadable option"),
			agent(`{"sessionUpdate":"config_option_update"}`).Losing("unreadable update"),
		}},
		{name: "a model that the client sets", steps: []step{
			agent(list(modeV2+`,`+model),
				mode("ask"),
				toC(list(modeV1+`,{"id":"llm","name":"Model","category":"model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"},`+
					`{"value":"b","name":"B"}]}`))),
			client(`2 session/set_model {"sessionId":"s","modelId":"b","_meta":{"k":1}}`,
				toA(`1 session/set_config_option {"sessionId":"s","configId":"llm","type":"id","value":"b","_meta":{"k":1}}`)),
			agent(`1 = {"configOptions":[`+modeV2+`]}`,
				toC(`2 = {}`), toC(list(modeV1))),
			client(`3 session/set_model {"sessionId":"s","modelId":"b"}`, failed("3", `{"code":-32602,"message":"the session has no such choice"}`)),
		}},
		{name: "a mode that the agent refuses, and an answer without options", steps: append(opened[:2:2],
			client(`2 session/set_mode {"sessionId":"s","modeId":"code","_meta":5}`,
				toA(`2 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"code"}`)),
			agent(`2 ! {"code":1,"message":"m"}`, failed("2", `{"code":1,"message":"m"}`)),
			client(`3 session/set_mode {"sessionId":"s","modeId":"code","_meta":null}`,
				toA(`3 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"code","_meta":null}`)),
			agent(`3 = {}`, toC(`3 = {}`)),
			client(`4 session/set_mode {"sessionId":"s","modeId":"code"}`,
				toA(`4 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"code"}`)),
			agent(`4 = {"configOptions":5}`, toC(`4 = {}`)),
			client(`5 session/set_mode {"sessionId":"s"}`, failed("5", `{"code":-32602,"message":"the session has no such choice"}`)),
			client(`6 session/set_mode {"sessionId":"s","modeId":"code"}`,
				toA(`5 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"code"}`)),
			agent(`5 = {"configOptions":[]}`,
				toC(`6 = {}`), toC(list(``))),
			client(`7 session/set_mode {"sessionId":"s","modeId":"code"}`, failed("7", `{"code":-32602,"message":"the session has no such choice"}`)),
		)},
		{name: "a mode whose answer comes when the session is closed", steps: append(opened[:2:2],
			client(`2 session/set_mode {"sessionId":"s","modeId":"code"}`,
				toA(`2 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"code"}`)),
			client(`3 session/set_config_option {"sessionId":"s","configId":"mode","value":"code"}`,
				toA(`3 session/set_config_option {"sessionId":"s","configId":"mode","value":"code","type":"id"}`)),
			client(`4 session/close {"sessionId":"s"}`, toA(`4 session/close {"sessionId":"s"}`)),
			agent(`4 = {}`, toC(`4 = {}`)),
			agent(`2 = {"configOptions":[`+codeV2+`]}`, toC(`2 = {}`)),
			agent(`3 = {"configOptions":[`+codeV2+`]}`,
				toC(`3 = {"configOptions":[`+codeV1+`]}`)),
		)},
		{name: "of two options of category mode the first is the mode, whatever their names", steps: []step{
			agent(list(`{"configId":"mode","name":"M","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]},`+
				`{"configId":"first","name":"F","category":"mode","type":"select","currentValue":"a","options":[]},`+
				`{"configId":"second","name":"S","category":"mode","type":"select","currentValue":"b","options":[]}`),
				mode("a"),
				toC(list(`{"id":"mode","name":"M","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]},`+
					`{"id":"first","name":"F","category":"mode","type":"select","currentValue":"a","options":[]},`+
					`{"id":"second","name":"S","category":"mode","type":"select","currentValue":"b","options":[]}`))),
			client(`2 session/set_mode {"sessionId":"s","modeId":"z"}`,
				toA(`1 session/set_config_option {"sessionId":"s","configId":"first","type":"id","value":"z"}`)),
		}},
	})
}

func TestModes(t *testing.T) {
	mode := func(id string) string {
		return toC(`{"sessionUpdate":"current_mode_update","currentModeId":"` + id + `"}`)
	}
	list := func(options string) string {
		return `{"sessionUpdate":"config_option_update","configOptions":[` + options + `]}`
	}
	runCases(t, []testCase{
		{name: "an option that is called mode is the mode if none has that category", steps: []step{
			agent(list(`{"configId":"mode","name":"M","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]}`),
				mode("x"),
				toC(list(`{"id":"mode","name":"M","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]}`))),
			client(`2 session/set_mode {"sessionId":"s","modeId":"x"}`,
				toA(`1 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"x"}`)),
		}},
		{name: "a switch is no mode, even if it is called so", steps: []step{
			agent(list(`{"configId":"mode","name":"M","category":"mode","type":"boolean","currentValue":true},`+
				`{"configId":"mode","name":"M","category":"mode","type":"_x","currentValue":"x"}`),
				toC(list(`{"id":"mode","name":"M","category":"mode","currentValue":"on","type":"select","options":[{"value":"off","name":"Off"},`+
					`{"value":"on","name":"On"}]}`))).
				Losing("option of type boolean", "option of an unknown type"),
			client(`2 session/set_mode {"sessionId":"s","modeId":"x"}`, failed("2", `{"code":-32602,"message":"the session has no such choice"}`)),
		}},
		{name: "modes are the values of all groups, except what cannot be read", steps: []step{
			client(`1 session/new {"cwd":"/p","mcpServers":[]}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`1 = {"sessionId":"s","configOptions":[{"configId":"m","name":"M","category":"mode","type":"select","currentValue":"a",`+
				`"options":[{"groupId":"g","name":"G","options":[{"value":"a","name":"A"},{"value":"no name"}]},`+
				`{"groupId":"h","name":"H","options":[{"value":"b","name":"B"}]}]}]}`,
				toC(`1 = {"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]},`+
					`"configOptions":[{"id":"m","name":"M","category":"mode","type":"select","currentValue":"a","options":[{"group":"g","name":"G",`+
					`"options":[{"value":"a","name":"A"}]},{"group":"h","name":"H","options":[{"value":"b","name":"B"}]}]}]}`)),
		}},
		{name: "an option without a current value is no mode", steps: []step{
			client(`1 session/new {"cwd":"/p","mcpServers":[]}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`1 = {"sessionId":"s","configOptions":[{"configId":"m","name":"M","category":"mode","type":"select","currentValue":5,`+
				`"options":[{"value":"a","name":"A"}]},`+
				`{"name":"no id","category":"mode","type":"select","currentValue":"a","options":[{"value":"a","name":"A"}]}]}`,
				toC(`1 = {"sessionId":"s","configOptions":[]}`)).
				Losing("unreadable option", "unreadable option"),
		}},
		{name: "values that an option cannot have", steps: []step{
			agent(list(`{"configId":"b","name":"B","type":"boolean","currentValue":false}`),
				toC(list(`{"id":"b","name":"B","currentValue":"off","type":"select","options":[{"value":"off","name":"Off"},{"value":"on","name":"On"}]}`))).
				Losing("option of type boolean"),
			client(`1 session/set_config_option {"sessionId":"s","configId":"b","value":"on"}`,
				toA(`1 session/set_config_option {"sessionId":"s","configId":"b","value":true,"type":"boolean"}`)),
			client(`2 session/set_config_option {"sessionId":"s","configId":"b","value":"maybe"}`,
				failed("2", `{"code":-32602,"message":"the option has no such value"}`)),
			client(`3 session/set_config_option {"sessionId":"s","configId":"b"}`, failed("3", `{"code":-32602,"message":"the option has no such value"}`)),
			client(`4 session/set_config_option {"sessionId":"s","value":"on"}`, failed("4", `{"code":-32602,"message":"the option has no such value"}`)),
			client(`5 session/set_config_option 5`, failed("5", `{"code":-32602,"message":"the option has no such value"}`)),
			client(`6 session/set_config_option {"sessionId":"new","configId":"b","value":"on"}`,
				toA(`2 session/set_config_option {"sessionId":"new","configId":"b","value":"on","type":"id"}`)),
			client(`7 session/set_config_option {"sessionId":"s","configId":"b","value":false}`,
				toA(`3 session/set_config_option {"sessionId":"s","configId":"b","value":false,"type":"boolean"}`)),
		}},
		{name: "an answer to session/set_config_option that cannot be read", steps: append(opened[:2:2],
			client(`2 session/set_config_option {"sessionId":"s","configId":"mode","value":"code"}`,
				toA(`2 session/set_config_option {"sessionId":"s","configId":"mode","value":"code","type":"id"}`)),
			agent(`2 = {}`, failed("2", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`3 session/set_config_option {"sessionId":"s","configId":"mode","value":"code"}`,
				toA(`3 session/set_config_option {"sessionId":"s","configId":"mode","value":"code","type":"id"}`)),
			agent(`3 = {"configOptions":{}}`, failed("3", `{"code":-32603,"message":"the agent's answer cannot be read"}`)),
			client(`4 session/set_config_option {"sessionId":"s","configId":"mode","value":"ask"}`,
				toA(`4 session/set_config_option {"sessionId":"s","configId":"mode","value":"ask","type":"id"}`)),
			agent(`4 = {"configOptions":[`+modeV2+`],"_meta":{"k":1}}`,
				toC(`4 = {"configOptions":[`+modeV1+`],"_meta":{"k":1}}`)),
		)},
	})
}
