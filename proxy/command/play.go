package command

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/recording/play"
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
	file, how := o.flags.Arg(0), play.Options{Speed: o.speed, Timeout: o.timeout, Folder: o.cwd, Log: o.log.Logger}
	if o.flags.NArg() == 1 {
		if transport.IsTerminal(os.Stdin) {
			logging.Tell(programName + ": plays the agent of " + file + ", and waits for a client on standard input")
		}
		return play.Agent(file, os.Stdin, os.Stdout, how)
	}
	// A write to a stdout that has gone fails. Without this it would end the process
	// before it could end the agent.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endSignals()...)
	agent := transport.Command{Args: o.flags.Args()[2:], Stderr: os.Stderr, Grace: o.grace}
	var said []string
	var err error
	o.status, said, err = play.Client(file, agent, signals, os.Stdout, how)
	for _, line := range said {
		logging.Tell(programName + ": " + line)
	}
	return err
}
