package programtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
)

// A soakMessage is what the ends of a bridged soak read of a message.
type soakMessage struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProtocolVersion int
		SessionID       string
		RequestID       json.RawMessage
		ReplayFrom      json.RawMessage
		Number          int // of a notification
		Title           string
		ToolCall        struct{ Title string }
		Prompt          []struct{ Text string }
		Update          soakUpdate
	}
	Result struct {
		SessionID, StopReason string
		Said                  int
	}
	Error json.RawMessage
}

type soakUpdate struct {
	SessionUpdate, ToolCallID, Title, State, StopReason string

	Content json.RawMessage
	Entries []struct{ Content string }
	Plan    struct{ Entries []struct{ Content string } }
}

// readSoak returns the lines that come, until their end, and the message of
// each. A member that has another type than usual is left out. A line that is not
// JSON has no message.
func readSoak(r io.Reader) iter.Seq2[[]byte, *soakMessage] {
	return func(yield func([]byte, *soakMessage) bool) {
		in := bufio.NewReaderSize(r, 1<<16)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			m := &soakMessage{}
			var other *json.UnmarshalTypeError
			if err := json.Unmarshal(line, m); err != nil && !errors.As(err, &other) {
				m = nil
			}
			if !yield(line, m) {
				return
			}
		}
	}
}

// A lineWriter writes lines, each as a whole.
type lineWriter struct {
	mu      sync.Mutex
	w       io.Writer
	written int64
}

func (l *lineWriter) say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := fmt.Fprintf(l.w, format+"\n", args...)
	l.written += int64(n)
	if err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
	}
}
