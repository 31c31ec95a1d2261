package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/recording/view"
	"acp-plan-proxy/transport"
)

func (o *options) checkView() (err error) {
	switch {
	case o.flags.NArg() == 0:
		return errors.New("view needs a recording: make one with --trace=FILE in front of the agent, " +
			"or --trace=FILE --trace-all for all messages, and view FILE; view - reads standard input")
	case o.flags.NArg() > 1:
		return errors.New("view takes one file, or a folder of recordings")
	case o.flags.Arg(0) == "":
		return errors.New("view needs a file; its name is empty")
	case o.viewHTML != "" && o.viewText:
		return errors.New("view takes --html or --text, not both")
	case !o.viewText && o.viewKind+o.viewGrep+o.viewSession != "":
		return errors.New("view takes --kind, --grep and --session with --text")
	case o.viewsStdin() && transport.IsTerminal(os.Stdin):
		return errors.New("view - reads a recording from standard input, which is a terminal")
	}
	o.reads = []string{o.flags.Arg(0)}
	o.choice, err = view.ParseChoice(o.viewKind, o.viewGrep, o.viewSession)
	return err
}

func (o *options) viewsStdin() bool { return o.flags.Arg(0) == stdin }

// runView shows a recording: of a folder the newest one.
func (o *options) runView() (err error) {
	recording, others := view.Recording{From: os.Stdin, Name: "standard input"}, []string(nil)
	if !o.viewsStdin() {
		if o.reads, err = view.Find(o.flags.Arg(0)); err != nil {
			return err
		}
		if err := o.separate(); err != nil || o.status != 0 {
			return err
		}
		recording, others = view.Recording{File: o.reads[0]}, o.reads[1:]
	}
	switch {
	case o.viewText:
		if err := recording.Text(os.Stdout, logging.ShowsColors(os.Stdout), o.choice); err != nil {
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
	if view.LargeForPage(recording.File) {
		logging.Tell(programName + ": the recording is larger than 100 MiB, a browser may not open the page; --trace without --trace-all makes a smaller one")
	}
	if o.viewHTML == "-" {
		return recording.HTML(os.Stdout)
	}
	return recording.HTMLFile(o.viewHTML)
}

// servePage serves the page until a signal comes. What comes on standard input is
// kept in a file until then.
func (o *options) servePage(recording view.Recording, others []string) (err error) {
	whole, end := context.WithCancelCause(context.Background())
	defer end(nil)
	ctx, stop := signal.NotifyContext(whole, endSignals()...)
	defer stop()
	// A write to a stdout that has gone fails. Without this it would end the process
	// before the temporary files are removed.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if o.viewsStdin() {
		spool, failed := view.NewSpool(os.Stdin, func(why error) {
			if errors.Is(why, view.ErrNoRecording) {
				end(why)
				return
			}
			logging.Tell(fmt.Sprintf("%s: the rest of standard input is not shown: %v", programName, why))
		})
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, spool.Remove()) }()
		recording.File = spool.Path()
	}
	v := view.Options{Recording: recording, Others: others, Addr: o.viewAddr, Out: os.Stdout}
	if stat, err := os.Stat(o.flags.Arg(0)); err == nil && stat.IsDir() {
		v.Folder = o.flags.Arg(0)
	}
	if !o.noOpen {
		v.Open = view.OpenBrowser
	}
	served := view.Serve(ctx, v)
	if why := context.Cause(whole); !errors.Is(served, view.ErrNoRecording) { // which both may have found
		return errors.Join(served, why)
	}
	return served
}
