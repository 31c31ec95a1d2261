package shapes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// remembering is a Rule that converts a side's initialize, and writes the facts that a bridge
// keeps of it.
func remembering[A, B any](toV1 func([]byte) ([]byte, A), toV2 func([]byte) ([]byte, B)) Rule {
	return Func(func(w *Writer, value []byte) bool {
		if w.toV2 != bytes.Contains(value, []byte(`"protocolVersion":1`)) {
			return w.copy(value)
		}
		var out []byte
		var known any
		if w.toV2 {
			out, known = toV2(value)
		} else {
			out, known = toV1(value)
		}
		w.Out = append(w.Out, out...)
		for _, member := range strings.Fields(strings.Trim(fmt.Sprintf("%+v", known), "{}")) {
			if !strings.HasSuffix(member, ":false") && !strings.HasSuffix(member, ":") {
				w.Out = append(append(w.Out, ' '), member...)
			}
		}
		return true
	})
}

func TestInitialize(t *testing.T) {
	check(t, remembering(InitializeToV1, InitializeToV2), `
# files and terminals, which version 2 lacks
{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"auth":{"terminal":true}},"clientInfo":{"name":"ed","version":"1"}}
2 {"protocolVersion":2,"capabilities":{"auth":{"terminal":{}}},"info":{"name":"ed","version":"1"}} Files:true Terminals:true
# files that the client only writes
{"protocolVersion":1,"clientCapabilities":{"fs":{"writeTextFile":true}},"clientInfo":{"name":"ed","version":"1"}}
2 {"protocolVersion":2,"capabilities":{},"info":{"name":"ed","version":"1"}} Files:true
# capabilities that version 2 takes for granted
{"protocolVersion":1,"clientCapabilities":{"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{},"promptSuggestions":{"image":{}},"cursors":{}},"subagents":{},"plan":{},"elicitation":{"form":{},"x":1.0},"_meta":{"terminal_output":true}},"_meta":{"a":1e0}}
2 {"protocolVersion":2,"capabilities":{"session":{"promptSuggestions":{"image":{}}},"elicitation":{"form":{},"x":1.0},"_meta":{"terminal_output":true}},"_meta":{"a":1e0},"info":{"name":"unknown","version":"unknown"}} TerminalOutput:true Notices:true Compaction:true Booleans:true Subagents:true Suggestions:true
# capabilities of drafts are left out
{"protocolVersion":1,"clientCapabilities":{"nes":{},"positionEncodings":["utf-8"]}}
2 {"protocolVersion":2,"capabilities":{},"info":{"name":"unknown","version":"unknown"}}
# members of a wrong type are absent
{"protocolVersion":1,"clientCapabilities":{"auth":{"terminal":1,"_meta":{}},"elicitation":null,"session":5},"clientInfo":{"name":"x"}}
2 {"protocolVersion":2,"capabilities":{"auth":{"_meta":{}}},"info":{"name":"unknown","version":"unknown"}}
# no capabilities
{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":{},"clientCapabilities":{"plan":1}}
1 {"protocolVersion":1,"clientInfo":{"name":"ed","version":"1"},"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"auth":{"terminal":false},"_meta":{"terminal_output":true},"plan":{}}}
# capabilities of null
{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":null,"clientCapabilities":{"plan":1}}
1 {"protocolVersion":1,"clientInfo":{"name":"ed","version":"1"},"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"auth":{"terminal":false},"_meta":{"terminal_output":true},"plan":{}}}
# a terminal to sign in, and a _meta
{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":{"auth":{"terminal":{},"_meta":{"a":1.0}}},"clientCapabilities":{"plan":1}}
1 {"protocolVersion":1,"clientInfo":{"name":"ed","version":"1"},"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"auth":{"terminal":true,"_meta":{"a":1.0}},"_meta":{"terminal_output":true},"plan":{}}}
# a terminal that is no object
{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":{"auth":{"terminal":true}},"clientCapabilities":{"plan":1}}
1 {"protocolVersion":1,"clientInfo":{"name":"ed","version":"1"},"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"auth":{"terminal":false},"_meta":{"terminal_output":true},"plan":{}}}
# elicitations
{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":{"elicitation":{"form":{}},"fs":{}},"clientCapabilities":{"plan":1}}
1 {"protocolVersion":1,"clientInfo":{"name":"ed","version":"1"},"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"auth":{"terminal":false},"elicitation":{"form":{}},"_meta":{"terminal_output":true},"plan":{}}}
# a _meta without terminal_output
{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":{"elicitation":null,"_meta":{"x":[ 1 ],"terminal_output":false}},"clientCapabilities":{"plan":1}}
1 {"protocolVersion":1,"clientInfo":{"name":"ed","version":"1"},"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"auth":{"terminal":false},"_meta":{"x":[ 1 ],"terminal_output":false},"plan":{}}}
# suggestions
{"protocolVersion":2,"info":{"name":"ed","version":"1"},"capabilities":{"session":{"cursors":{},"promptSuggestions":{"audio":{}}}}}
1 {"protocolVersion":1,"clientInfo":{"name":"ed","version":"1"},"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{},"promptSuggestions":{"audio":{}}},"auth":{"terminal":false},"_meta":{"terminal_output":true},"plan":{}}} Suggestions:true
# capabilities of drafts
{"protocolVersion":2,"capabilities":{"nes":{},"positionEncodings":null}}
1 {"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"auth":{"terminal":false},"_meta":{"terminal_output":true},"plan":{}}}
# unknown members
{"protocolVersion":2,"_meta":{"a":1},"x":2}
1 {"protocolVersion":1,"_meta":{"a":1},"x":2,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"auth":{"terminal":false},"_meta":{"terminal_output":true},"plan":{}}}`)
}

func TestInitializeResult(t *testing.T) {
	toV2 := func(result []byte) ([]byte, V1Agent) { return InitializeResultToV2(result, `C:\bin\agent.exe`) }
	check(t, remembering(InitializeResultToV1, toV2), `
# capabilities and a way to sign in
{"protocolVersion":2,"info":{"name":"a","version":"9"},"capabilities":{"session":{"prompt":{"image":{}},"mcp":{"stdio":{},"http":{}},"delete":{}},"auth":{"logout":{"_meta":{"l":1}}}},"authMethods":[{"methodId":"k","id":"k","type":"agent","name":"Key"}]}
1 {"protocolVersion":1,"agentInfo":{"name":"a","version":"9"},"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true},"mcpCapabilities":{"http":true},"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{}},"auth":{"logout":{"_meta":{"l":1}}}},"authMethods":[{"id":"k","name":"Key"}]} Stdio:true
# a way to sign in in a terminal: of two values of a variable the last
{"protocolVersion":2,"info":{},"capabilities":{"session":{}},"authMethods":[{"type":"terminal","methodId":"t","name":"T","args":["a"],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"A","value":"3"}]},{"type":"_other","methodId":"o","name":"O"}]}
1 {"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{}},"auth":{"logout":{}}},"authMethods":[{"type":"terminal","id":"t","name":"T","args":["a"],"env":{"A":"3","B":"2"}}]} OmitsSignIns:true
# a way to sign in by variables stays what it is
{"protocolVersion":2,"capabilities":{"session":{},"nes":{},"positionEncoding":"utf-8"},"authMethods":[{"methodId":"e","name":"E","vars":[{"name":"KEY"}],"link":"https://x","type":"env_var"},{"type":"env_var"}]}
1 {"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{}},"auth":{"logout":{}}},"authMethods":[{"id":"e","name":"E","vars":[{"name":"KEY"}],"link":"https://x","type":"env_var"}]}
# the only way to sign in is of an unknown type
{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"type":"_other","methodId":"o","name":"O"}]}
1 {"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{}},"auth":{"logout":{}}},"authMethods":[{"id":"o","name":"O"}]}
# all capabilities of a prompt and of MCP servers
{"protocolVersion":2,"capabilities":{"session":{"prompt":{"image":{},"audio":{},"embeddedContext":{},"_meta":{"p":1}},"mcp":{"http":{},"acp":{},"_meta":{"m":1}}}}}
1 {"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":true,"embeddedContext":true,"_meta":{"p":1}},"mcpCapabilities":{"http":true,"acp":true,"_meta":{"m":1}},"sessionCapabilities":{"list":{},"resume":{},"close":{}}},"authMethods":[]}
# a status of sign-ins that is a boolean
{"protocolVersion":2,"capabilities":{"auth":{"status":true}}}
1 {"protocolVersion":1,"agentCapabilities":{"auth":{"status":true}},"authMethods":[]}
# no sessions, no ways to sign in, metadata
{"protocolVersion":2,"capabilities":{"auth":{"status":{},"_meta":{"x":1}},"providers":{},"_meta":{"y":2}},"authMethods":[],"_meta":{"z":3}}
1 {"protocolVersion":1,"agentCapabilities":{"providers":{},"_meta":{"y":2},"auth":{"status":{},"_meta":{"x":1}}},"authMethods":[],"_meta":{"z":3}}
# ways to sign in that are no list
{"protocolVersion":2,"authMethods":5}
1 {"protocolVersion":1,"authMethods":[],"agentCapabilities":{}}
# no capabilities
{"protocolVersion":1}
2 {"protocolVersion":2,"info":{"name":"agent","version":"unknown"},"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}}},"authMethods":[]}
# all capabilities of version 1
{"protocolVersion":1,"agentInfo":{"name":"a","version":"9"},"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":false,"embeddedContext":true,"_meta":{"p":1}},"mcpCapabilities":{"http":true,"sse":true,"acp":true},"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{},"fork":{"_meta":{}},"subagents":{},"_meta":{"s":1}},"auth":{"logout":{},"status":true},"providers":{},"nes":{},"positionEncoding":"utf-16","_meta":{"a":1.0}},"authMethods":[{"id":"k","name":"Key"}],"_meta":{"r":1}}
2 {"protocolVersion":2,"info":{"name":"a","version":"9"},"capabilities":{"session":{"prompt":{"image":{},"embeddedContext":{},"_meta":{"p":1}},"mcp":{"stdio":{},"http":{},"acp":{}},"delete":{},"fork":{"_meta":{}},"_meta":{"s":1}},"providers":{},"_meta":{"a":1.0},"auth":{"status":true}},"authMethods":[{"methodId":"k","name":"Key","type":"agent"}],"_meta":{"r":1}} Load:true Resume:true List:true Close:true Delete:true Logout:true
# capabilities of wrong types
{"protocolVersion":1,"agentInfo":{"version":"9","name":"a","title":"A"},"agentCapabilities":{"loadSession":{},"promptCapabilities":{"image":{}},"sessionCapabilities":{"list":true,"fork":null}}}
2 {"protocolVersion":2,"info":{"version":"9","name":"a","title":"A"},"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}}},"authMethods":[]}
# ways to sign in
{"protocolVersion":1,"agentInfo":{"name":"a","version":"9"},"authMethods":[{"type":"terminal","id":"t","name":"T","args":["x"],"env":{"TERM":"x","API_KEY":"y"}},{"id":"e","type":"env_var","name":"E","vars":[1.0]},{"id":"_c","type":"_custom","name":"C"},{"name":"none"},{"id":"a","type":"agent","name":"A","description":null}]}
2 {"protocolVersion":2,"info":{"name":"a","version":"9"},"authMethods":[{"type":"terminal","methodId":"t","name":"T","args":["x"],"env":[{"name":"API_KEY","value":"y"},{"name":"TERM","value":"x"}]},{"methodId":"e","type":"_env_var","name":"E","vars":[1.0]},{"methodId":"_c","type":"_custom","name":"C"},{"methodId":"a","type":"agent","name":"A","description":null}],"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}}}}`)
}

// No text makes the conversions panic, and their output is JSON.
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
		if out, _ := InitializeToV1(text); !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
		if out, _ := InitializeResultToV2(text, "a"); !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
		if out, _, ok := MCPServersToV1(text); ok && !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
	})
}
