package words

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestInitializeToV2(t *testing.T) {
	for _, c := range []struct {
		name, params, want string
		client             V1Client
	}{
		{name: "files and terminals have no form",
			params: `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"auth":{"terminal":true}},` +
				`"clientInfo":{"name":"ed","version":"1"}}`,
			want:   `{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":{"auth":{"terminal":{}}}}`,
			client: V1Client{Files: true, Terminals: true}},
		{name: "what version 2 takes for granted is remembered",
			params: `{"protocolVersion":1,"clientCapabilities":{"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{},` +
				`"promptSuggestions":{"image":{}},"cursors":{}},"subagents":{},"plan":{},"elicitation":{"form":{},"x":1.0},"_meta":{"terminal_output":true}},"_meta":{"a":1e0}}`,
			want: `{"protocolVersion":2,"info":{"name":"unknown","version":"unknown"},"capabilities":{"session":{"promptSuggestions":{"image":{}}},"elicitation":{"form":{},"x":1.0},` +
				`"_meta":{"terminal_output":true}},"_meta":{"a":1e0}}`,
			client: V1Client{TerminalOutput: true, Notices: true, Compaction: true, Booleans: true, Subagents: true, Suggestions: true}},
		{name: "capabilities of drafts are left out",
			params: `{"protocolVersion":1,"clientCapabilities":{"nes":{},"positionEncodings":["utf-8"]}}`,
			want:   `{"protocolVersion":2,"info":{"name":"unknown","version":"unknown"},"capabilities":{}}`,
			client: V1Client{Untold: "nes, positionEncodings"}},
		{name: "members of a wrong type are absent",
			params: `{"clientCapabilities":{"auth":{"terminal":1,"_meta":{}},"elicitation":null,"session":5},"clientInfo":{"name":"x"}}`,
			want:   `{"protocolVersion":2,"info":{"name":"unknown","version":"unknown"},"capabilities":{"auth":{"_meta":{}}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, client, err := InitializeToV2([]byte(c.params))
			if err != nil || string(got) != c.want || client != c.client {
				t.Errorf("got  %s\nwant %s\n%+v, %v", got, c.want, client, err)
			}
		})
	}
	if _, _, err := InitializeToV2([]byte(`[]`)); err == nil {
		t.Error("takes an array")
	}
}

func TestInitializeResultToV1(t *testing.T) {
	const session = `"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{}}`
	for _, c := range []struct {
		name, result, want string
		agent              V2Agent
	}{
		{name: "capabilities and a way to sign in",
			result: `{"protocolVersion":2,"info":{"name":"a","version":"9"},"capabilities":{"session":{"prompt":{"image":{}},"mcp":{"stdio":{},"http":{}},` +
				`"delete":{}}},"authMethods":[{"methodId":"k","id":"k","type":"agent","name":"Key"}]}`,
			want: `{"protocolVersion":1,"agentInfo":{"name":"a","version":"9"},"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true},` +
				`"mcpCapabilities":{"http":true},"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{}},"auth":{"logout":{}}},` +
				`"authMethods":[{"id":"k","name":"Key"}]}`,
			agent: V2Agent{Stdio: true}},
		{name: "a way to sign in in a terminal: of two values of a variable the last",
			result: `{"info":{},"capabilities":{"session":{}},"authMethods":[{"type":"terminal","methodId":"t","name":"T","args":["a"],` +
				`"env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"A","value":"3"}]},{"type":"_other","methodId":"o","name":"O"}]}`,
			want: `{"protocolVersion":1,"agentCapabilities":{` + session + `,"auth":{"logout":{}}},"authMethods":[{"type":"terminal","id":"t","name":"T",` +
				`"args":["a"],"env":{"A":"3","B":"2"}}]}`,
			agent: V2Agent{SignIns: true}},
		{name: "a way to sign in by variables stays what it is",
			result: `{"capabilities":{"session":{},"nes":{},"positionEncoding":"utf-8"},"authMethods":[{"methodId":"e","name":"E","vars":[{"name":"KEY"}],` +
				`"link":"https://x","type":"env_var"},{"type":"env_var"}]}`,
			want: `{"protocolVersion":1,"agentCapabilities":{` + session + `,"auth":{"logout":{}}},"authMethods":[{"type":"env_var","id":"e","name":"E",` +
				`"vars":[{"name":"KEY"}],"link":"https://x"}]}`,
			agent: V2Agent{Untold: "nes, positionEncoding"}},
		{name: "the only way to sign in is of an unknown type",
			result: `{"capabilities":{"session":{}},"authMethods":[{"type":"_other","methodId":"o","name":"O"}]}`,
			want:   `{"protocolVersion":1,"agentCapabilities":{` + session + `,"auth":{"logout":{}}},"authMethods":[{"id":"o","name":"O"}]}`},
		{name: "an agent that takes everything",
			result: `{"capabilities":{"session":{"prompt":{"image":{},"audio":{},"embeddedContext":{},"_meta":{"p":1}},"mcp":{"http":{},` +
				`"acp":{},"_meta":{"m":1}}}}}`,
			want: `{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":true,"embeddedContext":true,` +
				`"_meta":{"p":1}},"mcpCapabilities":{"http":true,"acp":true,"_meta":{"m":1}},"sessionCapabilities":{"list":{},"resume":{},` +
				`"close":{}}},"authMethods":[]}`},
		{name: "a status of sign-ins that is a boolean",
			result: `{"capabilities":{"auth":{"status":true}}}`,
			want:   `{"protocolVersion":1,"agentCapabilities":{"auth":{"status":true}},"authMethods":[]}`},
		{name: "no sessions, no ways to sign in, metadata",
			result: `{"capabilities":{"auth":{"status":{},"_meta":{"x":1}},"providers":{},"_meta":{"y":2}},"authMethods":[],"_meta":{"z":3}}`,
			want: `{"protocolVersion":1,"agentCapabilities":{"providers":{},"_meta":{"y":2},"auth":{"status":{},"_meta":{"x":1}}},` +
				`"authMethods":[],"_meta":{"z":3}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, agent, err := InitializeResultToV1([]byte(c.result))
			if err != nil || string(got) != c.want || agent != c.agent {
				t.Errorf("got  %s\nwant %s\n%+v, %v", got, c.want, agent, err)
			}
		})
	}
	if _, _, err := InitializeResultToV1([]byte(`{"authMethods":5}`)); err == nil {
		t.Error("takes ways to sign in that are no list")
	}
}

// What an agent of version 1 is told of clients of version 2.
func TestInitializeToV1(t *testing.T) {
	session := ""
	told := func(auth, more, meta string) string {
		return `{"protocolVersion":1,"clientInfo":{"name":"ed","version":"1"},` +
			`"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,` +
			`"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}` + session + `},"auth":{` + auth + `}` + more + `,"_meta":{` + meta + `},"plan":{},"planCapabilities":{}}}`
	}
	for _, test := range []struct{ capabilities, want string }{
		{`{}`, told(`"terminal":false`, "", `"terminal_output":true`)},
		{`null`, told(`"terminal":false`, "", `"terminal_output":true`)},
		{`{"auth":{"terminal":{},"_meta":{"a":1.0}}}`, told(`"terminal":true,"_meta":{"a":1.0}`, "", `"terminal_output":true`)},
		{`{"auth":{"terminal":true}}`, told(`"terminal":false`, "", `"terminal_output":true`)},
		{`{"elicitation":{"form":{}},"fs":{}}`, told(`"terminal":false`, `,"elicitation":{"form":{}}`, `"terminal_output":true`)},
		{`{"elicitation":null,"_meta":{"x":[ 1 ],"terminal_output":false}}`, told(`"terminal":false`, "", `"x":[ 1 ],"terminal_output":false`)},
	} {
		got, _, err := InitializeToV1([]byte(`{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":` + test.capabilities + `,"clientCapabilities":{"plan":1}}`))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", test.capabilities, err, got, test.want)
		}
	}
	session = `,"promptSuggestions":{"audio":{}}`
	got, client, err := InitializeToV1([]byte(`{"info":{"name":"ed","version":"1"},"capabilities":{"session":{"cursors":{},"promptSuggestions":{"audio":{}}}}}`))
	if want := told(`"terminal":false`, "", `"terminal_output":true`); err != nil || string(got) != want || !client.Suggestions {
		t.Errorf("suggestions: %v, %+v\ngot  %s\nwant %s", err, client, got, want)
	}
	if _, client, err := InitializeToV1([]byte(`{"capabilities":{"nes":{},"positionEncodings":null}}`)); err != nil || client.Untold != "nes" {
		t.Errorf("the agent is not told of %q, %v", client.Untold, err)
	}
	if got, _, err := InitializeToV1([]byte(`{"_meta":{"a":1},"x":2}`)); err != nil || !strings.HasPrefix(string(got), `{"protocolVersion":1,"_meta":{"a":1},"x":2,"clientCapabilities":{`) {
		t.Errorf("%s, %v", got, err)
	}
	for _, params := range []string{``, `null`, `[]`, `{`} {
		if got, _, err := InitializeToV1([]byte(params)); err == nil {
			t.Errorf("%q: %s", params, got)
		}
	}
}

// What a client of version 2 is told of agents of version 1.
func TestInitializeResultToV2(t *testing.T) {
	const info = `"info":{"name":"a","version":"9"}`
	for _, test := range []struct {
		name, result, want string
		remember           V1Agent
	}{
		{"nothing", `{}`,
			`{"protocolVersion":2,"info":{"name":"agent","version":"unknown"},"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}}},"authMethods":[]}`, V1Agent{}},
		{
			"everything",
			`{"protocolVersion":1,"agentInfo":{"name":"a","version":"9"},` +
				`"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":false,"embeddedContext":true,"_meta":{"p":1}},` +
				`"mcpCapabilities":{"http":true,"sse":true,"acp":true},"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{},` +
				`"fork":{"_meta":{}},"subagents":{},"_meta":{"s":1}},` +
				`"auth":{"logout":{},"status":true},"providers":{},"nes":{},"positionEncoding":"utf-16","_meta":{"a":1.0}},"authMethods":[{"id":"k","name":"Key"}],"_meta":{"r":1}}`,
			`{"protocolVersion":2,` + info + `,"capabilities":{"session":{"prompt":{"image":{},"embeddedContext":{},"_meta":{"p":1}},"mcp":{"stdio":{},` +
				`"http":{},"acp":{}},"delete":{},"fork":{"_meta":{}},"_meta":{"s":1}},` +
				`"providers":{},"_meta":{"a":1.0},"auth":{"status":true}},"authMethods":[{"methodId":"k","type":"agent","name":"Key"}],"_meta":{"r":1}}`,
			V1Agent{Load: true, Resume: true, List: true, Close: true, Delete: true, Logout: true, Untold: "nes, positionEncoding"},
		},
		{
			"markers that are none",
			`{"agentInfo":{"version":"9","name":"a","title":"A"},"agentCapabilities":{"loadSession":{},"promptCapabilities":{"image":{}},` +
				`"sessionCapabilities":{"list":true,"fork":null}}}`,
			`{"protocolVersion":2,"info":{"name":"a","version":"9","title":"A"},"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}}},"authMethods":[]}`, V1Agent{},
		},
		{
			"ways to sign in",
			`{"agentInfo":{"name":"a","version":"9"},"authMethods":[{"type":"terminal","id":"t","name":"T","args":["x"],"env":{"TERM":"x","API_KEY":"y"}},` +
				`{"id":"e","type":"env_var","name":"E","vars":[1.0]},{"id":"_c","type":"_custom","name":"C"},{"name":"none"},` +
				`{"id":"a","type":"agent","name":"A","description":null}]}`,
			`{"protocolVersion":2,` + info + `,"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}}},` +
				`"authMethods":[{"methodId":"t","type":"terminal","name":"T","args":["x"],"env":[{"name":"API_KEY","value":"y"},` +
				`{"name":"TERM","value":"x"}]},` +
				`{"methodId":"e","type":"_env_var","name":"E","vars":[1.0]},{"methodId":"_c","type":"_custom","name":"C"},` +
				`{"methodId":"a","type":"agent","name":"A","description":null}]}`, V1Agent{},
		},
	} {
		got, remember, err := InitializeResultToV2([]byte(test.result), `C:\bin\agent.exe`)
		if err != nil || string(got) != test.want || remember != test.remember {
			t.Errorf("%s: %+v, %v\ngot  %s\nwant %s", test.name, remember, err, got, test.want)
		}
	}
	if got, _, err := InitializeResultToV2([]byte(`null`), "/usr/bin/agent"); err == nil {
		t.Errorf("null: %s", got)
	}
}

func TestAskForVersion1(t *testing.T) {
	for params, want := range map[string]string{
		`{ "a" : 1.0, "protocolVersion" : 2.0 , "_meta":{"protocolVersion":2} }`: `{ "a" : 1.0, "protocolVersion" : 1 , "_meta":{"protocolVersion":2} }`,
		`{"protocolVersion":2,"protocolVersion":3}`:                              `{"protocolVersion":1,"protocolVersion":1}`,
	} {
		if got := string(AskForVersion1([]byte(params))); got != want {
			t.Errorf("%s became %s, want %s", params, got, want)
		}
	}
}

// No text makes the conversions panic, and what they write is JSON.
func FuzzInitialize(f *testing.F) {
	for _, text := range []string{
		`{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":{"auth":{"terminal":{},"_meta":{}},"elicitation":{},` +
			`"_meta":{"terminal_output":true}}}`,
		`{"protocolVersion":1,"agentInfo":{"name":"a"},"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true},` +
			`"mcpCapabilities":{"http":true},"sessionCapabilities":{"list":{}},"auth":{"logout":{}}},` +
			`"authMethods":[{"id":"k","name":"K","type":"terminal","env":{"A":"b"}}]}`,
		`[{"type":"stdio","name":"n","command":"/c"},{"type":"http","name":"h","url":"u","headers":null}]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		if out, _, err := InitializeToV1(text); err == nil && !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
		if out, _, err := InitializeResultToV2(text, "a"); err == nil && !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
		if out, _, ok := MCPServersToV1(text); ok && !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
	})
}
