package proxy

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

func message(line string) *jsonrpc.Message {
	var c rawjson.Cursor
	var m jsonrpc.Message
	c.Reset([]byte(line))
	m.Read(&c, []byte(line), nil)
	return &m
}

// inWords says effects in words: what they are, and what is delivered.
func inWords(effects []effect) string {
	var out []string
	for _, e := range effects {
		word := strings.TrimPrefix(fmt.Sprintf("%T", e), "proxy.")
		switch e := e.(type) {
		case send:
			word += " " + e.to.String()
		case deliver:
			word += " " + string(e.text)
		case showDropped:
			word += " " + e.from.String()
		}
		out = append(out, word)
	}
	return strings.Join(out, ", ")
}

// What a discovery decides, without a conversation that carries it out.
func TestDiscoveryDecides(t *testing.T) {
	const initialize, other = `{"id":7,"method":"initialize","params":{"protocolVersion":1}}`, `{"id":1000000001,"result":` + two + `}`
	client := func(d *discovery, line string) []effect {
		if m := message(line); d.answersOrphan(m) {
			return []effect{showDropped{translate.Client, nil}}
		} else if d.beginsWith(m) {
			return d.begin(m, []byte(line), time.Time{})
		} else {
			return d.clientSpeaks(m)
		}
	}
	agent := func(d *discovery, line string) []effect { return d.agentSpeaks(message(line), time.Time{}) }
	type step struct {
		who  func(d *discovery, line string) []effect
		line string
		want string
	}
	ended := func(d *discovery, _ string) []effect { return d.agentEnded(time.Time{}) }
	restarted := func(d *discovery, _ string) []effect { return d.agentRestarted() }
	for _, test := range []struct {
		name   string
		bridge Bridge
		joins  error
		steps  []step
	}{
		{"an initialize that cannot be read", BridgeAuto, nil, []step{
			{client, `{"id":7,"method":"initialize","params":[]}`, "pass"},
		}},
		{"an agent that speaks the client's version", BridgeAuto, nil, []step{
			{client, initialize, "pass"},
			{agent, `{"id":1,"method":"a"}`, "pass"},
			{agent, `{"id":7,"result":{"protocolVersion":1}}`, "release, pass"},
		}},
		{"one that does not", BridgeAuto, nil, []step{
			{client, initialize, "pass"},
			{agent, refusal, "showDropped agent, send agent"},
			{agent, `{"method":"a"}`, ""},
			{agent, other, `showDropped agent, join, sendToClient, showSent, deliver {"method":"a"}, release`},
		}},
		{"two that cannot be joined", BridgeAuto, errors.New("no"), []step{
			{client, initialize, "pass"},
			{agent, refusal, "showDropped agent, send agent"},
			{agent, `{"method":"a"}`, ""},
			{agent, other, `showDropped agent, say, deliver {"method":"a"}, release, say, sendToClient`},
		}},
		{"an answer that is late for the client", BridgeAuto, nil, []step{
			{client, initialize, "pass"},
			{client, `{"id":8,"method":"x"}`, "say, release, pass"},
		}},
		{"a preferred version that the agent lacks", Bridge2, nil, []step{
			{client, initialize, "send agent"},
			{agent, `{"method":"a"}`, ""},
			{agent, `{"id":1000000001,"error":{"code":-1}}`, "showDropped agent, send agent"},
			{agent, `{"id":7,"result":{"protocolVersion":1}}`, `deliver {"method":"a"}, release, deliver {"id":7,"result":{"protocolVersion":1}}`},
		}},
		{"an agent that ends and is started once more", BridgeAuto, nil, []step{
			{client, initialize, "pass"},
			{agent, `{"id":1,"method":"a"}`, "pass"},
			{agent, refusal, "showDropped agent, send agent"},
			{agent, `{"method":"a"}`, ""},
			{ended, "", "showDropped agent, restart"},
			{agent, `{"method":"a"}`, "showDropped agent"},
			{client, `{"id":2,"result":{}}`, "showDropped client"},
			{restarted, "", "send agent"},
			{client, `{"id":1,"result":{}}`, "showDropped client"},
			{client, `{"id":1,"result":{}}`, "pass"}, // of the new process
		}},
	} {
		d := discovery{bridge: test.bridge, joiner: joiner{
			initialize: func(int, []byte) ([]byte, error) { return []byte("{}"), nil },
			bridge: func(int, []byte, []byte) (versions.Bridge, []byte, error) {
				return new(echo), []byte("{}"), test.joins
			},
		}}
		for _, s := range test.steps {
			if got := inWords(s.who(&d, s.line)); got != s.want {
				t.Errorf("%s: %s\ngot  %s\nwant %s", test.name, s.line, got, s.want)
			}
		}
	}
}
