package transport

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// testTimeout is far above the duration of any wait in a test.
const testTimeout = 20 * time.Second

// agentMark precedes the actions on the test binary's command line.
const agentMark = "scripted-agent"

// agentArgs returns the command line with which this test binary runs as an agent.
// It performs the actions in order (see act), then exits 0.
func agentArgs(actions ...string) []string {
	return append([]string{os.Args[0], agentMark}, actions...)
}

// TestMain runs the tests, or the agent in the processes that tests start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == agentMark {
		runAgent(os.Args[2:])
	}
	os.Exit(m.Run())
}

// runAgent performs the actions and exits.
func runAgent(actions []string) {
	for i, action := range actions {
		if action == "args" { // prints the remaining arguments
			fmt.Println(strings.Join(actions[i+1:], "\n"))
			break
		}
		name, arg, _ := strings.Cut(action, ":")
		if !act(name, arg) {
			fmt.Fprintln(os.Stderr, "unknown action", action)
			os.Exit(99)
		}
	}
	os.Exit(0)
}

// act performs an action of a scripted agent. It returns false for an unknown
// action.
func act(name, arg string) bool {
	switch name {
	case "exit":
		n, _ := strconv.Atoi(arg)
		os.Exit(n)
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
	case "eof":
		io.Copy(io.Discard, os.Stdin)
	case "line":
		bufio.NewReaderSize(os.Stdin, 16).ReadString('\n')
	case "say":
		fmt.Fprintln(os.Stdout, arg)
	case "spawn": // starts a child with the same files; actions separated by commas, = for :
		args := agentArgs(strings.Split(strings.ReplaceAll(arg, "=", ":"), ",")...)
		child := exec.Command(args[0], args[1:]...)
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			os.Exit(98)
		}
	case "replace": // actions as for spawn
		status, err := Replace(agentArgs(strings.Split(strings.ReplaceAll(arg, "=", ":"), ",")...))
		if err != nil {
			os.Exit(94)
		}
		os.Exit(status)
	case "hang":
		// The sleep is finite so that the process ends even if the test fails.
		time.Sleep(2 * testTimeout)
	default:
		return systemAction(name, arg)
	}
	return true
}

// startAgent starts a scripted agent and kills it at the end of the test.
func startAgent(t *testing.T, cmd Command) *Process {
	t.Helper()
	p, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Signal(os.Kill)
		p.Wait()
	})
	return p
}

// within fails the test if f does not return.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(testTimeout):
		stacks := make([]byte, 1<<20)
		t.Fatalf("%s: still waiting\n%s", what, stacks[:runtime.Stack(stacks, true)])
	}
}

func waitAgent(t *testing.T, p *Process) (status int) {
	t.Helper()
	within(t, "Wait", func() { status = p.Wait() })
	return status
}

func readOutput(t *testing.T, p *Process) (output string) {
	t.Helper()
	within(t, "reading stdout", func() {
		b, err := io.ReadAll(p.Stdout())
		if err != nil {
			t.Error(err)
		}
		output = string(b)
	})
	return output
}

func readLine(t *testing.T, r io.Reader) (line string) {
	t.Helper()
	within(t, "reading a line", func() {
		var b [1]byte
		for {
			if _, err := r.Read(b[:]); err != nil {
				t.Error(err)
				return
			}
			if b[0] == '\n' {
				return
			}
			line += string(b[:])
		}
	})
	return line
}

func TestProcessExitStatus(t *testing.T) {
	for _, want := range []int{0, 7, 255} {
		p := startAgent(t, Command{Args: agentArgs("exit:" + strconv.Itoa(want)), Grace: testTimeout})
		if out := readOutput(t, p); out != "" {
			t.Errorf("output %q", out)
		}
		if got := waitAgent(t, p); got != want {
			t.Errorf("status %d, want %d", got, want)
		}
	}
}

func TestProcessStartErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		args   []string
		is     error
		status int
	}{
		{"not in PATH", []string{"no-such-agent"}, exec.ErrNotFound, 127},
		{"no such file", []string{filepath.Join(t.TempDir(), "agent")}, fs.ErrNotExist, 127},
		{"no command", nil, nil, 126},
	} {
		p, err := Start(Command{Args: test.args})
		if err == nil {
			p.Wait()
			t.Errorf("%s: no error", test.name)
			continue
		}
		if test.is != nil && !errors.Is(err, test.is) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.is)
		}
		if got := ExitStatus(err); got != test.status {
			t.Errorf("%s: exit status %d, want %d", test.name, got, test.status)
		}
		if len(test.args) > 0 && !strings.Contains(err.Error(), test.args[0]) {
			t.Errorf("%s: %q does not name the program", test.name, err)
		}
	}
}

func TestProcessRoundTrip(t *testing.T) {
	p := startAgent(t, Command{Args: agentArgs("echo", "say:bye", "exit:3"), Grace: testTimeout})
	message := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	var wg sync.WaitGroup
	wg.Go(func() {
		if n, err := p.Stdin().Write(message); n != len(message) || err != nil {
			t.Errorf("Write: %d, %v", n, err)
		}
		if err := p.Stdin().Close(); err != nil {
			t.Error(err)
		}
	})
	if got := readOutput(t, p); got != string(message)+"bye\n" {
		t.Errorf("%d bytes came back, want %d", len(got), len(message)+4)
	}
	wg.Wait()
	if got := waitAgent(t, p); got != 3 {
		t.Errorf("status %d", got)
	}
}

func TestProcessStdinAfterExit(t *testing.T) {
	p := startAgent(t, Command{Args: agentArgs("line", "exit:0"), Grace: testTimeout})
	// The agent reads the first bytes and exits during the blocked Write.
	_, err := p.Stdin().Write(append([]byte("\n"), make([]byte, 4<<20)...))
	if err == nil {
		t.Error("Write to an agent that has exited succeeded")
	}
	<-p.Exited()
	if _, err := p.Stdin().Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write after Exited: %v", err)
	}
}

func TestProcessStopWaitsForAgent(t *testing.T) {
	p := startAgent(t, Command{Args: agentArgs("eof", "say:last words", "exit:5"), Grace: testTimeout})
	p.Stdin().Close()
	p.Stop()
	p.Stop()
	if got := readOutput(t, p); got != "last words\n" {
		t.Errorf("output %q", got)
	}
	if got := waitAgent(t, p); got != 5 {
		t.Errorf("status %d", got)
	}
}

func TestProcessStopEndsAgent(t *testing.T) {
	const grace = 100 * time.Millisecond
	p := startAgent(t, Command{Args: agentArgs("say:ready", "hang"), Grace: grace})
	readLine(t, p.Stdout())
	begin := time.Now()
	p.Stop()
	readOutput(t, p)
	if got := waitAgent(t, p); got != 128+15 {
		t.Errorf("status %d", got)
	}
	if d := time.Since(begin); d < grace {
		t.Errorf("ended after %v", d)
	}
}

// Kill waits for no grace period and sends no TERM.
func TestProcessKill(t *testing.T) {
	p := startAgent(t, Command{
		Args: agentArgs("say:ready", "hang"), Grace: testTimeout,
		Terminating: func(bool) { t.Error("Terminating called") },
	})
	readLine(t, p.Stdout())
	p.Kill()
	p.Kill()
	if got := readOutput(t, p); got != "" {
		t.Errorf("output %q", got)
	}
	if got := waitAgent(t, p); got <= 128 {
		t.Errorf("status %d", got)
	}
	p.Kill()
}

// Kill interrupts the grace period after Stop.
func TestProcessKillAfterStop(t *testing.T) {
	p := startAgent(t, Command{Args: agentArgs("say:ready", "hang"), Grace: 2 * testTimeout})
	readLine(t, p.Stdout())
	p.Stop()
	p.Kill()
	readOutput(t, p)
	waitAgent(t, p)
}

// Terminating is called only if a process of the group is running.
func TestProcessTerminating(t *testing.T) {
	for name, test := range map[string]struct {
		action string
		grace  time.Duration
		late   bool // stdout is read after the last grace period
		want   []bool
	}{
		"an agent that ends by itself":                 {"eof", testTimeout, false, nil},
		"an agent that ends before its output is read": {"exit:0", 10 * time.Millisecond, true, nil},
		"an agent that does not end":                   {"hang", 10 * time.Millisecond, false, []bool{false}},
	} {
		var told []bool
		p := startAgent(t, Command{
			Args: agentArgs("say:ready", test.action), Grace: test.grace,
			Terminating: func(exited bool) { told = append(told, exited) },
		})
		readLine(t, p.Stdout())
		if test.late {
			within(t, "escalation", func() { <-p.escalated })
		}
		p.Stdin().Close()
		p.Stop()
		readOutput(t, p)
		waitAgent(t, p)
		if !slices.Equal(told, test.want) {
			t.Errorf("%s: Terminating called with %v, want %v", name, told, test.want)
		}
	}
}

func TestProcessWaitRepeats(t *testing.T) {
	p := startAgent(t, Command{Args: agentArgs("eof", "exit:4"), Grace: testTimeout})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := p.Wait(); got != 4 {
				t.Errorf("status %d", got)
			}
		})
	}
	p.Stdin().Close()
	within(t, "Wait", wg.Wait)
	if err := p.Signal(os.Kill); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("Signal after Wait: %v", err)
	}
	if _, err := p.Stdout().Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Read after Wait: %v", err)
	}
}
