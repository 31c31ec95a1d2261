package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/creachadair/jrpc2"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/transport"
)

// Version2 as the path makes [Agent] one that speaks nothing but version 2 of the
// protocol.
const Version2 = "version-2"

// turn2 is what that agent says in a turn. The empty line is where it waits for
// the answer to its permission request.
const turn2 = `{"method":"session/update","params":{"sessionId":"demo","update":{"sessionUpdate":"state_update","state":"running"}}}
{"method":"session/update","params":{"sessionId":"demo","update":{"sessionUpdate":"tool_call_update","toolCallId":"edit","title":"Edit cache.go","kind":"edit","status":"pending","content":[{"type":"diff","changes":[{"operation":"modify","path":"/src/cache.go"}],"patch":{"format":"git_patch","text":"diff --git /src/cache.go /src/cache.go\n--- /src/cache.go\n+++ /src/cache.go\n@@ -1 +1 @@\n-size := 10\n+size := 1000\n"}}]}}}
{"id":"may-i","method":"session/request_permission","params":{"sessionId":"demo","title":"Edit cache.go","subject":{"type":"tool_call","toolCall":{"toolCallId":"edit"}},"options":[{"optionId":"y","name":"Allow","kind":"allow_once"},{"optionId":"n","name":"Reject","kind":"reject_once"}]}}

{"method":"session/update","params":{"sessionId":"demo","update":{"sessionUpdate":"tool_call_update","toolCallId":"edit","status":"completed"}}}
{"method":"session/update","params":{"sessionId":"demo","update":{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"The cache holds more now."}]}}}
{"method":"session/update","params":{"sessionId":"demo","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
`

// version2Agent plays the agent of version 2.
func version2Agent(in io.Reader, out io.Writer) error {
	script := strings.Split(turn2, "\n")
	said := 0
	turn := func() (text string) {
		for ; said < len(script) && script[said] != ""; said++ {
			text += `{"jsonrpc":"2.0",` + script[said][1:] + "\n"
		}
		said++
		return text
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion int }
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer := func(member, value string) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"%s":%s}`+"\n", m.ID, member, value)
		}
		text := ""
		switch {
		case m.Method == "":
			text = turn()
		case m.Method == "initialize" && m.Params.ProtocolVersion != 2:
			text = answer("error", `{"code":-32602,"message":"unsupported protocol version","data":{"supported":[2]}}`)
		case m.Method == "initialize":
			text = answer("result", `{"protocolVersion":2,"capabilities":{},"info":{"name":"new-agent","version":"2.0.0"}}`)
		case m.Method == "session/new":
			text = answer("result", `{"sessionId":"demo"}`)
		case m.Method == "session/prompt":
			text = answer("result", `{"messageId":"p"}`) + turn()
		default:
			text = answer("error", `{"code":-32601,"message":"method not found"}`)
		}
		if _, err := io.WriteString(out, text); err != nil {
			return fmt.Errorf("demo agent: %w", err)
		}
	}
	return nil
}

// runBridged plays the scene of a client of version 1 and an agent of version 2:
// one prompt turn, of which everything is shown that does not pass as it is.
func runBridged(s *screen, o Options) error {
	fromProxy, proxyOut := io.Pipe()
	proxyIn, toProxy := io.Pipe()
	var events []proxy.Event
	o.Proxy.Bridge, o.Proxy.ObserveAll = proxy.BridgeAuto, true
	seen := make(chan proxy.Event, 1)
	o.Proxy.Observe = func(e proxy.Event) {
		seen <- proxy.Event{FromClient: e.FromClient, Action: e.Action, In: bytes.Clone(e.In), Out: bytes.Clone(e.Out)}
	}
	ran := make(chan error, 1)
	go func() {
		agent := proxy.Agent{Args: append(slices.Clone(o.Agent), Version2), Stderr: os.Stderr, Grace: 5 * time.Second}
		_, err := proxy.Run(agent, proxyIn, proxyOut, o.Proxy)
		close(seen)
		ran <- err
	}()
	played := make(chan error, 1)
	go func() {
		client := jrpc2.NewClient(transport.NewChannel(fromProxy, toProxy), &jrpc2.ClientOptions{
			OnNotify: func(*jrpc2.Request) {},
			OnCallback: func(context.Context, *jrpc2.Request) (any, error) {
				return map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": "y"}}, nil
			},
		})
		played <- converse(client, o.Client)
		client.Close()
	}()
	for e := range seen {
		events = append(events, e)
	}
	if err := errors.Join(<-played, <-ran); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	const title = "── Another agent: it speaks version 2 of the protocol, the editor version 1 "
	s.println("")
	s.println(s.Paint(terminal.Bold, title+strings.Repeat("─", width-utf8.RuneCountInString(title))))
	for _, e := range events {
		s.event(e)
	}
	return nil
}

// event shows a message and what left in its place, unless it passed as it is or
// is about the session, which tells nothing.
func (s *screen) event(e proxy.Event) {
	from, to := "agent", "client"
	if e.FromClient {
		from, to = to, from
	}
	in := spoken(e.In)
	if bytes.Contains(in, []byte(`"session/new"`)) || bytes.Contains(in, []byte(`"result":{"sessionId"`)) {
		return
	}
	out := bytes.Split(bytes.TrimSpace(e.Out), []byte("\n"))
	if len(in) > 0 && (len(out) == 1 && bytes.Equal(spoken(out[0]), in)) {
		if !bytes.Contains(in, []byte(`"initialize"`)) {
			return
		}
		s.message(from+" sent, and the "+to+" got", in)
		return
	}
	if len(in) > 0 {
		s.message(from+" sent", in)
	}
	switch {
	case len(bytes.TrimSpace(e.Out)) == 0:
		s.label(to + " got nothing")
	case len(in) == 0:
		s.message(to+" got from the proxy itself", spoken(out[0]))
	default:
		for _, m := range out {
			s.message(to+" got", spoken(m))
		}
	}
}

// spoken returns a message without what all messages have.
func spoken(message []byte) json.RawMessage {
	return bytes.Replace(bytes.TrimSpace(message), []byte(`"jsonrpc":"2.0",`), nil, 1)
}
