package demo

import (
	"bytes"
	"cmp"
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
	"github.com/creachadair/jrpc2/channel"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/transport"
)

// A scene is one prompt turn between a client of a version and an agent that
// speaks only the other version.
type scene struct{ agent, title string }

func sceneOf(client string) scene {
	if client == "v2" {
		return scene{Version1, "it speaks version 1 of the protocol, the editor version 2"}
	}
	return scene{Version2, "it speaks version 2 of the protocol, the editor version 1"}
}

// runBridged plays the scene and shows every message that does not pass as it
// is.
func runBridged(s *screen, o Options) error {
	fromProxy, proxyOut := io.Pipe()
	proxyIn, toProxy := io.Pipe()
	scene := sceneOf(o.Client)
	var events []proxy.Event
	o.Proxy.Bridge, o.Proxy.ObserveAll = proxy.BridgeAuto, true
	seen := make(chan proxy.Event, 1)
	o.Proxy.Observe = func(e proxy.Event) {
		seen <- proxy.Event{FromClient: e.FromClient, Action: e.Action, In: bytes.Clone(e.In), Out: bytes.Clone(e.Out)}
	}
	ran := make(chan error, 1)
	go func() {
		agent := proxy.Agent{Args: append(slices.Clone(o.Agent), scene.agent), Stderr: os.Stderr, Grace: 5 * time.Second}
		ran <- runProxy(agent, proxyIn, proxyOut, o.Proxy)
		close(seen)
	}()
	played := make(chan error, 1)
	go func() { played <- playBridged(transport.NewChannel(fromProxy, toProxy), o.Client) }()
	for e := range seen {
		events = append(events, withoutDelay(e)...)
	}
	if err := cmp.Or(<-ran, <-played); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	title := "── Another agent: " + scene.title + " "
	s.println("")
	s.println(s.Paint(terminal.Bold, title+strings.Repeat("─", width-utf8.RuneCountInString(title))))
	for _, e := range events {
		s.event(e)
	}
	return nil
}

// playBridged is the client's side, to the end of the turn: in version 2 that is
// not the prompt's answer.
func playBridged(c channel.Channel, kind string) error {
	idle, end := context.WithCancel(context.Background())
	client := jrpc2.NewClient(c, &jrpc2.ClientOptions{
		OnNotify: func(r *jrpc2.Request) {
			if strings.Contains(r.ParamString(), `"state":"idle"`) {
				end()
			}
		},
		OnCallback: func(context.Context, *jrpc2.Request) (any, error) {
			return map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": "y"}}, nil
		},
		OnStop: func(*jrpc2.Client, error) { end() },
	})
	err := converse(client, kind)
	if err == nil && kind == "v2" {
		select {
		case <-idle.Done():
		case <-time.After(patience):
			err = errors.New("the turn does not end")
		}
	}
	client.Close()
	return err
}

// withoutDelay splits what the proxy sends for the agent's first message: the
// acknowledgement of the prompt becomes an event of its own. The proxy sends it
// by itself if the message is late, and the demo shows the same either way.
func withoutDelay(e proxy.Event) []proxy.Event {
	lines := bytes.SplitAfter(e.Out, []byte("\n"))
	taken := slices.IndexFunc(lines, func(line []byte) bool { return bytes.Contains(line, []byte(`"state":"running"`)) })
	if e.FromClient || len(e.In) == 0 || taken < 0 || !bytes.Contains(lines[0], []byte(`"user_message"`)) {
		return []proxy.Event{e}
	}
	own := proxy.Event{Action: e.Action, Out: bytes.Join(lines[:taken+1], nil)}
	e.Out = bytes.Join(lines[taken+1:], nil)
	return []proxy.Event{own, e}
}

// event shows a message and what left in its place. It leaves out messages that
// passed as they are, and those about the session, which tell nothing.
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
	default:
		label := to + " got"
		if len(in) == 0 {
			label += " from the proxy itself"
		}
		for _, m := range out {
			s.message(label, hideIDs(spoken(m)))
		}
	}
}

// spoken returns a message without what all messages have.
func spoken(message []byte) json.RawMessage {
	return bytes.Replace(bytes.TrimSpace(message), []byte(`"jsonrpc":"2.0",`), nil, 1)
}

// hideIDs removes the random part of the ids that the proxy gives to messages.
func hideIDs(message json.RawMessage) json.RawMessage {
	const name, random = `"messageId":"`, 26
	i := bytes.Index(message, []byte(name))
	if i < 0 {
		return message
	}
	i += len(name)
	end := i + bytes.IndexByte(message[i:], '"')
	if end-i < random {
		return message
	}
	return slices.Concat(message[:end-random], []byte("RANDOM"), message[end:])
}
