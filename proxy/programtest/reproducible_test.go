package programtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"acp-plan-proxy/proxy/programtest/needs"
)

// TestReproducible compares two builds of the program, in different directories and with the
// flags of a release.
func TestReproducible(t *testing.T) {
	needs.Long(t)
	build := func() []byte {
		dir := t.TempDir()
		for _, name := range []string{"go.mod", "go.sum", "main.go", "capabilities", "proxy", "translate", "transport"} {
			if err := copyAll(filepath.Join(dir, name), name); err != nil {
				t.Fatal(err)
			}
		}
		program := filepath.Join(dir, "program")
		cmd := exec.Command(needs.Program(t, "go"), "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", program, ".")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
		text, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if first, second := build(), build(); !bytes.Equal(first, second) {
		t.Errorf("two builds differ: %d and %d bytes", len(first), len(second))
	}
}

// copyAll copies a file or a directory.
func copyAll(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return os.CopyFS(to, os.DirFS(from))
	}
	return os.WriteFile(to, text, 0o600)
}
