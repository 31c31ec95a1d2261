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

// grace is how long what an agent has started may outlive it.
const grace = 250 * time.Millisecond

// An agent is one process of the agent, which is asked questions.
type agent struct {
	process *transport.Process
	stderr  *os.File // the null device
	said    *messages
	client  *jrpc2.Client
	started time.Time
	exited  bool // by itself, as far as awaitExit knows
}

// start starts the agent. Its stderr is kept, and shown only if it fails.
func start(args []string) (*agent, error) {
	stderr, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("start agent: %w", err)
	}
	started := time.Now()
	p, err := transport.Start(transport.Command{Args: args, Stderr: stderr, KeepLastWords: true, Grace: grace})
	if err != nil {
		stderr.Close()
		return nil, err
	}
	said := newMessages(p)
	return &agent{process: p, stderr: stderr, said: said, client: jrpc2.NewClient(said, nil), started: started}, nil
}

// awaitExit reports whether the agent exits by itself before ctx ends, and has it
// killed otherwise. What it has written until then has been read.
func (a *agent) awaitExit(ctx context.Context) bool {
	select {
	case <-a.process.Exited():
		a.exited = true
	case <-ctx.Done():
		a.process.Kill()
	}
	<-a.said.over
	return a.exited
}

// close ends the agent, and all that it has started.
func (a *agent) close() {
	if !a.exited {
		a.process.Kill()
	}
	a.process.Wait()
	a.client.Close()
	a.stderr.Close()
}

// whyUnanswered says what the agent, which is closed, did instead of an answer. silent: it
// was given up while it still ran.
func (a *agent) whyUnanswered(program string, silent bool, limit time.Duration) string {
	what := "ended (" + a.process.Ending() + ") before it answered initialize"
	switch {
	case a.saysTooMuch():
		what = "writes to stdout without an end, and does not answer initialize"
	case silent:
		what = fmt.Sprintf("has not answered initialize within %v", limit)
	case !a.exited:
		what = "closed its stdout before it answered initialize"
	}
	return proxy.WhyUnanswered(program, what, a.process.LastWords())
}

// saysTooMuch reports whether the agent has written more than is read.
func (a *agent) saysTooMuch() bool {
	select {
	case <-a.said.over:
		return a.said.stdout.N == 0
	default:
		return false
	}
}

// A question is an initialize request.
type question struct {
	version int
	done    chan struct{} // closed when the rest is set
	result  []byte        // raw
	failure *jrpc2.Error
	after   time.Duration // from the agent's start
	silent  bool          // the time was over, not the agent
}

// ask asks the agent for a version. The question is done at the latest when ctx is.
func (a *agent) ask(ctx context.Context, version int, hello string) *question {
	q := &question{version: version, done: make(chan struct{})}
	go func() {
		defer close(q.done)
		answer, err := a.client.Call(ctx, "initialize", json.RawMessage(hello))
		q.after = time.Since(a.started)
		switch {
		case err == nil:
			q.result = []byte(answer.ResultString())
		case !errors.As(err, &q.failure): // not the agent's error
			q.silent = ctx.Err() != nil
		}
	}()
	return q
}

// wait reports whether the question is answered within a limit. It does not wait for an
// agent that has ended.
func (q *question) wait(limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-q.done:
	case <-t.C:
	}
	return q.isAnswered()
}

// isAnswered reports whether there is an answer, or an error, by now.
func (q *question) isAnswered() bool {
	select {
	case <-q.done:
		return q.result != nil || q.failure != nil
	default:
		return false
	}
}

// spoken returns the version that the answer names, 0 if it names none.
func (q *question) spoken() int {
	if !q.isAnswered() {
		return 0
	}
	if _, err := capabilities.ReadAnswer(q.result); err != nil {
		return 0
	}
	return int(versions.Spoken(q.result, capabilities.Version(q.version)))
}

// agrees reports whether the agent has answered with the version that it was asked for.
func (q *question) agrees() bool { return q.spoken() == q.version }

// refuses says how the agent refuses the version that it was asked for.
func (q *question) refuses() string {
	switch {
	case q.failure != nil && q.failure.Code == 0:
		return logging.Clean("error: " + q.failure.Message)
	case q.failure != nil:
		return logging.Clean(fmt.Sprintf("error %d: %s", q.failure.Code, q.failure.Message))
	case q.silent:
		return "no answer"
	case q.result == nil:
		return "it ends without an answer"
	case q.spoken() == 0:
		return "its answer is no result of initialize"
	}
	return fmt.Sprintf("it answers with version %d", q.spoken())
}
