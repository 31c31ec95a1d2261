package transport

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The null device is a character device, like a terminal.
func TestIsTerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	for _, f := range []*os.File{null, r} {
		if IsTerminal(f) {
			t.Errorf("%s is a terminal", f.Name())
		}
		f.Close()
		if IsTerminal(f) {
			t.Errorf("%s, closed, is a terminal", f.Name())
		}
	}
}

func TestTerminalWidth(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for columns, want := range map[string]int{"": 80, "wide": 80, "-1": 80, "70": 70} {
		t.Setenv("COLUMNS", columns)
		if got := TerminalWidth(null, 80); got != want {
			t.Errorf("COLUMNS=%s: %d", columns, got)
		}
	}
}

func TestReplace(t *testing.T) {
	args := agentArgs("replace:echo,exit=7")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin = strings.NewReader("through\n")
	out, err := cmd.Output()
	if string(out) != "through\n" || cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("output %q, %v", out, err)
	}
}

func TestReplaceErrors(t *testing.T) {
	status, err := Replace([]string{"no-such-agent"})
	if status != 127 || !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "no-such-agent") {
		t.Errorf("status %d, %v", status, err)
	}
}
