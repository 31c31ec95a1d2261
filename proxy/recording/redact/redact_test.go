package redact

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/programtest/needs"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/schema"
)

// placeholders are replaced by ‹n› for those of n bytes, so that a table can have them.
var placeholders = regexp.MustCompile(`[cdghjkmpqvwz]{8}x*`)

func shape(text []byte) string {
	return placeholders.ReplaceAllStringFunc(string(text), func(p string) string {
		return "‹" + strings.Repeat("•", len(p)/8) + "›"
	})
}

func TestMessage(t *testing.T) {
	update := func(s string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":` + s + `}}`
	}
	ask := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`
	}
	answer := func(result string) string { return `{"jsonrpc":"2.0","id":7,"result":` + result + `}` }
	for _, tt := range []struct{ name, in, want string }{
		{"initialize",
			ask("initialize", `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true},"own":{"key":"k"}},"clientInfo":{"name":"zed","version":"1.2"}}`),
			ask("initialize", `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true},"‹•›":{"‹•›":"‹•›"}},"clientInfo":{"name":"zed","version":"1.2"}}`)},
		{"initialized",
			answer(`{"protocolVersion":2,"capabilities":{"session":{"prompt":{"image":{}}}},"info":{"name":"@x/agent","version":"2"},"authMethods":[{"id":"api-key","name":"Key of Bob","env":{"KEY":"v"}}]}`),
			answer(`{"protocolVersion":2,"capabilities":{"session":{"prompt":{"image":{}}}},"info":{"name":"@x/agent","version":"2"},"authMethods":[{"id":"api-key","name":"‹•›","env":{"‹•›":"‹•›"}}]}`)},
		{"session/new",
			ask("session/new", `{"cwd":"/home/bob/src","mcpServers":[{"type":"http","name":"n","url":"https://h/t","headers":[{"name":"Authorization","value":"Bearer t"}]},{"command":"C:\\bin\\x","args":["--key=1"],"env":[{"name":"A","value":"b"}]}]}`),
			ask("session/new", `{"cwd":"/‹•›/‹•›/‹•›","mcpServers":[{"type":"http","name":"‹•›","url":"https://‹•›/‹•›","headers":[{"name":"‹•›","value":"‹•›"}]},{"command":"C:\\‹•›\\‹•›","args":["‹•›"],"env":[{"name":"‹•›","value":"‹•›"}]}]}`)},
		{"session", answer(`{"sessionId":"6f-a","modes":{"currentModeId":"plan","availableModes":[{"id":"plan","name":"P"}]},"configOptions":[{"id":"m","type":"select","currentValue":"a","options":[{"value":"a","name":"A"}]}]}`),
			answer(`{"sessionId":"6f-a","modes":{"currentModeId":"plan","availableModes":[{"id":"plan","name":"‹•›"}]},"configOptions":[{"id":"m","type":"select","currentValue":"a","options":[{"value":"a","name":"‹•›"}]}]}`)},
		{"an id with a path", ask("session/load", `{"sessionId":"-home-bob-x","cwd":""}`), ask("session/load", `{"sessionId":"‹•›","cwd":""}`)},
		{"ids", `[{"id":"acp-plan-proxy/1"},{"id":"sk-ant-1"},{"id":"bob@host"},{"id":1.5}]`,
			`[{"id":"acp-plan-proxy/1"},{"id":"‹•›"},{"id":"‹•›"},{"id":1.5}]`},
		{"prompt", ask("session/prompt", `{"sessionId":"s","prompt":[{"type":"text","text":"do it\n\nnow, please, and well"},{"type":"resource_link","uri":"file:///home/bob","name":"x","size":3}]}`),
			ask("session/prompt", `{"sessionId":"s","prompt":[{"type":"text","text":"‹•›\n\n‹••›"},{"type":"resource_link","uri":"file:///‹•›/‹•›","name":"‹•›","size":3}]}`)},
		{"URIs", ask("session/prompt", `{"prompt":[{"uri":"HTTP://h/x"},{"uri":"mailto:bob@h"},{"uri":"bob:8080/x"},{"uri":"C:\\bob"},{"uri":"my notes: x"}]}`),
			ask("session/prompt", `{"prompt":[{"uri":"‹•›://‹•›/‹•›"},{"uri":"‹•›:‹•›"},{"uri":"‹•›:‹•›/‹•›"},{"uri":"C:\\‹•›"},{"uri":"‹•›"}]}`)},
		{"end of a turn", answer(`{"stopReason":"end_turn","usage":{"totalTokens":12,"price":3}}`), answer(`{"stopReason":"end_turn","usage":{"totalTokens":12,"‹•›":0}}`)},
		{"plan", update(`{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"_done"},{"content":"b"}]}`),
			update(`{"sessionUpdate":"plan","entries":[{"content":"‹•›","priority":"high","status":"_done"},{"content":"‹•›"}]}`)},
		{"markdown plan", update(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"# T\n## Phase 2: x\n- [x] a\n  1. b\n| c | d |\n|---|:-:|\n` + "```" + `go\n"}}`),
			update(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"# ‹•›\n## Phase 2: ‹•›\n- [x] ‹•›\n  1. ‹•›\n| ‹•› | ‹•› |\n|---|:-:|\n` + "```" + `‹•›\n"}}`)},
		{"plan with a path", update(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"a","path":"/home/bob/p.md"}}`),
			update(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"‹•›","path":"/‹•›/‹•›/‹•›"}}`)},
		{"suggestions", update(`{"sessionUpdate":"prompt_suggestions_update","suggestions":[{"prompt":[{"type":"text","text":"a"}]}]}`),
			update(`{"sessionUpdate":"prompt_suggestions_update","suggestions":[{"prompt":[{"type":"text","text":"‹•›"}]}]}`)},
		{"cursor", update(`{"sessionUpdate":"cursor_update","cursorId":"k1","anchor":{"type":"before","messageId":"m7"},"capabilities":{}}`),
			update(`{"sessionUpdate":"cursor_update","cursorId":"k1","anchor":{"type":"before","messageId":"m7"},"capabilities":{}}`)},
		{"subagent in a tool call", update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"session","sessionId":"c1"}]}`),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"session","sessionId":"c1"}]}`)},
		{"plan_removed", update(`{"sessionUpdate":"plan_removed","id":"p"}`), update(`{"sessionUpdate":"plan_removed","id":"p"}`)},
		{"tool call", update(`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"rm -r x","kind":"execute","status":"pending","rawInput":{"command":"rm","timeout":5,"force":true},"rawOutput":[1,"o",null],"locations":[{"path":"/w/a","line":4}]}`),
			update(`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"‹•›","kind":"execute","status":"pending","rawInput":{"command":"‹•›","‹•›":0,"‹•›":false},"rawOutput":[0,"‹•›",null],"locations":[{"path":"/‹•›/‹•›","line":4}]}`)},
		{"todos in a tool call", update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Update TODOs: buy milk","rawInput":{"_toolName":"updateTodos","merge":true,"todos":[{"content":"x","status":"TODO_STATUS_PENDING"}]}}`),
			update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Update TODOs‹•›","rawInput":{"_toolName":"updateTodos","merge":true,"todos":[{"content":"‹•›","status":"TODO_STATUS_PENDING"}]}}`)},
		{"diff", update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"diff","path":"a/b","oldText":null,"newText":"x\r\ny"}]}`),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"diff","path":"‹•›/‹•›","oldText":null,"newText":"‹•›\r\n‹•›"}]}`)},
		{"patch", update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"diff","changes":[{"operation":"modify","path":"/w/a"}],"patch":{"format":"git_patch","text":"diff --git a/w/a b/w/a\n--- a/w/a\n+++ /dev/null\n@@ -1,2 +3 @@ func x\n-q\n+r\n s\n\\ No newline at end of file\n"}}]}`),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"diff","changes":[{"operation":"modify","path":"/‹•›/‹•›"}],"patch":{"format":"git_patch","text":"diff --git a/‹•›/‹•› b/‹•›/‹•›\n--- a/‹•›/‹•›\n+++ /dev/null\n@@ -1,2 +3 @@‹•›\n-‹•›\n+‹•›\n ‹•›\n\\ No newline at end of file\n"}}]}`)},
		{"terminal of version 2", update(`{"sessionUpdate":"terminal_update","terminalId":"t","command":"ls","cwd":"/w","exitStatus":{"exitCode":1,"signal":null}}`),
			update(`{"sessionUpdate":"terminal_update","terminalId":"t","command":"‹•›","cwd":"/‹•›","exitStatus":{"exitCode":1,"signal":null}}`)},
		{"state", update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`), update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)},
		{"unknown update", update(`{"sessionUpdate":"_new","secret":{"status":"x"},"status":"y"}`), update(`{"sessionUpdate":"_new","‹•›":{"‹•›":"‹•›"},"status":"y"}`)},
		{"meta", update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"t","data":"o"},"claudeCode":{"toolName":"x"}}}`),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"t","data":"‹•›"},"‹•›":{"‹•›":"‹•›"}}}`)},
		{"permission", ask("session/request_permission", `{"toolCall":{"toolCallId":"c","title":"t"},"options":[{"optionId":"allow","name":"Allow","kind":"allow_once"}]}`),
			ask("session/request_permission", `{"toolCall":{"toolCallId":"c","title":"‹•›"},"options":[{"optionId":"allow","name":"‹•›","kind":"allow_once"}]}`)},
		{"permission's answer", answer(`{"outcome":{"outcome":"selected","optionId":"allow"}}`), answer(`{"outcome":{"outcome":"selected","optionId":"allow"}}`)},
		{"form's answer", answer(`{"action":"accept","content":{"status":"s","n":4,"b":true}}`), answer(`{"action":"accept","content":{"‹•›":"‹•›","‹•›":0,"‹•›":false}}`)},
		{"file", answer(`{"content":"package main\n"}`), answer(`{"content":"‹•›\n"}`)},
		{"file to write", ask("fs/write_text_file", `{"path":"/w/x","content":"c"}`), ask("fs/write_text_file", `{"path":"/‹•›/‹•›","content":"‹•›"}`)},
		{"terminal/create", ask("terminal/create", `{"command":"ls","args":["-l"],"env":[{"name":"K","value":"v"}]}`), ask("terminal/create", `{"command":"‹•›","args":["‹•›"],"env":[{"name":"‹•›","value":"‹•›"}]}`)},
		{"output", answer(`{"output":"o","truncated":true,"exitStatus":{"exitCode":2}}`), answer(`{"output":"‹•›","truncated":true,"exitStatus":{"exitCode":2}}`)},
		{"MCP", ask("mcp/message", `{"serverId":"m","method":"tools/call","params":{"name":"n","sessionId":"q"}}`), ask("mcp/message", `{"serverId":"m","method":"tools/call","params":{"‹•›":"‹•›","‹•›":"‹•›"}}`)},
		{"Cursor", ask("_cursor/create_plan", `{"toolCallId":"t","plan":"1. a","todos":[{"id":"x","content":"c","status":"done"}]}`), ask("_cursor/create_plan", `{"toolCallId":"t","plan":"1. ‹•›","todos":[{"id":"x","content":"‹•›","status":"done"}]}`)},
		{"Grok", ask("x.ai/exit_plan_mode", `{"method":"x.ai/exit_plan_mode","params":{"sessionId":"s","planContent":"* a"}}`), ask("x.ai/exit_plan_mode", `{"method":"x.ai/exit_plan_mode","params":{"sessionId":"s","planContent":"* ‹•›"}}`)},
		{"unknown method", ask("_own/thing", `{"sessionId":"s","status":"x","n":3}`), ask("_own/thing", `{"sessionId":"s","‹•›":"‹•›","‹•›":0}`)},
		{"method like a text", ask("say hello", `[]`), ask("‹•›", `[]`)},
		{"two methods", `{"method":"session/cancel","method":"session/update","params":{"update":{"status":"s"}}}`, `{"method":"session/cancel","method":"session/update","params":{"‹•›":{"‹•›":"‹•›"}}}`},
		{"error", `{"id":"a","error":{"code":-32603,"message":"no /home/bob","data":{"details":"x","supported":[2]}}}`, `{"id":"a","error":{"code":-32603,"message":"‹•›","data":{"‹•›":"‹•›","supported":[2]}}}`},
		{"standard errors with more", `[{"id":1,"error":{"code":-32601,"message":"\"Method not found\": _x/y"}},{"id":1,"error":{"code":-32602,"message":"Invalid params: /home/bob"}},{"id":1,"error":{"message":"Internal errors\nof Bob"}}]`,
			`[{"id":1,"error":{"code":-32601,"message":"\"Method not found\": ‹•›"}},{"id":1,"error":{"code":-32602,"message":"Invalid params: ‹•›"}},{"id":1,"error":{"message":"‹•›\n‹•›"}}]`},
		{"standard error", `{"id":1,"error":{"code":-32601,"message":"Method not found"}}`, `{"id":1,"error":{"code":-32601,"message":"Method not found"}}`},
		{"batch", `[{"id":1,"result":{"stopReason":"end_turn"}}, "x"]`, `[{"id":1,"result":{"stopReason":"end_turn"}},"‹•›"]`},
		{"text", "Welcome back, Bob!\n", "‹••›\n"},
		{"text behind a message", `{"id":1} bye` + "\n", "‹•›\n"},
		{"number", "42\n", "0\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := shape(New().Message(nil, []byte(tt.in))); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestDrafts: no capability of a draft is hidden.
func TestDrafts(t *testing.T) {
	for _, d := range capabilities.Drafts() {
		if d.Capability != "" && !isOneOf(d.Capability, able.same) {
			t.Errorf("%s is hidden", d.Capability)
		}
	}
}

func TestEvent(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"request","ts":0.25,"protocol":"acp","from":"Client","to":"Proxy(0)","id":1,"method":"session/prompt","session":"s","params":{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}}` + "\n": `{"type":"request","ts":0.25,"protocol":"acp","from":"Client","to":"Proxy(0)","id":1,"method":"session/prompt","session":"s","params":{"sessionId":"s","prompt":[{"type":"text","text":"‹•›"}]}}` + "\n",
		`{"type":"response","is_error":false,"payload":{"stopReason":"end_turn","message":"Internal error"}}`:                                                                                                   `{"type":"response","is_error":false,"payload":{"stopReason":"end_turn","message":"‹•›"}}`,
		`{"type":"response","is_error":true,"payload":{"code":-32603,"message":"Internal error"}}`:                                                                                                              `{"type":"response","is_error":true,"payload":{"code":-32603,"message":"Internal error"}}`,
		`{"method":"(not a message)","params":"Hello"}`: `{"method":"(not a message)","params":"‹•›"}`,
		`{"type":"response","lost":[{"kind":"plan file","detail":"plan file \"/home/bob\" is shown"},{"kind":"session update","name":"mood"},{"kind":"session update","name":"of Bob"},{"kind":"Bob","by":"Bob"},"Bob"]}`: `{"type":"response","lost":[{"kind":"plan file","detail":"‹••›"},{"kind":"session update","name":"mood"},{"kind":"session update","name":"‹•›"},{"kind":"‹•›","‹•›":"‹•›"},"‹•›"]}`,
		"{\"type\":\"req\n": "?\n", "\n": "\n", "": "", "?": "?",
	} {
		if got := shape(New().Event(nil, []byte(in))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
	}
}

// What is the same stays the same, and what is not does not.
func TestMatches(t *testing.T) {
	r := New()
	cwd := string(r.Message(nil, []byte(`{"method":"session/new","params":{"cwd":"/home/bob b"}}`)))
	cwd = cwd[strings.Index(cwd, `"/`)+1 : strings.LastIndex(cwd, `"`)]
	for _, in := range []string{
		`{"method":"fs/read_text_file","params":{"path":"/home/bob b/x"}}`,
		`{"method":"session/update","params":{"update":{"content":{"uri":"file:///home/bob%20b/x"}}}}`,
	} {
		if got := r.Message(nil, []byte(in)); !bytes.Contains(got, []byte(cwd+"/")) {
			t.Errorf("%s is not below %s", got, cwd)
		}
	}
	field := string(r.Message(nil, []byte(`{"method":"elicitation/create","params":{"requestedSchema":{"required":["f"],"properties":{"f":{"enum":["yes","no"]}}}}}`)))
	found := placeholders.FindAllString(field, -1)
	answer := string(r.Message(nil, []byte(`{"result":{"action":"accept","content":{"f":"yes"}}}`)))
	if len(found) != 4 || found[0] != found[1] || found[2] == found[3] || !strings.Contains(answer, found[1]+`":"`+found[2]) {
		t.Errorf("%s is not the answer to %s", answer, field)
	}
	if again := string(New().Message(nil, []byte(`{"result":{"action":"accept","content":{"f":"yes"}}}`))); again == answer {
		t.Error("two Redactors have the same key")
	}
}

// Nesting costs no stack, and nothing deep is copied.
func TestDeep(t *testing.T) {
	deep := strings.Repeat(`{"result":[`, 1<<20) + `"secret"` + strings.Repeat("]}", 1<<20)
	got := New().Message(nil, []byte(deep))
	if !json.Valid(got) || bytes.Contains(got, []byte("secret")) {
		t.Errorf("%.300s", got)
	}
}

// The agents' captures keep nothing of what only a person or a file says.
func TestCaptures(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(needs.Shared(t, "protocol/captures"), "*.jsonl"))
	if len(files) == 0 {
		t.Fatal("there are no captures")
	}
	r := New()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var recorded struct{ Line string }
			if err := json.Unmarshal(line, &recorded); err != nil {
				t.Fatal(err)
			}
			in := []byte(recorded.Line)
			checkRedacted(t, in, r.Message(nil, in))
		}
	}
}

// checkRedacted compares a message with what Message has made of it.
func checkRedacted(t *testing.T, in, out []byte) {
	t.Helper()
	if !json.Valid(in) {
		return
	}
	var before, after any
	if json.Unmarshal(in, &before) != nil {
		return // such as a number that no float64 is
	}
	if err := json.Unmarshal(out, &after); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sameShape(t, before, after, 0)
	for _, text := range texts(before, nil) {
		for word := range strings.FieldsSeq(text) {
			// A sentence, a path or an address is nothing that is kept.
			if strings.Contains(text, " ") && len(word) > 12 && !onlyMarks([]byte(word)) && bytes.Contains(out, []byte(word)) && !strings.Contains(string(out), `ersion":"`+text) {
				t.Errorf("%q is still in %s", word, out)
			}
		}
		if strings.HasPrefix(text, "/") && len(text) > 5 && bytes.Contains(out, []byte(text)) {
			t.Errorf("%q is still in %s", text, out)
		}
	}
}

func texts(v any, all []string) []string {
	switch v := v.(type) {
	case string:
		return append(all, v)
	case []any:
		for _, e := range v {
			all = texts(e, all)
		}
	case map[string]any:
		for _, e := range v {
			all = texts(e, all)
		}
	}
	return all
}

// sameShape compares types, and how many elements and members there are.
func sameShape(t *testing.T, before, after any, depth int) {
	t.Helper()
	if depth >= maxDepth-1 {
		return
	}
	ok := false
	switch b := before.(type) {
	case map[string]any:
		var a map[string]any
		if a, ok = after.(map[string]any); ok {
			ok = len(a) == len(b)
			for name, value := range b {
				if kept, there := a[name]; there {
					sameShape(t, value, kept, depth+1)
				}
			}
		}
	case []any:
		var a []any
		if a, ok = after.([]any); ok {
			if ok = len(a) == len(b); ok {
				for i := range b {
					sameShape(t, b[i], a[i], depth+1)
				}
			}
		}
	case string:
		var a string
		a, ok = after.(string)
		ok = ok && (a == "") == (b == "")
	case float64:
		_, ok = after.(float64)
	case bool:
		_, ok = after.(bool)
	default:
		ok = after == nil
	}
	if !ok {
		t.Fatalf("%v has become %v", before, after)
	}
}

const marked = "Hunter2 of Bob"

// What is marked is a text that no list keeps: it has blanks in it.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"MARK"}]}}`,
		`{"method":"session/update","params":{"sessionId":"MARK","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","content":"- [x] MARK\n| MARK | b |\n1. MARK"}}}}`,
		`{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call","title":"todowrite: MARK","kind":"MARK","rawInput":{"MARK":["MARK",{"_toolName":"MARK"}]},"_meta":{"x":"MARK"}}}}`,
		`{"method":"session/update","params":{"update":{"content":[{"type":"diff","path":"/MARK/a","patch":{"text":"--- a/MARK\n+++ b/MARK\n@@ -1 +1 @@ MARK\n-MARK\n+MARK"}}]}}}`,
		`{"method":"session/new","params":{"cwd":"/home/MARK","mcpServers":[{"headers":[{"name":"MARK","value":"MARK"}],"url":"https://MARK"}]}}`,
		`{"id":"MARK","result":{"action":"accept","content":{"MARK":"MARK"},"outcome":"MARK"}}`,
		`{"id":1,"error":{"code":1,"message":"MARK","data":"MARK"}}`,
		`{"method":"MARK","params":"MARK"}`, `[{"method":"x"},"MARK"]`, `MARK {"id":1}`, `{"id":1} MARK`, `{"a":"\u00e9\ud800MARK"}`,
		`{"type":"response","from":"MARK","ts":1,"is_error":true,"payload":{"message":"MARK"}}`,
	} {
		f.Add([]byte(seed))
	}
	r := New()
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.ReplaceAll(text, []byte("MARK"), []byte(marked))
		for _, out := range [][]byte{r.Message(nil, text), r.Event(nil, text)} {
			if bytes.Contains(out, []byte("Hunter2")) {
				t.Errorf("%s\nis still in %s", text, out)
			}
			if json.Valid(text) {
				var before, after any
				if json.Unmarshal(text, &before) != nil {
					continue
				}
				if err := json.Unmarshal(out, &after); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				sameShape(t, before, after, 0)
			}
		}
		if out := r.Message(nil, text); len(out) > 8*len(text)+64 {
			t.Errorf("%d bytes have become %d", len(text), len(out))
		}
	})
}

// TestIDs: an id that a program may have made of a key or a folder is hidden.
func TestIDs(t *testing.T) {
	for _, text := range []string{
		"-home-bob-x", "-Users-bob-x", "p_home_bob", "users_bob", "sk-ant-1", "ghp_1", "gho_1", "ghs_1", "github_pat_1", "glpat-1",
		"xoxb-1", "AKIA1", "AIza1", "eyJhbGci", "bob@host", "/w/x", "a b", "", strings.Repeat("a", 101),
	} {
		if isID([]byte(text)) {
			t.Errorf("%q is kept", text)
		}
	}
	for _, text := range []string{"6f1c2d3e-0000-4000-8000-000000000000", "ses_1", "call|fc_1", "$1", "acp-plan-proxy/1", strings.Repeat("a", 100)} {
		if !isID([]byte(text)) {
			t.Errorf("%q is hidden", text)
		}
	}
}

// TestKnownMembers: a member that is known is in one of the schemas, or is known to be
// none of theirs.
func TestKnownMembers(t *testing.T) {
	others := []string{ // of vendors, and of drafts without a schema here
		"todos", "phases", "questions", "overview", "step", "preview", "question", "label", "merge", "isProject", "allowMultiple",
		"multiSelect", "planContent", "questionId", "selectedOptionIds", "planUri", "reason", "answers", "feedback", "models",
		"availableModels", "currentModelId", "modelId", "prompt", "id", "anchor", "idempotencyKey",
	}
	published := make(map[string]bool)
	var collect func(value any)
	collect = func(value any) {
		switch value := value.(type) {
		case schema.Object:
			properties, _ := value["properties"].(schema.Object)
			for name := range properties {
				published[name] = true
			}
			for _, v := range value {
				collect(v)
			}
		case []any:
			for _, v := range value {
				collect(v)
			}
		}
	}
	for _, name := range schema.Names() {
		definitions, err := schema.Definitions(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range definitions {
			collect(d)
		}
	}
	seen := make(map[string]bool)
	for _, m := range knownMembers {
		for name := range strings.FieldsSeq(m.names) {
			if !published[name] && !slices.Contains(others, name) {
				t.Errorf("nobody has %s", name)
			}
			if seen[name] {
				t.Errorf("%s has two rules", name)
			}
			seen[name] = true
		}
	}
}
