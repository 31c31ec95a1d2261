package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// readSoakMessage reads a line. What has another type than usual is left out. The
// result is nil if the line is not JSON.
func readSoakMessage(line []byte) *soakMessage {
	var m soakMessage
	var other *json.UnmarshalTypeError
	if err := json.Unmarshal(line, &m); err != nil && !errors.As(err, &other) {
		return nil
	}
	return &m
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
