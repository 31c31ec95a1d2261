package judge

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/schema"
)

// drafts are compiled once for all tests.
var drafts schema.Drafts

// record returns the recording of lines without a proxy. Each begins with who says it.
func record(t testing.TB, lines ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := trace.New(&b, slog.New(slog.DiscardHandler))
	for _, line := range lines {
		who, message, _ := strings.Cut(line, " ")
		from, to, _ := strings.Cut(who, ">")
		if to == "" {
			to = map[string]string{"client": "agent", "agent": "client"}[from]
		}
		w.Message(component(from), component(to), []byte(message))
	}
	return b.Bytes()
}

func component(name string) trace.Component {
	return trace.Component(strings.ToUpper(name[:1]) + name[1:])
}

// reasons judges a recording. It returns what is said of each of its messages.
func reasons(t testing.TB, recorded []byte) (found []string) {
	t.Helper()
	j := New(&drafts)
	for e, err := range recording.Events(bytes.NewReader(recorded)) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, j.Judge(&e))
	}
	return found
}

// begun is how a connection begins.
func begun(version int) []string {
	if version == 1 {
		return []string{
			`client {"id":0,"method":"initialize","params":{"protocolVersion":1}}`,
			`agent {"id":0,"result":{"protocolVersion":1}}`,
		}
	}
	return []string{
		`client {"id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}}`,
		`agent {"id":0,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{}}}`,
	}
}

func update(update string) string {
	return `agent {"method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
}

// planWith is an update of version 1 whose second entry is given.
func planWith(entry string) string {
	return update(`{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"},` + entry + `]}`)
}

// toolWith is an update of a tool call with that content.
func toolWith(content string) string {
	return update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[` + content + `]}`)
}

func prompt(block string) string {
	return asks("session/prompt", `{"sessionId":"s","prompt":[`+block+`]}`)
}

// asks is a request of the client.
func asks(method, params string) string {
	return `client {"id":1,"method":"` + method + `","params":` + params + `}`
}

// asksClient is a request of the agent.
func asksClient(method, params string) string {
	return `agent {"id":1,"method":"` + method + `","params":` + params + `}`
}

// TestReasons has the reasons as people read them: "" if a message is allowed.
func TestReasons(t *testing.T) {
	const option = `{"optionId":"o","name":"O","kind":"allow_once"}`
	for _, test := range []struct {
		version       int
		message, says string
	}{
		// Plans.
		{1, planWith(`{"content":"a","priority":"low","status":"completed"}`), ``},
		{1, planWith(`{"content":"a","priority":"urgent","status":"completed"}`), `params.update.entries[1].priority is "urgent": it must be high, medium or low`},
		{1, planWith(`{"content":"a","priority":"low","status":"done"}`), `params.update.entries[1].status is "done": it must be pending, in_progress or completed`},
		{1, planWith(`{"content":"a"}`), `params.update.entries[1].priority and status are missing`},
		{1, planWith(`{}`), `params.update.entries[1].content, priority and status are missing`},
		{1, planWith(`{"content":null,"priority":"x","status":"pending"}`), `params.update.entries[1].content is null: it must be a string (and 1 more)`},
		{1, planWith(`"a"`), `params.update.entries[1] is a string: it must be an object`},
		{1, update(`{"sessionUpdate":"plan","entries":{}}`), `params.update.entries is an object: it must be an array`},
		{1, update(`{"sessionUpdate":"plan"}`), `params.update.entries is missing`},
		{2, update(`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"a","priority":"urgent","status":"x"}]}}`), ``},
		{2, update(`{"sessionUpdate":"plan_update","plan":{"type":"items","entries":[]}}`), `params.update.plan.planId is missing`},
		{2, update(`{"sessionUpdate":"plan_update","plan":{"planId":"p","entries":[]}}`), `params.update.plan.type is missing`},
		{2, update(`{"sessionUpdate":"plan_update","plan":{"type":5,"planId":"p"}}`), `params.update.plan.type is a number: it must be a string`},

		// The drafts of version 1 that have operations on plans differ in the id.
		{1, update(`{"sessionUpdate":"plan_update","plan":{"type":"items","id":"p","entries":[]}}`), ``},
		{1, update(`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}`), ``},
		{1, update(`{"sessionUpdate":"plan_update","plan":{"type":"items","id":"p","entries":[{"content":"a","priority":"high","status":"x"}]}}`),
			`params.update.plan.entries[0].status is "x": it must be pending, in_progress or completed`},
		{1, update(`{"sessionUpdate":"plan_update","plan":{"type":"list","planId":"p"}}`), `params.update.plan.type is "list": it must be items, file or markdown`},

		// Kinds of updates.
		{1, update(`{"sessionUpdate":"my_update"}`), `version 1 has no session update my_update`},
		{1, update(`{"sessionUpdate":"state_update","state":"idle"}`), `version 1 has no session update state_update: version 2 has it`},
		{2, update(`{"sessionUpdate":"plan","entries":[]}`), `version 2 has no session update plan: version 1 has it`},
		{1, update(`{"sessionUpdate":"_my_update"}`), ``},
		{2, update(`{"sessionUpdate":"_my_update"}`), ``},
		{2, update(`{"sessionUpdate":"replay_complete"}`), ``},
		{1, update(`{"sessionUpdate":"cursor_update","cursorId":"k"}`), ``},
		{2, update(`{"sessionUpdate":"cursor_update","cursorId":"k","anchor":{"type":"before","messageId":"m"}}`), ``},
		{1, update(`{"sessionUpdate":"prompt_suggestions_update","suggestions":[{"prompt":[{"type":"text","text":"a"}]}]}`), ``},
		{1, update(`{"sessionUpdate":"prompt_suggestions_update","suggestions":[{}]}`), `params.update.suggestions[0].prompt is missing`},
		{1, toolWith(`{"type":"session","sessionId":"c"}`), ``},
		{1, toolWith(`{"type":"session"}`), `params.update.content[0].sessionId is missing`},
		{1, update(`{"sessionUpdate":"replay_complete"}`), `version 1 has no session update replay_complete: version 2 has it`},
		{1, update(`{"content":{"type":"text","text":"a"}}`), `params.update.sessionUpdate is missing`},
		{1, update(`{"sessionUpdate":5}`), `params.update.sessionUpdate is a number: it must be a string`},
		{1, update(`"plan"`), `params.update is a string: it must be an object`},

		// Other updates.
		{1, update(`{"sessionUpdate":"tool_call","toolCallId":"t"}`), `params.update.title is missing`},
		{1, update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"cancelled"}`),
			`params.update.status is "cancelled": it must be pending, in_progress, completed or failed`},
		{1, update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","kind":5}`), `params.update.kind is a number: it must be a string or null`},
		{1, toolWith(`{"type":"diff","path":"/a"}`), `params.update.content[0].newText is missing`},
		{1, toolWith(`{"type":"patch","path":"/a"}`), `params.update.content[0].type is "patch": it must be content, diff, terminal or session`},
		{1, toolWith(`{"path":"/a"}`), `params.update.content[0].type is missing`},
		{1, toolWith(`{"type":"content","content":{"type":"img"}}`),
			`params.update.content[0].content.type is "img": it must be text, image, audio, resource_link or resource`},
		{1, update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","locations":[{"path":"/a","line":-1}]}`), `params.update.locations[0].line is -1: it must be 0 or more`},
		{1, update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","locations":[{"path":"/a","line":1.5}]}`),
			`params.update.locations[0].line is 1.5: it must be an integer or null`},
		{1, update(`{"sessionUpdate":"agent_message_chunk","content":"hello"}`), `params.update.content is a string: it must be an object`},
		{2, toolWith(`{"type":"diff","path":"/a","oldText":"a","newText":"b"}`), `params.update.content[0].changes is missing`},
		{2, update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"b"}]}`), `params.update.availableCommands[0].type is missing`},
		{2, update(`{"sessionUpdate":"session_info_update","updatedAt":"` + strings.Repeat("yesterday ", 5) + `"}`),
			`params.update.updatedAt is "` + strings.Repeat("yesterday ", 4) + `…": it must be a date and time, such as 2026-01-31T12:00:00Z`},
		{2, update(`{"sessionUpdate":"session_info_update","updatedAt":"2026-12-31T23:59:60Z"}`), ``},

		// Requests.
		{1, asks("session/new", `{"cwd":"/"}`), `params.mcpServers is missing`},
		{2, asks("session/new", `{"cwd":"/"}`), ``},
		{1, asks("session/new", `{"cwd":"/","mcpServers":[{"name":"n","command":"c"}]}`), `params.mcpServers[0].args and env are missing`},
		{1, asks("session/new", `{"cwd":"/","mcpServers":[{"name":"n","type":"http"}]}`), `params.mcpServers[0].url and headers are missing`},
		{2, asks("session/new", `{"cwd":"/","mcpServers":[{"name":"n","command":"c"}]}`), `params.mcpServers[0].type is missing`},
		{1, prompt(`{"type":"resource","resource":{"uri":"a"}}`), `params.prompt[0].resource.text is missing`},
		{2, prompt(`{"type":"image","mimeType":"a","data":"!"}`), `params.prompt[0].data is "!": it must be base64`},
		{2, prompt(`{"type":"resource_link","name":"a","uri":"src/main.go"}`), `params.prompt[0].uri is "src/main.go": it must be a URI`},
		{2, prompt(``), `params.prompt is empty`},
		{1, asks("session/set_config_option", `{"sessionId":"s","configId":"c","type":"boolean","value":5}`), `params.value is a number: it must be a boolean`},
		{1, asksClient("session/request_permission", `{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"o","name":"O","kind":"yes"}]}`),
			`params.options[0].kind is "yes": it must be allow_once, allow_always, reject_once or reject_always`},
		{2, asksClient("session/request_permission", `{"sessionId":"s","title":"t","options":[`+option+`],"subject":{"type":"tool_call","toolCall":{}}}`),
			`params.subject.toolCall.toolCallId is missing`},
		{2, asksClient("elicitation/create", `{"message":"m","mode":"form","sessionId":"s","requestedSchema":{"type":"object","properties":{"a b":{"type":"string","title":1}}}}`),
			`params.requestedSchema.properties["a b"].title is a number: it must be a string or null`},
		{2, asksClient("elicitation/create", `{"message":"m","mode":"form","sessionId":"s","requestedSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"(?=x)"}}}}`), ``},
		{2, asksClient("elicitation/create", `{"message":"m","mode":"url","sessionId":"s","elicitationId":"e","url":"nope"}`), `params.url is "nope": it must be a URI`},

		// Params as a whole.
		{1, `agent {"method":"session/update","params":{"sessionId":7,"update":{"sessionUpdate":"plan","entries":[]}}}`, `params.sessionId is a number: it must be a string`},
		{1, `agent {"method":"session/update","params":{"sessionId":"s"}}`, `params.update is missing`},
		{1, `agent {"method":"session/update"}`, `params is missing`},
		{1, `agent {"method":"session/update","params":[1]}`, `params is an array: it must be an object`},
		{1, `client {"id":1,"method":"logout"}`, ``},
		{1, `agent {"id":1,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a","line":1e400}}`, ``}, // too big to judge

		// Methods.
		{1, asks("foo/bar", `{}`), `version 1 has no method foo/bar`},
		{1, asks("_foo/bar", `{}`), ``},
		{2, asks("session/load", `{}`), `version 2 has no method session/load: version 1 has it`},
		{1, asks("auth/login", `{}`), `version 1 has no method auth/login: version 2 has it`},
		{1, asks(strings.Repeat("ä", 100), `{}`), `version 1 has no method ` + strings.Repeat("ä", 60) + `…`},
		{1, asks("session/set_model", `{"sessionId":"s","modelId":"m"}`), ``}, // the oldest draft has it
		{1, asks("nes/start", `{}`), ``},                                      // an older draft has it
		{1, asks("mcp/message", `5`), ``},                                     // that is no message of ours
		{1, `agent {"id":1,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`, `session/update has an id: it is a notification`},
		{1, `client {"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`, `session/prompt has no id: it is a request`},
		{1, `client {"method":"session/update","params":{}}`, `only the agent says session/update`},
		{1, asksClient("session/prompt", `{}`), `only the client says session/prompt`},
		{1, `client {"method":"$/cancel_request","params":{"requestId":1}}`, ``},
		{1, `agent {"method":"$/cancel_request","params":{"requestId":1}}`, ``},

		// Ids.
		{1, `client {"id":null,"method":"session/list","params":{}}`, ``},
		{2, `client {"id":null,"method":"session/list","params":{}}`, `id is null: it must be an integer or a string`},
		{2, `client {"id":1.5,"method":"session/list","params":{}}`, `id is 1.5: it must be an integer or a string`},

		// Errors, whatever they answer.
		{1, `agent {"id":9,"error":{"code":-32000,"message":"m","data":[1]}}`, ``},
		{1, `agent {"id":9,"error":{"code":"x","message":"m"}}`, `error.code is a string: it must be an integer`},
		{2, `agent {"id":9,"error":{"code":1.5,"message":"m"}}`, `error.code is 1.5: it must be an integer`},
		{1, `agent {"id":9,"error":{"code":1}}`, `error.message is missing`},
		{2, `agent {"id":9,"error":"no"}`, `error is a string: it must be an object`},

		// No messages.
		{1, `agent hello`, `it is no JSON-RPC message`},
		{2, `agent {"id":9}`, `it is no JSON-RPC message`},
		{1, `agent [1]`, `it is no JSON-RPC message`},
	} {
		found := reasons(t, record(t, append(begun(test.version), test.message)...))
		if got := found[2]; found[0]+found[1] != "" || got != test.says {
			t.Errorf("version %d: %s\n%q\n%s, want\n%s", test.version, test.message, found[:2], got, test.says)
		}
	}
}

// TestAnswers has the reasons of answers to requests.
func TestAnswers(t *testing.T) {
	const options = `"options":[{"optionId":"o","name":"O","kind":"allow_once"}]`
	var (
		said       = prompt(`{"type":"text","text":"a"}`)
		opens      = asks("session/new", `{"cwd":"/","mcpServers":[]}`)
		permission = map[int]string{
			1: asksClient("session/request_permission", `{"sessionId":"s","toolCall":{"toolCallId":"t"},`+options+`}`),
			2: asksClient("session/request_permission", `{"sessionId":"s","title":"t",`+options+`}`),
		}
	)
	for _, test := range []struct {
		version             int
		asks, result, reads string
	}{
		{1, said, `{"stopReason":"end_turn"}`, ``},
		{1, said, `{"stopReason":"done"}`, `result.stopReason is "done": it must be end_turn, max_tokens, max_turn_requests, refusal or cancelled`},
		{1, said, `{}`, `result.stopReason is missing`},
		{1, said, `null`, `result is null: it must be an object`},
		{2, said, `{"stopReason":"end_turn"}`, `result.messageId is missing`},
		{1, opens, `{"sessionId":"s","modes":{"currentModeId":"a"}}`, `result.modes.availableModes is missing`},
		{1, opens, `{"sessionId":"s","configOptions":[{"id":"i","name":"n","type":"select","currentValue":"a","options":[{"value":"a"}]}]}`,
			`result.configOptions[0].options[0].name is missing`},
		{1, permission[1], `{"outcome":"selected","optionId":"o"}`, `result.outcome is a string: it must be an object`},
		{1, permission[1], `{"outcome":{"outcome":"allowed"}}`, `result.outcome.outcome is "allowed": it must be cancelled or selected`},
		{1, permission[1], `{"outcome":{"outcome":"selected"}}`, `result.outcome.optionId is missing`},
		{2, permission[2], `{"outcome":{"outcome":"allowed"}}`, ``},
		{1, asks("_foo", `{}`), `5`, ``},
	} {
		asker, _, _ := strings.Cut(test.asks, " ")
		answer := map[string]string{"client": "agent", "agent": "client"}[asker] + ` {"id":1,"result":` + test.result + `}`
		found := reasons(t, record(t, append(begun(test.version), test.asks, answer)...))
		if found[2] != "" || found[3] != test.reads {
			t.Errorf("version %d: %s: %s\n%s\n%s, want\n%s", test.version, test.asks, test.result, found[2], found[3], test.reads)
		}
	}
}

// TestInitialize: the params are judged by the version that they ask for, the result by
// the one that it says.
func TestInitialize(t *testing.T) {
	const v1, v2 = `{"protocolVersion":1}`, `{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{}}`
	for _, test := range []struct{ params, result, asked, answered string }{
		{v1, v1, ``, ``},
		{v2, v2, ``, ``},
		{v2, v1, ``, ``},
		{`{"protocolVersion":3}`, v1, ``, ``},
		{`{"protocolVersion":3,"info":5}`, `{"protocolVersion":3,"info":5}`, ``, ``},
		{`{"protocolVersion":2}`, `{"protocolVersion":2}`, `params.info is missing`, `result.info is missing`},
		{v1, `{}`, ``, `result.protocolVersion is missing`},
		{v1, `{"protocolVersion":1,"authMethods":{}}`, ``, `result.authMethods is an object: it must be an array`},
		{`{}`, v1, `params.protocolVersion is missing`, ``},
		{`{"protocolVersion":null}`, v1, `params.protocolVersion is null: it must be an integer`, ``},
		{`{"protocolVersion":99999999999999999999}`, v1, ``, ``},
		{`[]`, `[]`, `params is an array: it must be an object`, `result is an array: it must be an object`},
		{`{"clientInfo":{"protocolVersion":2},"protocolVersion":1}`, v1, `params.clientInfo.name and version are missing`, ``},
		{`{"protocolVersion":2,"protocolVersion":1}`, v1, ``, ``},
		{`{"protocolVersion":"1"}`, v1, `params.protocolVersion is a string: it must be an integer`, ``},
	} {
		found := reasons(t, record(t, asks("initialize", test.params), `agent {"id":1,"result":`+test.result+`}`))
		if found[0] != test.asked || found[1] != test.answered {
			t.Errorf("%s, %s: %q", test.params, test.result, found)
		}
	}
}
