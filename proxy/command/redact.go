package command

import (
	"errors"
	"io"
	"os"

	"acp-plan-proxy/proxy/recording/redact"
)

func (o *options) checkRedact() error {
	if o.flags.NArg() == 0 {
		return errors.New("redact needs a recording; redact - reads standard input")
	}
	return o.checkRecorded()
}

func (o *options) runRedact() error {
	return o.readRecorded(func(lines io.Reader, _ bool) error {
		return redact.New().Copy(os.Stdout, lines)
	})
}
