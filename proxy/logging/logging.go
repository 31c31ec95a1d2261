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
	"sync/atomic"
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
	Level   slog.Level
	Format  string // color, text or json, or auto: color on a terminal, otherwise text
	File    string // the log is appended to it; empty for stderr
	Setting string // what has set File, for messages: a flag, or a variable of the environment

	// Waits makes the caller wait until its record is written, so that no
	// record is dropped. It is for commands that no traffic depends on.
	Waits bool
}

// A Log is a logger with an end.
type Log struct {
	*slog.Logger

	// Alarm is for warnings that the user needs with any kind of log: its records
	// are said at any level, and on stderr besides if the log is a file.
	Alarm *slog.Logger

	spools []*transport.Spool // empty if the logger waits
	file   io.Closer          // nil if it is stderr
}

// Open begins the log. A log file is created for its owner alone. One that
// cannot be opened at once, such as a FIFO that nobody reads, is opened in the
// background. If the file cannot be opened or written, the log says so on stderr,
// and goes there from then on.
func Open(o Options) *Log {
	log := new(Log)
	file, failed := o.open()
	if file == nil {
		if o.Format == "auto" && ShowsColors(os.Stderr) {
			o.Format = "color"
		}
		stderr := log.spool(os.Stderr, o)
		log.Logger, log.Alarm = slog.New(o.handler(stderr)), slog.New(o.loud().handler(stderr))
		if failed != nil {
			log.Alarm.Warn("the log file cannot be opened; the log goes to stderr", "setting", o.Setting, "error", failed)
		}
		return log
	}
	if opened, ok := file.(*os.File); ok && o.Format == "auto" && ShowsColors(opened) {
		o.Format = "color"
	}
	safe := &safeFile{WriteCloser: file, failed: func(err error) {
		slog.New(o.loud().handler(os.Stderr)).Warn("the log file cannot be written; the log goes to stderr", "setting", o.Setting, "error", err)
	}}
	log.file = safe
	log.Logger = slog.New(o.handler(log.spool(safe, o)))
	besides := o.loud().handler(log.spool(beside{safe}, o))
	log.Alarm = slog.New(slog.NewMultiHandler(log.Handler(), besides))
	return log
}

// open opens the log file, if there is one.
func (o Options) open() (io.WriteCloser, error) {
	if o.File == "" {
		return nil, nil
	}
	return transport.OpenWithin(moment, func() (*os.File, error) {
		return os.OpenFile(o.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	})
}

// loud returns the options of an alarm.
func (o Options) loud() Options {
	o.Level = min(o.Level, slog.LevelWarn)
	return o
}

// spool returns what a handler writes to, on its way to w.
func (l *Log) spool(w io.Writer, o Options) io.Writer {
	if o.Waits {
		return w
	}
	spool := transport.NewSpool(w, maxWaiting, o.gap())
	l.spools = append(l.spools, spool)
	return spool
}

// Close ends the log. It waits only a moment for what was not written yet, and
// leaves a file open that may still be written to.
func (l *Log) Close() {
	lost := 0
	for _, spool := range l.spools {
		lost += spool.Close(moment)
	}
	if lost == 0 && l.file != nil {
		l.file.Close()
	}
}

// A safeFile is a log file that stderr takes the place of when a write fails.
type safeFile struct {
	io.WriteCloser
	failed func(error)
	lost   atomic.Bool // it has failed
}

func (f *safeFile) Write(records []byte) (int, error) {
	if !f.lost.Load() {
		n, err := f.WriteCloser.Write(records)
		if err == nil {
			return n, nil
		}
		f.lost.Store(true)
		f.failed(err)
	}
	return os.Stderr.Write(records)
}

// beside is stderr next to a log file, until the log itself goes there.
type beside struct{ log *safeFile }

func (b beside) Write(records []byte) (int, error) {
	if b.log.lost.Load() {
		return len(records), nil
	}
	return os.Stderr.Write(records)
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
	if o.Format == "color" {
		return tint.NewTextHandler(w, &tint.Options{Level: o.Level, TimeFormat: time.TimeOnly, ReplaceAttr: cleaned(cleanForTint)})
	}
	options := &slog.HandlerOptions{Level: o.Level, ReplaceAttr: cleaned(Clean)}
	if o.Format == "json" {
		return slog.NewJSONHandler(w, options)
	}
	return slog.NewTextHandler(w, options)
}

// ShowsColors reports whether colors can be shown on f: it is a terminal, and
// the environment does not say otherwise.
func ShowsColors(f *os.File) bool {
	return transport.IsTerminal(f) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
