package oldclient

import (
	"testing"
	"time"

	"acp-plan-proxy/capabilities"
)

const yesNo = `[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`

// asks is a permission request with these members, and what leaves.
func asks(members string, want ...string) step {
	return agent(`{"id":0,"method":"session/request_permission","params":{"sessionId":"s",`+members+`}}`, want...)
}

// shown is what the client is asked, as the request of that number.
func shownAs(number, toolCall, rest string) string {
	return `C {"id":` + number + `,"method":"session/request_permission","params":{"sessionId":"s","toolCall":` + toolCall + `,"options":` + yesNo + rest + `}}`
}

const (
	chosen    = `"result":{"outcome":{"outcome":"selected","optionId":"y"}}}`
	dismissed = `"result":{"outcome":{"outcome":"cancelled"}}}`
)

func TestPermissions(t *testing.T) {
	question := textItem(`**Run the tests?**\n\nneeds network`)
	runCases(t, []testCase{
		{name: "a tool call that says it all", steps: []step{
			tells(call(`,"title":"Edit a.txt","content":[`+textItem("c")+`]`), shows(begun(`,"title":"Edit a.txt","content":[`+textItem("c")+`]`))),
			asks(`"title":"Edit a.txt","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","kind":"edit","status":"paused"}},"options":`+yesNo,
				shownAs("1", `{"toolCallId":"t","kind":"edit","status":"in_progress","title":"Edit a.txt"}`, "")).losing("unknown status of a tool call"),
			client(`{"id":1,`+chosen, `A {"id":0,`+chosen),
		}},
		{name: "a title and a description of its own, taken out again", steps: []step{
			begin,
			asks(`"title":"Run the tests?","description":"needs network","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","content":[`+textItem("c")+`]}},"options":`+yesNo,
				shownAs("1", `{"toolCallId":"t","content":[`+question+`,`+textItem("c")+`],"title":"T"}`,
					`,"_meta":{"acp-bridge":{"permission":{"title":"Run the tests?","description":"needs network"}}}`)),
			client(`{"id":1,`+chosen, `A {"id":0,`+chosen, shows(call(`,"content":[`+textItem("c")+`]`))),
		}},
		{name: "a command", steps: []step{
			asks(`"title":"Run the tests?","description":"needs network","subject":{"type":"command","command":"cargo test","cwd":"/p","toolCallId":"t"},"options":`+yesNo,
				shownAs("1", `{"toolCallId":"t","kind":"execute","status":"pending","rawInput":{"command":"cargo test","cwd":"/p"},"title":"`+"`cargo test`"+`","content":[`+question+`]}`,
					`,"_meta":{"acp-bridge":{"permission":{"title":"Run the tests?","description":"needs network","subject":{"type":"command","command":"cargo test","cwd":"/p","toolCallId":"t"}}}}`)),
			client(`{"id":1,`+dismissed, `A {"id":0,`+dismissed, shows(call(`,"content":[]`))),
		}},
		{name: "no subject, and an unknown one", steps: []step{
			asks(`"title":"Go?","options":`+yesNo, shownAs("1", `{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"}`, "")),
			client(`{"id":1,`+chosen, `A {"id":0,`+chosen, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-1","status":"completed"}`)),
			asks(`"title":"Go?","subject":{"type":"_x"},"_meta":{"a":1},"options":`+yesNo, shownAs("2", `{"toolCallId":"perm-2","kind":"other","status":"pending","title":"Go?"}`,
				`,"_meta":{"a":1,"acp-bridge":{"permission":{"title":"Go?","subject":{"type":"_x"}}}}`)),
			client(`{"id":2,"error":{"code":-32800,"message":"x"}}`, `A {"id":0,`+dismissed, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-2","status":"failed"}`)),
		}},
		{name: "options of other kinds are last, as rejections", steps: []step{
			asks(`"title":"Go?","options":[{"optionId":"x","name":"X","kind":"_allow_forever"},{"optionId":"y","name":"Y","kind":"allow_always"},{"name":"no id"}]`,
				`C {"id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"},"options":[{"optionId":"y","name":"Y","kind":"allow_always"},{"optionId":"x","name":"X","kind":"reject_once"}]}}`).losing("unknown kind of a permission option", "unreadable permission option"),
			client(`{"id":1,"result":{"outcome":{"outcome":"selected","optionId":"x"}}}`, `A {"id":0,"result":{"outcome":{"outcome":"selected","optionId":"x"}}}`,
				shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-1","status":"failed"}`)),
		}},
		{name: "the agent withdraws, and the client answers", steps: []step{
			asks(`"title":"Go?","options":`+yesNo, shownAs("1", `{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"}`, "")),
			agent(`{"method":"$/cancel_request","params":{"requestId":0}}`, `C {"method":"$/cancel_request","params":{"requestId":1}}`),
			wait(999 * time.Millisecond),
			client(`{"id":1,`+dismissed, `A {"id":0,`+dismissed, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-1","status":"failed"}`)),
			wait(time.Second),
		}},
		{name: "the agent withdraws, and the client is silent", steps: []step{
			asks(`"title":"Go?","options":`+yesNo, shownAs("1", `{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"}`, "")),
			agent(`{"method":"$/cancel_request","params":{"requestId":0}}`, `C {"method":"$/cancel_request","params":{"requestId":1}}`),
			wait(time.Second, `A {"id":0,`+dismissed, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-1","status":"failed"}`)),
			client(`{"id":1,` + chosen).losing("answer to no request"),
			agent(`{"method":"$/cancel_request","params":{"requestId":0}}`),
		}},
		{name: "a request that cannot be read", steps: []step{
			asks(`"title":"Go?"`, `A {"id":0,"error":{"code":-32602,"message":"the params of a permission request cannot be read"}}`),
		}},
		{name: "an answer that cannot be read does not approve", steps: []step{
			asks(`"title":"Go?","options":`+yesNo, shownAs("1", `{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"}`, "")),
			client(`{"id":1,"result":{"outcome":"selected"}}`, `A {"id":0,`+dismissed, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-1","status":"failed"}`)),
		}},
	})
}

func TestElicitations(t *testing.T) {
	runCases(t, []testCase{
		{name: "a form of a session", steps: []step{
			agent(`{"id":"e","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","format":"uri"},"b":{"type":"string","format":"_phone"},"c":{"type":"_x","y":1}}}}}`,
				`C {"id":1,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","format":"uri"},"b":{"type":"string"},"c":{"type":"_x","y":1}}}}}`),
			client(`{"id":1,"result":{"action":"accept","content":{"a":"x"}}}`, `A {"id":"e","result":{"action":"accept","content":{"a":"x"}}}`),
		}},
		{name: "an URL of a request of the client", steps: []step{
			client(`{"id":"login","method":"authenticate","params":{"methodId":"m"}}`, `A {"id":1,"method":"auth/login","params":{"methodId":"m"}}`),
			agent(`{"id":0,"method":"elicitation/create","params":{"requestId":1,"mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`,
				`C {"id":1,"method":"elicitation/create","params":{"requestId":"login","mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`),
			agent(`{"method":"$/cancel_request","params":{"requestId":0}}`, `C {"method":"$/cancel_request","params":{"requestId":1}}`),
			wait(time.Second, `A {"id":0,"result":{"action":"cancel"}}`),
			agent(`{"method":"elicitation/complete","params":{"elicitationId":"i"}}`, `C {"method":"elicitation/complete","params":{"elicitationId":"i"}}`),
		}},
		{name: "what cannot be read", steps: []step{
			agent(`{"id":0,"method":"elicitation/create","params":{"mode":"form"}}`, `A {"id":0,"error":{"code":-32602,"message":"the params of an elicitation cannot be read"}}`),
		}},
	})
}

func TestNotices(t *testing.T) {
	const notice = `{"sessionUpdate":"notice","severity":"warning","title":"Slow","description":"very"}`
	compaction := func(members string) string {
		return `{"sessionUpdate":"compaction_update","compactionId":"c"` + members + `}`
	}
	asCall := func(kind, members string) string {
		return shows(`{"sessionUpdate":"` + kind + `","toolCallId":"compaction:c"` + members + `}`)
	}
	runCases(t, []testCase{
		{name: "a notice for a client that knows them", client: capabilities.OldClient{Notices: true}, steps: []step{tells(notice, shows(notice))}},
		{name: "a notice is a message", steps: []step{
			tells(notice, shows(`{"sessionUpdate":"agent_message_chunk","messageId":"notice-1","content":`+block(`Warning: Slow\n\nvery`)+`}`)).losing("notice"),
			tells(`{"sessionUpdate":"notice","severity":"info","title":"T","_meta":{"a":1}}`, shows(`{"sessionUpdate":"agent_message_chunk","messageId":"notice-2","content":`+block(`T`)+`,"_meta":{"a":1}}`)).losing("notice"),
		}},
		{name: "a compaction for a client that knows them", client: capabilities.OldClient{Compaction: true}, steps: []step{
			tells(compaction(`,"status":"_new"`), shows(compaction(`,"status":"_new"`))),
		}},
		{name: "a compaction is a tool call", steps: []step{
			tells(compaction(`,"status":"in_progress"`), asCall("tool_call", `,"status":"in_progress","title":"Compact conversation","kind":"other"`)).losing("compaction"),
			tells(`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":` + block("sum") + `}`),
			wait(100*time.Millisecond, asCall("tool_call_update", `,"content":[`+textItem("sum")+`]`)),
			tells(compaction(`,"status":"completed","summary":[`+block("summary")+`]`), asCall("tool_call_update", `,"status":"completed","content":[`+textItem("summary")+`]`)),
			tells(compaction(`,"status":"cancelled","error":"e"`), asCall("tool_call_update", `,"status":"failed","content":[`+textItem("e")+`]`)),
		}},
		{name: "a compaction without an id, or with a summary without content, is nothing", steps: []step{
			tells(`{"sessionUpdate":"compaction_update","status":"in_progress"}`).losing("unreadable update"),
			tells(`{"sessionUpdate":"compaction_summary_chunk","content":` + block("sum") + `}`).losing("unreadable update"),
			tells(`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c"}`).losing("unreadable update"),
		}},
	})
}

func TestSubagents(t *testing.T) {
	child := func(update string) string { return in("kid", update) }
	onRoot := func(kind, members string) string {
		return shows(`{"sessionUpdate":"` + kind + `","toolCallId":"subagent:kid"` + members + `}`)
	}
	const begins = `{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Explore","state":{"state":"running"}}`
	runCases(t, []testCase{
		{name: "a client that knows them", client: capabilities.OldClient{Subagents: true}, steps: []step{
			tells(begins, shows(begins)), agent(child(hello), "C "+child(hello)),
		}},
		{name: "a subagent is a tool call", steps: []step{
			tells(begins, onRoot("tool_call", `,"kind":"other","status":"in_progress","title":"Explore","content":[`+textItem("")+`]`)).losing("subagent"),
			agent(child(chunk("agent_message", "m", "I look"))),
			agent(child(`{"sessionUpdate":"agent_message","messageId":"m","content":[` + block("I look.") + `]}`)),
			agent(child(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":` + block("hm") + `}`)),
			agent(child(`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"Read a"}`)),
			agent(child(`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"Read a"}`)),
			wait(100*time.Millisecond, onRoot("tool_call_update", `,"content":[`+textItem(`I look.\n• Read a\n`)+`]`)),
			agent(child(idle("end_turn")), onRoot("tool_call_update", `,"status":"completed"`)),
			tells(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"idle","stopReason":"error"}}`, onRoot("tool_call_update", `,"status":"failed"`)),
		}},
		{name: "a subagent without a session, or that is its own, is none", steps: []step{
			tells(`{"sessionUpdate":"subagent_update","title":"Explore"}`).losing("unreadable update"),
			tells(`{"sessionUpdate":"subagent_update","sessionId":"s","title":"Explore"}`).losing("unreadable update"),
			tells(hello, shows(hello)),
		}},
		{name: "what sessions say to each other is left out", steps: []step{
			tells(`{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"kid","content":[` + block("done") + `]}`).losing("message between sessions"),
			tells(`{"sessionUpdate":"session_message_chunk","messageId":"m","content":` + block("!") + `}`).losing("message between sessions"),
		}},
		{name: "messages of a subagent are lines, and one that is replaced is said again", steps: []step{
			tells(begins, onRoot("tool_call", `,"kind":"other","status":"in_progress","title":"Explore","content":[`+textItem("")+`]`)).losing("subagent"),
			agent(child(chunk("agent_message", "m", "One"))), agent(child(chunk("agent_message", "m", "."))), agent(child(chunk("agent_message", "n", "Two"))),
			agent(child(`{"sessionUpdate":"agent_message","messageId":"n","content":[` + block("Three") + `]}`)),
			agent(child(`{"sessionUpdate":"agent_message","messageId":"n","content":[` + block("Three.") + `]}`)),
			wait(100*time.Millisecond, onRoot("tool_call_update", `,"content":[`+textItem(`One.\nTwo\nThree.`)+`]`)),
		}},
		{name: "a subagent whose session the client opens", steps: []step{
			tells(begins, onRoot("tool_call", `,"kind":"other","status":"in_progress","title":"Explore","content":[`+textItem("")+`]`)).losing("subagent"),
			client(`{"id":5,"method":"session/load","params":{"sessionId":"kid","cwd":"/p","mcpServers":[]}}`,
				`A {"id":1,"method":"session/resume","params":{"sessionId":"kid","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}}`),
			agent(child(hello), "C "+child(hello)), agent(`{"id":1,"result":{}}`, `C {"id":5,"result":{}}`),
			client(`{"id":6,"method":"session/prompt","params":{"sessionId":"kid","prompt":[`+block("hi")+`]}}`, `A {"id":2,"method":"session/prompt","params":{"sessionId":"kid","prompt":[`+block("hi")+`]}}`),
			inserted("2", "m1"), agent(child(state("running"))), agent(child(idle("end_turn")), answered("6", "end_turn")),
			tells(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"idle"}}`, onRoot("tool_call_update", `,"status":"completed"`)),
		}},
		{name: "a history that is loaded again shows a subagent's text once", steps: []step{
			tells(begins, onRoot("tool_call", `,"kind":"other","status":"in_progress","title":"Explore","content":[`+textItem("")+`]`)).losing("subagent"),
			agent(child(hello)), wait(100*time.Millisecond, onRoot("tool_call_update", `,"content":[`+textItem("Hello")+`]`)),
			client(`{"id":5,"method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`,
				`A {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}}`),
			tells(begins, onRoot("tool_call", `,"kind":"other","status":"in_progress","title":"Explore","content":[`+textItem("")+`]`)).losing("subagent"),
			agent(child(hello)), wait(100*time.Millisecond, onRoot("tool_call_update", `,"content":[`+textItem("Hello")+`]`)),
		}},
		{name: "what a subagent asks is asked in the session that the client knows", steps: []step{
			tells(begins, onRoot("tool_call", `,"kind":"other","status":"in_progress","title":"Explore","content":[`+textItem("")+`]`)).losing("subagent"),
			agent(`{"id":0,"method":"session/request_permission","params":{"sessionId":"kid","title":"Edit","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","title":"Edit"}},"options":`+yesNo+`}}`,
				shownAs("1", `{"toolCallId":"kid/t","title":"Edit"}`, "")),
			client(`{"id":1,`+chosen, `A {"id":0,`+chosen),
			agent(child(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`), shows(`{"sessionUpdate":"tool_call_update","toolCallId":"kid/t","status":"completed"}`)),
			agent(`{"id":1,"method":"elicitation/create","params":{"sessionId":"kid","toolCallId":"t","mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`,
				`C {"id":2,"method":"elicitation/create","params":{"sessionId":"s","toolCallId":"kid/t","mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`),
		}},
	})
}
