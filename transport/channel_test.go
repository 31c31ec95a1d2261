package transport

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// A sink is a writer that records each write and whether it was closed.
type sink struct {
	writes []string
	closed bool
	err    error
}

func (s *sink) Write(b []byte) (int, error) {
	s.writes = append(s.writes, string(b))
	return len(b), s.err
}

func (s *sink) Close() error {
	s.closed = true
	return s.err
}

// receive returns all records and the error after them, which must repeat.
func receive(t testing.TB, r io.Reader) (records []string, err error) {
	t.Helper()
	c := NewChannel(r, nil, math.MaxInt)
	for {
		record, err := c.Recv()
		if err != nil {
			if _, again := c.Recv(); record != nil || again != err {
				t.Errorf("record %q with error %v, then %v", record, err, again)
			}
			return records, err
		}
		records = append(records, string(record))
	}
}

// framed returns the records of text. It is the reference for Channel.
func framed(text string) []string {
	records := strings.Split(text, "\n")
	if last := len(records) - 1; records[last] == "" {
		records = records[:last]
	}
	return records
}

func TestChannelReceives(t *testing.T) {
	long := strings.Repeat("x", bufferSize)
	for _, text := range []string{
		"", "\n", "\n\n", "hello\nabc", "hello\nabc\n", "hello\r\nabc", "\x00\n\xff\xfe\n",
		long, long + "\n", long[1:] + "\n", long[2:] + "\n", long + "a\nb\n" + long + long + long + "\nc" + long, "a\n" + long + "\n\n",
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
			if got, err := receive(t, r); err != io.EOF || !slices.Equal(got, framed(text)) {
				t.Errorf("%s: %d records, %v", abridged([]byte(text)), len(got), err)
			}
		}
	}
	broken := errors.New("broken")
	got, err := receive(t, io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)))
	if err != broken || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// Recv fails before the end of a record that exceeds the limit, and uses no more memory than
// the limit and a buffer.
func TestChannelLimit(t *testing.T) {
	const limit = 3 * bufferSize
	for _, tt := range []struct {
		length int
		want   error
	}{{limit, nil}, {limit + 1, ErrRecordTooLong}} {
		c := NewChannel(strings.NewReader(strings.Repeat("x", tt.length)+"\n"), nil, limit)
		if record, err := c.Recv(); err != tt.want || err == nil && len(record) != tt.length {
			t.Errorf("%d bytes: got %d and %v, want %v", tt.length, len(record), err, tt.want)
		}
	}
	endless := &countingReader{}
	c := NewChannel(endless, nil, limit)
	if _, err := c.Recv(); err != ErrRecordTooLong || endless.n > limit+2*bufferSize {
		t.Errorf("got %v after %d bytes", err, endless.n)
	}
}

// A countingReader reads an infinite line and counts its bytes.
type countingReader struct{ n int }

func (r *countingReader) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	r.n += len(b)
	return len(b), nil
}

func TestChannelSends(t *testing.T) {
	s := new(sink)
	c := NewChannel(nil, s, 0)
	for _, record := range []string{"a", "", "longer"} {
		if err := c.Send([]byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(s.writes, []string{"a\n", "\n", "longer\n"}) {
		t.Errorf("wrote %q", s.writes)
	}
	if err := c.Close(); err != nil || !s.closed {
		t.Errorf("closed %v: %v", s.closed, err)
	}
	s.err = errors.New("broken")
	if err := c.Send(nil); err != s.err {
		t.Errorf("send error %v", err)
	}
	if err := c.Close(); err != s.err {
		t.Errorf("close error %v", err)
	}
}
