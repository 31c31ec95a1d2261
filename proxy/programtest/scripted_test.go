package programtest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// agentAddress is the environment variable with the address on which the test listens for the
// scripted agent.
const agentAddress = "TEST_AGENT_ADDRESS"

// scriptedAgent connects to a test, copies its stdin to it, and executes the lines that the test
// sends: "out TEXT" and "err TEXT" write a line, "exit STATUS" and "kill" end the process.
func scriptedAgent() {
	c, err := net.Dial("tcp", os.Getenv(agentAddress))
	if err != nil {
		fmt.Fprintln(os.Stderr, "scripted agent:", err)
		os.Exit(1)
	}
	go func() {
		io.Copy(c, os.Stdin)
		c.(*net.TCPConn).CloseWrite()
	}()
	in := bufio.NewReader(c)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return // agents end with their input
		}
		command, text, _ := strings.Cut(line, " ")
		switch strings.TrimSuffix(command, "\n") {
		case "out":
			io.WriteString(os.Stdout, text)
		case "err":
			io.WriteString(os.Stderr, text)
		case "exit":
			status, _ := strconv.Atoi(strings.TrimSpace(text))
			os.Exit(status)
		case "kill":
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		}
	}
}

// A failer ends a test that has failed.
type failer interface {
	Fatalf(format string, args ...any)
}

// A scriptedRun is a run of the program in which a test plays both the client and the agent. A
// timer ends the run, so that a missing message fails the test.
type scriptedRun struct {
	t        failer
	cmd      *exec.Cmd
	stderr   lockedBuffer
	listener net.Listener
	limit    *time.Timer

	in      io.WriteCloser // the program's stdin
	out     *bufio.Reader  // and its stdout
	agent   *net.TCPConn   // nil once it has ended
	agentIn *bufio.Reader  // the agent's stdin

	values map[string]string // by $name: the value that the program has chosen, see matches
}

// startScripted starts the program in a folder and waits until its agent connects.
func startScripted(t failer, dir string, flags ...string) *scriptedRun {
	s := &scriptedRun{t: t, values: make(map[string]string)}
	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatalf("%v", err)
	}
	s.cmd = exec.Command(programName, append(flags, "--", "scripted-agent")...)
	s.cmd.Env = append(os.Environ(), agentAddress+"="+s.listener.Addr().String())
	s.cmd.Dir, s.cmd.Stderr = dir, &s.stderr
	s.cmd.WaitDelay = 5 * time.Second
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatalf("%v", err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatalf("%v", err)
	}
	s.out = bufio.NewReaderSize(out, 1<<16)
	if err := s.cmd.Start(); err != nil {
		t.Fatalf("%v", err)
	}
	s.limit = time.AfterFunc(30*time.Second, s.stop)
	s.agentStarts()
	return s
}

// stop kills the program and releases the resources of the run.
func (s *scriptedRun) stop() {
	s.listener.Close()
	s.cmd.Process.Kill()
	s.limit.Stop()
}

// agentStarts waits until the agent connects.
func (s *scriptedRun) agentStarts() {
	c, err := s.listener.Accept()
	if err != nil {
		s.t.Fatalf("the agent was not started: %v\n%s", err, &s.stderr)
	}
	s.agent = c.(*net.TCPConn)
	s.agentIn = bufio.NewReaderSize(c, 1<<16)
}

// agentStartsAgain checks that the current agent receives nothing more, and waits for its
// replacement.
func (s *scriptedRun) agentStartsAgain() {
	if s.agent != nil {
		s.endOf("agent")
	}
	s.agentStarts()
}

// agentDoes sends a command to scriptedAgent.
func (s *scriptedRun) agentDoes(command string) {
	if _, err := io.WriteString(s.agent, command+"\n"); err != nil {
		s.t.Fatalf("agent: %s: %v\n%s", command, err, &s.stderr)
	}
}

func (s *scriptedRun) agentSays(line string) { s.agentDoes("out " + line) }

// agentEnds ends the agent with the command "exit STATUS" or "kill".
func (s *scriptedRun) agentEnds(command string) {
	s.agentDoes(command)
	s.agent = nil
}

func (s *scriptedRun) clientSays(line string) {
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatalf("client: %v\n%s", err, &s.stderr)
	}
}

func (s *scriptedRun) clientCloses() { s.in.Close() }

func (s *scriptedRun) reader(side string) *bufio.Reader {
	if side == "agent" {
		return s.agentIn
	}
	return s.out
}

// gets returns the next line that a side receives.
func (s *scriptedRun) gets(side string) string {
	line, err := s.reader(side).ReadString('\n')
	if err != nil {
		s.t.Fatalf("the %s got %q and then: %v\n%s", side, line, err, &s.stderr)
	}
	return strings.TrimSuffix(line, "\n")
}

// chosenName matches the names in a script for values that the program chooses.
var chosenName = regexp.MustCompile(`\$[a-z][a-z0-9]*`)

// matches reports whether a line is equal to want. In want, $name matches any value on its first
// use, and the same value afterwards.
func (s *scriptedRun) matches(line, want string) bool {
	names := chosenName.FindAllString(want, -1)
	var pattern strings.Builder
	for i, text := range chosenName.Split(want, -1) {
		if i > 0 {
			pattern.WriteString(`([^",]+)`)
		}
		pattern.WriteString(regexp.QuoteMeta(text))
	}
	values := regexp.MustCompile("^" + pattern.String() + "$").FindStringSubmatch(line)
	if values == nil {
		return false
	}
	for i, name := range names {
		if value, known := s.values[name]; known && value != values[i+1] {
			return false
		}
		s.values[name] = values[i+1]
	}
	return true
}

// filled replaces each known $name in a line by its value.
func (s *scriptedRun) filled(line string) string {
	return chosenName.ReplaceAllStringFunc(line, func(name string) string {
		if value, known := s.values[name]; known {
			return value
		}
		return name
	})
}

// expect checks the next line that a side receives.
func (s *scriptedRun) expect(side, want string) {
	if got := s.gets(side); !s.matches(got, want) {
		s.t.Fatalf("%s\n got %s\nwant %s\n%s", side, got, s.filled(want), &s.stderr)
	}
}

// end closes the program's stdin and waits for its exit with a status. It fails if a side
// received a line that the test has not read.
func (s *scriptedRun) end(status int) {
	s.clientCloses()
	if s.agent != nil {
		s.endOf("agent")
		s.agent.CloseWrite()
	}
	s.endOf("client")
	s.cmd.Wait()
	if got := s.cmd.ProcessState.ExitCode(); got != status {
		s.t.Fatalf("exit status %d, want %d\n%s", got, status, &s.stderr)
	}
	s.stop()
}

// endOf checks that a side receives nothing more.
func (s *scriptedRun) endOf(side string) {
	if rest, _ := io.ReadAll(s.reader(side)); len(rest) > 0 {
		s.t.Fatalf("the %s got unexpected lines: %q", side, rest)
	}
}

// A lockedBuffer is written and read by several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
