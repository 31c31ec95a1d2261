package trace

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
)

// A hangingFile blocks each Write until it is released.
type hangingFile struct {
	bytes.Buffer
	released chan struct{}
	err      error
}

func (f *hangingFile) Write(b []byte) (int, error) {
	<-f.released
	if f.err != nil {
		return 0, f.err
	}
	return f.Buffer.Write(b)
}

func (*hangingFile) Close() error { return nil }

// newLive returns a Writer that records to file and does not wait for it, and its log.
func newLive(file io.WriteCloser) (w *Writer, logged *bytes.Buffer) {
	logged = new(bytes.Buffer)
	return newLiveWriter(file, slog.New(slog.NewTextHandler(logged, nil))), logged
}

// warnings returns the messages of the warnings in a log.
func warnings(logged *bytes.Buffer) (found []string) {
	for line := range strings.Lines(logged.String()) {
		_, warning, _ := strings.Cut(line, "level=WARN msg=")
		found = append(found, strings.TrimSpace(warning))
	}
	return found
}

var megabyte = []byte(`{"method":"m","params":"` + strings.Repeat("x", 1<<20) + `"}`)

// The buffer for a blocked file is limited. Whole messages are missing, and counted.
func TestSlowFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &hangingFile{released: make(chan struct{})}
		w, logged := newLive(file)
		for range 72 {
			w.Rewritten(Agent, Client, megabyte, []byte(`{"method":"m"}`))
			synctest.Wait()
		}
		if got := warnings(logged); len(got) != 1 || !strings.Contains(got[0], "some are missing") {
			t.Errorf("while it hangs: %q", got)
		}
		close(file.released)
		synctest.Wait()
		w.Message(Client, Agent, []byte(`{"method":"last"}`))
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if got := warnings(logged); len(got) != 2 || !strings.HasSuffix(got[1], "missing=9") {
			t.Errorf("at the end: %q", got)
		}
		checkLines(t, file.Bytes())
		if n := bytes.Count(file.Bytes(), []byte("\n")); n != 2*63+1 || !bytes.Contains(file.Bytes(), []byte(`"last"`)) {
			t.Errorf("%d events", n)
		}
	})
}

func TestFileHangsToTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &hangingFile{released: make(chan struct{})}
		w, logged := newLive(file)
		for range 5 {
			w.Message(Agent, Client, []byte(`{"method":"m"}`))
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if got := warnings(logged); len(got) != 1 || !strings.HasSuffix(got[0], "missing=5") {
			t.Errorf("%q", got)
		}
		close(file.released)
	})
}

func TestLiveFileFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &hangingFile{released: make(chan struct{}), err: errors.New("no such device")}
		close(file.released)
		w, logged := newLive(file)
		for range 5 {
			w.Message(Agent, Client, []byte(`{"method":"m"}`))
			synctest.Wait()
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if got := warnings(logged); len(got) != 1 || !strings.Contains(got[0], "no such device") {
			t.Errorf("%q", got)
		}
	})
}
