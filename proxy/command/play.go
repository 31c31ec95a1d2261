package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/recording/play"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport"
)

func (o *options) checkPlay() error {
	switch {
	case o.list && o.flags.NArg() > 0:
		return fmt.Errorf("play --list takes no recording: %q", o.flags.Arg(0))
	case o.list:
		return nil
	case o.flags.NArg() == 0 || o.flags.ArgsLenAtDash() == 0:
		return errors.New("play takes a recording; play --list prints the built-in ones")
	case o.flags.Arg(0) == "":
		return errors.New("play needs a file; its name is empty")
	case o.flags.Arg(0) == stdin:
		return errors.New("play takes a file: standard input is the client's")
	case o.flags.NArg() > 1 && o.flags.Arg(1) != "--":
		return fmt.Errorf("play takes one file, its flags before it, and -- before an agent: %q", o.flags.Arg(1))
	case o.flags.NArg() > 1 && o.flags.Arg(2) == "":
		return errors.New("no agent given")
	}
	o.reads = []string{stdin, o.flags.Arg(0)}
	return nil
}

func (o *options) runPlay() error {
	if o.list {
		return show(play.List())
	}
	file := o.flags.Arg(0)
	if o.flags.NArg() == 1 {
		if transport.IsTerminal(os.Stdin) {
			logging.Tell(programName + ": plays the agent of " + file + ", and waits for a client on standard input")
		}
		return play.Agent(file, os.Stdin, os.Stdout, play.Options{Speed: o.speed, Log: o.log.Logger})
	}
	var said []string
	var err error
	o.status, said, err = o.playClient(file, os.Stdout, nil)
	for _, line := range said {
		logging.Tell(programName + ": " + line)
	}
	return err
}

// playClient plays the client of a recording in front of the agent behind --. It writes the
// agent's lines to out, and records the conversation unless w is nil.
func (o *options) playClient(file string, out io.Writer, w *trace.Writer) (status int, differences []string, err error) {
	// A write to a stdout that has gone fails. Without this it would end the process
	// before it could end the agent.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endSignals()...)
	agent := transport.Command{Args: o.flags.Args()[2:], Stderr: os.Stderr, Grace: o.grace}
	return play.Client(file, agent, signals, out, play.Options{Timeout: o.timeout, Folder: o.cwd, Log: o.log.Logger, Trace: w})
}
