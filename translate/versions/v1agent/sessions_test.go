package v1agent

import (
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate/versions/shapes"
)

func TestNewSession(t *testing.T) {
	const noSystemPrompt = `! {"code":-32602,"message":"Invalid params: a system prompt that the agent cannot be given"}`
	runCases(t, []testCase{
		{"MCP servers lose the type that version 1 does not have", nil, []step{
			client(`"a" session/new {"cwd":"/p","_meta":{"n":1.0},"mcpServers":[{"type":"stdio","name":"fs","command":"/fs"},`+
				`{"type":"http","name":"h","url":"http://h","headers":null}]}`,
				toA(`1 session/new {"cwd":"/p","_meta":{"n":1.0},"mcpServers":[{"name":"fs","command":"/fs","args":[],"env":[]},`+
					`{"type":"http","name":"h","url":"http://h","headers":[]}]}`)),
			agent(`1 = {"sessionId":"s","configOptions":null,"modes":null,"_meta":{}}`, toC(`"a" = {"sessionId":"s","_meta":{}}`)),
		}},
		{"a server that version 1 cannot start is refused", nil, []step{
			client(`1 session/new {"cwd":"/p","mcpServers":[{"type":"websocket","name":"w"}]}`,
				toC(`1 ! {"code":-32602,"message":"Invalid params: MCP server of the unknown type \"websocket\"","data":{"type":"websocket"}}`)),
		}},
		{"a session without an id is an error", nil, []step{
			client(`1 session/new {"cwd":"/p"}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`1 = null`, toC(`1 ! {"code":-32603,"message":"the agent made a session without an id"}`)),
		}},
		{"what is no member of version 2 is left out of an answer", nil, []step{
			client(`1 session/new {"cwd":"/p","_meta":5}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`1 = {"sessionId":"s","_meta":5,"availableCommands":[{"name":"n","description":"d"}],`+
				`"configOptions":[{"id":"o","name":"O","type":"boolean","currentValue":true,"_meta":5}]}`,
				toC(`1 = {"sessionId":"s","configOptions":[{"configId":"o","name":"O","type":"boolean","currentValue":true}]}`)),
		}},
		{"a system prompt is what version 1 can read, or refused", nil, []step{
			client(`1 session/new {"cwd":"/p","systemPrompt":{"mode":"append","content":[{"type":"text","text":"a","annotations":{"audience":["user",`+
				`"_tool"]}},{"type":"resource_link","name":"n","uri":"file:///a","icons":[{}]}],"_meta":5}}`,
				toA(`1 session/new {"cwd":"/p","systemPrompt":{"mode":"append","content":[{"type":"text","text":"a","annotations":{"audience":["user"]}},`+
					`{"type":"resource_link","name":"n","uri":"file:///a"}]},"mcpServers":[]}`)).
				Losing("role in an audience", "icons of a resource link"),
			client(`2 session/resume {"sessionId":"s","cwd":"/p","systemPrompt":{"mode":"append","content":[{"type":"_video","uri":"x:"}]}}`,
				toC(`2 `+noSystemPrompt)),
			client(`3 session/fork {"sessionId":"s","cwd":"/p","systemPrompt":5}`, toC(`3 `+noSystemPrompt)),
			client(`4 session/new {"cwd":"/p","systemPrompt":null}`, toA(`2 session/new {"cwd":"/p","systemPrompt":null,"mcpServers":[]}`)),
		}},
		{"a fork is a session", nil, then(made,
			client(`2 session/fork {"sessionId":"s","cwd":"/p"}`, toA(`2 session/fork {"sessionId":"s","cwd":"/p"}`)),
			agent(`2 = {"sessionId":"f"}`, toC(`2 = {"sessionId":"f"}`)),
		)},
		{"updates before the answer pass", nil, []step{
			client(`1 session/new {"cwd":"/p"}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(report("usage_update", `"used":1,"size":2`), toC(report("usage_update", `"used":1,"size":2`))),
			agent(`1 = {"sessionId":"s"}`, toC(`1 = {"sessionId":"s"}`)),
		}},
	})
}

// TestResults checks results that have the same shape in both versions.
func TestResults(t *testing.T) {
	const (
		unreadable = `! {"code":-32603,"message":"the agent's answer cannot be read"}`
		params     = `{"sessionId":"s","title":"T","providerId":"p","apiType":"openai","baseUrl":"https://x"}`
	)
	for _, c := range []struct {
		method, result string
		want           string
		lost           []string
	}{
		{"session/archive", `true`, `= {}`, nil},
		{"session/set_title", `{"title":"T"}`, `= {"title":"T"}`, nil},
		{"session/set_title", `null`, unreadable, nil},
		{"session/status", `{"status":"open","state":"x","_meta":[]}`, `= {"status":"open"}`, nil},
		{"providers/list", `{"providers":[{"providerId":"p","supported":[],"required":false,"current":{"apiType":"openai","baseUrl":"x"}},5]}`,
			`= {"providers":[{"providerId":"p","supported":[],"required":false}]}`, []string{"address of a provider", "provider"}},
		{"providers/list",
			`{"providers":[{"id":"p","supported":["openai"],"required":true,"current":null},{"id":5,"supported":[],"required":true},` +
				`{"id":"p","providerId":"q","required":true}]}`,
			`= {"providers":[{"providerId":"p","supported":["openai"],"required":true,"current":null},` +
				`{"id":"p","providerId":"q","required":true,"supported":[]}]}`, []string{"provider"}},
		{"providers/disable", `null`, `= {}`, nil},
		{"auth/status", `{"state":"unknown","accounts":[{"label":"L"}],"_meta":5}`, `= {"state":"unknown","accounts":[{"label":"L"}]}`, nil},
		{"_theirs", `[2]`, `= [2]`, nil},
	} {
		runCases(t, []testCase{{c.method + " " + c.result, nil, []step{
			client(`"a" `+c.method+` `+params, toA(`1 `+c.method+` `+params)),
			agent(`1 = `+c.result, toC(`"a" `+c.want)).Losing(c.lost...),
		}}})
	}
}

// TestProviders pins that a request about a provider names it as the agent's list
// did.
func TestProviders(t *testing.T) {
	listed := func(members string) []step {
		return []step{
			client(`1 providers/list {}`, toA(`1 providers/list {}`)),
			agent(`1 = {"providers":[{`+members+`"supported":[],"required":false}]}`,
				toC(`1 = {"providers":[{`+strings.Replace(members, `"id"`, `"providerId"`, 1)+`"supported":[],"required":false}]}`)),
		}
	}
	runCases(t, []testCase{
		{"agents of May and June 2026 call its id id", nil, then(listed(`"id":"p",`),
			client(`2 providers/set {"providerId":"p","apiType":"openai","baseUrl":"https://x","_meta":5}`,
				toA(`2 providers/set {"id":"p","apiType":"openai","baseUrl":"https://x"}`)).Foreign(),
			agent(`2 = null`, toC(`2 = {}`)),
			client(`3 providers/disable {"providerId":"p"}`, toA(`3 providers/disable {"id":"p"}`)).Foreign(),
			client(`4 providers/disable [5]`, toA(`4 providers/disable [5]`)).Foreign(),
			client(`5 providers/list {}`, toA(`5 providers/list {}`)),
			agent(`5 = {"providers":[]}`, toC(`5 = {"providers":[]}`)),
			client(`6 providers/disable {"providerId":"p"}`, toA(`6 providers/disable {"id":"p"}`)).Foreign(),
		)},
	})
}

func TestNotifications(t *testing.T) {
	runCases(t, []testCase{
		{"notifications that version 2 cannot read, and params", nil, []step{
			agent(`elicitation/complete {"elicitationId":5}`).Losing("unreadable notification"),
			agent(`elicitation/complete {"elicitationId":"i","_meta":5}`, toC(`elicitation/complete {"elicitationId":"i"}`)),
			agent(`auth/status_update { "state":"unknown" }`, toC(`auth/status_update {"state":"unknown"}`)),
			agent(`auth/status_update {"authenticated":true}`, toC(`auth/status_update {"authenticated":true}`)).Foreign(),
			agent(`auth/status_update null`).Losing("unreadable notification"),
			client(`1 session/set_title {"_meta":5,"sessionId":"s","title":"T"}`, toA(`1 session/set_title {"sessionId":"s","title":"T"}`)),
			client(`2 session/list {"_meta":5,"cwd":"/p"}`, toA(`2 session/list {"cwd":"/p"}`)),
			client(`3 session/close {"sessionId":"t","_meta":5}`, toA(`3 session/close {"sessionId":"t"}`)),
			agent(`3 = {"_meta":5,"x":1}`, toC(`3 = {"x":1}`)),
			client(`4 auth/status {}`, toA(`4 auth/status {}`)),
			agent(`4 = {"authenticated":false,"message":"sign in"}`, toC(`4 = {"authenticated":false,"message":"sign in"}`)).Foreign(),
		}},
	})
}

func TestResume(t *testing.T) {
	const (
		replay = `{"sessionId":"s","cwd":"/p","replayFrom":{"type":"start"}}`
		plain  = `{"sessionId":"s","cwd":"/p"}`
	)
	idleNow := toC(report("state_update", `"state":"idle"`))
	replayed := toC(report("replay_complete", ""))
	loads, resumes := &shapes.V1Agent{Load: true}, &shapes.V1Agent{Resume: true}
	user := report("user_message_chunk", `"content":{"type":"text","text":"hi"}`)
	of := func(session, update string) string {
		return `session/update {"sessionId":"` + session + `","update":{"sessionUpdate":` + update + `}}`
	}
	prompts := func(id, number, text string) step {
		params := ` session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"` + text + `"}]}`
		return client(id+params, toA(number+params))
	}
	takenAs := func(messageID, id, text string) []string {
		return []string{
			toC(report("user_message", `"messageId":"`+messageID+`","content":[{"type":"text","text":"`+text+`"}]`)),
			toC(id + ` = {"messageId":"` + messageID + `"}`), toC(report("state_update", `"state":"running"`)),
		}
	}
	// repeats is a chunk of the user in a replay, under an id or none, and that of the
	// client for it: twice if the message has begun before.
	repeats := func(id, text string, ids ...string) step {
		content := `"content":{"type":"text","text":"` + text + `"}`
		own, mine := content, content+`,"messageId":"`+ids[0]+`"`
		if id != "" {
			own = `"messageId":"` + id + `",` + content
		}
		if id == ids[0] {
			mine = own
		}
		want := []string{toC(report("user_message", `"messageId":"`+ids[0]+`","content":[]`)), toC(report("user_message_chunk", mine))}
		return agent(report("user_message_chunk", own), want[len(ids)-1:]...)
	}
	runCases(t, []testCase{
		{"a replay is a load, with a start in front of each message", nil, []step{
			client(`4 session/resume `+replay, toA(`1 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			agent(user,
				toC(report("user_message", `"messageId":"r-user-1","content":[]`)),
				toC(report("user_message_chunk", `"content":{"type":"text","text":"hi"},"messageId":"r-user-1"`))),
			agent(user, toC(report("user_message_chunk", `"content":{"type":"text","text":"hi"},"messageId":"r-user-1"`))),
			agent(report("agent_thought_chunk", `"content":{"type":"text","text":"a"}`),
				toC(report("agent_thought", `"messageId":"r-thought-1","content":[]`)),
				toC(report("agent_thought_chunk", `"content":{"type":"text","text":"a"},"messageId":"r-thought-1"`))),
			agent(report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"a"}`),
				toC(report("agent_message", `"messageId":"m","content":[]`)),
				toC(report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"a"}`))),
			agent(report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"b"}`),
				toC(report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"b"}`))),
			agent(report("agent_message_chunk", `"content":{"type":"text","text":"c"}`),
				toC(report("agent_message", `"messageId":"r-agent-1","content":[]`)),
				toC(report("agent_message_chunk", `"content":{"type":"text","text":"c"},"messageId":"r-agent-1"`))),
			agent(user,
				toC(report("user_message", `"messageId":"r-user-2","content":[]`)),
				toC(report("user_message_chunk", `"content":{"type":"text","text":"hi"},"messageId":"r-user-2"`))),
			agent(`1 = null`, replayed, idleNow, toC(`4 = {}`)),
		}},
		{"a prompt that is repeated has the id that it was given", nil, then(made,
			prompts("2", "2", "hi"), wait(ackDelay, takenAs("1", "2", "hi")...),
			agent(report("agent_message_chunk", `"messageId":"a","content":{"type":"text","text":"yes"}`),
				toC(report("agent_message_chunk", `"messageId":"a","content":{"type":"text","text":"yes"}`))),
			agent(`2 = {"stopReason":"end_turn"}`, ended("end_turn")),
			prompts("3", "3", "go on"), agent(report("user_message_chunk", `"messageId":"own","content":{"type":"text","text":"go on"}`), takenAs("own", "3", "go on")...),
			agent(`3 ! {"code":-32800,"message":"x"}`, ended("cancelled")),
			prompts("4", "4", "hi"), wait(ackDelay, takenAs("3", "4", "hi")...), agent(`4 ! {"code":-32800,"message":"x"}`, ended("cancelled")),
			client(`5 session/resume `+replay, toA(`5 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			repeats("", "Be brief", "r-user-1"), repeats("", " more", "r-user-1", "r-user-1"), repeats("u1", "hi", "1"), repeats("u1", "!", "1", "1"),
			repeats("own", "go on", "own"), repeats("", `hi\n`, "3"), repeats("u1", "?", "1", "1"), repeats("u4", "hi", "u4"),
			agent(`5 = {}`, replayed, idleNow, toC(`5 = {}`)),
			client(`6 session/resume `+replay, toA(`6 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			repeats("", "Be brief", "r-user-1"), repeats("v1", "hi", "1"), repeats("v2", "hi", "3"), repeats("v3", "hi", "u4"), repeats("v4", "hi", "v4"),
			agent(`6 = {}`, replayed, idleNow, toC(`6 = {}`)),
			prompts("7", "7", "hi"), agent(report("user_message_chunk", `"messageId":"v4","content":{"type":"text","text":"hi"}`), takenAs("4", "7", "hi")...),
		)},
		{"without a replay the agent resumes", nil, []step{
			client(`4 session/resume `+plain, toA(`1 session/resume `+plain)),
			agent(`1 = {"configOptions":[]}`, idleNow, toC(`4 = {"configOptions":[]}`)),
		}},
		{"an agent that only loads has its replay left out", loads, []step{
			client(`4 session/resume `+plain, toA(`1 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			agent(user),
			agent(report("tool_call", `"toolCallId":"t","title":"T"`)),
			agent(report("plan", `"entries":[]`)),
			agent(report("usage_update", `"used":1,"size":2`), toC(report("usage_update", `"used":1,"size":2`))),
			agent(`1 = {}`, idleNow, toC(`4 = {}`)),
			agent(report("tool_call_update", `"toolCallId":"t","title":"T"`), toC(report("tool_call_update", `"toolCallId":"t","title":"T"`))),
		}},
		{"what it offers is told again", loads, then(offered(modes, modeAsk),
			client(`4 session/resume `+plain, idleNow, toC(`4 = {"configOptions":[`+modeAsk+`]}`)),
		)},
		{"an agent that only resumes replays nothing", resumes, []step{
			client(`4 session/resume `+replay, toA(`1 session/resume {"sessionId":"s","cwd":"/p"}`)).Losing("history of a session"),
			agent(`1 = {}`, replayed, idleNow, toC(`4 = {}`)),
		}},
		{"an agent that does neither keeps what is live", &unable, then(made,
			client(`4 session/resume `+plain, idleNow, toC(`4 = {}`)),
			client(`4 session/resume `+replay, replayed, idleNow, toC(`4 = {}`)).Losing("history of a session"),
			client(`5 session/resume {"sessionId":"x","cwd":"/p"}`,
				toC(`5 ! {"code":-32601,"message":"Method not found: session/resume","data":{"method":"session/resume"}}`)),
		)},
		{"a replay of nothing ends too, and one that fails does not", loads, []step{
			client(`4 session/resume `+replay, toA(`1 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			agent(`1 = {}`, replayed, idleNow, toC(`4 = {}`)),
			client(`5 session/resume `+replay, toA(`2 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			agent(`2 ! {"code":-32603,"message":"no"}`, toC(`5 ! {"code":-32603,"message":"no"}`)),
		}},
		{"a session that the agent speaks of stays if it cannot be resumed", loads, []step{
			agent(of("x", `"agent_message_chunk","messageId":"m","content":{"type":"text","text":"a"}`),
				toC(of("x", `"agent_message_chunk","messageId":"m","content":{"type":"text","text":"a"}`))),
			client(`4 session/resume {"sessionId":"x","cwd":"/p"}`, toA(`1 session/load {"sessionId":"x","cwd":"/p","mcpServers":[]}`)),
			agent(`1 ! {"code":-32603,"message":"no"}`, toC(`4 ! {"code":-32603,"message":"no"}`)),
			agent(of("x", `"agent_message_chunk","messageId":"m","content":{"type":"text","text":"b"}`),
				toC(of("x", `"agent_message_chunk","messageId":"m","content":{"type":"text","text":"b"}`))),
		}},
		{"a closed one is closed again if the agent does not have it", &unable, []step{
			client(`1 session/new {"cwd":"/p","mcpServers":[]}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`1 = {"sessionId":"s"}`, toC(`1 = {"sessionId":"s"}`)),
			client(`2 session/close {"sessionId":"s"}`, toC(`2 = {}`)),
			client(`3 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`,
				toA(`2 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`)),
			agent(`2 ! {"code":-32002,"message":"no"}`, toC(`3 ! {"code":-32002,"message":"no","data":{"sessionId":"s"}}`)),
			agent(of("s", `"agent_message_chunk","messageId":"m","content":{"type":"text","text":"late"}`)),
		}},
		{"an agent that does neither keeps the options of a session, too", &unable, then(offered(modes, modeAsk),
			client(`4 session/resume `+plain, idleNow, toC(`4 = {"configOptions":[`+modeAsk+`]}`)),
		)},
		{"another place to replay from is refused", nil, []step{
			client(`4 session/resume {"sessionId":"s","cwd":"/p","replayFrom":{"type":"cursor"}}`,
				toC(`4 ! {"code":-32602,"message":"Invalid params: history cannot be replayed from there","data":{"type":"cursor"}}`)),
		}},
		{"a session that is not there is named", nil, []step{
			client(`4 session/resume `+plain, toA(`1 session/resume `+plain)),
			agent(`1 ! {"code":-32002,"message":"no"}`, toC(`4 ! {"code":-32002,"message":"no","data":{"sessionId":"s"}}`)),
		}},
		{"one of two resumes may fail", &shapes.V1Agent{Load: true}, []step{
			client(`4 session/resume `+plain, toA(`1 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			client(`5 session/resume `+plain, toA(`2 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			agent(`1 ! {"code":-32603,"message":"no"}`, toC(`4 ! {"code":-32603,"message":"no"}`)),
			agent(user),
			agent(`2 = {}`, idleNow, toC(`5 = {}`)),
		}},
		{"one that fails behind a close leaves a session alone that has the id by then", loads, []step{
			client(`4 session/resume `+plain, toA(`1 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			client(`5 session/close {"sessionId":"s"}`, toC(`5 = {}`)),
			prompts("6", "2", "hi"),
			agent(`1 ! {"code":-32603,"message":"no"}`, toC(`4 ! {"code":-32603,"message":"no"}`)),
			wait(ackDelay, takenAs("1", "6", "hi")...),
			client(`7 session/prompt ` + hi), // it waits for its turn
		}},
		{"a session that is resumed in a turn is in it", nil, then(begun,
			client(`4 session/resume `+plain, toA(`3 session/resume `+plain)),
			agent(`3 = {}`, toC(report("state_update", `"state":"running"`)), toC(`4 = {}`)),
		)},
		{"a session that is resumed without a directory keeps the one that it had", nil, then(made,
			client(`4 session/resume {"sessionId":"s"}`,
				toA(`2 session/resume {"sessionId":"s"}`)).Foreign(),
			agent(`2 = {}`,
				idleNow,
				toC(`4 = {}`)),
			agent(report("agent_message_chunk", `"messageId":"m","content":{"type":"resource_link","name":"n","uri":"a.go"}`),
				toC(report("agent_message_chunk", `"messageId":"m","content":{"type":"resource_link","name":"n","uri":"file:///p/a.go"}`))),
			client(`5 session/resume {"sessionId":"s","cwd":"/q"}`,
				toA(`3 session/resume {"sessionId":"s","cwd":"/q"}`)),
			agent(`3 = {}`,
				idleNow,
				toC(`5 = {}`)),
			agent(report("agent_message_chunk", `"messageId":"m","content":{"type":"resource_link","name":"n","uri":"a.go"}`),
				toC(report("agent_message_chunk", `"messageId":"m","content":{"type":"resource_link","name":"n","uri":"file:///q/a.go"}`))),
		)},
	})
}

func TestReplaysOfSubagents(t *testing.T) {
	const (
		replay = `{"sessionId":"s","cwd":"/p","replayFrom":{"type":"start"}}`
		plain  = `{"sessionId":"s","cwd":"/p"}`
	)
	idleNow := toC(report("state_update", `"state":"idle"`))
	loads := &shapes.V1Agent{Load: true}
	of := func(session, update string) string {
		return `session/update {"sessionId":"` + session + `","update":{"sessionUpdate":` + update + `}}`
	}
	runCases(t, []testCase{
		{"subagents that are announced in a replay are replayed too", nil, []step{
			client(`4 session/resume `+replay, toA(`1 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			agent(report("subagent_update", `"sessionId":"x"`), toC(report("subagent_update", `"sessionId":"x"`))),
			agent(of("x", `"subagent_update","sessionId":"y"`), toC(of("x", `"subagent_update","sessionId":"y"`))),
			agent(of("x", `"subagent_update","sessionId":"s"`), toC(of("x", `"subagent_update","sessionId":"s"`))),
			agent(of("y", `"agent_message_chunk","content":{"type":"text","text":"a"}`),
				toC(of("y", `"agent_message","messageId":"r-agent-1","content":[]`)),
				toC(of("y", `"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"r-agent-1"`))),
			agent(`1 = {}`, toC(of("y", `"replay_complete"`)), toC(of("x", `"replay_complete"`)), toC(report("replay_complete", "")), idleNow, toC(`4 = {}`)),
			agent(of("y", `"agent_message_chunk","content":{"type":"text","text":"a"}`),
				toC(of("y", `"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"b-1"`))),
			agent(report("subagent_update", `"sessionId":"z"`), toC(report("subagent_update", `"sessionId":"z"`))),
			agent(of("z", `"agent_message_chunk","content":{"type":"text","text":"a"}`),
				toC(of("z", `"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"b-2"`))),
		}},
		{"or left out with it", loads, []step{
			client(`4 session/resume `+plain, toA(`1 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			agent(report("subagent_update", `"sessionId":"x"`), toC(report("subagent_update", `"sessionId":"x"`))),
			agent(of("x", `"agent_message_chunk","content":{"type":"text","text":"a"}`)),
			agent(report("session_message", `"messageId":"m"`)),
			agent(`1 = {}`, idleNow, toC(`4 = {}`)),
			agent(of("x", `"agent_message_chunk","content":{"type":"text","text":"a"}`),
				toC(of("x", `"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"b-1"`))),
		}},
		{"a prompt to a subagent ends its replay first", nil, []step{
			client(`4 session/resume `+replay, toA(`1 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			agent(report("subagent_update", `"sessionId":"x"`), toC(report("subagent_update", `"sessionId":"x"`))),
			agent(of("x", `"subagent_update","sessionId":"y"`), toC(of("x", `"subagent_update","sessionId":"y"`))),
			client(`5 session/prompt {"sessionId":"x","prompt":[{"type":"text","text":"hi"}]}`,
				toC(of("x", `"replay_complete"`)),
				toA(`2 session/prompt {"sessionId":"x","prompt":[{"type":"text","text":"hi"}]}`)),
			agent(of("x", `"agent_message_chunk","messageId":"m","content":{"type":"text","text":"a"}`),
				toC(of("x", `"user_message","messageId":"1","content":[{"type":"text","text":"hi"}]`)),
				toC(`5 = {"messageId":"1"}`),
				toC(of("x", `"state_update","state":"running"`)),
				toC(of("x", `"agent_message_chunk","messageId":"m","content":{"type":"text","text":"a"}`))),
			agent(`2 = {"stopReason":"end_turn"}`, toC(of("x", `"state_update","state":"idle","stopReason":"end_turn"`))),
			agent(report("subagent_update", `"sessionId":"x"`), toC(report("subagent_update", `"sessionId":"x"`))),
			agent(of("x", `"agent_message_chunk","messageId":"n","content":{"type":"text","text":"a"}`),
				toC(of("x", `"agent_message_chunk","messageId":"n","content":{"type":"text","text":"a"}`))),
			agent(`1 = {}`, toC(of("y", `"replay_complete"`)), toC(report("replay_complete", "")), idleNow, toC(`4 = {}`)),
		}},
		{"also one that the client did not ask for", loads, []step{
			client(`4 session/resume `+plain, toA(`1 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`)),
			agent(report("subagent_update", `"sessionId":"x"`), toC(report("subagent_update", `"sessionId":"x"`))),
			client(`5 session/prompt {"sessionId":"x","prompt":[{"type":"text","text":"hi"}]}`,
				toA(`2 session/prompt {"sessionId":"x","prompt":[{"type":"text","text":"hi"}]}`)),
			agent(of("x", `"agent_message_chunk","messageId":"m","content":{"type":"text","text":"a"}`),
				toC(of("x", `"user_message","messageId":"1","content":[{"type":"text","text":"hi"}]`)),
				toC(`5 = {"messageId":"1"}`),
				toC(of("x", `"state_update","state":"running"`)),
				toC(of("x", `"agent_message_chunk","messageId":"m","content":{"type":"text","text":"a"}`))),
			agent(`1 = {}`, idleNow, toC(`4 = {}`)),
		}},
	})
}

func TestList(t *testing.T) {
	noList := able
	noList.List = false
	runCases(t, []testCase{
		{"what version 2 cannot read is left out of a list", nil, []step{
			client(`1 session/list {"cursor":""}`, toA(`1 session/list {"cursor":""}`)),
			agent(`1 = {"sessions":[{"sessionId":"a","cwd":"/p","updatedAt":"2026-11-21","title":null},{"sessionId":"b"},`+
				`{"sessionId":"c","cwd":"/p","updatedAt":"2026-11-21T10:00:00Z"},{"sessionId":"d","cwd":"/p","updatedAt":"2026-11-21T10:00:00,5Z"},`+
				`{"sessionId":"e","cwd":"/p","updatedAt":"2026-11-21T1:00:00Z"}],"nextCursor":null}`,
				toC(`1 = {"sessions":[{"sessionId":"a","cwd":"/p","title":null},{"sessionId":"c","cwd":"/p","updatedAt":"2026-11-21T10:00:00Z"},`+
					`{"sessionId":"d","cwd":"/p"},{"sessionId":"e","cwd":"/p"}],"nextCursor":null}`)).Losing("session in a list"),
		}},
		{"an agent without lists has those of this connection", &unable, then(made,
			agent(report("session_info_update", `"title":"T","updatedAt":"yesterday"`), toC(report("session_info_update", `"title":"T"`))).
				Losing("unreadable member of an update"),
			client(`2 session/new {"cwd":"/q"}`, toA(`2 session/new {"cwd":"/q","mcpServers":[]}`)),
			agent(`2 = {"sessionId":"q"}`, toC(`2 = {"sessionId":"q"}`)),
			client(`3 session/list {}`, toC(`3 = {"sessions":[{"sessionId":"q","cwd":"/q"},{"sessionId":"s","cwd":"/p","title":"T"}]}`)),
			client(`4 session/list {"cwd":"/q"}`, toC(`4 = {"sessions":[{"sessionId":"q","cwd":"/q"}]}`)),
			client(`5 session/close {"sessionId":"q"}`, toC(`5 = {}`)),
			client(`6 session/list {"cwd":"/q"}`, toC(`6 = {"sessions":[]}`)),
		)},
		{"an agent without lists has the titles and times that it told", &unable, then(made,
			agent(report("session_info_update", `"title":"T"`),
				toC(report("session_info_update", `"title":"T"`))),
			client(`4 session/list {}`,
				toC(`4 = {"sessions":[{"sessionId":"s","cwd":"/p","title":"T"}]}`)),
			agent(report("session_info_update", `"updatedAt":"2026-11-22T07:00:00Z"`),
				toC(report("session_info_update", `"updatedAt":"2026-11-22T07:00:00Z"`))),
			client(`5 session/list {}`,
				toC(`5 = {"sessions":[{"sessionId":"s","cwd":"/p","title":"T","updatedAt":"2026-11-22T07:00:00Z"}]}`)),
			agent(report("session_info_update", `"title":null,"updatedAt":"yesterday"`),
				toC(report("session_info_update", `"title":null`))).Losing("unreadable member of an update"),
			client(`6 session/list {}`,
				toC(`6 = {"sessions":[{"sessionId":"s","cwd":"/p","updatedAt":"2026-11-22T07:00:00Z"}]}`)),
		)},
	})
}

func TestClose(t *testing.T) {
	canceled := toA(`session/cancel {"sessionId":"s"}`)
	usage := report("usage_update", `"used":1,"size":2`)
	runCases(t, []testCase{
		{"a close ends the turn before it is answered", nil, then(begun,
			client(`3 session/prompt `+hi),
			client(`4 session/close {"sessionId":"s"}`, toC(`3 ! {"code":-32800,"message":"Request cancelled"}`), toA(`3 session/close {"sessionId":"s"}`)),
			client(`5 session/prompt `+hi, toC(`5 ! {"code":-32002,"message":"Resource not found","data":{"sessionId":"s"}}`)),
			agent(`3 = null`, ended("cancelled"), toC(`4 = {}`)),
			agent(`2 = {"stopReason":"cancelled"}`),
			agent(report("usage_update", `"used":1,"size":2`)),
		)},
		{"a prompt that was not inserted is withdrawn", nil, then(prompted,
			client(`4 session/close {"sessionId":"s"}`, toA(`3 session/close {"sessionId":"s"}`)),
			agent(`3 = {}`, toC(`2 ! {"code":-32800,"message":"Request cancelled"}`), toC(`4 = {}`)),
			wait(time.Hour),
		)},
		{"a client can go on with a session that it has closed", nil, then(made,
			client(`4 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			agent(`2 = {}`, toC(`4 = {}`)),
			agent(report("usage_update", `"used":1,"size":2`)),
			client(`5 session/prompt `+hi, toA(`3 session/prompt `+hi)),
			agent(`3 = {"stopReason":"end_turn"}`, taken("1", 5)...), wait(lateDelay, ended("end_turn")),
			agent(report("usage_update", `"used":1,"size":2`), toC(report("usage_update", `"used":1,"size":2`))),
		)},
		{"a close of a session that is not there succeeds", nil, []step{
			client(`4 session/close {"sessionId":"s"}`, toA(`1 session/close {"sessionId":"s"}`)),
			agent(`1 ! {"code":-32002,"message":"no"}`, toC(`4 = {}`)),
			agent(usage),
		}},
		{"a close that fails leaves the session", nil, then(made,
			client(`4 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			agent(`2 ! {"code":-32603,"message":"no"}`, toC(`4 ! {"code":-32603,"message":"no"}`)),
			client(`2 session/prompt `+hi, toA(`3 session/prompt `+hi)),
		)},
		{"an agent that cannot close is cancelled and waited for", &unable, then(begun,
			client(`4 session/close {"sessionId":"s"}`, canceled),
			client(`5 session/close {"sessionId":"s"}`),
			agent(`2 = {"stopReason":"cancelled"}`), wait(lateDelay, ended("cancelled"), toC(`4 = {}`), toC(`5 = {}`)),
			agent(report("usage_update", `"used":1,"size":2`)),
			client(`6 session/close {"sessionId":"s"}`, toC(`6 = {}`)),
		)},
		{"but not for more than ten seconds", &unable, then(begun,
			client(`4 session/close {"sessionId":"s"}`, canceled),
			wait(closeDelay-time.Millisecond),
			wait(time.Millisecond, ended("cancelled"), toC(`4 = {}`)),
			agent(`2 = {"stopReason":"cancelled"}`),
		)},
		{"an agent that ends while it is waited for has closed it", &unable, then(begun,
			client(`4 session/close {"sessionId":"s"}`, canceled),
			gone(toC(report("state_update", `"state":"idle","stopReason":"error","error":{"code":-32603,"message":"agent exited"}`)),
				toC(`4 = {}`)),
		)},
	})
}

func TestRequestsBehindAClose(t *testing.T) {
	idleNow := toC(report("state_update", `"state":"idle"`))
	usage := report("usage_update", `"used":1,"size":2`)
	runCases(t, []testCase{
		{"a deleted session is in no list, unless the agent has made it again", nil, then(made,
			client(`2 session/delete {"sessionId":"s"}`, toA(`2 session/delete {"sessionId":"s"}`)),
			agent(`2 = null`, toC(`2 = {}`)),
			client(`3 session/list {}`, toA(`3 session/list {}`)),
			agent(`3 = {"sessions":[{"sessionId":"s","cwd":"/p"},{"sessionId":"t","cwd":"/p"}]}`, toC(`3 = {"sessions":[{"sessionId":"t","cwd":"/p"}]}`)),
			client(`4 session/resume {"sessionId":"s","cwd":"/p"}`, toA(`4 session/resume {"sessionId":"s","cwd":"/p"}`)),
			agent(`4 = {}`, toC(report("state_update", `"state":"idle"`)), toC(`4 = {}`)),
			client(`5 session/close {"sessionId":"s"}`, toA(`5 session/close {"sessionId":"s"}`)),
			agent(`5 = {}`, toC(`5 = {}`)),
			client(`6 session/list {}`, toA(`6 session/list {}`)),
			agent(`6 = {"sessions":[{"sessionId":"s","cwd":"/p"}]}`, toC(`6 = {"sessions":[{"sessionId":"s","cwd":"/p"}]}`)),
		)},
		{"a deleted session that takes a prompt is there", nil, then(made,
			client(`2 session/delete {"sessionId":"s"}`, toA(`2 session/delete {"sessionId":"s"}`)),
			agent(`2 = {}`, toC(`2 = {}`)),
			client(`3 session/set_config_option {"sessionId":"s","configId":"x","type":"id","value":"x"}`,
				toA(`3 session/set_config_option {"sessionId":"s","configId":"x","value":"x"}`)),
			agent(`3 ! {"code":-32002,"message":"no"}`, toC(`3 ! {"code":-32002,"message":"no","data":{"sessionId":"s"}}`)),
			client(`4 session/list {}`, toA(`4 session/list {}`)),
			agent(`4 = {"sessions":[{"sessionId":"s","cwd":"/p"}]}`, toC(`4 = {"sessions":[]}`)),
			client(`5 session/prompt `+hi, toA(`5 session/prompt `+hi)),
			agent(`5 = {"stopReason":"end_turn"}`, taken("1", 5)...), wait(lateDelay, ended("end_turn")),
			client(`6 session/close {"sessionId":"s"}`, toA(`6 session/close {"sessionId":"s"}`)),
			agent(`6 = {}`, toC(`6 = {}`)),
			client(`7 session/list {}`, toA(`7 session/list {}`)),
			agent(`7 = {"sessions":[{"sessionId":"s","cwd":"/p"}]}`, toC(`7 = {"sessions":[{"sessionId":"s","cwd":"/p"}]}`)),
		)},
		{"requests wait until a close before them is answered", nil, then(begun,
			client(`4 session/close {"sessionId":"s"}`, toA(`3 session/close {"sessionId":"s"}`)),
			client(`5 session/resume {"sessionId":"s","cwd":"/p"}`),
			client(`6 session/delete {"sessionId":"s"}`),
			client(`7 session/resume {"sessionId":"s","cwd":"/p"}`),
			client(`8 session/resume {"sessionId":"s","cwd":"/p"}`),
			client(`$/cancel_request {"requestId":8}`, toC(`8 ! {"code":-32800,"message":"Request cancelled"}`)),
			client(`9 session/prompt `+hi, toC(`9 ! {"code":-32002,"message":"Resource not found","data":{"sessionId":"s"}}`)),
			agent(`3 = {}`, ended("cancelled"), toC(`4 = {}`),
				toA(`4 session/resume {"sessionId":"s","cwd":"/p"}`), toA(`5 session/delete {"sessionId":"s"}`)),
			agent(`4 = {}`, idleNow, toC(`5 = {}`)),
			agent(`5 ! {"code":-32002,"message":"no"}`, toC(`6 = {}`), toA(`6 session/resume {"sessionId":"s","cwd":"/p"}`)),
			agent(`6 = {}`, idleNow, toC(`7 = {}`)),
			agent(usage, toC(usage)),
		)},
		{"but not for ever, and a late answer ends nothing", nil, then(begun,
			client(`4 session/delete {"sessionId":"s"}`, toA(`3 session/delete {"sessionId":"s"}`)),
			client(`5 session/resume {"sessionId":"s","cwd":"/p"}`),
			wait(closeDelay-time.Millisecond),
			wait(time.Millisecond, ended("cancelled"), toA(`4 session/resume {"sessionId":"s","cwd":"/p"}`)),
			agent(`4 = {}`, idleNow, toC(`5 = {}`)),
			agent(`3 = {}`, toC(`4 = {}`)),
			agent(usage, toC(usage)),
			client(`6 session/list {}`, toA(`5 session/list {}`)),
			agent(`5 = {"sessions":[{"sessionId":"s","cwd":"/p"}]}`, toC(`6 = {"sessions":[{"sessionId":"s","cwd":"/p"}]}`)),
		)},
		{"a late answer to a close does not end the next one", nil, then(made,
			client(`4 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			wait(closeDelay),
			client(`5 session/close {"sessionId":"s"}`, toA(`3 session/close {"sessionId":"s"}`)),
			client(`6 session/resume {"sessionId":"s","cwd":"/p"}`),
			agent(`2 = {}`, toC(`4 = {}`)),
			client(`7 session/resume {"sessionId":"s","cwd":"/q"}`),
			agent(`3 = {}`, toC(`5 = {}`), toA(`4 session/resume {"sessionId":"s","cwd":"/p"}`), toA(`5 session/resume {"sessionId":"s","cwd":"/q"}`)),
		)},
		{"a session whose close is not answered is closed", nil, then(made,
			client(`4 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			wait(closeDelay),
			agent(usage),
			agent(`2 ! {"code":-32603,"message":"no"}`, toC(`4 ! {"code":-32603,"message":"no"}`)),
			agent(usage),
		)},
		{"also if the close fails", nil, then(made,
			client(`4 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			client(`5 session/resume {"sessionId":"s","cwd":"/p"}`),
			agent(`2 ! {"code":-32603,"message":"no"}`, toC(`4 ! {"code":-32603,"message":"no"}`), toA(`3 session/resume {"sessionId":"s","cwd":"/p"}`)),
		)},
		{"and are refused if the agent ends", nil, then(made,
			client(`4 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			client(`5 session/resume {"sessionId":"s","cwd":"/p"}`),
			gone(toC(`4 ! {"code":-32603,"message":"agent exited"}`), toC(`5 ! {"code":-32603,"message":"agent exited"}`)),
		)},
		{"an agent that cannot delete was not said to", &unable, then(made,
			client(`4 session/delete {"sessionId":"s"}`,
				toC(`4 ! {"code":-32601,"message":"Method not found: session/delete","data":{"method":"session/delete"}}`)),
		)},
		{"a question that is open when its session is closed is answered, and the client is not asked any more", nil, then(begun,
			agent(`1 session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"x","title":"T"},`+
				`"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}`,
				toC(report("state_update", `"state":"requires_action"`)),
				toC(`1 session/request_permission {"sessionId":"s","title":"T","subject":{"type":"tool_call","toolCall":{"toolCallId":"x","title":"T"}},`+
					`"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}`)),
			client(`4 session/close {"sessionId":"s"}`,
				toA(`1 = {"outcome":{"outcome":"cancelled"}}`),
				toC(`$/cancel_request {"requestId":1}`),
				toA(`3 session/close {"sessionId":"s"}`)),
			agent(`3 = {}`,
				toC(report("tool_call_update", `"toolCallId":"x","status":"cancelled"`)),
				toC(report("state_update", `"state":"idle","stopReason":"cancelled"`)),
				toC(`4 = {}`)),
			client(`1 = {"outcome":{"outcome":"selected","optionId":"y"}}`),
			agent(`2 session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"x","title":"T"},`+
				`"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}`,
				toA(`2 = {"outcome":{"outcome":"cancelled"}}`)),
		)},
	})
}

func TestOtherRequests(t *testing.T) {
	runCases(t, []testCase{
		{"sign-in and sign-out have other names", nil, []step{
			client(`"x" auth/login {"methodId":"k"}`, toA(`1 authenticate {"methodId":"k"}`)),
			agent(`1 = null`, toC(`"x" = {}`)),
			client(`2 auth/logout {}`, toA(`2 logout {}`)),
			agent(`2 = {}`, toC(`2 = {}`)),
		}},
		{"an agent without sign-out refuses it", &unable, []step{
			client(`2 auth/logout {}`, toC(`2 ! {"code":-32601,"message":"Method not found: auth/logout","data":{"method":"auth/logout"}}`)),
		}},
		{"methods of version 1 are unknown to a client of version 2", nil, []step{
			client(`2 session/load {}`, toC(`2 ! {"code":-32601,"message":"Method not found: session/load","data":{"method":"session/load"}}`)),
			client(`3 tool_call/cancel {}`, toC(`3 ! {"code":-32602,"message":"Invalid params: it cannot be cancelled by itself"}`)),
		}},
		{"the agent may neither read files nor run commands", nil, []step{
			agent(`"f" fs/read_text_file {"sessionId":"s","path":"/p"}`, toA(`"f" ! {"code":-32601,"message":"Method not found: fs/read_text_file"}`)).
				Losing("file or terminal request"),
			agent(`7 terminal/create {"sessionId":"s"}`, toA(`7 ! {"code":-32601,"message":"Method not found: terminal/create"}`)).
				Losing("file or terminal request"),
		}},
		{"an answer to no request is lost, one that was given up is dropped", nil, then(begun,
			agent(`999 = {}`).Losing("answer to no request"),
			agent(`"no" = {}`).Losing("answer to no request"),
			client(`999 = {}`).Losing("answer to no request"),
			agent(`0 _a {"sessionId":"s"}`, toC(`1 _a {"sessionId":"s"}`)),
			client(`1 = {}`, toA(`0 = {}`)),
			client(`1 = {}`),
		)},
		{"unknown methods pass both ways, with other ids", nil, []step{
			client(`"9" _a/b {"id":9.0}`, toA(`1 _a/b {"id":9.0}`)),
			agent(`1 _c {"x":1e2}`, toC(`1 _c {"x":1e2}`)),
			client(`1 ! {"code":-32601,"message":"no"}`, toA(`1 ! {"code":-32601,"message":"no"}`)),
			agent(`1 = 5`, toC(`"9" = 5`)),
			agent(`_n {"a":[ 1]}`, toC(`_n {"a":[ 1]}`)),
			client(`_n {"a":[ 1]}`, toA(`_n {"a":[ 1]}`)),
		}},
		{"a cancelled request is known by the other id", nil, []step{
			client(`"9" session/list {}`, toA(`1 session/list {}`)),
			client(`$/cancel_request {"requestId":"9"}`, toA(`$/cancel_request {"requestId":1}`)),
			client(`$/cancel_request {"requestId":9}`),
			agent(`0.50 _c {}`, toC(`1 _c {}`)),
			agent(`$/cancel_request {"requestId":0.5}`, toC(`$/cancel_request {"requestId":1}`)),
			client(`1 ! {"code":-32800,"message":"no"}`, toA(`0.50 ! {"code":-32800,"message":"no"}`)),
			agent(`$/cancel_request {"requestId":0.5}`),
		}},
		{"an error that cannot be read becomes one that can", nil, []step{
			client(`9 session/list {}`, toA(`1 session/list {}`)),
			agent(`1 ! "no"`, toC(`9 ! {"code":-32603,"message":"the answer is no valid one"}`)),
		}},
	})
}
