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

func (o *options) runRedact() (int, error) {
	lines, err := o.openRecorded()
	if err != nil {
		return failed(err)
	}
	r := redact.New()
	if lines.isTrace {
		_, err = io.Copy(os.Stdout, r.Reader(lines))
		return failed(lines.end(err))
	}
	out := r.Writer(os.Stdout)
	_, err = io.Copy(out, lines)
	return failed(lines.end(errors.Join(err, out.Close())))
}
