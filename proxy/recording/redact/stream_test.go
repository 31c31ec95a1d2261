package redact

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestCopy(t *testing.T) {
	for name, tt := range map[string]struct {
		in, want string
		isTrace  bool
	}{
		"a trace": {
			"a rest\n{\"type\":\"response\",\"began\":\"2026-11-23T09:30:00.000Z\",\"payload\":\"secret\"}\nno JSON\n\n{\"type\":\"request\"}",
			"?\n{\"redacted\":true,\"type\":\"response\",\"began\":\"2026-11-23T09:30:00.000Z\",\"payload\":\"‹•›\"}\n?\n\n{\"type\":\"request\"}", true,
		},
		"a trace that is redacted": {"{\"redacted\":true,\"ts\":1}\n", "{\"redacted\":true,\"ts\":1}\n", true},
		"a trace of nothing":       {"{}\n\n", "{}\n\n", true},
		"messages": {
			"{\"id\":1,\"result\":\"a\"}\n{\"id\":2,\"result\":null}\nhello\n\nlast",
			"{\"id\":1,\"result\":\"‹•›\"}\n{\"id\":2,\"result\":null}\n‹•›\n\n‹•›", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := New().Copy(&out, iotest.OneByteReader(strings.NewReader(tt.in)), tt.isTrace)
			if got := shape(out.Bytes()); err != nil || got != tt.want {
				t.Errorf("%v, got %q", err, got)
			}
		})
	}
	if err := New().Copy(io.Discard, iotest.ErrReader(io.ErrClosedPipe), true); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

// Nothing is copied from a line that is too long.
func TestCopyLongLine(t *testing.T) {
	long := strings.Repeat("secret ", 10<<20)
	var out bytes.Buffer
	err := New().Copy(&out, strings.NewReader(long+"\n{\"id\":1}\n"), false)
	if got := out.String(); err != nil || strings.Contains(got, "secret") || !strings.HasSuffix(got, "\n{\"id\":1}\n") || len(got) > 40 {
		t.Errorf("%v, got %.100q", err, got)
	}
}
