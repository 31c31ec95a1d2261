package recording_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
)

const (
	initialize     = `{"id":0,"method":"initialize","params":{"protocolVersion":1}}`
	initialized1   = `{"id":0,"result":{"protocolVersion":1}}`
	initialized2   = `{"id":0,"result":{"protocolVersion":2,"info":{},"capabilities":{}}}`
	prompt         = `{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`
	update         = `{"method":"session/update","params":{"sessionId":"s","update":{}}}`
	idleUpdate     = `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}`
	promptResponse = `{"id":1,"result":{"stopReason":"end_turn"}}`
)

// directed returns lines with directions. The first letter is c for client, or a for agent.
func directed(lines ...string) (out []string) {
	for _, line := range lines {
		sender, message, _ := strings.Cut(line, " ")
		out = append(out, fmt.Sprintf(`{"dir":%q,"t":1500,"line":%q}`, map[string]string{"c": "c2a", "a": "a2c"}[sender], message))
	}
	return out
}

// event returns the line of a request in a trace.
func event(from, to trace.Component, rest string) string {
	return fmt.Sprintf(`{"type":"request","ts":1,"from":%q,"to":%q,%s}`, from, to, rest)
}

// follow describes each message of a recording as a follower sees it.
func follow(lines []string, seen trace.Component) (described []string) {
	var follower recording.Follower
	for i, line := range lines {
		if m := recording.Parse([]byte(line), seen); m != nil {
			m.Line = i + 1
			follower.Follow(m)
			s := fmt.Sprintf("%s>%s %s", m.From, m.To, m.CalledMethod())
			if m.Type == trace.Response && m.Request != nil {
				s += fmt.Sprintf(" answers %d", m.Request.Line)
			}
			if m.Session != "" {
				s += " of " + m.Session
			}
			if m.Version != 0 {
				s += fmt.Sprintf(" v%d", m.Version)
			}
			if m.Turn != nil {
				s += fmt.Sprintf(" turn %d", m.Turn.Prompt.Line)
			}
			if m.Stop != "" {
				s += " stops: " + m.Stop
			}
			described = append(described, s)
		}
	}
	return described
}

func TestFollower(t *testing.T) {
	tests := []struct {
		name  string
		seen  trace.Component
		lines []string
		want  []string
	}{
		{"a turn of version 1", "", directed("c "+initialize, "a "+initialized1, "c "+prompt, "a "+update, "a "+promptResponse, "a "+update), []string{
			"Client>Agent initialize", "Agent>Client initialize answers 1 v1", "Client>Agent session/prompt of s v1 turn 3",
			"Agent>Client session/update of s v1 turn 3", "Agent>Client session/prompt answers 3 of s v1 turn 3 stops: end_turn", "Agent>Client session/update of s v1",
		}},
		{"a turn of version 2", "", directed("c "+initialize, "a "+initialized2, "c "+prompt, `a {"id":1,"result":{}}`, "a "+idleUpdate), []string{
			"Client>Agent initialize", "Agent>Client initialize answers 1 v2", "Client>Agent session/prompt of s v2 turn 3",
			"Agent>Client session/prompt answers 3 of s v2 turn 3", "Agent>Client session/update of s v2 turn 3 stops: idle",
		}},
		{"a version number without the other members of version 2", "", directed("c "+initialize, `a {"id":0,"result":{"protocolVersion":2}}`), []string{
			"Client>Agent initialize", "Agent>Client initialize answers 1 v1",
		}},
		{"a further prompt is refused during a turn", "", directed("c "+prompt, strings.Replace("c "+prompt, "1", "2", 1), `a {"id":2,"error":{}}`, `a {"id":1,"error":{}}`), []string{
			"Client>Agent session/prompt of s turn 1", "Client>Agent session/prompt of s turn 1",
			"Agent>Client session/prompt answers 2 of s turn 1", "Agent>Client session/prompt answers 1 of s turn 1 stops: error",
		}},
		{"lines without directions", "", []string{
			prompt, `{"id":1,"method":"fs/read_text_file"}`, `{"id":1,"result":{"content":"x"}}`, promptResponse, `{"id":9,"result":{"outcome":{}}}`, "text", `$ {"jsonrpc":"2.0","method":"session/cancel"}`,
		}, []string{
			"Client>Agent session/prompt of s turn 1", "Agent>Client fs/read_text_file", "Client>Agent fs/read_text_file answers 2",
			"Agent>Client session/prompt answers 1 of s turn 1 stops: end_turn", "Agent>Client ", "Client>Agent session/cancel",
		}},
		{"a request of the agent without a response", "", []string{
			prompt, `{"id":1,"method":"fs/read_text_file"}`, promptResponse,
		}, []string{
			"Client>Agent session/prompt of s turn 1", "Agent>Client fs/read_text_file", "Agent>Client session/prompt answers 1 of s turn 1 stops: end_turn",
		}},
		{"the two legs of a bridge", "", []string{
			event(trace.Client, trace.Proxy, `"id":0,"method":"initialize"`), event(trace.Proxy, trace.Agent, `"id":"p","method":"initialize"`),
			strings.Replace(event(trace.Agent, trace.Proxy, `"id":"p","payload":{"protocolVersion":2,"info":{}}`), "request", "response", 1),
			strings.Replace(event(trace.Proxy, trace.Client, `"id":0,"payload":{"protocolVersion":1}`), "request", "response", 1),
			event(trace.Agent, trace.Client, `"id":5,"method":"m"`), strings.Replace(event(trace.Client, trace.Proxy, `"id":5,"payload":{}`), "request", "response", 1),
		}, []string{
			"Client>Proxy initialize", "Proxy>Agent initialize", "Agent>Proxy initialize answers 2 v2", "Proxy>Client initialize answers 1 v1",
			"Agent>Client m v2", "Client>Proxy m answers 5 v1",
		}},
		{"the initialize of an MCP server", "", []string{
			event(trace.Client, trace.Agent, `"id":0,"method":"initialize"`),
			strings.Replace(event(trace.Agent, trace.Client, `"id":0,"payload":{"protocolVersion":2,"info":{}}`), "request", "response", 1),
			event(trace.Client, trace.Agent, `"protocol":"mcp","id":1,"method":"initialize"`),
			strings.Replace(event(trace.Agent, trace.Client, `"id":1,"payload":{"protocolVersion":"2025-06-18"}`), "request", "response", 1),
			event(trace.Agent, trace.Client, `"id":5,"method":"m"`),
		}, []string{
			"Client>Agent initialize", "Agent>Client initialize answers 1 v2", "Client>Agent initialize v2", "Agent>Client initialize answers 3 v2",
			"Agent>Client m v2",
		}},
		{"the agent's leg of a bridge", trace.Agent, []string{
			event(trace.Client, trace.Proxy, `"id":0,"method":"a"`), event(trace.Proxy, trace.Agent, `"id":1,"method":"b"`),
			strings.Replace(event(trace.Agent, trace.Proxy, `"id":1,"payload":{}`), "request", "response", 1),
		}, []string{"Client>Agent b", "Agent>Client b answers 2"}},
		{"names beyond the limits", "", directed(
			`c {"id":1,"method":"`+strings.Repeat("m", 257)+`"}`, `a {"id":1,"result":{}}`,
			`c {"id":2,"method":"session/prompt","params":{"sessionId":"`+strings.Repeat("s", 1025)+`"}}`, `a {"id":2,"result":{}}`,
		), []string{
			"Client>Agent " + strings.Repeat("m", 257), "Agent>Client ",
			"Client>Agent session/prompt of " + strings.Repeat("s", 1025), "Agent>Client session/prompt answers 3",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, follow(tt.lines, tt.seen)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestEviction checks that old pending requests and sessions are evicted.
func TestEviction(t *testing.T) {
	var follower recording.Follower
	follow := func(kind string, i int) recording.Message {
		m := recording.Message{Event: trace.Event{Type: kind, From: trace.Client, To: trace.Proxy, ID: fmt.Append(nil, i), Method: "m"}}
		if kind == trace.Response {
			m.From, m.To = trace.Proxy, trace.Client
		} else {
			m.Session = fmt.Sprint("s", i)
		}
		follower.Follow(&m)
		return m
	}
	first := follow(trace.Request, 0)
	for i := 1; i < 20000; i++ {
		follow(trace.Request, i)
	}
	if follow(trace.Response, 0).Request == first.Request || follow(trace.Response, 19999).Request == nil {
		t.Error("the first of 20000 requests is not evicted, or the last is")
	}
	if follow(trace.Request, 0).SessionState.Number != 20001 || follow(trace.Request, 19999).SessionState.Number != 20000 {
		t.Error("the first of 20000 sessions is not evicted, or the last is")
	}
}

// TestParseIncomplete: players rely on complete messages, so Parse rejects all others.
func TestParseIncomplete(t *testing.T) {
	for _, line := range []string{
		`{"type":"request","from":"Client","to":"Agent","method":"a"}`, `{"type":"request","from":"Client","to":"Agent","id":1}`,
		`{"type":"response","from":"Agent","to":"Client","payload":{}}`, `{"type":"notification","from":"Agent","to":"Client"}`,
	} {
		if m := recording.Parse([]byte(line), ""); m != nil {
			t.Errorf("%s: %+v", line, m)
		}
	}
}
