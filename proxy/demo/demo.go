// Package demo plays built-in recordings of agents to an editor without the proxy and to one
// with it, and draws both screens.
package demo

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/conversation"
	"acp-plan-proxy/proxy/recording/play"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/vendors"
)

// Options configure the demo. All fields must be set.
type Options struct {
	Client string               // legacy, ops or v2
	Color  bool                 // draw with colours
	Width  int                  // of a line, in characters
	Proxy  conversation.Options // the demo sets Bridge, Vendors, MaxMessage and Plans.ReadFile
}

// A Client is an editor.
type Client struct {
	Hello   string // params of its initialize request, an object
	NoPanel bool   // shows no plans, but their texts if they come as messages
}

// Request returns the client's initialize request.
func (c Client) Request() capabilities.Request {
	r, _ := capabilities.ReadRequest([]byte(c.Hello))
	return r
}

// HasForms reports whether the client shows forms.
func (c Client) HasForms() bool { return c.Request().Offers&capabilities.OfferForms != 0 }

// A namedClient is a row of the table of editors.
type namedClient struct {
	Client
	name    string
	heading string // of the summary, for readers without knowledge of the protocol
}

var clients = []namedClient{
	{Client{Hello: `{"protocolVersion":1,"clientInfo":{"name":"demo-editor","version":"1.0.0"},"clientCapabilities":{}}`},
		"legacy", "What an editor shows of agents' plans, if it knows only the oldest kind:"},
	{Client{Hello: `{"protocolVersion":1,"clientInfo":{"name":"demo-editor","version":"1.0.0"},"clientCapabilities":{"plan":{}}}`},
		"ops", "What an editor shows of agents' plans, if it knows plans with ids, in version 1:"},
	{Client{Hello: `{"protocolVersion":2,"info":{"name":"demo-editor","version":"1.0.0"},"capabilities":{}}`},
		"v2", "What an editor shows of agents' plans, if it speaks version 2 of the protocol:"},
}

func clientNamed(name string) namedClient {
	return clients[slices.IndexFunc(clients, func(c namedClient) bool { return c.name == name })]
}

// A scene is a row of the summary.
type scene struct {
	recording string // name of a built-in recording
	title     string
	client    string // of a pair with different versions; empty for a scene with a plan
}

// scenes lists the rows of the summary.
var scenes = []scene{
	{"legacy-plan", "A list", ""},
	{"items-plan", "A list with an id", ""},
	{"markdown-plan", "A text in markdown", ""},
	{"file-plan", "A file", ""},
	{"statuses", "New statuses, in version 2", ""},
	{"opencode-todos", "Todos in tool calls, as opencode has them", ""},
	{"cursor-plan", "A plan to approve, as Cursor asks for it", ""},
	{"edit-v2", "An agent of version 2, an editor of version 1", "legacy"},
	{"edit", "An agent of version 1, an editor of version 2", "v2"},
}

// Run writes to w the screens of an editor for each kind of plan, and for pairs of an editor
// and an agent of different versions. The output is always the same: Run reads only recordings
// in the program, and starts no process.
func Run(w io.Writer, o Options) error {
	const minWidth, maxWidth = 40, 100 // so that the table is readable
	width := max(minWidth, min(o.Width, maxWidth))
	column := min(24, width*3/10)
	table := terminal.NewTable(w, o.Color, column, column, width-2*column)
	chosen := clientNamed(o.Client)
	o.Proxy.Bridge, o.Proxy.Vendors = conversation.BridgeAuto, vendors.Auto
	table.Text(chosen.heading)
	table.Row(table.Cell(0, terminal.Bold, "the agent has"), table.Cell(1, terminal.Bold, "without the proxy"), table.Cell(2, terminal.Bold, "with acp-plan-proxy"))
	table.Rule()
	inPairs := false
	for _, row := range scenes {
		shown, draw := chosen, (*editor).drawPlan
		if row.client != "" {
			shown, draw = clientNamed(row.client), (*editor).drawTurn
			if !inPairs {
				inPairs = true
				table.Rule()
			}
		}
		without, with, err := playBoth(play.Builtin(row.recording), shown.Client, o.Proxy)
		if err != nil {
			return fmt.Errorf("demo: %w", err)
		}
		table.Row(table.Cell(0, terminal.Bold, row.title), draw(&without, column), draw(&with, width-2*column))
	}
	table.Rule()
	table.Text(`Next: put "acp-plan-proxy --" in front of the agent's command in your editor's settings; "settings" prints them.`)
	if table.Err != nil {
		return fmt.Errorf("demo: %w", table.Err)
	}
	return nil
}

// planFile is the text that every plan file has.
const planFile = "# Release notes\n\n1. Collect the merged changes\n2. Write the summary\n"

// Seen describes the screen of an editor after a turn.
type Seen struct {
	Connected bool
	Plan      bool // a plan is shown
	Asked     bool // a question can be answered
}

// Watch plays a built-in recording to an editor without the proxy and with it, and describes
// the two screens. The agent responds to initialize as in another recording, handshake.
func Watch(handshake []byte, name string, c Client, o conversation.Options) (without, with Seen, err error) {
	text := bytes.Clone(handshake)
	for line := range bytes.Lines(play.Builtin(name)) {
		if !bytes.Contains(line, []byte(`"method":"initialize"`)) {
			text = append(text, line...)
		}
	}
	o.Bridge = conversation.BridgeAuto
	direct, proxied, err := playBoth(text, c, o)
	return direct.seen(), proxied.seen(), err
}

// playBoth plays the agent of a recording to an editor without the proxy and to one with it.
func playBoth(text []byte, c Client, o conversation.Options) (without, with editor, err error) {
	o.MaxMessage = 1 << 20
	o.Plans.ReadFile = func(string) ([]byte, error) { return []byte(planFile), nil }
	text = bytes.ReplaceAll(text, []byte("file://"), []byte(fileScheme()))
	without, with = editor{Client: c}, editor{Client: c}
	if err = without.talk(text, nil); err == nil {
		err = with.talk(text, &o)
	}
	return without, with, err
}

// talk connects the editor to the agent of a recording, through a proxy with options o unless they
// are nil, creates a session and sends a prompt. When the proxy starts the agent again, the
// recording is played from its beginning.
func (e *editor) talk(text []byte, o *conversation.Options) error {
	agent, err := play.NewLocal(text)
	if err != nil {
		return err
	}
	type message struct {
		to   translate.Side
		line []byte
	}
	var queue []message
	deliver := func(to translate.Side, lines []byte) {
		for line := range bytes.Lines(lines) {
			queue = append(queue, message{to, line})
		}
	}
	var proxy *conversation.Local
	if o != nil {
		proxy = conversation.NewLocal(*o, deliver)
		defer proxy.Close()
	}
	send := func(from translate.Side, lines []byte) {
		if proxy == nil {
			deliver(from.Other(), lines)
			return
		}
		for line := range bytes.Lines(lines) {
			proxy.Pass(from, line)
		}
	}
	send(translate.Client, request(0, "initialize", e.Hello))
	for again := true; again; {
		for ; len(queue) > 0; queue = queue[1:] {
			switch m := queue[0]; m.to {
			case translate.Agent:
				send(translate.Agent, agent.Pass(m.line))
			case translate.Client:
				send(translate.Client, e.receive(m.line))
			}
		}
		if again = proxy != nil && proxy.AgentEnded(); again {
			agent, err = play.NewLocal(text)
		}
	}
	for _, m := range queue {
		e.receive(m.line)
	}
	return err
}

// fileScheme returns the prefix that makes the URI of an absolute path on this system from a
// Unix path.
func fileScheme() string {
	if runtime.GOOS == "windows" {
		return "file:///C:"
	}
	return "file://"
}
