package conversation

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acp-plan-proxy/proxy/programtest/needs"
)

// write makes a file in a new directory and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plan.md")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// linkTo makes a symbolic link in a new directory and returns its path. The test
// is skipped where links cannot be made, or are not followed.
func linkTo(t *testing.T, to string) string {
	t.Helper()
	dir := t.TempDir()
	followed := filepath.Join(dir, "followed")
	if err := os.Symlink(dir, followed); err != nil {
		needs.Skip(t, err)
	}
	if _, err := os.Stat(followed); err != nil {
		needs.Skip(t, err)
	}
	path := filepath.Join(dir, "link.md")
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func checkReads(t *testing.T, path, want string) {
	t.Helper()
	if text, err := newPlanFiles().read(path); err != nil || string(text) != want {
		t.Errorf("%s: %d bytes, %v", path, len(text), err)
	}
}

// checkRefuses checks that a file is refused at once, with an error that contains reason.
func checkRefuses(t *testing.T, path, reason string) {
	t.Helper()
	f := newPlanFiles()
	for range 2 { // the first read must not block the second
		text, err := f.read(path)
		if err == nil || text != nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %d bytes, %v, want an error with %q", path, len(text), err, reason)
		} else if s := err.Error(); strings.Contains(s, "within") || strings.Contains(s, "still") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestPlanFileIsRead(t *testing.T) {
	for _, text := range []string{"", "# Plan\n", "é\u2028\r\n\x01\x7f", strings.Repeat("x", maxPlanFile)} {
		checkReads(t, write(t, text), text)
	}
}

func TestPlanFileIsLinked(t *testing.T) {
	checkReads(t, linkTo(t, write(t, "linked")), "linked")
	checkRefuses(t, linkTo(t, t.TempDir()), "not a regular file")
	checkRefuses(t, linkTo(t, "missing"), "")
}

func TestPlanFileIsRefused(t *testing.T) {
	checkRefuses(t, write(t, strings.Repeat("x", maxPlanFile+1)), "larger than 1024 KiB")
	checkRefuses(t, write(t, "a\x00b"), "not text")
	checkRefuses(t, write(t, "a\xffb"), "not UTF-8 text")
	checkRefuses(t, write(t, strings.Repeat("x", maxPlanFile-1)+"é"), "larger")
	checkRefuses(t, t.TempDir(), "not a regular file")
	checkRefuses(t, write(t, "")+".missing", "")
	checkRefuses(t, write(t, "")+"/below", "")
	checkRefuses(t, "", "")
	checkRefuses(t, write(t, "")+"\x00", "")
}

// A file that is replaced by a device after the first check is refused, too.
func TestPlanFileIsExchanged(t *testing.T) {
	f := newPlanFiles()
	f.open = func(string) (*os.File, error) { return os.Open(os.DevNull) }
	if text, err := f.read(write(t, "x")); err == nil || err.Error() != "not a regular file" {
		t.Errorf("%q, %v", text, err)
	}
}

// A read that hangs times out. Until the read ends, its file is not read again. Other files are read,
// up to the limit.
func TestPlanFilesHang(t *testing.T) {
	path := write(t, "text")
	synctest.Test(t, func(t *testing.T) {
		f := newPlanFiles()
		hangs := make(chan struct{})
		f.open = func(name string) (*os.File, error) {
			if name != path {
				<-hangs
			}
			return os.Open(name)
		}
		givenUpAfter := func(name string, want time.Duration) {
			start := time.Now()
			if _, err := f.read(name); err == nil || time.Since(start) != want {
				t.Errorf("%s is given up after %v, not %v: %v", name, time.Since(start), want, err)
			}
		}
		dir := t.TempDir()
		for n := range maxPlanFileReads {
			if text, err := f.read(path); err != nil || string(text) != "text" {
				t.Errorf("while %d files hang: %q, %v", n, text, err)
			}
			hanging := filepath.Join(dir, strconv.Itoa(n))
			if err := os.WriteFile(hanging, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			givenUpAfter(hanging, planFileTimeout)
			for range 3 * maxPlanFileReads { // a plan that is updated again and again
				givenUpAfter(hanging, 0)
			}
		}
		givenUpAfter(path, 0)
		close(hangs)
		synctest.Wait()
		if text, err := f.read(path); err != nil || string(text) != "text" {
			t.Errorf("afterwards: %q, %v", text, err)
		}
	})
}
