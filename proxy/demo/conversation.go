package demo

import "slices"

// The names of the conversations.
const (
	Plans    = "plans"     // with plans of every kind
	Version1 = "version-1" // with an agent that speaks only version 1 of the protocol
	Version2 = "version-2" // with one that speaks only version 2

	// With a plan of one kind each.
	oneList   = "list"
	oneNamed  = "named"
	oneNew    = "new-statuses"
	oneText   = "markdown"
	oneFile   = "file"
	inTools   = "todos"    // in tool calls, as opencode and kilo say them
	toApprove = "approval" // in a request of Cursor's
)

// A conversation is a prompt turn between an agent and the scripted client. Answers
// have no id in it, and no message has the version of JSON-RPC.
type conversation struct {
	title   string
	hello   []string // the agent's answers to initialize: to version 1, to later ones
	turn    []line
	answers []string // the client's answers to the agent's requests, in their order
}

// A line is what the agent says: a request, the answer to the prompt, or an update, for
// a notification with it. The agent can go on with updates behind its answer. A line
// with a title is a step.
type line struct{ title, text string }

// steps returns the lines that are steps.
func (c conversation) steps() []line {
	return slices.DeleteFunc(slices.Clone(c.turn), func(l line) bool { return l.title == "" })
}

// planURI is where the URI of the plan file will be.
const planURI = "PLAN-FILE"

// Updates with plans of every kind.
const (
	listPlan  = `{"sessionUpdate":"plan","entries":[{"content":"Read the code","priority":"high","status":"completed"},{"content":"Fix the parser","priority":"high","status":"in_progress"},{"content":"Run the tests","priority":"medium","status":"pending"}]}`
	namedPlan = `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"docs","entries":[{"content":"Update the manual","priority":"medium","status":"in_progress"},{"content":"Check the links","priority":"low","status":"pending"}]}}`
	newPlan   = `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"review","entries":[{"content":"Ask for a review","priority":"medium","status":"cancelled"},{"content":"Answer comments","priority":"urgent","status":"_blocked"}]}}`
	textPlan  = `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"design","content":"# Cache\n\nKeep it **small**.\n\n## Phase 1: Measure\n\n### Task 1: **Count** misses\n- [x] per path\n- [x] per client\n\n## Phase 2: Build\n\n### Task 2: Choose a size\n- [x] try 64 MiB\n- [ ] try 1 GiB\n\n### Task 3: Expire stale entries\n- [ ] after a day\n\n## Risks\n\n| risk | answer |\n|---|---|\n| full disk | evict |\n"}}`
	filePlan  = `{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"notes","uri":"PLAN-FILE"}}`
)

// bothVersions are the answers of an agent that speaks both versions, oldAgent is that
// of one that speaks only version 1.
var (
	bothVersions = []string{
		`{"result":{"agentCapabilities":{},"agentInfo":{"name":"acp-plan-proxy-demo","version":"1.0.0"},"authMethods":[],"protocolVersion":1}}`,
		`{"result":{"authMethods":[],"capabilities":{},"info":{"name":"acp-plan-proxy-demo","version":"1.0.0"},"protocolVersion":2}}`,
	}
	oldAgent = []string{`{"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"old-agent","version":"1.0.0"}}}`}
)

// updates returns a turn with these updates.
func updates(texts ...string) (turn []line) {
	for _, text := range append(texts, `{"result":{"stopReason":"end_turn"}}`) {
		turn = append(turn, line{"", text})
	}
	return turn
}

// conversations are what the demo plays, by name. [scenes] says which of them the summary
// shows, and verbose which are shown in full. There, steps are shown with the plans as an editor draws them. A turn without steps is
// shown message by message, and gets a bridge if it needs one.
var conversations = map[string]conversation{
	Plans: {
		hello: bothVersions,
		turn: []line{
			{"A plan as agents have always sent it", `{"sessionUpdate":"plan","entries":[{"content":"Read the code","priority":"high","status":"in_progress"},{"content":"Fix the parser","priority":"high","status":"pending"},{"content":"Run the tests","priority":"medium","status":"pending"}]}`},
			{"Progress", listPlan},
			{"A second plan, with an id", namedPlan},
			{"A third, with statuses that old clients reject", newPlan},
			{"The second plan is done with", `{"sessionUpdate":"plan_removed","planId":"docs"}`},
			{"A plan in markdown", textPlan},
			{"A plan in a file", filePlan},
			{"Removals: one that is live", `{"sessionUpdate":"plan_removed","planId":"design"}`},
			{"... and one that is not", `{"sessionUpdate":"plan_removed","planId":"docs"}`},
			{"The legacy plan is finished", `{"sessionUpdate":"plan","entries":[{"content":"Read the code","priority":"high","status":"completed"},{"content":"Fix the parser","priority":"high","status":"completed"},{"content":"Run the tests","priority":"medium","status":"completed"}]}`},
			{"", `{"result":{"stopReason":"end_turn"}}`},
		},
	},
	Version1: {
		title: "Another agent: it speaks version 1 of the protocol, the editor version 2",
		hello: oldAgent,
		turn: []line{
			{"", `{"sessionUpdate":"tool_call","toolCallId":"edit","title":"Edit cache.go","kind":"edit","status":"pending","content":[{"type":"diff","path":"/src/cache.go","oldText":"size := 10","newText":"size := 1000"}]}`},
			{"", `{"id":"may-i","method":"session/request_permission","params":{"sessionId":"demo","toolCall":{"toolCallId":"edit","title":"Edit cache.go"},"options":[{"optionId":"y","name":"Allow","kind":"allow_once"},{"optionId":"n","name":"Reject","kind":"reject_once"}]}}`},
			{"", `{"sessionUpdate":"tool_call_update","toolCallId":"edit","status":"completed"}`},
			{"", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"The cache holds more now."}}`},
			{"", `{"result":{"stopReason":"end_turn"}}`},
		},
		answers: []string{`{"result":{"outcome":{"optionId":"y","outcome":"selected"}}}`},
	},
	Version2: {
		title: "Another agent: it speaks version 2 of the protocol, the editor version 1",
		hello: []string{
			`{"error":{"code":-32602,"message":"unsupported protocol version","data":{"supported":[2]}}}`,
			`{"result":{"protocolVersion":2,"capabilities":{},"info":{"name":"new-agent","version":"2.0.0"}}}`,
		},
		turn: []line{
			{"", `{"result":{"messageId":"p"}}`},
			{"", `{"sessionUpdate":"state_update","state":"running"}`},
			{"", `{"sessionUpdate":"tool_call_update","toolCallId":"edit","title":"Edit cache.go","kind":"edit","status":"pending","content":[{"type":"diff","changes":[{"operation":"modify","path":"/src/cache.go"}],"patch":{"format":"git_patch","text":"diff --git /src/cache.go /src/cache.go\n--- /src/cache.go\n+++ /src/cache.go\n@@ -1 +1 @@\n-size := 10\n+size := 1000\n"}}]}`},
			{"", `{"id":"may-i","method":"session/request_permission","params":{"sessionId":"demo","title":"Edit cache.go","subject":{"type":"tool_call","toolCall":{"toolCallId":"edit"}},"options":[{"optionId":"y","name":"Allow","kind":"allow_once"},{"optionId":"n","name":"Reject","kind":"reject_once"}]}}`},
			{"", `{"sessionUpdate":"tool_call_update","toolCallId":"edit","status":"completed"}`},
			{"", `{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"The cache holds more now."}]}`},
			{"", `{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`},
		},
		answers: []string{`{"result":{"outcome":{"optionId":"y","outcome":"selected"}}}`},
	},
	oneList:  {hello: bothVersions, turn: updates(listPlan)},
	oneNamed: {hello: bothVersions, turn: updates(namedPlan)},
	oneNew:   {hello: bothVersions, turn: updates(newPlan)},
	oneText:  {hello: bothVersions, turn: updates(textPlan)},
	oneFile:  {hello: bothVersions, turn: updates(filePlan)},
	inTools: {hello: oldAgent, turn: updates(
		`{"sessionUpdate":"tool_call","toolCallId":"todos","title":"todowrite","kind":"other","status":"pending","rawInput":{}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"todos","title":"2 todos","status":"completed","rawInput":{"todos":[{"content":"Count the misses","status":"completed","priority":"high"},{"content":"Choose a size","status":"in_progress","priority":"medium"}]}}`,
	)},
	toApprove: {
		hello: oldAgent,
		turn: updates(
			`{"sessionUpdate":"tool_call","toolCallId":"create","title":"Create Plan","kind":"other","status":"pending","rawInput":{"_toolName":"createPlan"}}`,
			`{"id":"approve","method":"cursor/create_plan","params":{"toolCallId":"create","name":"Cache sizing","overview":"Pick a size from data.","plan":"# Cache sizing\n\n1. Try 64 MiB\n2. Try 1 GiB\n","todos":[{"id":"1","content":"Try 64 MiB","status":"pending"},{"id":"2","content":"Try 1 GiB","status":"pending"}],"isProject":false}}`,
		),
		answers: []string{`{"error":{"code":-32601,"message":"Method not found"}}`, `{"result":{"outcome":{"optionId":"accept","outcome":"selected"}}}`},
	},
}
