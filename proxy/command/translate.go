package command

import (
	"errors"
	"fmt"
	"io"
	"os"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/recording/redact"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/proxy/transcript"
)

func (o *options) checkTranslate() error {
	switch {
	case o.flags.NArg() == 1 && o.flags.Arg(0) == "":
		return errors.New("translate needs a file; its name is empty")
	case o.flags.NArg() > 1:
		return fmt.Errorf("translate takes one file, and its flags before it: %q", o.flags.Arg(1))
	}
	return o.checkTrace()
}

// recorded returns the file that translate reads, and false for stdin.
func (o *options) recorded() (file string, named bool) {
	return o.flags.Arg(0), o.flags.NArg() > 0 && o.flags.Arg(0) != "-"
}

func (o *options) translateReads() ([]file, error) {
	if path, named := o.recorded(); named {
		return readsFile(path), nil
	}
	return readsStdin(), nil
}

func (o *options) runTranslate() (int, error) {
	in, name := os.Stdin, "standard input"
	if file, named := o.recorded(); named {
		opened, err := os.Open(file)
		if err != nil {
			return failed(err)
		}
		defer opened.Close()
		if stat, err := opened.Stat(); err == nil && stat.IsDir() {
			return failed(fmt.Errorf("translate takes a file, and %s is a folder", file))
		}
		in, name = opened, file
	}
	lines := transcript.NewReader(in)
	isTrace, err := lines.IsTrace()
	if err != nil {
		return failed(fmt.Errorf("%s: %w", name, err))
	}
	translate := proxy.Translate
	if isTrace {
		translate = proxy.Replay
	}
	if err := o.translateWith(translate, lines); err != nil || isTrace {
		return failed(err)
	}
	if lines.Foreign() {
		fmt.Fprintf(os.Stderr, "%s: %s has no message of the protocol in it\n", programName, name)
	}
	return 0, nil
}

// translateWith translates to standard output and to the trace.
func (o *options) translateWith(translate func(io.Reader, io.Writer, proxy.Options) error, in io.Reader) error {
	if !o.redact {
		defer o.record(trace.Create)()
		return translate(in, os.Stdout, o.proxy)
	}
	o.redactor = redact.New()
	defer o.record(trace.Create)()
	out := o.redactor.Writer(os.Stdout)
	return errors.Join(translate(in, out, o.proxy), out.Close())
}
