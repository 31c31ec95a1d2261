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
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"

	"acp-plan-proxy/transport"
)

const (
	planFile = "# Release notes\n\n1. Collect the merged changes\n2. Write the summary\n"
	pace     = 100 * time.Millisecond // between two steps
)

// Agent plays the agent of a conversation on in and out until in ends. Whatever it
// is asked, it plays the turn, and is careless of what the client can show, as agents
// are. Any client can talk to it. A signal that asks the process to end, or an out that
// fails, ends the agent too.
//
// The conversation is the one that path names. Without one it is [Plans], and path is
// that of the plan file, which need not exist. If path is empty, the agent
// makes that file and deletes it when it ends.
func Agent(in io.Reader, out io.WriteCloser, path string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("demo agent: %w", err)
		}
	}()
	// A write to a client that has gone fails. Without this it would end the
	// process, and the file would stay.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	if path == "" {
		dir, err := os.MkdirTemp("", "acp-plan-proxy-demo")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		path = filepath.Join(dir, "plan.md")
		if err := os.WriteFile(path, []byte(planFile), 0o600); err != nil {
			return err
		}
	}
	c, named := conversations[path]
	if !named {
		c = conversations[Plans]
	}
	if named {
		path = planPath()
	}
	a := &agent{Channel: transport.NewChannel(in, out), failed: stop, plan: fileURI(path), answered: make(chan bool, 1)}
	methods := handler.Map{
		"initialize": handler.New(func(ctx context.Context, params struct{ ProtocolVersion int }) (any, error) {
			return a.say(ctx, "", []line{{"", c.hello[max(1, min(params.ProtocolVersion, len(c.hello)))-1]}})
		}),
		"session/new": handler.New(func(context.Context, *jrpc2.Request) (any, error) {
			return map[string]string{"sessionId": "demo"}, nil
		}),
		"session/prompt": handler.New(func(ctx context.Context, params struct{ SessionID string }) (any, error) {
			return a.say(ctx, params.SessionID, c.turn)
		}),
	}
	server := jrpc2.NewServer(methods, &jrpc2.ServerOptions{AllowPush: true}).Start(a)
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return nil // the server is not waited for: it reads in, which may stay open
	}
}

// fileURI returns the URI of the file at path.
func fileURI(path string) string {
	path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/") // /C:/plan.md
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// An agent says the lines of a conversation, in the handlers of a jrpc2 server. It is
// that server's channel.
type agent struct {
	channel.Channel
	failed   func()    // is called when a write fails
	plan     string    // the URI of the plan file
	answered chan bool // receives from Recv
}

func (a *agent) Send(record []byte) error {
	err := a.Channel.Send(record)
	if err != nil {
		a.failed()
	}
	return err
}

// Recv keeps answers from the server, which has asked nothing: the requests of a
// conversation have ids of their own.
func (a *agent) Recv() ([]byte, error) {
	for {
		record, err := a.Channel.Recv()
		var m message
		if err != nil || json.Unmarshal(record, &m) != nil || m.Method != "" || m.ID == nil {
			return record, err
		}
		select {
		case a.answered <- true:
		default: // one is enough
		}
	}
}

// A message is what the demo reads of one.
type message struct {
	ID, Result json.RawMessage
	Error      *jrpc2.Error
	Method     string
	Params     struct{ Update json.RawMessage }
}

// say says the lines up to an answer, which it returns, and the others behind that.
func (a *agent) say(ctx context.Context, session string, lines []line) (any, error) {
	for i, l := range lines {
		text := strings.ReplaceAll(l.text, planURI, a.plan)
		var m message
		json.Unmarshal([]byte(text), &m)
		switch {
		case m.Error != nil:
			return nil, m.Error
		case m.Result != nil:
			go func() {
				<-ctx.Done() // the server sends the answer now, and then what it is to notify of
				a.say(context.WithoutCancel(ctx), session, lines[i+1:])
			}()
			return m.Result, nil
		case m.Method != "":
			a.Send([]byte(`{"jsonrpc":"2.0",` + text[1:]))
			wait(ctx, a.answered)
		default:
			update := map[string]any{"sessionId": session, "update": json.RawMessage(text)}
			jrpc2.ServerFromContext(ctx).Notify(ctx, "session/update", update)
		}
		if l.title != "" {
			wait(ctx, time.After(pace))
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return nil, nil
}

func wait[T any](ctx context.Context, c <-chan T) {
	select {
	case <-c:
	case <-ctx.Done():
	}
}
