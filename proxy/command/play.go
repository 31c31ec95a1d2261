package command

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/recording/diff"
	"acp-plan-proxy/proxy/recording/play"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport"
)

func (o *options) checkPlay() error {
	switch {
	case o.list:
		return nil
	case o.flags.NArg() == 0 || o.flags.ArgsLenAtDash() == 0:
		return errors.New("play takes a recording; play --list prints the built-in ones")
	case o.flags.NArg() == 2 || o.flags.NArg() > 2 && o.flags.Arg(1) != "--":
		return fmt.Errorf("play takes one file, its flags before it, and -- before an agent: %q", o.flags.Arg(1))
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
			logging.Tell(programName + ": plays the agent of " + file + ", waits for a client on standard input")
		}
		return play.Agent(file, os.Stdin, os.Stdout, play.Options{Speed: o.speed, MaxMessage: o.proxy.MaxMessage, Log: o.log.Logger})
	}
	return o.played(os.Stdout, func(played diff.Recording, result play.Result) error {
		o.status = result.Status
		return o.withRecording(file, func(recorded diff.Recording) error {
			var report strings.Builder
			count, err := diff.Compare(&report, recorded, played, diff.Options{Side: trace.Client, Width: transport.TerminalWidth(os.Stderr, 0)})
			if count > 0 {
				logging.Tell(strings.TrimSuffix(report.String(), "\n"))
			}
			if result.Late != "" {
				logging.Tell(programName + ": " + result.Late)
			}
			logging.Tell(fmt.Sprintf("%s: %d of %d requests were answered as recorded", programName, result.Answered, result.Recorded))
			return err
		})
	})
}
