//go:build unix

package transport

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMissingInterpreter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(path, []byte("#!/no/such/program -x\necho\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Start(Command{Args: []string{path}})
	if err == nil || !strings.Contains(err.Error(), "the interpreter or the loader of "+path+" does not exist") || ExitStatus(err) != 127 {
		t.Errorf("got %v, status %d", err, ExitStatus(err))
	}
	if _, err := Start(Command{Args: []string{"/no/such/program"}}); err == nil || strings.Contains(err.Error(), "interpreter") {
		t.Errorf("got %v", err)
	}
}

func TestNotExecutable(t *testing.T) {
	tests := []struct {
		name, text string
		mode       os.FileMode
		want       string
	}{
		{"a script without an interpreter", "echo\n", 0o700, "%s is no program for this system, and no script whose first line"},
		{"another machine's", "\x7fELF\x02\x01\x01\x00", 0o700, "%s is no program for this system"},
		{"not executable", "#!/bin/sh\n", 0o600, "%s is not executable"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "agent")
			if err := os.WriteFile(path, []byte(tt.text), tt.mode); err != nil {
				t.Fatal(err)
			}
			_, err := Start(Command{Args: []string{path}})
			status, again := Replace([]string{path})
			want := "start agent: " + strings.ReplaceAll(tt.want, "%s", path)
			if err == nil || !strings.HasPrefix(err.Error(), want) || ExitStatus(err) != 126 {
				t.Errorf("got %v, status %d", err, ExitStatus(err))
			}
			if again == nil || !strings.HasPrefix(again.Error(), want) || status != 126 {
				t.Errorf("in place of the caller: %v, status %d", again, status)
			}
		})
	}
	folder := t.TempDir()
	if _, err := Start(Command{Args: []string{folder}}); err == nil || !strings.Contains(err.Error(), folder+" is a folder and no program") || ExitStatus(err) != 126 {
		t.Errorf("got %v, status %d", err, ExitStatus(err))
	}
}
