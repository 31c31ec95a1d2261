//go:build unix

package transport

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMissingInterpreter(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"missing", "#!/no/such/program -x\necho\n", `the interpreter "/no/such/program" of `},
		{"blank in front", "#! /no/such/program\n", `the interpreter "/no/such/program" of `},
		{"lines end as on Windows", "#!/bin/sh\r\necho\r\n", `the interpreter "/bin/sh\r" of `},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "agent")
			if err := os.WriteFile(path, []byte(tt.text), 0o700); err != nil {
				t.Fatal(err)
			}
			_, err := Start(Command{Args: []string{path}})
			if err == nil || !strings.Contains(err.Error(), tt.want+path) || ExitStatus(err) != 127 {
				t.Errorf("got %v, status %d", err, ExitStatus(err))
			}
		})
	}
	if _, err := Start(Command{Args: []string{"/no/such/program"}}); err == nil || strings.Contains(err.Error(), "interpreter") {
		t.Errorf("got %v", err)
	}
}
