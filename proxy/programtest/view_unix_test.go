//go:build unix

package programtest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"
)

// Where nobody reads the address, nothing is served, and nothing stays.
func TestViewUnread(t *testing.T) {
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out.Close()
	defer stdout.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, programName, "view", "--no-open", os.DevNull)
	temporary := t.TempDir()
	cmd.Stdout, cmd.Stderr, cmd.Env = stdout, t.Output(), append(os.Environ(), "TMPDIR="+temporary)
	if cmd.Run(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
