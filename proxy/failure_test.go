package proxy

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"
	"testing"
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
	long := WhyUnanswered("a", "ended (exit status 1) before it answered initialize", []byte(strings.Repeat("é", 3000)))
	if want := `agent "a" ended (exit status 1) before it answered initialize: ` + strings.Repeat("é", 98) + "…"; long != want {
		t.Errorf("%s", long)
	}
}
