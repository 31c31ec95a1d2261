package proxy

import (
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport"
)

// moment is how long a client that has not sent initialize yet has to send it to
// an agent that has failed, to be told so; a grace if that is shorter. It is also
// how long an agent may take to exit after it has closed its stdout, to be told
// from one that goes on.
const moment = time.Second

// An Agent says how the agent is run.
type Agent struct {
	Args    []string         // the program and its arguments
	Stderr  *os.File         // where its stderr goes; open until Run returns
	Grace   time.Duration    // how long a stopping agent gets before TERM, and again before KILL
	Signals <-chan os.Signal // passed on to the agent, which is then stopped; optional, never closed
}

// Run runs the agent, with the client on in and out, until the agent has
// exited and everything it wrote has been delivered. It closes out then, or
// earlier if the agent closes its stdout. It returns the agent's exit status,
// 128+n if signal n ended it, and 127 or 126 with an error if the agent was not
// found or could not be started. A client whose initialize such an agent, or one
// that has ended, leaves unanswered is told why.
//
// This is who ends what, and in which order:
//
//	the client closes in      what it said is delivered (fromClient), once it is
//	                          known whether the two are joined; what a bridge
//	                          holds is too, or refused after a grace; the agent's
//	                          stdin is closed, the agent is stopped: it has its
//	                          grace to end by itself
//	the client hangs up       the same, also while an agent that does not read, or
//	                          the client itself, holds up what came before; only
//	                          an [os.File] says so
//	out fails                 the agent's stdin is closed, it is stopped, and read
//	                          to its end
//	a signal                  the agent gets it and is stopped; a client that
//	                          does not read is waited for no longer than a grace
//	the agent's output ends   what it said is delivered, out is closed, and the
//	                          agent's exit is waited for (Process.Wait)
//	that, or no start,        the client is told why (explain); one that has not
//	before initialize is      asked yet gets a moment for that, unless it has ended
//	answered                  too or a signal comes
//	discovery wants it        the agent is killed at once and started once more;
//	                          in and out notice nothing
//
// Goroutines that wait for in or out may outlive Run.
func Run(agent Agent, in io.Reader, out io.WriteCloser, o Options) (status int, err error) {
	c := newConversation(o)
	r := &running{
		agent: agent, c: c, in: in, out: out, toClient: clientWriter{w: out},
		clientEnded: make(chan struct{}), signalled: make(chan struct{}), over: make(chan struct{}),
	}
	c.outlets[translate.Client] = transport.NewOutlet(&r.toClient, maxWaiting(o))
	c.outlets[translate.Agent] = transport.NewOutlet(r, maxWaiting(o))
	if err := r.start(); err != nil {
		r.explainNoStart(err)
		out.Close()
		return transport.ExitStatus(err), err
	}
	c.discovery.joiner = newJoiner(agent.Args[0], o.Told, rand.Text)
	c.restart = r.kill
	go r.fromClient()

	defer close(r.over)
	undelivered := r.passOnSignals()
	delivered := make(chan struct{})
	go func() {
		defer close(delivered)
		r.fromAgent()
	}()
	select {
	case <-delivered:
	case <-undelivered:
		o.Log.Warn("the client does not read; what is left of the agent's output is lost")
	}
	status = r.current().Wait()
	c.logCounts(status)
	return status, nil
}

// A running is the agent while Run runs: one process after another, since
// discovery may start the agent once more.
type running struct {
	agent Agent
	c     *conversation
	in    io.Reader
	out   io.WriteCloser

	toClient clientWriter
	written  atomic.Int64 // bytes, to the agent's stdin
	heard    atomic.Bool  // the agent has written to its stdout

	clientEnded chan struct{} // closed when nothing more comes from the client, or nothing more is read
	signalled   chan struct{} // closed at the first signal
	over        chan struct{} // closed when Run returns

	mu       sync.Mutex
	process  *transport.Process // nil if there was none
	stopping bool               // a process that is started now has to end
}

// A clientWriter is the way to the client. It tells whether the client is waited
// for.
type clientWriter struct {
	w     io.Writer
	waits atomic.Bool
}

func (c *clientWriter) Write(b []byte) (int, error) {
	c.waits.Store(true)
	defer c.waits.Store(false)
	return c.w.Write(b)
}

// start starts the agent, or starts it once more.
func (r *running) start() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping {
		return errors.New("start agent once more: the client has ended")
	}
	p, err := transport.Start(transport.Command{
		Args: r.agent.Args, Stderr: r.agent.Stderr, KeepLastWords: true, Grace: r.agent.Grace,
		Terminating: r.warnTerminating,
	})
	if err == nil {
		r.process = p
	}
	return err
}

// warnTerminating warns that output may be lost.
func (r *running) warnTerminating(exited bool) {
	what := "the agent has not ended by itself and is terminated; output that it has not written is lost"
	if exited {
		what = "the agent has ended, but processes that it started have not and are terminated; their output is lost"
	}
	r.c.options.Log.Warn(what+"; a longer --grace gives more time", "grace", r.agent.Grace)
}

func (r *running) current() *transport.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.process
}

// kill ends the process at once.
func (r *running) kill() { r.current().Kill() }

// last keeps the agent from being started once more, and returns its process.
func (r *running) last() *transport.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopping = true
	return r.process
}

// stop sets the agent a limit, and keeps it from being started once more.
func (r *running) stop() { r.last().Stop() }

// Write writes to the agent's stdin. While discovery may replace the process,
// Write does not fail: a process that does not read must not end the
// conversation.
func (r *running) Write(b []byte) (int, error) {
	p := r.current()
	if p == nil {
		return len(b), nil
	}
	n, err := p.Stdin().Write(b)
	r.written.Add(int64(n))
	if err != nil && r.c.discovering.Load() {
		return len(b), nil
	}
	return n, err
}

// fromClient relays what the client says, and stops the agent when the client
// has ended.
func (r *running) fromClient() {
	if file, ok := r.in.(*os.File); ok {
		go r.awaitHangup(file)
	}
	err := r.relayClient()
	logEnd(r.c.options.Log, "client to agent", err)
	if held := r.c.clientGone(); held != nil {
		<-held // the agent may have to be asked for another version
	}
	r.deliverHeld(err)
	if !failedToWrite(err) {
		r.stop()                             // an agent that does not read must not hold up the end
		r.c.outlets[translate.Agent].Flush() // what was answered in the client's place
	}
	r.last().Stdin().Close()
	if failedToWrite(err) {
		// The agent does not listen any more, but may still work. Reading from
		// the client goes on, to see its end.
		io.Copy(io.Discard, r.in)
	}
	r.stop()
}

// relayClient relays what the client says, to its end.
func (r *running) relayClient() error {
	defer close(r.clientEnded)
	relay := transport.Relay{
		Src: r.in, Dst: r.c.outlets[translate.Agent],
		Inspector: newDirection(r.c, translate.Client), MaxLine: r.c.options.MaxMessage,
	}
	return relay.Run()
}

// deliverHeld waits until the agent has been given what the bridge holds back,
// prompts that wait for their turn. It waits no longer than a grace, and not for
// an agent that does not listen; err is how the relay has ended.
func (r *running) deliverHeld(err error) {
	held := r.c.heldBack()
	switch {
	case held == nil:
		return
	case failedToWrite(err):
		r.c.refuseHeld("the agent takes no more input")
		return
	}
	select {
	case <-held:
	case <-time.After(r.agent.Grace):
	case <-r.over:
	}
	r.c.refuseHeld("the client has ended its input, and the request has not got its turn since; a longer --grace gives more time")
}

// awaitHangup stops the agent when the client has hung up and the agent does
// not read what the client said last. Before that, the agent gets its time to
// answer initialize.
func (r *running) awaitHangup(client *os.File) {
	if !transport.AwaitHangup(client) {
		return
	}
	r.c.outlets[translate.Client].HungUp()
	for n := int64(-1); n != r.written.Load(); {
		if held := r.c.clientGone(); held != nil {
			<-held
		}
		n = r.written.Load()
		select {
		case <-time.After(r.agent.Grace):
		case <-r.over:
			return
		}
	}
	r.stop()
}

// fromAgent relays what the agent says, to its end. An agent that is started
// once more goes on where the first one ended.
func (r *running) fromAgent() {
	defer r.out.Close()
	for {
		p := r.current()
		relay := transport.Relay{
			Src: listener{p.Stdout(), &r.heard}, Dst: r.c.outlets[translate.Client],
			Inspector: newDirection(r.c, translate.Agent), MaxLine: r.c.options.MaxMessage,
		}
		err := relay.Run()
		logEnd(r.c.options.Log, "agent to client", err)
		if failedToWrite(err) {
			// The client is gone. Reading from the agent goes on, so that it
			// can end.
			r.stop() // an agent that does not read must not hold up the end
			go func() {
				r.c.clientGone()
				r.c.outlets[translate.Agent].Flush() // what was answered in the client's place
				p.Stdin().Close()
			}()
			io.Copy(io.Discard, p.Stdout())
			if r.c.agentEnded() {
				r.c.agentNotRestarted()
			}
			return
		}
		if !r.c.agentEnded() {
			if p.StdoutHeld() {
				r.c.options.Log.Warn("the agent has ended, but a process outside its group holds its output open; what that process still writes is lost")
			}
			r.explain(p)
			break
		}
		if err := r.restart(p); err != nil {
			r.awaitTold(r.c.agentFailed(WhyNotStarted(r.agent.Args[0], err)), nil)
			break
		}
	}
	if err := r.c.outlets[translate.Client].Flush(); err != nil {
		logEnd(r.c.options.Log, "agent to client", err)
	}
}

// A listener notes that something was read.
type listener struct {
	io.Reader
	heard *atomic.Bool
}

func (l listener) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	if n > 0 && !l.heard.Load() {
		l.heard.Store(true)
	}
	return n, err
}

// explain tells a client whose initialize was not answered how the agent, whose
// output has ended, has failed. A program that has said something and ended well
// has not: many have flags that make them do so.
func (r *running) explain(p *transport.Process) {
	if asked, waits := r.c.initialize(); asked && !waits {
		return
	}
	status, how := -1, "closed its stdout"
	select {
	case <-p.Exited():
		status = p.Wait()
		how = "ended (" + p.Ending() + ")"
	case <-time.After(moment):
	}
	if asked, _ := r.c.initialize(); status == 0 && r.heard.Load() && !asked {
		return
	}
	r.awaitTold(r.c.agentFailed(whyEnded(r.agent.Args[0], how, p.LastWords())), nil)
}

// explainNoStart tells the client why the agent did not start.
func (r *running) explainNoStart(err error) {
	program := ""
	if len(r.agent.Args) > 0 {
		program = r.agent.Args[0]
	}
	told := r.c.agentFailed(WhyNotStarted(program, err))
	go r.relayClient()
	r.awaitTold(told, r.agent.Signals)
	r.c.outlets[translate.Client].Flush()
}

// awaitTold waits until the client has been told why initialize is not answered.
// A client that has not sent it yet gets a moment for that, but not a person at a
// terminal.
func (r *running) awaitTold(told <-chan struct{}, signals <-chan os.Signal) {
	limit := min(moment, r.agent.Grace)
	if file, ok := r.in.(*os.File); ok && transport.IsTerminal(file) {
		limit = 0
	}
	select {
	case <-told:
	case <-r.clientEnded:
	case <-signals:
	case <-r.signalled:
	case <-time.After(limit):
	}
}

// restart starts the agent once more in the place of p.
func (r *running) restart(p *transport.Process) error {
	p.Wait()
	// What still waits for p must not go to its successor. Restart waits for
	// the client's relay, and that relay may be waiting for the lock of the
	// conversation.
	r.c.outlets[translate.Agent].Restart()
	err := r.start()
	if err != nil {
		r.c.options.Log.Warn("agent not started once more", "error", err)
		r.c.agentNotRestarted()
		return err
	}
	r.c.agentRestarted()
	return nil
}

// patience is how often passOnSignals looks again whether the client reads.
const patience = 250 * time.Millisecond

// passOnSignals passes signals on to the agent and stops it, until Run returns.
// The channel that it returns is closed one grace after an agent that got a signal
// has exited, if the client does not read then: it does not get what is left of the
// output. If the output is waited for, its end is not far (Process.Stop).
func (r *running) passOnSignals() <-chan struct{} {
	undelivered := make(chan struct{})
	go func() {
		signalled := false
		var exited <-chan struct{} // not before a signal
		var late <-chan time.Time
		for {
			select {
			case s := <-r.agent.Signals:
				r.c.options.Log.Info("signal passed on to the agent", "signal", s.String())
				p := r.last()
				p.Signal(s)
				p.Stop()
				if !signalled {
					close(r.signalled)
					signalled = true
				}
				if late == nil {
					exited = p.Exited()
				}
			case <-exited:
				exited, late = nil, time.After(r.agent.Grace)
			case <-late:
				if r.toClient.waits.Load() {
					close(undelivered)
					return
				}
				late = time.After(patience)
			case <-r.over:
				return
			}
		}
	}()
	return undelivered
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
