//go:build unix

package play

import (
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
	if _, _, err := openFile(path, agentsView); err == nil || !strings.Contains(err.Error(), "again and again") {
		t.Error(err)
	}
}
