package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"

	"acp-plan-proxy/transport"
)

// A step is one thing that the scripted agent does in its prompt turn.
type step struct {
	title  string
	update string // the params.update it sends, with fileURI in place of the plan file's
}

// fileURI is in the script where the URI of the plan file will be.
const fileURI = "PLAN-FILE"

const planFile = `# Release notes

1. Collect the merged changes
2. Write the summary
`

var script = [...]step{
	{"A plan as agents have always sent it",
		`{"sessionUpdate":"plan","entries":[{"content":"Read the code","priority":"high","status":"in_progress"},{"content":"Fix the parser","priority":"high","status":"pending"},{"content":"Run the tests","priority":"medium","status":"pending"}]}`},
	{"Progress",
		`{"sessionUpdate":"plan","entries":[{"content":"Read the code","priority":"high","status":"completed"},{"content":"Fix the parser","priority":"high","status":"in_progress"},{"content":"Run the tests","priority":"medium","status":"pending"}]}`},
	{"A second plan, with an id",
		`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"docs","entries":[{"content":"Update the manual","priority":"medium","status":"in_progress"},{"content":"Check the links","priority":"low","status":"pending"}]}}`},
	{"A third, with statuses that old clients reject",
		`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"review","entries":[{"content":"Ask for a review","priority":"medium","status":"cancelled"},{"content":"Answer comments","priority":"urgent","status":"_blocked"}]}}`},
	{"The second plan is done with",
		`{"sessionUpdate":"plan_removed","planId":"docs"}`},
	{"A plan in markdown",
		`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"design","content":"# Cache\n\nKeep it **small**.\n\n## Phase 1: Measure\n\n### Task 1: **Count** misses\n- [x] per path\n- [x] per client\n\n## Phase 2: Build\n\n### Task 2: Choose a size\n- [x] try 64 MiB\n- [ ] try 1 GiB\n\n### Task 3: Expire stale entries\n- [ ] after a day\n\n## Risks\n\n| risk | answer |\n|---|---|\n| full disk | evict |\n"}}`},
	{"A plan in a file",
		`{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"notes","uri":"` + fileURI + `"}}`},
	{"Removals: one that is live",
		`{"sessionUpdate":"plan_removed","planId":"design"}`},
	{"... and one that is not",
		`{"sessionUpdate":"plan_removed","planId":"docs"}`},
	{"The legacy plan is finished",
		`{"sessionUpdate":"plan","entries":[{"content":"Read the code","priority":"high","status":"completed"},{"content":"Fix the parser","priority":"high","status":"completed"},{"content":"Run the tests","priority":"medium","status":"completed"}]}`},
}

const (
	sessionID = "demo"
	pace      = 100 * time.Millisecond // between two steps
)

// Agent plays the scripted agent on in and out until in ends. It speaks
// whichever version of the protocol it is asked for, and is careless of what
// the client can show, as agents are. Any client can talk to it.
//
// One of its plans is in the file at path, which need not exist. If path is
// empty, the agent makes one and deletes it when it ends. A signal that asks
// the process to end, or an out that fails, ends the agent too. With [Version1]
// or [Version2] as the path it is another agent, see there.
func Agent(in io.Reader, out io.WriteCloser, path string) error {
	// A write to a client that has gone fails. Without this it would end the
	// process, and the file would stay.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	switch path {
	case Version1:
		return version1Agent(in, out)
	case Version2:
		return version2Agent(in, out)
	}
	if path == "" {
		dir, err := os.MkdirTemp("", "acp-plan-proxy-demo")
		if err != nil {
			return fmt.Errorf("demo agent: %w", err)
		}
		defer os.RemoveAll(dir)
		path = filepath.Join(dir, "plan.md")
		if err := os.WriteFile(path, []byte(planFile), 0o600); err != nil {
			return fmt.Errorf("demo agent: %w", err)
		}
	}
	agent := handler.Map{
		"initialize":     handler.New(initialize),
		"session/new":    handler.New(newSession),
		"session/prompt": handler.New(player{uri: pathURI(path)}.prompt),
	}
	server := jrpc2.NewServer(agent, &jrpc2.ServerOptions{AllowPush: true})
	server.Start(transport.NewChannel(in, lastWriter{out, stop}))
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("demo agent: %w", err)
		}
	case <-ctx.Done():
		// The server is not waited for: it reads in, which may stay open.
	}
	return nil
}

// A lastWriter calls failed when a write fails.
type lastWriter struct {
	io.WriteCloser
	failed func()
}

func (w lastWriter) Write(b []byte) (int, error) {
	n, err := w.WriteCloser.Write(b)
	if err != nil {
		w.failed()
	}
	return n, err
}

type implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func initialize(_ context.Context, params struct {
	ProtocolVersion int `json:"protocolVersion"`
}) (any, error) {
	self := implementation{"acp-plan-proxy-demo", "1.0.0"}
	if params.ProtocolVersion >= 2 {
		return map[string]any{"protocolVersion": 2, "capabilities": struct{}{}, "info": self, "authMethods": []any{}}, nil
	}
	return map[string]any{"protocolVersion": 1, "agentCapabilities": struct{}{}, "agentInfo": self, "authMethods": []any{}}, nil
}

func newSession(context.Context, *jrpc2.Request) (any, error) {
	return map[string]string{"sessionId": sessionID}, nil
}

// A player plays the script.
type player struct{ uri string } // of the plan file

// prompt plays the script, whatever it is asked.
func (p player) prompt(ctx context.Context, params struct {
	SessionID string `json:"sessionId"`
}) (any, error) {
	for _, s := range script {
		update := strings.ReplaceAll(s.update, fileURI, p.uri)
		err := jrpc2.ServerFromContext(ctx).Notify(ctx, "session/update", map[string]any{
			"sessionId": params.SessionID, "update": json.RawMessage(update),
		})
		if err != nil {
			return nil, err
		}
		select {
		case <-time.After(pace):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return map[string]string{"stopReason": "end_turn"}, nil
}

func pathURI(path string) string {
	path = filepath.ToSlash(path)
	if path[0] != '/' { // C:/
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
