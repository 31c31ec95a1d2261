package recording

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

func TestRecognize(t *testing.T) {
	const (
		message = `{"jsonrpc":"2.0","method":"session/update","params":{}}`
		event   = `{"type":"notification","ts":0.5,"protocol":"acp","from":"Agent","to":"Client","method":"session/update","params":{}}`
	)
	tests := []struct {
		name, text            string
		isDirected, isForeign bool
	}{
		{"empty", "", false, false},
		{"blank lines", "\n \r\n", false, false},
		{"a message", message + "\n", false, false},
		{"unterminated", message, false, false},
		{"a message at the end", "log\n{}\n" + message, false, false},
		{"a message after a shell prompt", "$ " + message + "\n", false, false},
		{"a message quoted in a log", "DEBUG sent " + message + "\n", false, true},
		{"a response", `{"id":1,"result":null}` + "\n", false, false},
		{"a batch", `[{},` + message + "]\n", false, true},
		{"prose", "Hello.\nGoodbye.\n", false, true},
		{"prose without a newline", "Hello.", false, true},
		{"other JSON", `{"time":1}` + "\n[]\n[1]\nnull\n7\n", false, true},
		{"a very long line", strings.Repeat("x", 3*maxAhead), false, true},
		{"a very long object", `{"x":"` + strings.Repeat("x", 3*maxAhead), false, false},
		{"a message beyond the limit", strings.Repeat("log\n", maxAhead/4) + message, false, true},
		{"a long message", strings.Replace(message, "{}", `"`+strings.Repeat("x", 1<<17)+`"`, 1), false, false},
		{"a trace", event + "\n" + event + "\n", true, false},
		{"a trace with one long event", strings.Replace(event, "{}", `"`+strings.Repeat("x", 1<<17)+`"`, 1) + "\n", true, false},
		{"a trace with one event beyond the limit", strings.Replace(event, "{}", `"`+strings.Repeat("x", 2*maxAhead)+`"`, 1) + "\n", true, false},
		{"a trace after blank lines", "\n \r\n" + event + "\n", true, false},
		{"a trace after the rest of a line", event[60:] + "\n" + event + "\n", true, false},
		{"a trace that is truncated in its first line", event[:len(event)-10], true, false},
		{"a message after other lines, and a trace", "log\n7\n" + message + "\n" + event + "\n", false, false},
		{"a log with the members of an event", strings.Replace(event, "0.5", `"now"`, 1) + "\n", false, false},
		{"lines with directions", `{"dir":"c2a","t":1,"line":` + strconv.Quote(message) + "}\n", true, false},
		{"a long line with a direction", `{"dir":"a2c","t":1,"line":"` + strings.Repeat("x", 2*maxAhead), true, false},
		{"an array, and a trace", "[]\n" + event + "\n", true, false},
		{"a message with the members of an event in its params", `{"method":"_log","params":` + event + "}\n", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, read := range map[string]func(io.Reader) io.Reader{"at once": func(r io.Reader) io.Reader { return r }, "by halves": iotest.HalfReader, "with the end": iotest.DataErrReader} {
				r, isDirected, err := Recognize(read(strings.NewReader(tt.text)))
				if isDirected != tt.isDirected || errors.Is(err, ErrForeign) != tt.isForeign {
					t.Errorf("%s: directed is %v, error %v", name, isDirected, err)
				}
				if err != nil {
					continue
				}
				text, err := io.ReadAll(r)
				if err != nil || string(text) != tt.text {
					t.Errorf("%s: %v, %d bytes of %d", name, err, len(text), len(tt.text))
				}
			}
		})
	}
	broken := errors.New("broken")
	if _, _, err := Recognize(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
