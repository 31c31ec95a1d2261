// Package proxy joins a client and an agent that speak different drafts of the
// Agent Client Protocol.
//
// [Run] starts the agent and relays both directions. Each direction is a
// [transport.Relay] whose inspector finds the few messages that concern plans
// (inspect.go is the fast path that lets everything else pass, message.go the
// full reading). Both meet in a conversation (conversation.go), which knows
// what was negotiated and asks package plans what the client is to get.
//
// One message in, an ordered list of messages out: that is the seam between a
// direction and the conversation, see the type outcome.
//
// [Translate] does the same to a recording, without an agent.
package proxy

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport"
)

// Options are a user's choices. All fields must be set but those marked
// optional.
type Options struct {
	Client     capabilities.Settings // may be zero: the client shows what initialize says
	Advertise  capabilities.Policy   // may be zero
	Translate  plans.Options         // ReadFile is set by this package
	MaxMessage int                   // the longest line that is inspected, in bytes
	Log        *slog.Logger

	// Observe, which is optional, is shown each plan message and, with
	// ObserveAll, each message and each line that is none, but for lines longer
	// than MaxMessage. It is called in the
	// order in which messages pass, holds up the traffic of that direction, and
	// may be called by both directions at once.
	Observe    func(Event)
	ObserveAll bool
}

// An Event is a message that passed. In and Out are valid until Observe
// returns.
type Event struct {
	FromClient bool // it went from the client to the agent, not the other way
	Action     plans.Action
	In         []byte // the message, or the line
	Out        []byte // what arrives: no, one or several messages
}

// An Agent says how the agent is run.
type Agent struct {
	Args    []string         // the program and its arguments
	Stderr  *os.File         // where its stderr goes
	Grace   time.Duration    // how long a stopping agent gets before TERM, and again before KILL
	Signals <-chan os.Signal // passed on to the agent, which is then stopped; optional, never closed
}

// Run runs the agent, with the client on in and out, until the agent has
// exited and everything it wrote has been delivered. It closes out then, or
// earlier if the agent closes its stdout. It returns the agent's exit status,
// 128+n if signal n ended it, and 127 or 126 with an error if the agent was not
// found or could not be started.
//
// When in ends, the agent's stdin is closed and the agent is stopped: it has
// its grace to end by itself. The same happens when out fails. If in is an
// [os.File], its end is seen also while an agent that does not read holds up
// what came before it. After a signal a client that does not read is waited for
// no longer than a grace. Goroutines that wait for in or out may outlive Run.
func Run(agent Agent, in io.Reader, out io.WriteCloser, o Options) (status int, err error) {
	p, err := transport.Start(transport.Command{
		Args: agent.Args, Stderr: agent.Stderr, Grace: agent.Grace,
		Terminating: func(exited bool) { warnTerminating(exited, agent.Grace, o.Log) },
	})
	if err != nil {
		out.Close()
		return transport.ExitStatus(err), err
	}
	c := newConversation(o)
	go toAgent(p, c, in, agent.Grace, o)

	over := make(chan struct{})
	defer close(over)
	undelivered := passOnSignals(agent, p, over, o.Log)
	delivered := make(chan struct{})
	go func() {
		defer close(delivered)
		toClient(p, c, out, o)
	}()
	select {
	case <-delivered:
	case <-undelivered:
		o.Log.Warn("the client does not read; what is left of the agent's output is lost")
	}
	status = p.Wait()
	c.logCounts(status)
	return status, nil
}

// passOnSignals passes signals on to the agent, which is then stopped, until over
// is closed. What it returns is closed a grace after that agent has exited.
func passOnSignals(agent Agent, p *transport.Process, over <-chan struct{}, log *slog.Logger) <-chan struct{} {
	undelivered := make(chan struct{})
	go func() {
		var exited <-chan struct{} // not before a signal
		var late <-chan time.Time
		for {
			select {
			case s := <-agent.Signals:
				log.Info("signal passed on to the agent", "signal", s.String())
				p.Signal(s)
				p.Stop()
				if late == nil {
					exited = p.Exited()
				}
			case <-exited:
				exited, late = nil, time.After(agent.Grace)
			case <-late:
				close(undelivered)
				return
			case <-over:
				return
			}
		}
	}()
	return undelivered
}

// warnTerminating says what the agent's output ends with.
func warnTerminating(exited bool, grace time.Duration, log *slog.Logger) {
	what := "the agent has not ended by itself and is terminated; output that it has not written is lost"
	if exited {
		what = "the agent has ended, but processes that it started have not and are terminated; their output is lost"
	}
	log.Warn(what+"; a longer --grace gives more time", "grace", grace)
}

// toAgent relays what the client says, and stops the agent when the client has
// ended.
func toAgent(p *transport.Process, c *conversation, in io.Reader, grace time.Duration, o Options) {
	stdin := &countingWriter{w: p.Stdin()}
	if file, ok := in.(*os.File); ok {
		go func() {
			if !transport.AwaitHangup(file) {
				return
			}
			// What the client said last is still delivered, as long as the
			// agent reads.
			for n := int64(-1); n != stdin.n.Load(); {
				n = stdin.n.Load()
				select {
				case <-time.After(grace):
				case <-p.Exited():
					return
				}
			}
			p.Stop()
		}()
	}
	relay := transport.Relay{Src: in, Dst: stdin, Inspector: c.clientToAgent(), MaxLine: o.MaxMessage}
	err := relay.Run()
	logEnd(o.Log, "client to agent", err)
	p.Stdin().Close()
	if failedToWrite(err) {
		// The agent does not listen any more, but may still work. The client
		// is read on, to see its end.
		io.Copy(io.Discard, in)
	}
	p.Stop()
}

// toClient relays what the agent says, to its end.
func toClient(p *transport.Process, c *conversation, out io.WriteCloser, o Options) {
	relay := transport.Relay{Src: p.Stdout(), Dst: out, Inspector: c.agentToClient(), MaxLine: o.MaxMessage}
	err := relay.Run()
	logEnd(o.Log, "agent to client", err)
	if failedToWrite(err) {
		// The client is gone. The agent is read on, so that it can end.
		p.Stdin().Close()
		p.Stop()
		io.Copy(io.Discard, p.Stdout())
	}
	out.Close()
}

// A countingWriter counts the bytes that were written, for other goroutines.
type countingWriter struct {
	w io.Writer
	n atomic.Int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n.Add(int64(n))
	return n, err
}

func failedToWrite(err error) bool {
	var w *transport.WriteError
	return errors.As(err, &w)
}

func logEnd(log *slog.Logger, direction string, err error) {
	if err != nil {
		log.Info("stream ended", "direction", direction, "error", err)
	}
}

// Translate rewrites recorded lines from an agent as Run would have done, for
// the client that the options name or else a legacy one. A recording may have
// requests of the client among its lines; they leave as they are, and count:
// initialize negotiates.
func Translate(in io.Reader, out io.Writer, o Options) error {
	c := newConversation(o)
	c.translator.SetClient(o.Client.Unnegotiated())
	relay := transport.Relay{Src: in, Dst: out, Inspector: c.recorded(), MaxLine: o.MaxMessage}
	return relay.Run()
}
