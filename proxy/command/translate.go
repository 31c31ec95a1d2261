package command

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"acp-plan-proxy/proxy/conversation"
	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
)

func (o *options) checkTranslate() error {
	return cmp.Or(o.checkRecorded(), o.checkTrace())
}

func (o *options) runTranslate() error {
	return o.readRecorded(func(lines io.Reader, isDirected bool) error {
		defer o.record(trace.Create)()
		return conversation.Translate(lines, isDirected, os.Stdout, o.proxy)
	})
}

// checkRecorded is the check of commands that read one recording.
func (o *options) checkRecorded() error {
	switch o.flags.NArg() {
	case 0:
		o.inputs = []string{stdin}
	case 1:
		o.inputs = o.flags.Args()
	default:
		return fmt.Errorf("%s takes one file, and its flags before it: %q", o.command.name, o.flags.Arg(1))
	}
	return nil
}

// readRecorded passes a recording to read, with the result of [recording.Recognize].
func (o *options) readRecorded(read func(lines io.Reader, isDirected bool) error) error {
	return o.openRecorded(func(file io.Reader) error {
		lines, isDirected, err := recording.Recognize(file)
		if err != nil {
			return err
		}
		return read(lines, isDirected)
	})
}

// openRecorded passes a file or standard input to read, and adds its name to the errors of read.
func (o *options) openRecorded(read func(file io.Reader) error) error {
	name, file := "standard input", os.Stdin
	if path := o.inputs[0]; path != stdin {
		opened, err := openRecording(path)
		if err != nil {
			return err
		}
		defer opened.Close()
		name, file = path, opened
	}
	if err := read(file); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
