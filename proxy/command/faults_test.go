package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"acp-plan-proxy/translate/schematest"
)

// A bridged is a run of the program that joins a client of one version and an
// agent of the other, with a session s.
type bridged struct {
	*scripted
	t      *testing.T
	client int // its version
	ids    int // of requests of the client so far
}

const mark = `{"jsonrpc":"2.0","method":"_test/mark"}`

func startBridged(t *testing.T, client int, flags ...string) *bridged {
	t.Helper()
	b := &bridged{scripted: startScripted(t, t.TempDir(), flags...), t: t, client: client}
	t.Cleanup(b.stop)
	if client == 1 {
		b.clientAsks("initialize", `{"protocolVersion":1,"clientCapabilities":{}}`)
		b.gets("agent")
		b.agentSays(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}}`)
	} else {
		b.clientAsks("initialize", `{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}`)
		b.gets("agent")
		one := `"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{}}}}}`
		b.agentSays(`{"jsonrpc":"2.0","id":1,` + one)
		b.gets("agent")
		b.agentSays(`{"jsonrpc":"2.0","id":"acp-plan-proxy-1",` + one)
	}
	b.gets("client")
	b.clientAsks("session/new", `{"cwd":"/work","mcpServers":[]}`)
	b.agentSays(`{"jsonrpc":"2.0","id":` + b.agentIsAsked() + `,"result":{"sessionId":"s"}}`)
	b.gets("client")
	return b
}

// clientAsks sends a request of the client and returns its id.
func (b *bridged) clientAsks(method, params string) string {
	b.ids++
	id := fmt.Sprint(b.ids)
	b.clientSays(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`)
	return id
}

func (b *bridged) clientPrompts() string {
	return b.clientAsks("session/prompt", `{"sessionId":"s","prompt":[{"type":"text","text":"Hi"}]}`)
}

func (b *bridged) clientCancels() {
	b.clientSays(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`)
}

// agentIsAsked returns the id of the request that the agent gets next.
func (b *bridged) agentIsAsked() string {
	b.t.Helper()
	line := b.gets("agent")
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.ID == nil || m.Method == "" {
		b.t.Fatalf("the agent got no request, but %s", line)
	}
	return string(m.ID)
}

func (b *bridged) agentUpdates(update string) {
	b.agentSays(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`)
}

const (
	running = `{"sessionUpdate":"state_update","state":"running"}`
	idle    = `{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`
	hello   = `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"Hello"}}`
)

// agentTakesPrompt has the agent begin the turn of the prompt that it was asked.
func (b *bridged) agentTakesPrompt() (id string) {
	b.t.Helper()
	id = b.agentIsAsked()
	if b.client == 1 {
		b.agentSays(`{"jsonrpc":"2.0","id":` + id + `,"result":{"messageId":"p` + id + `"}}`)
		b.agentUpdates(running)
	}
	b.agentUpdates(hello)
	return id
}

// agentEndsTurn ends the turn of a prompt.
func (b *bridged) agentEndsTurn(id, reason string) {
	if b.client == 1 {
		b.agentUpdates(`{"sessionUpdate":"state_update","state":"idle","stopReason":"` + reason + `"}`)
	} else {
		b.agentSays(`{"jsonrpc":"2.0","id":` + id + `,"result":{"stopReason":"` + reason + `"}}`)
	}
}

func (b *bridged) agentAsksPermission(id string) {
	options := `"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]`
	what := `"toolCall":{"toolCallId":"t","title":"Run"}`
	if b.client == 1 {
		what = `"title":"Run?","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","title":"Run"}}`
	}
	b.agentSays(`{"jsonrpc":"2.0","id":` + id + `,"method":"session/request_permission","params":{"sessionId":"s",` + what + `,` + options + `}}`)
}

// clientSees reads what the client gets up to a mark that the agent sends now.
// The client answers what it is asked.
func (b *bridged) clientSees() (lines []string) {
	b.t.Helper()
	b.agentSays(mark)
	for {
		line := b.gets("client")
		if line == mark {
			return lines
		}
		lines = append(lines, line)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			b.t.Fatalf("the client got %s: %v", line, err)
		}
		switch {
		case m.ID == nil || m.Method == "":
		case m.Method == "session/request_permission":
			b.clientSays(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}`)
		default:
			b.clientSays(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"Method not found"}}`)
		}
	}
}

// agentSees reads what the agent gets up to a mark that the client sends now.
func (b *bridged) agentSees() (lines []string) {
	b.t.Helper()
	b.clientSays(mark)
	for {
		line := b.gets("agent")
		if line == mark {
			return lines
		}
		lines = append(lines, line)
	}
}

// audit checks what each side got in the whole run: that each of its requests was
// answered exactly once, and that each line is of its version.
func (b *bridged) audit() {
	b.t.Helper()
	for side, schema := range map[string]string{"client": "v1.unstable", "agent": "v2.unstable"} {
		if b.client == 2 {
			schema = "v" + string('3'-schema[1]+'0') + schema[2:]
		}
		asked, answered := map[string]int{}, map[string]int{}
		l := schematest.Of(b.t, schema).Listener(b.t)
		for _, line := range b.said[side] {
			said := strings.HasPrefix(line, "> ")
			line = line[2:]
			if said {
				l.Says(line)
			} else if err := l.Gets(line); err != nil {
				b.t.Errorf("the %s got %v", side, err)
			}
			m, err := schematest.Parse(line)
			if err != nil || m["id"] == nil {
				continue
			}
			_, isRequest := m["method"]
			switch {
			case said && isRequest:
				asked[schematest.IDOf(m)]++
			case !said && !isRequest:
				answered[schematest.IDOf(m)]++
			}
		}
		if side == "agent" {
			continue // it may have ended while it was owed an answer
		}
		for id, n := range asked {
			if answered[id] != n {
				b.t.Errorf("request %s of the %s was answered %d times", id, side, answered[id])
			}
		}
	}
}

// In any state of a turn, an agent that ends leaves no request of the client
// unanswered, and the program ends with the agent's status.
func TestAgentEndsInEachState(t *testing.T) {
	states := []struct {
		name    string
		version int // of the client, 0 for both
		reach   func(b *bridged)
	}{
		{"nothing asked", 0, func(b *bridged) {}},
		{"a session is opened", 0, func(b *bridged) { b.clientAsks("session/new", `{"cwd":"/","mcpServers":[]}`); b.agentIsAsked() }},
		{"a prompt is sent", 0, func(b *bridged) { b.clientPrompts(); b.agentIsAsked() }},
		{"a prompt is inserted", 1, func(b *bridged) {
			b.clientPrompts()
			b.agentSays(`{"jsonrpc":"2.0","id":` + b.agentIsAsked() + `,"result":{"messageId":"p"}}`)
		}},
		{"a turn runs", 0, func(b *bridged) { b.clientPrompts(); b.agentTakesPrompt() }},
		{"two prompts", 0, func(b *bridged) {
			b.clientPrompts()
			b.agentTakesPrompt()
			b.clientPrompts()
			b.agentSees()
		}},
		{"permission is asked", 0, func(b *bridged) {
			b.clientPrompts()
			b.agentTakesPrompt()
			b.agentAsksPermission("0")
			for !strings.Contains(b.gets("client"), "request_permission") {
			}
		}},
		{"a turn is cancelled", 0, func(b *bridged) {
			b.clientPrompts()
			b.agentTakesPrompt()
			b.clientCancels()
			b.gets("agent")
		}},
		{"a list is asked for", 0, func(b *bridged) { b.clientAsks("session/list", `{}`); b.agentIsAsked() }},
		{"a session is loaded", 1, func(b *bridged) {
			b.clientAsks("session/load", `{"sessionId":"old","cwd":"/","mcpServers":[]}`)
			b.agentIsAsked()
		}},
		{"a session is resumed", 2, func(b *bridged) {
			b.clientAsks("session/resume", `{"sessionId":"old","cwd":"/","replayFrom":{"type":"start"}}`)
			b.agentIsAsked()
		}},
		{"a turn is over", 0, func(b *bridged) { b.clientPrompts(); b.agentEndsTurn(b.agentTakesPrompt(), "end_turn") }},
	}
	for client := 1; client <= 2; client++ {
		for _, state := range states {
			if state.version != 0 && state.version != client {
				continue
			}
			for end, status := range map[string]int{"exit 3": 3, "kill": killedStatus} {
				t.Run(fmt.Sprintf("client %d/%s/%s", client, state.name, end), func(t *testing.T) {
					t.Parallel()
					b := startBridged(t, client)
					state.reach(b)
					b.agentEnds(end)
					rest := b.getsRest("client")
					b.exits(status)
					b.audit()
					if client == 2 && state.name == "a turn runs" && !strings.Contains(fmt.Sprint(rest), `"stopReason":"error"`) {
						t.Errorf("the client is not told that the turn failed: %q", rest)
					}
				})
			}
		}
	}
}

// An agent that ends during discovery ends the program with its status.
func TestAgentEndsInDiscovery(t *testing.T) {
	for end, status := range map[string]int{"exit 3": 3, "kill": killedStatus} {
		for _, refuses := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/refuses %v", end, refuses), func(t *testing.T) {
				t.Parallel()
				s := startScripted(t, t.TempDir())
				t.Cleanup(s.stop)
				s.clientSays(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
				s.gets("agent")
				refusal := `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params"}}`
				if refuses {
					s.agentSays(refusal)
					s.gets("agent")
					s.agentEnds(end)
					s.agentStarts()
					s.gets("agent")
				}
				s.agentEnds(end)
				if refuses {
					s.expect("client", refusal)
				} else if got := s.gets("client"); !strings.Contains(got, `"id":1,"error"`) || !strings.Contains(got, "before it answered initialize") {
					t.Errorf("the client gets %s", got)
				}
				s.end(status)
			})
		}
	}
}

// An agent that breaks the protocol breaks nothing else: what the client gets
// is of its version, and the next turn is like any other turn.
func TestAgentBreaksTheProtocol(t *testing.T) {
	update := func(session, update string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":` + session + `,"update":` + update + `}}`
	}
	inSession := func(u string) string { return update(`"s"`, u) }
	lines := []string{
		update(`"unknown"`, hello), update(`"unknown"`, idle), update(`7`, hello), update(`null`, hello),
		inSession(`7`), inSession(`null`), inSession(`[]`), inSession(`{}`), inSession(`{"sessionUpdate":7}`),
		inSession(`{"sessionUpdate":"agent_message_chunk"}`), inSession(`{"sessionUpdate":"agent_message_chunk","messageId":7,"content":7}`),
		inSession(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text"}}`),
		inSession(`{"sessionUpdate":"agent_message","messageId":null,"content":"text"}`),
		inSession(`{"sessionUpdate":"user_message","messageId":"u","content":[7,null,{"type":"text","text":7}]}`),
		inSession(`{"sessionUpdate":"tool_call"}`), inSession(`{"sessionUpdate":"tool_call","toolCallId":7,"title":7}`),
		inSession(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":7,"kind":{},"content":7,"locations":"x","title":[]}`),
		inSession(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[7,{"type":"diff"},{"type":"diff","changes":7,"patch":7},` +
			`{"type":"content"},{"type":"terminal","terminalId":7}],"locations":[7,{"path":7,"line":-1}]}`),
		inSession(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":7}`),
		inSession(`{"sessionUpdate":"terminal_update","terminalId":7,"output":7}`),
		inSession(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"%%%"}`),
		inSession(`{"sessionUpdate":"available_commands_update","availableCommands":7}`),
		inSession(`{"sessionUpdate":"available_commands_update","availableCommands":[7,{"name":7},{"name":"a b","description":"d","input":7}]}`),
		inSession(`{"sessionUpdate":"current_mode_update","currentModeId":7}`), inSession(`{"sessionUpdate":"config_option_update","configOptions":7}`),
		inSession(`{"sessionUpdate":"config_option_update","configOptions":[7,{"id":"x"},{"configId":"y","type":"select","options":7},` +
			`{"configId":"z","id":"z","name":"Z","type":"select","currentValue":7,"options":[7]}]}`),
		inSession(`{"sessionUpdate":"session_info_update","title":7,"updatedAt":7}`),
		inSession(`{"sessionUpdate":"usage_update","used":"x","size":-1,"cost":7}`),
		inSession(`{"sessionUpdate":"state_update"}`), inSession(`{"sessionUpdate":"state_update","state":7}`),
		inSession(`{"sessionUpdate":"notice","title":7}`),
		inSession(`{"sessionUpdate":"compaction_update","compactionId":7}`),
		`{"jsonrpc":"2.0","id":999,"result":{}}`, `{"jsonrpc":"2.0","id":"no","error":7}`, `{"jsonrpc":"2.0","id":null,"result":{}}`,
		`{"jsonrpc":"2.0","id":{},"result":{}}`,
		`{"jsonrpc":"2.0","result":{}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`, `{"jsonrpc":"2.0"}`, `{"id":1,"method":7}`,
		`{"method":"session/update"}`,
		`{"jsonrpc":"2.0","method":"session/update","params":[]}`, `{"jsonrpc":"2.0","method":"session/update","params":"s"}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":{}}}`, `{"jsonrpc":"2.0","method":"$/cancel_request","params":7}`,
		`7`, `null`, `"text"`, `[]`, `[7,{}]`, `not json`, `{"jsonrpc":`, `{"a":1}{"b":2}`, "\xff\xfe", strings.Repeat("[", 5000),
		`{"jsonrpc":"2.0","id":101,"method":"session/request_permission","params":{"sessionId":"s"}}`,
		`{"jsonrpc":"2.0","id":102,"method":"session/request_permission","params":7}`,
		`{"jsonrpc":"2.0","id":103,"method":"session/request_permission","params":{"sessionId":"s","title":7,"subject":7,"toolCall":7,"options":7}}`,
		`{"jsonrpc":"2.0","id":104,"method":"session/request_permission","params":{"sessionId":"other","title":"T","toolCall":{"toolCallId":"t"},` +
			`"options":[{"optionId":"y","name":"Y","kind":"allow_once"},{"kind":7}]}}`,
		`{"jsonrpc":"2.0","id":105,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/etc/passwd"}}`,
		`{"jsonrpc":"2.0","id":106,"method":"terminal/create","params":{"sessionId":"s","command":"ls"}}`,
		`{"jsonrpc":"2.0","id":107,"method":"_vendor/ask","params":{}}`, `{"jsonrpc":"2.0","id":108,"method":"elicitation/create","params":7}`,
		`{"jsonrpc":"2.0","id":109,"method":"elicitation/create","params":{"sessionId":"s","mode":7,"requestedSchema":7,"message":7}}`,
	}
	for client := 1; client <= 2; client++ {
		t.Run(fmt.Sprintf("client %d", client), func(t *testing.T) {
			t.Parallel()
			b := startBridged(t, client)
			for _, whileRunning := range []bool{false, true} {
				prompt := ""
				if whileRunning {
					b.clientPrompts()
					prompt = b.agentTakesPrompt()
				}
				for _, line := range lines {
					// Each request has its own id, also in the second round.
					if whileRunning {
						line = strings.Replace(line, `"id":10`, `"id":20`, 1)
					}
					b.agentSays(line)
				}
				b.clientSees()
				b.agentSees()
				if whileRunning {
					b.agentEndsTurn(prompt, "end_turn")
				}
				// A turn as every other.
				b.clientPrompts()
				b.agentEndsTurn(b.agentTakesPrompt(), "end_turn")
				b.clientSees()
				b.agentSees()
			}
			b.audit()
			b.agentRequestsAnswered(t, "10", "20")
			b.end(0)
		})
	}
}

// agentRequestsAnswered checks that the agent was answered all that it asked,
// under ids that begin so.
func (b *bridged) agentRequestsAnswered(t *testing.T, prefixes ...string) {
	t.Helper()
	all := strings.Join(b.said["agent"], "\n")
	for _, prefix := range prefixes {
		for i := 1; i <= 9; i++ {
			id := prefix + fmt.Sprint(i)
			if n := strings.Count(all, `< {"jsonrpc":"2.0","id":`+id+`,"`); n != 1 {
				t.Errorf("request %s of the agent was answered %d times", id, n)
			}
		}
	}
}

// An agent may reuse an id while its first request is open, and answer in any
// order.
func TestAgentReusesIDs(t *testing.T) {
	for client := 1; client <= 2; client++ {
		t.Run(fmt.Sprintf("client %d", client), func(t *testing.T) {
			t.Parallel()
			b := startBridged(t, client)
			b.clientPrompts()
			prompt := b.agentTakesPrompt()
			b.agentAsksPermission("0")
			b.agentAsksPermission("0")
			asked := map[string]bool{}
			for _, line := range b.clientSees() {
				if m, err := schematest.Parse(line); err == nil && m["method"] == "session/request_permission" {
					asked[schematest.IDOf(m)] = true
				}
			}
			if len(asked) != 2 {
				t.Errorf("the client was asked under %d ids", len(asked))
			}
			answers := 0
			for _, line := range b.agentSees() {
				if strings.HasPrefix(line, `{"jsonrpc":"2.0","id":0,"result"`) {
					answers++
				}
			}
			if answers != 2 {
				t.Errorf("the agent got %d answers", answers)
			}
			b.agentEndsTurn(prompt, "end_turn")

			first, second := b.clientAsks("session/list", `{}`), b.clientAsks("session/list", `{}`)
			ids := [2]string{b.agentIsAsked(), b.agentIsAsked()}
			for i, name := range []string{"two", "one"} {
				b.agentSays(`{"jsonrpc":"2.0","id":` + ids[1-i] + `,"result":{"sessions":[{"sessionId":"` + name + `","cwd":"/"}]}}`)
			}
			for _, line := range b.clientSees() {
				for id, name := range map[string]string{first: "one", second: "two"} {
					if strings.Contains(line, `"id":`+id+`,"result"`) && !strings.Contains(line, name) {
						t.Errorf("request %s got %s", id, line)
					}
				}
			}
			b.audit()
			b.end(0)
		})
	}
}

// A client may cancel in every state.
func TestClientCancelsInEachState(t *testing.T) {
	for client := 1; client <= 2; client++ {
		t.Run(fmt.Sprintf("client %d", client), func(t *testing.T) {
			t.Parallel()
			b := startBridged(t, client)
			b.clientCancels() // nothing

			b.clientPrompts() // before it is inserted
			b.clientCancels()
			id := b.agentIsAskedAmong()
			if client == 1 {
				b.agentSays(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32800,"message":"Request cancelled"}}`)
			} else {
				b.agentEndsTurn(id, "cancelled")
			}
			b.clientSees()

			b.clientPrompts() // while it runs, twice
			id = b.agentTakesPromptAmong()
			b.clientCancels()
			b.clientCancels()
			b.agentSees()
			b.agentEndsTurn(id, "cancelled")
			b.clientSees()

			b.clientPrompts() // while permission is asked
			id = b.agentTakesPromptAmong()
			b.agentAsksPermission("0")
			for !strings.Contains(b.gets("client"), "request_permission") {
			}
			b.clientCancels()
			got := strings.Join(b.agentSees(), "\n")
			if dropped := strings.Contains(got, `"id":0,"result":{"outcome":{"outcome":"cancelled"}}`); dropped != (client == 2) {
				t.Errorf("the agent's question was answered for the client: %v, in %s", dropped, got)
			}
			b.agentEndsTurn(id, "cancelled")
			b.clientSees()

			b.clientPrompts() // with another prompt behind it
			id = b.agentTakesPromptAmong()
			b.clientPrompts()
			b.clientCancels()
			for _, line := range b.agentSees() {
				if m, err := schematest.Parse(line); err == nil && m["method"] == "session/prompt" {
					b.agentSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"error":{"code":-32800,"message":"Request cancelled"}}`, m["id"]))
				}
			}
			b.agentEndsTurn(id, "cancelled")
			b.clientSees()

			b.clientPrompts() // and a turn that is not cancelled
			b.agentEndsTurn(b.agentTakesPromptAmong(), "end_turn")
			last := strings.Join(b.clientSees(), "\n")
			if !strings.Contains(last, `"stopReason":"end_turn"`) {
				t.Errorf("the last turn ended with %s", last)
			}
			b.audit()
			b.end(0)
		})
	}
}

// agentIsAskedAmong returns the id of the prompt that the agent gets next, among
// other lines.
func (b *bridged) agentIsAskedAmong() string {
	b.t.Helper()
	for {
		m, err := schematest.Parse(b.gets("agent"))
		if err == nil && m["method"] == "session/prompt" {
			return fmt.Sprint(m["id"])
		}
	}
}

func (b *bridged) agentTakesPromptAmong() string {
	b.t.Helper()
	id := b.agentIsAskedAmong()
	if b.client == 1 {
		b.agentSays(`{"jsonrpc":"2.0","id":` + id + `,"result":{"messageId":"p` + id + `"}}`)
		b.agentUpdates(running)
	}
	b.agentUpdates(hello)
	return id
}

// A line that is too long to be converted is refused if it is a request. If it
// is an answer it becomes an error, and if it is neither it is said to be lost.
func TestBridgedLinesThatAreTooLong(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for client := 1; client <= 2; client++ {
		t.Run(fmt.Sprintf("client %d", client), func(t *testing.T) {
			t.Parallel()
			b := startBridged(t, client, "--max-message=64KiB")
			b.clientAsks("session/prompt", `{"sessionId":"s","prompt":[{"type":"text","text":"`+long+`"}]}`)
			b.clientSays(`{"jsonrpc":"2.0","method":"_test/long","params":{"text":"` + long + `"}}`)
			if got := b.agentSees(); len(got) > 0 {
				t.Errorf("the agent got %q", got)
			}
			b.agentUpdates(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"` + long + `"}}`)
			b.agentSays(`{"jsonrpc":"2.0","id":0,"method":"_test/ask","params":{"text":"` + long + `"}}`)
			b.clientAsks("session/list", `{}`)
			b.agentSays(`{"jsonrpc":"2.0","id":` + b.agentIsAskedLater() + `,"result":{"sessions":[],"_meta":{"text":"` + long + `"}}}`)
			b.clientSees()
			b.agentSees()
			b.audit()
			b.end(0)
			if log := b.stderr.String(); !strings.Contains(log, "longer than --max-message") || !strings.Contains(log, `passed on"=5`) {
				t.Errorf("the five lines are not said to be lost:\n%s", log)
			}
			if !strings.Contains(strings.Join(b.said["agent"], "\n"), `< {"jsonrpc":"2.0","id":0,"error"`) {
				t.Error("the agent's request was not refused")
			}
		})
	}
}

// The id of a line that is too long can be behind what is long, and so can the
// state that ends a turn.
func TestBridgedIDsBehindWhatIsTooLong(t *testing.T) {
	long := `"_meta":{"text":"{` + strings.Repeat(`\"id\":1,`, 50_000) + `"}`
	const why = `"error":{"code":-32600,"message":"the message is longer than --max-message"}}`
	for client := 1; client <= 2; client++ {
		t.Run(fmt.Sprintf("client %d", client), func(t *testing.T) {
			t.Parallel()
			b := startBridged(t, client, "--max-message=64KiB")
			b.clientSays(`{"jsonrpc":"2.0","method":"session/list","params":{` + long + `},"id":"asked"}`)
			b.expect("client", `{"jsonrpc":"2.0","id":"asked",`+why)
			b.agentSays(`{"jsonrpc":"2.0","method":"_test/ask","params":{` + long + `},"id":0}`)
			b.expect("agent", `{"jsonrpc":"2.0","id":0,`+why)

			id := b.clientAsks("_test/ask", `{}`)
			b.agentSays(`{"jsonrpc":"2.0","result":{` + long + `},"id":` + b.agentIsAsked() + `}`)
			b.expect("client", `{"jsonrpc":"2.0","id":`+id+`,`+why)
			b.agentSays(`{"jsonrpc":"2.0","id":"a","method":"_test/ask","params":{}}`)
			b.expect("client", `{"jsonrpc":"2.0","id":$id,"method":"_test/ask","params":{}}`)
			b.clientSays(`{"jsonrpc":"2.0","result":{` + long + `},"id":` + b.chosen["$id"] + `}`)
			b.expect("agent", `{"jsonrpc":"2.0","id":"a",`+why)

			b.clientPrompts()
			id = b.agentTakesPrompt()
			if client == 1 {
				b.agentUpdates(`{` + long + `,"sessionUpdate":"state_update","state":"idle","stopReason":"refusal"}`)
			} else {
				b.agentSays(`{"jsonrpc":"2.0","result":{"stopReason":"refusal",` + long + `},"id":` + id + `}`)
			}
			ended := strings.Join(b.clientSees(), "\n")
			if client == 1 && !strings.Contains(ended, `"stopReason":"refusal"`) || client == 2 && !strings.Contains(ended, `"state":"idle"`) {
				t.Errorf("the turn does not end: %s", ended)
			}
			b.audit()
			b.end(0)
		})
	}
}

// agentIsAskedLater returns the id of the request that the agent gets next, after
// answers.
func (b *bridged) agentIsAskedLater() string {
	b.t.Helper()
	for {
		m, err := schematest.Parse(b.gets("agent"))
		if err == nil && m["method"] != nil {
			return fmt.Sprint(m["id"])
		}
	}
}

// A client writes a huge prompt and reads nothing at the same time, and so does
// the agent: both are served.
func TestBridgedBothWriteAndDoNotRead(t *testing.T) {
	size := 60 << 20
	if raceDetector() {
		size = 4 << 20 // far more than pipes hold, and soon read
	}
	huge := strings.Repeat("x", size)
	for client := 1; client <= 2; client++ {
		t.Run(fmt.Sprintf("client %d", client), func(t *testing.T) {
			b := startBridged(t, client, "--max-message=100MiB")
			written := make(chan struct{})
			go func() {
				defer close(written)
				b.clientAsks("session/prompt", `{"sessionId":"s","prompt":[{"type":"text","text":"`+huge+`"}]}`)
			}()
			b.agentUpdates(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"` + huge + `"}}`)
			b.agentSays(mark)
			<-written
			got := b.gets("client")
			for !strings.Contains(got, huge) || strings.Contains(got, `"user_message"`) {
				got = b.gets("client")
			}
			if got := b.gets("agent"); !strings.Contains(got, huge) {
				t.Errorf("the agent got %d bytes", len(got))
			}
		})
	}
}
