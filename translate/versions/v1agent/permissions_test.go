package v1agent

import (
	"strings"
	"testing"
)

func TestPermissions(t *testing.T) {
	const options = `"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`
	const yes = `{"outcome":{"outcome":"selected","optionId":"y"}}`
	const dismissed = `{"outcome":{"outcome":"cancelled"}}`
	requires := toC(report("state_update", `"state":"requires_action"`))
	goesOn := toC(report("state_update", `"state":"running"`))
	asked := func(title, call string) string {
		return `session/request_permission {"sessionId":"s","title":"` + title + `","subject":{"type":"tool_call","toolCall":` + call + `},` + options + `}`
	}
	asks := func(call string) string {
		return `session/request_permission {"sessionId":"s","toolCall":` + call + `,` + options + `}`
	}
	const edit = `{"toolCallId":"t1","title":"Edit a.txt","kind":"edit","status":"pending"}`
	open := then(begun, agent(`0 `+asks(edit), requires, toC(`1 `+asked("Edit a.txt", edit))))
	runCases(t, []testCase{
		{"a permission is asked for with a title, and the turn waits", nil, then(open,
			client(`1 = `+yes, toA(`0 = `+yes), goesOn),
		)},
		{"without a turn there is no state", nil, then(made,
			agent(`0 `+asks(edit), toC(`1 `+asked("Edit a.txt", edit))),
			client(`1 = `+yes, toA(`0 = `+yes)),
		)},
		{"the turn goes on when the last question is answered", nil, then(open,
			agent(`1 `+asks(edit), toC(`2 `+asked("Edit a.txt", edit))),
			client(`1 = `+yes, toA(`0 = `+yes)),
			client(`2 ! {"code":-32603,"message":"no"}`, toA(`1 ! {"code":-32603,"message":"no"}`), goesOn),
		)},
		{"what version 1 does not know is no approval", nil, then(open,
			client(`1 = {"outcome":{"outcome":"_maybe","optionId":"y"}}`, toA(`0 = `+dismissed), goesOn),
		)},
		{"cancel answers the agent and takes the question back", nil, then(open,
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`),
				toA(`0 = `+dismissed), toC(`$/cancel_request {"requestId":1}`)),
			client(`1 = `+dismissed),
			agent(`7 `+asks(edit), toA(`7 = `+dismissed)),
			agent(`2 = {"stopReason":"cancelled"}`),
			wait(lateDelay, toC(report("tool_call_update", `"toolCallId":"t1","status":"cancelled"`)), ended("cancelled")),
		)},
		{"cancel takes a question back that no turn waits for", nil, then(made,
			agent(`0 `+asks(edit), toC(`1 `+asked("Edit a.txt", edit))),
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`), toA(`0 = `+dismissed), toC(`$/cancel_request {"requestId":1}`)),
		)},
		{"a turn that was cancelled too late went on", nil, then(open,
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`),
				toA(`0 = `+dismissed), toC(`$/cancel_request {"requestId":1}`)),
			agent(`2 = {"stopReason":"end_turn"}`), wait(lateDelay, goesOn, ended("end_turn")),
		)},
		{"a turn that ends takes its questions back", nil, then(open,
			agent(`2 = {"stopReason":"end_turn"}`),
			wait(lateDelay, toA(`0 = `+dismissed), toC(`$/cancel_request {"requestId":1}`), ended("end_turn")),
			client(`1 = `+yes),
		)},
		{"but not those of before", nil, then(made,
			agent(`0 `+asks(edit), toC(`1 `+asked("Edit a.txt", edit))),
			client(`2 session/prompt `+hi, toA(`2 session/prompt `+hi)),
			agent(`2 = {"stopReason":"end_turn"}`, taken("1", 2)...), wait(lateDelay, ended("end_turn")),
			client(`1 = `+yes, toA(`0 = `+yes)),
		)},
		{"the end of the agent takes its questions back", nil, then(open,
			gone(toC(`$/cancel_request {"requestId":1}`),
				toC(report("state_update", `"state":"idle","stopReason":"error","error":{"code":-32603,"message":"agent exited"}`))),
		)},
		{"a close that fails cancels no turn", nil, then(open,
			client(`3 session/close {"sessionId":"s"}`, toA(`0 = `+dismissed), toC(`$/cancel_request {"requestId":1}`),
				toA(`3 session/close {"sessionId":"s"}`)),
			agent(`3 ! {"code":-32603,"message":"no"}`, goesOn, toC(`3 ! {"code":-32603,"message":"no"}`)),
			agent(`1 `+asks(edit), requires, toC(`2 `+asked("Edit a.txt", edit))),
			client(`2 = `+yes, toA(`1 = `+yes), goesOn),
			agent(`2 ! {"code":-32603,"message":"no"}`,
				toC(report("state_update", `"state":"idle","stopReason":"error","error":{"code":-32603,"message":"no"}`))),
		)},
		{"the agent can take a question back", nil, then(open,
			agent(`$/cancel_request {"requestId":0}`, toC(`$/cancel_request {"requestId":1}`)),
			client(`1 = `+dismissed, toA(`0 = `+dismissed), goesOn),
		)},
		{"a title is made up where there is none", nil, then(made,
			agent(`0 `+asks(`{"toolCallId":"t","kind":"execute","title":null}`), toC(`1 `+asked("Run this command?", `{"toolCallId":"t","kind":"execute"}`))),
			agent(report("tool_call", `"toolCallId":"t","title":"Known"`),
				toC(report("tool_call_update",
					`"toolCallId":"t","title":"Known","name":null,"kind":null,"status":null,"content":null,"locations":null,"rawInput":null,"rawOutput":null`))),
			agent(`1 `+asks(`{"toolCallId":"t"}`), toC(`2 `+asked("Known", `{"toolCallId":"t"}`))),
		)},
		{"an agent can say the question in _meta", nil, then(made,
			agent(`0 `+asks(`{"toolCallId":"t","title":"T","_meta":{"permission_prompt":{"title":"Sure?","description":"D"}}}`),
				toC(`1 session/request_permission {"sessionId":"s","title":"Sure?","description":"D","subject":{"type":"tool_call",`+
					`"toolCall":{"toolCallId":"t","title":"T","_meta":{"permission_prompt":{"title":"Sure?","description":"D"}}}},`+options+`}`)),
		)},
		{"what version 2 does not know of a tool call is lost in a question too", nil, then(made,
			agent(`0 `+asks(`{"toolCallId":"t","title":"T","kind":"odd","status":"odd"}`),
				toC(`1 session/request_permission {"sessionId":"s","title":"T","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","title":"T",`+
					`"kind":"_odd","status":"_odd"}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},`+
					`{"optionId":"n","name":"No","kind":"reject_once"}]}`)).
				Losing("unknown kind of a tool call", "unknown status of a tool call"),
		)},
		{"a permission without options is answered", nil, then(made,
			agent(`0 session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}`, toA(`0 = `+dismissed)).
				Losing("permission without options"),
		)},
		{"an answer that version 2 cannot read is left out", nil, then(made,
			agent(`0 session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},`+
				`{"optionId":"n","name":"No","kind":"reject_once"},{"optionId":"y","name":"Yes!","kind":"allow_once"},{"name":"?"}]}`,
				toC(`1 `+asked("Permission required", `{"toolCallId":"t"}`))).Losing("unreadable permission option", "unreadable permission option"),
		)},
		{"what is asked while a session is being closed is taken back", nil, then(made,
			client(`2 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			agent(`0 `+asks(edit), toC(`1 `+asked("Edit a.txt", edit))),
			agent(`2 = {}`, toA(`0 = `+dismissed), toC(`$/cancel_request {"requestId":1}`), toC(`2 = {}`)),
		)},
		{"nobody is asked about a session that is closed", nil, then(made,
			client(`2 session/close {"sessionId":"s"}`, toA(`2 session/close {"sessionId":"s"}`)),
			agent(`2 = {}`, toC(`2 = {}`)),
			agent(`0 `+asks(edit), toA(`0 = `+dismissed)),
		)},
	})
}

// TestQuestions checks the questions about a tool call without a title.
func TestQuestions(t *testing.T) {
	for kind, want := range map[string]string{
		"execute": "Run this command?", "edit": "Make this edit?", "delete": "Delete this?", "move": "Move this?", "read": "Read this?",
		"search": "Search this?", "fetch": "Fetch this?", "switch_mode": "Switch the mode?", "other": "Permission required", "": "Permission required",
	} {
		p := start(t, made)
		left, _ := p.Must(t,
			agent(`0 session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t","kind":"`+kind+`"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}`))
		if len(left) != 1 || !strings.Contains(left[0], `"title":"`+want+`"`) {
			t.Errorf("%q is asked as %q", kind, left)
		}
	}
}

func TestElicitation(t *testing.T) {
	requires := toC(report("state_update", `"state":"requires_action"`))
	goesOn := toC(report("state_update", `"state":"running"`))
	runCases(t, []testCase{
		{"a form has a type and properties, and only lists to choose from", nil, then(begun,
			agent(`0 elicitation/create {"sessionId":"s","requestId":5,"mode":"form","message":"m","requestedSchema":{"required":["a","b"],`+
				`"properties":{"a":{"type":"string","enum":[],"title":"A"},"b":{"type":"array","items":{"type":"string","enum":[]}}}}}`,
				requires,
				toC(`1 elicitation/create {"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string",`+
					`"title":"A"}},"required":["a"]}}`)).Losing("question of a form"),
			client(`1 = {"action":"accept","content":{"a":"x","b":{"c":1},"d":[1,"y"],"e":["z"],"f":2,"g":null}}`,
				toA(`0 = {"action":"accept","content":{"a":"x","b":"{\"c\":1}","d":"[1,\"y\"]","e":["z"],"f":2}}`), goesOn),
			agent(`1 elicitation/create {"sessionId":"s","mode":"form","requestedSchema":{}}`,
				toA(`1 ! {"code":-32602,"message":"Invalid params: an elicitation that cannot be read"}`)),
			agent(`1 elicitation/create {"sessionId":"s","mode":"form","message":"m","requestedSchema":{}}`, requires,
				toC(`2 elicitation/create {"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}`)),
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`), toA(`1 = {"action":"cancel"}`),
				toC(`$/cancel_request {"requestId":2}`)),
		)},
		{"one of a request names it as the client does", nil, []step{
			client(`"login" auth/login {"methodId":"k"}`, toA(`1 authenticate {"methodId":"k"}`)),
			agent(`0 elicitation/create {"requestId":1,"mode":"url","message":"m","elicitationId":"e","url":"https://x"}`,
				toC(`1 elicitation/create {"requestId":"login","mode":"url","message":"m","elicitationId":"e","url":"https://x"}`)),
			client(`1 = {"action":"_later"}`, toA(`0 = {"action":"cancel"}`)).Losing("answer to a form"),
			agent(`1 elicitation/create {"sessionId":null,"requestId":1,"mode":"url","message":"m","elicitationId":"e","url":"https://x"}`,
				toC(`2 elicitation/create {"requestId":"login","mode":"url","message":"m","elicitationId":"e","url":"https://x"}`)),
			agent(`1 = {}`, toC(`"login" = {}`)),
		}},
	})
}
