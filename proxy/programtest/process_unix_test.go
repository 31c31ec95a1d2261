//go:build unix

package programtest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"acp-plan-proxy/proxy/programtest/needs"
)

// ample is a grace period that no agent exceeds.
const ample = "--grace=20s"

// A wrapper is the running program with a shell script as its agent. The program forwards the
// text that the script prints.
type wrapper struct {
	t   *testing.T
	cmd *exec.Cmd
	in  *os.File // the client's end of the program's stdin
	out *os.File // and of its stdout
}

// wrap runs an agent with a grace period of 300 ms and --stray=pass, unless flags override them.
func wrap(t *testing.T, agent string, flags ...string) *wrapper {
	t.Helper()
	return wrapLoggingTo(t, nil, agent, flags...)
}

// wrapLoggingTo is wrap with a stderr for the program.
func wrapLoggingTo(t *testing.T, stderr *os.File, agent string, flags ...string) *wrapper {
	t.Helper()
	args := slices.Concat([]string{"--grace=300ms", "--stray=pass"}, flags, []string{"--", "sh", "-c", agent})
	cmd := exec.Command(programName, args...)
	if stderr != nil {
		cmd.Stderr = stderr
	}
	return startWrapped(t, cmd)
}

// startWrapped starts a command that runs the program.
func startWrapped(t *testing.T, cmd *exec.Cmd) *wrapper {
	t.Helper()
	w := &wrapper{t: t, cmd: cmd}
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.in, w.out = in, out
	w.cmd.Stdin, w.cmd.Stdout = stdin, stdout
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdin.Close()
	stdout.Close()
	// Make a hanging program fail instead of blocking the test. A surviving agent keeps the
	// output open, so reads need a deadline too.
	limit := time.AfterFunc(30*time.Second, func() { w.cmd.Process.Kill() })
	out.SetReadDeadline(time.Now().Add(40 * time.Second))
	t.Cleanup(func() {
		limit.Stop()
		w.cmd.Process.Kill()
		in.Close()
		out.Close()
	})
	return w
}

// gets reads the agent's output through the given line.
func (w *wrapper) gets(line string) {
	w.t.Helper()
	var got strings.Builder
	for b := make([]byte, 1); !strings.HasSuffix(got.String(), line+"\n"); got.Write(b) {
		if _, err := w.out.Read(b); err != nil {
			w.t.Fatalf("got %q, not %q: %v", got.String(), line, err)
		}
	}
}

// ends waits until the program exits, and checks its status.
func (w *wrapper) ends(status int) {
	w.t.Helper()
	w.cmd.Wait()
	if got := w.cmd.ProcessState.ExitCode(); got != status {
		w.t.Errorf("exit status %d, want %d", got, status)
	}
}

// TestByteForByte checks that lines other than plan messages arrive unchanged. The agent echoes
// its input, so each line passes in both directions, and the client's response to initialize
// returns as the agent's. Only lines to the client that are no messages may be dropped.
func TestByteForByte(t *testing.T) {
	strays := strings.Join([]string{
		"[]", "null", "7", `"text"`, "text on stdout\x1b[31m", "\x00", "\xff\xfe{", "\ufeff{}", "[INFO] ready\r", "[1,{}]",
		"> {\"jsonrpc\":\"2.0\",\"method\":\"a\"",
	}, "\n") + "\n"
	lines := strings.Join([]string{
		"", "\r", " \t ", "{}", "{", " {\x00}",
		"{ \"x\" : 1.0E+2 ,\t\"id\" : 1e0, \"method\":\"a\\/b\\u0063\", \"x\":-0, \"jsonrpc\":\"2.0\" }\r",
		`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"prompt":[{"type":"text","text":"plan_update"}]}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`, `{"id":null,"error":{"code":-32603,"message":"\ud800"}}`,
		`{"method":"_vendor/x","params":{"update":{"sessionUpdate":"plan"}}}`, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3}}`,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_2030","plan":{"entries":[]}}}}`,
		"{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"user_message_chunk\",\"x\":\"\xff\"}}}",
		"{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"plan_removed\",\"planId\":\"\xff\"",
		`{"method":"session/update","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"p"}}}`,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"p"}}}}`,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","entries":1}}}}`,
		`[{"id":4,"method":"a"} , {"id":4,"result":1},{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"new"}}} ]`,
		`[{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"p"}}}`,
		`{"id":5,"method":"session/load","params":{"sessionId":"s"}}`, `{"id":5,"result":{ }}`,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed"}}`, // unterminated
	}, "\n")
	for _, version := range []string{"1", "2"} {
		for stray, arrives := range map[string]string{"log": "", "pass": strays} {
			w := wrap(t, "exec cat", ample, "--stray="+stray)
			begin := `{"id":0,"method":"initialize","params":{}}` + "\n" + `{"id":0,"result":{"protocolVersion":` + version + "}}\n"
			if _, err := io.WriteString(w.in, strays+begin+strays+lines); err != nil {
				t.Fatal(err)
			}
			w.in.Close()
			want := arrives + begin + arrives + lines
			if got, err := io.ReadAll(w.out); err != nil || string(got) != want {
				t.Errorf("version %s, --stray=%s: %v, got\n%q\nwant\n%q", version, stray, err, got, want)
			}
			w.ends(0)
		}
	}
}

func TestSignals(t *testing.T) {
	for signal, name := range map[syscall.Signal]string{syscall.SIGTERM: "TERM", syscall.SIGINT: "INT", syscall.SIGHUP: "HUP", syscall.SIGQUIT: "QUIT"} {
		t.Run(name, func(t *testing.T) {
			w := wrap(t, `trap 'echo caught `+name+`; exit 9' `+name+`; echo ready; while :; do sleep 0.02; done`)
			w.gets("ready")
			w.cmd.Process.Signal(signal)
			w.gets("caught " + name)
			w.ends(9)
		})
	}

	// QUIT ends an agent without a handler, and neither process writes a dump.
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	w := wrapLoggingTo(t, stderr, `ulimit -c 0; echo ready; exec sleep 1000`)
	w.gets("ready")
	w.cmd.Process.Signal(syscall.SIGQUIT)
	w.ends(128 + int(syscall.SIGQUIT))
	if text, err := os.ReadFile(stderr.Name()); err != nil || len(text) > 0 {
		t.Errorf("stderr has %q, %v", text, err)
	}

	// The program forwards a second signal too.
	w = wrap(t, `trap 'echo caught INT' INT; trap 'echo caught HUP; exit 9' HUP; echo ready; while :; do sleep 0.02; done`, ample)
	w.gets("ready")
	w.cmd.Process.Signal(syscall.SIGINT)
	w.gets("caught INT")
	w.cmd.Process.Signal(syscall.SIGHUP)
	w.gets("caught HUP")
	w.ends(9)
}

// TestEscalation checks that the program ends an agent that ignores the signal with TERM and
// then KILL, each after the grace period of the flag instead of the default 10 s.
func TestEscalation(t *testing.T) {
	begin := time.Now()
	w := wrap(t, `trap '' INT; echo ready; while :; do sleep 0.02; done`)
	w.gets("ready")
	w.cmd.Process.Signal(syscall.SIGINT)
	w.ends(128 + int(syscall.SIGTERM))

	w = wrap(t, `trap '' TERM; echo ready; while :; do sleep 0.02; done`)
	w.gets("ready")
	w.in.Close()
	w.ends(128 + int(syscall.SIGKILL))
	if d := time.Since(begin); d >= 10*time.Second {
		t.Errorf("took %v", d)
	}
}

// TestLostOutputIsLogged checks that the log reports output cut at the end of an agent, and names
// the flag that extends the time.
func TestLostOutputIsLogged(t *testing.T) {
	for name, test := range map[string]struct {
		agent  string
		grace  string
		status int
		logged string
	}{
		"the agent still writes":                  {"while :; do echo more; sleep 0.02; done", "--grace=300ms", 128 + int(syscall.SIGTERM), "the agent has not ended"},
		"processes of an ended agent still write": {"while :; do echo more; sleep 0.02; done & exit 3", "--grace=300ms", 3, "processes that it started have not"},
		"no output is lost":                       {"cat; echo last words; exit 4", ample, 4, ""},
	} {
		path := filepath.Join(t.TempDir(), "log")
		w := wrap(t, test.agent, test.grace, "--log-file="+path)
		w.in.Close()
		if _, err := io.Copy(io.Discard, w.out); err != nil {
			t.Error(err)
		}
		w.ends(test.status)
		log, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if reported := strings.Contains(string(log), "--grace"); reported != (test.logged != "") || !strings.Contains(string(log), test.logged) {
			t.Errorf("%s: the log is %q", name, log)
		}
	}
}

// TestDelayedExitIsLogged checks that the log names the cause when the program cannot exit after
// a signal.
func TestDelayedExitIsLogged(t *testing.T) {
	const (
		ends    = `while :; do sleep 0.02; done`
		inside  = "processes that it started have not and are terminated"
		outside = "a process outside its group holds its output open"
		unread  = "the client does not read"
	)
	for name, test := range map[string]struct{ agent, logged string }{
		"a process of the group":      {`trap 'exit 5' TERM; sh -c "trap '' TERM; echo ready; while :; do sleep 0.02; done" & ` + ends, inside},
		"a process outside the group": {`trap 'exit 5' TERM; setsid sh -c "echo ready; exec sleep 5" & ` + ends, outside},
		"a client that stops reading": {`trap '' TERM; echo ready; exec yes`, unread},
	} {
		t.Run(name, func(t *testing.T) {
			if test.logged == outside {
				needs.Program(t, "setsid")
			}
			path := filepath.Join(t.TempDir(), "log")
			w := wrap(t, test.agent, "--log-file="+path)
			w.gets("ready")
			w.cmd.Process.Signal(syscall.SIGTERM)
			w.cmd.Wait()
			log := string(readFile(t, path))
			for _, warning := range []string{inside, outside, unread} {
				if reported := strings.Contains(log, warning); reported != (warning == test.logged) {
					t.Errorf("the log is %s", log)
				}
			}
		})
	}
}

// TestClientGoneAgentSlow checks that the program delivers all messages of a client that has
// disconnected, as long as the agent reads.
func TestClientGoneAgentSlow(t *testing.T) {
	// Reading everything takes longer than the grace period, and each part much less.
	w := wrap(t, `for i in 1 2 3 4 5 6 7 8 9; do head -c 50005 >/dev/null; sleep 0.3; done; echo $(wc -l) left`, "--grace=2s")
	line := strings.Repeat("x", 10_000) + "\n"
	if _, err := io.WriteString(w.in, strings.Repeat(line, 50)); err != nil {
		t.Fatal(err)
	}
	w.in.Close()
	w.gets("5 left")
	w.ends(0)
}

// TestClientClosesStdout checks that closing the program's stdout counts as disconnecting.
func TestClientClosesStdout(t *testing.T) {
	// The agent's stdin must end although the client's is still open.
	w := wrap(t, `echo ready; read line; echo more; cat; exit 6`, ample)
	w.gets("ready")
	w.out.Close()
	if _, err := io.WriteString(w.in, "{}\n"); err != nil {
		t.Fatal(err)
	}
	w.ends(6)
}

// TestAgentClosesStdin checks that the program forwards the output of an agent that has closed
// its stdin.
func TestAgentClosesStdin(t *testing.T) {
	w := wrap(t, `exec 0<&-; echo ready; sleep 1; echo still here`)
	w.gets("ready")
	for range 3 {
		if _, err := io.WriteString(w.in, "{}\n"); err != nil {
			t.Fatal(err)
		}
	}
	w.gets("still here")
	w.ends(0)
}

// TestAgentClosesStdout checks that the program forwards input to an agent that has closed its
// stdout.
func TestAgentClosesStdout(t *testing.T) {
	w := wrap(t, `exec 1<&-; read line; exit 5`)
	if rest, err := io.ReadAll(w.out); err != nil || len(rest) > 0 {
		t.Errorf("got %q, %v", rest, err)
	}
	io.WriteString(w.in, "{}\n")
	w.ends(5)
}
