package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// A lockedBuffer is a bytes.Buffer for concurrent use.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestOutletWritesWhileRelayWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dst lockedBuffer
		o := NewOutlet(&dst, plenty)
		in, out := io.Pipe()
		r := Relay{Src: in, Dst: o, Inspector: &scriptedInspector{t: t}, MaxLine: plenty}
		go r.Run()

		all := ""
		for _, step := range []struct{ written, sent, leaves string }{
			{"", "a\n", "a\n"},
			{"pass", "b\n", "pass"}, // a sent line waits for the end of the relay's line
			{" on\npx", "", " on\npx"},
			{"y\n", "", "y\nb\n"},
			{"held", "c\n", "c\n"}, // sent lines do not wait for a held line
			{"end", "d\n", "held\nd\n"},
		} {
			if step.written == "end" {
				out.Close()
			} else {
				io.WriteString(out, step.written)
			}
			synctest.Wait()
			o.Send([]byte(step.sent))
			synctest.Wait()
			if all += step.leaves; dst.String() != all {
				t.Errorf("written %q, sent %q: %q, want %q", step.written, step.sent, dst.String(), all)
			}
		}
	})
}

// A sendingInspector sends a line for each line that it rewrites.
type sendingInspector struct {
	scriptedInspector
	to *Outlet
	n  int
}

func (s *sendingInspector) Rewrite(line []byte) ([]byte, bool) {
	s.n++
	s.to.Send(fmt.Appendf(nil, "s%d\n", s.n))
	return s.scriptedInspector.Rewrite(line)
}

// Lines sent during an inspection are written after the relay's earlier output, for
// every size of the relay's reads, and no line is split.
func TestOutletKeepsOrder(t *testing.T) {
	const lines, senders = 2000, 3
	for _, size := range []int{1, 7, 100, 5000} {
		var dst lockedBuffer
		o := NewOutlet(&dst, plenty)
		var text []byte
		for i := range lines {
			text = fmt.Appendf(text, "%c%d\n", "ph"[i%2], i)
		}
		src := &pieceReader{texts: slices.Collect(slices.Chunk(text, size)), err: io.EOF}
		var wait sync.WaitGroup
		for s := range senders {
			wait.Go(func() {
				for i := range lines {
					o.Send(fmt.Appendf(nil, "%c%d\n", 'A'+s, i))
				}
			})
		}
		r := Relay{Src: src, Dst: o, Inspector: &sendingInspector{scriptedInspector: scriptedInspector{t: t}, to: o}, MaxLine: plenty}
		if err := r.Run(); err != nil {
			t.Fatal(err)
		}
		wait.Wait()
		o.acquire() // stops writing
		o.flushAndRelease()

		next := map[byte]int{'s': 1}
		relayedCount := 0
		for line := range strings.Lines(dst.String()) {
			kind := line[0]
			if kind == 'p' || kind == 'h' {
				kind = 'r'
				relayedCount++
			}
			if kind == 's' && relayedCount < 2*next[kind]-1 {
				t.Fatalf("pieces of %d: %q written before the earlier line", size, line)
			}
			if want := fmt.Sprintf("%d\n", next[kind]); line[1:] != want {
				t.Fatalf("pieces of %d: %q, want %q", size, line, want)
			}
			next[kind]++
		}
		if relayedCount != lines || next['s'] != lines/2+1 || next['A'] != lines || next['C'] != lines {
			t.Errorf("pieces of %d: %v", size, next)
		}
	}
}

func TestOutletIsBounded(t *testing.T) {
	blocked := make(chan struct{})
	o := NewOutlet(writerFunc(func(b []byte) (int, error) { <-blocked; return len(b), nil }), 10)
	o.acquire()
	o.Send([]byte("12345\n"))
	o.Send([]byte("67890\n"))
	close(blocked)
	if err := o.flushAndRelease(); !errors.Is(err, ErrOutletFull) {
		t.Errorf("error %v", err)
	}
}

// The Outlet counts pending responses to the peer's own lines until the peer has read
// them. It does not count other pending lines.
func TestOutletCountsAnswers(t *testing.T) {
	half := append(bytes.Repeat([]byte("x"), maxAnswerBytes/2), '\n')
	for name, then := range map[string]func(o *Outlet, read *io.PipeReader){
		"the peer reads":              func(_ *Outlet, read *io.PipeReader) { go io.Copy(io.Discard, read) },
		"the peer closes its end":     func(_ *Outlet, read *io.PipeReader) { read.Close() },
		"the peer hangs up":           func(o *Outlet, _ *io.PipeReader) { o.NoteHangup() },
		"the queue exceeds its limit": func(o *Outlet, _ *io.PipeReader) { o.Send(bytes.Repeat(half, 10)) },
		"the outlet restarts": func(o *Outlet, read *io.PipeReader) {
			go o.Restart()
			io.CopyN(io.Discard, read, int64(len(half)))
			read.Close()
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			read, dst := io.Pipe()
			o := NewOutlet(dst, 5*maxAnswerBytes)
			defer read.Close()
			o.Send(half, half, half)
			o.Answer(half)
			synctest.Wait()
			if o.AnswersRead() != nil {
				t.Errorf("%s: paused below the limit", name)
			}
			o.Answer(half)
			answered := o.AnswersRead()
			if answered == nil {
				t.Fatalf("%s: not paused above the limit", name)
			}
			then(o, read)
			synctest.Wait()
			if o.AnswersRead() != nil || !closed(answered) {
				t.Errorf("%s: still waiting", name)
			}
		})
	}
}

func TestRelayPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dst lockedBuffer
		o := NewOutlet(&dst, plenty)
		in := &scriptedInspector{t: t, pausePrefix: "h4\n", wait: make(chan struct{})}
		r := Relay{Src: strings.NewReader("p1\nh2\np3\nh4\nh5"), Dst: o, Inspector: in, MaxLine: plenty}
		go r.Run()
		synctest.Wait()
		if got := dst.String(); got != "p1\nh2\np3\n" {
			t.Errorf("during the pause: %q", got)
		}
		o.Send([]byte("sent\n"))
		synctest.Wait()
		close(in.wait)
		synctest.Wait()
		if got := dst.String(); got != "p1\nh2\np3\nsent\nh4\nh5" {
			t.Errorf("after it: %q", got)
		}
	})
}

func TestRelayDropsOversize(t *testing.T) {
	long := strings.Repeat("x", 50)
	text := "p1\nhA" + long + "\nr2\nhB" + long + "\nhC" + long[:30] + "\np3\nhD" + long
	for size := 1; size < len(text); size += 3 {
		var dst bytes.Buffer
		in := &scriptedInspector{t: t, dropsOversize: true}
		r := Relay{Src: &pieceReader{texts: split([]byte(text), size), err: io.EOF}, Dst: NewOutlet(&dst, plenty), Inspector: in, MaxLine: 20}
		if err := r.Run(); err != nil {
			t.Fatal(err)
		}
		if got := dst.String(); got != "p1\n2\n2\np3\n" {
			t.Errorf("pieces of %d: %q", size, got)
		}
		if in.oversizeCount != 4 {
			t.Errorf("pieces of %d: %d times oversize", size, in.oversizeCount)
		}
		want := []string{"hA" + long + "\n", "hB" + long + "\n", "hC" + long[:30] + "\n", "hD" + long}
		if !slices.Equal(in.droppedLines, want) {
			t.Errorf("pieces of %d: Rest received %q", size, in.droppedLines)
		}
	}
}

// The relay returns a write error that occurred while it was waiting for input.
// Otherwise later lines would be lost silently.
func TestRelayReturnsErrorOfSend(t *testing.T) {
	gone := errors.New("nobody reads")
	synctest.Test(t, func(t *testing.T) {
		o := NewOutlet(writerFunc(func([]byte) (int, error) { return 0, gone }), plenty)
		in, out := io.Pipe()
		r := Relay{Src: in, Dst: o, Inspector: &scriptedInspector{t: t}, MaxLine: plenty}
		ended := make(chan error, 1)
		go func() { ended <- r.Run() }()
		o.Send([]byte("sent\n"))
		synctest.Wait()
		go io.WriteString(out, "drop\n")
		synctest.Wait()
		select {
		case err := <-ended:
			var w *WriteError
			if !errors.As(err, &w) || !errors.Is(err, gone) {
				t.Errorf("error %v", err)
			}
		default:
			t.Error("the relay continues")
			out.Close()
			<-ended
		}
	})
}

// A relay that fails in the middle of a line releases the outlet.
func TestRelayUnlocksOutletAfterError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("nobody reads")
		o := NewOutlet(writerFunc(func([]byte) (int, error) { return 0, gone }), plenty)
		r := Relay{Src: &pieceReader{texts: [][]byte{[]byte("pass"), []byte("ing")}, err: io.EOF}, Dst: o, Inspector: &scriptedInspector{t: t}, MaxLine: plenty}
		if err := r.Run(); !errors.Is(err, gone) {
			t.Fatalf("error %v", err)
		}
		flushed := false
		go func() {
			o.Flush()
			flushed = true
		}()
		synctest.Wait()
		if !flushed {
			t.Error("Flush waits for a relay that has ended")
			o.flushAndRelease()
		}
	})
}

// Replacements can be much longer than the lines. The relay writes them while it processes
// the lines of one read, so that the buffers remain small and a peer that reads does not
// exceed the limit.
func TestRelayBoundsOutputOfOneRead(t *testing.T) {
	const lines = 1000
	for _, size := range []int{10, bufferSize / 10, 2 * maxOutput} {
		for _, how := range []string{"in its place", "sent", "sent beside it"} {
			all, largest := 0, 0
			o := NewOutlet(writerFunc(func(b []byte) (int, error) {
				all, largest = all+len(b), max(largest, len(b))
				return len(b), nil
			}), 20*bufferSize)
			in := &growingInspector{scriptedInspector: scriptedInspector{t: t}, to: o, how: how, text: append(bytes.Repeat([]byte("x"), size), '\n')}
			src := &pieceReader{texts: [][]byte{[]byte("p"), []byte("\n" + strings.Repeat("h\n", lines))}, err: io.EOF}
			r := Relay{Src: src, Dst: o, Inspector: in, MaxLine: plenty}
			if err := r.Run(); err != nil {
				t.Fatal(err)
			}
			want := len("p\n") + lines*len(in.text)
			if how == "sent beside it" {
				want += lines * len("h\n")
			}
			if all != want || largest > maxOutput+len(in.text) || cap(r.out) > 2*maxOutput {
				t.Errorf("%d bytes %s: %d written, want %d; largest write %d, buffer %d", size, how, all, want, largest, cap(r.out))
			}
		}
	}
}

// A growingInspector replaces each held line by text, or drops or forwards the line and
// sends text.
type growingInspector struct {
	scriptedInspector
	to   *Outlet
	how  string
	text []byte
}

func (g *growingInspector) Rewrite(line []byte) ([]byte, bool) {
	g.scriptedInspector.Rewrite(line)
	if g.how == "in its place" {
		return g.text, true
	}
	g.to.Send(g.text)
	return nil, g.how == "sent"
}

// The relay also pauses before a line that exceeds the limit.
func TestRelayPausesBeforeOversize(t *testing.T) {
	long := "h" + strings.Repeat("x", 50)
	for size := 1; size <= 2*len(long); size += 7 {
		synctest.Test(t, func(t *testing.T) {
			var dst lockedBuffer
			in := &scriptedInspector{t: t, pausePrefix: long[:1], wait: make(chan struct{})}
			text := []byte("p1\n" + long + "\np3\n")
			r := Relay{Src: &pieceReader{texts: split(text, size), err: io.EOF}, Dst: NewOutlet(&dst, plenty), Inspector: in, MaxLine: 20}
			go r.Run()
			synctest.Wait()
			if got := dst.String(); got != "p1\n" {
				t.Errorf("pieces of %d, in the pause: %q", size, got)
			}
			close(in.wait)
			synctest.Wait()
			if got := dst.String(); got != string(text) {
				t.Errorf("pieces of %d, after the pause: %q", size, got)
			}
		})
	}
}

// The last goroutine that releases the outlet has written all sent lines: none remains
// queued while no goroutine writes.
func TestOutletWritesWholeQueue(t *testing.T) {
	const lines, senders = 20, 3
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			var dst lockedBuffer
			o := NewOutlet(&dst, plenty)
			for range senders {
				go func() {
					for range lines {
						o.Send([]byte("s\n"))
					}
				}()
			}
			go func() {
				for range lines {
					o.acquire()
					o.write([]byte("r\n"))
					o.flushAndRelease()
				}
			}()
			synctest.Wait()
			if got := strings.Count(dst.String(), "\n"); got != lines*(senders+1) {
				t.Fatalf("%d lines written, want %d", got, lines*(senders+1))
			}
		})
	}
}
