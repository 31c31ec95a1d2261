package command

import (
	"errors"
	"fmt"
	"os"

	"acp-plan-proxy/proxy/demo"
	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/transport"
)

func (o *options) checkDemo() error {
	if o.flags.NArg() > 0 && !o.agent || o.flags.NArg() > 1 {
		return errors.New("demo takes no arguments")
	}
	return nil
}

func (o *options) runDemo() (int, error) {
	if o.agent {
		return failed(demo.Agent(os.Stdin, os.Stdout, o.flags.Arg(0)))
	}
	self, err := os.Executable()
	if err != nil {
		return failed(fmt.Errorf("find this program, to run it as the agent: %w", err))
	}
	return failed(demo.Run(os.Stdout, demo.Options{
		Agent:   []string{self, "demo", "--agent"},
		Client:  o.client,
		Color:   logging.ShowsColors(os.Stdout),
		Width:   transport.TerminalWidth(os.Stdout, 80),
		Verbose: o.verbose,
		Proxy:   o.proxy,
	}))
}
