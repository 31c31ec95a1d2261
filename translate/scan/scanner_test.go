package scan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// filters are the filters of a connection whose plans are translated.
var filters = map[string]*Filter{
	"agent":                   {Updates: []string{"plan", "plan_update", "plan_removed"}},
	"agent, response awaited": {Updates: []string{"plan", "plan_update", "plan_removed"}, Responses: true},
	"agent, vendors' methods": {
		Updates: []string{"plan", "plan_update", "plan_removed"}, Tools: []string{"todo", "createplan"},
		Methods: []string{"cursor/", "_x.ai/exit_plan_mode"},
	},
	"agent, heads of calls": {
		Updates: []string{"plan"}, Tools: []string{"todo"}, HeadUpdates: []string{"tool_call", "tool_call_update"}, Methods: []string{"cursor/"},
	},
	"client":                   {Methods: []string{"initialize", "session/load", "session/resume", "session/close", "session/delete"}},
	"client, response awaited": {Methods: []string{"initialize"}, Responses: true},
	"client, prompts":          {Methods: []string{"initialize"}, Heads: []string{"session/prompt"}, Responses: true},
}

// updateKind reads the kind and the tool names of params.update, as a translation does.
type updateKind struct {
	kind        string
	updateCount int
	kindCount   int
	tools       []string // early, short names without escapes
}

func (u *updateKind) Reset() { *u = updateKind{} }

func (u *updateKind) ReadMember(name []byte, c *rawjson.Cursor, text []byte) bool {
	if string(name) != "update" {
		return false
	}
	u.updateCount++
	if c.Kind() != '{' {
		c.Skip()
		return true
	}
	for more := c.Object(); more; more = c.NextMember() {
		var tool []byte
		start := c.Offset()
		name := string(c.Name())
		isPlain := bytes.HasPrefix(text[start:], []byte(`"`+name+`"`))
		switch name {
		case "sessionUpdate":
			u.kindCount++
			kind, _ := rawjson.TextOf(c.Value())
			u.kind = string(kind)
		case "title", "name":
			tool = bytes.Clone(c.Value())
		case "_meta":
			tool = rawjson.Get(c.Value(), "claudeCode", "toolName")
		default:
			c.Skip()
		}
		if isPlain && len(tool) > 2 && tool[0] == '"' && bytes.IndexByte(tool, '\\') < 0 && len(tool) < 34 && c.Pos() <= toolLimit {
			u.tools = append(u.tools, string(tool))
		}
	}
	return true
}

func (u *updateKind) Members(buf rawjson.Object) rawjson.Object { return buf }

// matters reads the whole line, and reports whether the filter selects it.
func matters(line []byte, filter *Filter) bool {
	var c rawjson.Cursor
	c.Reset(line)
	var m jsonrpc.Message
	var u updateKind
	m.Read(&c, line, &u)
	switch {
	case !c.End():
		return false
	case m.IsResponse():
		return filter.Responses
	case filter.Updates != nil && string(m.Method) == "session/update":
		return m.IsNotification() && u.updateCount == 1 && u.kindCount == 1 && (slices.Contains(filter.Updates, u.kind) || u.isCallOf(filter.Tools))
	}
	isShort := m.MethodSpan.End-m.MethodSpan.Start <= rawjson.MaxName
	return m.IsRequest() && isShort && slices.ContainsFunc(slices.Concat(filter.Methods, filter.Heads), func(method string) bool {
		return string(m.Method) == method || strings.HasSuffix(method, "/") && strings.HasPrefix(string(m.Method), method)
	})
}

// isCallOf reports whether the update is a tool call of one of these tools.
func (u *updateKind) isCallOf(tools []string) bool {
	plain := strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.Join(u.tools, " ")))
	return u.kind == "tool_call" && slices.ContainsFunc(tools, func(t string) bool { return strings.Contains(plain, t) })
}

func scanner(filter *Filter) *Scanner {
	var pointer atomic.Pointer[Filter]
	pointer.Store(filter)
	return &Scanner{Filter: &pointer}
}

// earliest passes growing prefixes of line to a scanner, and returns its verdict and the length
// of the deciding prefix.
func earliest(line []byte, filter *Filter, step func(seen int) int) (transport.Verdict, int) {
	s := scanner(filter)
	for seen := 0; ; {
		seen = min(seen+max(step(seen), 1), len(line))
		if v := s.Scan(line[:seen]); v != transport.More || seen == len(line) {
			return v, seen
		}
	}
}

func byteByByte(int) int { return 1 }

func checkScan(t *testing.T, line []byte, step func(int) int) {
	t.Helper()
	for name, filter := range filters {
		verdict, _ := earliest(line, filter, func(int) int { return len(line) })
		v, seen := earliest(line, filter, step)
		if (verdict == transport.Pass || v == transport.Pass) && matters(line, filter) {
			t.Errorf("%s: %q is selected, but passes: verdict %v, in pieces %v", name, line, verdict, v)
		}
		// The search for a tool name depends on the length of the prefix.
		if v != verdict && len(filter.Tools) == 0 {
			t.Errorf("%s: %q: verdict %v, in pieces %v after %d bytes", name, line, verdict, v, seen)
		}
		if m := jsonrpc.MessageOf(line); v == transport.Follow && !m.Ambiguous {
			var head Head
			head.Add(line[:seen])
			if m.IsNotification() {
				checkHead(t, line, head.Message(), "toolCallId", "status")
			} else {
				checkHead(t, line, head.Message())
			}
		}
	}
}

// checkHead compares the head of a line with the whole message, including those members of an
// update.
func checkHead(t *testing.T, line, text []byte, names ...string) {
	t.Helper()
	var c rawjson.Cursor
	var m, kept jsonrpc.Message
	c.Reset(line)
	m.Read(&c, line, nil)
	if !c.End() || c.Kind() == '[' || len(line) > maxHeadValue {
		return
	}
	c.Reset(text)
	kept.Read(&c, text, nil)
	isUpdate := string(m.Method) == "session/update"
	plain := len(m.ID) > 0 && m.ID[0] != '{' && m.ID[0] != '['
	same := (m.Method == nil || bytes.Equal(kept.Method, m.Method)) && (m.Session == nil || bytes.Equal(kept.Session, m.Session)) &&
		(!plain || isUpdate || bytes.Equal(kept.ID, m.ID))
	for _, name := range names {
		want, _ := m.Members.Text(name)
		got, _ := kept.Members.Text(name)
		same = same && (want == nil || !m.Update.Present() || bytes.Equal(got, want))
	}
	if isAnswer := m.Result.Present() || m.Error.Present(); !same || !m.Ambiguous && isAnswer != (kept.Result.Present() || kept.Error.Present()) {
		t.Errorf("%q: head %q", line, text)
	}
}

// decisions are lines of the agent with a mark | after the byte that decides, while no response
// is awaited. Lines without a mark are undecided.
var decisions = []struct {
	verdict transport.Verdict
	line    string
}{
	// From shared/protocol/captures: claude-both-plan, codex2-both-plan, qwen-todos-nocap.
	{transport.Pass, `{"jsonrpc":"2.0","method":"_auth/status_update"|,"params":{"authStatus":{"kind":"api_key"}}}`},
	{transport.Pass, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"7940c00e","update":{"sessionUpdate":"agent_message_chunk"|,"content":{"type":"text","text":"Step 0."},"messageId":"msg_rig_5or98kmb"}}}`},
	{transport.Hold, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"7940c00e","update":{"sessionUpdate":"plan"|,"entries":[{"content":"Read the config — “quoted” & <b>tags</b>","status":"pending","priority":"medium"}]}}}`},
	{transport.Pass, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"7940c00e","update":{"_meta":{"claudeCode":{"toolName":"EnterPlanMode"}},"toolCallId":"toolu_rig_3_0_m17cr6gp","sessionUpdate":"tool_call"|,"name":"EnterPlanMode","content":[]}}}`},
	{transport.Pass, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"4d06ce50","update":{"toolCallId":"toolu","rawInput":{},"status":"pending","content":[],"sessionUpdate":"tool_call_update"|}}}`},
	{transport.Hold, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"01a1fd41","update":{"sessionUpdate":"plan_update"|,"plan":{"type":"markdown","planId":"p","content":"# Plan: add a parser\n"}}}}`},
	{transport.Pass, `{"jsonrpc":"2.0","id":0,"method":"craft/drainMidTurnQueue"|,"params":{"sessionId":"133c87dd"}}`},
	{transport.Pass, `{"jsonrpc":"2.0","id":1,"result"|:{"sessionId":"7940c00e"}}`},
	{transport.Pass, `{"jsonrpc":"2.0","error"|:{"code":-32601,"message":"Method not found"},"id":0}`},

	// Members in another order.
	{transport.Pass, `{"params":{"update":{"content":{"sessionUpdate":"plan"},"sessionUpdate":"user_message_chunk"|}},"method":"session/update"}`},
	{transport.Hold, `{"params":{"update":{"entries":[{"x":"}]"},[[]]],"sessionUpdate":"plan"|},"sessionId":"s"},"method":"session/update"}`},
	{transport.Hold, `{"params":{"update":{"planId":"p","sessionUpdate":"plan_removed"|}},"method":"other"}`},
	{transport.Pass, `{"params":{"sessionId":"s"}|,"method":"session/update"}`},
	{transport.Pass, `{"params":{"update":{"plan":{"sessionUpdate":"plan"}}|}}`},
	{transport.Pass, `{"jsonrpc":"2.0","method":"session/update"}|`},
	{transport.Pass, `{"x":{"method":"other"},"y":["result"],"z":"\"result\":"}|`},
	{transport.Pass, `{}|`},

	// If the filter selects methods too, a method after the params decides.
	{transport.Pass, `{"params":{"plan":"# Plan"}|,"id":0,"method":"_x.ai/exit_plan_mode"}`},
	{transport.Pass, `{"params":n|ull,"id":0,"method":"cursor/create_plan"}`},
	{transport.Pass, `{"params":{"update":7|},"id":0,"method":"cursor/create_plan"}`},
	{transport.Pass, `{"params":{"update":{"sessionUpdate":n|ull}},"id":0,"method":"cursor/create_plan"}`},
	{transport.Pass, `{"params":{"update":{"sessionUpdate":"tool_call"|,"title":"Edit"}},"id":0,"method":"cursor/create_plan"}`},

	// Values that are skipped.
	{transport.Pass, `{"a":-12.5e+10,"b":false,"c":null,"d":"\"}\\\u0022","e":[-1.5,{"f":"]\\"}],"method":"other"|}`},
	{transport.Hold, `{"params":{"a": 12 ,"update":{"b":true,"c":"\\\\","d":{"e":"\"\\"},"f":10,"sessionUpdate":"plan"|}}}`},

	// Escapes and white space.
	{transport.Hold, "\t{ \"m\\u0065thod\" : \"session\\/updat\\u0065\" ,\r \"p\\u0061rams\" : { \"upd\\u0061te\" : { \"session\\u0055pdate\" : \"pl\\u0061n\"| } } }"},
	{transport.Hold, `{"params":{"update":{"` + escaped("sessionUpdate") + `":"` + escaped("plan_removed") + `"|}}}`},
	{transport.Pass, `{"` + escaped("method") + `":"` + escaped("session/update") + `"}|`},
	{transport.Pass, `{"method":"session\/updat\u0066"|}`},
	{transport.Pass, `{"m\u0065thod":"session\\/update"|}`},

	// Values of the wrong type.
	{transport.Pass, `{"method":n|ull,"params":{"update":{"sessionUpdate":"plan"}}}`},
	{transport.Pass, `{"method":[|"session/update"]}`},
	{transport.Pass, `{"method":"session/update","params":[|{"update":{"sessionUpdate":"plan"}}]}`},
	{transport.Pass, `{"method":"session/update","params":n|ull}`},
	{transport.Pass, `{"method":"session/update","params":{"update":"|plan"}}`},
	{transport.Pass, `{"method":"session/update","params":{"update":{"sessionUpdate":{|"plan":1}}}}`},
	{transport.Pass, `{"method":"session/update","params":{}|}`},

	// The first of two members counts; Message.Read refuses both.
	{transport.Pass, `{"method":"a"|,"method":"session/update","params":{"update":{"sessionUpdate":"plan"}}}`},
	{transport.Hold, `{"params":{"update":{"sessionUpdate":"plan"|,"sessionUpdate":"plan"}}}`},
	{transport.Pass, `{"params":{"update":{"sessionUpdate":"other"|,"sessionUpdate":"plan"}}}`},
	{transport.Pass, `{"params":{}|,"params":{"update":{"sessionUpdate":"plan"}}}`},
	{transport.Pass, `{"id":1,"result"|:{},"method":"session/update","params":{"update":{"sessionUpdate":"plan"}}}`},

	// Long names and values are not read.
	{transport.Hold, `{"` + strings.Repeat("n", 100) + `":1,"params":{"` + strings.Repeat(`\"`, 100) + `":{},"update":{"sessionUpdate":"plan"|}}}`},
	{transport.Pass, `{"` + strings.Repeat("result", 100) + `":1,"x":"` + strings.Repeat(`\\`, 1000) + `"}|`},
	{transport.More, `{"` + strings.Repeat("result", 100) + `":1,"x":"` + strings.Repeat(`\\`, 1000)},

	// Not a message.
	{transport.Pass, ` [|{"method":"a"}]`},
	{transport.Pass, `"|method"`},
	{transport.Pass, `h|ello`},
	{transport.Pass, "\x00|"},
	{transport.Pass, "\ufeff"[:1] + "|" + "\ufeff"[1:] + `{}`},
	{transport.More, " \t\r\n"},
	{transport.More, ""},
	{transport.Pass, `{"method":"session/update"}|{}`},

	// Invalid JSON.
	{transport.Pass, `{"a":1 "|b":2,"method":"session/update"}`},
	{transport.Pass, `{"a" 1|,"method":"session/update"}`},
	{transport.Pass, `{m|ethod:"session/update"}`},
	{transport.Pass, `{"a":1,,|"method":"session/update"}`},
	{transport.Pass, `{"a":]|,"method":"session/update"}`},
}

func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

func TestScanDecidesEarly(t *testing.T) {
	filter := filters["agent"]
	for _, test := range decisions {
		before, after, _ := strings.Cut(test.line, "|")
		line := before + after
		if line == "" {
			continue
		}
		if v, seen := earliest([]byte(line), filter, byteByByte); v != test.verdict || seen != len(before) {
			t.Errorf("%s: verdict %v after %q, want %v", test.line, v, line[:seen], test.verdict)
		}
	}
	// A filter without updates needs only the method.
	before, after := `{"method":"session/update"`, `,"params":{"update":{"sessionUpdate":"plan"}}}`
	if v, seen := earliest([]byte(before+after), filters["client"], byteByByte); v != transport.Pass || seen != len(before) {
		t.Errorf("without updates: verdict %v after %d bytes, want %d", v, seen, len(before))
	}
}

// stride returns the distance between the cuts of a line.
func stride(line string) int { return 1 + len(line)/300 }

func TestScanIsSound(t *testing.T) {
	for _, test := range decisions {
		line := strings.Replace(test.line, "|", "", 1) + "\r\n"
		checkScan(t, []byte(line), byteByByte)
		for at := 0; at <= len(line); at += stride(line) {
			split := func(seen int) int {
				if seen < at {
					return at
				}
				return len(line)
			}
			checkScan(t, []byte(line), split)
			checkScan(t, []byte(line[:at]), split)
			checkScan(t, []byte(line[:at]), byteByByte)
		}
	}
}

// With tools, the first toolLimit bytes of a tool call decide.
func TestScanTools(t *testing.T) {
	update := func(members string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{` + members + "}}}\n"
	}
	long := strings.Repeat("x", toolLimit)
	for _, test := range []struct {
		verdict transport.Verdict
		line    string
	}{
		{transport.Hold, update(`"sessionUpdate":"tool_call","toolCallId":"1","title":"todowrite"`)},
		{transport.Hold, update(`"sessionUpdate":"tool_call","title" : "Todo_Write","kind":"other"`)},
		{transport.Hold, update(`"sessionUpdate":"tool_call","title":"Update todo list","kind":"other"`)},
		{transport.Hold, update(`"title":"TODO-WRITE: a, b","rawInput":{},"sessionUpdate":"tool_call"`)},
		{transport.Hold, update(`"sessionUpdate":"tool_call","title":"Create Plan ` + long + `"`)},
		{transport.Hold, update(`"sessionUpdate":"tool_call","title":"2 items","rawInput":{"name":5},"name":"todo_write"`)},
		{transport.Hold, update(`"sessionUpdate":"tool_call","title":"Plan","_meta":{"x":"` + strings.Repeat("y", 99) + `","claudeCode":{"toolName":"TodoWrite"}}`)},
		{transport.Hold, update(`"_meta":{"codebuddy.ai/toolName":"TodoWrite"},"sessionUpdate":"tool_call","title":"Plan"`)},
		{transport.Pass, update(`"sessionUpdate":"tool_call","title":"Edit","_meta":{"claudeCode":{"toolName":"Edit"}},"rawInput":{"todo":1}`)},
		{transport.Pass, update(`"title":"Edit","sessionUpdate":"tool_call"`)},
		{transport.Pass, update(`"sessionUpdate":"tool_call","title":5`)},
		{transport.Pass, update(`"sessionUpdate":"tool_call_update"|,"title":"todowrite"`)},
		{transport.Pass, update(`"sessionUpdate":"tool_call","title":"Edit","rawInput":"` + long + `","name":"todowrite"`)},
		{transport.Pass, update(`"rawInput":"` + long + `","title":"todowrite","sessionUpdate":"tool_call"|`)},
		{transport.Pass, `{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call","_meta":{"a"` + "\n"},
		{transport.Hold, `{"jsonrpc":"2.0","id":0,"method":"cursor/create_plan"|,"params":{}}`},
		{transport.Hold, `{"jsonrpc":"2.0","id":0,"method":"_x.ai/exit_plan_mode"|,"params":{}}`},
		{transport.Pass, `{"jsonrpc":"2.0","method":"_x.ai/session_notification"|,"params":{}}`},
		{transport.Hold, `{"params":{"update":{"sessionUpdate":"other"}},"id":0,"method":"cursor/create_plan"|}`},
		{transport.Pass, `{"params":{"update":{"sessionUpdate":"tool_call","title":"Edit"}},"method":"session/update"}` + "\n"},
		{transport.Pass, `{"params":{},"method":"other"|}`},
	} {
		before, after, marked := strings.Cut(test.line, "|")
		wanted := len(before)
		if !marked {
			wanted = min(wanted, toolLimit)
		}
		v, seen := earliest(slices.Clip([]byte(before+after)), filters["agent, vendors' methods"], byteByByte)
		if v != test.verdict || seen != wanted {
			t.Errorf("%.200s: verdict %v after %d bytes, want %v after %d", test.line, v, seen, test.verdict, wanted)
		}
	}
	if !hasTool([]byte(`"title":"A-Z"`), []string{"az"}) {
		t.Error("a name of the letters A and Z is not found")
	}
}

// A tool call of another tool may be selected by its head.
func TestScanHeadsOfCalls(t *testing.T) {
	filter := *filters["agent, vendors' methods"]
	filter.HeadUpdates = []string{"tool_call", "tool_call_update"}
	update := func(members string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{` + members + "}}}\n"
	}
	long := strings.Repeat("x", headLimit)
	for _, test := range []struct {
		verdict transport.Verdict
		line    string
	}{
		{transport.Hold, update(`"sessionUpdate":"tool_call","toolCallId":"1","status":"pending","title":"todowrite"`)},
		{transport.Follow, update(`"sessionUpdate":"tool_call","toolCallId":"1","title":"Edit"`)},
		{transport.Follow, update(`"sessionUpdate":"tool_call_update","toolCallId":"1","status":"pending"|,"title":"todowrite"`)},
		{transport.Follow, update(`"toolCallId":"1","title":"Edit","sessionUpdate":"tool_call_update"}|`)},
		{transport.Follow, `{"params":{"update":{"sessionUpdate":"tool_call","toolCallId":"1"},"sessionId":"s"},"method":"session/update"}` + "\n"},
		{transport.Hold, `{"params":{"update":{"sessionUpdate":"tool_call","toolCallId":"1"},"sessionId":"s"},"method":"cursor/create_plan","id":1}` + "\n"},
		{transport.Follow, update(`"rawInput":"` + long[:headLimit/2] + `","sessionUpdate":"tool_call_update","toolCallId":"1","content":"` + long + `|"`)},
		{transport.Pass, update(`"sessionUpdate":"agent_message_chunk"|,"toolCallId":"1"`)},
	} {
		before, _, _ := strings.Cut(test.line, "|")
		line := []byte(strings.Replace(test.line, "|", "", 1))
		v, seen := earliest(line, &filter, byteByByte)
		if wanted := min(len(before), headLimit+1); v != test.verdict || seen != wanted {
			t.Errorf("%.200s: verdict %v after %d bytes, want %v after %d", test.line, v, seen, test.verdict, wanted)
		}
		if v != transport.Follow {
			continue
		}
		var head Head
		head.Add(line[:seen])
		head.Add(line[seen:])
		if kept := string(head.Message()); !strings.Contains(kept, `"sessionId":"s"`) || !strings.Contains(kept, `"toolCallId":"1"`) || strings.Contains(kept, "title") {
			t.Errorf("%.200s: head %.200s", test.line, kept)
		}
	}
}

// Tools and HeadUpdates need no Updates.
func TestScanUpdatesOnlyByHeadOrTool(t *testing.T) {
	for _, test := range []struct {
		filter Filter
		update string
		want   bool
	}{
		{Filter{HeadUpdates: []string{"tool_call"}}, `"sessionUpdate":"tool_call","title":"todowrite"`, true},
		{Filter{HeadUpdates: []string{"tool_call"}}, `"sessionUpdate":"plan"`, false},
		{Filter{Tools: []string{"todo"}}, `"sessionUpdate":"tool_call","title":"todowrite"`, true},
		{Filter{Tools: []string{"todo"}}, `"sessionUpdate":"tool_call","title":"Edit"`, false},
	} {
		line := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{` + test.update + "}}}\n"
		if got := test.filter.Matches([]byte(line)); got != test.want {
			t.Errorf("%+v: %s: %t", test.filter, line, got)
		}
	}
}

// A message that is selected by its head alone is decided when the head is complete.
func TestScanHeads(t *testing.T) {
	long := `"prompt":"` + strings.Repeat("x", 2*headLimit) + `"`
	for _, line := range []string{
		`{"id":1,"result":n|ull}`,
		`{"error":{"id":5},"id":1}|`,
		`{"jsonrpc":"2.0","r\u0065sult":{"protocolVersion":1},"id":0,|"x":1}`,
		`{"result":{}}|`,
		`{"id":1,"method":"session/prompt","params":{"sessionId":"s"|,"prompt":[]}}`,
		`{"method":"session\/prompt","params":{` + long[:headLimit/2] + `","sessionId":"s"},"id":1}|`,
		`{"params":{"prompt":[],"sessionId":"s"},"id":"1","method":"session/prompt"|}`,
		`{"id":1,"method":"session/prompt","params":["s"]}|`,
		`{"id":1,"method":"session/prompt","params":{"prompt":[]}|,"x":1}`,
		`{"method":"session/prompt","params":{"sessionId":"s"}}|`,
	} {
		before, after, _ := strings.Cut(line, "|")
		s := scanner(filters["client, prompts"])
		for n := range len(before) + 1 {
			v := s.Scan([]byte((before + after)[:n]))
			if (v == transport.Follow) != (n == len(before)) || v == transport.Follow && !s.HasHead() {
				t.Errorf("%.100s: verdict %v after %d bytes, want %d", line, v, n, len(before))
				break
			}
		}
	}
	for line, limit := range map[string]int{
		`{"id":1,"method":"session/prompt","params":{` + long + `,"sessionId":"s"}}`:   headLimit,
		`{"method":"session/prompt","params":{"sessionId":"s",` + long + `},"id":1}`:   headLimit,
		`{"result":{"content":"` + strings.Repeat("x", 2*responseLimit) + `"},"id":1}`: responseLimit,
	} {
		s := scanner(filters["client, prompts"])
		if v := s.Scan([]byte(line[:limit])); v != transport.More {
			t.Errorf("%.100s: verdict %v at the limit", line, v)
		}
		if v := s.Scan([]byte(line[:limit+2])); v != transport.Follow || s.HasHead() {
			t.Errorf("%.100s: verdict %v beyond the limit, head complete: %v", line, v, s.HasHead())
		}
	}
	updatesAndHeads := &Filter{Updates: []string{"plan"}, Heads: []string{"session/prompt"}}
	line := []byte(`{"params":{"prompt":[],"sessionId":"s"},"id":"1","method":"session/prompt"}`)
	if v, _ := earliest(line, updatesAndHeads, byteByByte); v != transport.Follow {
		t.Errorf("a head after the params, without methods: verdict %v", v)
	}
}

func FuzzScanner(f *testing.F) {
	for i, test := range decisions {
		f.Add([]byte(strings.Replace(test.line, "|", "", 1)), []byte{byte(i), 1})
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"plan":{}}}}`,
		`{"id":3,"method":"session/load","params":{"sessionId":"s"}}`, `[{"method":"session/update"},{"id":1,"result":{}}]`,
		`{"params":{"update":{"sessionUpdate":"` + strings.Repeat("0", rawjson.MaxName) + `"}}}`, `{"id":0,"method":"cursor/` + strings.Repeat("0", rawjson.MaxName) + `"}`, `{"a":1 "b":2,"params":tru"x"`, `{"a":-1.5e5,"b":false,"method":"session/update"}`,
	} {
		f.Add([]byte(line), []byte{7})
	}
	f.Fuzz(func(t *testing.T, line, steps []byte) {
		checkScan(t, line, func(seen int) int {
			if len(steps) == 0 {
				return 1
			}
			return int(steps[seen%len(steps)])
		})
	})
}

const chunkLine = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"7940c00e-5c82-438f-af02-2707c192250f","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Step 0."},"messageId":"msg_rig_5or98kmb"}}}` + "\n"

// toolLine is a tool call whose kind of update is the last member, as Claude writes it.
var toolLine = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"4d06ce50-7656-4607-bca7-239e1f6e76ff","update":{"toolCallId":"toolu_rig_3_0_2t5vzx4u","rawInput":{"file_path":"/a/b","new":"` +
	strings.Repeat(`\tx := y\n`, 400) + `"},"status":"pending","title":"Edit","content":[{"type":"diff","path":"/a/b","newText":"` + strings.Repeat("some text ", 400) + `"}],"sessionUpdate":"tool_call_update"}}}` + "\n"

func BenchmarkScan(b *testing.B) {
	for name, line := range map[string]string{"chunk": chunkLine, "tool": toolLine} {
		b.Run(name, func(b *testing.B) {
			s := scanner(filters["agent"])
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			text := []byte(line)
			for b.Loop() {
				if s.Scan(text) != transport.Pass {
					b.Fatal("does not pass")
				}
				s.Reset()
			}
		})
	}
}

// Reset clears the state of a line.
func TestScanStartsAfresh(t *testing.T) {
	s := scanner(filters["agent"])
	plan := []byte(`{"method":"session/update","params":{"update":{"sessionUpdate":"plan"}}}`)
	for _, test := range decisions {
		line := []byte(strings.Replace(test.line, "|", "", 1))
		for at := 0; at < len(line); at += stride(test.line) {
			s.Scan(line[:at+1])
			s.Reset()
			if v := s.Scan(plan); v != transport.Hold {
				t.Fatalf("after %q: verdict %v", line[:at+1], v)
			}
			s.Reset()
		}
	}
}

// A filter that is replaced within a line applies from the next line on.
func TestScanLoadsTheFilterAtTheStartOfALine(t *testing.T) {
	s := scanner(filters["agent"])
	s.Scan([]byte(`{"id":`))
	s.Filter.Store(&Filter{All: true})
	if v := s.Scan([]byte(`{"id":1,"result":{}}`)); v != transport.Pass {
		t.Errorf("verdict %v", v)
	}
	s.Reset()
	if v := s.Scan([]byte(`{`)); v != transport.Hold {
		t.Errorf("verdict %v with a filter for all lines", v)
	}
}

// With HoldsStrays, lines whose first character cannot begin a message are held. The verdict on other
// lines is the same.
func TestScanStrays(t *testing.T) {
	for _, test := range decisions {
		line := []byte(strings.Replace(test.line, "|", "", 1))
		want, seen := test.verdict, strings.IndexByte(test.line, '|')
		if jsonrpc.IsStray(line) || bytes.HasPrefix(bytes.TrimSpace(line), []byte{'['}) { // an array may be stray
			want = transport.Hold
		}
		s := scanner(filters["agent"])
		s.HoldsStrays = true
		for range 2 {
			v := transport.More
			n := 0
			for n < len(line) && v == transport.More {
				n++
				v = s.Scan(line[:n])
			}
			if v != want || seen >= 0 && n != seen {
				t.Errorf("%s: verdict %v after %d bytes, want %v", test.line, v, n, want)
			}
			s.Reset()
		}
	}
}
