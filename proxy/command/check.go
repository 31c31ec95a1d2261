package command

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"acp-plan-proxy/proxy/check"
	"acp-plan-proxy/proxy/logging"
)

func (o *options) checkCheck() error {
	if o.flags.Arg(0) == "" {
		return errors.New("check needs an agent: its command, as an editor runs it")
	}
	return nil
}

func (o *options) runCheck() (status int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	report := check.Run(ctx, o.flags.Args(), programName, version(), check.StandardLimits())
	if ctx.Err() != nil {
		return 1, errors.New("check was interrupted")
	}
	if o.json {
		err = report.JSON(os.Stdout)
	} else {
		err = report.Text(os.Stdout, logging.ShowsColors(os.Stdout))
	}
	if err != nil || !report.Works() {
		return 1, err
	}
	return 0, nil
}
