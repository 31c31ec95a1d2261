package oldagent

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/translate/keep"
)

func TestEcho(t *testing.T) {
	text := func(id, s string) string {
		return report("agent_message_chunk", `"messageId":"`+id+`","content":{"type":"text","text":"`+s+`"}`)
	}
	// The agent says something as the user.
	says := func(id, s string) string {
		return report("user_message_chunk", `"messageId":"`+id+`","content":{"type":"text","text":"`+s+`"}`)
	}
	const (
		link   = `{"type":"resource_link","uri":"a:b","name":"n"}`
		params = `{"sessionId":"s","prompt":[{"type":"text","text":"one "},{"type":"text","text":"two"},` + link + `]}`
	)
	usage := report("usage_update", `"used":1,"size":2`)
	accepted := func(id string) []string {
		return []string{
			toC(report("user_message", `"messageId":"`+id+`","content":[{"type":"text","text":"one "},{"type":"text","text":"two"},`+link+`]`)),
			toC(`2 = {"messageId":"` + id + `"}`), toC(report("state_update", `"state":"running"`)),
		}
	}
	asked := then(made, client(`2 session/prompt `+params, toA(`2 session/prompt `+params)))
	working := then(asked, wait(ackDelay, accepted("1")...))
	runCases(t, []testCase{
		{"a prompt that is repeated before it was inserted gives its id", nil, then(prompted,
			agent(report("user_message_chunk", `"messageId":"own","content":{"text":"hi","type":"text"}`), taken("own", 2)...),
			agent(report("user_message_chunk", `"messageId":"x","content":{"type":"text","text":"hi"}`),
				toC(report("user_message_chunk", `"messageId":"x","content":{"type":"text","text":"hi"}`))),
		)},
		{"a prompt that is repeated in another spelling is the same", nil, then(prompted,
			agent(report("user_message_chunk", `"messageId":"own","content":{"type":"text","text":"\u0068i"}`), taken("own", 2)...),
		)},
		{"an id that the agent has given to a prompt before is given to no other", nil, then(prompted,
			agent(report("user_message_chunk", `"messageId":"own","content":{"type":"text","text":"hi"}`), taken("own", 2)...),
			agent(`2 = {"stopReason":"end_turn"}`),
			wait(lateDelay,
				toC(report("state_update", `"state":"idle","stopReason":"end_turn"`))),
			client(`5 session/prompt `+hi,
				toA(`3 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`)),
			agent(report("user_message_chunk", `"messageId":"own","content":{"type":"text","text":"hi"}`),
				toC(report("user_message", `"messageId":"2","content":[{"type":"text","text":"hi"}]`)),
				toC(`5 = {"messageId":"2"}`),
				toC(report("state_update", `"state":"running"`))),
			agent(`3 = {"stopReason":"end_turn"}`),
			wait(lateDelay,
				toC(report("state_update", `"state":"idle","stopReason":"end_turn"`))),
			client(`6 session/prompt `+hi,
				toA(`4 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`)),
			agent(report("user_message_chunk", `"messageId":"","content":{"type":"text","text":"hi"}`),
				toC(report("user_message", `"messageId":"3","content":[{"type":"text","text":"hi"}]`)),
				toC(`6 = {"messageId":"3"}`),
				toC(report("state_update", `"state":"running"`))),
		)},
		{"a prompt is not repeated by other words, or by a block of another type", nil, then(begun,
			agent(report("user_message_chunk", `"messageId":"x","content":{"type":"image","data":"AA==","mimeType":"image/png"}`),
				toC(report("user_message_chunk", `"messageId":"x","content":{"type":"image","data":"AA==","mimeType":"image/png"}`))),
			agent(report("user_message_chunk", `"messageId":"y","content":{"type":"text","text":"hi"}`),
				toC(report("user_message_chunk", `"messageId":"y","content":{"type":"text","text":"hi"}`))),
		)},
		{"a prompt that is repeated behind something late of the turn before is dropped", nil, then(begun,
			agent(text("m", "late"), toC(text("m", "late"))),
			agent(report("user_message_chunk", `"content":{"text":"hi","type":"text"}`)),
		)},
		{"one of several blocks is repeated block by block", nil, then(made,
			client(`2 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`,
				toA(`2 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`)),
			wait(ackDelay, toC(report("user_message", `"messageId":"1","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]`)),
				toC(`2 = {"messageId":"1"}`), toC(report("state_update", `"state":"running"`))),
			agent(report("user_message_chunk", `"content":{"type":"text","text":"a"}`)),
			agent(report("user_message_chunk", `"content":{"type":"text","text":"b"}`)),
			agent(report("user_message_chunk", `"messageId":"x","content":{"type":"text","text":"b"}`),
				toC(report("user_message_chunk", `"messageId":"x","content":{"type":"text","text":"b"}`))),
		)},
		{"a prompt that is repeated after it was inserted is dropped", nil, then(begun,
			agent(report("user_message_chunk", `"content":{"text":"hi","type":"text"}`)),
			agent(text("m", "Hello"), toC(text("m", "Hello"))),
			agent(report("user_message_chunk", `"messageId":"x","content":{"type":"text","text":"hi"}`),
				toC(report("user_message_chunk", `"messageId":"x","content":{"type":"text","text":"hi"}`))),
		)},
		{"a repetition can come in pieces", nil, then(working,
			agent(says("u", "on")), agent(says("u", "e ")), agent(says("u", "t")), agent(says("u", "wo")),
			agent(report("user_message_chunk", `"messageId":"u","content":`+link)),
			agent(text("m", "Hello"), toC(text("m", "Hello"))),
		)},
		{"a piece can have several blocks", nil, then(working,
			agent(says("u", "one two")),
			agent(report("user_message_chunk", `"messageId":"u","content":`+link)),
			agent(says("v", "one"), toC(says("v", "one"))),
		)},
		{"in pieces too it gives the prompt its id", nil, then(asked,
			agent(says("u", "one t")), agent(says("u", "wo")),
			agent(report("user_message_chunk", `"messageId":"u","content":`+link), accepted("u")...),
		)},
		{"and may be slow", nil, then(asked,
			agent(says("u", "one t")),
			wait(ackDelay, accepted("1")...),
			agent(says("u", "wo")),
			agent(report("user_message_chunk", `"messageId":"u","content":`+link)),
			agent(text("m", "Hello"), toC(text("m", "Hello"))),
		)},
		{"an agent need not repeat every block", nil, then(asked,
			agent(says("u", "one two")),
			agent(text("m", "Hello"), append(accepted("u"), toC(text("m", "Hello")))...),
			agent(says("u", "x"), toC(says("u", "x"))),
		)},
		{"what goes on as something else is shown, in order", nil, then(working,
			agent(says("u", "one ")), agent(says("u", "tw")),
			agent(says("u", "enty"), toC(says("u", "one ")), toC(says("u", "tw")), toC(says("u", "enty"))),
			agent(says("v", "one "), toC(says("v", "one "))),
		)},
		{"so is what ends before", nil, then(asked,
			agent(report("user_message_chunk", `"content":{"type":"text","text":"on"}`)),
			agent(usage, append(accepted("1"), toC(report("user_message_chunk", `"content":{"type":"text","text":"on"},"messageId":"b-2"`)), toC(usage))...),
			agent(says("u", "e "), toC(says("u", "e "))),
		)},
		{"or is longer", nil, then(begun,
			agent(says("u", "h")),
			agent(says("u", "i!"), toC(says("u", "h")), toC(says("u", "i!"))),
		)},
		{"what waits is shown before a question", nil, then(begun,
			agent(says("u", "h")),
			agent(`"x" _ask {"sessionId":"s"}`, toC(says("u", "h")), toC(`1 _ask {"sessionId":"s"}`)),
		)},
		{"a repetition that breaks off is dropped at the end of the turn", nil, then(asked,
			agent(says("u", "one t")),
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`)),
			agent(`2 ! {"code":-32800,"message":"Request cancelled"}`, append(accepted("u"), ended("cancelled"))...),
		)},
		{"behind the answer it may go on", nil, then(prompted,
			agent(says("u", "h")),
			agent(`2 = {"stopReason":"end_turn"}`, taken("1", 2)...),
			agent(says("u", "i")),
			wait(lateDelay, ended("end_turn")),
		)},
		{"or turn out to be something else", nil, then(prompted,
			agent(says("u", "h")),
			agent(`2 = {"stopReason":"end_turn"}`, taken("1", 2)...),
			agent(says("u", "!"), toC(says("u", "h")), toC(says("u", "!"))),
			wait(lateDelay, ended("end_turn")),
		)},
		{"or break off", nil, then(prompted,
			agent(says("u", "h")),
			agent(`2 = {"stopReason":"end_turn"}`, taken("1", 2)...),
			wait(lateDelay, ended("end_turn")),
		)},
		{"blocks of the prompt give it their id, though its answer comes next", nil, then(asked,
			agent(says("u", "one two")),
			agent(`2 = {"stopReason":"end_turn"}`, accepted("u")...),
			wait(lateDelay, ended("end_turn")),
		)},
		{"a repetition can break off with an answer that nothing follows", nil, then(prompted,
			agent(text("m", "Hello"), append(taken("1", 2), toC(text("m", "Hello")))...),
			agent(says("u", "h")),
			agent(`2 = {"stopReason":"end_turn"}`, ended("end_turn")),
		)},
		{"with an error", nil, then(prompted,
			agent(says("u", "h")),
			agent(`2 ! {"code":-32603,"message":"no"}`, append(taken("u", 2),
				toC(report("state_update", `"state":"idle","stopReason":"error","error":{"code":-32603,"message":"no"}`)))...),
		)},
		{"with a prompt that was withdrawn", nil, then(prompted,
			agent(says("u", "h")),
			client(`$/cancel_request {"requestId":2}`, toA(`session/cancel {"sessionId":"s"}`)),
			agent(`2 = {"stopReason":"cancelled"}`, taken("u", 2)...),
			wait(lateDelay, ended("cancelled")),
		)},
		{"with a close", nil, then(begun,
			agent(says("u", "h")),
			client(`3 session/close {"sessionId":"s"}`, toA(`3 session/close {"sessionId":"s"}`)),
			agent(`3 = {}`, ended("cancelled"), toC(`3 = {}`)),
		)},
		{"with a close before the prompt was inserted", nil, then(prompted,
			agent(says("u", "h")),
			client(`3 session/close {"sessionId":"s"}`, toA(`3 session/close {"sessionId":"s"}`)),
			agent(`3 = {}`, append(taken("u", 2), ended("cancelled"), toC(`3 = {}`))...),
		)},
		{"and with the end of the agent", nil, then(begun,
			agent(says("u", "h")),
			gone("agent exited", toC(report("state_update", `"state":"idle","stopReason":"error","error":{"code":-32603,"message":"agent exited"}`))),
		)},
	})
}

// TestEchoOnce pins that a prompt is compared with other chunks of the user
// only once.
func TestEchoOnce(t *testing.T) {
	p := start(t, begun)
	for _, text := range []string{"other", "hi"} {
		chunk := report("user_message_chunk", `"messageId":"x","content":{"type":"text","text":"`+text+`"}`)
		if left, _ := p.Must(t, agent(chunk)); len(left) != 1 {
			t.Errorf("%s: %q", text, left)
		}
	}
}

// TestEchoIsTooLong pins that what waits is bounded, and is not lost.
func TestEchoIsTooLong(t *testing.T) {
	p := start(t, made)
	p.Must(t, client(`2 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"`+strings.Repeat("x", 1000)+`"}]}`))
	var want, got []string
	most := 0
	for i := range 50 {
		chunk := report("user_message_chunk",
			fmt.Sprintf(`"messageId":"m","content":{"type":"text","text":"x"},"_meta":{"n":%d,"pad":"%s"}`, i, strings.Repeat("p", keep.Fixed/40)))
		want = append(want, toC(full(chunk)))
		left, _ := p.Must(t, agent(chunk))
		got = append(got, left...)
		most = max(most, p.bridge.sessions.all.Get("s").turn.echo.size)
	}
	if most > keep.Fixed || most < keep.Fixed/2 {
		t.Errorf("%d bytes wait", most)
	}
	if got = got[3:]; !slices.Equal(got, want) { // behind what tells that the prompt was inserted
		t.Errorf("%d chunks of %d are shown", len(got), len(want))
	}
}
