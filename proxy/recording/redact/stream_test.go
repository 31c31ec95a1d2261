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
	}{
		"a trace": {
			"a rest\n{\"type\":\"response\",\"began\":\"2026-11-23T09:30:00.000Z\",\"from\":\"Agent\",\"to\":\"Client\",\"payload\":\"secret\"}\n{\"type\":\"noti\n\n{\"method\":\"m\"}",
			"‹•›\n{\"redacted\":true,\"type\":\"response\",\"began\":\"2026-11-23T09:30:00.000Z\",\"from\":\"Agent\",\"to\":\"Client\",\"payload\":\"‹•›\"}\n‹•›\n\n{\"method\":\"m\"}",
		},
		"a recording that is redacted": {"{\"redacted\":true,\"id\":1}\n", "{\"redacted\":true,\"id\":1}\n"},
		"nothing":                      {"{}\n\n", "{}\n\n"},
		"messages": {
			"{\"id\":1,\"result\":\"a\"}\n{\"id\":2,\"result\":null}\nhello\n\nlast",
			"{\"redacted\":true,\"id\":1,\"result\":\"‹•›\"}\n{\"id\":2,\"result\":null}\n‹•›\n\n‹•›",
		},
		"lines with directions": {
			`{"dir":"c2a","t":1.5,"line":"{\"id\":1,\"result\":\"a\"}"}` + "\n" + `{"dir":"a2c","t":2,"conn":2,"at":3,"line":"secret {\"id\":1}"}`,
			`{"redacted":true,"dir":"c2a","t":1.5,"line":"{\"id\":1,\"result\":\"‹•›\"}"}` + "\n" + `{"dir":"a2c","t":2,"conn":2,"‹•›":0,"line":"‹•›"}`,
		},
		"a message behind text": {"secret> {\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n[1]\n", "‹•›{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n[0]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := New().Copy(&out, iotest.OneByteReader(strings.NewReader(tt.in)))
			if got := shape(out.Bytes()); err != nil || got != tt.want {
				t.Errorf("%v, got %q", err, got)
			}
		})
	}
	if err := New().Copy(io.Discard, iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

// Nothing is copied from a line that is too long.
func TestCopyLongLine(t *testing.T) {
	long := strings.Repeat("secret ", 10<<20)
	var out bytes.Buffer
	err := New().Copy(&out, strings.NewReader(long+"\n{\"id\":1}\n"))
	if got := out.String(); err != nil || strings.Contains(got, "secret") || !strings.HasSuffix(got, "\n{\"redacted\":true,\"id\":1}\n") || len(got) > 60 {
		t.Errorf("%v, got %.100q", err, got)
	}
}
