// Package demo shows what the proxy does: recorded conversations go through the proxy
// once more, and an editor is drawn that got what the agent sent, beside one that got
// what the proxy made of it.
//
// The folder recordings has traces in two parts that fit together: a handshake between
// an agent (of version 1, old; of version 2, new; of both) and a client, and a turn. A
// turn that is different in version 2 has a second file.
package demo

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"runtime"
	"slices"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/translate/vendors"
)

// Options say how the demo is run. All fields must be set.
type Options struct {
	Client  string        // legacy, ops or v2: what the recorded client can show
	Color   bool          // draw with colours
	Width   int           // of the screen; at most so many characters are in a line of the summary
	Verbose bool          // show all messages, not only what comes of them
	Proxy   proxy.Options // the demo sets Observe, ObserveAll, Bridge, Vendors, MaxMessage and Plans.ReadFile
}

// A Client is what an editor can show.
type Client struct {
	Version int  // of the protocol
	Lists   bool // it shows plans that are the session update "plan" alone, else those of the latest draft
	Forms   bool // it shows forms
}

// The kinds of clients that initialize tells apart.
var (
	Legacy     = Client{Version: 1, Lists: true}
	Operations = Client{Version: 1}
	Version2   = Client{Version: 2}
)

// A client is one that was recorded.
type client struct {
	Client
	name    string
	shows   string // in words
	heading string // of the summary, for people who do not know the protocol
}

var clients = []client{
	{Legacy, "legacy", `knows only the session update "plan"`,
		"What an editor shows of agents' plans, if it knows only the oldest kind:"},
	{Operations, "ops", "advertises plan operations (protocol version 1)",
		"What an editor shows of agents' plans, if it knows plans with ids, in version 1:"},
	{Version2, "v2", "speaks protocol version 2",
		"What an editor shows of agents' plans, if it speaks version 2 of the protocol:"},
}

func clientNamed(name string) client {
	return clients[slices.IndexFunc(clients, func(c client) bool { return c.name == name })]
}

// A scene is a recording, and a row of the summary.
type scene struct {
	turn, agent string
	title       string
	client      string // of a pair of different versions; if it is empty, the scene has a plan
}

// scenes are the rows of the summary, in their order.
var scenes = []scene{
	{"list", "both", "A list", ""},
	{"named", "both", "A list with an id", ""},
	{"statuses", "both", "New words for statuses", ""},
	{"markdown", "both", "A text in markdown", ""},
	{"file", "both", "A file", ""},
	{"todos", "old", "Todos in tool calls, as opencode has them", ""},
	{"approval", "old", "A plan to approve, as Cursor asks for it", ""},
	{"new-agent", "new", "An agent of version 2, an editor of version 1", "legacy"},
	{"old-agent", "old", "An agent of version 1, an editor of version 2", "v2"},
}

// Run writes to w, for each kind of plan, and for an editor and an agent of different
// versions of the protocol, what the editor shows without the proxy and with it. Verbose
// shows the messages. The output is the same each time. Nothing is read but what is in
// the program, and nothing is started.
func Run(w io.Writer, o Options) error {
	s := &screen{w: w, Painter: terminal.Painter(o.Color)}
	run := o.summary
	if o.Verbose {
		run = o.verbose
	}
	if err := run(s, clientNamed(o.Client)); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return s.err
}

//go:embed recordings
var recordings embed.FS

const planFile = "# Release notes\n\n1. Collect the merged changes\n2. Write the summary\n"

// replay has the proxy handle a turn between an agent and a client once more.
func (o Options) replay(agent, turn string, c client, show func(proxy.Event)) error {
	handshake, err := recording("hello-" + agent + "-" + c.name)
	if err != nil {
		return err
	}
	return replay(handshake, turn, c.Version, o.Proxy, show)
}

func replay(handshake []byte, turn string, version int, o proxy.Options, show func(proxy.Event)) error {
	recorded, err := recording(turn)
	if version == 2 {
		if other, failed := recording(turn + "-v2"); failed == nil {
			recorded, err = other, nil
		}
	}
	if err != nil {
		return err
	}
	o.Observe = show
	o.MaxMessage = 1 << 20
	o.Plans.ReadFile = func(string) ([]byte, error) { return []byte(planFile), nil }
	trace := bytes.ReplaceAll(slices.Concat(handshake, recorded), []byte("file://"), []byte(fileScheme()))
	return proxy.Replay(bytes.NewReader(trace), io.Discard, o)
}

func recording(name string) ([]byte, error) {
	return recordings.ReadFile("recordings/" + name + ".jsonl")
}

// Seen is what a user sees of a turn.
type Seen struct {
	Connected bool
	Plan      bool // a plan is shown
	Asked     bool // a question can be answered
}

// Watch returns what the user of an editor sees of a recorded turn that comes behind a
// handshake, which is a trace: of what the agent has sent, and of what the proxy makes of
// it. The agent's ids in the turn are 1 and 2; the handshake leaves them free.
func Watch(handshake []byte, turn string, c Client, o proxy.Options) (without, with Seen, err error) {
	o.Bridge, o.ObserveAll = proxy.BridgeAuto, true
	agents, proxys := editor{Client: c}, editor{Client: c}
	err = replay(handshake, turn, c.Version, o, both(&agents, &proxys))
	return agents.seen(), proxys.seen(), err
}

// both returns a function that shows to the first editor what the agent has sent, and to
// the second what it got.
func both(without, with *editor) func(proxy.Event) {
	return func(e proxy.Event) {
		if e.FromClient {
			return
		}
		without.gets(e.In)
		for m := range bytes.Lines(e.Out) {
			with.gets(m)
		}
	}
}

// fileScheme begins the URI of a file, so that the recorded path is an absolute one on
// this system.
func fileScheme() string {
	if runtime.GOOS == "windows" {
		return "file:///C:"
	}
	return "file://"
}

// summary shows each scene as a row.
func (o Options) summary(s *screen, c client) error {
	o.Proxy.Bridge, o.Proxy.Vendors, o.Proxy.ObserveAll = proxy.BridgeAuto, vendors.Auto, true
	t := newTable(s, o.Width)
	t.text("", c.heading)
	bold := func(text string) []spans { return []spans{{{terminal.Bold, text}}} }
	t.row("the agent has", bold("without the proxy"), bold("with acp-plan-proxy"))
	t.rule()
	var plans, pairs tally
	for _, scene := range scenes {
		who, draw, count := c, (*editor).plan, &plans
		if scene.client != "" {
			who, draw, count = clientNamed(scene.client), (*editor).turn, &pairs
			if pairs.all == 0 {
				t.rule()
			}
		}
		without, with := &editor{Client: who.Client}, &editor{Client: who.Client}
		if err := o.replay(scene.agent, scene.turn, who, both(without, with)); err != nil {
			return err
		}
		t.row(scene.title, draw(without, t.without), draw(with, t.with))
		count.add(without.works(scene), with.works(scene))
	}
	t.rule()
	t.text(terminal.Bold, counted(plans, pairs))
	t.text("", `Next: put "acp-plan-proxy --" in front of the agent's command in your editor's settings; "settings" prints them, "demo --verbose" the messages.`)
	return s.err
}

// A tally counts scenes, and in how many of them the editor works.
type tally struct{ all, without, with int }

func (t *tally) add(without, with bool) {
	t.all++
	if without {
		t.without++
	}
	if with {
		t.with++
	}
}

// works reports whether the editor shows what the scene has: a plan, or that the two are
// connected.
func (e *editor) works(s scene) bool {
	if s.client != "" {
		return e.connected
	}
	return len(e.plans) > 0
}

// counted says what the summary has shown.
func counted(plans, pairs tally) string {
	shown, joined, apart := "all", "joined", pairs.all-pairs.without
	if plans.with < plans.all {
		shown = fmt.Sprint(plans.with)
	}
	if pairs.with < apart {
		joined = fmt.Sprintf("%d joined", pairs.with)
	}
	return fmt.Sprintf("%d plans, %s shown (%d without the proxy); %d pairs that could not connect, %s",
		plans.all, shown, plans.without, apart, joined)
}
