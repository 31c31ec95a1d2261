package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"acp-plan-proxy/proxy/check"
	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/transport"
)

func (o *options) checkCheck() error {
	if o.flags.Arg(0) == "" {
		return errors.New("check needs an agent: its command, as an editor runs it")
	}
	return nil
}

func (o *options) runCheck() error {
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	defer stop()
	endWaiting := showWaiting("waiting for the agent to answer")
	o.proxy.Log = slog.New(slog.DiscardHandler) // of the played conversations
	report, err := check.Run(ctx, o.flags.Args(), programName, version(), check.Within(o.timeout), o.proxy)
	endWaiting()
	switch {
	case ctx.Err() != nil:
		return errors.New("check was interrupted")
	case err != nil:
		return err
	case o.json:
		err = report.JSON(os.Stdout)
	default:
		err = report.Text(os.Stdout, logging.ShowsColors(os.Stdout), transport.TerminalWidth(os.Stdout, 100))
	}
	if err == nil && !report.Works() {
		err = errors.New(report.Error)
	}
	return err
}

// showWaiting shows a text and the time since its call on a terminal, until end is called.
func showWaiting(text string) (end func()) {
	if !transport.IsTerminal(os.Stderr) {
		return func() {}
	}
	begin, over, ended := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for second := time.Tick(time.Second); ; {
			fmt.Fprintf(os.Stderr, "\r%s: %s (%.0f s)", programName, text, time.Since(begin).Seconds())
			select {
			case <-second:
			case <-over:
				fmt.Fprint(os.Stderr, "\r\x1b[K")
				return
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}
