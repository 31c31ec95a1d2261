//go:build unix

package proxy

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"acp-plan-proxy/proxy/conversation"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/vendors"
)

// testGrace is the grace period of agents that must be terminated. testTimeout is far
// above anything that a test waits for.
const (
	testGrace   = 20 * time.Millisecond
	testTimeout = 20 * time.Second
)

// A testClient is the test's end of the pipes of Run.
type testClient struct {
	in     *os.File // the client's output
	out    *os.File // the client's input
	signal chan os.Signal
}

// run runs a shell script as the agent, with plays as the client, and returns the status. The agent
// "" is a program that does not exist.
func run(t *testing.T, stderr *os.File, agent string, grace time.Duration, plays func(c testClient)) int {
	t.Helper()
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out.SetReadDeadline(time.Now().Add(testTimeout))
	signals := make(chan os.Signal, 1)
	defer stdin.Close()
	defer in.Close()
	defer out.Close()
	played := make(chan struct{})
	go func() {
		defer close(played)
		plays(testClient{in, out, signals})
	}()
	a := Agent{Args: []string{"sh", "-c", agent}, Stderr: stderr, Grace: grace, Signals: signals}
	if agent == "" {
		a.Args = []string{"no-such-agent"}
	}
	status := 0
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		status, err = Run(a, stdin, stdout, options())
	}()
	select {
	case <-ended:
	case <-time.After(testTimeout):
		t.Fatalf("%s: Run does not return", agent)
	}
	if (err != nil) != (agent == "") {
		t.Errorf("%s: %v", agent, err)
	}
	<-played
	return status
}

// options returns the options of the command line without flags.
func options() conversation.Options {
	return conversation.Options{
		Plans:      plans.Options{SyntheticID: "main", Markdown: plans.MarkdownEntries, Files: plans.FilesRead},
		MaxMessage: 64 << 20,
		Log:        slog.New(slog.DiscardHandler),
	}
}

func TestRunLeavesNothing(t *testing.T) {
	// Every process of an agent inherits an end of a FIFO.
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	gone, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer gone.Close()
	agents, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer agents.Close()
	stderr, err := os.OpenFile(filepath.Join(t.TempDir(), "stderr"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	ready := func(c testClient) { io.ReadFull(c.out, make([]byte, len("ready\n"))) }
	rest := func(c testClient) {
		if _, err := io.Copy(io.Discard, c.out); err != nil {
			t.Errorf("the client's end stays open: %v", err)
		}
	}
	ends := map[string]struct {
		agent  string
		grace  time.Duration
		plays  func(c testClient)
		status int // 0 if the agent is ended by TERM, or by KILL on a busy machine
	}{
		"the client ends":                            {"cat; exit 3", testTimeout, func(c testClient) { io.WriteString(c.in, "{}\n"); c.in.Close(); rest(c) }, 3},
		"the agent ends":                             {"echo ready; exit 4", testTimeout, rest, 4},
		"the agent is killed":                        {"sleep 1000 & kill -9 $$", testGrace, rest, 128 + 9},
		"the agent is not found":                     {"", 0, rest, 127},
		"a signal arrives":                           {"echo ready; exec sleep 1000", testTimeout, func(c testClient) { ready(c); c.signal <- syscall.SIGINT }, 128 + 2},
		"the agent does not read":                    {"echo ready; exec sleep 1000", testGrace, func(c testClient) { ready(c); c.in.Write(make([]byte, 80_000)); c.in.Close() }, 0},
		"the agent has descendants and ignores TERM": {"sleep 1000 & trap '' TERM; echo ready; while :; do sleep 1000; done", testGrace, func(c testClient) { ready(c); c.in.Close() }, 128 + 9},
		"the client closes its stdin":                {"echo ready; exec yes", testGrace, func(c testClient) { ready(c); c.out.Close() }, 0},
		"the client does not read":                   {"echo ready; exec yes", testGrace, func(c testClient) { ready(c); c.signal <- syscall.SIGTERM }, 0},
	}
	all := func() {
		for name, end := range ends {
			agent := end.agent
			if agent != "" {
				agent = "exec 3>" + path + "; " + agent
			}
			status := run(t, stderr, agent, end.grace, end.plays)
			if terminated := status == 128+15 || status == 128+9; status != end.status && !(end.status == 0 && terminated) {
				t.Errorf("%s: status %d, want %d", name, status, end.status)
			}
		}
	}
	// A file that is forgotten would be closed when it is collected.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	goroutines := runtime.NumGoroutine()
	var open []int
	// await waits until the state is as before. A goroutine that has read the end of the client's output
	// may take a moment to end, and only then closes its end of the pipe.
	await := func(isSettled func() bool) {
		for deadline := time.Now().Add(testTimeout); !isSettled(); runtime.Gosched() {
			if time.Now().After(deadline) {
				stacks := make([]byte, 1<<20)
				t.Fatalf("%d goroutines, before %d; open are %v, before %v\n%s",
					runtime.NumGoroutine(), goroutines, openFiles(), open, stacks[:runtime.Stack(stacks, true)])
			}
		}
	}
	haveEnded := func() bool { return runtime.NumGoroutine() <= goroutines }
	all()
	await(haveEnded)
	open = openFiles() // including descriptors of the runtime
	for range 3 {
		all()
	}
	await(func() bool { return haveEnded() && len(openFiles()) <= len(open) })
	if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
		t.Errorf("there are children: %d, %v", pid, err)
	}
	agents.Close()
	gone.SetReadDeadline(time.Now().Add(testTimeout))
	if _, err := io.ReadAll(gone); err != nil {
		t.Errorf("a process of an agent is still there: %v", err)
	}
}

// A client receives the reason why an agent has failed, also if it sends initialize a moment later. Run
// does not wait for a client that sends nothing or has ended.
func TestRunExplains(t *testing.T) {
	stderr, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stderr.Close() })
	const asks = `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":1}}` + "\n"
	said := func(why string) string {
		return `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"agent \"` + why + `"}}` + "\n"
	}
	notFound := said(`no-such-agent\" not found: executable file not found in $PATH`)
	later := func(c testClient) { time.Sleep(100 * time.Millisecond); io.WriteString(c.in, asks) }
	for name, test := range map[string]struct {
		agent  string
		grace  time.Duration
		plays  func(c testClient)
		status int
		want   string
		within time.Duration
	}{
		"the agent is not found":                                    {"", testTimeout, func(c testClient) { io.WriteString(c.in, asks) }, 127, notFound, initializeWait},
		"the agent is not found, the client asks later":             {"", testTimeout, later, 127, notFound, testTimeout},
		"the agent is not found, the client does not ask":           {"", testTimeout, func(testClient) {}, 127, "", testTimeout},
		"the agent is not found, the grace is short":                {"", testGrace, func(testClient) {}, 127, "", initializeWait},
		"the agent is not found, the client ends":                   {"", testTimeout, func(c testClient) { c.in.Close() }, 127, "", initializeWait},
		"the agent is not found, a signal arrives":                  {"", testTimeout, func(c testClient) { c.signal <- syscall.SIGTERM }, 127, "", initializeWait},
		"the agent is not found, the client asks after other lines": {"", testTimeout, func(c testClient) { io.WriteString(c.in, "\n{}\n"); later(c) }, 127, notFound, testTimeout},
		"the agent ends, the client asks later":                     {"echo no key >&2; exit 3", testTimeout, later, 3, said(`sh\" ended (exit status 3) before it answered initialize: no key`), testTimeout},
		"the agent ends with status 0, the client asks later":       {"exit 0", testTimeout, later, 0, said(`sh\" ended (exit status 0) before it answered initialize`), testTimeout},
		"the agent ends, the client ends":                           {"exit 3", testTimeout, func(c testClient) { c.in.Close() }, 3, "", initializeWait},
		"the agent ends, a signal arrives":                          {"exit 3", testTimeout, func(c testClient) { time.Sleep(200 * time.Millisecond); c.signal <- syscall.SIGTERM }, 3, "", initializeWait},
		"a program that prints its version":                         {"echo 1.0", testTimeout, func(testClient) {}, 0, "1.0\n", initializeWait},
		"the agent is killed, the client asks later":                {"kill -9 $$", testTimeout, later, 128 + 9, said(`sh\" ended (signal: killed) before it answered initialize`), testTimeout},
		"the agent closes its stdout":                               {"read -r line; echo deaf >&2; exec >&-; cat >/dev/null", testTimeout, func(c testClient) { io.WriteString(c.in, asks); time.Sleep(2 * initializeWait); c.in.Close() }, 0, said(`sh\" closed its stdout before it answered initialize: deaf`), testTimeout},
		"a descendant keeps stderr open":                            {"read -r line; sleep 1000 >/dev/null & echo no key >&2; exit 3", testTimeout, func(c testClient) { io.WriteString(c.in, asks) }, 3, said(`sh\" ended (exit status 3) before it answered initialize: no key`), testTimeout / 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var took time.Duration
			for range 3 { // a busy machine may be slow once
				var got []byte
				begin := time.Now()
				status := run(t, stderr, test.agent, test.grace, func(c testClient) {
					test.plays(c)
					got, _ = io.ReadAll(c.out)
				})
				if status != test.status || string(got) != test.want {
					t.Errorf("status %d, the client gets %q, want %q", status, got, test.want)
				}
				if took = time.Since(begin); took <= test.within {
					return
				}
			}
			t.Errorf("it takes %v", took)
		})
	}
}

// openFiles returns the numbers of the open descriptors.
func openFiles() (numbers []int) {
	for n := range 1000 {
		var stat syscall.Stat_t
		if syscall.Fstat(n, &stat) == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// If in is not a file, Run cannot detect a hangup, only the end of in.
func TestRunStopsAtTheEnd(t *testing.T) {
	status, err := Run(Agent{Args: []string{"sleep", "20"}, Grace: testGrace}, strings.NewReader("{}\n"), nopCloser{io.Discard}, options())
	if status != 128+15 || err != nil {
		t.Errorf("status %d, %v", status, err)
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// A client that cannot be written to counts as gone even while its input is open: a plan that waits
// for its approval is cancelled.
func TestRunCancelsForAClientThatGetsNothing(t *testing.T) {
	heard := filepath.Join(t.TempDir(), "heard")
	agent := `read -r request
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"Grok","version":"1"}}}'
echo '{"jsonrpc":"2.0","id":0,"method":"_x.ai/exit_plan_mode","params":{"sessionId":"s"}}'
cat >` + heard
	o := options()
	o.Vendors = vendors.On
	in, client := io.Pipe()
	defer client.Close()
	go io.WriteString(client, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1"}}}`+"\n")
	status, err := Run(Agent{Args: []string{"sh", "-c", agent}, Grace: testTimeout}, in, nopCloser{closedAt("session/request_permission")}, o)
	if status != 0 || err != nil {
		t.Errorf("status %d, %v", status, err)
	}
	if got, err := os.ReadFile(heard); err != nil || string(got) != `{"jsonrpc":"2.0","id":0,"result":{"outcome":"cancelled"}}`+"\n" {
		t.Errorf("the agent gets %q, %v", got, err)
	}
}

// A closedAt is a writer that fails at this text.
type closedAt string

func (c closedAt) Write(b []byte) (int, error) {
	if strings.Contains(string(b), string(c)) {
		return 0, syscall.EPIPE
	}
	return len(b), nil
}
