package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"
)

// A sink is a place to send to that notes each write, and whether it was closed.
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

// receive returns all records, and the error behind them, which must stay.
func receive(t testing.TB, r io.Reader) (records []string, err error) {
	t.Helper()
	c := NewChannel(r, nil)
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

// framed is the model: the records that text consists of.
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

func FuzzChannel(f *testing.F) {
	for _, text := range []string{"", "\n", "hello\nabc", "a\r\n\nb\n", "\x00\n\xff"} {
		f.Add(text, uint16(0))
		f.Add(text, uint16(bufferSize-2))
	}
	f.Fuzz(func(t *testing.T, text string, padding uint16) {
		text = strings.Repeat("x", int(padding)) + text
		if got, err := receive(t, iotest.HalfReader(strings.NewReader(text))); err != io.EOF || !slices.Equal(got, framed(text)) {
			t.Errorf("%s: %d records, %v", abridged([]byte(text)), len(got), err)
		}
		s := new(sink)
		c := NewChannel(nil, s)
		for _, record := range framed(text) {
			if err := c.Send([]byte(record)); err != nil {
				t.Fatal(err)
			}
		}
		if sent := strings.Join(s.writes, ""); sent != text && sent != text+"\n" {
			t.Errorf("%s: sent %s", abridged([]byte(text)), abridged([]byte(sent)))
		}
	})
}

func TestChannelSends(t *testing.T) {
	s := new(sink)
	c := NewChannel(nil, s)
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

func TestChannelSendsConcurrently(t *testing.T) {
	r, w := io.Pipe()
	c := NewChannel(r, w)
	const senders, each = 8, 50
	var senderGroup sync.WaitGroup
	for i := range senders {
		senderGroup.Go(func() {
			for n := range each {
				record := bytes.Repeat([]byte{byte('a' + i)}, 1+n*100)
				if err := c.Send(record); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() {
		senderGroup.Wait()
		c.Close()
	}()
	next := make(map[byte]int) // the length expected from each sender
	for {
		record, err := c.Recv()
		if err == io.EOF {
			break
		}
		if err != nil || len(record) == 0 {
			t.Fatal(record, err)
		}
		sender := record[0]
		if len(record) != 1+next[sender]*100 || len(bytes.Trim(record, string(sender))) != 0 {
			t.Fatalf("record %d of %c is %s", next[sender], sender, abridged(record))
		}
		next[sender]++
	}
	if len(next) != senders || next['a'] != each {
		t.Errorf("received %v", next)
	}
}

// A jrpc2 client and server keep parts of what they receive. They copy them,
// as Recv demands: here many calls are under way at once, each echoed.
func TestChannelWithJRPC2(t *testing.T) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	echo := handler.New(func(ctx context.Context, params []string) ([]string, error) {
		if err := jrpc2.ServerFromContext(ctx).Notify(ctx, "seen", params[:1]); err != nil {
			return nil, err
		}
		return params, nil
	})
	server := jrpc2.NewServer(handler.Map{"echo": echo}, &jrpc2.ServerOptions{AllowPush: true, Concurrency: 8})
	server.Start(NewChannel(fromClient, toClient))
	var seen sync.Map
	client := jrpc2.NewClient(NewChannel(fromServer, toServer), &jrpc2.ClientOptions{
		OnNotify: func(r *jrpc2.Request) {
			var params []string
			if err := r.UnmarshalParams(&params); err != nil {
				t.Error(err)
			}
			seen.Store(params[0], true)
		},
	})
	const calls = 200
	var callers sync.WaitGroup
	for i := range calls {
		callers.Go(func() {
			want := []string{fmt.Sprint("call ", i), strings.Repeat(fmt.Sprint(i), i*10)}
			var got []string
			if err := client.CallResult(t.Context(), "echo", want, &got); err != nil || !slices.Equal(got, want) {
				t.Errorf("call %d: %.60q, %v", i, got, err)
			}
		})
	}
	callers.Wait()
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if err := server.Wait(); err != nil {
		t.Error(err)
	}
	for i := range calls {
		if _, ok := seen.Load(fmt.Sprint("call ", i)); !ok {
			t.Errorf("notification %d was lost", i)
		}
	}
}
