package command

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/recording"
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
	o.inputs = []string{stdin, o.flags.Arg(0)}
	return nil
}

func (o *options) runPlay() error {
	if o.list {
		return show(play.List())
	}
	return o.withRecording(o.flags.Arg(0), func(recorded recording.File) error {
		if o.flags.NArg() > 1 {
			return o.playClient(recorded)
		}
		if transport.IsTerminal(os.Stdin) {
			logging.Tell(programName + ": plays the agent of " + recorded.Name + ", waits for a client on standard input")
		}
		return play.Agent(recorded, os.Stdin, os.Stdout, play.Options{Speed: o.speed, MaxMessage: o.proxy.MaxMessage, Log: o.log.Logger})
	})
}

// playClient plays the client of a recording, and prints the differences.
func (o *options) playClient(recorded recording.File) error {
	return o.withPlayed(recorded, os.Stdout, func(played recording.File, result play.Result) error {
		o.status = result.Status
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
}
