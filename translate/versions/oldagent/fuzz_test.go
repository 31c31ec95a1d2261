package oldagent

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// FuzzBridge hands a bridge lines of JSON of both sides: those that begin with
// a > are the agent's, and an empty one lets time pass. Whatever they are, what
// leaves is JSON, and when the agent has ended no request of the client waits.
func FuzzBridge(f *testing.F) {
	f.Add(uint8(0xff), "")
	for _, cases := range seeds() {
		f.Add(uint8(0xff), cases)
		f.Add(uint8(0), cases)
	}
	f.Fuzz(func(t *testing.T, can uint8, lines string) {
		p := newPeer(words.OldAgent{
			Load: can&1 > 0, Resume: can&2 > 0, List: can&4 > 0, Close: can&8 > 0, Delete: can&16 > 0, Logout: can&32 > 0,
		})
		waits := make(map[jsonrpc.ID]int)
		for _, line := range strings.Split(lines, "\n") {
			p.fuzzLine(t, line, waits)
		}
		p.out.Reset(translate.Agent, nil)
		p.bridge.Gone("agent exited", p.now, &p.out)
		p.fuzzOut(t, waits)
		for id, n := range waits {
			if n != 0 {
				t.Errorf("%q waits for %d answers in\n%s", id, n, lines)
			}
		}
	})
}

func (p *peer) fuzzLine(t *testing.T, line string, waits map[jsonrpc.ID]int) {
	from := translate.Client
	text, isAgents := strings.CutPrefix(line, ">")
	if isAgents {
		from = translate.Agent
	}
	if text == "" {
		p.now = p.now.Add(time.Second)
		p.out.Reset(from, nil)
		p.bridge.Wake(p.now, &p.out)
		p.fuzzOut(t, waits)
		return
	}
	var c rawjson.Cursor
	var m jsonrpc.Message
	c.Reset([]byte(text))
	m.Read(&c, []byte(text), nil)
	if !c.End() || !json.Valid([]byte(text)) {
		return // such a line comes to no bridge; or it is nested too deeply for the oracle
	}
	if from == translate.Client && m.ID != nil && m.Method != nil {
		waits[jsonrpc.IDOf(m.ID)]++
	}
	p.out.Reset(from, &m)
	if from == translate.Client {
		p.bridge.FromClient(&m, p.now, &p.out)
	} else {
		p.bridge.FromAgent(&m, p.now, &p.out)
	}
	p.fuzzOut(t, waits)
}

// fuzzOut checks what leaves, and counts the client's answers.
func (p *peer) fuzzOut(t *testing.T, waits map[jsonrpc.ID]int) {
	for _, l := range p.out.Leaves() {
		text := p.out.Text(l)
		if !json.Valid(text) {
			t.Fatalf("sends no JSON: %s", text)
		}
		var c rawjson.Cursor
		var m jsonrpc.Message
		c.Reset(text)
		m.Read(&c, bytes.Clone(text), nil)
		if l.To == translate.Client && m.Method == nil && !l.Same {
			waits[jsonrpc.IDOf(m.ID)]--
		}
	}
	if err := p.bridge.check(); err != nil {
		t.Fatal(err)
	}
}

// seeds are conversations of the tests.
func seeds() (conversations []string) {
	for _, steps := range [][]step{
		begun,
		then(begun, client(`3 session/prompt `+hi), client(`$/cancel_request {"requestId":3}`), client(`session/cancel {"sessionId":"s"}`), client(`4 session/close {"sessionId":"s"}`)),
		then(begun, agent(`0 session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t","title":"T"},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}`),
			client(`1 = {"outcome":{"outcome":"selected","optionId":"y"}}`), agent(`2 = {"stopReason":"end_turn"}`)),
		then(offered(modes+","+models, ""), client(`2 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"code"}`), agent(`2 = {}`)),
		then(offered(`"configOptions":[`+modeOption+`]`, ""), client(`2 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"code"}`), agent(`2 = {"configOptions":[`+modeOption+`]}`)),
		{client(`4 session/resume {"sessionId":"s","cwd":"/p","replayFrom":{"type":"start"}}`), agent(report("user_message_chunk", `"content":{"type":"text","text":"hi"}`)), agent(`1 = null`)},
		{client(`4 session/resume {"sessionId":"s","cwd":"/p","replayFrom":{"type":"start"}}`), agent(report("subagent_update", `"sessionId":"x"`)),
			agent(`session/update {"sessionId":"x","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}`), client(`5 session/close {"sessionId":"x"}`), agent(`2 = {}`), agent(`1 = null`)},
		then(made, client(`2 session/prompt `+keyed("k")), client(`3 session/prompt `+keyed("k")), agent(report("user_message_chunk", `"content":{"type":"text","text":"h"}`)),
			agent(report("user_message_chunk", `"content":{"type":"text","text":"i"}`)), client(`4 session/prompt `+keyed("l")), client(`5 session/prompt `+keyed("l")), agent(`2 ! {"code":-1,"message":"m"}`)),
		{client(`1 session/list {}`), agent(`1 = {"sessions":[{"sessionId":"a","cwd":"/p","updatedAt":"x"}]}`), client(`2 auth/login {"methodId":"k"}`), client(`3 auth/logout {}`)},
		{client(`"l" auth/login {"methodId":"k"}`), agent(`0 elicitation/create {"requestId":1,"mode":"form","requestedSchema":{"properties":{"a":{"enum":[]}},"required":["a"]}}`), client(`1 = {"action":"accept","content":{"a":[1]}}`)},
	} {
		conversations = append(conversations, lines(steps))
	}
	for _, u := range agentUpdates {
		conversations = append(conversations, lines(then(begun, step{agent: "update " + u})))
	}
	return conversations
}

func lines(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		switch {
		case s.client != "":
			b.WriteString(full(s.client))
		case s.agent != "":
			b.WriteString(">" + full(s.agent))
		}
		b.WriteString("\n")
	}
	return b.String()
}
