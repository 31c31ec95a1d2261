// Gosdk is the counterpart of ../agent.mjs and ../client.mjs for the Go SDK, which supports legacy
// plans only. Usage: gosdk agent go [RECORD], or gosdk client AGENTS SCENARIOS.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"github.com/coder/acp-go-sdk"
)

func main() {
	var err error
	switch os.Args[1] {
	case "agent":
		err = runAgent(os.Args[3:])
	case "client":
		err = runClient([]byte(os.Args[2]), []byte(os.Args[3]))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gosdk:", err)
		os.Exit(1)
	}
}

func logTo(w io.Writer) {
	slog.SetDefault(slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn})))
}

// A record passes each line of a connection to note: sent lines after "> ", received ones after
// "< ".
type record struct {
	mu   sync.Mutex
	note func(line string)
}

// A tap records one direction of a connection.
type tap struct {
	*record
	mark string
	rest []byte
}

func (t *tap) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest = append(t.rest, b...)
	for {
		line, rest, ok := bytes.Cut(t.rest, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		t.note(t.mark + string(line))
		t.rest = rest
	}
}

func (r *record) output(w io.Writer) io.Writer { return io.MultiWriter(&tap{record: r, mark: "> "}, w) }
func (r *record) input(in io.Reader) io.Reader { return io.TeeReader(in, &tap{record: r, mark: "< "}) }

// modes returns the modes of a session with the current one.
func modes(current acp.SessionModeId) *acp.SessionModeState {
	return &acp.SessionModeState{
		CurrentModeId:  current,
		AvailableModes: []acp.SessionMode{{Id: "ask", Name: "Ask"}, {Id: "plan", Name: "Plan"}},
	}
}
