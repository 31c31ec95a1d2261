package command

import (
	"errors"
	"fmt"
	"os"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
)

func (o *options) checkTranslate() error {
	if err := o.checkRecorded(); err != nil {
		return err
	}
	return o.checkTrace()
}

func (o *options) runTranslate() (int, error) {
	lines, err := o.openRecorded()
	if err != nil {
		return failed(err)
	}
	translate := proxy.Translate
	if lines.isTrace {
		translate = proxy.Replay
	}
	defer o.record(trace.Create)()
	return failed(lines.end(translate(lines, os.Stdout, o.proxy)))
}

// checkRecorded is for commands that read one recording, of either kind.
func (o *options) checkRecorded() error {
	switch {
	case o.flags.NArg() == 1 && o.flags.Arg(0) == "":
		return fmt.Errorf("%s needs a file; its name is empty", o.command.name)
	case o.flags.NArg() > 1:
		return fmt.Errorf("%s takes one file, and its flags before it: %q", o.command.name, o.flags.Arg(1))
	}
	return nil
}

// recordedFile returns the file that the command reads, and false for stdin.
func (o *options) recordedFile() (file string, named bool) {
	return o.flags.Arg(0), o.flags.NArg() > 0 && o.flags.Arg(0) != "-"
}

func (o *options) recordedReads() ([]file, error) {
	if path, named := o.recordedFile(); named {
		return readsFile(path), nil
	}
	return readsStdin(), nil
}

// A recorded is the recording that a command reads: a trace, or the lines of an agent.
type recorded struct {
	*recording.Source
	name    string
	file    *os.File
	isTrace bool
}

func (o *options) openRecorded() (*recorded, error) {
	r := &recorded{name: "standard input", file: os.Stdin}
	if path, named := o.recordedFile(); named {
		opened, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		r.name, r.file = path, opened
		if stat, err := opened.Stat(); err == nil && stat.IsDir() {
			return nil, errors.Join(fmt.Errorf("%s takes a file, and %s is a folder", o.command.name, path), opened.Close())
		}
	}
	r.Source = recording.NewSource(r.file)
	var err error
	if r.isTrace, err = r.IsTrace(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", r.name, err), r.file.Close())
	}
	return r, nil
}

// end closes the recording, and returns why it was not read, if it was not.
func (r *recorded) end(err error) error {
	if err == nil && !r.isTrace && r.Foreign() {
		err = fmt.Errorf("%s is no recording: it has no message of the protocol in it", r.name)
	}
	return errors.Join(err, r.file.Close())
}
