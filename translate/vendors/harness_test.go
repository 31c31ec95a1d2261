package vendors

import (
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/talktest"
)

// templates abbreviates messages.
var templates = talktest.Templates{
	"update":          `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{$1}}}`,
	"request":         `{"jsonrpc":"2.0","id":$1,"method":"$2","params":{$3}}`,
	"notify":          `{"jsonrpc":"2.0","method":"$1","params":{$2}}`,
	"result":          `{"jsonrpc":"2.0","id":$1,"result":$2}`,
	"notfound":        `{"jsonrpc":"2.0","id":$1,"error":{"code":-32601,"message":"Method not found"}}`,
	"chosen":          `{"jsonrpc":"2.0","id":"acp-plan-proxy/$1","result":{"outcome":{"outcome":"selected","optionId":"$2"}}}`,
	"takeback":        `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"acp-plan-proxy/$1"}}`,
	"prompt":          `{"jsonrpc":"2.0","id":$1,"method":"session/prompt","params":{"sessionId":"$2","prompt":[]}}`,
	"cancel":          `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"$1"}}`,
	"call":            `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"$1","title":"$2"$3}}}`,
	"change":          `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"$1"$2}}}`,
	"write":           `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"$1","title":"local://cache-plan.md","kind":"edit","status":"pending","rawInput":{"path":"local://cache-plan.md","content":"$2"}}}}`,
	"wrote":           `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"$1","status":"completed","locations":[{"path":"/tmp/cache-plan.md"}]}}}`,
	"propose":         `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"$1","title":"xd://propose","kind":"execute","status":"pending","rawInput":{"path":"xd://propose","content":"cache"}}}}`,
	"asks-form":       `{"jsonrpc":"2.0","id":$1,"method":"elicitation/create","params":{"mode":"form","sessionId":"s","message":"Approve?","requestedSchema":{"type":"object","properties":{"value":{"type":"string","enum":["Approve and execute","Refine plan"]}}}}}`,
	"plan":            `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[$1]}}}`,
	"text":            `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"$1","content":"$2"}}}}`,
	"removed":         `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"$1"}}}`,
	"says":            `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\n\n$1\n\n"}}}}`,
	"begins":          `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"acp-plan-proxy/$1","title":"$2","kind":"$3","status":"pending","content":[{"type":"content","content":{"type":"text","text":"$4"}}]}}}`,
	"failed":          `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"acp-plan-proxy/$1","status":"failed"}}}`,
	"done":            `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"acp-plan-proxy/$1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"$2\n\nAnswer: $3"}}]}}}`,
	"asks":            `{"jsonrpc":"2.0","id":"acp-plan-proxy/$1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"$2","title":"$3","kind":"$4","status":"pending","content":[{"type":"content","content":{"type":"text","text":"$5"}}]},"options":[$6]}}`,
	"form":            `{"jsonrpc":"2.0","id":"acp-plan-proxy/$1","method":"elicitation/create","params":{"sessionId":"s",$2,"requestedSchema":{"type":"object","properties":{$3}}}}`,
	"create":          `{"jsonrpc":"2.0","id":$1,"method":"cursor/create_plan","params":{"sessionId":"s","toolCallId":"t7","name":"Cache","plan":"# Cache\n\n1. Measure\n2. Choose"}}`,
	"create-listed":   `{"jsonrpc":"2.0","id":$1,"method":"cursor/create_plan","params":{"sessionId":"s","toolCallId":"t7","name":"Cache","plan":"# Cache\n\n1. Measure\n2. Choose","todos":[{"id":"m","content":"Measure","status":"in_progress"},{"id":"c","content":"Choose","status":"pending"}]}}`,
	"exit":            `{"jsonrpc":"2.0","id":$1,"method":"_x.ai/exit_plan_mode","params":{"sessionId":"s","toolCallId":"t7","planContent":"# Cache\n\n1. Measure\n2. Choose"}}`,
	"the-text":        `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"$1-plan","content":"# Cache\n\n1. Measure\n2. Choose"}}}}`,
	"the-list":        `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Measure","priority":"medium","status":"in_progress"},{"content":"Choose","priority":"medium","status":"pending"}]}}}`,
	"approve":         `{"jsonrpc":"2.0","id":"acp-plan-proxy/$1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t7","title":"Cache","kind":"switch_mode","status":"pending","content":[{"type":"content","content":{"type":"text","text":"# Cache\n\n1. Measure\n2. Choose"}}]},"options":[{"optionId":"allow","name":"Accept the plan","kind":"allow_once"},{"optionId":"reject","name":"Reject the plan","kind":"reject_once"}]}}`,
	"approve-grok":    `{"jsonrpc":"2.0","id":"acp-plan-proxy/$1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t7","title":"Cache","kind":"switch_mode","status":"pending","content":[{"type":"content","content":{"type":"text","text":"# Cache\n\n1. Measure\n2. Choose"}}]},"options":[{"optionId":"allow","name":"Accept the plan","kind":"allow_once"},{"optionId":"reject","name":"Reject the plan","kind":"reject_once"},{"optionId":"abandon","name":"Leave plan mode without the work","kind":"reject_once"}]}}`,
	"approve-any":     `{"jsonrpc":"2.0","id":"acp-plan-proxy/$1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"$2","title":"$3","kind":"switch_mode","status":"pending","content":[{"type":"content","content":{"type":"text","text":"$4"}}]},"options":[{"optionId":"allow","name":"Accept the plan","kind":"allow_once"},{"optionId":"reject","name":"Reject the plan","kind":"reject_once"}]}}`,
	"todos":           `{"jsonrpc":"2.0","id":$1,"method":"cursor/update_todos","params":{"sessionId":"s",$2}}`,
	"tell-todos":      `{"jsonrpc":"2.0","method":"cursor/update_todos","params":{"sessionId":"s",$1}}`,
	"accepted":        `{"jsonrpc":"2.0","id":$1,"result":{"outcome":{"outcome":"accepted","todos":[$2]}}}`,
	"outcome":         `{"jsonrpc":"2.0","id":$1,"result":{"outcome":{"outcome":"$2"}}}`,
	"grok-outcome":    `{"jsonrpc":"2.0","id":$1,"result":{"outcome":"$2"}}`,
	"listed":          `{"jsonrpc":"2.0","id":$1,"method":"cursor/update_todos","params":{"sessionId":"s","toolCallId":"t","todos":[{"id":"m","content":"Measure","status":"in_progress"},{"id":"c","content":"Choose","status":"pending"}],"merge":false}}`,
	"merge":           `{"jsonrpc":"2.0","id":$1,"method":"cursor/update_todos","params":{"sessionId":"s","toolCallId":"t","todos":[{"id":"m","status":"done"}],"merge":true}}`,
	"listed-accepted": `{"jsonrpc":"2.0","id":$1,"result":{"outcome":{"outcome":"accepted","todos":[{"id":"m","content":"Measure","status":"in_progress"},{"id":"c","content":"Choose","status":"pending"}]}}}`,
	"tell-listed":     `{"jsonrpc":"2.0","method":"cursor/update_todos","params":{"sessionId":"s","todos":[{"id":"m","content":"Measure","status":"in_progress"},{"id":"c","content":"Choose","status":"pending"}]}}`,
	"questions":       `{"jsonrpc":"2.0","id":$1,"method":"cursor/ask_question","params":{"sessionId":"s","toolCallId":"t","title":"Cache","questions":[{"id":"q1","prompt":"Which?","options":[{"id":"a","label":"A"},{"id":"b","label":"B"}]},{"id":"q2","prompt":"Size?","options":[{"id":"x","label":"X"}]}]}}`,
	"which":           `{"jsonrpc":"2.0","id":"acp-plan-proxy/1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"acp-plan-proxy/1","title":"Which?","kind":"other","status":"pending","content":[{"type":"content","content":{"type":"text","text":"Cache\n\nWhich? (1 of 2)\n\n- A\n- B"}}]},"options":[{"optionId":"allow-0","name":"A","kind":"allow_once"},{"optionId":"allow-1","name":"B","kind":"allow_once"},{"optionId":"reject","name":"Skip","kind":"reject_once"}]}}`,
	"which-begins":    `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"acp-plan-proxy/1","title":"Which?","kind":"other","status":"pending","content":[{"type":"content","content":{"type":"text","text":"Cache\n\nWhich? (1 of 2)\n\n- A\n- B"}}]}}}`,
	"which-says":      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\n\nCache\n\nWhich? (1 of 2)\n\n- A\n- B\n\n"}}}}`,
	"which-done":      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"acp-plan-proxy/1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"Cache\n\nWhich? (1 of 2)\n\n- A\n- B\n\nAnswer: $1"}}]}}}`,
}

// talks runs conversations between the peers. LONG is a text beyond the budget of a session.
func talks(t *testing.T, m Mode, p Peers, script string) {
	t.Helper()
	long := strings.Repeat("x", keep.PerSession)
	templates.Run(t, func() translate.SimpleStage { return negotiated(m, p) }, strings.ReplaceAll(script, "LONG", long))
}

// negotiated returns a Stage for an agent of version 1. By default, the client displays
// markdown plans.
func negotiated(m Mode, p Peers) *Stage {
	p.Version1 = true
	if p.Plans == (capabilities.Client{}) {
		p.Plans.Shows = capabilities.Plan | capabilities.Items | capabilities.Markdown | capabilities.Removed
	}
	stage := New(m)
	stage.Negotiated(p)
	return stage
}
