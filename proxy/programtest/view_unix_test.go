//go:build unix

package programtest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestViewUnread checks that view exits and removes its temporary files if it cannot print the
// address of the page.
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
	cmd.Run()
	if cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("view ended with %v", cmd.ProcessState)
	}
	if files, err := os.ReadDir(temporary); err != nil || len(files) > 0 {
		t.Errorf("remaining files %v, %v", files, err)
	}
}
