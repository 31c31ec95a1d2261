package programtest

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
		b.agentSays(`{"jsonrpc":"2.0","id":1000000001,` + one)
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
