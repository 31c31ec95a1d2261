//go:build unix

package conversation

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"acp-plan-proxy/proxy/programtest/needs"
)

func TestPlanFileIsNoDevice(t *testing.T) {
	checkRefuses(t, "/dev/zero", "not a regular file")
	checkRefuses(t, linkTo(t, "/dev/zero"), "not a regular file")
	checkRefuses(t, linkTo(t, linkTo(t, "/dev/null")), "not a regular file")
}

// A FIFO must neither block the proxy nor wake up its writer.
func TestPlanFileIsNoFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		needs.Skip(t, err)
	}
	checkRefuses(t, path, "not a regular file")
	checkRefuses(t, linkTo(t, path), "not a regular file")

	opened := make(chan error, 1)
	go func() {
		writer, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			err = writer.Close()
		}
		opened <- err
	}()
	for range 100 {
		checkRefuses(t, path, "not a regular file")
	}
	select {
	case err := <-opened:
		t.Errorf("a writer was woken up: %v", err)
	default:
	}
	reader, err := openPlanFile(path) // does not block, and ends the writer
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := <-opened; err != nil {
		t.Error(err)
	}
	if err := checkRegular(reader.Stat()); err == nil {
		t.Error("a FIFO counts as a regular file")
	}
}
