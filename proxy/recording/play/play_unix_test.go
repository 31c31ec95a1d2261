//go:build unix

package play

import (
	"acp-plan-proxy/proxy/recording/trace"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipe has a pipe that nobody writes into: opening it would wait for ever.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(path, trace.Agent, Options{}); err == nil || !strings.Contains(err.Error(), "again and again") {
		t.Error(err)
	}
}
