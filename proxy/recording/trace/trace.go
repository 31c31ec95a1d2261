// Package trace writes and reads recordings of the messages that pass the
// proxy.
//
// A trace is a file of JSON objects, one per line: the format of the ACP
// conductor's traces, so that its viewer opens the proxy's as well. Each
// object is an event: one JSON-RPC message from one component to the next.
//
//	request       type, ts, began?, protocol, from, to, id, method, session?, params, of?, lost?
//	notification  type, ts, began?, protocol, from, to, method, session?, params, of?, lost?
//	response      type, ts, began?, from, to, id, is_error, payload, of?, lost?
//
// ts is in seconds since the start of the trace. The first event has the wall-clock time of
// the start in began, as in "2026-11-23T09:30:00.000Z", and "redacted":true if redact printed
// it; the conductor's traces have neither. protocol is "acp", or "mcp" for an MCP message
// inside an ACP message. from and to are the components [Client], [Proxy] and [Agent]. session
// is absent if the message has none. payload is a response's result or error object.
//
// A forwarded message has one event, from Agent to Client. A rewritten message has an event from
// Agent to Proxy, followed by the events of the messages that replace it, from Proxy to Client, with
// the same ts. A dropped message has only the event from Agent to Proxy. The same holds in the other
// direction. A message of the proxy's own has only an event from Proxy.
//
// of is the number of another event, to which this event belongs. The first event of a file has the
// number 1. The conductor's traces do not have this member.
//
//   - A message from Proxy belongs to the message that made the proxy send it: the received
//     form of a rewritten message, or the message that the proxy answered or added to. The
//     proxy may send its own message first; of is then a greater number.
//   - Any other response belongs to its request. That includes a response that no message made
//     the proxy send, as when the agent has ended.
//   - A message that a timer made the proxy send has no of, and neither has a message that
//     belongs to a message without an event.
//
// lost lists the content lost in translation, as in
//
//	"lost":[{"kind":"patch of a diff","detail":"shown as text"}]
//
// kind is the same as in the log; name is the peer's name for the content; name and detail are
// optional. The conductor's traces do not have this member. It is on the first event of the
// message that lost the content, its received form. If there is no such event (a timer, an
// agent that ended, a line that is too long), it is on the first message that the proxy then
// sends. A loss of a message without an event is only in the log.
//
// Readers skip lines of any other kind.
//
// A [Writer] writes such a file, [Events] reads one, and a [Tail] follows one
// that is still being written.
package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Component is an end of the connection, or the proxy between the two.
type Component string

// The components, spelled as the conductor spells them. The conductor numbers its proxies; here
// there is only one.
const (
	Client Component = "Client"
	Proxy  Component = "Proxy"
	Agent  Component = "Agent"
)

// A Writer records messages. It may be used by several goroutines at once.
//
// Recording never fails for the caller: the Writer logs the first failed write and then
// records nothing. It logs once if a slow file made it drop events.
type Writer struct {
	log   *slog.Logger
	start time.Time

	mu     sync.Mutex
	dst    io.Writer // nil once a write has failed, or after Close
	closer io.Closer // nil if there is nothing to close
	slow   bool      // dst was too slow for some events, which were dropped
	now    float64   // seconds since start: the same for a message and its replacement
	began  []byte    // the wall-clock time of the start, until an event has it

	number   int // the number of the last event
	received int // the number of the last event that is not from the proxy; 0 if it is not in the file
	pending  pendingRequests

	cursor  rawjson.Cursor
	message jsonrpc.Message
	out     rawjson.Builder
	lost    []Loss // to be written with the next event
}

// New returns a Writer that records to w, with one Write for a message and its replacement.
// Methods that record wait for Write.
func New(w io.Writer, log *slog.Logger) *Writer {
	start := time.Now()
	return &Writer{dst: w, log: log, start: start, began: start.UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z")}
}

// Create returns a Writer that records to the named file or, if path is a folder, to a new file in
// it. If path ends in a slash, Create makes the folder. An earlier recording in the file is lost,
// because the times of two recordings would not fit together. Only its owner can read a new file or
// folder: conversations contain source code, and sometimes secrets.
//
// Methods that record wait for the file. If the file cannot be opened at once, as a FIFO that nobody
// reads, Create opens it in the background.
func Create(path string, log *slog.Logger) (*Writer, error) {
	file, err := create(path, log)
	if err != nil {
		return nil, err
	}
	w := New(file, log)
	w.closer = file
	return w, nil
}

// CreateLive is like [Create], but methods that record do not wait for the file. The Writer buffers
// events, up to 64 MiB or one longer message, and drops further events. Close waits up to 250 ms for
// the buffer.
func CreateLive(path string, log *slog.Logger) (*Writer, error) {
	file, err := create(path, log)
	if err != nil {
		return nil, err
	}
	return newLiveWriter(file, log), nil
}

func create(path string, log *slog.Logger) (io.WriteCloser, error) {
	file, err := transport.OpenWithin(fileTimeout, func() (*os.File, error) {
		path, err := fileIn(path, time.Now())
		if err != nil {
			return nil, err
		}
		file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
		if err != nil {
			return nil, err
		}
		if stat, err := file.Stat(); err == nil && stat.Mode().IsRegular() && stat.Mode().Perm()&0o077 != 0 {
			if err := file.Chmod(0o600); err != nil {
				log.Warn("the trace can be read by others", "file", path, "error", err)
			}
		}
		return file, nil
	})
	if err != nil {
		return nil, fmt.Errorf("create trace: %w", err)
	}
	return file, nil
}

// Close ends the recording. Later messages are ignored.
func (w *Writer) Close() error {
	w.mu.Lock()
	closer := w.closer
	w.dst, w.closer = nil, nil
	w.mu.Unlock()
	if closer == nil {
		return nil
	}
	if err := closer.Close(); err != nil {
		return fmt.Errorf("close trace: %w", err)
	}
	return nil
}

// Message records a message that was forwarded unchanged, and the losses in its translation. It
// does not retain the text.
func (w *Writer) Message(from, to Component, message []byte, lost ...Loss) {
	w.record(lost, hop{from, to, Unknown, message})
}

// Rewritten records a message that the proxy replaced or dropped, and the losses in its
// translation. The replacement has one message per line; it is empty for a dropped message.
func (w *Writer) Rewritten(from, to Component, message, replacement []byte, lost ...Loss) {
	w.record(lost, hop{from, Proxy, Unknown, message}, hop{Proxy, to, Last, replacement})
}

// Own records messages of the proxy's own, one per line, and the losses that belong to them.
func (w *Writer) Own(to Component, messages []byte, cause Cause, lost ...Loss) {
	w.record(lost, hop{Proxy, to, cause, messages})
}

// A Cause is the message that made the proxy send messages of its own.
type Cause int

const (
	Unknown Cause = iota // there is none, or it is not recorded
	Last                 // the message recorded last by Message or Rewritten
	Next                 // the message recorded next
)

// A hop is the transfer of messages from one component to the next.
type hop struct {
	from, to Component
	cause    Cause
	messages []byte
}

func (w *Writer) record(lost []Loss, hops ...hop) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dst == nil {
		return
	}
	before := w.number
	w.now, w.lost = time.Since(w.start).Seconds(), lost
	for _, h := range hops {
		first, of := w.number+1, 0
		switch h.cause {
		case Last:
			of = w.received
		case Next:
			of = first + 1 + bytes.Count(bytes.TrimSpace(h.messages), []byte{'\n'}) // behind the events of h.messages
		}
		w.writeEvents(h.from, h.to, of, h.messages)
		switch {
		case h.from == Proxy:
		case w.number < first: // no event was written
			w.received = 0
		default:
			w.received = first
		}
	}
	if len(w.out.Out) == 0 {
		return
	}
	_, err := w.dst.Write(w.out.Out)
	w.out.Reset()
	switch {
	case errors.Is(err, transport.ErrFull):
		w.number, w.received, w.pending = before, 0, nil
		if !w.slow {
			w.slow = true
			w.log.Warn("the trace is not written as fast as messages pass; some are missing from it")
		}
	case err != nil:
		w.dst = nil
		warnEnd(w.log, err)
	}
}
