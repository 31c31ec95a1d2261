// Package demo shows what the proxy does: scripted agents, run as real processes
// behind the real proxy, in front of a scripted client.
package demo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/transport"
)

// Options say how the demo is run. All fields must be set.
type Options struct {
	Agent   []string      // the command that runs [Agent], without the path
	Client  string        // legacy, ops or v2: what the scripted client can show
	Color   bool          // draw with colours
	Width   int           // of the screen; at most so many characters are in a line of the summary
	Verbose bool          // show all messages, not only what comes of them
	Proxy   proxy.Options // the demo sets Observe, ObserveAll, Bridge, Vendors, MaxMessage and Plans.ReadFile
}

// A client is what the scripted client can show.
type client struct {
	shows   string // in words
	hello   string // the params of its initialize
	bridged string // the conversation in which it needs a bridge
	version int    // of the protocol
	kinds   string // of updates with plans, those that it knows
}

var clients = map[string]client{
	"legacy": {`knows only the session update "plan"`,
		`{"clientCapabilities":{},"clientInfo":{"name":"demo-editor","version":"1.0.0"},"protocolVersion":1}`, Version2,
		1, "plan"},
	"ops": {"advertises plan operations (protocol version 1)",
		`{"clientCapabilities":{"plan":{}},"clientInfo":{"name":"demo-editor","version":"1.0.0"},"protocolVersion":1}`, Version2,
		1, "plan plan_update plan_removed"},
	"v2": {"speaks protocol version 2",
		`{"capabilities":{},"info":{"name":"demo-editor","version":"1.0.0"},"protocolVersion":2}`, Version1,
		2, "plan_update plan_removed"},
}

// Run plays the demo and writes what happens to w: for each kind of plan, and for an
// editor and an agent of different versions of the protocol, what the editor shows
// without the proxy and with it. Verbose tells it in full.
// The output is the same each time. The plan file of the script exists in memory
// only, so that nothing is left on the disk however the demo ends.
func Run(w io.Writer, o Options) error {
	s := screen{w: w, Painter: terminal.Painter(o.Color)}
	run := o.summary
	if o.Verbose {
		run = o.verbose
	}
	if err := run(&s); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return s.err
}

// verbose shows for each step what the agent sent, what the client got, and the plans as
// an editor would draw them. The client then talks to an agent of the other version of
// the protocol.
func (o Options) verbose(s *screen) error {
	client := clients[o.Client]
	s.println("A scripted agent behind acp-plan-proxy, in front of an editor that\n" + client.shows + ".")
	steps := conversations[Plans].steps()
	if err := o.play(Plans, client, s.steps(steps)); err != nil {
		return err
	}
	s.heading(conversations[client.bridged].title)
	o.Proxy.Bridge, o.Proxy.ObserveAll = proxy.BridgeAuto, true
	return o.play(client.bridged, client, s.exchange)
}

// patience is how long a turn may take.
const patience = 30 * time.Second

// play plays a conversation with this client, and shows its events.
func (o Options) play(name string, client client, show func(proxy.Event)) error {
	path := name
	if name == Plans {
		path = planPath()
	}
	// The screen may be slow. It does not hold up the turn. What reads from the client may
	// outlive the run, and see something.
	seen, over := make(chan proxy.Event, 100), make(chan struct{})
	o.Proxy.Observe = func(e proxy.Event) {
		e.In, e.Out = bytes.Clone(e.In), bytes.Clone(e.Out)
		select {
		case seen <- e:
		case <-over:
		}
	}
	o.Proxy.MaxMessage = 1 << 20
	o.Proxy.Plans.ReadFile = func(string) ([]byte, error) { return []byte(planFile), nil }
	in, toProxy := io.Pipe()
	fromProxy, out := io.Pipe()
	ran, played := make(chan error, 1), make(chan error, 1)
	go func() {
		ran <- o.run(path, in, out)
		close(over)
	}()
	go func() {
		defer time.AfterFunc(patience, func() { toProxy.Close() }).Stop()
		played <- converse(transport.NewChannel(fromProxy, toProxy), client.hello, conversations[name].answers)
		toProxy.Close()
		io.Copy(io.Discard, fromProxy)
	}()
	showAll(seen, over, show)
	// An agent that has not run is why the client got no answer.
	return cmp.Or(<-ran, <-played)
}

// showAll shows events until it is over, and those that wait then.
func showAll(seen <-chan proxy.Event, over <-chan struct{}, show func(proxy.Event)) {
	for {
		select {
		case e := <-seen:
			show(e)
		case <-over:
			for len(seen) > 0 {
				show(<-seen)
			}
			return
		}
	}
}

// run runs the agent of a conversation behind the proxy. What the client says after that
// fails.
func (o Options) run(path string, in *io.PipeReader, out io.WriteCloser) error {
	defer in.Close()
	agent := proxy.Agent{Args: append(slices.Clone(o.Agent), path), Stderr: os.Stderr, Grace: 5 * time.Second}
	status, err := proxy.Run(agent, in, out, o.Proxy)
	if err == nil && status != 0 {
		err = fmt.Errorf("the agent has exited with status %d", status)
	}
	return err
}

// planPath is the absolute path of the plan file.
func planPath() string { return filepath.VolumeName(os.TempDir()) + "/tmp/plan.md" }

// converse is the client's side, to the end of the turn.
func converse(c *transport.Channel, hello string, answers []string) error {
	requests := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + hello + `}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/tmp","mcpServers":[]}}`,
		`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"prompt":[{"text":"Make the cache larger.","type":"text"}],"sessionId":"demo"}}`,
	}
	err := c.Send([]byte(requests[0]))
	for err == nil {
		var record []byte
		if record, err = c.Recv(); err != nil {
			break
		}
		var m message
		json.Unmarshal(record, &m)
		switch {
		case m.Error != nil:
			return m.Error
		case m.Method == "" && len(requests) > 1:
			requests = requests[1:]
			err = c.Send([]byte(requests[0]))
		case bytes.Contains(record, []byte(`"stopReason"`)): // of the answer or, in version 2, of an update
			return nil
		case m.Method != "" && m.ID != nil && len(answers) > 0:
			err = c.Send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s`, m.ID, answers[0][1:]))
			answers = answers[1:]
		}
	}
	return fmt.Errorf("the turn does not end: %w", err)
}
