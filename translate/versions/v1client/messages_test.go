package v1client

import (
	"slices"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
)

// TestReadByPlans sends updates that were read with the ParamsReader of package plans.
func TestReadByPlans(t *testing.T) {
	p := newPeer(Options{})
	p.Reader = new(plans.Params)
	for _, c := range []struct{ update, shown string }{
		{chunk("agent_message", "m", "Hel"), chunk("agent_message", "m", "Hel")},
		{`{"sessionUpdate":"agent_message","messageId":"m","content":[` + block("Hello") + `]}`,
			`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":` + block("lo") + `}`},
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"_chart","name":"C"}}`,
			`{"sessionUpdate":"agent_message_chunk","content":` + block("C") + `}`},
		{`{"sessionUpdate":"plan_removed","planId":"p"}`, `{"sessionUpdate":"plan_removed","planId":"p"}`},
	} {
		got, _, err := p.Do(agent(c.update))
		if want := []string{toC(full(in("s", c.shown)))}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s became %q, %v", c.update, got, err)
		}
	}
}

// TestForwarded checks which messages of the agent are forwarded without a copy, as most of a stream
// must be.
func TestForwarded(t *testing.T) {
	for line, want := range map[string]bool{
		in("s", hello): true,
		in("s", `{"sessionUpdate":"agent_thought_chunk","content":`+block("x")+`}`): true,
		in("s", `{"sessionUpdate":"plan_removed","planId":"p"}`):                    true,
		`{"method":"_x"}`: true,
		in("s", `{"sessionUpdate":"agent_message_chunk","messageId":null,"content":`+block("x")+`}`):                                    false,
		in("s", `{"sessionUpdate":"agent_message_chunk","messageId":"m","messageId":"m","content":`+block("x")+`}`):                     false,
		in("s", `{"sessionUpdate":"agent_message_chunk","_meta":{},"content":`+block("x")+`}`):                                          false,
		in("s", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x","_meta":{}}}`):                              false,
		`{"method":"session/update","params":{"sessionId":"s","_meta":5,"update":{"sessionUpdate":"plan_removed","planId":"p"}}}`:       false,
		`{"method":"session/update","params":{"sessionId":"s","_meta":{"a":1},"update":{"sessionUpdate":"plan_removed","planId":"p"}}}`: true,
		`{"method":"session/update","params":{"sessionId":"s","_meta":null,"update":{"sessionUpdate":"plan_removed","planId":"p"}}}`:    true,
	} {
		p := newPeer(Options{})
		p.Must(t, agent(line))
		leaves := p.Out.Outputs()
		if len(leaves) != 1 || leaves[0].Same != want {
			t.Errorf("%s: %d messages leave, forwarded: %v", line, len(leaves), len(leaves) == 1 && leaves[0].Same)
		}
	}
	p := newPeer(Options{}) // a message without a version, and one with the version behind
	line := `{"method":"session/update","params":{"sessionId":"s","update":` + hello + `}`
	for end, want := range map[string]bool{`}`: false, `,"jsonrpc":"2.0"}`: true} {
		if _, _, err := p.Send(translate.Agent, line+end); err != nil || p.Out.Outputs()[0].Same != want {
			t.Errorf("%s%s: %v, forwarded: %v", line, end, err, p.Out.Outputs()[0].Same)
		}
	}
}

func TestCanBeCut(t *testing.T) {
	for char, want := range map[rune]bool{'é': false, '\uffff': false, '\ufffd': true, '\U00010000': true} {
		if canBeCut(char) != want {
			t.Errorf("%U can be cut: %t", char, !want)
		}
	}
}
