package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/creachadair/jrpc2"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport"
)

// grace is the time that subprocesses of the agent get to exit after it.
const grace = 250 * time.Millisecond

// An agent is a process of the agent with a JSON-RPC client.
type agent struct {
	process *transport.Process
	stderr  *os.File // the null device
	lines   *lines
	client  *jrpc2.Client
	started time.Time
	exited  bool // on its own; set by awaitExit
}

// start starts the agent. The end of its stderr is kept for error messages.
func start(args []string) (*agent, error) {
	stderr, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("start agent: %w", err)
	}
	started := time.Now()
	p, err := transport.Start(transport.Command{Args: args, Stderr: stderr, KeepStderrTail: true, Grace: grace})
	if err != nil {
		stderr.Close()
		return nil, err
	}
	l := newLines(p)
	return &agent{process: p, stderr: stderr, lines: l, client: jrpc2.NewClient(l, nil), started: started}, nil
}

// awaitExit waits for the agent to exit, kills it when ctx ends, and reports whether it exited
// on its own. All of its output has been read then.
func (a *agent) awaitExit(ctx context.Context) bool {
	select {
	case <-a.process.Exited():
		a.exited = true
	case <-ctx.Done():
		a.process.Kill()
	}
	<-a.lines.over
	return a.exited
}

// close kills the agent and its subprocesses.
func (a *agent) close() {
	if !a.exited {
		a.process.Kill()
	}
	a.process.Wait()
	a.client.Close()
	a.stderr.Close()
}

// whyUnanswered explains the missing response of a closed agent.
func (a *agent) whyUnanswered(program string, timedOut bool, limit time.Duration) string {
	what := "ended (" + a.process.Ending() + ") before it answered initialize"
	switch {
	case a.floods():
		what = "writes to stdout without an end, and does not answer initialize"
	case timedOut:
		what = fmt.Sprintf("has not answered initialize within %v", limit)
	case !a.exited:
		what = "closed its stdout before it answered initialize"
	}
	return proxy.WhyUnanswered(program, what, a.process.StderrTail())
}

// floods reports whether the output of the agent exceeds its limit.
func (a *agent) floods() bool { return isClosed(a.lines.over) && a.lines.stdout.N == 0 }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// A probe is an initialize request and its response.
type probe struct {
	version  int
	done     chan struct{} // closed when the following fields are set
	result   []byte        // raw
	failure  *jrpc2.Error
	after    time.Duration // since the start of the agent
	timedOut bool          // while the agent was running
}

// ask sends an initialize request. ctx ends the wait for the response.
func (a *agent) ask(ctx context.Context, version int, hello string) *probe {
	q := &probe{version: version, done: make(chan struct{})}
	go func() {
		defer close(q.done)
		answer, err := a.client.Call(ctx, "initialize", json.RawMessage(hello))
		q.after = time.Since(a.started)
		if err == nil {
			q.result = []byte(answer.ResultString())
		} else if !errors.As(err, &q.failure) { // not an error response
			q.timedOut = ctx.Err() != nil
		}
	}()
	return q
}

// wait reports whether a response arrives within a limit. It returns early if the output of
// the agent ends.
func (q *probe) wait(limit time.Duration) bool {
	select {
	case <-q.done:
	case <-time.After(limit):
	}
	return q.isAnswered()
}

func (q *probe) isAnswered() bool {
	return isClosed(q.done) && (q.result != nil || q.failure != nil)
}

// spoken returns the version in the response, 0 if there is none.
func (q *probe) spoken() int {
	if !q.isAnswered() {
		return 0
	}
	if _, err := capabilities.ReadAnswer(q.result); err != nil {
		return 0
	}
	return int(versions.Spoken(q.result, capabilities.Version(q.version)))
}

// agrees reports whether the response has the requested version.
func (q *probe) agrees() bool { return q.spoken() == q.version }

// refusal describes the response to a version that the agent does not support.
func (q *probe) refusal() string {
	switch {
	case q.failure != nil && q.failure.Code == 0:
		return logging.Clean("error: " + q.failure.Message)
	case q.failure != nil:
		return logging.Clean(fmt.Sprintf("error %d: %s", q.failure.Code, q.failure.Message))
	case q.timedOut:
		return "no answer"
	case q.result == nil:
		return "it ends without an answer"
	case q.spoken() == 0:
		return "its answer is no result of initialize"
	}
	return fmt.Sprintf("it answers with version %d", q.spoken())
}
