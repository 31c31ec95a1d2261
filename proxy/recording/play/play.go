// Package play does again what one end of a recorded conversation did: the agent, for
// any client that comes, or the client, in front of any agent.
//
// A [parser] reads the lines of a recording, a [source] knows where they are in the
// file. What is kept in memory is only who waited for whom:
//
//	recording   the agent's side: in each session the points at which the agent
//	            waited for its client (a request, the answer to a question, a
//	            cancel), and the places in the file of what it said after each
//	player      follows a client from point to point, a [cursor] for each session
//	names       put this conversation's ids and folders in the place of the recorded
//	script      the client's side: its requests, and its answers to questions
//	caller      asks them again, each when the client of the recording had as much
//	            cause to
//
// Player and caller are told what the other end says and what time it is. [Agent] and
// [Client] do their input and output.
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

// openFile opens a recording. What the path is comes first: to open a pipe is to wait
// for who writes into it.
func openFile(path string, v view) (*os.File, *source, error) {
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
	if stat, err = file.Stat(); err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, newSource(file, stat.Size(), v), nil
}

// Agent is the agent of the recording at path, on in and out, until in ends. What was
// asked by then is answered, at once.
func Agent(path string, in io.Reader, out io.WriteCloser, o Options) error {
	file, source, err := openFile(path, agentsView)
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := open(source)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return serve(newPlayer(r, o.Speed, o.Log), in, out)
}

// serve plays, until in ends.
func serve(p *player, in io.Reader, out io.WriteCloser) error {
	start := time.Now()
	heard, ended := make(chan []byte), make(chan error, 1)
	over := make(chan struct{})
	defer close(over)
	go receive(transport.NewChannel(in, out), heard, ended, over)
	written := make(chan error, 1)
	writing := false
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		again := always
		if !writing {
			if again = p.speak(time.Since(start)); p.err != nil {
				return p.err
			}
			if len(p.out) > 0 {
				said := p.out
				p.out, writing = nil, true
				go func() {
					_, err := out.Write(said)
					written <- err
				}()
			} else if p.over() {
				return nil
			}
		}
		if writing || again == always {
			timer.Stop()
		} else {
			timer.Reset(again - time.Since(start))
		}
		listen := heard
		if len(p.out) > mouthful {
			listen = nil // until the client has read what was said
		}
		select {
		case line := <-listen:
			p.hear(line, time.Since(start))
		case err := <-ended:
			if !errors.Is(err, io.EOF) {
				return fmt.Errorf("read from the client: %w", err)
			}
			p.end(time.Since(start))
		case err := <-written:
			if writing = false; err != nil {
				return fmt.Errorf("write to the client: %w", err)
			}
		case <-timer.C:
		}
	}
}

// Client is the client of the recording at path, in front of an agent. It writes what
// the agent says to out, and returns the agent's status if that cannot be started, and
// otherwise 0, or 1 if requests got no answer, or errors that were not in the recording;
// differences says which, and how many.
func Client(path string, agent transport.Command, signals <-chan os.Signal, out io.Writer, o Options) (status int, differences []string, err error) {
	file, source, err := openFile(path, clientsView)
	if err != nil {
		return 1, nil, err
	}
	defer file.Close()
	s, err := openScript(source)
	if err != nil {
		return 1, nil, fmt.Errorf("%s: %w", path, err)
	}
	folder, err := folders(o.Folder)
	if err != nil {
		return 1, nil, err
	}
	p, err := transport.Start(agent)
	if err != nil {
		return transport.ExitStatus(err), nil, err
	}
	c := newCaller(s, folder, o.Timeout, o.Log)
	heard := make(chan []byte)
	go func() {
		defer close(heard)
		receive(transport.NewChannel(p.Stdout(), p.Stdin()), heard, make(chan error, 1), nil)
	}()
	err = c.converse(p, heard, signals, out)
	p.Stdin().Close()
	p.Stop()
	// What the agent still says is heard to its end, also if nobody reads it.
	for line := range heard {
		if err == nil {
			err = repeat(out, line)
		}
	}
	p.Wait()
	if differences = c.differences(); err != nil || len(differences) > 0 {
		status = 1
	}
	return status, differences, err
}

// converse talks to the agent until everything is said, the agent's output ends, or a
// signal comes, which is passed on.
func (c *caller) converse(agent *transport.Process, heard <-chan []byte, signals <-chan os.Signal, out io.Writer) error {
	written := make(chan error, 1)
	writing, deaf := false, false
	start := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for again := c.speak(0); c.err == nil; again = c.speak(time.Since(start)) {
		if !writing && !deaf && len(c.out) > 0 {
			said := c.out
			c.out, writing = nil, true
			go func() {
				_, err := agent.Stdin().Write(said)
				written <- err
			}()
		}
		if c.over() && (!writing || c.gaveUp) {
			return nil
		}
		if again == always {
			timer.Stop()
		} else {
			timer.Reset(again - time.Since(start))
		}
		select {
		case line, more := <-heard:
			if !more {
				return nil
			}
			if err := repeat(out, line); err != nil {
				return err
			}
			c.hear(line, time.Since(start))
		case err := <-written:
			// An agent that does not listen any more may still say something.
			writing, deaf = false, err != nil
		case s := <-signals:
			agent.Signal(s)
			return fmt.Errorf("ended before the recording was: %v", s)
		case <-timer.C:
		}
	}
	return c.err
}

// repeat prints a line of the agent.
func repeat(out io.Writer, line []byte) error {
	if _, err := out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write what the agent says: %w", err)
	}
	return nil
}

// receive hands on the lines that come in.
func receive(channel *transport.Channel, heard chan<- []byte, ended chan<- error, over <-chan struct{}) {
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
