package command

import (
	"errors"
	"io"
	"os"

	"acp-plan-proxy/proxy/recording/judge"
)

func (o *options) checkLint() error {
	if o.flags.NArg() == 0 {
		return errors.New("lint needs a recording: make one with --trace=FILE --trace-all in front of the agent")
	}
	return o.checkRecorded()
}

func (o *options) runLint() error {
	o.status = exitUsage
	return o.openRecorded(func(file io.Reader) error {
		count, err := judge.Report(os.Stdout, file, judge.Options{Side: o.side, Rules: o.rules, JSON: o.json})
		if err == nil {
			o.status = min(count, 1)
		}
		return err
	})
}
