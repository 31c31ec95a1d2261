// Package trace writes and reads recordings of the messages that pass the
// proxy.
//
// A trace is a file of JSON objects, one a line: the format of the ACP
// conductor's traces, so that its viewer opens the proxy's as well. Each
// object is an event: one JSON-RPC message on its way from one component to
// the next.
//
//	request       type, ts, began?, protocol, from, to, id, method, session?, params, lost?
//	notification  type, ts, began?, protocol, from, to, method, session?, params, lost?
//	response      type, ts, began?, from, to, id, is_error, payload, lost?
//
// ts is in seconds since the trace began. When that was, the first event says in began,
// as in "2026-11-23T09:30:00.000Z"; what redact has printed has "redacted":true there as
// well. The conductor's traces have neither. protocol is "acp", or "mcp" for an
// MCP message that travels inside an ACP one. from and to are the components
// [Client], [Proxy] and [Agent]. session is left out where the message names
// none. payload is a response's result or error object.
//
// What became of a message shows in its events. A forwarded message has one
// event, Agent to Client. A rewritten message has an event from Agent to Proxy.
// Right behind that, with the same ts, are the events of what left in its
// place, from Proxy to Client. A dropped message has only the event from Agent
// to Proxy. The same holds in the other direction. What the proxy says by
// itself has an event from Proxy alone. An example is the answer to a prompt
// after the agent has ended.
//
// lost is what was lost in translation, as in
//
//	"lost":[{"kind":"patch of a diff","detail":"shown as text"}]
//
// kind is what the log calls it. name, which is left out like detail where there is
// none, is what a peer calls it. The conductor's traces do not have this member. It is
// on the first event of the message that has lost something: the one that tells how it
// came in. What is lost when a timer fires, or because the agent has ended, is on the
// first event of what the proxy sends then. So is what is lost of a line that has no
// event, because it is too long. If nothing is sent, no event has it. Neither has one
// what is lost of a message that is not recorded: the log has all.
//
// A line of another kind cannot be read.
//
// A [Writer] writes such a file, [Events] reads one, and a [Tail] follows one
// that is still being written.
package trace

import (
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

// The components, spelled as the conductor spells them. Its proxies are
// numbered; ours is the only one.
const (
	Client Component = "Client"
	Proxy  Component = "Proxy"
	Agent  Component = "Agent"
)

// A Writer records messages. It may be used by several goroutines at once.
//
// Recording never fails towards its caller: the first write that fails is
// warned of, and nothing is recorded from then on. What is dropped because the
// file is too slow is warned of once, and counted.
type Writer struct {
	log    *slog.Logger
	passed func() time.Duration // since the trace began

	mu     sync.Mutex
	w      io.Writer // nil once a write has failed, or after Close
	closer io.Closer // nil if there is nothing to close
	slow   bool      // w has dropped something
	now    float64   // seconds since start: one time for a message and what became of it
	began  []byte    // when the trace began, until an event has said it

	cursor  rawjson.Cursor
	message jsonrpc.Message
	out     rawjson.Builder
	lost    []Loss // for the next event
}

// New returns a Writer that records to w, with one Write for each message and
// what became of it. A call that records a message waits for Write.
func New(w io.Writer, log *slog.Logger) *Writer {
	start := time.Now()
	return &Writer{
		w: w, log: log, passed: func() time.Duration { return time.Since(start) },
		began: start.UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z"),
	}
}

// Create returns a Writer that records to the named file, or in the named folder
// to a file that no other run has. A name that ends in a slash is a folder's, which
// is made for its owner alone. A call that records a message waits for the file. An
// earlier recording in it is lost, since the
// times of two would not go together. The file is for its owner alone:
// conversations hold source code, and secrets at times.
//
// A file that cannot be opened at once, such as a FIFO that nobody reads, is
// opened in the background.
func Create(path string, log *slog.Logger) (*Writer, error) {
	file, err := create(path, log)
	if err != nil {
		return nil, err
	}
	t := New(file, log)
	t.closer = file
	return t, nil
}

// CreateLive is [Create] for messages that must not wait. What the file does not
// take at once waits in memory, up to 64 MiB or one longer message; what does
// not fit there is missing from the recording. Close waits only a moment for
// what was not written yet.
func CreateLive(path string, log *slog.Logger) (*Writer, error) {
	file, err := create(path, log)
	if err != nil {
		return nil, err
	}
	return newLiveWriter(file, log), nil
}

func create(path string, log *slog.Logger) (io.WriteCloser, error) {
	file, err := transport.OpenWithin(moment, func() (*os.File, error) {
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

// Close ends the recording. What is recorded afterwards is lost without a
// warning.
func (t *Writer) Close() error {
	t.mu.Lock()
	closer := t.closer
	t.w, t.closer = nil, nil
	t.mu.Unlock()
	if closer == nil {
		return nil
	}
	if err := closer.Close(); err != nil {
		return fmt.Errorf("close trace: %w", err)
	}
	return nil
}

// Message records a message that went from one component to another as it is, and
// what was lost although it did. It may be a batch, which is recorded as the messages
// in it. The text is not kept.
func (t *Writer) Message(from, to Component, message []byte, lost ...Loss) {
	t.record(lost, way{from, to, message})
}

// Rewritten records a message on its way from one end to the other that the
// proxy did not let pass as it was, and what was lost by that. The replacement is
// empty, or one or several messages with white space or commas between them. Without a
// message, the proxy said the replacement by itself.
func (t *Writer) Rewritten(from, to Component, message, replacement []byte, lost ...Loss) {
	t.record(lost, way{from, Proxy, message}, way{Proxy, to, replacement})
}

// A way is one that messages have gone.
type way struct {
	from, to Component
	messages []byte
}

func (t *Writer) record(lost []Loss, ways ...way) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.w == nil {
		return
	}
	t.now, t.lost = t.passed().Seconds(), lost
	for _, w := range ways {
		t.events(w.from, w.to, w.messages)
	}
	if len(t.out.Out) == 0 {
		return
	}
	_, err := t.w.Write(t.out.Out)
	t.out.Reset()
	switch {
	case errors.Is(err, transport.ErrFull):
		if !t.slow {
			t.slow = true
			t.log.Warn("the trace is not written as fast as messages pass; some are missing from it")
		}
	case err != nil:
		t.w = nil
		warnEnd(t.log, err)
	}
}

// At says how much time has passed since the trace began, which was at a time that is not
// known. Without it, it began with the Writer.
func (t *Writer) At(passed time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.passed, t.began = func() time.Duration { return passed }, nil
}
