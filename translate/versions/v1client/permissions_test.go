package v1client

import (
	"testing"
	"time"

	"acp-plan-proxy/translate/versions/words"
)

const yesNo = `[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`

// asks is a permission request with these members, and what leaves.
func asks(members string, want ...string) step {
	return agent(`0 session/request_permission {"sessionId":"s",`+members+`}`, want...)
}

// shown is what the client is asked, as the request of that number.
func shownAs(number, toolCall, rest string) string {
	return toC(number + ` session/request_permission {"sessionId":"s","toolCall":` + toolCall + `,"options":` + yesNo + rest + `}`)
}

// invented is the tool call that the bridge makes up for the question of that number,
// inventedEnds is what the client gets when it is answered.
func invented(number string) string {
	return `{"toolCallId":"perm-` + number + `","kind":"other","status":"pending","title":"Go?"}`
}

func inventedEnds(number, status string) string {
	return toC(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-` + number + `","status":"` + status + `"}`)
}

// asCommand is the tool call as which a command is shown.
func asCommand(id, input, title, rest string) string {
	return `{"toolCallId":"` + id + `","kind":"execute","status":"pending","rawInput":` + input + `,"title":"` + title + `"` + rest + `}`
}

// metaOf is what the client is told of a question besides.
func metaOf(members string) string {
	return `,"_meta":{"acp-bridge":{"permission":{` + members + `}}}`
}

// subagentBegins is the tool call as which the client sees a subagent.
func subagentBegins(id, title string) string {
	return toC(`{"sessionUpdate":"tool_call","toolCallId":"subagent:` + id + `","kind":"other","status":"in_progress","title":"` + title + `","content":[]}`)
}

const (
	chosen    = `= {"outcome":{"outcome":"selected","optionId":"y"}}`
	dismissed = `= {"outcome":{"outcome":"cancelled"}}`
)

func TestPermissions(t *testing.T) {
	question := textItem(`**Run the tests?**\n\nneeds network`)
	runCases(t, []testCase{
		{name: "a tool call that says it all", steps: []step{
			agent(call(`,"title":"Edit a.txt","content":[`+textItem("c")+`]`), toC(begun(`,"title":"Edit a.txt","content":[`+textItem("c")+`]`))),
			asks(`"title":"Edit a.txt","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","kind":"edit","status":"paused"}},"options":`+yesNo,
				shownAs("1", `{"toolCallId":"t","kind":"edit","status":"in_progress","title":"Edit a.txt"}`, "")).Losing("unknown status of a tool call"),
			client(`1 `+chosen, toA(`0 `+chosen)),
		}},
		{name: "a title and a description of its own, taken out again", steps: []step{
			begin,
			asks(`"title":"Run the tests?","description":"needs network","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","content":[`+textItem("c")+`]}},"options":`+yesNo,
				shownAs("1", `{"toolCallId":"t","content":[`+question+`,`+textItem("c")+`],"title":"T"}`,
					metaOf(`"title":"Run the tests?","description":"needs network"`))),
			client(`1 `+chosen, toA(`0 `+chosen), toC(call(`,"content":[`+textItem("c")+`]`))),
		}},
		{name: "a command", steps: []step{
			asks(`"title":"Run the tests?","description":"needs network","subject":{"type":"command","command":"cargo test","cwd":"/p",`+
				`"toolCallId":"t"},"options":`+yesNo,
				shownAs("1", asCommand("t", `{"command":"cargo test","cwd":"/p"}`, "`cargo test`", `,"content":[`+question+`]`),
					metaOf(`"title":"Run the tests?","description":"needs network","subject":{"type":"command","command":"cargo test",`+
						`"cwd":"/p","toolCallId":"t"}`))),
			client(`1 `+dismissed, toA(`0 `+dismissed), toC(call(`,"content":[]`))),
		}},
		{name: "a title that the tool call has is not shown twice, unless there is a description to it", steps: []step{
			asks(`"title":"cargo test","subject":{"type":"command","command":"cargo test","cwd":"/p"},"options":`+yesNo,
				shownAs("1", asCommand("perm-1", `{"command":"cargo test","cwd":"/p"}`, "`cargo test`", ""),
					metaOf(`"title":"cargo test","subject":{"type":"command","command":"cargo test","cwd":"/p"}`))),
			client(`1 `+chosen, toA(`0 `+chosen), inventedEnds("1", "completed")),
			begin,
			asks(`"title":"`+"`T`"+`","description":"needs network","subject":{"type":"tool_call","toolCall":{"toolCallId":"t"}},"options":`+yesNo,
				shownAs("2", `{"toolCallId":"t","title":"T","content":[`+textItem("**`T`**\\n\\nneeds network")+`]}`,
					`,"_meta":{"acp-bridge":{"permission":{"title":"`+"`T`"+`","description":"needs network"}}}`)),
			client(`2 `+chosen, toA(`0 `+chosen), toC(call(`,"content":[]`))),
		}},
		{name: "no subject, and an unknown one", steps: []step{
			asks(`"title":"Go?","options":`+yesNo, shownAs("1", invented("1"), "")),
			client(`1 `+chosen, toA(`0 `+chosen), inventedEnds("1", "completed")),
			asks(`"title":"Go?","subject":{"type":"_x"},"_meta":{"a":1},"options":`+yesNo, shownAs("2", invented("2"),
				`,"_meta":{"a":1,"acp-bridge":{"permission":{"title":"Go?","subject":{"type":"_x"}}}}`)),
			client(`2 ! {"code":-32800,"message":"x"}`, toA(`0 `+dismissed), inventedEnds("2", "failed")),
		}},
		{name: "options of other kinds are last, as rejections", steps: []step{
			asks(`"title":"Go?","options":[{"optionId":"x","name":"X","kind":"_allow_forever"},`+
				`{"optionId":"y","name":"Y","kind":"allow_always"},{"name":"no id"}]`,
				toC(`1 session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"},`+
					`"options":[{"optionId":"y","name":"Y","kind":"allow_always"},{"optionId":"x","name":"X","kind":"reject_once"}]}`)).
				Losing("unknown kind of a permission option", "unreadable permission option"),
			client(`1 = {"outcome":{"outcome":"selected","optionId":"x"}}`, toA(`0 = {"outcome":{"outcome":"selected","optionId":"x"}}`),
				inventedEnds("1", "failed")),
		}},
		{name: "a _meta that is no object is left out", steps: []step{
			asks(`"title":"Go?","_meta":5,"options":[{"optionId":"y","name":"Yes","kind":"allow_once","_meta":5},`+
				`{"optionId":"n","name":"No","kind":"reject_once"}]`,
				shownAs("1", invented("1"), "")),
			client(`1 = {"outcome":{"outcome":"selected","optionId":"y","_meta":5},"_meta":5}`, toA(`0 `+chosen), inventedEnds("1", "completed")),
		}},
		{name: "the agent withdraws, and the client answers", steps: []step{
			asks(`"title":"Go?","options":`+yesNo, shownAs("1", invented("1"), "")),
			agent(`$/cancel_request {"requestId":0}`, toC(`$/cancel_request {"requestId":1}`)),
			wait(999 * time.Millisecond),
			client(`1 `+dismissed, toA(`0 `+dismissed), inventedEnds("1", "failed")),
			wait(time.Second),
		}},
		{name: "the agent withdraws, and the client is silent", steps: []step{
			asks(`"title":"Go?","options":`+yesNo, shownAs("1", invented("1"), "")),
			agent(`$/cancel_request {"requestId":0}`, toC(`$/cancel_request {"requestId":1}`)),
			wait(time.Second, toA(`0 `+dismissed), inventedEnds("1", "failed")),
			client(`1 ` + chosen),
			agent(`$/cancel_request {"requestId":0}`),
		}},
		{name: "a request that cannot be read", steps: []step{
			asks(`"title":"Go?"`, toA(`0 ! {"code":-32602,"message":"the params of a permission request cannot be read"}`)),
		}},
		{name: "an answer that cannot be read does not approve", steps: []step{
			asks(`"title":"Go?","options":`+yesNo, shownAs("1", invented("1"), "")),
			client(`1 = {"outcome":"selected"}`, toA(`0 `+dismissed), inventedEnds("1", "failed")),
		}},
		{name: "an error of the client is told to the agent, and ends the invented tool call", steps: []step{
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("1", invented("1"), "")), client(`1 ! {"code":-32601,"message":"no"}`,
				toA(`0 ! {"code":-32601,"message":"no"}`), inventedEnds("1", "failed")),
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("2", invented("2"), "")), client(`2 = {"outcome":{"outcome":"selected"}}`,
				toA(`0 `+dismissed), inventedEnds("2", "failed")),
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("3", invented("3"), "")), client(`{"id":3,"method":5}`,
				toA(`0 ! {"code":-32603,"message":"the client's answer cannot be read"}`), inventedEnds("3", "failed")),
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("4", invented("4"), "")), client(`4 = {"outcome":{"outcome":"selected","optionId":"n"},"_meta":{"a":1}}`,
				toA(`0 = {"outcome":{"outcome":"selected","optionId":"n"},"_meta":{"a":1}}`), inventedEnds("4", "failed")),
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("5", invented("5"), "")), client(`5 = {"outcome":{"outcome":"cancelled","optionId":"y"}}`,
				toA(`0 `+dismissed), inventedEnds("5", "failed")),
		}},
		{name: "members that a request has besides, and a tool call as version 1 has it", steps: []step{
			asks(`"title":"Go?","more":[1],"_meta":5,"toolCall":{"toolCallId":"x"},"options":`+yesNo,
				shownAs("1", invented("1"), `,"more":[1]`)),
			asks(`"title":"Go?","_meta":{"a":1},"subject":{"type":"command"},"options":`+yesNo,
				shownAs("2", invented("2"), `,"_meta":{"a":1,"acp-bridge":{"permission":{"title":"Go?","subject":{"type":"command"}}}}`)),
			asks(`"subject":{"type":"tool_call","toolCall":{"title":"no id"}},"options":`+yesNo,
				shownAs("3", `{"toolCallId":"perm-3","kind":"other","status":"pending","title":""}`,
					metaOf(`"title":"","subject":{"type":"tool_call","toolCall":{"title":"no id"}}`))),
			asks(`"subject":{"type":"tool_call","toolCall":{"toolCallId":"n"}},"options":`+yesNo,
				shownAs("4", `{"toolCallId":"n","title":""}`, "")),
		}},
		{name: "a command of a tool call that the client knows keeps its title and content", steps: []step{
			agent(call(`,"title":"T","content":[`+textItem("c")+`]`), toC(begun(`,"title":"T","content":[`+textItem("c")+`]`))),
			asks(`"title":"T","subject":{"type":"command","command":"ls","toolCallId":"t"},"options":`+yesNo,
				shownAs("1", asCommand("t", `{"command":"ls"}`, "T", ""), metaOf(`"title":"T","subject":{"type":"command","command":"ls","toolCallId":"t"}`))),
			client(`1 `+chosen, toA(`0 `+chosen)),
			asks(`"title":"Other","subject":{"type":"command","command":"ls","toolCallId":"t"},"options":`+yesNo,
				shownAs("2", asCommand("t", `{"command":"ls"}`, "T", `,"content":[`+textItem("**Other**")+`,`+textItem("c")+`]`),
					metaOf(`"title":"Other","subject":{"type":"command","command":"ls","toolCallId":"t"}`))), client(`2 `+chosen,
				toA(`0 `+chosen), toC(call(`,"content":[`+textItem("c")+`]`))),
			asks(`"title":"T","description":"why","subject":{"type":"command","command":"ls","toolCallId":"t"},"options":`+yesNo,
				shownAs("3", asCommand("t", `{"command":"ls"}`, "T", `,"content":[`+textItem(`**T**\n\nwhy`)+`,`+textItem("c")+`]`),
					metaOf(`"title":"T","description":"why","subject":{"type":"command","command":"ls","toolCallId":"t"}`))), client(`3 `+chosen,
				toA(`0 `+chosen), toC(call(`,"content":[`+textItem("c")+`]`))),
		}},
		{name: "a tool call with content that the client is asked about before it is told of it", steps: []step{
			asks(`"title":"T","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","title":"T","content":[`+textItem("c")+`]}},"options":`+yesNo,
				shownAs("1", `{"toolCallId":"t","title":"T","content":[`+textItem("c")+`]}`, "")), client(`1 `+chosen, toA(`0 `+chosen)),
			agent(call(`,"status":"in_progress"`), toC(call(`,"status":"in_progress"`))),
		}},
		{name: "content that came before the question, and content that comes while it is open", steps: []step{
			begin, agent(contentChunk(textItem("a"))),
			asks(`"title":"Sure?","subject":{"type":"tool_call","toolCall":{"toolCallId":"t"}},"options":`+yesNo, toC(call(`,"content":[`+textItem("a")+`]`)),
				shownAs("1", `{"toolCallId":"t","title":"T","content":[`+textItem("**Sure?**")+`,`+textItem("a")+`]}`, metaOf(`"title":"Sure?"`))),
			agent(contentChunk(textItem("b"))),
			client(`1 `+chosen,
				toA(`0 `+chosen), toC(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`]`))),
			wait(time.Second),
		}},
		{name: "a session that is closed while a question is open", steps: []step{
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("1", invented("1"), "")),
			client(`5 session/close {"sessionId":"s"}`,
				toA(`1 session/close {"sessionId":"s"}`)), agent(`1 = {}`, toC(`5 = {}`)),
			client(`1 `+chosen, toA(`0 `+chosen)),
		}},
		{name: "questions of an agent that has ended are over", steps: []step{
			asks(`"title":"Go?","options":`+yesNo, shownAs("1", invented("1"), "")),
			agent(`$/cancel_request {"requestId":0}`, toC(`$/cancel_request {"requestId":1}`)),
			gone(), wait(time.Minute),
			client(`1 ` + chosen),
		}},
		{name: "two questions that the agent withdraws", steps: []step{
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("1", invented("1"), "")),
			agent(`"b" session/request_permission {"sessionId":"s","title":"Go on?","options":`+yesNo+`}`,
				shownAs("2", `{"toolCallId":"perm-2","kind":"other","status":"pending","title":"Go on?"}`, "")),
			agent(`$/cancel_request {"requestId":"b"}`,
				toC(`$/cancel_request {"requestId":2}`)), wait(500 * time.Millisecond),
			agent(`$/cancel_request {"requestId":0}`,
				toC(`$/cancel_request {"requestId":1}`)), wait(400 * time.Millisecond),
			agent(`$/cancel_request {"requestId":"b"}`, toC(`$/cancel_request {"requestId":2}`)),
			wait(100*time.Millisecond,
				toA(`"b" `+dismissed), inventedEnds("2", "failed")),
			wait(500*time.Millisecond,
				toA(`0 `+dismissed), inventedEnds("1", "failed")),
			wait(time.Minute),
		}},
	})
}

func TestElicitations(t *testing.T) {
	const form = ` elicitation/create {"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}`
	runCases(t, []testCase{
		{name: "a form of a session", steps: []step{
			agent(`"e" elicitation/create {"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string",`+
				`"format":"uri"},"b":{"type":"string","format":"_phone"},"c":{"type":"_x","y":1}}}}`,
				toC(`1 elicitation/create {"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string",`+
					`"format":"uri"},"b":{"type":"string"},"c":{"type":"_x","y":1}}}}`)),
			client(`1 = {"action":"accept","content":{"a":"x"}}`, toA(`"e" = {"action":"accept","content":{"a":"x"}}`)),
		}},
		{name: "what is no answer is no consent", steps: []step{
			agent(`"e"`+form, toC(`1`+form)), client(`1 = {"content":{"a":"x"}}`, toA(`"e" = {"action":"cancel"}`)).Losing("answer to a form"),
			agent(`"e"`+form, toC(`2`+form)), client(`2 = {"action":"_maybe"}`, toA(`"e" = {"action":"cancel"}`)).Losing("answer to a form"),
			agent(`"e"`+form, toC(`3`+form)), client(`3 = null`, toA(`"e" = {"action":"cancel"}`)).Losing("answer to a form"),
			agent(`"e"`+form, toC(`4`+form)), client(`4 = {"action":"accept","content":"yes"}`, toA(`"e" = {"action":"cancel"}`)).Losing("answer to a form"),
			agent(`"e"`+form, toC(`5`+form)), client(`5 = {"action":"accept","content":null,"_meta":5}`, toA(`"e" = {"action":"accept","content":null}`)),
			agent(`"e"`+form, toC(`6`+form)), client(`6 = {"action":"decline","content":5}`, toA(`"e" = {"action":"decline"}`)),
			agent(`"e"`+form, toC(`7`+form)), client(`7 ! {"code":-32601,"message":"m"}`, toA(`"e" ! {"code":-32601,"message":"m"}`)),
		}},
		{name: "an URL of a request of the client", steps: []step{
			client(`"login" authenticate {"methodId":"m"}`, toA(`1 auth/login {"methodId":"m"}`)),
			agent(`0 elicitation/create {"requestId":1,"mode":"url","message":"m","url":"https://x","elicitationId":"i"}`,
				toC(`1 elicitation/create {"requestId":"login","mode":"url","message":"m","url":"https://x","elicitationId":"i"}`)),
			agent(`$/cancel_request {"requestId":0}`, toC(`$/cancel_request {"requestId":1}`)),
			wait(time.Second, toA(`0 = {"action":"cancel"}`)),
			agent(`elicitation/complete {"elicitationId":"i"}`, toC(`elicitation/complete {"elicitationId":"i"}`)),
		}},
		{name: "what cannot be read", steps: []step{
			agent(`0 elicitation/create {"mode":"form"}`, toA(`0 ! {"code":-32602,"message":"the params of an elicitation cannot be read"}`)),
		}},
		{name: "modes that nobody knows, members of a form that cannot be read, and what is missing", steps: []step{
			agent(`"e" elicitation/create {"sessionId":"s","mode":"_new","message":"m","url":5}`,
				toC(`1 elicitation/create {"sessionId":"s","mode":"_new","message":"m","url":5}`)),
			agent(`"f" elicitation/create {"sessionId":"s","mode":"url","message":"m","url":"https://x"}`,
				toA(`"f" ! {"code":-32602,"message":"the params of an elicitation cannot be read"}`)),
			agent(`"g" elicitation/create {"sessionId":"s","mode":"form","message":"m"}`,
				toA(`"g" ! {"code":-32602,"message":"the params of an elicitation cannot be read"}`)),
			agent(`"h" elicitation/create {"requestId":{},"mode":"url","message":"m","url":"https://x","elicitationId":"i"}`,
				toA(`"h" ! {"code":-32602,"message":"the params of an elicitation cannot be read"}`)),
			agent(`"i" elicitation/create {"requestId":77,"mode":"url","message":"m","url":"https://x","elicitationId":"i"}`,
				toC(`2 elicitation/create {"requestId":77,"mode":"url","message":"m","url":"https://x","elicitationId":"i"}`)),
			agent(`"j" elicitation/create {"sessionId":"s","toolCallId":"t","mode":"form","message":"m",`+
				`"requestedSchema":{"properties":{"n":{"type":"number","minimum":0.5,"maximum":"x"},"i":{"type":"integer","default":1.5,"minimum":1},`+
				`"b":{"type":"boolean","default":5},"l":{"type":"array","items":{"enum":["a",5],"anyOf":[{"const":"a","title":"A"},{"const":"b"}]},`+
				`"minItems":-1},"o":{"type":"string","oneOf":[{"const":"a","title":"A"}],"minLength":1,"title":null},"x":5,"y":{}},"required":["n",5]}}`,
				toC(`3 elicitation/create {"sessionId":"s","toolCallId":"t","mode":"form","message":"m",`+
					`"requestedSchema":{"properties":{"n":{"type":"number","minimum":0.5},"i":{"type":"integer","minimum":1},"b":{"type":"boolean"},`+
					`"l":{"type":"array","items":{"enum":["a"],"anyOf":[{"const":"a","title":"A"}]}},`+
					`"o":{"type":"string","oneOf":[{"const":"a","title":"A"}],"minLength":1,"title":null}},"required":["n"],"type":"object"}}`)).
				Losing("question of a form", "question of a form"),
			agent(`$/cancel_request {"requestId":"j"}`, toC(`$/cancel_request {"requestId":3}`)),
			client(`3 = {"action":"decline"}`, toA(`"j" = {"action":"decline"}`)),
		}},
	})
}

func TestNotices(t *testing.T) {
	const notice = `{"sessionUpdate":"notice","severity":"warning","title":"Slow","description":"very"}`
	compaction := func(members string) string {
		return `{"sessionUpdate":"compaction_update","compactionId":"c"` + members + `}`
	}
	asCall := func(kind, members string) string {
		return toC(`{"sessionUpdate":"` + kind + `","toolCallId":"compaction:c"` + members + `}`)
	}
	runCases(t, []testCase{
		{name: "a notice is a message", steps: []step{
			agent(notice, toC(`{"sessionUpdate":"agent_message_chunk","messageId":"notice-1","content":`+block(`\n\nWarning: Slow\n\nvery\n\n`)+`}`)).Losing("notice"),
			agent(`{"sessionUpdate":"notice","severity":"info","title":"T","_meta":{"a":1}}`,
				toC(`{"sessionUpdate":"agent_message_chunk","messageId":"notice-2","content":`+block(`\n\nT\n\n`)+`,"_meta":{"a":1}}`)).Losing("notice"),
		}},
		{name: "a compaction for a client that knows them", client: words.V1Client{Compaction: true}, steps: []step{
			agent(compaction(`,"status":"_new"`), toC(compaction(`,"status":"_new"`))),
		}},
		{name: "a compaction is a tool call", steps: []step{
			agent(compaction(`,"status":"in_progress"`), asCall("tool_call", `,"status":"in_progress","title":"Compact conversation","kind":"other"`)).
				Losing("compaction"),
			agent(`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":` + block("sum") + `}`),
			wait(100*time.Millisecond, asCall("tool_call_update", `,"content":[`+textItem("sum")+`]`)),
			agent(compaction(`,"status":"completed","summary":[`+block("summary")+`]`),
				asCall("tool_call_update", `,"status":"completed","content":[`+textItem("summary")+`]`)),
			agent(compaction(`,"status":"cancelled","error":"e"`), asCall("tool_call_update", `,"status":"failed","content":[`+textItem("e")+`]`)),
		}},
		{name: "a compaction whose summary comes first", steps: []step{
			agent(`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":`+block("sum")+`}`,
				asCall("tool_call", `,"status":"in_progress","title":"Compact conversation","kind":"other"`)).Losing("compaction"),
			wait(100*time.Millisecond, asCall("tool_call_update", `,"content":[`+textItem("sum")+`]`)),
			agent(compaction(`,"status":"failed"`), asCall("tool_call_update", `,"status":"failed"`)),
			agent(compaction(`,"status":"odd","summary":5,"error":5`), asCall("tool_call_update", `,"status":"in_progress"`)),
		}},
		{name: "a compaction without an id, or with a summary without content, is nothing", steps: []step{
			agent(`{"sessionUpdate":"compaction_update","status":"in_progress"}`).Losing("unreadable update"),
			agent(`{"sessionUpdate":"compaction_summary_chunk","content":` + block("sum") + `}`).Losing("unreadable update"),
			agent(`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c"}`).Losing("unreadable update"),
		}},
	})
}

func TestSubagents(t *testing.T) {
	child := func(update string) string { return in("kid", update) }
	onRoot := func(kind, members string) string {
		return toC(`{"sessionUpdate":"` + kind + `","toolCallId":"subagent:kid"` + members + `}`)
	}
	kidIs := func(state string) string {
		return `{"sessionUpdate":"subagent_update","sessionId":"kid","state":` + state + `}`
	}
	const begins = `{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Explore","state":{"state":"running"}}`
	shown := agent(begins, onRoot("tool_call", `,"kind":"other","status":"in_progress","title":"Explore","content":[]`)).Losing("subagent")
	runCases(t, []testCase{
		{name: "a session whose id is no UTF-8", steps: []step{
			agent(`{"sessionUpdate":"subagent_update","sessionId":"k`+"\xad"+`"}`,
				toC(`{"sessionUpdate":"tool_call","toolCallId":"subagent:k`+"\uFFFD"+`","kind":"other","status":"in_progress","title":"Subagent","content":[]}`)).Losing("subagent"),
			agent(in("k\xad", hello)),
			wait(time.Second, toC(`{"sessionUpdate":"tool_call_update","toolCallId":"subagent:k`+"\uFFFD"+`","content":[`+textItem("Hello")+`]}`)),
		}},
		{name: "a client that knows them", client: words.V1Client{Subagents: true}, steps: []step{
			agent(begins, toC(begins)), agent(child(hello), toC(child(hello))),
			agent(call(`,"title":"T","content":[{"type":"session","sessionId":"kid","_meta":{"a":1}}]`),
				toC(begun(`,"title":"T","content":[{"type":"session","sessionId":"kid","_meta":{"a":1}}]`))),
		}},
		{name: "a state is told once, whichever update has it", client: words.V1Client{Subagents: true}, steps: []step{
			agent(begins, toC(begins)),
			agent(child(`{"sessionUpdate":"state_update","state":"running","background":[]}`)),
			agent(child(idle("end_turn")), toC(kidIs(`{"state":"idle","stopReason":"end_turn"}`))),
			agent(kidIs(`{"stopReason":"end_turn","state":"idle"}`)),
			agent(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"idle","stopReason":"end_turn"},"title":"U"}`,
				toC(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"U"}`)),
			agent(kidIs(`null`), toC(kidIs(`null`))),
			agent(child(idle("end_turn")), toC(kidIs(`{"state":"idle","stopReason":"end_turn"}`))),
			agent(child(`{"sessionUpdate":"state_update"}`)).Losing("unreadable update"),
			agent(child(`{"sessionUpdate":"subagent_update","sessionId":"grandkid"}`), toC(child(`{"sessionUpdate":"subagent_update","sessionId":"grandkid"}`))),
			agent(in("grandkid", `{"sessionUpdate":"state_update","state":"requires_action"}`),
				toC(child(`{"sessionUpdate":"subagent_update","sessionId":"grandkid","state":{"state":"requires_action"}}`))),
			agent(in("other", idle("end_turn"))),
		}},
		{name: "a link to a subagent is its title", steps: []step{
			shown,
			agent(call(`,"title":"T","content":[{"type":"session","sessionId":"kid"},{"type":"session","sessionId":"other"},{"type":"session"}]`),
				toC(begun(`,"title":"T","content":[`+textItem("Subagent: Explore")+`,`+textItem("Subagent: other")+`,`+textItem("[session]")+`]`))).
				Losing("unknown content of a tool call"),
		}},
		{name: "a subagent is a tool call", steps: []step{
			shown,
			agent(child(chunk("agent_message", "m", "I look"))),
			agent(child(`{"sessionUpdate":"agent_message","messageId":"m","content":[` + block("I look.") + `]}`)),
			agent(child(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":` + block("hm") + `}`)),
			agent(child(`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"Read a"}`)),
			agent(child(`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"Read a"}`)),
			wait(100*time.Millisecond, onRoot("tool_call_update", `,"content":[`+textItem(`I look.\n• Read a\n`)+`]`)),
			agent(child(idle("end_turn")), onRoot("tool_call_update", `,"status":"completed"`)),
			agent(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"idle","stopReason":"error"}}`,
				onRoot("tool_call_update", `,"status":"failed"`)),
		}},
		{name: "a subagent without a session, or that is its own, is none", steps: []step{
			agent(`{"sessionUpdate":"subagent_update","title":"Explore"}`).Losing("unreadable update"),
			agent(`{"sessionUpdate":"subagent_update","sessionId":"s","title":"Explore"}`).Losing("unreadable update"),
			agent(hello, toC(hello)),
		}},
		{name: "what sessions say to each other is left out", steps: []step{
			agent(`{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"kid","content":[` + block("done") + `]}`).
				Losing("message between sessions"),
			agent(`{"sessionUpdate":"session_message_chunk","messageId":"m","content":` + block("!") + `}`).Losing("message between sessions"),
		}},
		{name: "messages of a subagent are lines, and one that is replaced is said again", steps: []step{
			shown,
			agent(child(chunk("agent_message", "m", "One"))), agent(child(chunk("agent_message", "m", "."))), agent(child(chunk("agent_message", "n", "Two"))),
			agent(child(`{"sessionUpdate":"agent_message","messageId":"n","content":[` + block("Three") + `]}`)),
			agent(child(`{"sessionUpdate":"agent_message","messageId":"n","content":[` + block("Three.") + `]}`)),
			wait(100*time.Millisecond, onRoot("tool_call_update", `,"content":[`+textItem(`One.\nTwo\nThree.`)+`]`)),
		}},
		{name: "a subagent whose session the client opens", steps: []step{
			shown,
			client(`5 session/load {"sessionId":"kid","cwd":"/p","mcpServers":[]}`,
				toA(`1 session/resume {"sessionId":"kid","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}`)),
			agent(child(hello), toC(child(hello))), agent(`1 = {}`, toC(`5 = {}`)),
			client(`6 session/prompt {"sessionId":"kid","prompt":[`+block("hi")+`]}`, toA(`2 session/prompt {"sessionId":"kid","prompt":[`+block("hi")+`]}`)),
			inserted("2", "m1"), agent(child(state("running"))), agent(child(idle("end_turn")), answered("6", "end_turn")),
			agent(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"idle"}}`, onRoot("tool_call_update", `,"status":"completed"`)),
		}},
		{name: "a history that is loaded again shows a subagent's text once", steps: []step{
			shown,
			agent(child(hello)), wait(100*time.Millisecond, onRoot("tool_call_update", `,"content":[`+textItem("Hello")+`]`)),
			client(`5 session/load {"sessionId":"s","cwd":"/p","mcpServers":[]}`,
				toA(`1 session/resume {"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}`)),
			shown,
			agent(child(hello)), wait(100*time.Millisecond, onRoot("tool_call_update", `,"content":[`+textItem("Hello")+`]`)),
		}},
		{name: "what a subagent asks is asked in the session that the client knows", steps: []step{
			shown,
			agent(`0 session/request_permission {"sessionId":"kid","title":"Edit","subject":{"type":"tool_call","toolCall":{"toolCallId":"t",`+
				`"title":"Edit"}},"options":`+yesNo+`}`,
				shownAs("1", `{"toolCallId":"kid/t","title":"Edit"}`, "")),
			client(`1 `+chosen, toA(`0 `+chosen)),
			agent(child(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`),
				toC(`{"sessionUpdate":"tool_call_update","toolCallId":"kid/t","status":"completed"}`)),
			agent(`1 elicitation/create {"sessionId":"kid","toolCallId":"t","mode":"url","message":"m","url":"https://x","elicitationId":"i"}`,
				toC(`2 elicitation/create {"sessionId":"s","toolCallId":"kid/t","mode":"url","message":"m","url":"https://x","elicitationId":"i"}`)),
		}},
		{name: "a subagent's updates are not held while session/new is open", steps: []step{
			shown,
			client(`1 session/new {"cwd":"/p","mcpServers":[]}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(child(chunk("agent_message", "m", "I look"))), wait(time.Second,
				onRoot("tool_call_update", `,"content":[`+textItem("I look")+`]`)),
			agent(child(idle("end_turn")),
				onRoot("tool_call_update", `,"status":"completed"`)),
		}},
		{name: "a subagent is forgotten with the session that shows it", steps: []step{
			shown, agent(child(hello)),
			client(`5 session/close {"sessionId":"s"}`, toA(`1 session/close {"sessionId":"s"}`)),
			agent(`1 = {}`, onRoot("tool_call_update", `,"content":[`+textItem("Hello")+`]`), toC(`5 = {}`)),
			shown,
		}},
		{name: "a subagent that is told of without a title or a state", steps: []step{
			agent(`{"sessionUpdate":"subagent_update","sessionId":"kid"}`,
				onRoot("tool_call", `,"kind":"other","status":"in_progress","title":"Subagent","content":[]`)).Losing("subagent"),
			agent(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":5,"state":5}`, onRoot("tool_call_update", "")),
			agent(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"stopReason":"error"}}`, onRoot("tool_call_update", "")),
			agent(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"idle","stopReason":"cancelled"}}`,
				onRoot("tool_call_update", `,"status":"failed"`)),
			agent(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"requires_action"}}`,
				onRoot("tool_call_update", `,"status":"in_progress"`)),
		}},
		{name: "a subagent of a subagent is shown in the session that the client knows", steps: []step{
			shown,
			agent(child(`{"sessionUpdate":"subagent_update","sessionId":"grandkid","title":"Deeper","state":{"state":"running"}}`),
				subagentBegins("grandkid", "Deeper")).Losing("subagent"),
			agent(in("grandkid", chunk("agent_message", "m", "deep"))), wait(time.Second,
				toC(`{"sessionUpdate":"tool_call_update","toolCallId":"subagent:grandkid","content":[`+textItem("deep")+`]}`)),
			agent(`0 session/request_permission {"sessionId":"grandkid","title":"Run","subject":{"type":"command","command":"ls","toolCallId":"t"},"options":`+yesNo+`}`,
				shownAs("1", asCommand("grandkid/t", `{"command":"ls"}`, "`ls`", `,"content":[{"type":"content","content":{"type":"text","text":"**Run**"}}]`),
					metaOf(`"title":"Run","subject":{"type":"command","command":"ls","toolCallId":"t"}`))),
			client(`1 `+chosen,
				toA(`0 `+chosen), toC(`{"sessionUpdate":"tool_call_update","toolCallId":"grandkid/t","content":[]}`)),
		}},
		{name: "what a subagent says without ids, and what cannot be read of it", steps: []step{
			shown,
			agent(child(`{"sessionUpdate":"agent_message_chunk","content":` + block("no id") + `}`)),
			agent(child(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":5}`)),
			agent(child(`{"sessionUpdate":"agent_message","content":[` + block("no id") + `]}`)),
			agent(child(`{"sessionUpdate":"agent_message","messageId":"n","content":[]}`)),
			agent(child(`{"sessionUpdate":"agent_message","messageId":"o","content":[` + block("one") + `,{"type":"image","data":"AA==","mimeType":"image/png"},` + block("two") + `]}`)),
			agent(child(`{"sessionUpdate":"agent_message","messageId":"o","content":[` + block("one") + `,{"type":"image","data":"AA==","mimeType":"image/png"},` + block("two, three") + `,` + block("four") + `]}`)),
			agent(child(`{"sessionUpdate":"tool_call","title":"no id"}`)),
			agent(child(`{"sessionUpdate":"tool_call_update","toolCallId":"u"}`)),
			agent(child(`{"sessionUpdate":"tool_call_update","toolCallId":"u","title":"Read b"}`)),
			agent(child(`{"sessionUpdate":"usage_update","used":1,"size":2}`)),
			agent(child(`{"sessionUpdate":"plan","entries":[]}`)),
			wait(time.Second,
				toC(`{"sessionUpdate":"tool_call_update","toolCallId":"subagent:kid","content":[`+textItem(`no id\nonetwo, threefour\n• no id\n• Read b\n`)+`]}`)),
			agent(child(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":` + block("hm") + `}`)), wait(time.Second),
		}},
	})
}
