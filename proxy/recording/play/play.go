// Package play plays one side of a recorded conversation: the agent, for any client, or the
// client, in front of any agent.
//
//	recorded.go  reads the scripts: the messages that one side sent or waited for
//	player.go    follows the scripts: sends each message when it is due
//	agent.go     matches the client's requests to recorded ones, ends cancelled turns
//	client.go    decides when to send, responds to the agent, counts the responses
//	builtin.go   the built-in recordings
//
// Package names replaces the recorded ids and directories with the current ones.
package play

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport"
)

// Options configure a player.
type Options struct {
	Speed float64 // of an agent, relative to the recording; 0 for no delay
	Log   *slog.Logger

	MaxMessage int // the longest line that is read from the peer, in bytes

	// Options of a client.
	Timeout time.Duration // for a response, and for the end of a turn
	Folder  string        // replaces recorded working directories; if empty, the current directory replaces missing ones
	Trace   *trace.Writer // records the conversation, unless nil
}

// ParseSpeed reads a speed, a number that is not negative.
func ParseSpeed(s string) (float64, error) {
	speed, err := strconv.ParseFloat(s, 64)
	if err != nil || !(speed >= 0) || math.IsInf(speed, 0) {
		return 0, fmt.Errorf("%q is not a speed such as 1, 10 or 0", s)
	}
	return speed, nil
}

// Agent plays the agent of a recording on in and out until in ends. It then sends the
// responses that are still pending without delay.
func Agent(recorded recording.File, in io.Reader, out io.WriteCloser, o Options) error {
	p, err := newPlayer(trace.Agent, recorded, o)
	if err != nil {
		return fmt.Errorf("%s: %w", recorded.Name, err)
	}
	p.agent.builtin = recorded.BuiltIn
	return p.converse(peer{lines: listen(in, o.MaxMessage), in: out, copy: io.Discard})
}

// A Result describes the conversation of a played client.
type Result struct {
	Status   int    // exit status: 0, 1, or as for an agent that cannot be started
	Recorded int    // number of requests with a recorded response
	Answered int    // how many of them the agent answered in time, without an error unless one is recorded
	Late     string // describes the first response or end of a turn that was late, if any
}

// Client plays the client of a recording in front of an agent, writes the agent's lines to
// out, and stops the agent.
func Client(recorded recording.File, command transport.Command, signals <-chan os.Signal, out io.Writer, o Options) (Result, error) {
	p, err := newPlayer(trace.Client, recorded, o)
	if err != nil {
		return Result{Status: 1}, fmt.Errorf("%s: %w", recorded.Name, err)
	}
	if p.client.dir, err = directories(o.Folder); err != nil {
		return Result{Status: 1}, err
	}
	process, err := transport.Start(command)
	if err != nil {
		return Result{Status: transport.ExitStatus(err)}, err
	}
	// The spool lets the player read while the agent does not.
	stdin := transport.NewSpool(process.Stdin(), math.MaxInt, nil)
	other := peer{lines: listen(process.Stdout(), o.MaxMessage), in: stdin, copy: out, trace: o.Trace, process: process, signals: signals}
	err = p.converse(other)
	if errors.Is(err, errTooLong) {
		process.Kill() // nothing reads the rest of the line
	}
	stdin.Close(flushTime)
	process.Stdin().Close()
	process.Stop()
	for l := range other.lines { // drained after an error, too, so that the agent can exit
		if err == nil && l.err == nil {
			err = other.recordLine(l.text)
		}
	}
	process.Wait()
	return p.client.result(err), err
}

// flushTime is how long the agent may take to read the last messages.
const flushTime = time.Second

// A peer is the other side of the conversation.
type peer struct {
	lines <-chan peerLine // that the peer has written
	in    io.Writer       // the input of the peer
	copy  io.Writer       // receives a copy of the lines that the peer has written
	trace *trace.Writer   // nil to record nothing

	process *transport.Process // nil if the peer is a client
	signals <-chan os.Signal   // nil if the peer is a client
}

// A peerLine is a line of the peer, or the error that ends its output.
type peerLine struct {
	text []byte
	err  error
}

// errTooLong is the error for a line that is longer than Options.MaxMessage.
var errTooLong = errors.New("line too long (see --max-message)")

// listen reads lines of at most limit bytes, in the background, until an error or the end.
func listen(r io.Reader, limit int) <-chan peerLine {
	lines := make(chan peerLine)
	go func() {
		defer close(lines)
		in := bufio.NewScanner(r)
		for in.Buffer(nil, limit); in.Scan(); {
			lines <- peerLine{bytes.Clone(in.Bytes()), nil}
		}
		lines <- peerLine{nil, cmp.Or(in.Err(), io.EOF)}
	}()
	return lines
}

// recordLine records and prints a line of the peer.
func (o *peer) recordLine(text []byte) error {
	if o.trace != nil {
		o.trace.Message(trace.Agent, trace.Client, text)
	}
	if _, err := o.copy.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write the agent's line: %w", err)
	}
	return nil
}

// send records and sends lines.
func (o *peer) send(lines []byte) error {
	if o.trace != nil {
		for line := range bytes.Lines(lines) {
			o.trace.Message(trace.Client, trace.Agent, line)
		}
	}
	_, err := o.in.Write(lines)
	return err
}

// converse plays until the player is done, the peer has ended, or a signal arrives. It forwards the
// signal to the agent.
func (p *player) converse(other peer) error {
	start := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		wake := p.run(time.Since(start))
		if len(p.out) > 0 {
			if err := other.send(p.out); err != nil && p.agent != nil {
				return fmt.Errorf("write to the client: %w", err)
			}
			p.out = p.out[:0]
		}
		if wake > p.now && p.isDone() {
			return nil
		}
		timer.Reset(wake - time.Since(start))
		select {
		case l := <-other.lines:
			switch {
			case l.err == nil:
				if err := other.recordLine(l.text); err != nil {
					return err
				}
				p.receive(l.text, time.Since(start))
			case l.err == bufio.ErrTooLong:
				return fmt.Errorf("read from the %s: %w", strings.ToLower(string(p.them)), errTooLong)
			case p.client != nil:
				return nil
			case l.err != io.EOF:
				return fmt.Errorf("read from the client: %w", l.err)
			default:
				other.lines = nil
				p.agent.end(time.Since(start))
			}
		case s := <-other.signals:
			other.process.Signal(s)
			return fmt.Errorf("interrupted before the end of the recording: %v", s)
		case <-timer.C:
		}
	}
}

// directories returns a function that replaces recorded working directories. folder replaces all of
// them; if folder is empty, the current directory replaces those that do not exist.
func directories(folder string) (func(recorded string) string, error) {
	absolute, err := filepath.Abs(folder)
	return func(recorded string) string {
		if stat, err := os.Stat(recorded); folder == "" && err == nil && stat.IsDir() {
			return recorded
		}
		return absolute
	}, err
}
