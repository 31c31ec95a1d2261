package proxy

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"acp-plan-proxy/proxy/conversation"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport"
)

// initializeWait is how long the proxy waits for initialize, to answer it with the error of a
// failed agent, unless Agent.Grace is shorter. It also waits so long for the exit of an agent that
// closes its stdout before it has answered initialize, because the error contains the exit status.
const initializeWait = time.Second

// An Agent describes the agent's process.
type Agent struct {
	Args    []string         // the program and its arguments; not empty
	Stderr  *os.File         // receives its stderr; open until Run returns
	Grace   time.Duration    // how long a stopping agent has before TERM, and again before KILL
	Signals <-chan os.Signal // forwarded to the agent, which is then stopped; optional, never closed
}

// Run runs the agent, with the client on in and out, until the agent has exited and its
// output is delivered. It closes out then, or earlier if the agent closes its stdout. It
// returns the agent's exit status, 128+n if signal n ended it, and 127 or 126 with an error
// if the agent was not found or could not be started.
//
// The end of a run:
//
//	the client closes in      its input is delivered after the handshake;
//	                          requests that a bridge queues are delivered, or refused
//	                          after a grace period; the agent's stdin is closed, and
//	                          the agent stopped: it has a grace period to exit
//	the client hangs up       the same, even while the agent or the client does not
//	                          read; only an [os.File] reports a hangup
//	out fails                 the agent's stdin is closed, the agent is stopped, and its
//	                          output is read to the end
//	a signal                  the agent receives it and is stopped; after its exit, a
//	                          client that does not read for a grace period loses the
//	                          rest of the output
//	the agent's output ends   the output is delivered, out is closed, and Run waits for
//	                          the agent's exit
//	the agent fails before    the client receives the reason as an error; a client
//	it answers initialize     without a pending initialize has a second, or a shorter
//	                          grace period, to send it, unless it is a terminal, its
//	                          input has ended, or a signal arrives. An agent that exits
//	                          with status 0 after output has not failed if initialize
//	                          was not sent
//	the handshake restarts    the agent is killed and started once more; in and out are
//	the agent                 not affected
//
// Goroutines that wait for in or out may outlive Run.
func Run(agent Agent, in io.Reader, out io.WriteCloser, o conversation.Options) (status int, err error) {
	r := &agentRun{
		agent: agent, log: o.Log, in: in, out: out, toClient: clientWriter{w: out},
		clientEnded: make(chan struct{}), signalled: make(chan struct{}), returned: make(chan struct{}),
	}
	r.c = conversation.New(o, &r.toClient, r, agent.Args[0], r.kill)
	if err := r.start(); err != nil {
		r.explainNoStart(err)
		out.Close()
		return transport.ExitStatus(err), err
	}
	go r.fromClient()

	defer close(r.returned)
	ended := make(chan int, 1)
	go func() {
		r.fromAgent()
		ended <- r.current().Wait()
	}()
	status = r.forwardSignals(ended)
	r.c.LogCounts(status)
	return status, nil
}

// An agentRun is the state of Run. The agent has up to two processes, because the handshake may
// restart it.
type agentRun struct {
	agent Agent
	c     *conversation.Conversation
	log   *slog.Logger
	in    io.Reader
	out   io.WriteCloser

	toClient  clientWriter
	written   atomic.Int64 // bytes written to the agent's stdin
	hasOutput atomic.Bool  // the agent has written to stdout

	clientEnded chan struct{} // closed when the relay of the client's lines has ended
	signalled   chan struct{} // closed at the first signal
	returned    chan struct{} // closed when Run returns

	mu       sync.Mutex
	process  *transport.Process // nil before the first start
	stopping bool               // no further process may be started
}

// A clientWriter writes to the client.
type clientWriter struct {
	w     io.Writer
	steps atomic.Int64 // number of begun and of finished Writes: odd during a Write
}

func (c *clientWriter) Write(b []byte) (int, error) {
	c.steps.Add(1)
	defer c.steps.Add(1)
	return c.w.Write(b)
}

// start starts the agent for the first or the second time.
func (r *agentRun) start() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping {
		return errors.New("restart agent: the client has ended")
	}
	p, err := transport.Start(transport.Command{
		Args: r.agent.Args, Stderr: r.agent.Stderr, KeepStderrTail: true, Grace: r.agent.Grace,
		Terminating: r.warnTerminating,
	})
	if err == nil {
		r.process = p
	}
	return err
}

// warnTerminating logs that output may be lost. exited means that the agent itself has ended.
func (r *agentRun) warnTerminating(exited bool) {
	fault := "the agent has not ended by itself and is terminated; output that it has not written is lost"
	if exited {
		fault = "the agent has ended, but processes that it started have not and are terminated; their output is lost"
	}
	r.log.Warn(fault+"; a longer --grace gives more time", "grace", r.agent.Grace)
}

func (r *agentRun) current() *transport.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.process
}

// kill ends the current process at once.
func (r *agentRun) kill() { r.current().Kill() }

// preventRestart prevents a second start. It returns the last process.
func (r *agentRun) preventRestart() *transport.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopping = true
	return r.process
}

// stop stops the agent and prevents a second start.
func (r *agentRun) stop() { r.preventRestart().Stop() }

// Write writes to the agent's stdin. During a handshake it ignores errors, because the
// process may be replaced.
func (r *agentRun) Write(b []byte) (int, error) {
	p := r.current()
	if p == nil {
		return len(b), nil
	}
	n, err := p.Stdin().Write(b)
	r.written.Add(int64(n))
	if err != nil && r.c.Discovering() {
		return len(b), nil
	}
	return n, err
}

// fromClient relays the client's lines, and stops the agent at their end.
func (r *agentRun) fromClient() {
	if file, ok := r.in.(*os.File); ok {
		go r.awaitHangup(file)
	}
	err := r.relayClient()
	logEnd(r.log, "client to agent", err)
	if released := r.c.ClientClosed(); released != nil {
		<-released // the agent may have to be asked for another version
	}
	r.awaitQueued(err)
	if !failedToWrite(err) {
		r.stop()                            // an agent that does not read must not hold up the end
		r.c.Outlet(translate.Agent).Flush() // responses on behalf of the client
	}
	r.preventRestart().Stdin().Close()
	if failedToWrite(err) {
		// The agent has closed its stdin, but may still work until the client's input ends.
		io.Copy(io.Discard, r.in)
	}
	r.stop()
}

// relayClient relays the client's lines to their end.
func (r *agentRun) relayClient() error {
	defer close(r.clientEnded)
	return r.c.Relay(translate.Client, r.in)
}

// awaitQueued waits until the bridge has sent its queued requests, at most for a grace period, and
// then refuses the rest. If err, the error of the client's relay, is a write error, it refuses all
// at once.
func (r *agentRun) awaitQueued(err error) {
	queueEmpty := r.c.Queued()
	switch {
	case queueEmpty == nil:
		return
	case failedToWrite(err):
		r.c.RefuseQueued("the agent takes no more input")
		return
	}
	select {
	case <-queueEmpty:
	case <-time.After(r.agent.Grace):
	case <-r.returned:
	}
	r.c.RefuseQueued("the client has ended its input while the request was queued; a longer --grace gives more time")
}

// awaitHangup waits until the client hangs up, and then for the end of a handshake. It stops the
// agent once the agent has not read anything for a grace period.
func (r *agentRun) awaitHangup(client *os.File) {
	if !transport.AwaitHangup(client) {
		return
	}
	r.c.Outlet(translate.Client).NoteHangup()
	for n := int64(-1); n != r.written.Load(); {
		if released := r.c.ClientClosed(); released != nil {
			<-released
		}
		n = r.written.Load()
		select {
		case <-time.After(r.agent.Grace):
		case <-r.returned:
			return
		}
	}
	r.stop()
}

// fromAgent relays the output of the agent, and of its second process.
func (r *agentRun) fromAgent() {
	defer r.out.Close()
	for {
		process := r.current()
		err := r.c.Relay(translate.Agent, outputReader{process.Stdout(), &r.hasOutput})
		logEnd(r.log, "agent to client", err)
		if failedToWrite(err) {
			// The client is gone. The agent can only exit if its output is read.
			r.stop() // an agent that does not read must not hold up the end
			go func() {
				r.c.ClientClosed()
				r.c.Outlet(translate.Agent).Flush() // responses on behalf of the client
				process.Stdin().Close()
			}()
			io.Copy(io.Discard, process.Stdout())
			if r.c.AgentEnded() {
				r.c.AgentNotRestarted()
			}
			return
		}
		if !r.c.AgentEnded() {
			if process.StdoutEndedEarly() {
				r.log.Warn("the agent has ended, but a process outside its group holds its output open; its further output is lost")
			}
			r.explainEnd(process)
			break
		}
		if err := r.restart(process); err != nil {
			r.awaitErrorSent(r.c.AgentFailed(WhyNotStarted(r.agent.Args[0], err)), nil)
			break
		}
	}
	if err := r.c.Outlet(translate.Client).Flush(); err != nil {
		logEnd(r.log, "agent to client", err)
	}
}

// An outputReader reads the agent's output and records whether there was any.
type outputReader struct {
	io.Reader
	hasOutput *atomic.Bool
}

func (o outputReader) Read(b []byte) (int, error) {
	n, err := o.Reader.Read(b)
	if n > 0 && !o.hasOutput.Load() {
		o.hasOutput.Store(true)
	}
	return n, err
}

// explainEnd sends the reason why the agent's output has ended to a client whose initialize is
// pending or still to come. A program that wrote output and exited with status 0 before an
// initialize has not failed: it may have printed its version.
func (r *agentRun) explainEnd(p *transport.Process) {
	if sent, pending := r.c.InitializeState(); sent && !pending {
		return
	}
	status, how := -1, "closed its stdout"
	select {
	case <-p.Exited():
		status = p.Wait()
		how = "ended (" + p.Ending() + ")"
	case <-time.After(initializeWait):
	}
	if sent, _ := r.c.InitializeState(); status == 0 && r.hasOutput.Load() && !sent {
		return
	}
	r.awaitErrorSent(r.c.AgentFailed(WhyUnanswered(r.agent.Args[0], how+" before it answered initialize", p.StderrTail())), nil)
}

// explainNoStart sends the client the error of an agent that did not start.
func (r *agentRun) explainNoStart(err error) {
	sent := r.c.AgentFailed(WhyNotStarted(r.agent.Args[0], err))
	go r.relayClient()
	r.awaitErrorSent(sent, r.agent.Signals)
	r.c.Outlet(translate.Client).Flush()
}

// awaitErrorSent waits until sent is closed, the client's input ends, or a signal arrives, at most
// for initializeWait or a shorter grace period. It does not wait for a client that is a terminal.
func (r *agentRun) awaitErrorSent(sent <-chan struct{}, signals <-chan os.Signal) {
	limit := min(initializeWait, r.agent.Grace)
	if file, ok := r.in.(*os.File); ok && transport.IsTerminal(file) {
		limit = 0
	}
	select {
	case <-sent:
	case <-r.clientEnded:
	case <-signals:
	case <-r.signalled:
	case <-time.After(limit):
	}
}

// restart starts the agent again after p.
func (r *agentRun) restart(p *transport.Process) error {
	p.Wait()
	// Queued output for p must not reach its successor. Restart waits for the client's relay,
	// which may be waiting for the lock of the conversation, so the caller must not hold it.
	r.c.Outlet(translate.Agent).Restart()
	err := r.start()
	if err != nil {
		r.log.Warn("agent not restarted", "error", err)
		r.c.AgentNotRestarted()
		return err
	}
	r.c.AgentRestarted()
	return nil
}

// forwardSignals forwards signals to the agent, which it then stops. It returns the agent's exit
// status, from ended. If the client does not read for a grace period after a signalled agent has
// exited, the rest of the output is lost.
func (r *agentRun) forwardSignals(ended <-chan int) int {
	var stalled chan struct{} // closed when the client does not read; nil before a signal
	for {
		select {
		case s := <-r.agent.Signals:
			r.log.Info("signal forwarded to the agent", "signal", s.String())
			p := r.preventRestart()
			p.Signal(s)
			p.Stop()
			if stalled == nil { // the first signal
				close(r.signalled)
				stalled = make(chan struct{})
				go func() {
					<-p.Exited()
					r.awaitStall()
					close(stalled)
				}()
			}
		case <-stalled:
			r.log.Warn("the client does not read; the rest of the agent's output is lost")
			return r.current().Wait()
		case status := <-ended:
			return status
		}
	}
}

// awaitStall waits until a Write to the client has been in progress for a grace period, or Run
// returns.
func (r *agentRun) awaitStall() {
	for {
		before := r.toClient.steps.Load()
		select {
		case <-time.After(max(r.agent.Grace, time.Millisecond)):
		case <-r.returned:
			return
		}
		if before%2 == 1 && r.toClient.steps.Load() == before {
			return
		}
	}
}

func failedToWrite(err error) bool {
	var w *transport.WriteError
	return errors.As(err, &w)
}

func logEnd(log *slog.Logger, direction string, err error) {
	switch {
	case errors.Is(err, transport.ErrOutletFull):
		log.Warn("stream ended", "direction", direction, "error", err)
	case err != nil:
		log.Info("stream ended", "direction", direction, "error", err)
	}
}
