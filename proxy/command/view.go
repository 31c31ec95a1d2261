package command

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"acp-plan-proxy/proxy/files"
	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/redact"
	"acp-plan-proxy/proxy/view"
)

func (o *options) checkView() error {
	switch {
	case o.flags.NArg() != 1:
		return errors.New("view takes one file, or a folder of recordings")
	case o.flags.Arg(0) == "":
		return errors.New("view needs a file; its name is empty")
	case o.viewHTML != "" && o.viewText:
		return errors.New("view takes --html or --text, not both")
	}
	return nil
}

// viewReads returns the file that view shows: in a folder the newest recording.
func (o *options) viewReads() ([]files.File, error) {
	var err error
	o.recordings, err = view.Find(o.flags.Arg(0))
	if err != nil {
		return nil, err
	}
	return []files.File{files.At(o.recordings[0])}, nil
}

func (o *options) runView() (int, error) {
	file, others := o.recordings[0], o.recordings[1:]
	recording := view.Recording{File: file}
	if o.redact {
		recording.Redact = redact.New()
	}
	switch {
	case o.viewText:
		if err := recording.Text(os.Stdout, logging.ShowsColors(os.Stdout)); err != nil {
			return failed(err)
		}
		return failed(view.List(os.Stdout, file, others))
	case o.viewHTML != "":
		if err := view.List(os.Stderr, file, others); err != nil {
			return failed(err)
		}
		if view.LargeForPage(file) {
			logging.Tell(programName + ": the recording is larger than 100 MiB, a browser may not open the page; --trace without --trace-all makes a smaller one")
		}
		if o.viewHTML == "-" {
			return failed(recording.HTML(os.Stdout))
		}
		return failed(recording.HTMLFile(o.viewHTML))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	defer stop()
	v := view.Options{Recording: recording, Others: others, Addr: o.viewAddr, Out: os.Stdout}
	if !o.noOpen {
		v.Open = view.OpenBrowser
	}
	return failed(view.Serve(ctx, v))
}
