package vendors

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
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

// tells returns a message that the client gets.
func tells(text string) string {
	return "C " + updateOf(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\n\n`+text+`\n\n"}`)
}

// begins returns the tool call of a question.
func begins(n, title, kind, text string) string {
	return "C " + updateOf(`"sessionUpdate":"tool_call","toolCallId":"acp-plan-proxy/`+n+`","title":"`+title+`","kind":"`+kind+`","status":"pending",`+content(text))
}

// ends returns the update that ends it; failed without an answer.
func ends(n, text, answer string) string {
	more := `"failed"`
	if answer != "" {
		more = `"completed",` + content(text+`\n\nAnswer: `+answer)
	}
	return "C " + updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"acp-plan-proxy/`+n+`","status":`+more)
}

func content(text string) string {
	return `"content":[{"type":"content","content":{"type":"text","text":"` + text + `"}}]`
}

func removed(id string) string {
	return "C " + updateOf(`"sessionUpdate":"plan_removed","planId":"`+id+`"`)
}

// permits returns a request that the client gets.
func permits(n, toolCall, title, kind, text, options string) string {
	return "C " + requestOf(`"acp-plan-proxy/`+n+`"`, "session/request_permission", `"sessionId":"s","toolCall":{"toolCallId":"`+toolCall+
		`","title":"`+title+`","kind":"`+kind+`","status":"pending",`+content(text)+`},"options":[`+options+`]`)
}

func chosen(n, id string) string {
	return result(`"acp-plan-proxy/`+n+`"`, `{"outcome":{"outcome":"selected","optionId":"`+id+`"}}`)
}

func markdown(id, text string) string {
	return "C " + updateOf(`"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"`+id+`","content":"`+text+`"}`)
}

const (
	approveOptions  = `{"optionId":"allow","name":"Accept the plan","kind":"allow_once"},{"optionId":"reject","name":"Reject the plan","kind":"reject_once"}`
	grokOptions     = approveOptions + `,{"optionId":"abandon","name":"Leave plan mode without the work","kind":"reject_once"}`
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
		{name: "off", mode: Off, steps: []step{agent(update, "="), client(notFound("0"), "=")}},
		{name: "a client that never answers", peers: Peers{Client: capabilities.Manner{Silent: true, NoVendors: true}}, steps: []step{
			agent(update, before, accepted("0", "in_progress")),
			agent(requestOf("1", "cursor/task", `"x":1`), `A {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: cursor/task"}}`),
			agent(requestOf("2", "_x.ai/other", `"x":1`), `A {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: _x.ai/other"}}`),
			agent(requestOf("3", "_other/method", `"x":1`), "="),
			agent(notification("cursor/task", `"x":1`), "="),
		}},
		{name: "a client that breaks on what it does not know", peers: Peers{Client: capabilities.Manner{Fragile: true, NoVendors: true}}, steps: []step{
			agent(notification("cursor/update_todos", `"sessionId":"s",`+cursorTodos+`,"merge":false`), before),
			agent(notification("_x.ai/session_notification", `"sessionId":"s"`), ""),
			agent(notification("_other/method", `"sessionId":"s"`), "="),
			agent(requestOf("1", "cursor/task", `"x":1`), "="),
		}},
		{name: "a leading _", steps: []step{
			agent(strings.Replace(update, "cursor/", "_cursor/", 1), "="),
			client(notFound("0"), before, accepted("0", "in_progress")),
			agent(again, after, accepted("1", "completed")),
		}},
		{name: "a notification", steps: []step{
			agent(notification("cursor/update_todos", `"sessionId":"s",`+cursorTodos+`,"merge":false`), "=", before),
		}},
		{name: "a method that is taken over does not take the vendor's others", steps: []step{
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
	for _, peers := range []Peers{{}, {Agent: "Cursor"}, {Agent: "npx -y something"}} {
		run(t, []test{
			{name: "that of the tool call", mode: On, peers: peers, steps: []step{
				prompt("1", "s"), prompt("2", "other"),
				agent(call("t1", "Update TODOs: a", `,"rawInput":{"_toolName":"updateTodos"}`), "="),
				agent(todos, of("s"), answered),
			}},
			{name: "that of a tool call which began before the other session was used", mode: On, peers: peers, steps: []step{
				prompt("1", "s"),
				agent(call("t1", "Ask Question", ``), "="),
				prompt("2", "other"),
				agent(todos, of("s"), answered),
			}},
			{name: "that of a tool call whose turn is over", mode: On, peers: peers, steps: []step{
				prompt("1", "s"), prompt("2", "other"), agent(call("t1", "Read", ``), "="), agent(result("1", "{}"), "="),
				agent(todos, of("s"), answered),
			}},
			{name: "that of the call which began last, of two with the same id", mode: On, peers: peers, steps: []step{
				prompt("1", "s"), prompt("2", "other"), agent(strings.Replace(call("t1", "Read", ``), `"s"`, `"other"`, 1), "="), agent(call("t1", "Read", ``), "="),
				agent(todos, of("s"), answered),
			}},
			{name: "the only one with a running prompt", mode: On, peers: peers, steps: []step{
				prompt("1", "s"), prompt("2", "other"), agent(result("2", "{}"), "="),
				agent(todos, of("s"), answered),
			}},
			{name: "the one that was used last", mode: On, peers: peers, steps: []step{
				prompt("1", "s"), prompt("2", "other"),
				agent(todos, of("other"), answered),
			}},
			{name: "none is known: nobody is asked, and nothing is shown", mode: On, peers: peers, steps: []step{
				agent(todos, answered),
				agent(requestOf("1", "cursor/create_plan", `"toolCallId":"t","plan":"# A","todos":[{"content":"a"}]`), "A "+result("1", cursorCancelled)),
				agent(requestOf("2", "cursor/ask_question", `"questions":[{"id":"q","prompt":"p","options":[{"id":"a"}]}]`), "A "+result("2", cursorCancelled)),
				agent(notification("cursor/create_plan", `"plan":"# A"`), "="),
			}},
		})
	}
}

// All tool calls that begin matter where the session of a request can be in doubt.
func TestWantsBegins(t *testing.T) {
	prompt := func(id, session string) step {
		return client(requestOf(id, "session/prompt", `"sessionId":"`+session+`","prompt":[]`))
	}
	for name, always := range map[string]bool{"Cursor": true, "": true, "Grok": false} {
		tr := New(Auto)
		tr.Negotiated(Peers{Old: true, Agent: name})
		for _, s := range []struct {
			step
			want bool
		}{{prompt("1", "s"), always}, {prompt("2", "s"), always}, {prompt("3", "other"), true}, {agent(result("3", "{}")), true}} {
			say(tr, s.step)
			if got := slices.Contains(tr.Wants()[translate.Agent].HeadUpdates, "tool_call"); got != s.want {
				t.Errorf("%q: after %s: %v", name, s.in, got)
			}
		}
	}
}

func TestApprovals(t *testing.T) {
	create := requestOf("0", "cursor/create_plan", cursorPlanCache+`,`+cursorTodos)
	const text = `# Cache\n\n1. Measure\n2. Choose`
	list := plan("Measure:in_progress", "Choose:pending")
	asText := markdown("cursor-plan", text)
	ask := permits("1", "t7", "Cache", "switch_mode", text, approveOptions)
	exit := requestOf("0", "_x.ai/exit_plan_mode", `"sessionId":"s","toolCallId":"t7","planContent":"`+text+`"`)
	askGrok := permits("1", "t7", "Cache", "switch_mode", text, grokOptions)
	grokText := markdown("grok-plan", text)
	writes := func(todo string) string {
		return call("c", "todowrite", `,"rawInput":{"todos":[{"content":"`+todo+`","status":"pending"}]},"status":"completed"`)
	}
	cancelledBy := `C {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"acp-plan-proxy/1"}}`
	cursorSays := func(outcome string) string { return "A " + result("0", `{"outcome":{"outcome":"`+outcome+`"}}`) }
	grokSays := func(outcome string) string { return "A " + result("0", `{"outcome":"`+outcome+`"}`) }
	const (
		noTitle = "The agent has given no text for this plan."
		items   = capabilities.Plan | capabilities.Items
	)
	var (
		asked  = []string{asText, list, ask}
		leaves = []string{removed("cursor-plan"), plan()}
	)
	with := func(first string, lines ...[]string) (all []string) {
		all = append(all, first)
		for _, l := range lines {
			all = append(all, l...)
		}
		return all
	}
	without := func(text, words, options string) []string {
		return []string{tells(words), begins("1", text, "switch_mode", words), permits("1", "acp-plan-proxy/1", text, "switch_mode", words, options)}
	}
	run(t, []test{
		{name: "accepted", mode: On, steps: []step{
			agent(create, asked...),
			client(chosen("1", "allow"), cursorSays("accepted")),
		}},
		{name: "a client with forms is asked in no form", mode: On, peers: Peers{Forms: true}, steps: []step{agent(create, asked...)}},
		{name: "rejected, it leaves at once", mode: On, steps: []step{
			agent(create, asked...),
			client(chosen("1", "reject"), with(cursorSays("rejected"), leaves)...),
		}},
		{name: "what was there before is back", mode: On, steps: []step{
			agent(notification("cursor/update_todos", `"sessionId":"s","todos":[{"content":"a"}]`), "=", plan("a:pending")),
			agent(create, asked...),
			client(chosen("1", "reject"), cursorSays("rejected"), removed("cursor-plan"), plan("a:pending")),
		}},
		{name: "two are cancelled: what was there before the first is back", mode: On, steps: []step{
			agent(create, asked...),
			agent(requestOf("1", "cursor/create_plan", cursorPlanCache+`,"todos":[{"content":"a"}]`), asText, plan("a:pending"), strings.Replace(ask, "proxy/1", "proxy/2", 1)),
			client(notification("session/cancel", `"sessionId":"s"`), "=", cursorSays("cancelled"), "A "+result("1", cursorCancelled),
				removed("cursor-plan"), plan(), cancelledBy, strings.Replace(cancelledBy, "proxy/1", "proxy/2", 1)),
		}},
		{name: "of two, the older one is rejected: the newer one stays", mode: On, steps: []step{
			agent(notification("cursor/update_todos", `"sessionId":"s","todos":[{"content":"z"}]`), "=", plan("z:pending")),
			agent(create, asked...),
			agent(requestOf("1", "cursor/create_plan", cursorPlanCache+`,"todos":[{"content":"a"}]`), asText, plan("a:pending"), strings.Replace(ask, "proxy/1", "proxy/2", 1)),
			client(chosen("1", "reject"), cursorSays("rejected")),
			client(chosen("2", "reject"), "A "+result("1", `{"outcome":{"outcome":"rejected"}}`), removed("cursor-plan"), plan("z:pending")),
		}},
		{name: "rejected, and an older one was approved", mode: On, steps: []step{
			agent(create, asked...),
			agent(requestOf("1", "cursor/create_plan", cursorPlanCache), asText, strings.Replace(ask, "proxy/1", "proxy/2", 1)),
			client(chosen("1", "allow"), cursorSays("accepted")),
			client(chosen("2", "reject"), "A "+result("1", `{"outcome":{"outcome":"rejected"}}`), removed("cursor-plan")),
		}},
		{name: "whose list it was before is known again: tool calls say it", mode: On, steps: []step{
			agent(writes("a"), "=", plan("a:pending")),
			agent(create, asked...),
			agent(writes("b"), "="),
			client(chosen("1", "reject"), cursorSays("rejected"), removed("cursor-plan"), plan("a:pending")),
			agent(writes("b"), "=", plan("b:pending")),
		}},
		{name: "what has come since stays", mode: On, steps: []step{
			agent(create, asked...),
			agent(notification("cursor/update_todos", `"sessionId":"s","todos":[{"content":"a"}]`), "=", plan("a:pending")),
			client(chosen("1", "reject"), cursorSays("rejected"), removed("cursor-plan")),
		}},
		{name: "an approved one leaves when the agent's own list comes", mode: On, steps: []step{
			agent(create, asked...),
			client(chosen("1", "allow"), cursorSays("accepted")),
			agent(notification("cursor/update_todos", `"sessionId":"s",`+cursorTodos), "="),
			agent(notification("cursor/update_todos", `"sessionId":"s","todos":[{"content":"a"}]`), "=", removed("cursor-plan"), plan("a:pending")),
			agent(notification("cursor/update_todos", `"sessionId":"s","todos":[{"content":"b"}]`), "=", plan("b:pending")),
		}},
		{name: "an approved one leaves when the agent's own plan comes", mode: On, steps: []step{
			agent(exit, grokText, askGrok),
			client(chosen("1", "allow"), grokSays("approved")),
			agent(updateOf(`"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"x"}`), "="),
			agent(updateOf(`"sessionUpdate":"plan","entries":[]`), removed("grok-plan"), "C "+updateOf(`"sessionUpdate":"plan","entries":[]`)),
			agent(updateOf(`"sessionUpdate":"plan","entries":[]`), "="),
		}},
		{name: "an approved one leaves when the agent's own items come", mode: On, steps: []step{
			agent(exit, grokText, askGrok),
			client(chosen("1", "allow"), grokSays("approved")),
			agent(updateOf(`"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}`),
				removed("grok-plan"), "C "+updateOf(`"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}`)),
		}},
		{name: "one that waits for the user stays", mode: On, steps: []step{
			agent(exit, grokText, askGrok),
			agent(updateOf(`"sessionUpdate":"plan","entries":[]`), "="),
		}},
		{name: "cancelled by the user", mode: On, steps: []step{
			agent(create, asked...),
			client(result(`"acp-plan-proxy/1"`, `{"outcome":{"outcome":"cancelled"}}`), with(cursorSays("cancelled"), leaves)...),
		}},
		{name: "the turn is cancelled", mode: On, steps: []step{
			agent(create, asked...),
			client(notification("session/cancel", `"sessionId":"other"`), "="),
			client(notification("session/cancel", `"sessionId":"s"`), with("=", []string{cursorSays("cancelled")}, leaves, []string{cancelledBy})...),
			client(chosen("1", "allow"), ""),
		}},
		{name: "the session is closed, and the client knows it no more", mode: On, steps: []step{
			agent(create, asked...),
			client(requestOf("9", "session/close", `"sessionId":"s"`), "=", cursorSays("cancelled"), cancelledBy),
		}},
		{name: "the agent takes it back", mode: On, steps: []step{
			agent(create, asked...),
			agent(notification("$/cancel_request", `"requestId":0`), with(cursorSays("cancelled"), leaves, []string{cancelledBy})...),
			agent(notification("$/cancel_request", `"requestId":0`), "="),
		}},
		{name: "the agent takes it back before the client has answered", steps: []step{
			agent(create, "="),
			agent(notification("$/cancel_request", `"requestId":0`), "="),
			client(notFound("0"), cursorSays("cancelled")),
			agent(create, asked...),
		}},
		{name: "the turn is cancelled before the client has answered", steps: []step{
			agent(create, "="),
			client(notification("session/cancel", `"sessionId":"s"`), "="),
			client(notFound("0"), cursorSays("cancelled")),
		}},
		{name: "the prompt is cancelled as a request", mode: On, steps: []step{
			client(requestOf("7", "session/prompt", `"sessionId":"s","prompt":[]`), "="),
			agent(create, asked...),
			client(notification("$/cancel_request", `"requestId":8`), "="),
			client(notification("$/cancel_request", `"requestId":7`), with("=", []string{cursorSays("cancelled")}, leaves, []string{cancelledBy})...),
		}},
		{name: "params that cannot be read", mode: On, steps: []step{
			agent(`{"jsonrpc":"2.0","id":0,"method":"cursor/create_plan","params":[1]}`, cursorSays("cancelled")),
			agent(requestOf("0", "cursor/create_plan", `"sessionId":"s","toolCallId":7,"name":{},"plan":[],"todos":{},"phases":[{"todos":3},5]`), without("Plan", noTitle, approveOptions)...),
			client(result(`"acp-plan-proxy/1"`, `{"outcome":"selected","optionId":"allow"}`), ends("1", "", ""), cursorSays("cancelled")),
		}},
		{name: "every member may be missing", mode: On, steps: []step{
			client(requestOf("1", "session/prompt", `"sessionId":"s"`), "="),
			agent(requestOf("0", "cursor/create_plan", ``), without("Plan", noTitle, approveOptions)...),
			client(chosen("1", "allow"), ends("1", noTitle, "Accept the plan"), cursorSays("accepted")),
		}},
		{name: "the overview is there to read", mode: On, steps: []step{
			agent(requestOf("0", "cursor/create_plan", cursorPlanCache+`,"overview":"Pick\na size"`), asText, permits("1", "t7", "Cache: Pick a size", "switch_mode", text, approveOptions)),
		}},
		{name: "todos in phases", mode: On, steps: []step{
			agent(requestOf("0", "cursor/create_plan", `"sessionId":"s","toolCallId":"t7","overview":"o","phases":[{"name":"p","todos":[{"content":"a"}]},{"todos":[{"content":"b"}]}]`),
				markdown("cursor-plan", "o"), plan("a:pending", "b:pending"), permits("1", "t7", "Plan", "switch_mode", "o", approveOptions)),
		}},
		{name: "a client that is shown no text gets it as a message, and the todos alone", mode: On, peers: Peers{Plans: capabilities.Client{Shows: items}}, steps: []step{
			agent(create, list, tells(text), ask),
			client(chosen("1", "reject"), cursorSays("rejected"), plan()),
		}},
		{name: "a text that the plan translation does not say is said here", mode: On, peers: Peers{SaysTexts: len(text)}, steps: []step{
			agent(create, asText, list, tells(text), ask),
		}},
		{name: "without todos a client that is shown no text gets its steps", mode: On, peers: Peers{Plans: capabilities.Client{Shows: items}}, steps: []step{
			agent(requestOf("0", "cursor/create_plan", cursorPlanCache), asText, tells(text), ask),
		}},
		{name: "a plan without a text takes the place of one with a text", mode: On, steps: []step{
			agent(requestOf("0", "cursor/create_plan", cursorPlanCache), asText, ask),
			agent(strings.Replace(requestOf("1", "cursor/create_plan", `"sessionId":"s","toolCallId":"t8"`), `"id":0`, `"id":1`, 1), removed("cursor-plan"),
				tells(noTitle), permits("2", "t8", "Plan", "switch_mode", noTitle, approveOptions)),
		}},
		{name: "todos that were there before come behind the text again", mode: On, steps: []step{
			agent(notification("cursor/update_todos", `"sessionId":"s",`+cursorTodos), "=", list),
			agent(create, asked...),
		}},
		{name: "but for a client that shows both", mode: On, peers: Peers{Plans: capabilities.Client{Shows: items | capabilities.Markdown}}, steps: []step{
			agent(notification("cursor/update_todos", `"sessionId":"s",`+cursorTodos), "=", list),
			agent(create, asText, ask),
		}},
		{name: "a plan that is only told", steps: []step{
			agent(notification("cursor/create_plan", cursorPlanCache), "=", asText),
		}},
		{name: "a client that asks nobody", mode: On, peers: Peers{Client: capabilities.Manner{AsksNobody: true}}, steps: []step{
			agent(create, append(slices.Clone(asked), "lost user not asked")...),
		}},
		{name: "Grok: approved", steps: []step{
			agent(exit, "="),
			client(notFound("0"), grokText, askGrok),
			client(chosen("1", "allow"), grokSays("approved")),
			agent(exit, grokText, strings.Replace(askGrok, "proxy/1", "proxy/2", 1)),
		}},
		{name: "Grok: rejected", mode: On, steps: []step{agent(exit, grokText, askGrok), client(chosen("1", "reject"), grokSays("cancelled"), removed("grok-plan"))}},
		{name: "Grok: abandoned", mode: On, steps: []step{agent(exit, grokText, askGrok), client(chosen("1", "abandon"), grokSays("abandoned"), removed("grok-plan"))}},
		{name: "Grok: wrapped", mode: On, steps: []step{
			agent(requestOf("0", "_x.ai/exit_plan_mode", `"method":"x.ai/exit_plan_mode","params":{"sessionId":"s","toolCallId":"t7","planContent":"`+text+`"}`), grokText, askGrok),
		}},
	})
}

// A plan that is rejected after its session has begun again leaves nothing behind: the
// client has nothing of it, unless the agent refuses to begin again.
func TestRejectedAfterReplay(t *testing.T) {
	for _, refused := range []bool{false, true} {
		tr := New(On)
		tr.Negotiated(Peers{Old: true, SaysTexts: 1 << 10})
		say(tr, agent(notification("cursor/update_todos", `"sessionId":"s","todos":[{"content":"a"}]`)))
		say(tr, agent(requestOf("0", "cursor/create_plan", cursorPlanCache+`,`+cursorTodos)))
		restore := tr.Forget([]byte("s"))
		want := "A " + result("0", `{"outcome":{"outcome":"rejected"}}`)
		if refused {
			restore()
			want += "\n" + removed("cursor-plan") + "\n" + plan("a:pending")
		}
		if got := say(tr, client(chosen("1", "reject"))); got != want {
			t.Errorf("refused: %v: %s", refused, got)
		}
	}
}

// What the agent waits for when the client is gone is never an approval, and it gets
// one answer.
func TestClientGone(t *testing.T) {
	create := func(id string) string { return requestOf(id, "cursor/create_plan", cursorPlanCache) }
	cancelled := func(id string) string { return "A " + result(id, cursorCancelled) }
	gone := func(tr *Translator) string {
		var out translate.Out
		out.Reset(translate.Client, nil)
		tr.Gone(translate.Client, &out)
		return leaves(&out)
	}
	tr := New(On)
	tr.Negotiated(Peers{Old: true})
	var answers, cancels []string
	for id := range 9 { // the order is that of the requests
		say(tr, agent(create(strconv.Itoa(id))))
		answers = append(answers, cancelled(strconv.Itoa(id)))
		cancels = append(cancels, `C {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"acp-plan-proxy/`+strconv.Itoa(id+1)+`"}}`)
	}
	if got := gone(tr); got != strings.Join(append(answers, cancels...), "\n") {
		t.Errorf("the agent gets %s", got)
	}
	if got := say(tr, agent(create("9"))); got != markdown("cursor-plan", `# Cache\n\n1. Measure\n2. Choose`)+"\n"+cancelled("9") {
		t.Errorf("asked after the client's end, it gets %s", got)
	}

	tr = New(Auto)
	tr.Negotiated(Peers{Old: true})
	for _, id := range []string{"7", "0", "10"} {
		say(tr, agent(create(id)))
	}
	say(tr, agent(requestOf("1", "cursor/update_todos", cursorTodos)))
	merged := "A " + result("1", `{"outcome":{"outcome":"accepted","todos":[{"id":"m","content":"Measure","status":"in_progress"},{"id":"c","content":"Choose","status":"pending"}]}}`)
	if got := gone(tr); got != strings.Join([]string{cancelled("7"), cancelled("0"), cancelled("10"), merged}, "\n") {
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
		if w := tr.Wants()[translate.Client]; !w.Responses || len(w.Methods) == 0 {
			t.Errorf("wanted: %+v", w)
		}
		if got := say(tr, client(chosen("1", "allow"))); got != "A "+result("0", `{"outcome":{"outcome":"accepted"}}`) {
			t.Errorf("the agent gets %s", got)
		}
		if got := say(tr, client(notFound("1"))); !strings.Contains(got, `"id":"acp-plan-proxy/2"`) {
			t.Errorf("the client gets %s", got)
		}
		say(tr, client(chosen("2", "allow")))
		if got := say(tr, client(chosen("1", "allow"))); got != "" || !tr.Wants()[translate.Client].Responses {
			t.Errorf("a late answer goes on: %s", got)
		}
	}
}

func TestQuestions(t *testing.T) {
	cursorAsks := requestOf("0", "cursor/ask_question", `"sessionId":"s","toolCallId":"t","title":"Cache","questions":[`+
		`{"id":"q1","prompt":"Which?","options":[{"id":"a","label":"A"},{"id":"b","label":"B"}]},{"id":"q2","prompt":"Size?","options":[{"id":"x","label":"X"}]}]`)
	multiple := requestOf("0", "cursor/ask_question", `"sessionId":"s","questions":[{"id":"q","prompt":"Which?","allowMultiple":true,"options":[{"id":"a","label":"A"},{"id":"b","label":"B"}]}]`)
	free := strings.Replace(cursorAsks, `,"options":[{"id":"x","label":"X"}]`, "", 1)
	grokAsks := requestOf("0", "x.ai/ask_user_question", `"sessionId":"s","toolCallId":"t","questions":[{"question":"Which?","options":[{"label":"A","description":"small"},{"label":"B"}]}],"mode":"plan"`)
	option := func(id, name, kind string) string {
		return `{"optionId":"` + id + `","name":"` + name + `","kind":"` + kind + `"}`
	}
	skip := "," + option("reject", "Skip", "reject_once")
	ab := option("allow-0", "A", "allow_once") + "," + option("allow-1", "B", "allow_once")
	question := func(n, title, text, options string) []string {
		return []string{tells(text), begins(n, title, "other", text), permits(n, "acp-plan-proxy/"+n, title, "other", text, options)}
	}
	const one, two = `Cache\n\nWhich? (1 of 2)\n\n- A\n- B`, `Size? (2 of 2)\n\n- X`
	first := question("1", "Which?", one, ab+skip)
	second := question("2", "Size?", two, option("allow-0", "X", "allow_once")+skip)
	form := func(message, properties string) string {
		return "C " + requestOf(`"acp-plan-proxy/1"`, "elicitation/create", `"sessionId":"s",`+message+`,"requestedSchema":{"type":"object","properties":{`+properties+`}}`)
	}
	filled := func(outcome string) step { return client(result(`"acp-plan-proxy/1"`, outcome)) }
	declined := "A " + result("0", cursorDeclined)
	forms := Peers{Forms: true}
	run(t, []test{
		{name: "one after the other", mode: On, steps: []step{
			agent(cursorAsks, first...),
			client(chosen("1", "allow-1"), slices.Insert(slices.Clone(second), 0, ends("1", one, "B"))...),
			client(chosen("2", "allow-0"), ends("2", two, "X"), "A "+result("0", `{"outcome":{"outcome":"answered","answers":[{"questionId":"q1","selectedOptionIds":["b"]},{"questionId":"q2","selectedOptionIds":["x"]}]}}`)),
		}},
		{name: "skipped", mode: On, steps: []step{agent(cursorAsks, first...), client(chosen("1", "reject"), ends("1", one, "Skip"), declined)}},
		{name: "cancelled", mode: On, steps: []step{
			agent(cursorAsks, first...),
			client(result(`"acp-plan-proxy/1"`, `{"outcome":{"outcome":"cancelled"}}`), ends("1", "", ""), "A "+result("0", cursorCancelled)),
		}},
		{name: "the turn is cancelled", mode: On, steps: []step{
			agent(cursorAsks, first...),
			client(notification("session/cancel", `"sessionId":"s"`), "=", "A "+result("0", cursorCancelled),
				`C {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"acp-plan-proxy/1"}}`, ends("1", "", "")),
		}},
		{name: "what cannot be asked is shown", mode: On, steps: []step{
			agent(free, tells(one), tells("Size? (2 of 2)"), "A "+result("0", cursorSkipped), "lost user not asked"),
		}},
		{name: "a client that asks nobody", mode: On, peers: Peers{Client: capabilities.Manner{AsksNobody: true}}, steps: []step{
			agent(cursorAsks, tells(one), tells(two), "A "+result("0", cursorSkipped), "lost user not asked"),
		}},
		{name: "no questions", mode: On, steps: []step{
			agent(requestOf("0", "cursor/ask_question", `"sessionId":"s"`), "A "+result("0", cursorSkipped), "lost user not asked"),
			agent(requestOf("0", "x.ai/ask_user_question", `"sessionId":"s","questions":{}`), "A "+result("0", grokCancelled), "lost user not asked"),
		}},
		{name: "in a form", mode: On, peers: forms, steps: []step{
			agent(multiple, form(`"mode":"form","message":"Questions"`, `"q1":{"title":"Which?","type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}}`)),
			withWant(filled(`{"action":"accept","content":{"q1":["b","a"]}}`), "A "+result("0", `{"outcome":{"outcome":"answered","answers":[{"questionId":"q","selectedOptionIds":["b","a"]}]}}`)),
		}},
		{name: "Grok in a form", mode: On, peers: forms, steps: []step{
			agent(grokAsks, form(`"toolCallId":"t","mode":"form","message":"Questions"`, `"q1":{"title":"Which?","type":"string","oneOf":[{"const":"A","title":"A","description":"small"},{"const":"B","title":"B"}]}`)),
			withWant(filled(`{"action":"accept","content":{"q1":"B"}}`), "A "+result("0", `{"outcome":"accepted","answers":{"Which?":["B"]}}`)),
		}},
		{name: "a text of the user's", mode: On, peers: forms, steps: []step{
			agent(strings.Replace(grokAsks, `,"options":[{"label":"A","description":"small"},{"label":"B"}]`, "", 1), form(`"toolCallId":"t","mode":"form","message":"Questions"`, `"q1":{"title":"Which?","type":"string"}`)),
			withWant(filled(`{"action":"accept","content":{"q1":"C"}}`), "A "+result("0", `{"outcome":"accepted","answers":{"Which?":["Other"]},"annotations":{"Which?":{"notes":"C"}}}`)),
		}},
		{name: "Grok", mode: On, steps: []step{
			agent(grokAsks, question("1", "Which?", `Which?\n\n- A: small\n- B`, ab+skip)...),
			client(chosen("1", "allow-0"), ends("1", `Which?\n\n- A: small\n- B`, "A"), "A "+result("0", `{"outcome":"accepted","answers":{"Which?":["A"]}}`)),
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
			agent(plan(strings.Repeat("a", keep.PerSession), ""), "="),
			agent(plan("", delta("b", "")), "lost length of a plan"),
			agent(plan("", delta("c", "")), "lost length of a plan"),
			agent(plan("# A", ""), "="),
			agent(plan("", delta("b", "")), "C "+plan("# Ab", kept(""))),
		}},
	})
}

// The memory of all sessions together is bounded: the oldest is forgotten. What is added
// to a plan then is not shown without what was there.
func TestMemory(t *testing.T) {
	long := strings.Repeat("x", maxTodos-1000)
	tr := New(Auto)
	tr.Negotiated(Peers{Old: true})
	of := func(session, line string) step { return agent(strings.Replace(line, `"s"`, `"`+session+`"`, 1)) }
	plan := updateOf(`"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"a"}`)
	delta := updateOf(`"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":""},"_meta":{"jetbrains":{"air":{"contentDelta":"b"}}}`)
	last := 0
	for ; !tr.sessions.forgot; last++ {
		session := strconv.Itoa(last)
		say(tr, of(session, call("1", "todowrite", `,"rawInput":{"todos":[{"content":"`+long+`"}]}`)))
		got := say(tr, of(session, call("2", "todowrite", `,"status":"completed","rawInput":{"todos":[{"content":"`+long+`"}]}`)))
		if !strings.Contains(got, `"sessionUpdate":"plan"`) || strings.HasSuffix(got, "lost memory") != tr.sessions.forgot {
			t.Fatalf("session %d: %.100s", last, got)
		}
		say(tr, of(session, plan))
		checkMemory(t, tr)
	}
	for session, known := range map[string]bool{"0": false, "1": true, strconv.Itoa(last - 1): true} {
		if got := say(tr, of(session, change("1", `,"status":"completed"`))); known != tr.sessions.all.Has(session) || !known && got != "=" {
			t.Errorf("session %s is known: %t; %.100s", session, !known, got)
		}
		got := say(tr, of(session, delta))
		if want := "lost length of a plan"; (got == want) == known || known && !strings.Contains(got, `"content":"ab"`) {
			t.Errorf("session %s: %.200s", session, got)
		}
	}
	for i := range last {
		tr.Forget([]byte(strconv.Itoa(i)))
	}
	if tr.sessions.budget.Used() != tr.sessions.beside.Used() {
		t.Errorf("%d bytes are kept in the end", tr.sessions.budget.Used())
	}
	name := strings.Repeat("n", maxID+1)
	say(tr, of(name, call("1", "todowrite", "")))
	say(tr, agent(requestOf("0", "cursor/update_todos", `"sessionId":"`+name+`",`+cursorTodos)))
	say(tr, client(notFound("0")))
	if checkMemory(t, tr); tr.sessions.all.Len() != 0 {
		t.Error("a session with a long name is kept")
	}
}

// Requests that are too much to be kept are left to the client, or cancelled.
func TestRequestLimits(t *testing.T) {
	large := `"sessionId":"s","plan":"` + strings.Repeat("x", keep.Fixed/4) + `"`
	tr := New(Auto)
	tr.Negotiated(Peers{Old: true})
	for i := range 4 {
		if got := say(tr, agent(requestOf(strconv.Itoa(i), "cursor/create_plan", large))); got != "=" {
			t.Fatalf("request %d: %.100s", i, got)
		}
	}
	tr.Negotiated(Peers{Old: true})
	checkMemory(t, tr)
	if got := say(tr, client(notFound("3"))); got != "=" {
		t.Errorf("one request too many is done: %.100s", got)
	}
	for i := range 3 {
		say(tr, client(result(strconv.Itoa(i), "{}")))
	}
	if checkMemory(t, tr); tr.sessions.beside.Used() != keep.SessionCost {
		t.Errorf("%d bytes are kept in the end", tr.sessions.beside.Used())
	}
	tr = New(On)
	tr.Negotiated(Peers{Old: true})
	for i := range 3 {
		say(tr, agent(requestOf(strconv.Itoa(i), "cursor/create_plan", large)))
	}
	if got, want := say(tr, agent(requestOf("1000", "cursor/create_plan", large))), "A "+result("1000", cursorCancelled); !strings.Contains(got, want) || !strings.HasSuffix(got, "lost memory") {
		t.Errorf("a request too many that the client is not offered: %.100s", got)
	}
}
