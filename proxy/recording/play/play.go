// Package play does again what one end of a recorded conversation did: the agent, for
// any client that comes, or the client, in front of any agent.
//
// Both are a [player]: an end that says its next line when what the other had said
// before it in the recording has come.
//
//	recorded.go  for each session of an agent, or for a client as a whole, what both ends
//	             did, and the places in the file of what our end said
//	player.go    goes from step to step as they come, and says the lines in their time
//	agent.go     which recorded request a client means, in whatever order it asks; cancels
//	client.go    when a turn is over, how long to wait, what was chosen
//	names.go     put this conversation's ids and folders in the place of the recorded
//	implied.go   makes a recording of both ends, if only the agent's lines are there
package play

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
}

// ParseSpeed reads a speed: a number that is not negative.
func ParseSpeed(s string) (float64, error) {
	speed, err := strconv.ParseFloat(s, 64)
	if err != nil || !(speed >= 0) || math.IsInf(speed, 0) {
		return 0, fmt.Errorf("%q is not a speed such as 1, 10 or 0", s)
	}
	return speed, nil
}

// open opens a recording. A pipe would wait here for who writes into it.
func open(path string, us trace.Component, o Options) (*os.File, *player, error) {
	stat, err := os.Stat(path)
	switch {
	case err != nil: // opening it says why
	case stat.IsDir():
		return nil, nil, fmt.Errorf("play takes a file, and %s is a folder", path)
	case !stat.Mode().IsRegular():
		return nil, nil, fmt.Errorf("play takes a file that it can read again and again, which %s is not", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	p, err := newPlayer(us, file, math.MaxInt64, o)
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, p, nil
}

// Agent is the agent of the recording at path, on in and out, until in ends. What was
// asked by then is answered, at once.
func Agent(path string, in io.Reader, out io.WriteCloser, o Options) error {
	file, p, err := open(path, trace.Agent, o)
	if err != nil {
		return err
	}
	defer file.Close()
	client := peer{hears: out}
	over := make(chan struct{})
	defer close(over)
	client.listen(transport.NewChannel(in, out), over)
	return p.converse(client)
}

// Client is the client of the recording at path, in front of an agent. It writes what
// the agent says to out, and returns the agent's status if that cannot be started, and
// otherwise 0, or 1 if requests got no answer, or errors that were not in the recording;
// said tells which, by the lines of the recording, and how many did not.
func Client(path string, command transport.Command, signals <-chan os.Signal, out io.Writer, o Options) (status int, said []string, err error) {
	file, p, err := open(path, trace.Client, o)
	if err != nil {
		return 1, nil, err
	}
	defer file.Close()
	if p.folder, err = folders(o.Folder); err != nil {
		return 1, nil, err
	}
	agent, err := transport.Start(command)
	if err != nil {
		return transport.ExitStatus(err), nil, err
	}
	other := peer{hears: agent.Stdin(), process: agent, signals: signals, copy: out}
	other.listen(transport.NewChannel(agent.Stdout(), agent.Stdin()), nil)
	err = p.converse(other)
	agent.Stdin().Close()
	agent.Stop()
	// What the agent still says is heard to its end, also if nobody reads it.
	for line := range other.heard {
		if err == nil {
			err = other.repeat(line)
		}
	}
	agent.Wait()
	said, recorded := p.differences()
	if err != nil || len(said) > 0 {
		status = 1
	}
	return status, append(said, fmt.Sprintf("%d of %d requests were answered as recorded", recorded-len(said), recorded)), err
}

// A peer is the other end.
type peer struct {
	heard chan []byte // its lines
	ended chan error  // why there are no more
	hears io.Writer

	// Of an agent.
	process *transport.Process
	signals <-chan os.Signal
	copy    io.Writer // of what it says
}

// listen begins to hear the lines that come in, until over is closed.
func (o *peer) listen(channel *transport.Channel, over <-chan struct{}) {
	heard, ended := make(chan []byte), make(chan error, 1)
	o.heard, o.ended = heard, ended
	go func() {
		defer close(heard)
		for {
			line, err := channel.Recv()
			if err != nil {
				ended <- err
				return
			}
			select {
			case heard <- bytes.Clone(line):
			case <-over:
				return
			}
		}
	}()
}

// repeat prints a line of an agent.
func (o *peer) repeat(line []byte) error {
	if o.copy == nil {
		return nil
	}
	if _, err := o.copy.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write what the agent says: %w", err)
	}
	return nil
}

// converse plays until everything is said, the other end has ended, or a signal comes,
// which is passed on.
func (p *player) converse(o peer) error {
	start := time.Now()
	written := make(chan error, 1)
	writing, deaf := false, false
	timer := time.NewTimer(0)
	defer timer.Stop()
	for p.err == nil {
		p.now = time.Since(start)
		again := p.deadline()
		if !writing || p.us == trace.Client {
			again = p.speak(p.now)
		}
		if !writing && !deaf && len(p.out) > 0 {
			said := p.out
			p.out, writing = nil, true
			go func() {
				_, err := o.hears.Write(said)
				written <- err
			}()
		}
		switch {
		case p.err != nil:
			continue
		case p.givesUp(), p.isDone() && !writing:
			return nil
		case again == always || writing && p.us == trace.Agent:
			timer.Stop()
		default:
			timer.Reset(again - time.Since(start))
		}
		listen := o.heard
		if p.us == trace.Agent && len(p.out) > mouthful {
			listen = nil // until the client has read what was said
		}
		select {
		case line, more := <-listen:
			if !more {
				if err := <-o.ended; p.us == trace.Client {
					return nil
				} else if !errors.Is(err, io.EOF) {
					return fmt.Errorf("read from the client: %w", err)
				}
				o.heard = nil
				p.end(time.Since(start))
				continue
			}
			if err := o.repeat(line); err != nil {
				return err
			}
			p.hear(line, time.Since(start))
		case err := <-written:
			if writing = false; err != nil && p.us == trace.Agent {
				return fmt.Errorf("write to the client: %w", err)
			}
			deaf = err != nil // and may still say something
		case s := <-o.signals:
			o.process.Signal(s)
			return fmt.Errorf("ended before the recording was: %v", s)
		case <-timer.C:
		}
	}
	return p.err
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
