package capabilities

import (
	"encoding/json"
	"strings"
	"testing"
)

// What an agent of version 1 is told of clients of version 2.
func TestRequestToV1(t *testing.T) {
	told := func(auth, more, meta string) string {
		return `{"protocolVersion":1,"clientInfo":{"name":"ed","version":"1"},"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,` +
			`"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"plan":{},"planCapabilities":{},"auth":{` + auth + `}` + more + `,"_meta":{` + meta + `}}}`
	}
	for _, test := range []struct{ capabilities, want string }{
		{`{}`, told(`"terminal":false`, "", `"terminal_output":true`)},
		{`null`, told(`"terminal":false`, "", `"terminal_output":true`)},
		{`{"auth":{"terminal":{},"_meta":{"a":1.0}}}`, told(`"terminal":true,"_meta":{"a":1.0}`, "", `"terminal_output":true`)},
		{`{"auth":{"terminal":true}}`, told(`"terminal":false`, "", `"terminal_output":true`)},
		{`{"elicitation":{"form":{}},"fs":{}}`, told(`"terminal":false`, `,"elicitation":{"form":{}}`, `"terminal_output":true`)},
		{`{"elicitation":null,"_meta":{"x":[ 1 ],"terminal_output":false}}`, told(`"terminal":false`, "", `"x":[ 1 ],"terminal_output":false`)},
	} {
		got, err := RequestToV1([]byte(`{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":` + test.capabilities + `,"clientCapabilities":{"plan":1}}`))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", test.capabilities, err, got, test.want)
		}
	}
	if got, err := RequestToV1([]byte(`{"_meta":{"a":1},"x":2}`)); err != nil || !strings.HasPrefix(string(got), `{"protocolVersion":1,"_meta":{"a":1},"x":2,"clientCapabilities":{`) {
		t.Errorf("%s, %v", got, err)
	}
	for _, params := range []string{``, `null`, `[]`, `{`} {
		if got, err := RequestToV1([]byte(params)); err == nil {
			t.Errorf("%q: %s", params, got)
		}
	}
}

// What a client of version 2 is told of agents of version 1.
func TestAnswerToV2(t *testing.T) {
	const info = `"info":{"name":"a","version":"9"}`
	for _, test := range []struct {
		name, result, want string
		remember           OldAgent
	}{
		{"nothing", `{}`, `{"protocolVersion":2,"info":{"name":"agent","version":"unknown"},"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}}},"authMethods":[]}`, OldAgent{}},
		{
			"everything", `{"protocolVersion":1,"agentInfo":{"name":"a","version":"9"},"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":false,"embeddedContext":true,"_meta":{"p":1}},` +
				`"mcpCapabilities":{"http":true,"sse":true,"acp":true},"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{},"fork":{"_meta":{}},"subagents":{},"_meta":{"s":1}},` +
				`"auth":{"logout":{},"status":{}},"providers":{},"_meta":{"a":1.0}},"authMethods":[{"id":"k","name":"Key"}],"_meta":{"r":1}}`,
			`{"protocolVersion":2,` + info + `,"capabilities":{"session":{"prompt":{"image":{},"embeddedContext":{},"_meta":{"p":1}},"mcp":{"stdio":{},"http":{},"acp":{}},"delete":{},"fork":{"_meta":{}},"_meta":{"s":1}},` +
				`"auth":{"status":{}},"providers":{},"_meta":{"a":1.0}},"authMethods":[{"methodId":"k","type":"agent","name":"Key"}],"_meta":{"r":1}}`,
			OldAgent{Load: true, Resume: true, List: true, Close: true, Delete: true, Logout: true},
		},
		{
			"markers that are none", `{"agentInfo":{"version":"9","name":"a","title":"A"},"agentCapabilities":{"loadSession":{},"promptCapabilities":{"image":{}},"sessionCapabilities":{"list":true,"fork":null}}}`,
			`{"protocolVersion":2,"info":{"name":"a","version":"9","title":"A"},"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}}},"authMethods":[]}`, OldAgent{},
		},
		{
			"ways to sign in", `{"agentInfo":{"name":"a","version":"9"},"authMethods":[{"type":"terminal","id":"t","name":"T","args":["x"],"env":{"TERM":"x","API_KEY":"y"}},{"id":"e","type":"env_var","name":"E","vars":[1.0]},{"id":"_c","type":"_custom","name":"C"},{"name":"none"},{"id":"a","type":"agent","name":"A","description":null}]}`,
			`{"protocolVersion":2,` + info + `,"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}}},"authMethods":[{"methodId":"t","type":"terminal","name":"T","args":["x"],"env":[{"name":"API_KEY","value":"y"},{"name":"TERM","value":"x"}]},` +
				`{"methodId":"e","type":"_env_var","name":"E","vars":[1.0]},{"methodId":"_c","type":"_custom","name":"C"},{"methodId":"a","type":"agent","name":"A","description":null}]}`, OldAgent{},
		},
	} {
		got, remember, err := AnswerToV2([]byte(test.result), `C:\bin\agent.exe`)
		if err != nil || string(got) != test.want || remember != test.remember {
			t.Errorf("%s: %+v, %v\ngot  %s\nwant %s", test.name, remember, err, got, test.want)
		}
	}
	if got, _, err := AnswerToV2([]byte(`null`), "/usr/bin/agent"); err == nil {
		t.Errorf("null: %s", got)
	}
}

func TestMCPServersToV1(t *testing.T) {
	for servers, want := range map[string]string{
		``: `[]`, `null`: `[]`, `[]`: `[]`,
		`[{"type":"stdio","name":"n","command":"/c","args":null,"_meta":null},{"type":"acp","name":"a","serverId":"i"}]`:        `[{"name":"n","command":"/c","_meta":null,"args":[],"env":[]},{"type":"acp","name":"a","serverId":"i"}]`,
		`[{"type":"stdio","name":"n","command":"/c","args":["x"],"env":[{"name":"A","value":"1"}]},{"type":"http","url":"u:"}]`: `[{"name":"n","command":"/c","args":["x"],"env":[{"name":"A","value":"1"}]},{"type":"http","url":"u:","headers":[]}]`,
	} {
		got, err := MCPServersToV1([]byte(servers))
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", servers, err, got, want)
		}
	}
	for _, servers := range []string{`[{"type":"sse"}]`, `[{}]`, `[1]`} {
		if got, err := MCPServersToV1([]byte(servers)); err == nil || err.Error() == "" {
			t.Errorf("%s: %s", servers, got)
		}
	}
}

// No text makes the conversions panic, and what they write is JSON.
func FuzzOldAgent(f *testing.F) {
	for _, text := range []string{
		`{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":{"auth":{"terminal":{},"_meta":{}},"elicitation":{},"_meta":{"terminal_output":true}}}`,
		`{"protocolVersion":1,"agentInfo":{"name":"a"},"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true},"mcpCapabilities":{"http":true},"sessionCapabilities":{"list":{}},"auth":{"logout":{}}},"authMethods":[{"id":"k","name":"K","type":"terminal","env":{"A":"b"}}]}`,
		`[{"type":"stdio","name":"n","command":"/c"},{"type":"http","name":"h","url":"u","headers":null}]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		if out, err := RequestToV1(text); err == nil && !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
		if out, _, err := AnswerToV2(text, "a"); err == nil && !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
		if out, err := MCPServersToV1(text); err == nil && !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
	})
}
