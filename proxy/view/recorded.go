package view

import (
	"io"
	"os"

	"acp-plan-proxy/proxy/redact"
)

// A Recording is a file with a trace. With Redact, what is private in its messages is
// not shown.
type Recording struct {
	File   string
	Redact *redact.Redactor // optional
}

// open returns the lines to show.
func (r Recording) open() (io.ReadCloser, error) {
	file, err := os.Open(r.File)
	if err != nil || r.Redact == nil {
		return file, err
	}
	return redactedFile{r.Redact.Reader(file), file}, nil
}

// A redactedFile is closed with the file that it is read from.
type redactedFile struct {
	io.ReadCloser
	file *os.File
}

// Close implements io.Closer.
func (f redactedFile) Close() error {
	f.ReadCloser.Close()
	return f.file.Close()
}
