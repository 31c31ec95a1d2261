//go:build unix

package programtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// manyPlans is a number of plan messages whose debug log fills a pipe and the program's queue.
const manyPlans = 10_000

// echo is an agent that responds to initialize and echoes all further input.
const echo = `read initialize; echo '{"id":0,"result":{"protocolVersion":1}}'; exec cat`

// passPlans sends plan messages to echo through the program, and waits until all have returned.
func (w *wrapper) passPlans(n int) {
	w.t.Helper()
	go func() {
		to := bufio.NewWriter(w.in)
		io.WriteString(to, `{"id":0,"method":"initialize","params":{"protocolVersion":1}}`+"\n")
		for i := range n {
			fmt.Fprintf(to, `{"method":"session/update","params":{"sessionId":"s%d","update":{"sessionUpdate":"plan","entries":[]}}}`+"\n", i)
		}
		to.Flush()
	}()
	from := bufio.NewScanner(w.out)
	arrived := 0
	for arrived < n+1 && from.Scan() {
		arrived++
	}
	if arrived < n+1 {
		w.t.Fatalf("%d messages of %d arrived: %v", arrived, n+1, from.Err())
	}
}

// TestLogNotRead checks that an unread log blocks neither the messages nor the exit of the
// program.
func TestLogNotRead(t *testing.T) {
	pipe := func(t *testing.T) (read, write *os.File, flags []string) {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		return read, write, nil
	}
	fifo := func(t *testing.T) (read, write *os.File, flags []string) {
		name := makeFIFO(t)
		read, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		return read, nil, []string{"--log-file=" + name}
	}
	for name, test := range map[string]struct {
		open   func(t *testing.T) (read, write *os.File, flags []string)
		stop   func(w *wrapper)
		status int
	}{
		"stderr, TERM":        {pipe, func(w *wrapper) { w.cmd.Process.Signal(syscall.SIGTERM) }, 128 + int(syscall.SIGTERM)},
		"file, client closes": {fifo, func(w *wrapper) { w.in.Close() }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			read, write, flags := test.open(t)
			defer read.Close()
			w := wrapLoggingTo(t, write, echo, append(flags, "--log-level=debug")...)
			w.passPlans(manyPlans)
			test.stop(w)
			w.ends(test.status)
		})
	}
}

// TestErrorNotRead checks that an unread error message does not block the exit of the program.
func TestErrorNotRead(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	write.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	if _, err := write.Write(make([]byte, 1<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the pipe is not full: %v", err)
	}
	cmd := exec.Command(programName, "--", "no-such-agent")
	cmd.Stderr = write
	limit := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer limit.Stop()
	cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != 127 {
		t.Errorf("exit status %d", got)
	}
}

// TestFIFOWithoutReader checks that a FIFO without a reader as the log or the trace blocks
// nothing, and that a later reader receives the buffered records.
func TestFIFOWithoutReader(t *testing.T) {
	for _, flags := range [][]string{{"--log-level=debug", "--log-file="}, {"--trace-all", "--trace="}} {
		name := makeFIFO(t)
		flags[1] += name
		w := wrap(t, echo, flags...)
		w.passPlans(manyPlans)
		w.in.Close()
		w.ends(0)

		w = wrap(t, echo, flags...)
		w.passPlans(10)
		read, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		w.in.Close()
		got, err := io.ReadAll(read)
		read.Close()
		if n := strings.Count(string(got), "session/update\"") + strings.Count(string(got), "level=DEBUG"); err != nil || n != 10 && n != 20 {
			t.Errorf("%v: %d messages: %v\n%s", flags, n, err, got)
		}
		w.ends(0)
	}
}

func makeFIFO(t *testing.T) (name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
