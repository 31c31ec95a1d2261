package oldagent

import (
	"testing"
	"time"

	"acp-plan-proxy/capabilities"
)

func TestNewSession(t *testing.T) {
	runCases(t, []testCase{
		{"MCP servers lose the type that version 1 does not have", nil, []step{
			client(`"a" session/new {"cwd":"/p","_meta":{"n":1.0},"mcpServers":[{"type":"stdio","name":"fs","command":"/fs"},{"type":"http","name":"h","url":"http://h","headers":null}]}`,
				toA(`1 session/new {"cwd":"/p","_meta":{"n":1.0},"mcpServers":[{"name":"fs","command":"/fs","args":[],"env":[]},{"type":"http","name":"h","url":"http://h","headers":[]}]}`)),
			agent(`1 = {"sessionId":"s","configOptions":null,"modes":null,"_meta":{}}`, toC(`"a" = {"sessionId":"s","_meta":{}}`)),
		}},
		{"a server that version 1 cannot start is refused", nil, []step{
			client(`1 session/new {"cwd":"/p","mcpServers":[{"type":"websocket","name":"w"}]}`,
				toC(`1 ! {"code":-32602,"message":"Invalid params: MCP server of the unknown type \"websocket\"","data":{"type":"websocket"}}`)),
		}},
		{"an error passes", nil, []step{
			client(`1 session/new {"cwd":"/p"}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`1 ! {"code":-32000,"message":"Authentication required"}`, toC(`1 ! {"code":-32000,"message":"Authentication required"}`)),
		}},
		{"a session without an id is an error", nil, []step{
			client(`1 session/new {"cwd":"/p"}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`1 = null`, toC(`1 ! {"code":-32603,"message":"the agent made a session without an id"}`)),
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

func TestResume(t *testing.T) {
	const (
		replay = `{"sessionId":"s","cwd":"/p","replayFrom":{"type":"start"}}`
		plain  = `{"sessionId":"s","cwd":"/p"}`
	)
	idleNow := toC(report("state_update", `"state":"idle"`))
	loads, resumes := &capabilities.OldAgent{Load: true}, &capabilities.OldAgent{Resume: true}
	user := report("user_message_chunk", `"content":{"type":"text","text":"hi"}`)
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
			agent(`1 = null`, idleNow, toC(`4 = {}`)),
		}},
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
		{"an agent that only resumes replays nothing", resumes, []step{
			client(`4 session/resume `+replay, toA(`1 session/resume {"sessionId":"s","cwd":"/p"}`)).losing("history of a session"),
			agent(`1 = {}`, idleNow, toC(`4 = {}`)),
		}},
		{"an agent that does neither keeps what is live", &unable, then(made,
			client(`4 session/resume `+plain, idleNow, toC(`4 = {}`)),
			client(`4 session/resume `+replay, idleNow, toC(`4 = {}`)).losing("history of a session"),
			client(`5 session/resume {"sessionId":"x","cwd":"/p"}`,
				toC(`5 ! {"code":-32601,"message":"Method not found: session/resume","data":{"method":"session/resume"}}`)),
		)},
		{"another place to replay from is refused", nil, []step{
			client(`4 session/resume {"sessionId":"s","cwd":"/p","replayFrom":{"type":"cursor"}}`,
				toC(`4 ! {"code":-32602,"message":"Invalid params: history cannot be replayed from there","data":{"type":"cursor"}}`)),
		}},
		{"a session that is not there is named", nil, []step{
			client(`4 session/resume `+plain, toA(`1 session/resume `+plain)),
			agent(`1 ! {"code":-32002,"message":"no"}`, toC(`4 ! {"code":-32002,"message":"no","data":{"sessionId":"s"}}`)),
		}},
		{"a session that is resumed in a turn is in it", nil, then(begun,
			client(`4 session/resume `+plain, toA(`3 session/resume `+plain)),
			agent(`3 = {}`, toC(report("state_update", `"state":"running"`)), toC(`4 = {}`)),
		)},
	})
}

func TestList(t *testing.T) {
	noList := able
	noList.List = false
	runCases(t, []testCase{
		{"what version 2 cannot read is left out of a list", nil, []step{
			client(`1 session/list {"cursor":""}`, toA(`1 session/list {"cursor":""}`)),
			agent(`1 = {"sessions":[{"sessionId":"a","cwd":"/p","updatedAt":"2026-11-21","title":null},{"sessionId":"b"},{"sessionId":"c","cwd":"/p","updatedAt":"2026-11-21T10:00:00Z"},{"sessionId":"d","cwd":"/p","updatedAt":"2026-11-21T10:00:00,5Z"},{"sessionId":"e","cwd":"/p","updatedAt":"2026-11-21T1:00:00Z"}],"nextCursor":null}`,
				toC(`1 = {"sessions":[{"sessionId":"a","cwd":"/p","title":null},{"sessionId":"c","cwd":"/p","updatedAt":"2026-11-21T10:00:00Z"},{"sessionId":"d","cwd":"/p"},{"sessionId":"e","cwd":"/p"}],"nextCursor":null}`)).losing("session in a list"),
		}},
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
			client(`3 session/set_config_option {"sessionId":"s","configId":"x","type":"id","value":"x"}`, toA(`3 session/set_config_option {"sessionId":"s","configId":"x","value":"x"}`)),
			agent(`3 ! {"code":-32002,"message":"no"}`, toC(`3 ! {"code":-32002,"message":"no","data":{"sessionId":"s"}}`)),
			client(`4 session/list {}`, toA(`4 session/list {}`)),
			agent(`4 = {"sessions":[{"sessionId":"s","cwd":"/p"}]}`, toC(`4 = {"sessions":[]}`)),
			client(`5 session/prompt `+hi, toA(`5 session/prompt `+hi)),
			agent(`5 = {"stopReason":"end_turn"}`, taken("1", 5)...), after(LateDelay, ended("end_turn")),
			client(`6 session/close {"sessionId":"s"}`, toA(`6 session/close {"sessionId":"s"}`)),
			agent(`6 = {}`, toC(`6 = {}`)),
			client(`7 session/list {}`, toA(`7 session/list {}`)),
			agent(`7 = {"sessions":[{"sessionId":"s","cwd":"/p"}]}`, toC(`7 = {"sessions":[{"sessionId":"s","cwd":"/p"}]}`)),
		)},
		{"null is no directory", &noList, then(made,
			client(`2 session/resume {"sessionId":"s","cwd":null}`, toA(`2 session/resume {"sessionId":"s","cwd":null}`)),
			agent(`2 = {}`, toC(report("state_update", `"state":"idle"`)), toC(`2 = {}`)),
			client(`3 session/list {}`, toC(`3 = {"sessions":[{"sessionId":"s","cwd":"/p"}]}`)),
		)},
		{"an agent without lists has those of this connection", &unable, then(made,
			agent(report("session_info_update", `"title":"T","updatedAt":"yesterday"`), toC(report("session_info_update", `"title":"T"`))).losing("unreadable member of an update"),
			client(`2 session/new {"cwd":"/q"}`, toA(`2 session/new {"cwd":"/q","mcpServers":[]}`)),
			agent(`2 = {"sessionId":"q"}`, toC(`2 = {"sessionId":"q"}`)),
			client(`3 session/list {}`, toC(`3 = {"sessions":[{"sessionId":"q","cwd":"/q"},{"sessionId":"s","cwd":"/p","title":"T"}]}`)),
			client(`4 session/list {"cwd":"/q"}`, toC(`4 = {"sessions":[{"sessionId":"q","cwd":"/q"}]}`)),
			client(`5 session/close {"sessionId":"q"}`, toC(`5 = {}`)),
			client(`6 session/list {"cwd":"/q"}`, toC(`6 = {"sessions":[]}`)),
		)},
	})
}

func TestClose(t *testing.T) {
	canceled := toA(`session/cancel {"sessionId":"s"}`)
	runCases(t, []testCase{
		{"a close ends the turn before it is answered", nil, then(begun,
			client(`3 session/prompt `+hi),
			client(`4 session/close {"sessionId":"s"}`, toC(`3 ! {"code":-32800,"message":"Request cancelled"}`), toA(`3 session/close {"sessionId":"s"}`)),
			client(`5 session/prompt `+hi, toC(`5 ! {"code":-32002,"message":"Resource not found","data":{"sessionId":"s"}}`)),
			agent(`3 = null`, ended("cancelled"), toC(`4 = {}`)),
			agent(`2 = {"stopReason":"cancelled"}`),
			agent(report("usage_update", `"used":1,"size":2`)),
		)},
		{"a turn that ends by itself ends before", nil, then(begun,
			client(`4 session/close {"sessionId":"s"}`, toA(`3 session/close {"sessionId":"s"}`)),
			agent(`2 = {"stopReason":"cancelled"}`), after(LateDelay, ended("cancelled")),
			agent(`3 = {}`, toC(`4 = {}`)),
		)},
		{"a prompt that was not taken in is withdrawn", nil, then(prompted,
			client(`4 session/close {"sessionId":"s"}`, toA(`3 session/close {"sessionId":"s"}`)),
			agent(`3 = {}`, toC(`2 ! {"code":-32800,"message":"Request cancelled"}`), toC(`4 = {}`)),
			after(time.Hour),
		)},
		{"a close of a session that is not there succeeds", nil, []step{
			client(`4 session/close {"sessionId":"s"}`, toA(`1 session/close {"sessionId":"s"}`)),
			agent(`1 ! {"code":-32002,"message":"no"}`, toC(`4 = {}`)),
		}},
		{"a close that fails leaves the session", nil, then(made,
			client(`4 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			agent(`2 ! {"code":-32603,"message":"no"}`, toC(`4 ! {"code":-32603,"message":"no"}`)),
			client(`2 session/prompt `+hi, toA(`3 session/prompt `+hi)),
		)},
		{"an agent that cannot close is cancelled and waited for", &unable, then(begun,
			client(`4 session/close {"sessionId":"s"}`, canceled),
			client(`5 session/close {"sessionId":"s"}`),
			agent(`2 = {"stopReason":"cancelled"}`), after(LateDelay, ended("cancelled"), toC(`4 = {}`), toC(`5 = {}`)),
			agent(report("usage_update", `"used":1,"size":2`)),
			client(`6 session/close {"sessionId":"s"}`, toC(`6 = {}`)),
		)},
		{"but not for ever", &unable, then(begun,
			client(`4 session/close {"sessionId":"s"}`, canceled),
			after(CloseDelay-time.Millisecond),
			after(time.Millisecond, ended("cancelled"), toC(`4 = {}`)),
			agent(`2 = {"stopReason":"cancelled"}`),
		)},
		{"an agent that ends while it is waited for has closed it", &unable, then(begun,
			client(`4 session/close {"sessionId":"s"}`, canceled),
			gone(toC(report("state_update", `"state":"idle","stopReason":"error","error":{"code":-32603,"message":"agent exited"}`)), toC(`4 = {}`)),
		)},
		{"a prompt for a session that is closed is up to the agent", nil, then(made,
			client(`4 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			agent(`2 = {}`, toC(`4 = {}`)),
			client(`5 session/prompt `+hi, toA(`3 session/prompt `+hi)),
			agent(`3 ! {"code":-32603,"message":"no"}`, toC(`5 ! {"code":-32603,"message":"no"}`)),
			agent(report("usage_update", `"used":1,"size":2`)),
			client(`5 session/prompt `+hi, toA(`4 session/prompt `+hi)),
			agent(`4 = {"stopReason":"end_turn"}`, taken("2", 5)...), after(LateDelay, ended("end_turn")),
			agent(report("usage_update", `"used":1,"size":2`), toC(report("usage_update", `"used":1,"size":2`))),
		)},
		{"a closed session that is resumed is open, also if its next prompt fails", nil, then(made,
			client(`4 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			agent(`2 = {}`, toC(`4 = {}`)),
			client(`5 session/set_config_option {"sessionId":"s","configId":"o","type":"id","value":"v"}`, toA(`3 session/set_config_option {"sessionId":"s","configId":"o","value":"v"}`)),
			agent(`3 ! {"code":-32603,"message":"no"}`, toC(`5 ! {"code":-32603,"message":"no"}`)),
			client(`6 session/resume {"sessionId":"s","cwd":"/p"}`, toA(`4 session/resume {"sessionId":"s","cwd":"/p"}`)),
			agent(`4 = {}`, toC(report("state_update", `"state":"idle"`)), toC(`6 = {}`)),
			client(`7 session/prompt `+hi, toA(`5 session/prompt `+hi)),
			agent(`5 ! {"code":-32603,"message":"no"}`, toC(`7 ! {"code":-32603,"message":"no"}`)),
			agent(report("usage_update", `"used":1,"size":2`), toC(report("usage_update", `"used":1,"size":2`))),
		)},
		{"delete is like close", nil, then(begun,
			client(`4 session/delete {"sessionId":"s"}`, toA(`3 session/delete {"sessionId":"s"}`)),
			agent(`3 = {}`, ended("cancelled"), toC(`4 = {}`)),
		)},
		{"an agent that cannot delete was not said to", &unable, then(made,
			client(`4 session/delete {"sessionId":"s"}`, toC(`4 ! {"code":-32601,"message":"Method not found: session/delete","data":{"method":"session/delete"}}`)),
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
			agent(`"f" fs/read_text_file {"sessionId":"s","path":"/p"}`, toA(`"f" ! {"code":-32601,"message":"Method not found: fs/read_text_file"}`)).losing("file or terminal request"),
			agent(`7 terminal/create {"sessionId":"s"}`, toA(`7 ! {"code":-32601,"message":"Method not found: terminal/create"}`)).losing("file or terminal request"),
		}},
		{"an answer to no request is lost, one that was given up is dropped", nil, then(begun,
			agent(`999 = {}`).losing("answer to no request"),
			agent(`"no" = {}`).losing("answer to no request"),
			client(`999 = {}`).losing("answer to no request"),
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
		{"an answer to no request is named", nil, then(begun,
			agent(`99 = {}`).losing("answer to no request"),
			agent(`"x" = {}`).losing("answer to no request"),
			client(`1 = {}`).losing("answer to no request"),
			agent(`1 = {}`), // its request was answered before
		)},
		{"an error that cannot be read becomes one that can", nil, []step{
			client(`9 session/list {}`, toA(`1 session/list {}`)),
			agent(`1 ! "no"`, toC(`9 ! {"code":-32603,"message":"the answer is no valid one"}`)),
		}},
	})
}
