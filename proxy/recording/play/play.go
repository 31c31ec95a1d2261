// Package play does again what one end of a recorded conversation did: the agent, for
// any client that comes, or the client, in front of any agent.
//
// Both are a [player]: an end that says its next line when what the other had said
// before it in the recording has come.
//
//	recorded.go  for each session of an agent, or for a client as a whole, what both ends
//	             did
//	player.go    goes from step to step as they come, and says the lines in their time
//	agent.go     which recorded request a client means, in whatever order it asks; cancels
//	client.go    when a turn is over, how long to wait, what was chosen
//
// Package names puts this conversation's ids and folders in the place of the recorded.
package play

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport"
)

// Options say how a recording is played.
type Options struct {
	Speed float64 // of an agent: how much faster than it was recorded; 0: without any delay
	Log   *slog.Logger

	// Of a client: how long a request waits for its answer, and a turn for its end; and
	// the folder in the place of the recorded ones. Without one, the current folder takes
	// the place of those that are not there.
	Timeout time.Duration
	Folder  string
	Trace   *trace.Writer // records the conversation, unless nil
}

// ParseSpeed reads a speed: a number that is not negative.
func ParseSpeed(s string) (float64, error) {
	speed, err := strconv.ParseFloat(s, 64)
	if err != nil || !(speed >= 0) || math.IsInf(speed, 0) {
		return 0, fmt.Errorf("%q is not a speed such as 1, 10 or 0", s)
	}
	return speed, nil
}

// open reads the recording at path.
func open(path string, us trace.Component, o Options) (*player, error) {
	file, err := os.Open(path)
	if text := Builtin(path); errors.Is(err, fs.ErrNotExist) && text != nil {
		p, err := newPlayer(us, bytes.NewReader(text), o)
		if err == nil && p.agent != nil {
			p.agent.builtin = text
		}
		return p, err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w (play --list prints the built-in recordings)", err)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if stat, err := file.Stat(); err == nil && stat.IsDir() {
		return nil, fmt.Errorf("play takes a file, and %s is a folder", path)
	}
	p, err := newPlayer(us, file, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Agent is the agent of the recording at path, on in and out, until in ends. What was
// asked by then is answered, at once.
func Agent(path string, in io.Reader, out io.WriteCloser, o Options) error {
	p, err := open(path, trace.Agent, o)
	if err != nil {
		return err
	}
	return p.converse(peer{heard: listen(transport.NewChannel(in, out)), hears: out, copy: io.Discard})
}

// Client is the client of the recording at path, in front of an agent. It writes what
// the agent says to out, and returns the agent's status if that cannot be started, and
// otherwise 0, or 1 if requests got no answer, or errors that were not in the recording;
// said tells which, by the lines of the recording, and how many did not.
func Client(path string, command transport.Command, signals <-chan os.Signal, out io.Writer, o Options) (status int, said []string, err error) {
	p, err := open(path, trace.Client, o)
	if err != nil {
		return 1, nil, err
	}
	if p.client.dir, err = folders(o.Folder); err != nil {
		return 1, nil, err
	}
	agent, err := transport.Start(command)
	if err != nil {
		return transport.ExitStatus(err), nil, err
	}
	stdin := transport.NewSpool(agent.Stdin(), math.MaxInt, nil) // we listen while it does not
	other := peer{listen(transport.NewChannel(agent.Stdout(), agent.Stdin())), stdin, out, o.Trace, agent, signals}
	err = p.converse(other)
	stdin.Close(moment)
	agent.Stdin().Close()
	agent.Stop()
	// What the agent still says is heard to its end, also if nobody reads it.
	for l := range other.heard {
		if err == nil && l.err == nil {
			err = other.repeat(l.text)
		}
	}
	agent.Wait()
	said, recorded := p.client.differences()
	if err != nil || len(said) > 0 {
		status = 1
	}
	return status, append(said, fmt.Sprintf("%d of %d requests were answered as recorded", recorded-len(said), recorded)), err
}

// moment is how long the agent may take to read what was said last.
const moment = time.Second

// A peer is the other end.
type peer struct {
	heard <-chan heard
	hears io.Writer
	copy  io.Writer // of what it says
	trace *trace.Writer

	// Of an agent.
	process *transport.Process
	signals <-chan os.Signal
}

// A heard line has come from the other end. At its end, err says why.
type heard struct {
	text []byte
	err  error
}

// listen hears the lines that come in.
func listen(channel *transport.Channel) <-chan heard {
	lines := make(chan heard)
	go func() {
		defer close(lines)
		for {
			text, err := channel.Recv()
			lines <- heard{text, err}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// repeat prints a line of the other end.
func (o *peer) repeat(text []byte) error {
	if o.trace != nil {
		o.trace.Message(trace.Agent, trace.Client, text)
	}
	if _, err := o.copy.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write what the agent says: %w", err)
	}
	return nil
}

// converse plays until everything is said, the other end has ended, or a signal comes,
// which is passed on.
func (p *player) converse(o peer) error {
	start := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		again := p.run(time.Since(start))
		if len(p.out) > 0 {
			if o.trace != nil {
				o.trace.Message(trace.Client, trace.Agent, p.out)
			}
			if _, err := o.hears.Write(p.out); err != nil && p.us == trace.Agent {
				return fmt.Errorf("write to the client: %w", err)
			}
			p.out = p.out[:0]
		}
		if again > p.now && p.isDone() {
			return nil
		}
		timer.Reset(again - time.Since(start))
		select {
		case l := <-o.heard:
			switch {
			case l.err == nil:
				if err := o.repeat(l.text); err != nil {
					return err
				}
				p.receive(l.text, time.Since(start))
			case p.us == trace.Client:
				return nil
			case l.err != io.EOF:
				return fmt.Errorf("read from the client: %w", l.err)
			default:
				o.heard = nil
				p.agent.end(time.Since(start))
			}
		case s := <-o.signals:
			o.process.Signal(s)
			return fmt.Errorf("ended before the recording was: %v", s)
		case <-timer.C:
		}
	}
}

// folders returns what takes the place of a recorded working directory: this one, or if
// it is empty the current one for those that are not there.
func folders(replacement string) (func(recorded string) string, error) {
	here, err := filepath.Abs(replacement)
	return func(recorded string) string {
		if stat, err := os.Stat(recorded); replacement == "" && err == nil && stat.IsDir() {
			return recorded
		}
		return here
	}, err
}
