package check

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

const (
	// grace is how long subprocesses may run after the exit of the agent.
	grace = 250 * time.Millisecond

	maxOutput = 16 << 20 // bytes of the agent's stdout that are read
	maxStray  = 10       // reported lines that are not messages
)

// An agent is a process of the agent that is checked.
type agent struct {
	process *transport.Process
	stderr  *os.File // the null device
	started time.Time
	exited  bool // the agent exited on its own; set by awaitExit

	stdout io.LimitedReader
	ended  chan struct{} // closed at the end of the output
	stray  []string      // lines that are not messages, printable; complete when ended is closed

	mu     sync.Mutex
	probes []*probe // by id - 1
}

// start starts the agent. The end of its stderr is kept for error messages.
func start(args []string) (*agent, error) {
	stderr, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("start agent: %w", err)
	}
	a := &agent{stderr: stderr, started: time.Now(), ended: make(chan struct{})}
	a.process, err = transport.Start(transport.Command{Args: args, Stderr: stderr, KeepStderrTail: true, Grace: grace})
	if err != nil {
		stderr.Close()
		return nil, err
	}
	a.stdout = io.LimitedReader{R: a.process.Stdout(), N: maxOutput}
	go a.read()
	return a, nil
}

// read reads the output of the agent to its end.
func (a *agent) read() {
	defer close(a.ended)
	lines := bufio.NewScanner(&a.stdout)
	for lines.Buffer(nil, maxOutput+1); lines.Scan(); {
		text, rest := jsonrpc.CutStray(lines.Bytes())
		a.addStray(text)
		a.receive(rest)
	}
}

// receive reads a line. It ignores requests and notifications of the agent.
func (a *agent) receive(line []byte) {
	var c rawjson.Cursor
	var m jsonrpc.Message
	c.Reset(line)
	m.Read(&c, line, nil)
	switch {
	case !c.End() || m.Method == nil && !m.IsResponse():
		a.addStray(line)
	case m.IsResponse():
		a.mu.Lock()
		defer a.mu.Unlock()
		if id, err := strconv.Atoi(string(m.ID)); err == nil && 0 < id && id <= len(a.probes) && !a.probes[id-1].isAnswered() {
			a.probes[id-1].storeResponse(&m, line)
		}
	}
}

func (a *agent) addStray(line []byte) {
	if line = bytes.TrimSpace(line); len(line) > 0 && len(a.stray) < maxStray {
		a.stray = append(a.stray, logging.Clean(string(line)))
	}
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
	<-a.ended
	return a.exited
}

// close kills the agent and its subprocesses.
func (a *agent) close() {
	if !a.exited {
		a.process.Kill()
	}
	a.process.Wait()
	a.stderr.Close()
}

// floods reports whether the output of the agent exceeds its limit.
func (a *agent) floods() bool { return isClosed(a.ended) && a.stdout.N == 0 }

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
	agent    *agent
	done     chan struct{} // closed when the response has arrived
	result   []byte        // raw
	failure  []byte        // the error, raw
	delay    time.Duration // of the response, since the start of the agent
	timedOut bool          // while the agent was running
}

// ask sends an initialize request with the params hello.
func (a *agent) ask(version int, hello string) *probe {
	p := &probe{version: version, agent: a, done: make(chan struct{})}
	a.mu.Lock()
	a.probes = append(a.probes, p)
	id := len(a.probes)
	a.mu.Unlock()
	// After an error, wait returns at the end of the output or at its limit.
	fmt.Fprintf(a.process.Stdin(), `{"jsonrpc":"2.0","id":%d,"method":"initialize","params":%s}`+"\n", id, hello)
	return p
}

// storeResponse stores the response m of a line.
func (p *probe) storeResponse(m *jsonrpc.Message, line []byte) {
	p.delay = time.Since(p.agent.started)
	if m.Failed() {
		p.failure = append([]byte{}, m.Error.Of(line)...) // empty if the response has no result either
	} else {
		p.result = bytes.Clone(m.Result.Of(line))
	}
	close(p.done)
}

// wait reports whether a response arrives within a limit. It returns early if the output of
// the agent ends.
func (p *probe) wait(ctx context.Context, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-p.done:
	case <-p.agent.ended:
	case <-ctx.Done():
	}
	return p.isAnswered()
}

func (p *probe) isAnswered() bool { return isClosed(p.done) }

// answeredVersion returns the version in the response, or 0.
func (p *probe) answeredVersion() int {
	if !p.isAnswered() {
		return 0
	}
	if _, err := capabilities.ReadResult(p.result); err != nil {
		return 0
	}
	return int(versions.AgentVersion(p.result, capabilities.Version(p.version)))
}

// agrees reports whether the response has the requested version.
func (p *probe) agrees() bool { return p.answeredVersion() == p.version }

// refusal describes the response to a version that the agent does not support.
func (p *probe) refusal() string {
	switch {
	case p.failure != nil:
		var failure struct {
			Code    int
			Message string
		}
		if err := json.Unmarshal(p.failure, &failure); err != nil || failure.Code == 0 {
			return logging.Clean("error: " + string(p.failure))
		}
		return logging.Clean(fmt.Sprintf("error %d: %s", failure.Code, failure.Message))
	case p.timedOut:
		return "no answer"
	case p.result == nil:
		return "it ends without an answer"
	case p.answeredVersion() == 0:
		return "its answer is no result of initialize"
	}
	return fmt.Sprintf("it answers with version %d", p.answeredVersion())
}
