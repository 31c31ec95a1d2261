//go:build unix

package programtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A viewer is a view that is being served.
type viewer struct {
	t         *testing.T
	cmd       *exec.Cmd
	address   string
	temporary string // its folder for temporary files
}

func serveView(t *testing.T, stdin io.Reader) *viewer {
	t.Helper()
	v := &viewer{t: t, cmd: exec.Command(programName, "view", "--no-open", "-"), temporary: t.TempDir()}
	v.cmd.Stdin, v.cmd.Stderr = stdin, t.Output()
	v.cmd.Env = append(os.Environ(), "TMPDIR="+v.temporary)
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	limit := time.AfterFunc(time.Minute, func() { v.cmd.Process.Kill() })
	t.Cleanup(func() {
		limit.Stop()
		v.cmd.Process.Kill()
		v.cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	if lines.Scan(); lines.Text() != "The plan traffic in standard input is shown at" {
		t.Fatalf("it says %q", lines.Text())
	}
	lines.Scan()
	v.address = strings.TrimSpace(lines.Text())
	return v
}

// gets waits until a part of the page has a text.
func (v *viewer) gets(part, text string) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), 30*time.Second)
	defer cancel()
	var got string
	for ctx.Err() == nil {
		r, err := http.NewRequestWithContext(ctx, "GET", v.address+part, nil)
		if err != nil {
			v.t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			v.t.Fatal(err)
		}
		got = ""
		for b := make([]byte, 1<<10); err == nil && !strings.Contains(got, text); {
			var n int
			n, err = answer.Body.Read(b)
			got += string(b[:n])
		}
		answer.Body.Close()
		if strings.Contains(got, text) {
			return
		}
	}
	v.t.Fatalf("%s does not come, but %q", text, got)
}

// kept returns the modes of the temporary files.
func (v *viewer) kept() (modes []fs.FileMode) {
	v.t.Helper()
	err := filepath.WalkDir(v.temporary, func(path string, f fs.DirEntry, err error) error {
		if err != nil || path == v.temporary {
			return err
		}
		stat, err := f.Info()
		if err == nil {
			modes = append(modes, stat.Mode())
		}
		return err
	})
	if err != nil {
		v.t.Fatal(err)
	}
	return modes
}

// The page follows standard input. What came of it is kept for the user alone, and not
// any longer than the page is there.
func TestViewOfStdin(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		for _, ends := range []bool{false, true} {
			t.Run(fmt.Sprint(signal, ", stdin has ended: ", ends), func(t *testing.T) {
				t.Parallel()
				in, source, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				defer source.Close()
				event := func(method string) {
					t.Helper()
					if _, err := fmt.Fprintf(source, `{"type":"notification","ts":1,"protocol":"acp","from":"Agent","to":"Client","method":"_%s","params":{}}`+"\n", method); err != nil {
						t.Fatal(err)
					}
				}
				event("first")
				v := serveView(t, in)
				in.Close()
				v.gets("", "<title>standard input")
				v.gets("events", "_first")
				event("second")
				v.gets("events", "_second")
				if got := fmt.Sprint(v.kept()); got != "[drwx------ -rw-------]" {
					t.Errorf("kept are %s", got)
				}
				if ends {
					source.Close()
					v.gets("events", "_second")
				}
				v.cmd.Process.Signal(signal)
				if err := v.cmd.Wait(); err != nil {
					t.Errorf("it ends with %v", err)
				}
				if left := v.kept(); len(left) > 0 {
					t.Errorf("left are %v", left)
				}
			})
		}
	}
}

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
	cmd := exec.CommandContext(ctx, programName, "view", "--no-open", "-")
	temporary := t.TempDir()
	cmd.Stdout, cmd.Stderr, cmd.Env = stdout, t.Output(), append(os.Environ(), "TMPDIR="+temporary)
	if cmd.Run(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
