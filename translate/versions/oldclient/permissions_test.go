package oldclient

import (
	"testing"
	"time"

	"acp-plan-proxy/translate/versions/words"
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
		{name: "a title that the tool call has is not shown twice, unless there is a description to it", steps: []step{
			asks(`"title":"cargo test","subject":{"type":"command","command":"cargo test","cwd":"/p"},"options":`+yesNo,
				shownAs("1", `{"toolCallId":"perm-1","kind":"execute","status":"pending","rawInput":{"command":"cargo test","cwd":"/p"},"title":"`+"`cargo test`"+`"}`,
					`,"_meta":{"acp-bridge":{"permission":{"title":"cargo test","subject":{"type":"command","command":"cargo test","cwd":"/p"}}}}`)),
			client(`{"id":1,`+chosen, `A {"id":0,`+chosen, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-1","status":"completed"}`)),
			begin,
			asks(`"title":"`+"`T`"+`","description":"needs network","subject":{"type":"tool_call","toolCall":{"toolCallId":"t"}},"options":`+yesNo,
				shownAs("2", `{"toolCallId":"t","title":"T","content":[`+textItem("**`T`**\\n\\nneeds network")+`]}`,
					`,"_meta":{"acp-bridge":{"permission":{"title":"`+"`T`"+`","description":"needs network"}}}`)),
			client(`{"id":2,`+chosen, `A {"id":0,`+chosen, shows(call(`,"content":[]`))),
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
		{name: "a _meta that is no object is left out", steps: []step{
			asks(`"title":"Go?","_meta":5,"options":[{"optionId":"y","name":"Yes","kind":"allow_once","_meta":5},{"optionId":"n","name":"No","kind":"reject_once"}]`,
				shownAs("1", `{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"}`, "")),
			client(`{"id":1,"result":{"outcome":{"outcome":"selected","optionId":"y","_meta":5},"_meta":5}}`, `A {"id":0,`+chosen, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-1","status":"completed"}`)),
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
		{name: "only options that nobody knows", steps: []step{
			asks(`"title":"Go?","options":[{"optionId":"x","name":"X","kind":"_a"},{"optionId":"y","name":"Y"},{"optionId":"z","name":"Z","kind":"reject_always","_meta":5}]`,
				`C {"id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"},"options":[{"optionId":"z","name":"Z","kind":"reject_always"},{"optionId":"x","name":"X","kind":"reject_once"},{"optionId":"y","name":"Y","kind":"reject_once"}]}}`).losing("unknown kind of a permission option", "unknown kind of a permission option"),
			asks(`"title":"Go?","options":[{"optionId":"x","name":"X","kind":"_a"},{"optionId":"y","name":"Y","kind":5}]`,
				`C {"id":2,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"perm-2","kind":"other","status":"pending","title":"Go?"},"options":[{"optionId":"x","name":"X","kind":"reject_once"},{"optionId":"y","name":"Y","kind":"reject_once"}]}}`).losing("unknown kind of a permission option", "unknown kind of a permission option"),
		}},
		{name: "an error of the client is told to the agent, and ends the invented tool call", steps: []step{
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("1", `{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"}`, "")), client(`{"id":1,"error":{"code":-32601,"message":"no"}}`,
				`A {"id":0,"error":{"code":-32601,"message":"no"}}`, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-1","status":"failed"}`)),
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("2", `{"toolCallId":"perm-2","kind":"other","status":"pending","title":"Go?"}`, "")), client(`{"id":2,"result":{"outcome":{"outcome":"selected"}}}`,
				`A {"id":0,`+dismissed, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-2","status":"failed"}`)),
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("3", `{"toolCallId":"perm-3","kind":"other","status":"pending","title":"Go?"}`, "")), client(`{"id":3,"method":5}`,
				`A {"id":0,`+dismissed, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-3","status":"failed"}`)),
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("4", `{"toolCallId":"perm-4","kind":"other","status":"pending","title":"Go?"}`, "")), client(`{"id":4,"result":{"outcome":{"outcome":"selected","optionId":"n"},"_meta":{"a":1}}}`,
				`A {"id":0,"result":{"outcome":{"outcome":"selected","optionId":"n"},"_meta":{"a":1}}}`, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-4","status":"failed"}`)),
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("5", `{"toolCallId":"perm-5","kind":"other","status":"pending","title":"Go?"}`, "")), client(`{"id":5,"result":{"outcome":{"outcome":"cancelled","optionId":"y"}}}`,
				`A {"id":0,`+dismissed, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-5","status":"failed"}`)),
		}},
		{name: "members that a request has besides, and a tool call as version 1 has it", steps: []step{
			asks(`"title":"Go?","more":[1],"_meta":5,"toolCall":{"toolCallId":"x"},"options":`+yesNo,
				shownAs("1", `{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"}`, `,"more":[1]`)),
			asks(`"title":"Go?","_meta":{"a":1},"subject":{"type":"command"},"options":`+yesNo,
				shownAs("2", `{"toolCallId":"perm-2","kind":"other","status":"pending","title":"Go?"}`, `,"_meta":{"a":1,"acp-bridge":{"permission":{"title":"Go?","subject":{"type":"command"}}}}`)),
			asks(`"subject":{"type":"tool_call","toolCall":{"title":"no id"}},"options":`+yesNo,
				shownAs("3", `{"toolCallId":"perm-3","kind":"other","status":"pending","title":""}`, `,"_meta":{"acp-bridge":{"permission":{"title":"","subject":{"type":"tool_call","toolCall":{"title":"no id"}}}}}`)),
			asks(`"subject":{"type":"tool_call","toolCall":{"toolCallId":"n"}},"options":`+yesNo,
				shownAs("4", `{"toolCallId":"n","title":""}`, "")),
		}},
		{name: "a command of a tool call that the client knows keeps its title and content", steps: []step{
			tells(call(`,"title":"T","content":[`+textItem("c")+`]`), shows(begun(`,"title":"T","content":[`+textItem("c")+`]`))),
			asks(`"title":"T","subject":{"type":"command","command":"ls","toolCallId":"t"},"options":`+yesNo,
				shownAs("1", `{"toolCallId":"t","kind":"execute","status":"pending","rawInput":{"command":"ls"},"title":"T"}`, `,"_meta":{"acp-bridge":{"permission":{"title":"T","subject":{"type":"command","command":"ls","toolCallId":"t"}}}}`)), client(`{"id":1,`+chosen, `A {"id":0,`+chosen),
			asks(`"title":"Other","subject":{"type":"command","command":"ls","toolCallId":"t"},"options":`+yesNo,
				shownAs("2", `{"toolCallId":"t","kind":"execute","status":"pending","rawInput":{"command":"ls"},"title":"T","content":[`+textItem("**Other**")+`,`+textItem("c")+`]}`, `,"_meta":{"acp-bridge":{"permission":{"title":"Other","subject":{"type":"command","command":"ls","toolCallId":"t"}}}}`)), client(`{"id":2,`+chosen,
				`A {"id":0,`+chosen, shows(call(`,"content":[`+textItem("c")+`]`))),
			asks(`"title":"T","description":"why","subject":{"type":"command","command":"ls","toolCallId":"t"},"options":`+yesNo,
				shownAs("3", `{"toolCallId":"t","kind":"execute","status":"pending","rawInput":{"command":"ls"},"title":"T","content":[`+textItem(`**T**\n\nwhy`)+`,`+textItem("c")+`]}`, `,"_meta":{"acp-bridge":{"permission":{"title":"T","description":"why","subject":{"type":"command","command":"ls","toolCallId":"t"}}}}`)), client(`{"id":3,`+chosen,
				`A {"id":0,`+chosen, shows(call(`,"content":[`+textItem("c")+`]`))),
		}},
		{name: "a tool call with content that the client is asked about before it is told of it", steps: []step{
			asks(`"title":"T","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","title":"T","content":[`+textItem("c")+`]}},"options":`+yesNo,
				shownAs("1", `{"toolCallId":"t","title":"T","content":[`+textItem("c")+`]}`, "")), client(`{"id":1,`+chosen, `A {"id":0,`+chosen),
			tells(call(`,"status":"in_progress"`), shows(call(`,"status":"in_progress"`))),
		}},
		{name: "content that came before the question, and content that comes while it is open", steps: []step{
			begin, tells(contentChunk(textItem("a"))),
			asks(`"title":"Sure?","subject":{"type":"tool_call","toolCall":{"toolCallId":"t"}},"options":`+yesNo, shows(call(`,"content":[`+textItem("a")+`]`)),
				shownAs("1", `{"toolCallId":"t","title":"T","content":[`+textItem("**Sure?**")+`,`+textItem("a")+`]}`, `,"_meta":{"acp-bridge":{"permission":{"title":"Sure?"}}}`)),
			tells(contentChunk(textItem("b"))),
			client(`{"id":1,`+chosen,
				`A {"id":0,`+chosen, shows(call(`,"content":[`+textItem("a")+`,`+textItem("b")+`]`))),
			wait(time.Second),
		}},
		{name: "a session that is closed while a question is open", steps: []step{
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("1", `{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"}`, "")),
			client(`{"id":5,"method":"session/close","params":{"sessionId":"s"}}`,
				`A {"id":1,"method":"session/close","params":{"sessionId":"s"}}`), agent(`{"id":1,"result":{}}`, `C {"id":5,"result":{}}`),
			client(`{"id":1,`+chosen, `A {"id":0,`+chosen),
		}},
		{name: "questions of an agent that has ended are over", steps: []step{
			asks(`"title":"Go?","options":`+yesNo, shownAs("1", `{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"}`, "")),
			agent(`{"method":"$/cancel_request","params":{"requestId":0}}`, `C {"method":"$/cancel_request","params":{"requestId":1}}`),
			gone("agent exited"), wait(time.Minute),
			client(`{"id":1,` + chosen).losing("answer to no request"),
		}},
		{name: "two questions that the agent withdraws", steps: []step{
			asks(`"title":"Go?","options":`+yesNo,
				shownAs("1", `{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"}`, "")),
			agent(`{"id":"b","method":"session/request_permission","params":{"sessionId":"s","title":"Go on?","options":`+yesNo+`}}`,
				shownAs("2", `{"toolCallId":"perm-2","kind":"other","status":"pending","title":"Go on?"}`, "")),
			agent(`{"method":"$/cancel_request","params":{"requestId":"b"}}`,
				`C {"method":"$/cancel_request","params":{"requestId":2}}`), wait(500 * time.Millisecond),
			agent(`{"method":"$/cancel_request","params":{"requestId":0}}`,
				`C {"method":"$/cancel_request","params":{"requestId":1}}`), wait(400 * time.Millisecond),
			agent(`{"method":"$/cancel_request","params":{"requestId":"b"}}`, `C {"method":"$/cancel_request","params":{"requestId":2}}`),
			wait(100*time.Millisecond,
				`A {"id":"b",`+dismissed, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-2","status":"failed"}`)),
			wait(500*time.Millisecond,
				`A {"id":0,`+dismissed, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-1","status":"failed"}`)),
			wait(time.Minute),
		}},
	})
}

func TestElicitations(t *testing.T) {
	const form = `"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}`
	runCases(t, []testCase{
		{name: "a form of a session", steps: []step{
			agent(`{"id":"e","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","format":"uri"},"b":{"type":"string","format":"_phone"},"c":{"type":"_x","y":1}}}}}`,
				`C {"id":1,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","format":"uri"},"b":{"type":"string"},"c":{"type":"_x","y":1}}}}}`),
			client(`{"id":1,"result":{"action":"accept","content":{"a":"x"}}}`, `A {"id":"e","result":{"action":"accept","content":{"a":"x"}}}`),
		}},
		{name: "a question that version 1 cannot read is left out, and not required", steps: []step{
			agent(`{"id":"e","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","required":["l","m"],"properties":{"l":{"type":"array","items":{"type":"string"}},"m":{"type":"array","items":{"type":"string","anyOf":[{"const":"a","title":"A","description":5}]}},"n":{"type":"array","items":{"type":"_x"}},"s":{"type":"string","minLength":4294967296}}}}}`,
				`C {"id":1,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","required":["m"],"properties":{"m":{"type":"array","items":{"type":"string","anyOf":[{"const":"a","title":"A"}]}},"n":{"type":"array","items":{"type":"_x"}},"s":{"type":"string"}}}}}`).
				losing("question of a form"),
		}},
		{name: "what is no answer is no consent", steps: []step{
			agent(`{"id":"e",`+form, `C {"id":1,`+form), client(`{"id":1,"result":{"content":{"a":"x"}}}`, `A {"id":"e","result":{"action":"cancel"}}`).losing("answer to a form"),
			agent(`{"id":"e",`+form, `C {"id":2,`+form), client(`{"id":2,"result":{"action":"_maybe"}}`, `A {"id":"e","result":{"action":"cancel"}}`).losing("answer to a form"),
			agent(`{"id":"e",`+form, `C {"id":3,`+form), client(`{"id":3,"result":null}`, `A {"id":"e","result":{"action":"cancel"}}`).losing("answer to a form"),
			agent(`{"id":"e",`+form, `C {"id":4,`+form), client(`{"id":4,"result":{"action":"accept","content":"yes"}}`, `A {"id":"e","result":{"action":"cancel"}}`).losing("answer to a form"),
			agent(`{"id":"e",`+form, `C {"id":5,`+form), client(`{"id":5,"result":{"action":"accept","content":null,"_meta":5}}`, `A {"id":"e","result":{"action":"accept","content":null}}`),
			agent(`{"id":"e",`+form, `C {"id":6,`+form), client(`{"id":6,"result":{"action":"decline","content":5}}`, `A {"id":"e","result":{"action":"decline"}}`),
			agent(`{"id":"e",`+form, `C {"id":7,`+form), client(`{"id":7,"error":{"code":-32601,"message":"m"}}`, `A {"id":"e","error":{"code":-32601,"message":"m"}}`),
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
		{name: "modes that nobody knows, members of a form that cannot be read, and what is missing", steps: []step{
			agent(`{"id":"e","method":"elicitation/create","params":{"sessionId":"s","mode":"_new","message":"m","url":5}}`,
				`C {"id":1,"method":"elicitation/create","params":{"sessionId":"s","mode":"_new","message":"m","url":5}}`),
			agent(`{"id":"f","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"m","url":"https://x"}}`,
				`A {"id":"f","error":{"code":-32602,"message":"the params of an elicitation cannot be read"}}`),
			agent(`{"id":"g","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m"}}`,
				`A {"id":"g","error":{"code":-32602,"message":"the params of an elicitation cannot be read"}}`),
			agent(`{"id":"h","method":"elicitation/create","params":{"requestId":{},"mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`,
				`A {"id":"h","error":{"code":-32602,"message":"the params of an elicitation cannot be read"}}`),
			agent(`{"id":"i","method":"elicitation/create","params":{"requestId":77,"mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`,
				`C {"id":2,"method":"elicitation/create","params":{"requestId":77,"mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`),
			agent(`{"id":"j","method":"elicitation/create","params":{"sessionId":"s","toolCallId":"t","mode":"form","message":"m","requestedSchema":{"properties":{"n":{"type":"number","minimum":0.5,"maximum":"x"},"i":{"type":"integer","default":1.5,"minimum":1},"b":{"type":"boolean","default":5},"l":{"type":"array","items":{"enum":["a",5],"anyOf":[{"const":"a","title":"A"},{"const":"b"}]},"minItems":-1},"o":{"type":"string","oneOf":[{"const":"a","title":"A"}],"minLength":1,"title":null},"x":5,"y":{}},"required":["n",5]}}}`,
				`C {"id":3,"method":"elicitation/create","params":{"sessionId":"s","toolCallId":"t","mode":"form","message":"m","requestedSchema":{"properties":{"n":{"type":"number","minimum":0.5},"i":{"type":"integer","minimum":1},"b":{"type":"boolean"},"l":{"type":"array","items":{"enum":["a"],"anyOf":[{"const":"a","title":"A"}]}},"o":{"type":"string","oneOf":[{"const":"a","title":"A"}],"minLength":1,"title":null}},"required":["n"],"type":"object"}}}`).losing("question of a form", "question of a form"),
			agent(`{"method":"$/cancel_request","params":{"requestId":"j"}}`, `C {"method":"$/cancel_request","params":{"requestId":3}}`),
			client(`{"id":3,"result":{"action":"decline"}}`, `A {"id":"j","result":{"action":"decline"}}`),
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
		{name: "a notice for a client that knows them", client: words.OldClient{Notices: true}, steps: []step{tells(notice, shows(notice))}},
		{name: "a notice is a message", steps: []step{
			tells(notice, shows(`{"sessionUpdate":"agent_message_chunk","messageId":"notice-1","content":`+block(`Warning: Slow\n\nvery`)+`}`)).losing("notice"),
			tells(`{"sessionUpdate":"notice","severity":"info","title":"T","_meta":{"a":1}}`, shows(`{"sessionUpdate":"agent_message_chunk","messageId":"notice-2","content":`+block(`T`)+`,"_meta":{"a":1}}`)).losing("notice"),
		}},
		{name: "a compaction for a client that knows them", client: words.OldClient{Compaction: true}, steps: []step{
			tells(compaction(`,"status":"_new"`), shows(compaction(`,"status":"_new"`))),
		}},
		{name: "a compaction is a tool call", steps: []step{
			tells(compaction(`,"status":"in_progress"`), asCall("tool_call", `,"status":"in_progress","title":"Compact conversation","kind":"other"`)).losing("compaction"),
			tells(`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":` + block("sum") + `}`),
			wait(100*time.Millisecond, asCall("tool_call_update", `,"content":[`+textItem("sum")+`]`)),
			tells(compaction(`,"status":"completed","summary":[`+block("summary")+`]`), asCall("tool_call_update", `,"status":"completed","content":[`+textItem("summary")+`]`)),
			tells(compaction(`,"status":"cancelled","error":"e"`), asCall("tool_call_update", `,"status":"failed","content":[`+textItem("e")+`]`)),
		}},
		{name: "a compaction whose summary comes first", steps: []step{
			tells(`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":`+block("sum")+`}`, asCall("tool_call", `,"status":"in_progress","title":"Compact conversation","kind":"other"`)).losing("compaction"),
			wait(100*time.Millisecond, asCall("tool_call_update", `,"content":[`+textItem("sum")+`]`)),
			tells(compaction(`,"status":"failed"`), asCall("tool_call_update", `,"status":"failed"`)),
			tells(compaction(`,"status":"odd","summary":5,"error":5`), asCall("tool_call_update", `,"status":"in_progress"`)),
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
	shown := tells(begins, onRoot("tool_call", `,"kind":"other","status":"in_progress","title":"Explore","content":[]`)).losing("subagent")
	runCases(t, []testCase{
		{name: "a session whose id is no UTF-8", steps: []step{
			tells(`{"sessionUpdate":"subagent_update","sessionId":"k`+"\xad"+`"}`,
				shows(`{"sessionUpdate":"tool_call","toolCallId":"subagent:k`+"\uFFFD"+`","kind":"other","status":"in_progress","title":"Subagent","content":[]}`)).losing("subagent"),
			agent(in("k\xad", hello)),
			wait(time.Second, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"subagent:k`+"\uFFFD"+`","content":[`+textItem("Hello")+`]}`)),
		}},
		{name: "a client that knows them", client: words.OldClient{Subagents: true}, steps: []step{
			tells(begins, shows(begins)), agent(child(hello), "C "+child(hello)),
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
			shown,
			agent(child(chunk("agent_message", "m", "One"))), agent(child(chunk("agent_message", "m", "."))), agent(child(chunk("agent_message", "n", "Two"))),
			agent(child(`{"sessionUpdate":"agent_message","messageId":"n","content":[` + block("Three") + `]}`)),
			agent(child(`{"sessionUpdate":"agent_message","messageId":"n","content":[` + block("Three.") + `]}`)),
			wait(100*time.Millisecond, onRoot("tool_call_update", `,"content":[`+textItem(`One.\nTwo\nThree.`)+`]`)),
		}},
		{name: "a subagent whose session the client opens", steps: []step{
			shown,
			client(`{"id":5,"method":"session/load","params":{"sessionId":"kid","cwd":"/p","mcpServers":[]}}`,
				`A {"id":1,"method":"session/resume","params":{"sessionId":"kid","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}}`),
			agent(child(hello), "C "+child(hello)), agent(`{"id":1,"result":{}}`, `C {"id":5,"result":{}}`),
			client(`{"id":6,"method":"session/prompt","params":{"sessionId":"kid","prompt":[`+block("hi")+`]}}`, `A {"id":2,"method":"session/prompt","params":{"sessionId":"kid","prompt":[`+block("hi")+`]}}`),
			inserted("2", "m1"), agent(child(state("running"))), agent(child(idle("end_turn")), answered("6", "end_turn")),
			tells(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"idle"}}`, onRoot("tool_call_update", `,"status":"completed"`)),
		}},
		{name: "a history that is loaded again shows a subagent's text once", steps: []step{
			shown,
			agent(child(hello)), wait(100*time.Millisecond, onRoot("tool_call_update", `,"content":[`+textItem("Hello")+`]`)),
			client(`{"id":5,"method":"session/load","params":{"sessionId":"s","cwd":"/p","mcpServers":[]}}`,
				`A {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/p","mcpServers":[],"replayFrom":{"type":"start"}}}`),
			shown,
			agent(child(hello)), wait(100*time.Millisecond, onRoot("tool_call_update", `,"content":[`+textItem("Hello")+`]`)),
		}},
		{name: "what a subagent asks is asked in the session that the client knows", steps: []step{
			shown,
			agent(`{"id":0,"method":"session/request_permission","params":{"sessionId":"kid","title":"Edit","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","title":"Edit"}},"options":`+yesNo+`}}`,
				shownAs("1", `{"toolCallId":"kid/t","title":"Edit"}`, "")),
			client(`{"id":1,`+chosen, `A {"id":0,`+chosen),
			agent(child(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`), shows(`{"sessionUpdate":"tool_call_update","toolCallId":"kid/t","status":"completed"}`)),
			agent(`{"id":1,"method":"elicitation/create","params":{"sessionId":"kid","toolCallId":"t","mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`,
				`C {"id":2,"method":"elicitation/create","params":{"sessionId":"s","toolCallId":"kid/t","mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`),
		}},
		{name: "a subagent's updates are not held while session/new is open", steps: []step{
			shown,
			client(`{"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`, `A {"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`),
			agent(child(chunk("agent_message", "m", "I look"))), wait(time.Second,
				onRoot("tool_call_update", `,"content":[`+textItem("I look")+`]`)),
			agent(child(idle("end_turn")),
				onRoot("tool_call_update", `,"status":"completed"`)),
		}},
		{name: "a subagent is forgotten with the session that shows it", steps: []step{
			shown, agent(child(hello)),
			client(`{"id":5,"method":"session/close","params":{"sessionId":"s"}}`, `A {"id":1,"method":"session/close","params":{"sessionId":"s"}}`),
			agent(`{"id":1,"result":{}}`, onRoot("tool_call_update", `,"content":[`+textItem("Hello")+`]`), `C {"id":5,"result":{}}`),
			shown,
		}},
		{name: "a subagent that is told of without a title or a state", steps: []step{
			tells(`{"sessionUpdate":"subagent_update","sessionId":"kid"}`,
				onRoot("tool_call", `,"kind":"other","status":"in_progress","title":"Subagent","content":[]`)).losing("subagent"),
			tells(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":5,"state":5}`, onRoot("tool_call_update", "")),
			tells(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"stopReason":"error"}}`, onRoot("tool_call_update", "")),
			tells(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"idle","stopReason":"cancelled"}}`,
				onRoot("tool_call_update", `,"status":"failed"`)),
			tells(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"requires_action"}}`,
				onRoot("tool_call_update", `,"status":"in_progress"`)),
		}},
		{name: "a subagent of a subagent is shown in the session that the client knows", steps: []step{
			shown,
			agent(child(`{"sessionUpdate":"subagent_update","sessionId":"grandkid","title":"Deeper","state":{"state":"running"}}`),
				shows(`{"sessionUpdate":"tool_call","toolCallId":"subagent:grandkid","kind":"other","status":"in_progress","title":"Deeper","content":[]}`)).losing("subagent"),
			agent(in("grandkid", chunk("agent_message", "m", "deep"))), wait(time.Second,
				shows(`{"sessionUpdate":"tool_call_update","toolCallId":"subagent:grandkid","content":[`+textItem("deep")+`]}`)),
			agent(`{"id":0,"method":"session/request_permission","params":{"sessionId":"grandkid","title":"Run","subject":{"type":"command","command":"ls","toolCallId":"t"},"options":`+yesNo+`}}`,
				shownAs("1", `{"toolCallId":"grandkid/t","kind":"execute","status":"pending","rawInput":{"command":"ls"},"title":"`+"`ls`"+`","content":[{"type":"content","content":{"type":"text","text":"**Run**"}}]}`, `,"_meta":{"acp-bridge":{"permission":{"title":"Run","subject":{"type":"command","command":"ls","toolCallId":"t"}}}}`)),
			client(`{"id":1,`+chosen,
				`A {"id":0,`+chosen, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"grandkid/t","content":[]}`)),
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
				shows(`{"sessionUpdate":"tool_call_update","toolCallId":"subagent:kid","content":[`+textItem(`no id\nonetwo, threefour\n• no id\n• Read b\n`)+`]}`)),
			agent(child(`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":` + block("hm") + `}`)), wait(time.Second),
		}},
		{name: "what a subagent asks about a command and about nothing", steps: []step{
			shown,
			agent(`{"id":0,"method":"session/request_permission","params":{"sessionId":"kid","title":"Go?","options":`+yesNo+`}}`,
				shownAs("1", `{"toolCallId":"perm-1","kind":"other","status":"pending","title":"Go?"}`, "")),
			client(`{"id":1,`+chosen,
				`A {"id":0,`+chosen, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-1","status":"completed"}`)),
			agent(`{"id":1,"method":"session/request_permission","params":{"sessionId":"kid","title":"Go?","subject":{"type":"command","command":"ls"},"options":`+yesNo+`}}`,
				shownAs("2", `{"toolCallId":"perm-2","kind":"execute","status":"pending","rawInput":{"command":"ls"},"title":"`+"`ls`"+`","content":[{"type":"content","content":{"type":"text","text":"**Go?**"}}]}`, `,"_meta":{"acp-bridge":{"permission":{"title":"Go?","subject":{"type":"command","command":"ls"}}}}`)),
			client(`{"id":2,`+dismissed,
				`A {"id":1,`+dismissed, shows(`{"sessionUpdate":"tool_call_update","toolCallId":"perm-2","status":"failed"}`)),
			agent(`{"id":2,"method":"elicitation/create","params":{"sessionId":"kid","mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`,
				`C {"id":3,"method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"m","url":"https://x","elicitationId":"i"}}`),
			client(`{"id":3,"result":{"action":"accept"}}`, `A {"id":2,"result":{"action":"accept"}}`),
		}},
	})
}
