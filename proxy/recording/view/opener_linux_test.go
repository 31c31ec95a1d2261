package view

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestOtherUsers looks at what the browser is handed as another user of the
// machine can: at the arguments of the opener, in /proc. None of them leads to
// the recording. For the user who started it the file does.
func TestOtherUsers(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	release := filepath.Join(dir, "release")
	if err := syscall.Mkfifo(release, 0o600); err != nil {
		t.Fatal(err)
	}
	// The opener stays until release is opened for writing.
	script := "#!/bin/sh\necho $$ >" + started + ".new && mv " + started + ".new " + started + "\nread line <" + release + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	printed, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, Options{Recording: Recording{File: "testdata/demo.jsonl"}, Out: out, Open: OpenBrowser})
		out.Close()
	}()
	text := make([]byte, 4096)
	n, err := printed.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	_, secret, _ := strings.Cut(strings.TrimSpace(string(text[:n])), "at\n  ")
	go io.Copy(io.Discard, printed)

	var pid []byte
	for begin := time.Now(); len(pid) == 0; time.Sleep(10 * time.Millisecond) {
		if pid, _ = os.ReadFile(started); time.Since(begin) > patienceOfTests {
			t.Fatal("no opener was started")
		}
	}
	process := "/proc/" + strings.TrimSpace(string(pid))
	cmdline, err := os.ReadFile(process + "/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("another user sees %q", bytes.Split(cmdline, []byte{0}))
	if err := os.WriteFile(release, []byte("\n"), 0); err != nil {
		t.Fatal(err)
	}

	host, token, _ := strings.Cut(strings.TrimPrefix(secret, "http://"), "/")
	if token = strings.Trim(token, "/"); token == "" || bytes.Contains(cmdline, []byte(token)) {
		t.Errorf("the token %q is an argument", token)
	}
	path := ""
	for argument := range bytes.SplitSeq(bytes.Trim(cmdline, "\x00"), []byte{0}) {
		guess := strings.Trim(string(argument), "/")
		for _, url := range []string{guess, "http://" + host + "/" + guess + "/", "http://" + host + "/" + filepath.Base(guess) + "/"} {
			answer, err := http.Get(url)
			if err != nil {
				continue
			}
			answer.Body.Close()
			if answer.StatusCode < 400 {
				t.Errorf("%s answers with status %d", url, answer.StatusCode)
			}
		}
		path = string(argument)
	}
	if got := addressIn(t, path); got != secret {
		t.Errorf("the file leads to %q, not to the page", got)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		if stat, err := os.Stat(name); err != nil || stat.Mode() != want {
			t.Errorf("%s is %v, %v", name, stat.Mode(), err)
		}
	}
	if os.Getuid() == 0 {
		other := exec.Command("/bin/cat", path)
		other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		other.Dir = "/"
		if text, err := other.Output(); err == nil || len(text) > 0 {
			t.Errorf("another user reads %q", text)
		}
	}

	// The page has been shown: the file is needed no more.
	answer, err := http.Get(secret)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
}

func TestOpener(t *testing.T) {
	for system, want := range map[string]string{
		"linux": "xdg-open /tmp/x.html", "freebsd": "xdg-open /tmp/x.html", "darwin": "open /tmp/x.html",
		"windows": "rundll32 url.dll,FileProtocolHandler /tmp/x.html",
	} {
		if got := strings.Join(opener(system, "/tmp/x.html"), " "); got != want {
			t.Errorf("%s: %s, want %s", system, got, want)
		}
	}
}
