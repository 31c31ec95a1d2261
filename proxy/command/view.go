package command

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/recording/view"
	"acp-plan-proxy/transport"
)

func (o *options) checkView() error {
	switch {
	case o.flags.NArg() == 0:
		return errors.New("view needs a recording: make one with --trace=FILE in front of the agent, " +
			"or --trace=FILE --trace-all for all messages, and view FILE")
	case o.flags.NArg() > 1:
		return errors.New("view takes one file, or a folder of recordings")
	}
	o.inputs = []string{o.flags.Arg(0)}
	return nil
}

// runView shows a recording, or the newest recording of a folder.
func (o *options) runView() (err error) {
	if o.inputs, err = view.Find(o.flags.Arg(0)); err != nil {
		return err
	}
	if err := o.checkOverwrites(); err != nil || o.status != 0 {
		return err
	}
	recording, others := view.Recording{File: o.inputs[0]}, o.inputs[1:]
	switch {
	case o.viewMessage > 0:
		return recording.Message(os.Stdout, o.viewMessage, transport.IsTerminal(os.Stdout))
	case o.viewText:
		if err := recording.Text(os.Stdout, logging.ShowsColors(os.Stdout), transport.TerminalWidth(os.Stdout, 0)); err != nil {
			return err
		}
		return view.List(os.Stdout, recording.File, others)
	case o.viewHTML != "":
		return o.writePage(recording, others)
	}
	return o.servePage(recording, others)
}

func (o *options) writePage(recording view.Recording, others []string) error {
	if err := view.List(os.Stderr, recording.File, others); err != nil {
		return err
	}
	if o.viewHTML == "-" {
		return recording.HTML(os.Stdout)
	}
	return recording.HTMLFile(o.viewHTML)
}

// servePage serves the page until a signal arrives.
func (o *options) servePage(recording view.Recording, others []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	defer stop()
	// Otherwise a write to a closed stdout would end the process before the temporary
	// files are removed.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	v := view.Options{Recording: recording, Others: others, Addr: o.viewAddr, Out: os.Stdout}
	if !o.noOpen {
		v.Open = view.OpenBrowser
	}
	return view.Serve(ctx, v)
}
