//go:build unix

package transport

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The agent's stderr arrives whole, and the end of it is kept, however the agent
// ends and whoever keeps stderr open.
func TestProcessLastWords(t *testing.T) {
	for _, test := range []struct {
		name   string
		words  []string
		stderr string
		ending string
	}{
		{"it exits", []string{"err:one", "err:two", "exit:3"}, "one\ntwo\n", "exit status 3"},
		{"it is silent", []string{"exit:0"}, "", "exit status 0"},
		{"it is killed", []string{"err:one", "kill"}, "one\n", "signal: killed"},
		{"what it started goes on", []string{"err:one", "spawn:silent,deaf,hang", "exit:1"}, "one\n", "exit status 1"},
		{"what it started has left", []string{"spawn:leave,silent,err=two,hang", "pause", "exit:1"}, "two\n", "exit status 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			p := startAgent(t, Command{Args: agentArgs(test.words...), Stderr: w, KeepLastWords: true, Grace: testTimeout})
			readOutput(t, p)
			<-p.Exited()
			begin := time.Now()
			waitAgent(t, p)
			if d := time.Since(begin); d > testTimeout/4 {
				t.Errorf("Wait took %v", d)
			}
			w.Close()
			stderr, err := io.ReadAll(r)
			if string(stderr) != test.stderr || err != nil {
				t.Errorf("stderr %q, %v", stderr, err)
			}
			if words := string(p.LastWords()); words != test.stderr {
				t.Errorf("last words %q", words)
			}
			if ending := p.Ending(); ending != test.ending {
				t.Errorf("it ended with %s, want %s", ending, test.ending)
			}
		})
	}
}

// Only the end of a long text is kept, in the same bytes.
func TestErrorOutputKeeps(t *testing.T) {
	var e errorOutput
	var all strings.Builder
	for _, size := range []int{1, 10, maxLastWords - 5, 3, maxLastWords, 2, 3 * maxLastWords, 100} {
		text := strings.Repeat(string(rune('a'+all.Len()%26)), size-1) + "\n"
		all.WriteString(text)
		e.keep([]byte(text))
		want := all.String()
		if got := string(e.lastWords()); got != want[max(0, len(want)-maxLastWords):] {
			t.Fatalf("after %d bytes: kept %d", len(want), len(got))
		}
	}
}

// An agent whose stderr nobody reads any more is told so as if it had the reader
// itself, and one whose reader is slow does not keep Wait.
func TestProcessStderrWithoutReader(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p := startAgent(t, Command{Args: agentArgs("errflood"), Stderr: w, KeepLastWords: true, Grace: testTimeout})
	time.Sleep(50 * time.Millisecond) // it fills the pipes
	select {
	case <-p.Exited():
		t.Error("the agent does not wait for a slow reader")
	default:
	}
	r.Close()
	readOutput(t, p)
	if status := waitAgent(t, p); status != 128+int(syscall.SIGPIPE) {
		t.Errorf("status %d", status)
	}

	r, w, err = os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	p = startAgent(t, Command{Args: agentArgs("errflood"), Stderr: w, KeepLastWords: true, Grace: testTimeout})
	time.Sleep(50 * time.Millisecond)
	p.Signal(os.Kill)
	readOutput(t, p)
	begin := time.Now()
	if status := waitAgent(t, p); status != 128+int(syscall.SIGKILL) || time.Since(begin) > testTimeout/4 {
		t.Errorf("status %d after %v", status, time.Since(begin))
	}
}

// Without a stderr nothing is copied, and nothing stays after the agent.
func TestProcessStderrInherited(t *testing.T) {
	p := startAgent(t, Command{Args: agentArgs("exit:0"), KeepLastWords: true, Grace: testTimeout})
	readOutput(t, p)
	waitAgent(t, p)
	if p.stderr != nil || p.LastWords() != nil {
		t.Error("the null device is copied to")
	}
	if _, err := Start(Command{Args: []string{"no-such-agent"}, Stderr: os.Stderr, KeepLastWords: true}); err == nil || !strings.Contains(err.Error(), exec.ErrNotFound.Error()) {
		t.Errorf("%v", err)
	}
}
