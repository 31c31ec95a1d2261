package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"acp-plan-proxy/translate"
)

func TestWhyNotStarted(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("start agent: %w", &exec.Error{Name: "foo", Err: exec.ErrNotFound}), `agent "foo" not found: ` + exec.ErrNotFound.Error()},
		{fmt.Errorf("start agent: %w", &fs.PathError{Op: "fork/exec", Path: "foo", Err: fs.ErrNotExist}), `agent "foo" not found: file does not exist`},
		{fmt.Errorf("start agent: %w", &fs.PathError{Op: "fork/exec", Path: "foo", Err: syscall.EACCES}), `agent "foo" cannot be executed: permission denied`},
		{fmt.Errorf("start agent: %w", fmt.Errorf("no interpreter: %w", &fs.PathError{Op: "fork/exec", Path: "foo", Err: fs.ErrNotExist})),
			`agent "foo" cannot be started: no interpreter`},
		{fmt.Errorf("start agent: %w", fmt.Errorf("foo is a folder and no program: %w", &fs.PathError{Op: "fork/exec", Path: "foo", Err: syscall.EACCES})),
			`agent "foo" cannot be executed: foo is a folder and no program`},
		{fmt.Errorf("start agent: %w", fmt.Errorf("stderr: %w", syscall.EMFILE)), `agent "foo" cannot be started: stderr: too many open files`},
		{errors.New("no command"), `agent "foo" cannot be started: no command`},
	} {
		if got := WhyNotStarted("foo", test.err); got != test.want {
			t.Errorf("%v: %s, want %s", test.err, got, test.want)
		}
	}
}

func TestLastLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"\n \r\n":                            "",
		"one\ntwo\n":                         "two",
		"one\ntwo":                           "two",
		"10%\r20%\rfailed\r\n\x1b[0m\n":      "failed",
		"\x1b[1;31merror:\x1b[0m no key\x07": "error: no key",
		"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ b": "alink b",
		"\x1b(Bplain\x1b=\x1b7": "plain",
		"a\tb\x00c\x7f\u0085d":  "a b c  d",
		"\xffé":                 "\ufffdé",
		"end\x1b":               "end",
		"end\x1b[":              "end",
		"end\x1b[31":            "end",
		"end\x1b]0;open":        "end",
	} {
		if got := lastLine([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	long := whyEnded("a", "ended (exit status 1)", []byte(strings.Repeat("é", 3000)))
	if want := `agent "a" ended (exit status 1) before it answered initialize: ` + strings.Repeat("é", 98) + "…"; long != want {
		t.Errorf("%s", long)
	}
}

func FuzzLastLine(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\x1b]0;t\x07\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got := lastLine(text); strings.ContainsAny(got, "\x1b\n\r\x00") {
			t.Errorf("%q became %q", text, got)
		}
		withoutEscapes(bytes.Repeat(text, 2))
	})
}

// A client is told of the failure once, before or after it asks, and only if
// initialize was not answered.
func TestAgentFailed(t *testing.T) {
	failed := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"it failed"}}` + "\n"
	}
	for _, bridge := range []Bridge{BridgeAuto, BridgeOff} {
		synctest.Test(t, func(t *testing.T) {
			c := newConnection(t, bridge)
			c.says(translate.Client, ownInitialize, "", ownInitialize)
			if !c.c.awaitsInitialize() {
				t.Error("the client does not wait for an answer")
			}
			c.c.agentEnded()
			told := c.c.agentFailed("it failed")
			c.arrives("asked before", failed("7"), "")
			<-told
		})
		synctest.Test(t, func(t *testing.T) {
			c := newConnection(t, bridge)
			c.c.agentEnded()
			told := c.c.agentFailed("it failed")
			c.arrives("nothing asked", "", "")
			c.says(translate.Client, `{"method":"x"}`+"\n", "", `{"method":"x"}`+"\n")
			select {
			case <-told:
				t.Error("it has been told")
			default:
			}
			c.says(translate.Client, strings.Replace(ownInitialize, "7", `"\u0061"`, 1), failed(`"\u0061"`), "")
			<-told
			c.says(translate.Client, ownInitialize, failed("7"), "")
		})
		synctest.Test(t, func(t *testing.T) {
			c := newConnection(t, bridge)
			c.says(translate.Client, ownInitialize, "", ownInitialize)
			answer := success("7", `{"protocolVersion":1}`)
			c.says(translate.Agent, answer, answer, "")
			if c.c.awaitsInitialize() {
				t.Error("the client still waits for an answer")
			}
		})
		// An answer that is too long to be read is an answer.
		synctest.Test(t, func(t *testing.T) {
			c := newConnection(t, bridge)
			c.says(translate.Client, ownInitialize, "", ownInitialize)
			c.rig.agent.Oversize([]byte(`{"method":"session/update","params":{"long`))
			if !c.c.awaitsInitialize() {
				t.Error("an update counts as an answer")
			}
			c.rig.agent.Oversize([]byte(`{"id":7,"result":{"long`))
			if c.c.awaitsInitialize() {
				t.Error("the answer does not count")
			}
		})
	}
}

// The answer is the proxy's own event.
func TestAgentFailedEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto, observingAll)
		c.fromClient(ownInitialize)
		c.events = nil
		c.c.agentEnded()
		c.c.agentFailed("it failed")
		if e := c.events; len(e) != 1 || e[0].FromClient || e[0].In != nil || !strings.Contains(string(e[0].Out), "it failed") {
			t.Errorf("%+v", e)
		}
	})
}
