package v1agent_test

import (
	"fmt"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/v1agent"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// An agent of version 1 tells less than a client of version 2 is told: which message a
// chunk belongs to, when it has taken the prompt in, and what state the session is in.
func ExampleBridge() {
	bridge := v1agent.New(v1agent.Options{NewID: func() string { return "message-1" }})
	say := func(from translate.Side, line string) {
		var c rawjson.Cursor
		var m jsonrpc.Message
		var out translate.Out
		c.Reset([]byte(line))
		m.Read(&c, []byte(line), nil)
		out.Reset(from, &m)
		if from == translate.Client {
			bridge.FromClient(&m, time.Unix(0, 0), &out)
		} else {
			bridge.FromAgent(&m, time.Unix(0, 0), &out)
		}
		fmt.Printf("%v: %s\n", from, line)
		for _, l := range out.Leaves() {
			fmt.Printf("-> %v: %s\n", l.To, out.Text(l))
		}
	}
	say(translate.Client, `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"Hi"}]}}`)
	say(translate.Agent, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"}}}}`)
	// Output:
	// client: {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"Hi"}]}}
	// -> agent: {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"Hi"}]}}
	// agent: {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"}}}}
	// -> client: {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"user_message","messageId":"message-1","content":[{"type":"text","text":"Hi"}]}}}
	// -> client: {"jsonrpc":"2.0","id":3,"result":{"messageId":"message-1"}}
	// -> client: {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"running"}}}
	// -> client: {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"},"messageId":"b-message-1"}}}
}
