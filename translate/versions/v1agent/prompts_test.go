package v1agent

import (
	"slices"
	"testing"
	"time"

	"acp-plan-proxy/translate"
)

const hi = `{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`

func TestPrompts(t *testing.T) {
	text := func(id, s string) string {
		return report("agent_message_chunk", `"messageId":"`+id+`","content":{"type":"text","text":"`+s+`"}`)
	}
	withdrawn := then(prompted, client(`$/cancel_request {"requestId":2}`, toA(`session/cancel {"sessionId":"s"}`)))
	runCases(t, []testCase{
		{"a prompt is inserted at the first update, and idle ends its turn", nil, then(prompted,
			agent(text("m", "Hello"), append(taken("1", 2), toC(text("m", "Hello")))...),
			agent(`2 = {"stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2},"userMessageId":"u","_meta":{"a":1.0}}`,
				toC(report("state_update",
					`"state":"idle","stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2},"_meta":{"a":1.0}`))),
		)},
		{"usage and _meta are left out if version 2 cannot read them", nil, then(begun,
			agent(text("m", "Hello"), toC(text("m", "Hello"))),
			agent(`2 = {"stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7},"_meta":5}`, ended("end_turn")),
			client(`3 session/prompt `+hi, toA(`3 session/prompt `+hi)),
			agent(text("n", "Hello"), append(taken("2", 3), toC(text("n", "Hello")))...),
			agent(`3 = {"stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2,"thoughtTokens":null,`+
				`"cachedReadTokens":"x","_meta":5}}`,
				toC(report("state_update",
					`"state":"idle","stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2,"thoughtTokens":null}`))),
		)},
		{"a prompt is inserted at a request of the agent", nil, then(prompted,
			agent(`"x" _ask {"sessionId":"s"}`, append(taken("1", 2), toC(`1 _ask {"sessionId":"s"}`))...),
			client(`1 = null`, toA(`"x" = null`)),
		)},
		{"an answer takes the prompt in", nil, then(prompted,
			agent(`2 = {"stopReason":"refusal"}`, taken("1", 2)...), wait(lateDelay, ended("refusal")),
		)},
		{"an answer without a reason ends the turn without one", nil, then(begun,
			agent(`2 = null`), wait(lateDelay, toC(report("state_update", `"state":"idle"`))),
		)},
		{"a stopReason that is new passes", nil, then(begun,
			agent(`2 = {"stopReason":"_new"}`), wait(lateDelay, ended("_new")),
		)},
		{"an error before the prompt was inserted is an error", nil, then(prompted,
			agent(`2 ! {"code":-32000,"message":"Authentication required"}`, toC(`2 ! {"code":-32000,"message":"Authentication required"}`)),
			wait(time.Hour),
		)},
		{"an error after the prompt was inserted ends the turn", nil, then(begun,
			agent(`2 ! {"code":-32603,"message":"no model","data":{"kind":"x"}}`,
				toC(report("state_update", `"state":"idle","stopReason":"error","error":{"code":-32603,"message":"no model","data":{"kind":"x"}}`))),
		)},
		{"a prompt during a turn waits for its own", nil, then(begun,
			client(`2 session/prompt `+hi),
			client(`"b" session/prompt `+hi),
			agent(`2 = {"stopReason":"end_turn"}`),
			wait(lateDelay, ended("end_turn"), toA(`3 session/prompt `+hi)),
			agent(`3 ! {"code":-32603,"message":"busy"}`, toC(`2 ! {"code":-32603,"message":"busy"}`), toA(`4 session/prompt `+hi)),
			wait(ackDelay, toC(report("user_message", `"messageId":"3","content":[{"type":"text","text":"hi"}]`)),
				toC(`"b" = {"messageId":"3"}`), toC(report("state_update", `"state":"running"`))),
			agent(`4 = {"stopReason":"end_turn"}`), wait(lateDelay, ended("end_turn")),
		)},
		{"a prompt that waits can be withdrawn by itself", nil, then(begun,
			client(`3 session/prompt `+hi),
			client(`"4" session/prompt `+hi),
			client(`$/cancel_request {"requestId":3}`, toC(`3 ! {"code":-32800,"message":"Request cancelled"}`)),
			agent(`2 = {"stopReason":"end_turn"}`),
			wait(lateDelay, ended("end_turn"), toA(`3 session/prompt `+hi)),
		)},
		{"a prompt that was sent on is withdrawn by cancel", nil, then(withdrawn,
			client(`$/cancel_request {"requestId":2}`),
			wait(time.Hour),
			agent(`2 = {"stopReason":"cancelled"}`, toC(`2 ! {"code":-32800,"message":"Request cancelled"}`)),
		)},
		{"or by any error", nil, then(withdrawn,
			agent(`2 ! {"code":-32603,"message":"no"}`, toC(`2 ! {"code":-32800,"message":"Request cancelled"}`)),
		)},
		{"one that the agent has worked on all the same was inserted", nil, then(withdrawn,
			agent(`2 = {"stopReason":"end_turn"}`, taken("1", 2)...), wait(lateDelay, ended("end_turn")),
		)},
		{"so was one that was withdrawn too late", nil, then(withdrawn,
			agent(text("m", "Hello"), append(taken("1", 2), toC(text("m", "Hello")))...),
			agent(`2 = {"stopReason":"cancelled"}`), wait(lateDelay, ended("cancelled")),
		)},
		{"an error to a prompt that was cancelled before it was inserted is an error", nil, then(prompted,
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`)),
			agent(`2 ! {"code":-32800,"message":"no"}`, toC(`2 ! {"code":-32800,"message":"no"}`)),
		)},
		{"of one that was cancelled later any error ends the turn", nil, then(begun,
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`)),
			agent(`2 ! {"code":-32603,"message":"no"}`, ended("cancelled")),
		)},
		{"so it does while the session is closed", nil, then(begun,
			client(`4 session/close {"sessionId":"s"}`, toA(`3 session/close {"sessionId":"s"}`)),
			agent(`2 ! {"code":-32603,"message":"no"}`, ended("cancelled")),
		)},
		{"a prompt that was inserted is not withdrawn", nil, then(begun,
			client(`$/cancel_request {"requestId":2}`),
		)},
		{"cancel without a turn passes", nil, then(made,
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`)),
			client(`session/cancel {"sessionId":"other"}`, toA(`session/cancel {"sessionId":"other"}`)),
		)},
		{"an agent that ends leaves no prompt unanswered", nil, then(begun,
			client(`3 session/prompt `+hi),
			client(`4 session/list {}`, toA(`3 session/list {}`)),
			gone(toC(`3 ! {"code":-32603,"message":"agent exited"}`),
				toC(report("state_update", `"state":"idle","stopReason":"error","error":{"code":-32603,"message":"agent exited"}`)),
				toC(`4 ! {"code":-32603,"message":"agent exited"}`)),
			client(`5 session/list {}`, toC(`5 ! {"code":-32603,"message":"agent exited"}`)),
			gone(),
		)},
		{"an agent that ends before it took a prompt in refuses it", nil, then(prompted,
			gone(toC(`2 ! {"code":-32603,"message":"agent exited"}`)),
			wait(time.Hour),
		)},
		{"a prompt without content is refused", nil, then(made,
			client(`2 session/prompt {"sessionId":"s","prompt":[]}`,
				toC(`2 ! {"code":-32602,"message":"Invalid params: no content that the agent can be given"}`)),
			client(`2 session/prompt {"sessionId":"s","prompt":[{"type":"_map"}]}`,
				toC(`2 ! {"code":-32602,"message":"Invalid params: a content block that the agent cannot be given","data":{"type":"_map"}}`)),
		)},
		{"icons of a link are left out", nil, then(made,
			client(`2 session/prompt {"sessionId":"s","prompt":[{"type":"resource_link","uri":"a:b","name":"n","icons":[]}]}`,
				toA(`2 session/prompt {"sessionId":"s","prompt":[{"type":"resource_link","uri":"a:b","name":"n"}]}`)).Losing("icons of a resource link"),
		)},
	})
}

func TestLateAgents(t *testing.T) {
	chunk := report("agent_message_chunk", `"content":{"type":"text","text":"more"}`)
	more := func(id string) string {
		return toC(report("agent_message_chunk", `"content":{"type":"text","text":"more"},"messageId":"b-`+id+`"`))
	}
	// The agent has answered, and another prompt waits.
	answered := then(begun,
		agent(chunk, more("2")),
		client(`3 session/prompt `+hi),
		agent(`2 = {"stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2}}`),
	)
	over := toC(report("state_update", `"state":"idle","stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2}`))
	withdrawn := toC(`3 ! {"code":-32800,"message":"Request cancelled"}`)
	runCases(t, []testCase{
		{"what comes after an answer is not of the prompt that waits", nil, then(answered,
			agent(chunk, more("2")),
			wait(lateDelay-time.Millisecond),
			wait(time.Millisecond, over, toA(`3 session/prompt `+hi)),
			agent(chunk, append(taken("3", 3), more("4"))...),
			agent(`3 = {"stopReason":"end_turn"}`, ended("end_turn")),
			agent(chunk, more("4")),
			wait(time.Hour),
		)},
		{"nor are questions", nil, then(answered,
			agent(`"x" elicitation/create {"sessionId":"s","mode":"url","url":"a:b","elicitationId":"e","message":"m"}`,
				toC(`1 elicitation/create {"sessionId":"s","mode":"url","url":"a:b","elicitationId":"e","message":"m"}`)),
			wait(lateDelay, over, toA(`3 session/prompt `+hi)),
			client(`1 = {"action":"accept"}`, toA(`"x" = {"action":"accept"}`)),
		)},
		{"a turn that ends with a message ends at once", nil, then(begun,
			agent(chunk, more("2")),
			agent(`2 = {"stopReason":"end_turn"}`, ended("end_turn")),
		)},
		{"a turn without a message waits for one", nil, then(begun,
			agent(`2 = {"stopReason":"end_turn"}`),
			wait(lateDelay-time.Millisecond),
			agent(chunk, more("2")),
			wait(lateDelay-time.Millisecond),
			agent(report("usage_update", `"used":1,"size":2`), toC(report("usage_update", `"used":1,"size":2`))),
			wait(time.Millisecond, ended("end_turn")),
			agent(chunk, more("2")),
			wait(time.Hour),
		)},
		{"so does one whose last word was a thought or a tool call", nil, then(begun,
			agent(chunk, more("2")),
			agent(report("tool_call", `"toolCallId":"t","title":"T"`), toC(report("tool_call_update", `"toolCallId":"t","title":"T"`))),
			agent(`2 = {"stopReason":"end_turn"}`),
			wait(lateDelay, ended("end_turn")),
		)},
		{"of a cancelled turn nothing comes after its end", nil, then(begun,
			agent(chunk, more("2")),
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`)),
			agent(`2 = {"stopReason":"cancelled"}`),
			agent(chunk, more("2")),
			wait(lateDelay, ended("cancelled")),
		)},
		{"further prompts wait behind it", nil, then(answered,
			client(`4 session/prompt `+hi),
			wait(lateDelay, over, toA(`3 session/prompt `+hi)),
		)},
		{"a turn that was answered is not cancelled", nil, then(answered,
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`), withdrawn, over),
			wait(time.Hour),
		)},
		{"nor does close cancel it", nil, then(answered,
			client(`4 session/close {"sessionId":"s"}`, withdrawn, over, toA(`3 session/close {"sessionId":"s"}`)),
			agent(`3 = {}`, toC(`4 = {}`)),
			wait(time.Hour),
		)},
		{"nor does close where the agent cannot", &unable, then(answered,
			client(`4 session/close {"sessionId":"s"}`, withdrawn, over, toC(`4 = {}`)),
			wait(time.Hour),
		)},
		{"nor does the end of the agent", nil, then(answered,
			gone(toC(`3 ! {"code":-32603,"message":"agent exited"}`), over),
			wait(time.Hour),
		)},
	})
}

// TestHolds pins which requests the agent has yet to get, and that all of them
// can be refused.
func TestHolds(t *testing.T) {
	refuse := func(p *peer) []string {
		left, _, err := p.Have(func(out *translate.Out) { p.bridge.RefuseHeld("the client has ended", p.Now, out) })
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	refused := func(id string) string {
		return toC(full(id + ` ! {"code":-32800,"message":"the client has ended"}`))
	}
	for _, c := range []struct {
		name  string
		steps []step
		want  []string
	}{
		{"nothing", made, nil},
		{"a prompt that the agent has", prompted, nil},
		{"and one that repeats it", then(made, client(`2 session/prompt `+keyed("k")), client(`3 session/prompt `+keyed("k"))), nil},
		{"prompts that wait for their turn",
			then(begun, client(`3 session/prompt `+hi), client(`4 session/prompt `+keyed("k")), client(`5 session/prompt `+keyed("k"))),
			[]string{refused("3"), refused("4"), refused("5")}},
		{"a turn that lingers", then(begun, client(`3 session/prompt `+hi), agent(`2 = {"stopReason":"end_turn"}`)), []string{refused("3")}},
		{"its successor", then(begun, client(`3 session/prompt `+hi), agent(`2 = {"stopReason":"end_turn"}`), wait(lateDelay)), nil},
		{"what waits for a close", then(made, client(`2 session/close {"sessionId":"s"}`), client(`3 session/resume {"sessionId":"s","cwd":"/p"}`)),
			[]string{refused("3")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, c.steps)
			if holds := p.bridge.Holds(); holds != (len(c.want) > 0) {
				t.Errorf("holds: %v", holds)
			}
			if left := refuse(p); !slices.Equal(left, c.want) {
				t.Errorf("left %q, want %q", left, c.want)
			}
			if p.bridge.Holds() {
				t.Error("still holds")
			}
		})
	}
}
