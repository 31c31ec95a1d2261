package programtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestConversations plays the conversations in testdata through the program,
// see testdata/conversations/README.md.
func TestConversations(t *testing.T) {
	watchFiles(t)
	entries, err := os.ReadDir("testdata/conversations")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue // the README
		}
		t.Run(entry.Name(), func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:  filepath.Join("testdata/conversations", entry.Name()),
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
	c := conversation{scriptedRun: startScripted(ts, ts.Getenv("WORK"), args[1:]...)}
	defer c.stop()
	for i, step := range strings.Split(ts.ReadFile(args[0]), "\n") {
		if strings.HasPrefix(step, "#") || step == "" {
			continue
		}
		step = strings.ReplaceAll(step, "$WORK", uriPath(ts.Getenv("WORK")))
		c.t = stepFailer{ts, args[0], i + 1}
		if !c.step(step) {
			c.t.Fatalf("invalid step: %s", step)
		}
	}
	c.t = ts
	c.end(c.status)
	for _, text := range c.logged {
		if !strings.Contains(c.stderr.String(), text) {
			ts.Fatalf("%s: stderr does not contain %q:\n%s", args[0], text, &c.stderr)
		}
	}
	ts.Logf("%s", &c.stderr)
}

// uriPath returns the path of a file: URI for an absolute path.
func uriPath(path string) string {
	return "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")
}

// stepFailer adds the line of the conversation to errors.
type stepFailer struct {
	*testscript.TestScript
	file string
	line int
}

func (a stepFailer) Fatalf(format string, args ...any) {
	a.TestScript.Fatalf("%s:%d: "+format, append([]any{a.file, a.line}, args...)...)
}

type conversation struct {
	*scriptedRun
	sent   string   // last line from either side
	status int      // expected exit status
	logged []string // expected texts in stderr
}

// step plays a step and reports whether its syntax is valid.
func (c *conversation) step(step string) bool {
	mark, text, _ := strings.Cut(step, " ")
	switch mark {
	case "client>":
		c.sent = c.filled(text)
		c.clientSays(c.sent)
	case "agent>":
		c.sent = c.filled(text)
		c.agentSays(c.sent)
	case "client<", "agent<":
		if text == "=" {
			text = c.sent
		}
		c.expect(strings.TrimSuffix(mark, "<"), text)
	case "agent!":
		c.agentDoes("err " + text)
	case "log":
		c.logged = append(c.logged, text)
	case "restart":
		c.agentStartsAgain()
	case "exit", "kill":
		c.agentEnds(step)
	case "hangup":
		c.clientCloses()
	case "status":
		status, err := strconv.Atoi(text)
		c.status = status
		return err == nil
	case "wait":
		pause, err := time.ParseDuration(text)
		time.Sleep(pause)
		return err == nil
	default:
		return false
	}
	return true
}
