// Package logging makes the program's log.
//
// Traffic never waits for the log: records pass through a bounded queue to stderr or the log file.
// A record for which the queue has no room is dropped and counted. Texts of clients and agents are
// truncated and contain no control characters, see [Clean]. Repeated warnings are counted, see
// [Losses].
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
	// maxQueue limits the queue, in bytes.
	maxQueue = 1 << 20

	// waitLimit limits how long the start waits for the log file to open, and the exit for the queue
	// to be flushed.
	waitLimit = 250 * time.Millisecond
)

// Options are a user's choices.
type Options struct {
	Level   slog.Level
	Format  string // color, text or json, or auto: color on a terminal, otherwise text
	File    string // appended to; empty for stderr
	Setting string // the flag or environment variable that set File, for messages

	// Waits makes a caller wait until its record is written. No record is dropped then. It is
	// for commands without traffic.
	Waits bool
}

// A Log is a logger that must be closed.
type Log struct {
	*slog.Logger

	// Alarm logs warnings at any level of the log. If the log is a file, it also writes them to
	// stderr.
	Alarm *slog.Logger

	spools []*transport.Spool // empty with Options.Waits
	file   io.Closer          // nil for stderr
}

// Open opens the log. It creates a log file with mode 0600. If opening blocks, as for a FIFO without
// a reader, it continues in the background. If the file cannot be opened or written, a warning and
// all further records are written to stderr.
func Open(o Options) *Log {
	log := new(Log)
	file, openErr := o.open()
	if file == nil {
		if o.Format == "auto" && ShowsColors(os.Stderr) {
			o.Format = "color"
		}
		stderr := log.spool(os.Stderr, o)
		log.Logger, log.Alarm = slog.New(o.handler(stderr)), slog.New(o.forAlarm().handler(stderr))
		if openErr != nil {
			log.Alarm.Warn("the log file cannot be opened; the log goes to stderr", "setting", o.Setting, "error", openErr)
		}
		return log
	}
	if opened, ok := file.(*os.File); ok && o.Format == "auto" && ShowsColors(opened) {
		o.Format = "color"
	}
	safe := &safeFile{WriteCloser: file, onFailure: func(err error) {
		slog.New(o.forAlarm().handler(os.Stderr)).Warn("the log file cannot be written; the log goes to stderr", "setting", o.Setting, "error", err)
	}}
	log.file = safe
	log.Logger = slog.New(o.handler(log.spool(safe, o)))
	copied := o.forAlarm().handler(log.spool(stderrCopy{safe}, o))
	log.Alarm = slog.New(slog.NewMultiHandler(log.Handler(), copied))
	return log
}

// open opens the log file. It returns nil if there is none.
func (o Options) open() (io.WriteCloser, error) {
	if o.File == "" {
		return nil, nil
	}
	return transport.OpenWithin(waitLimit, func() (*os.File, error) {
		return os.OpenFile(o.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	})
}

// forAlarm returns the options of Alarm.
func (o Options) forAlarm() Options {
	o.Level = min(o.Level, slog.LevelWarn)
	return o
}

// spool returns a writer that queues records for w, or w itself if the logger waits.
func (l *Log) spool(w io.Writer, o Options) io.Writer {
	if o.Waits {
		return w
	}
	spool := transport.NewSpool(w, maxQueue, o.droppedRecord())
	l.spools = append(l.spools, spool)
	return spool
}

// Close flushes each queue, for at most waitLimit. It does not close a file while a write to it is in
// progress.
func (l *Log) Close() {
	lost := 0
	for _, spool := range l.spools {
		lost += spool.Close(waitLimit)
	}
	if lost == 0 && l.file != nil {
		l.file.Close()
	}
}

// A safeFile is a log file. After a failed write it writes to stderr instead.
type safeFile struct {
	io.WriteCloser
	onFailure func(error)
	hasFailed atomic.Bool // a write has failed
}

func (f *safeFile) Write(records []byte) (int, error) {
	if !f.hasFailed.Load() {
		n, err := f.WriteCloser.Write(records)
		if err == nil {
			return n, nil
		}
		f.hasFailed.Store(true)
		f.onFailure(err)
	}
	return os.Stderr.Write(records)
}

// stderrCopy writes to stderr, unless the log file already writes there.
type stderrCopy struct{ log *safeFile }

func (b stderrCopy) Write(records []byte) (int, error) {
	if b.log.hasFailed.Load() {
		return len(records), nil
	}
	return os.Stderr.Write(records)
}

// Tell writes a line to stderr, independently of the log. It waits at most 250 ms for the reader.
func Tell(line string) {
	stderr := transport.NewSpool(os.Stderr, maxQueue, nil)
	io.WriteString(stderr, line+"\n")
	stderr.Close(waitLimit)
}

// droppedRecord returns a function that formats the record about dropped records, for a spool.
func (o Options) droppedRecord() func(dropped int) []byte {
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
		return tint.NewTextHandler(w, &tint.Options{Level: o.Level, TimeFormat: time.TimeOnly, ReplaceAttr: replaceAttr(cleanForTint)})
	}
	options := &slog.HandlerOptions{Level: o.Level, ReplaceAttr: replaceAttr(Clean)}
	if o.Format == "json" {
		return slog.NewJSONHandler(w, options)
	}
	return slog.NewTextHandler(w, options)
}

// ShowsColors reports whether f is a terminal and the environment does not disable colors.
func ShowsColors(f *os.File) bool {
	return transport.IsTerminal(f) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
