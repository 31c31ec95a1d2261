package command

import (
	"errors"
	"fmt"
	"os"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/files"
	"acp-plan-proxy/proxy/trace"
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

func (o *options) translateReads() ([]files.File, error) {
	if file, named := o.recorded(); named {
		return []files.File{files.At(file)}, nil
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
	defer o.record(trace.Create)()
	if isTrace {
		return failed(proxy.Replay(lines, os.Stdout, o.proxy))
	}
	if err := proxy.Translate(lines, os.Stdout, o.proxy); err != nil {
		return failed(err)
	}
	if lines.Foreign() {
		fmt.Fprintf(os.Stderr, "%s: %s has no message of the protocol in it\n", programName, name)
	}
	return 0, nil
}
