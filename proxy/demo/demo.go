// Package demo shows what the proxy does: a scripted agent, run as a real
// process behind the real proxy, in front of a scripted client.
package demo

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/creachadair/jrpc2"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/transport"
)

// Options say how the demo is run. All fields must be set.
type Options struct {
	Agent  []string      // the command that runs [Agent], without the path
	Client string        // legacy, ops or v2: what the scripted client can show
	Color  bool          // draw with colours
	Proxy  proxy.Options // the demo sets Observe, MaxMessage and Translate.ReadFile
}

// Run plays the demo and writes what happens to w: for each step what the
// agent sent, what the client got, and the plans as an editor would draw them. The
// client then talks to an agent of the other version of the protocol.
// The output is the same each time. The plan file of the script exists in memory
// only, so that nothing is left on the disk however the demo ends.
func Run(w io.Writer, o Options) error {
	fromProxy, proxyOut := io.Pipe()
	proxyIn, toProxy := io.Pipe()
	// The proxy writes messages that came together when it has shown all of them. So
	// it must not wait for one to be drawn, which waits for what the client gets.
	seen := make(chan exchange, len(script))
	o.Proxy.MaxMessage = 1 << 20
	path := filepath.Join(os.TempDir(), "plan.md")
	o.Proxy.Plans.ReadFile = func(string) ([]byte, error) { return []byte(planFile), nil }
	o.Proxy.Observe = func(e proxy.Event) {
		seen <- exchange{sent: bytes.Clone(e.In), copies: bytes.Count(e.Out, []byte("\n"))}
	}
	ran := make(chan error, 1)
	go func() {
		agent := proxy.Agent{Args: append(slices.Clone(o.Agent), path), Stderr: os.Stderr, Grace: 5 * time.Second}
		ran <- runProxy(agent, proxyIn, proxyOut, o.Proxy)
		close(seen)
	}()

	got := make(chan json.RawMessage)
	over := make(chan struct{}) // the client waits for nothing more
	client := jrpc2.NewClient(transport.NewChannel(fromProxy, toProxy), &jrpc2.ClientOptions{
		OnNotify: func(r *jrpc2.Request) {
			var params struct {
				Update json.RawMessage `json:"update"`
			}
			if r.UnmarshalParams(&params) == nil {
				select {
				case got <- params.Update:
				case <-over:
				}
			}
		},
	})
	played := make(chan error, 1)
	go func() {
		played <- converse(client, o.Client)
		close(over)
		client.Close()
	}()

	s := screen{w: w, Painter: terminal.Painter(o.Color)}
	s.intro(o.Client)
	var shown editor
	number := 0
	for e := range seen {
		title := ""
		if number < len(script) {
			title = script[number].title
		}
		number++
		s.step(number, title)
		sent := hideDirectory(update(e.sent))
		s.message("agent sent", sent)
		if e.copies == 0 {
			s.label("client got nothing")
		}
		for range e.copies {
			var u json.RawMessage
			select {
			case u = <-got:
			case <-over:
				continue
			}
			u = hideDirectory(u)
			if bytes.Equal(u, sent) {
				s.label("client got the same")
			} else {
				s.message("client got", u)
			}
			shown.apply(u)
		}
		shown.draw(&s)
	}
	// An agent that has not run is why the client got no answer.
	if err := cmp.Or(<-ran, <-played); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if err := runBridged(&s, o); err != nil {
		return err
	}
	return s.err
}

// runProxy runs an agent behind the proxy. What the client says after that fails.
func runProxy(agent proxy.Agent, in *io.PipeReader, out io.WriteCloser, o proxy.Options) error {
	defer in.Close()
	status, err := proxy.Run(agent, in, out, o)
	if err == nil && status != 0 {
		err = fmt.Errorf("the agent has exited with status %d", status)
	}
	return err
}

// An exchange is a message of the agent, and how many messages the client gets
// for it.
type exchange struct {
	sent   []byte
	copies int
}

// patience is how long the client waits for the answers to all of its requests.
const patience = 30 * time.Second

// converse is the client's side: one prompt turn.
func converse(client *jrpc2.Client, kind string) error {
	self := implementation{"demo-editor", "1.0.0"}
	hello := map[string]any{"protocolVersion": 1, "clientCapabilities": struct{}{}, "clientInfo": self}
	switch kind {
	case "ops":
		hello["clientCapabilities"] = map[string]any{"plan": struct{}{}}
	case "v2":
		hello = map[string]any{"protocolVersion": 2, "capabilities": struct{}{}, "info": self}
	}
	turn := []struct {
		method string
		params any
	}{
		{"initialize", hello},
		{"session/new", map[string]any{"cwd": os.TempDir(), "mcpServers": []any{}}},
		{"session/prompt", map[string]any{"sessionId": sessionID, "prompt": []any{map[string]string{"type": "text", "text": "Make the cache larger."}}}},
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, request := range turn {
		if _, err := client.Call(ctx, request.method, request.params); err != nil {
			return fmt.Errorf("%s: %w", request.method, err)
		}
	}
	return nil
}

// update returns the update in a session/update message.
func update(message []byte) json.RawMessage {
	var m struct {
		Params struct {
			Update json.RawMessage `json:"update"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &m) != nil {
		return nil
	}
	return m.Params.Update
}

// hideDirectory removes the name of the temporary directory from the URI of the
// plan file, because that name differs from machine to machine.
func hideDirectory(update json.RawMessage) json.RawMessage {
	i := bytes.Index(update, []byte("file:///"))
	j := bytes.Index(update, []byte("/plan.md"))
	if i < 0 || j < i {
		return update
	}
	return slices.Concat(update[:i], []byte("file:///tmp"), update[j:])
}
