// Package logging makes the program's log.
//
// Three rules hold in every format. Traffic never waits for the log: records go
// through a bounded queue to stderr or the log file, and a record that finds the
// queue full is dropped and counted. Many texts come from clients and agents.
// All texts are cut and cannot act on a terminal, see [Clean]. Warnings that
// repeat are said once and then counted, see [Losses].
package logging

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/lmittmann/tint"

	"acp-plan-proxy/transport"
)

const (
	// maxWaiting is how many bytes of the log wait for its reader.
	maxWaiting = 1 << 20

	// moment is how long the start waits for a log file to open, and the exit
	// for the log to be written.
	moment = 250 * time.Millisecond
)

// Options are a user's choices.
type Options struct {
	Level  slog.Level
	Format string // color, text or json, or auto: color on a terminal, otherwise text
	File   string // the log is appended to it; empty for stderr

	// Waits makes the caller wait until its record is written, so that no
	// record is dropped. It is for commands that no traffic depends on.
	Waits bool
}

// A Log is a logger with an end.
type Log struct {
	*slog.Logger
	spool *transport.Spool // nil if the logger waits
	file  io.Closer        // nil if it is stderr
}

// Open begins the log. A log file is created for its owner alone. One that
// cannot be opened at once, such as a FIFO that nobody reads, is opened in the
// background.
func Open(o Options) (*Log, error) {
	log := new(Log)
	var out io.Writer = os.Stderr
	if o.File != "" {
		file, err := transport.OpenWithin(moment, func() (*os.File, error) {
			return os.OpenFile(o.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		})
		if err != nil {
			return nil, err
		}
		log.file, out = file, file
	}
	file, opened := out.(*os.File)
	if o.Format == "auto" && opened && ShowsColors(file) {
		o.Format = "color"
	}
	if !o.Waits {
		log.spool = transport.NewSpool(out, maxWaiting, o.gap())
		out = log.spool
	}
	log.Logger = slog.New(o.handler(out))
	return log, nil
}

// Close ends the log. It waits only a moment for what was not written yet, and
// leaves a file open that may still be written to.
func (l *Log) Close() {
	if l.spool != nil && l.spool.Close(moment) > 0 || l.file == nil {
		return
	}
	l.file.Close()
}

// Tell writes a line to stderr that the user needs with any kind of log. It waits
// only a moment for the reader of stderr.
func Tell(line string) {
	stderr := transport.NewSpool(os.Stderr, maxWaiting, nil)
	io.WriteString(stderr, line+"\n")
	stderr.Close(moment)
}

// gap returns the function that makes a record of how many others were dropped.
func (o Options) gap() func(dropped int) []byte {
	var record bytes.Buffer
	log := slog.New(o.handler(&record))
	return func(dropped int) []byte {
		record.Reset()
		log.Warn("log records were dropped here, because the log was not read or written fast enough", "dropped", dropped)
		return record.Bytes()
	}
}

func (o Options) handler(w io.Writer) slog.Handler {
	switch o.Format {
	case "color":
		return clean{tint.NewTextHandler(w, &tint.Options{Level: o.Level, TimeFormat: time.TimeOnly}), cleanForTint}
	case "json":
		return clean{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: o.Level}), Clean}
	}
	return clean{slog.NewTextHandler(w, &slog.HandlerOptions{Level: o.Level}), Clean}
}

// ShowsColors reports whether colors can be shown on f: it is a terminal, and
// the environment does not say otherwise.
func ShowsColors(f *os.File) bool {
	return transport.IsTerminal(f) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
