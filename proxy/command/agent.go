package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport"
)

func (o *options) checkAgent() error {
	word := o.flags.Arg(0)
	switch {
	case word == "":
		return errors.New("no agent given")
	case o.flags.ArgsLenAtDash() < 0 && commandAt(word) > 0:
		return fmt.Errorf("%q after a flag is not a command: put it first, or put -- before an agent of that name", word)
	}
	o.inputs = []string{stdin}
	return o.checkTrace()
}

func (o *options) runAgent() (err error) {
	if transport.IsTerminal(os.Stdin) && transport.IsTerminal(os.Stdout) {
		return o.replaceByAgent()
	}
	agent := proxy.Agent{Args: o.flags.Args(), Stderr: os.Stderr, Grace: o.grace, Signals: catchSignals()}
	defer o.record(trace.CreateLive)()
	o.status, err = proxy.Run(agent, os.Stdin, os.Stdout, o.proxy)
	return o.hint(err)
}

// hint adds a hint to the error of a program that was not found, because its name may be a mistyped
// command. A program after "--" is certainly an agent.
func (o *options) hint(err error) error {
	if !errors.Is(err, exec.ErrNotFound) || o.flags.ArgsLenAtDash() >= 0 {
		return err
	}
	return fmt.Errorf("%w (%s --help lists the commands)", err, programName)
}

// catchSignals returns a channel of the signals that end a command with an agent. It also catches
// SIGPIPE: a write to a closed stdout must not end the process before the agent is ended. The
// agent does not inherit this.
func catchSignals() <-chan os.Signal {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endSignals()...)
	return signals
}

// endSignals returns the signals that end a command, except those that were ignored when the
// process started, for example by nohup.
func endSignals() []os.Signal {
	signals := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	return signals
}

// replaceByAgent runs the agent on the terminal without the proxy, for example for a sign-in. Before
// this call the program must not change anything that the agent inherits.
func (o *options) replaceByAgent() (err error) {
	o.log.Info("the agent gets the terminal; nothing is translated or recorded")
	if o.trace != "" {
		o.log.Alarm.Warn("the agent gets the terminal: nothing is recorded", "setting", o.flags.Setting("trace"))
	}
	o.log.Close() // Replace may turn this process into the agent
	o.status, err = transport.Replace(o.flags.Args())
	return o.hint(err)
}
