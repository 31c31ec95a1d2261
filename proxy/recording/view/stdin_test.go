package view

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// eventually waits until what is expected has come about.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

func has(t *testing.T, path, want string) func() bool {
	return func() bool {
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(got) == want
	}
}

// The file grows as something comes, and is gone at the end, although more comes.
func TestSpool(t *testing.T) {
	in, source := io.Pipe()
	temporary := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temporary)
	}
	s, err := NewSpool(in, func(err error) { t.Errorf("it failed: %v", err) })
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is not empty", has(t, s.Path(), ""))
	io.WriteString(source, "a\nb")
	eventually(t, "the first piece did not come", has(t, s.Path(), "a\nb"))
	io.WriteString(source, "c\n")
	eventually(t, "the second piece did not come", has(t, s.Path(), "a\nbc\n"))
	if runtime.GOOS != "windows" {
		for path, want := range map[string]fs.FileMode{s.Path(): 0o600, filepath.Dir(s.Path()): 0o700 | fs.ModeDir} {
			if stat, err := os.Stat(path); err != nil || stat.Mode() != want {
				t.Errorf("%s: %v, %v", path, stat.Mode(), err)
			}
		}
	}
	if err := s.Remove(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	if _, err := io.WriteString(source, "late\n"); err != nil { // and nobody is held up
		t.Error(err)
	}
	source.Close()
	if err := s.Remove(); err != nil {
		t.Errorf("removed again: %v", err)
	}
}

// What has come stays when stdin ends, and its last line is whole.
func TestSpoolEnds(t *testing.T) {
	for _, end := range []error{io.EOF, errors.New("broken")} {
		failures := make(chan error, 2)
		in, source := io.Pipe()
		s, err := NewSpool(in, func(err error) { failures <- err })
		if err != nil {
			t.Fatal(err)
		}
		defer s.Remove()
		io.WriteString(source, "a\nb")
		source.CloseWithError(end)
		eventually(t, "it did not come", has(t, s.Path(), "a\nb\n"))
		if end != io.EOF {
			if err := <-failures; err != end {
				t.Errorf("it failed: %v", err)
			}
		}
	}
}

// A disk that is full is told of once, and holds up nobody.
func TestSpoolCannotBeWritten(t *testing.T) {
	var failures []error
	in, source := io.Pipe()
	file, err := os.Open(filepath.Join("testdata", "demo.jsonl")) // only to be read
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		(&Spool{file: file}).fill(in, func(err error) { failures = append(failures, err) })
	}()
	for range 3 {
		if _, err := io.WriteString(source, "a\n"); err != nil {
			t.Fatal(err)
		}
	}
	source.Close()
	<-done
	if len(failures) != 1 {
		t.Errorf("told of %v", failures)
	}
}

func TestNoSpool(t *testing.T) {
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, filepath.Join(t.TempDir(), "missing"))
	}
	if s, err := NewSpool(strings.NewReader("a"), nil); err == nil {
		s.Remove()
		t.Error("it is nowhere")
	}
}

// What is read is shown as the same file is, under its name.
func TestRead(t *testing.T) {
	const path = "testdata/demo.jsonl"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file, read bytes.Buffer
	if err := (Recording{File: path}).Text(&file, false, Choice{}); err != nil {
		t.Fatal(err)
	}
	if err := (Recording{From: bytes.NewReader(text)}).Text(&read, false, Choice{}); err != nil || read.String() != file.String() {
		t.Errorf("%v, got\n%s", err, read.String())
	}
	file.Reset()
	read.Reset()
	if err := (Recording{File: path, Name: "standard input"}).HTML(&file); err != nil {
		t.Fatal(err)
	}
	if err := (Recording{From: bytes.NewReader(text), Name: "standard input"}).HTML(&read); err != nil || read.String() != file.String() {
		t.Errorf("%v, another page", err)
	}
	if !strings.Contains(read.String(), "<title>standard input") {
		t.Error("the page is not called so")
	}
}
