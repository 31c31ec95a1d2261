package versions_test

import (
	"fmt"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/translate/versions/v1client"
	"acp-plan-proxy/transport/jsonrpc"
)

// A client of version 1 and an agent of version 2 are joined: initialize is converted, the
// facts in it create the bridge, and the bridge converts the rest.
func ExampleBridge() {
	asked, client := shapes.InitializeToV2([]byte(`{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}`))
	fmt.Printf("the agent is asked %s\n", asked)
	answered, agent := shapes.InitializeResultToV1([]byte(`{"protocolVersion":2,"capabilities":{},"info":{"name":"agent","version":"2.0.0"}}`))
	fmt.Printf("the client is answered %s\n", answered)

	var bridge versions.Bridge = v1client.New(v1client.Options{Client: client, Agent: agent})
	say := func(from translate.Side, line string) {
		var out translate.Out
		m := jsonrpc.MessageOf([]byte(line))
		out.Reset(from, &m)
		bridge.Receive(from, &m, time.Unix(0, 0), &out)
		fmt.Printf("%v: %s\n", from, line)
		for _, l := range out.Outputs() {
			fmt.Printf("-> %v: %s\n", l.To, out.Text(l))
		}
	}
	say(translate.Client, `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"Hi"}]}}`)
	say(translate.Agent, `{"jsonrpc":"2.0","id":1,"result":{"messageId":"m1"}}`)
	say(translate.Agent, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"running"}}}`)
	say(translate.Agent, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message","messageId":"m2","content":[{"type":"text","text":"Hello"}]}}}`)
	say(translate.Agent, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}`)
	// Output:
	// the agent is asked {"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}
	// the client is answered {"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"2.0.0"},"authMethods":[]}
	// client: {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"Hi"}]}}
	// -> agent: {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"Hi"}]}}
	// agent: {"jsonrpc":"2.0","id":1,"result":{"messageId":"m1"}}
	// agent: {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"running"}}}
	// agent: {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message","messageId":"m2","content":[{"type":"text","text":"Hello"}]}}}
	// -> client: {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","messageId":"m2","content":{"type":"text","text":"Hello"}}}}
	// agent: {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
	// -> client: {"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}
}
