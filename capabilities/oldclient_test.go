package capabilities

import "testing"

func TestRequestToV2(t *testing.T) {
	for _, c := range []struct {
		name, params, want string
		client             OldClient
	}{
		{name: "files and terminals have no form",
			params: `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"auth":{"terminal":true}},"clientInfo":{"name":"ed","version":"1"}}`,
			want:   `{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":{"auth":{"terminal":{}}}}`,
			client: OldClient{Files: true, Terminals: true}},
		{name: "what version 2 takes for granted is remembered",
			params: `{"protocolVersion":1,"clientCapabilities":{"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"subagents":{},"plan":{},"elicitation":{"form":{},"x":1.0},"_meta":{"terminal_output":true}},"_meta":{"a":1e0}}`,
			want:   `{"protocolVersion":2,"info":{"name":"unknown","version":"unknown"},"capabilities":{"elicitation":{"form":{},"x":1.0},"_meta":{"terminal_output":true}},"_meta":{"a":1e0}}`,
			client: OldClient{TerminalOutput: true, Notices: true, Compaction: true, Booleans: true, Subagents: true}},
		{name: "members of a wrong type are absent",
			params: `{"clientCapabilities":{"auth":{"terminal":1,"_meta":{}},"elicitation":null,"session":5},"clientInfo":{"name":"x"}}`,
			want:   `{"protocolVersion":2,"info":{"name":"unknown","version":"unknown"},"capabilities":{"auth":{"_meta":{}}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, client, err := RequestToV2([]byte(c.params))
			if err != nil || string(got) != c.want || client != c.client {
				t.Errorf("got  %s\nwant %s\n%+v, %v", got, c.want, client, err)
			}
		})
	}
	if _, _, err := RequestToV2([]byte(`[]`)); err == nil {
		t.Error("takes an array")
	}
}

func TestAnswerToV1(t *testing.T) {
	const session = `"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{}}`
	for _, c := range []struct {
		name, result, want string
		agent              NewAgent
	}{
		{name: "capabilities and a way to sign in",
			result: `{"protocolVersion":2,"info":{"name":"a","version":"9"},"capabilities":{"session":{"prompt":{"image":{}},"mcp":{"stdio":{},"http":{}},"delete":{}}},"authMethods":[{"methodId":"k","id":"k","type":"agent","name":"Key"}]}`,
			want:   `{"protocolVersion":1,"agentInfo":{"name":"a","version":"9"},"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true},"mcpCapabilities":{"http":true},"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{}},"auth":{"logout":{}}},"authMethods":[{"id":"k","name":"Key"}]}`,
			agent:  NewAgent{Stdio: true}},
		{name: "a way to sign in in a terminal: of two values of a variable the last",
			result: `{"info":{},"capabilities":{"session":{}},"authMethods":[{"type":"terminal","methodId":"t","name":"T","args":["a"],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"A","value":"3"}]},{"type":"_other","methodId":"o","name":"O"}]}`,
			want:   `{"protocolVersion":1,"agentCapabilities":{` + session + `,"auth":{"logout":{}}},"authMethods":[{"type":"terminal","id":"t","name":"T","args":["a"],"env":{"B":"2","A":"3"}}]}`,
			agent:  NewAgent{SignIns: true}},
		{name: "the only way to sign in is of an unknown type",
			result: `{"capabilities":{"session":{}},"authMethods":[{"type":"_other","methodId":"o","name":"O"}]}`,
			want:   `{"protocolVersion":1,"agentCapabilities":{` + session + `,"auth":{"logout":{}}},"authMethods":[{"id":"o","name":"O"}]}`},
		{name: "an agent that takes everything",
			result: `{"capabilities":{"session":{"prompt":{"image":{},"audio":{},"embeddedContext":{},"_meta":{"p":1}},"mcp":{"http":{},"acp":{},"_meta":{"m":1}}}}}`,
			want:   `{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":true,"embeddedContext":true,"_meta":{"p":1}},"mcpCapabilities":{"http":true,"acp":true,"_meta":{"m":1}},"sessionCapabilities":{"list":{},"resume":{},"close":{}}},"authMethods":[]}`},
		{name: "no sessions, no ways to sign in, metadata",
			result: `{"capabilities":{"auth":{"status":{},"_meta":{"x":1}},"providers":{},"_meta":{"y":2}},"authMethods":[],"_meta":{"z":3}}`,
			want:   `{"protocolVersion":1,"agentCapabilities":{"auth":{"status":{},"_meta":{"x":1}},"providers":{},"_meta":{"y":2}},"authMethods":[],"_meta":{"z":3}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, agent, err := AnswerToV1([]byte(c.result))
			if err != nil || string(got) != c.want || agent != c.agent {
				t.Errorf("got  %s\nwant %s\n%+v, %v", got, c.want, agent, err)
			}
		})
	}
	if _, _, err := AnswerToV1([]byte(`{"authMethods":5}`)); err == nil {
		t.Error("takes ways to sign in that are no list")
	}
}

func TestMCPServersToV2(t *testing.T) {
	for servers, want := range map[string]string{
		`null`: `[]`,
		`[]`:   `[]`,
		`[{"name":"a","command":"c","args":[],"env":[]}]`:                           `[{"type":"stdio","name":"a","command":"c","args":[],"env":[]}]`,
		`[{"type":"sse","name":"\u0061"},{"name":"a"},{"name":"a-2"},{"name":"a"}]`: `[{"type":"sse","name":"\u0061"},{"type":"stdio","name":"a-2"},{"type":"stdio","name":"a-2-2"},{"type":"stdio","name":"a-3"}]`,
		`[5]`: `[5]`,
	} {
		if got, ok := MCPServersToV2(nil, []byte(servers)); !ok || string(got) != want {
			t.Errorf("%s became %s, want %s", servers, got, want)
		}
	}
	if _, ok := MCPServersToV2(nil, []byte(`{}`)); ok {
		t.Error("takes an object")
	}
}
