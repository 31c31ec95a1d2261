package redact

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestWriter(t *testing.T) {
	var out bytes.Buffer
	w := New().Writer(&out)
	for _, part := range []string{`{"id":1,"res`, "ult\":\"a\"}\n{\"id\":2,\"result\":null}\nhe", "llo\n\nlast"} {
		if n, err := io.WriteString(w, part); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	const whole = "{\"id\":1,\"result\":\"‹•›\"}\n{\"id\":2,\"result\":null}\n‹•›\n\n"
	if got := shape(out.Bytes()); got != whole {
		t.Errorf("got %q", got)
	}
	if err := w.Close(); err != nil || shape(out.Bytes()) != whole+"‹•›" {
		t.Errorf("%v, got %q", err, shape(out.Bytes()))
	}
}

// A line that is too long leaves nothing of itself.
func TestWriterLongLine(t *testing.T) {
	var out bytes.Buffer
	w := New().Writer(&out)
	part := bytes.Repeat([]byte("secret "), 1<<20)
	for range 10 {
		w.Write(part)
	}
	io.WriteString(w, "end\n{\"id\":1}\n")
	w.Write(append(bytes.Repeat([]byte(" "), maxLine), "secret"...))
	w.Close()
	if got := out.String(); got != "?\n{\"id\":1}\n?" {
		t.Errorf("got %.100q", got)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestWriterFails(t *testing.T) {
	w := New().Writer(broken{})
	if _, err := io.WriteString(w, "x"); err != nil {
		t.Error(err)
	}
	if w.Close() == nil {
		t.Error("no error")
	}
	if _, err := io.WriteString(w, "x\n"); err == nil {
		t.Error("no error")
	}
}

func TestReader(t *testing.T) {
	const in = "{\"type\":\"response\",\"payload\":\"secret\"}\nno JSON\n\n{\"type\":\"request\"}"
	r := New().Reader(strings.NewReader(in))
	out, err := io.ReadAll(iotest.OneByteReader(r))
	if got := shape(out); err != nil || got != "{\"type\":\"response\",\"payload\":\"‹•›\"}\n?\n\n{\"type\":\"request\"}" {
		t.Errorf("%v, got %q", err, got)
	}
	if _, err := io.ReadAll(New().Reader(iotest.ErrReader(io.ErrClosedPipe))); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

func TestEvents(t *testing.T) {
	if got := shape(New().Events(nil, []byte("{\"session\":\"a b\"}\n?\n"))); got != "{\"session\":\"‹•›\"}\n?\n" {
		t.Errorf("got %q", got)
	}
}
