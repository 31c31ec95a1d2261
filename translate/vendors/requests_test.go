package vendors

import (
	"strconv"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
)

func requestOf(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`
}

func notification(method, params string) string {
	return `{"jsonrpc":"2.0","method":"` + method + `","params":{` + params + `}}`
}

func result(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

func notFound(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,"message":"Method not found"}}`
}

// permits returns the request that the client gets, without its session.
func permits(n, toolCall, title, kind, text, options string) string {
	if text != "" {
		text = `,"content":[{"type":"content","content":{"type":"text","text":"` + text + `"}}]`
	}
	return "C " + requestOf(`"acp-plan-proxy/`+n+`"`, "session/request_permission", `"sessionId":"s","toolCall":{"toolCallId":"`+toolCall+
		`","title":"`+title+`","kind":"`+kind+`","status":"pending"`+text+`},"options":[`+options+`]`)
}

func chosen(n, id string) string {
	return result(`"acp-plan-proxy/`+n+`"`, `{"outcome":{"outcome":"selected","optionId":"`+id+`"}}`)
}

func markdown(id, text string) string {
	return "C " + updateOf(`"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"`+id+`","content":"`+text+`"}`)
}

const (
	approveOptions  = `{"optionId":"accept","name":"Accept the plan","kind":"allow_once"},{"optionId":"reject","name":"Reject the plan","kind":"reject_once"}`
	grokOptions     = approveOptions + `,{"optionId":"abandon","name":"Leave plan mode without the work","kind":"reject_always"}`
	cursorTodos     = `"todos":[{"id":"m","content":"Measure","status":"in_progress"},{"id":"c","content":"Choose","status":"pending"}]`
	cursorPlanCache = `"sessionId":"s","toolCallId":"t7","name":"Cache","plan":"# Cache\n\n1. Measure\n2. Choose"`
)

func TestOffers(t *testing.T) {
	update := requestOf("0", "cursor/update_todos", `"sessionId":"s","toolCallId":"t",`+cursorTodos+`,"merge":false`)
	again := requestOf("1", "cursor/update_todos", `"sessionId":"s","toolCallId":"t","todos":[{"id":"m","status":"done"}],"merge":true`)
	accepted := func(id, first string) string {
		return "A " + result(id, `{"outcome":{"outcome":"accepted","todos":[{"id":"m","content":"Measure","status":"`+first+`"},{"id":"c","content":"Choose","status":"pending"}]}}`)
	}
	before, after := plan("Measure:in_progress", "Choose:pending"), plan("Measure:completed", "Choose:pending")
	run(t, []test{
		{name: "the client knows the request", steps: []step{
			agent(update, "="),
			client(result("0", `{"outcome":{"outcome":"accepted"}}`), "="),
			agent(again, "="),
			agent(notification("cursor/update_todos", `"sessionId":"s",`+cursorTodos), "="),
		}},
		{name: "the client does not know it", steps: []step{
			agent(update, "="),
			client(notFound("0"), before, accepted("0", "in_progress")),
			agent(again, after, accepted("1", "completed")),
		}},
		{name: "the client refuses it for another reason", steps: []step{
			agent(update, "="),
			client(strings.Replace(notFound("0"), "-32601", "-32602", 1), "="),
			agent(again, "="),
		}},
		{name: "the client spells the number otherwise", steps: []step{
			agent(update, "="),
			client(strings.Replace(notFound("0"), "-32601", "-3.2601E4", 1), before, accepted("0", "in_progress")),
		}},
		{name: "the client's own ids are the same", steps: []step{
			agent(update, "="),
			client(requestOf("0", "session/prompt", `"sessionId":"s","prompt":[]`), "="),
			client(notFound("0"), before, accepted("0", "in_progress")),
		}},
		{name: "the same id twice", steps: []step{
			agent(again, "="),
			agent(strings.Replace(update, `"id":0`, `"id":1`, 1), "="),
			client(notFound("1"), before, accepted("1", "in_progress")),
			client(notFound("1"), "="),
		}},
		{name: "ids in strings, null, and of any size", steps: []step{
			agent(strings.Replace(update, `"id":0`, `"id":"0"`, 1), "="),
			client(notFound("0"), "="),
			client(notFound(`"\u0030"`), before, accepted(`"0"`, "in_progress")),
			agent(strings.Replace(again, `"id":1`, `"id":null`, 1), after, accepted("null", "completed")),
			agent(strings.Replace(again, `"id":1`, `"id":123456789012345678901234567890`, 1), accepted("123456789012345678901234567890", "completed")),
		}},
		{name: "the session of a request that was offered is closed", steps: []step{
			agent(update, "="),
			client(requestOf("5", "session/close", `"sessionId":"s"`), "="),
			client(notFound("0"), before, accepted("0", "in_progress")),
		}},
		{name: "an answer to another request", steps: []step{
			agent(update, "="),
			client(notFound("7"), "="),
			client(notFound("0"), before, accepted("0", "in_progress")),
		}},
		{name: "on", mode: On, steps: []step{agent(update, before, accepted("0", "in_progress"))}},
		{name: "off", mode: Off, steps: []step{agent(update, "="), client(notFound("0"), "=")}},
		{name: "a client that never answers", peers: Peers{Client: capabilities.Manner{Silent: true, NoVendors: true}}, steps: []step{
			agent(update, before, accepted("0", "in_progress")),
			agent(requestOf("1", "cursor/task", `"x":1`), `A {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: cursor/task"}}`),
			agent(requestOf("2", "_x.ai/other", `"x":1`), `A {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: _x.ai/other"}}`),
			agent(requestOf("3", "_other/method", `"x":1`), "="),
			agent(notification("cursor/task", `"x":1`), "="),
		}},
		{name: "a client that is known not to know it", peers: Peers{Client: capabilities.Manner{NoVendors: true}}, steps: []step{
			agent(update, before, accepted("0", "in_progress")),
			agent(requestOf("1", "cursor/task", `"x":1`), "="),
		}},
		{name: "other requests of a maker", steps: []step{agent(requestOf("1", "cursor/task", `"x":1`), "=")}},
		{name: "a leading _", steps: []step{
			agent(strings.Replace(update, "cursor/", "_cursor/", 1), "="),
			client(notFound("0"), before, accepted("0", "in_progress")),
			agent(again, after, accepted("1", "completed")),
		}},
		{name: "a notification", steps: []step{
			agent(notification("cursor/update_todos", `"sessionId":"s",`+cursorTodos+`,"merge":false`), "=", before),
		}},
		{name: "a method that is taken over does not take the maker's others", steps: []step{
			agent(update, "="),
			client(notFound("0"), before, accepted("0", "in_progress")),
			agent(requestOf("1", "cursor/create_plan", cursorPlanCache), "="),
		}},
	})
}

func TestUpdateTodos(t *testing.T) {
	todos := func(params string, want ...string) step {
		return agent(requestOf("5", "cursor/update_todos", `"sessionId":"s"`+params), want...)
	}
	answer := func(list string) string {
		return "A " + result("5", `{"outcome":{"outcome":"accepted","todos":[`+list+`]}}`)
	}
	a, b := `{"id":"1","content":"a","status":"pending"}`, `{"id":"2","content":"b","status":"completed"}`
	run(t, []test{
		{name: "lists", mode: On, steps: []step{
			todos(`,"todos":[{"id":"1","content":"a"},{"id":"2"}],"merge":true`, plan("a:pending"), answer(a)),
			todos(`,"todos":[{"id":"2","content":"b","status":"TODO_STATUS_COMPLETED"}],"merge":true`, plan("a:pending", "b:completed"), answer(a+","+b)),
			todos(``, answer(a+","+b)),
			todos(`,"todos":null`, answer(a+","+b)),
			todos(`,"todos":[]`, plan(), answer("")),
			todos(`,"todos":[{"content":"c"}],"merge":false`, plan("c:pending"), answer(`{"content":"c","status":"pending"}`)),
		}},
		{name: "tool calls say nothing more", mode: On, steps: []step{
			todos(`,"todos":[{"id":"1","content":"a"}]`, plan("a:pending"), answer(a)),
			agent(call("1", "Update TODOs: x", `,"status":"completed","rawInput":{"_toolName":"updateTodos","todos":[{"content":"x"}]}`), "="),
		}},
		{name: "the agent's own plan counts more", mode: On, steps: []step{
			agent(updateOf(`"sessionUpdate":"plan","entries":[]`), "="),
			todos(`,"todos":[{"id":"1","content":"a"}]`, answer(a)),
		}},
	})
}

func TestSessionsOfRequests(t *testing.T) {
	todos := requestOf("0", "cursor/update_todos", `"toolCallId":"t1","todos":[{"content":"a"}]`)
	answered := "A " + result("0", `{"outcome":{"outcome":"accepted","todos":[{"content":"a","status":"pending"}]}}`)
	of := func(session string) string { return strings.Replace(plan("a:pending"), `"s"`, `"`+session+`"`, 1) }
	prompt := func(id, session string) step {
		return client(requestOf(id, "session/prompt", `"sessionId":"`+session+`","prompt":[]`), "=")
	}
	run(t, []test{
		{name: "that of the tool call", mode: On, steps: []step{
			prompt("1", "s"), prompt("2", "other"),
			agent(call("t1", "Update TODOs: a", `,"rawInput":{"_toolName":"updateTodos"}`), "="),
			agent(todos, of("s"), answered),
		}},
		{name: "that of a tool call that says nothing else", mode: On, steps: []step{
			prompt("1", "s"), prompt("2", "other"),
			agent(call("t1", "Ask the user", `,"rawInput":{}`), "="),
			agent(todos, of("s"), answered),
		}},
		{name: "the only one with a running prompt", mode: On, steps: []step{
			prompt("1", "s"), prompt("2", "other"), agent(result("2", "{}"), "="),
			agent(todos, of("s"), answered),
		}},
		{name: "the one that was prompted last", mode: On, steps: []step{
			prompt("1", "s"), prompt("2", "other"),
			agent(todos, of("other"), answered),
		}},
	})
}

// All tool calls that begin matter while the session of a request can be in doubt.
func TestWantsBegins(t *testing.T) {
	prompt := func(id, session string) step {
		return client(requestOf(id, "session/prompt", `"sessionId":"`+session+`","prompt":[]`))
	}
	for _, name := range []string{"Cursor", "Grok"} {
		tr := New(Auto)
		tr.Negotiated(Peers{Old: true, Agent: name})
		doubt := name == "Cursor"
		for _, s := range []struct {
			step
			want bool
		}{{prompt("1", "s"), false}, {prompt("2", "s"), false}, {prompt("3", "other"), doubt}, {agent(result("3", "{}")), false}} {
			say(tr, s.step)
			if got := tr.Wants().Begins; got != s.want {
				t.Errorf("%s: after %s: %v", name, s.in, got)
			}
		}
	}
}

func TestApprovals(t *testing.T) {
	create := requestOf("0", "cursor/create_plan", cursorPlanCache+`,`+cursorTodos)
	const text = `# Cache\n\n1. Measure\n2. Choose`
	list := plan("Measure:in_progress", "Choose:pending")
	ask := permits("1", "t7", "Cache", "switch_mode", text, approveOptions)
	exit := requestOf("0", "_x.ai/exit_plan_mode", `"sessionId":"s","toolCallId":"t7","planContent":"`+text+`"`)
	askGrok := permits("1", "t7", "Cache", "switch_mode", text, grokOptions)
	cancelledBy := `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"acp-plan-proxy/1"}}`
	cursorSays := func(outcome string) string { return "A " + result("0", `{"outcome":{"outcome":"`+outcome+`"}}`) }
	grokSays := func(outcome string) string { return "A " + result("0", `{"outcome":"`+outcome+`"}`) }
	run(t, []test{
		{name: "accepted", mode: On, peers: Peers{Markdown: true}, steps: []step{
			agent(create, list, markdown("cursor-plan", text), ask),
			client(chosen("1", "accept"), cursorSays("accepted")),
		}},
		{name: "rejected", mode: On, steps: []step{agent(create, list, ask), client(chosen("1", "reject"), cursorSays("rejected"))}},
		{name: "cancelled by the user", mode: On, steps: []step{
			agent(create, list, ask),
			client(result(`"acp-plan-proxy/1"`, `{"outcome":{"outcome":"cancelled"}}`), cursorSays("cancelled")),
		}},
		{name: "an answer that cannot be read", mode: On, steps: []step{
			agent(create, list, ask),
			client(result(`"acp-plan-proxy/1"`, `null`), cursorSays("cancelled")),
			client(result(`"acp-plan-proxy/1"`, `null`), ""),
		}},
		{name: "an option that nobody offered", mode: On, steps: []step{agent(create, list, ask), client(chosen("1", "yes"), cursorSays("cancelled"))}},
		{name: "an error", mode: On, steps: []step{agent(create, list, ask), client(notFound(`"acp-plan-proxy/1"`), cursorSays("cancelled"))}},
		{name: "the turn is cancelled", mode: On, steps: []step{
			agent(create, list, ask),
			client(notification("session/cancel", `"sessionId":"other"`), "="),
			client(notification("session/cancel", `"sessionId":"s"`), "=", cursorSays("cancelled"), "C "+cancelledBy),
			client(chosen("1", "accept"), ""),
		}},
		{name: "the session is closed", mode: On, steps: []step{
			agent(create, list, ask),
			client(requestOf("9", "session/close", `"sessionId":"s"`), "=", cursorSays("cancelled"), "C "+cancelledBy),
		}},
		{name: "the agent takes it back", mode: On, steps: []step{
			agent(create, list, ask),
			agent(notification("$/cancel_request", `"requestId":0`), cursorSays("cancelled"), "C "+cancelledBy),
			agent(notification("$/cancel_request", `"requestId":0`), "="),
		}},
		{name: "the agent takes it back before the client has answered", steps: []step{
			agent(create, "="),
			agent(notification("$/cancel_request", `"requestId":0`), "="),
			client(notFound("0"), cursorSays("cancelled")),
			agent(create, list, ask),
		}},
		{name: "the turn is cancelled before the client has answered", steps: []step{
			agent(create, "="),
			client(notification("session/cancel", `"sessionId":"s"`), "="),
			client(notFound("0"), cursorSays("cancelled")),
		}},
		{name: "the turn is cancelled, and the client knows the request", steps: []step{
			agent(create, "="),
			client(notification("session/cancel", `"sessionId":"s"`), "="),
			client(result("0", `{"outcome":{"outcome":"cancelled"}}`), "="),
		}},
		{name: "the prompt is cancelled as a request", mode: On, steps: []step{
			client(requestOf("7", "session/prompt", `"sessionId":"s","prompt":[]`), "="),
			agent(create, list, ask),
			client(notification("$/cancel_request", `"requestId":8`), "="),
			client(notification("$/cancel_request", `"requestId":7`), "=", cursorSays("cancelled"), "C "+cancelledBy),
		}},
		{name: "a late answer, spelled otherwise", mode: On, steps: []step{
			agent(create, list, ask),
			client(notification("session/cancel", `"sessionId":"s"`), "=", cursorSays("cancelled"), "C "+cancelledBy),
			client(result(`"acp-plan-proxy\/1"`, `{}`), ""),
		}},
		{name: "params that cannot be read", mode: On, steps: []step{
			agent(`{"jsonrpc":"2.0","id":0,"method":"cursor/create_plan","params":[1]}`, strings.Replace(permits("1", "acp-plan-proxy/1", "Plan", "switch_mode", "", approveOptions), `"sessionId":"s"`, `"sessionId":""`, 1)),
			client(chosen("1", "accept"), cursorSays("accepted")),
			agent(requestOf("0", "cursor/create_plan", `"sessionId":"s","toolCallId":7,"name":{},"plan":[],"todos":{},"phases":[{"todos":3},5]`), permits("2", "acp-plan-proxy/2", "Plan", "switch_mode", "", approveOptions)),
			client(result(`"acp-plan-proxy/2"`, `{"outcome":"selected","optionId":"accept"}`), cursorSays("cancelled")),
		}},
		{name: "every member may be missing", mode: On, steps: []step{
			client(requestOf("1", "session/prompt", `"sessionId":"s"`), "="),
			agent(requestOf("0", "cursor/create_plan", ``), permits("1", "acp-plan-proxy/1", "Plan", "switch_mode", "", approveOptions)),
		}},
		{name: "todos in phases", mode: On, steps: []step{
			agent(requestOf("0", "cursor/create_plan", `"sessionId":"s","toolCallId":"t7","overview":"o","phases":[{"name":"p","todos":[{"content":"a"}]},{"todos":[{"content":"b"}]}]`),
				plan("a:pending", "b:pending"), permits("1", "t7", "Plan", "switch_mode", "o", approveOptions)),
		}},
		{name: "without todos a client that shows no text gets the text: its steps are the plan", mode: On, steps: []step{
			agent(requestOf("0", "cursor/create_plan", cursorPlanCache), markdown("cursor-plan", text), ask),
		}},
		{name: "a plan that has todos now has the text no more that it had before", mode: On, steps: []step{
			agent(requestOf("0", "cursor/create_plan", cursorPlanCache), markdown("cursor-plan", text), ask),
			client(chosen("1", "reject"), cursorSays("rejected")),
			agent(create, "C "+updateOf(`"sessionUpdate":"plan_removed","planId":"cursor-plan"`), list, strings.Replace(ask, "proxy/1", "proxy/2", 1)),
			client(chosen("2", "reject"), cursorSays("rejected")),
			agent(create, strings.Replace(ask, "proxy/1", "proxy/3", 1)),
		}},
		{name: "a plan that is only told", steps: []step{
			agent(notification("cursor/create_plan", cursorPlanCache), "=", markdown("cursor-plan", text)),
		}},
		{name: "Grok: approved", steps: []step{
			agent(exit, "="),
			client(notFound("0"), markdown("grok-plan", text), askGrok),
			client(chosen("1", "accept"), grokSays("approved")),
			agent(exit, markdown("grok-plan", text), strings.Replace(askGrok, "proxy/1", "proxy/2", 1)),
		}},
		{name: "Grok: a plan that is only told", steps: []step{
			agent(notification("_x.ai/exit_plan_mode", `"sessionId":"s","planContent":"`+text+`"`), "=", markdown("grok-plan", text)),
		}},
		{name: "Grok: rejected", mode: On, steps: []step{agent(exit, markdown("grok-plan", text), askGrok), client(chosen("1", "reject"), grokSays("cancelled"))}},
		{name: "Grok: abandoned", mode: On, steps: []step{agent(exit, markdown("grok-plan", text), askGrok), client(chosen("1", "abandon"), grokSays("abandoned"))}},
		{name: "Grok: no plan file", mode: On, steps: []step{
			agent(requestOf("0", "x.ai/exit_plan_mode", `"sessionId":"s","toolCallId":"t7","planContent":null`), permits("1", "t7", "Plan", "switch_mode", "", grokOptions)),
		}},
		{name: "Grok: wrapped", mode: On, steps: []step{
			agent(requestOf("0", "_x.ai/exit_plan_mode", `"method":"x.ai/exit_plan_mode","params":{"sessionId":"s","toolCallId":"t7","planContent":"`+text+`"}`), markdown("grok-plan", text), askGrok),
		}},
	})
}

// What the agent waits for when the client is gone is never an approval, and it gets
// one answer.
func TestClientGone(t *testing.T) {
	create := func(id string) string { return requestOf(id, "cursor/create_plan", cursorPlanCache) }
	cancelled := func(id string) string { return "A " + result(id, cursorCancelled) }
	gone := func(tr *Translator) string {
		var out translate.Out
		out.Reset(translate.Client, nil)
		tr.ClientGone(&out)
		return leaves(&out)
	}
	tr := New(On)
	tr.Negotiated(Peers{Old: true})
	var want []string
	for id := range 9 { // the order is that of the requests
		say(tr, agent(create(strconv.Itoa(id))))
		want = append(want, cancelled(strconv.Itoa(id)), `C {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"acp-plan-proxy/`+strconv.Itoa(id+1)+`"}}`)
	}
	if got := gone(tr); got != strings.Join(want, "\n") {
		t.Errorf("the agent gets %s", got)
	}
	if got := say(tr, agent(create("9"))); got != markdown("cursor-plan", `# Cache\n\n1. Measure\n2. Choose`)+"\n"+cancelled("9") {
		t.Errorf("asked after the client's end, it gets %s", got)
	}

	tr = New(Auto)
	tr.Negotiated(Peers{Old: true})
	say(tr, agent(create("0")))
	say(tr, agent(requestOf("1", "cursor/update_todos", cursorTodos)))
	if got := gone(tr); got != cancelled("0") {
		t.Errorf("for what the client was offered, the agent gets %s", got)
	}
	if got := gone(tr) + say(tr, client(result("0", `{"outcome":{"outcome":"accepted"}}`))); got != "" {
		t.Errorf("a second answer: %s", got)
	}
}

// A second initialize changes nothing of what is asked.
func TestNegotiatedAgain(t *testing.T) {
	for _, old := range []bool{true, false} {
		tr := New(Auto)
		tr.Negotiated(Peers{Old: true})
		say(tr, agent(requestOf("0", "cursor/create_plan", cursorPlanCache)))
		say(tr, agent(requestOf("1", "_x.ai/exit_plan_mode", `"sessionId":"s"`)))
		say(tr, client(notFound("0")))
		tr.Negotiated(Peers{Old: old})
		if w := tr.Wants(); !w.Answers || !w.Cancels {
			t.Errorf("wanted: %+v", w)
		}
		if got := say(tr, client(chosen("1", "accept"))); got != "A "+result("0", `{"outcome":{"outcome":"accepted"}}`) {
			t.Errorf("the agent gets %s", got)
		}
		if got := say(tr, client(notFound("1"))); !strings.Contains(got, `"id":"acp-plan-proxy/2"`) {
			t.Errorf("the client gets %s", got)
		}
	}
}

func TestQuestions(t *testing.T) {
	cursorAsks := requestOf("0", "cursor/ask_question", `"sessionId":"s","toolCallId":"t","title":"Cache","questions":[`+
		`{"id":"q1","prompt":"Which?","options":[{"id":"a","label":"A"},{"id":"b","label":"B"}]},{"id":"q2","prompt":"Size?","options":[{"id":"x","label":"X"}]}]`)
	multiple := requestOf("0", "cursor/ask_question", `"sessionId":"s","questions":[{"id":"q","prompt":"Which?","allowMultiple":true,"options":[{"id":"a","label":"A"},{"id":"b","label":"B"}]}]`)
	grokAsks := requestOf("0", "x.ai/ask_user_question", `"sessionId":"s","toolCallId":"t","questions":[{"question":"Which?","options":[{"label":"A","description":"small"},{"label":"B"}]}],"mode":"plan"`)
	option := func(id, name, kind string) string {
		return `{"optionId":"` + id + `","name":"` + name + `","kind":"` + kind + `"}`
	}
	skip := option("skip", "Skip", "reject_once")
	first := permits("1", "acp-plan-proxy/1", "Which?", "other", "", option("0", "A", "allow_once")+","+option("1", "B", "allow_once")+","+skip)
	second := permits("2", "acp-plan-proxy/2", "Size?", "other", "", option("0", "X", "allow_once")+","+skip)
	form := func(message, properties string) string {
		return "C " + requestOf(`"acp-plan-proxy/1"`, "elicitation/create", `"sessionId":"s",`+message+`,"requestedSchema":{"type":"object","properties":{`+properties+`}}`)
	}
	filled := func(outcome string) step { return client(result(`"acp-plan-proxy/1"`, outcome)) }
	skipped := "A " + result("0", cursorSkipped)
	declined := "A " + result("0", cursorDeclined)
	forms := Peers{Forms: true}
	run(t, []test{
		{name: "one after the other", mode: On, steps: []step{
			agent(cursorAsks, first),
			client(chosen("1", "1"), second),
			client(chosen("2", "0"), "A "+result("0", `{"outcome":{"outcome":"answered","answers":[{"questionId":"q1","selectedOptionIds":["b"]},{"questionId":"q2","selectedOptionIds":["x"]}]}}`)),
		}},
		{name: "skipped", mode: On, steps: []step{agent(cursorAsks, first), client(chosen("1", "skip"), declined)}},
		{name: "cancelled", mode: On, steps: []step{
			agent(cursorAsks, first),
			client(result(`"acp-plan-proxy/1"`, `{"outcome":{"outcome":"cancelled"}}`), "A "+result("0", cursorCancelled)),
		}},
		{name: "more than one answer needs a form", mode: On, steps: []step{agent(multiple, skipped)}},
		{name: "no questions", mode: On, steps: []step{
			agent(requestOf("0", "cursor/ask_question", `"sessionId":"s"`), "A "+result("0", `{"outcome":{"outcome":"answered","answers":[]}}`)),
		}},
		{name: "in a form", mode: On, peers: forms, steps: []step{
			agent(multiple, form(`"mode":"form","message":"Questions"`, `"q1":{"title":"Which?","type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}}`)),
			withWant(filled(`{"action":"accept","content":{"q1":["b","a"]}}`), "A "+result("0", `{"outcome":{"outcome":"answered","answers":[{"questionId":"q","selectedOptionIds":["b","a"]}]}}`)),
		}},
		{name: "a form that is declined", mode: On, peers: forms, steps: []step{
			agent(multiple, form(`"mode":"form","message":"Questions"`, `"q1":{"title":"Which?","type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}}`)),
			withWant(filled(`{"action":"decline"}`), declined),
		}},
		{name: "Grok in a form", mode: On, peers: forms, steps: []step{
			agent(grokAsks, form(`"toolCallId":"t","mode":"form","message":"Questions"`, `"q1":{"title":"Which?","type":"string","oneOf":[{"const":"A","title":"A","description":"small"},{"const":"B","title":"B"}]}`)),
			withWant(filled(`{"action":"accept","content":{"q1":"B"}}`), "A "+result("0", `{"outcome":"accepted","answers":{"Which?":["B"]}}`)),
		}},
		{name: "a text of the user's", mode: On, peers: forms, steps: []step{
			agent(strings.Replace(grokAsks, `,"options":[{"label":"A","description":"small"},{"label":"B"}]`, "", 1), form(`"toolCallId":"t","mode":"form","message":"Questions"`, `"q1":{"title":"Which?","type":"string"}`)),
			withWant(filled(`{"action":"accept","content":{"q1":"C"}}`), "A "+result("0", `{"outcome":"accepted","answers":{"Which?":["Other"]},"annotations":{"Which?":{"notes":"C"}}}`)),
		}},
		{name: "a choice that nobody offered", mode: On, peers: forms, steps: []step{
			agent(multiple, form(`"mode":"form","message":"Questions"`, `"q1":{"title":"Which?","type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}}`)),
			withWant(filled(`{"action":"accept","content":{"q1":["c",7,"b"],"q2":"a"}}`), "A "+result("0", `{"outcome":{"outcome":"answered","answers":[{"questionId":"q","selectedOptionIds":["b"]}]}}`)),
		}},
		{name: "Grok", mode: On, steps: []step{
			agent(grokAsks, permits("1", "t", "Which?", "other", `- A: small\n`, option("0", "A", "allow_once")+","+option("1", "B", "allow_once")+","+skip)),
			client(chosen("1", "0"), "A "+result("0", `{"outcome":"accepted","answers":{"Which?":["A"]}}`)),
		}},
		{name: "a form that is cancelled", mode: On, peers: forms, steps: []step{
			agent(grokAsks, form(`"toolCallId":"t","mode":"form","message":"Questions"`, `"q1":{"title":"Which?","type":"string","oneOf":[{"const":"A","title":"A","description":"small"},{"const":"B","title":"B"}]}`)),
			withWant(filled(`{"action":"cancel"}`), "A "+result("0", grokCancelled)),
		}},
	})
}

func withWant(s step, want ...string) step {
	s.want = want
	return s
}

func TestDeltas(t *testing.T) {
	plan := func(content, meta string) string {
		return updateOf(`"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"` + content + `"}` + meta)
	}
	delta := func(text, more string) string {
		return `,"_meta":{"jetbrains":{"air":{"version":1,"contentDelta":"` + text + `"}}` + more + `}`
	}
	kept := func(more string) string { return `,"_meta":{"jetbrains":{"air":{"version":1}}` + more + `}` }
	run(t, []test{
		{name: "added to the text", steps: []step{
			agent(plan("# A", ""), "="),
			agent(plan("", delta(`\n- b`, "")), "C "+plan(`# A\n- b`, kept(""))),
			agent(plan("", delta(`\n- c`, `,"other":1`)), "C "+plan(`# A\n- b\n- c`, kept(`,"other":1`))),
		}},
		{name: "of a client that adds them", peers: Peers{Deltas: true}, steps: []step{agent(plan("", delta("x", "")), "=")}},
		{name: "nothing was there", steps: []step{agent(plan("", delta("x", "")), "C "+plan("x", kept("")))}},
		{name: "off", mode: Off, steps: []step{agent(plan("", delta("x", "")), "=")}},
		{name: "a plan that was removed", steps: []step{
			agent(plan("# A", ""), "="),
			agent(updateOf(`"sessionUpdate":"plan_removed","planId":"p"`), "="),
			agent(plan("", delta("x", "")), "C "+plan("x", kept(""))),
		}},
		{name: "a plan that was another one in between", steps: []step{
			agent(plan("# A", ""), "="),
			agent(updateOf(`"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}`), "="),
			agent(plan("", delta("x", "")), "C "+plan("x", kept(""))),
		}},
		{name: "what is added to a text that is too long is not shown, until there is another text", steps: []step{
			agent(plan(strings.Repeat("a", maxText-1), ""), "="),
			agent(plan("", delta("bc", "")), "lost memory for plans"),
			agent(plan("", delta("d", "")), "lost memory for plans"),
			agent(plan("# A", ""), "="),
			agent(plan("", delta("b", "")), "C "+plan("# Ab", kept(""))),
		}},
	})
}

// The memory of all sessions together is bounded. What does not fit is not shown, and
// the traffic goes on.
func TestMemory(t *testing.T) {
	long := strings.Repeat("x", maxTodos-1000)
	tr := New(Auto)
	tr.Negotiated(Peers{Old: true})
	of := func(session, line string) step { return agent(strings.Replace(line, `"s"`, `"`+session+`"`, 1)) }
	for i := range 100 {
		session := strconv.Itoa(i)
		say(tr, of(session, call("1", "todowrite", `,"rawInput":{"todos":[{"content":"`+long+`"}]}`)))
		say(tr, of(session, call("2", "todowrite", `,"status":"completed","rawInput":{"todos":[{"content":"`+long+`"}]}`)))
		checkMemory(t, tr)
	}
	if got := say(tr, of("99", change("1", `,"status":"completed"`))); got != "=" {
		t.Errorf("a list that was not kept: %.100s", got)
	}
	for i := range 100 {
		tr.Forget([]byte(strconv.Itoa(i)))
	}
	if tr.sessions.size != 0 {
		t.Errorf("%d bytes are kept in the end", tr.sessions.size)
	}
	name := strings.Repeat("n", maxID+1)
	say(tr, of(name, call("1", "todowrite", "")))
	say(tr, agent(requestOf("0", "cursor/update_todos", `"sessionId":"`+name+`",`+cursorTodos)))
	say(tr, client(notFound("0")))
	if checkMemory(t, tr); len(tr.sessions.all) != 0 {
		t.Error("a session with a long name is kept")
	}
}

// Requests that are too much to be kept are left to the client.
func TestRequestLimits(t *testing.T) {
	tr := New(Auto)
	tr.Negotiated(Peers{Old: true})
	for i := range maxOpen {
		if got := say(tr, agent(requestOf(strconv.Itoa(i), "cursor/update_todos", cursorTodos))); got != "=" {
			t.Fatalf("request %d: %s", i, got)
		}
	}
	say(tr, agent(requestOf("1000", "cursor/update_todos", cursorTodos)))
	if got := say(tr, client(notFound("1000"))); got != "=" {
		t.Errorf("one request too many is done: %s", got)
	}
	for i := range maxOpen {
		say(tr, client(result(strconv.Itoa(i), "{}")))
	}
	if tr.kept != 0 {
		t.Errorf("%d bytes are kept in the end", tr.kept)
	}
	say(tr, agent(requestOf("1", "cursor/create_plan", `"plan":"`+strings.Repeat("x", maxKept)+`"`)))
	if got := say(tr, client(notFound("1"))); got != "=" {
		t.Errorf("a long request is done: %.100s", got)
	}
	tr = New(On)
	tr.Negotiated(Peers{Old: true})
	for i := range maxOpen {
		say(tr, agent(requestOf(strconv.Itoa(i), "cursor/create_plan", `"sessionId":"s"`)))
	}
	if got, want := say(tr, agent(requestOf("1000", "cursor/create_plan", `"sessionId":"s"`))), "A "+result("1000", cursorCancelled); !strings.HasPrefix(got, want) {
		t.Errorf("a request too many that the client is not offered: %s", got)
	}
}
