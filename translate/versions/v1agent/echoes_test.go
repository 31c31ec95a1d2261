package v1agent

import (
	"strings"
	"testing"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
)

func TestEcho(t *testing.T) {
	// The agent sends a message of the user.
	says := func(id, s string) string {
		return report("user_message_chunk", `"messageId":"`+id+`","content":{"type":"text","text":"`+s+`"}`)
	}
	answer := report("agent_message_chunk", `"messageId":"m","content":{"type":"text","text":"Hello"}`)
	const link = `{"type":"resource_link","uri":"a:b","name":"n"}`
	const several = `{"sessionId":"s","prompt":[{"type":"text","text":"one "},{"type":"text","text":"two"},` + link + `]}`
	runCases(t, []testCase{
		{"a prompt that is repeated before it was inserted has the id of that", nil, then(prompted,
			agent(report("user_message_chunk", `"messageId":"own","content":{"text":"\u0068i","type":"text"}`), taken("own", 2)...),
			agent(says("x", "hi"), toC(says("x", "hi"))),
		)},
		{"but no id that a prompt has already", nil, then(prompted,
			agent(says("own", "hi"), taken("own", 2)...),
			agent(`2 = {"stopReason":"end_turn"}`), wait(lateDelay, ended("end_turn")),
			client(`5 session/prompt `+hi, toA(`3 session/prompt `+hi)),
			agent(says("own", "hi"), taken("2", 5)...),
			agent(`3 = {"stopReason":"end_turn"}`), wait(lateDelay, ended("end_turn")),
			client(`6 session/prompt `+hi, toA(`4 session/prompt `+hi)),
			agent(says("", "hi"), taken("3", 6)...),
		)},
		{"one that is repeated later is dropped, once", nil, then(begun,
			agent(answer, toC(answer)), // it may be of the turn before
			agent(report("user_message_chunk", `"content":{"text":"hi","type":"text"}`)),
			agent(says("x", "hi"), toC(says("x", "hi"))),
		)},
		{"other words are shown, and nothing is compared behind them", nil, then(begun,
			agent(report("user_message_chunk", `"messageId":"x","content":{"type":"image","data":"AA==","mimeType":"image/png"}`),
				toC(report("user_message_chunk", `"messageId":"x","content":{"type":"image","data":"AA==","mimeType":"image/png"}`))),
			agent(says("y", "hi"), toC(says("y", "hi"))),
		)},
		{"an agent need not repeat every block", nil, then(made,
			client(`2 session/prompt `+several, toA(`2 session/prompt `+several)),
			agent(says("u", "one t")), agent(says("u", "wo")),
			agent(answer, toC(report("user_message", `"messageId":"u","content":[{"type":"text","text":"one "},{"type":"text","text":"two"},`+link+`]`)),
				toC(`2 = {"messageId":"u"}`), toC(report("state_update", `"state":"running"`)), toC(answer)),
			agent(says("v", "x"), toC(says("v", "x"))),
		)},
		{"it may be slow", nil, then(prompted,
			agent(says("u", "h")),
			wait(ackDelay, taken("1", 2)...),
			agent(says("u", "i")),
			agent(answer, toC(answer)),
		)},
		{"or break off with the answer, or go on behind it", nil, then(prompted,
			agent(says("u", "h")),
			agent(`2 = {"stopReason":"end_turn"}`, taken("u", 2)...),
			agent(says("u", "i")),
			wait(lateDelay, ended("end_turn")),
		)},
		{"or break off with an error", nil, then(prompted,
			agent(says("u", "h")),
			agent(`2 ! {"code":-32603,"message":"no"}`, append(taken("u", 2),
				toC(report("state_update", `"state":"idle","stopReason":"error","error":{"code":-32603,"message":"no"}`)))...),
		)},
		{"with a close", nil, then(prompted,
			agent(says("u", "h")),
			client(`3 session/close {"sessionId":"s"}`, toA(`3 session/close {"sessionId":"s"}`)),
			agent(`3 = {}`, append(taken("u", 2), ended("cancelled"), toC(`3 = {}`))...),
		)},
		{"and with the end of the agent", nil, then(prompted,
			agent(says("u", "h")),
			gone(append(taken("u", 2),
				toC(report("state_update", `"state":"idle","stopReason":"error","error":{"code":-32603,"message":"agent exited"}`)))...),
		)},
		{"what goes on as something else is shown, in order", nil, then(begun,
			agent(says("u", "h")),
			agent(says("u", "i!"), toC(says("u", "h")), toC(says("u", "i!"))),
		)},
	})
}

// chunkOf is a chunk of a message of the user.
func chunkOf(t *testing.T, content string) *calls.Update {
	u := calls.ReadHeld([]byte(full(`{"sessionUpdate":"user_message_chunk","messageId":"m","content":` + content + `}`)))
	if u == nil {
		t.Fatal(content)
	}
	return u
}

// Chunks are buffered as long as they repeat the prompt from its beginning.
func TestChunksOfEcho(t *testing.T) {
	text := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	const image = `{"type":"image","data":"aa"}`
	prompt := "[" + strings.Join([]string{text("ab"), image, text("cd")}, ",") + "]"
	for _, c := range []struct {
		name    string
		prompt  string
		chunks  []string
		want    string // a letter for each: waits, echo, shown
		dropped bool   // buffered at the end
	}{
		{"all of it", prompt, []string{text("ab"), image, text("cd")}, "wwe", true},
		{"in pieces", prompt, []string{text("a"), text("b"), image, text("cd")}, "wwwe", true},
		{"its first blocks", prompt, []string{text("ab"), image}, "ww", true},
		{"a part of a block", prompt, []string{text("ab"), image, text("c")}, "www", false},
		{"something else", prompt, []string{text("x")}, "s", false},
		{"something else behind its beginning", prompt, []string{text("a"), text("x")}, "ws", false},
		{"nothing is compared behind that", prompt, []string{text("x"), text("ab")}, "ss", false},
		{"an image inside a text", prompt, []string{text("a"), image}, "ws", false},
		{"two blocks in one", "[" + text("ab") + "," + text("cd") + "]", []string{text("abcd")}, "e", false},
		{"more than all", "[" + text("ab") + "]", []string{text("abc")}, "s", false},
		{"a prompt that was not kept", "", []string{text("ab")}, "s", false},
	} {
		var e echo
		in := new(keep.Budget).Open(0, nil)
		kept := func() int { return in.Used() - keep.SessionCost }
		got := ""
		for _, chunk := range c.chunks {
			got += string("swe"[e.chunk(chunkOf(t, chunk), []byte(c.prompt), in)])
		}
		if got != c.want || kept() == 0 != (len(e.waiting) == 0) {
			t.Errorf("%s: %s, want %s; %d bytes are kept, %d wait", c.name, got, c.want, kept(), len(e.waiting))
		}
		if dropped := kept() > 0 && e.repeats(); dropped != c.dropped {
			t.Errorf("%s: it repeats the prompt: %t", c.name, dropped)
		}
		if e.drop(in); kept() != 0 {
			t.Errorf("%s: %d bytes are kept", c.name, kept())
		}
	}
}

// Too much does not wait: it is shown.
func TestLargeEcho(t *testing.T) {
	part := strings.Repeat("x", keep.Fixed/2)
	prompt := []byte(`[{"type":"text","text":"` + part + part + part + `"}]`)
	var e echo
	in := new(keep.Budget).Open(0, nil)
	for i, want := range []verdict{mayBeEcho, isNoEcho, isNoEcho} {
		if got := e.chunk(chunkOf(t, `{"type":"text","text":"`+part[:len(part)-10]+`"}`), prompt, in); got != want {
			t.Errorf("chunk %d: %d, want %d", i, got, want)
		}
	}
}
