package command

import (
	"errors"
	"os"

	"acp-plan-proxy/proxy/demo"
	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/transport"
)

func (o *options) checkDemo() error {
	if o.flags.NArg() > 0 {
		return errors.New("demo takes no arguments")
	}
	return nil
}

func (o *options) runDemo() error {
	return demo.Run(os.Stdout, demo.Options{
		Client: o.client,
		Color:  logging.ShowsColors(os.Stdout),
		Width:  transport.TerminalWidth(os.Stdout, 80),
		Proxy:  o.proxy,
	})
}
