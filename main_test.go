package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"

	"acp-plan-proxy/proxy/usage"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts of testdata/cli")

// agentAddress is the environment variable that tells the scripted agent where
// the test that plays it listens.
const agentAddress = "TEST_AGENT_ADDRESS"

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		programName:      main,
		"scripted-agent": scriptedAgent,
		"soak-agent":     soakAgent,
		"plain-agent":    plainAgent,
	})
}

// tests run the tests without the program's variables in the environment.
type tests struct{ m *testing.M }

func (t tests) Run() int {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, envPrefix) && !strings.HasPrefix(name, envPrefix+"TEST_") {
			os.Unsetenv(name)
		}
	}
	return t.m.Run()
}

// scriptedAgent is a process that lends its stdin and stdout to the test.
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
	io.Copy(os.Stdout, c)
}

func TestCLI(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/cli", UpdateScripts: *update, Cmds: scriptCommands, Condition: condition,
	})
}

// TestChoices holds what a flag says it takes against what it takes.
func TestChoices(t *testing.T) {
	named := 0
	for _, c := range commands() {
		o := newOptions(c)
		if err := o.flags.Parse(nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		o.flags.VisitAll(func(f *pflag.Flag) {
			choice, ok := f.Value.(usage.Choice)
			if !ok {
				return
			}
			alone, listed := choice.Choices()
			values := slices.Concat(alone, listed)
			if len(listed) > 0 {
				values = append(values, strings.Join(listed, ","))
			}
			for _, v := range values {
				named++
				if err := f.Value.Set(v); err != nil {
					t.Errorf("%s --%s=%s: %v", c.name, f.Name, v, err)
				}
			}
		})
	}
	if named == 0 {
		t.Error("no flag names its values")
	}
}

// TestConversations plays the conversations in testdata through the program,
// see testdata/conversations/README.md.
func TestConversations(t *testing.T) {
	for _, dir := range []string{"agents", "negotiation", "protocol"} {
		t.Run(dir, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:  filepath.Join("testdata/conversations", dir),
				Cmds: map[string]func(*testscript.TestScript, bool, []string){"converse": converse},
			})
		})
	}
}

// converse plays a conversation: converse FILE [flags of the program].
func converse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: converse FILE [flags]")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	defer listener.Close()

	var stderr bytes.Buffer
	proxy := exec.Command(programName, append(args[1:], "--", "scripted-agent")...)
	proxy.Env = append(os.Environ(), agentAddress+"="+listener.Addr().String())
	proxy.Dir = ts.Getenv("WORK")
	proxy.Stderr = &stderr
	toProxy, err := proxy.StdinPipe()
	ts.Check(err)
	fromProxy, err := proxy.StdoutPipe()
	ts.Check(err)
	ts.Check(proxy.Start())
	defer proxy.Process.Kill()
	// A line that does not come must fail the test, not hang it.
	limit := time.AfterFunc(20*time.Second, func() { listener.Close(); proxy.Process.Kill() })
	defer limit.Stop()
	agent, err := listener.Accept()
	if err != nil {
		ts.Fatalf("the agent was not started: %v\n%s", err, &stderr)
	}
	defer agent.Close()
	toAgent := agent.(*net.TCPConn)

	ends := map[string]struct {
		sends    io.Writer
		receives *bufio.Reader
	}{
		"client": {toProxy, bufio.NewReader(fromProxy)},
		"agent":  {toAgent, bufio.NewReader(agent)},
	}
	sent := ""
	for i, step := range strings.Split(ts.ReadFile(args[0]), "\n") {
		side, what, ok := strings.Cut(step, " ")
		if strings.HasPrefix(step, "#") || step == "" {
			continue
		}
		if side == "wait" {
			pause, err := time.ParseDuration(what)
			ts.Check(err)
			time.Sleep(pause)
			continue
		}
		what = strings.ReplaceAll(what, "$WORK", uriPath(ts.Getenv("WORK")))
		end, known := ends[strings.TrimRight(side, "<>")]
		if !ok || !known {
			ts.Fatalf("%s:%d: not a step: %s", args[0], i+1, step)
		}
		if strings.HasSuffix(side, ">") {
			sent = what
			_, err := io.WriteString(end.sends, what+"\n")
			ts.Check(err)
			continue
		}
		if what == "=" {
			what = sent
		}
		got, err := end.receives.ReadString('\n')
		if err != nil {
			ts.Fatalf("%s:%d: %s got %q and then: %v\n%s", args[0], i+1, side, got, err, &stderr)
		}
		if got != what+"\n" {
			ts.Fatalf("%s:%d: %s\n got %s\nwant %s\n%s", args[0], i+1, side, got, what, &stderr)
		}
	}
	toProxy.Close()
	atEnd(ts, args[0], "agent", ends["agent"].receives)
	toAgent.CloseWrite() // the scripted agent ends as agents do, after its input
	atEnd(ts, args[0], "client", ends["client"].receives)
	if err := proxy.Wait(); err != nil {
		ts.Fatalf("%s: %v\n%s", args[0], err, &stderr)
	}
	ts.Logf("%s", &stderr)
}

// uriPath is an absolute path as it is in a file: URI.
func uriPath(path string) string {
	return "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")
}

func atEnd(ts *testscript.TestScript, file, side string, r io.Reader) {
	if rest, _ := io.ReadAll(r); len(rest) > 0 {
		ts.Fatalf("%s: the %s got more than it should: %s", file, side, rest)
	}
}
