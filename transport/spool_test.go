package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A gate is a writer that blocks until opened is closed.
type gate struct {
	opened     chan struct{} // nil: never blocks
	text       []byte
	writeCount int
	err        error // of each Write
	takes      int   // bytes accepted per Write if err is set
}

func (g *gate) Write(b []byte) (int, error) {
	if g.opened != nil {
		<-g.opened
	}
	g.writeCount++
	if g.err != nil {
		b = b[:min(g.takes, len(b))]
	}
	g.text = append(g.text, b...)
	return len(b), g.err
}

func saysGap(dropped int) []byte { return fmt.Appendf(nil, "(%d)\n", dropped) }

// write20 writes 20 records and returns how many were dropped.
func write20(t *testing.T, s *Spool, first int) (dropped int) {
	t.Helper()
	for i := range 20 {
		switch n, err := s.Write(fmt.Appendf(nil, "record %d\n", first+i)); {
		case err == nil && n == len("record 00\n"):
		case n == 0 && errors.Is(err, ErrFull):
			dropped++
		default:
			t.Errorf("%d bytes, %v", n, err)
		}
	}
	return dropped
}

func TestSpoolDropsRecordsAboveLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		s := NewSpool(&g, 100+len("first\n"), saysGap)
		g.opened = make(chan struct{})
		s.Write([]byte("first\n"))
		synctest.Wait() // it is being written
		if dropped := write20(t, s, 10); dropped != 10 {
			t.Errorf("%d dropped", dropped)
		}
		if dropped := write20(t, s, 30); dropped != 20 {
			t.Errorf("%d dropped after them", dropped)
		}
		close(g.opened)
		synctest.Wait()
		g.opened = make(chan struct{})
		s.Write([]byte("again\n"))
		synctest.Wait()   // until the write begins
		write20(t, s, 50) // room for ten records again
		close(g.opened)
		synctest.Wait()
		if lost := s.Close(0); lost != 40 {
			t.Errorf("%d lost", lost)
		}
		var want strings.Builder
		want.WriteString("first\n")
		for i := range 10 {
			fmt.Fprintf(&want, "record %d\n", 10+i)
		}
		want.WriteString("(30)\nagain\n")
		for i := range 10 {
			fmt.Fprintf(&want, "record %d\n", 50+i)
		}
		want.WriteString("(10)\n")
		if got := string(g.text); got != want.String() {
			t.Errorf("got\n%swant\n%s", got, &want)
		}
		if _, err := s.Write([]byte("late\n")); !errors.Is(err, os.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

// The Spool buffers a record that exceeds the limit only if it is the only one.
func TestSpoolLongRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		s := NewSpool(&g, 100, nil)
		long := bytes.Repeat([]byte("x"), 1<<20)
		g.opened = make(chan struct{})
		if _, err := s.Write(long); err != nil {
			t.Errorf("alone: %v", err)
		}
		synctest.Wait()
		if _, err := s.Write([]byte("short\n")); !errors.Is(err, ErrFull) {
			t.Errorf("a short record after it: %v", err)
		}
		close(g.opened)
		synctest.Wait()
		if _, err := s.Write([]byte("short\n")); err != nil {
			t.Errorf("a short record after the write: %v", err)
		}
		if lost := s.Close(time.Hour); lost != 1 {
			t.Errorf("%d lost", lost)
		}
		if want := string(long) + "short\n"; string(g.text) != want {
			t.Errorf("%d bytes written, want %d", len(g.text), len(want))
		}
	})
}

func TestSpoolCloseTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		s := NewSpool(&g, 1000, nil)
		g.opened = make(chan struct{})
		s.Write([]byte("first\n"))
		synctest.Wait()
		write20(t, s, 10)
		begin := time.Now()
		if lost := s.Close(time.Second); lost != 21 {
			t.Errorf("%d lost", lost)
		}
		if waited := time.Since(begin); waited != time.Second {
			t.Errorf("waited %v", waited)
		}
		close(g.opened)
		if lost := s.Close(time.Second); lost != 0 || time.Since(begin) != time.Second {
			t.Errorf("%d lost after %v", lost, time.Since(begin))
		}
	})
}

// After an error, the next Write retries the unwritten bytes, so that records remain
// complete.
func TestSpoolRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gate{err: errors.New("disk full"), takes: 4}
		s := NewSpool(&g, 40, saysGap)
		for _, record := range []string{"first\n", "second\n"} {
			s.Write([]byte(record))
			synctest.Wait()
		}
		write20(t, s, 10)
		synctest.Wait()
		g.err = nil
		write20(t, s, 30)
		synctest.Wait()
		s.Write([]byte("last\n"))
		s.Close(time.Hour)
		got := string(g.text)
		for line := range strings.Lines(got) {
			if !slices.Contains([]string{"first\n", "second\n", "last\n"}, line) && !strings.HasPrefix(line, "record ") && !strings.HasPrefix(line, "(") {
				t.Errorf("torn: %q", line)
			}
		}
		if !strings.HasPrefix(got, "first\nsecond\nrecord 10\n") || !strings.HasSuffix(got, ")\nlast\n") {
			t.Errorf("got\n%s", got)
		}
	})
}

func TestSpoolCloseAfterError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gate{err: errors.New("nobody reads")}
		s := NewSpool(&g, 1000, nil)
		write20(t, s, 10)
		synctest.Wait()
		before := g.writeCount
		begin := time.Now()
		if lost := s.Close(time.Hour); lost != 20 || time.Since(begin) != 0 {
			t.Errorf("%d lost after %v", lost, time.Since(begin))
		}
		if g.writeCount != before+1 {
			t.Errorf("tried %d times at the end", g.writeCount-before)
		}
	})
}

func TestSpoolWritesRecordsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		s := NewSpool(&g, 1<<20, nil)
		g.opened = make(chan struct{})
		s.Write([]byte("first\n"))
		synctest.Wait()
		record := bytes.Repeat([]byte("x"), 1000)
		for range 8 {
			s.Write(record)
		}
		close(g.opened)
		if lost := s.Close(time.Hour); lost != 0 || g.writeCount != 2 || len(g.text) != 8006 {
			t.Errorf("%d lost, %d bytes in %d writes", lost, len(g.text), g.writeCount)
		}
	})
}

func TestSpoolConcurrentWrites(t *testing.T) {
	var g gate
	s := NewSpool(&g, 10_000, saysGap)
	const each = 5000
	var wg sync.WaitGroup
	for writer := range 4 {
		wg.Go(func() {
			for i := range each {
				s.Write(fmt.Appendf(nil, "%d %d\n", writer, i))
			}
		})
	}
	wg.Wait()
	lost := s.Close(time.Minute)
	written, said := 0, 0
	last := [4]int{-1, -1, -1, -1}
	for line := range strings.Lines(string(g.text)) {
		var writer, i, gap int
		if _, err := fmt.Sscanf(line, "(%d)\n", &gap); err == nil {
			said += gap
		} else if _, err := fmt.Sscanf(line, "%d %d\n", &writer, &i); err != nil || i <= last[writer] {
			t.Fatalf("%q follows %d", line, last[writer])
		} else {
			last[writer] = i
			written++
		}
	}
	if said != lost || written+lost != 4*each {
		t.Errorf("%d written, %d lost, %d said to be", written, lost, said)
	}
}

func TestOpenWithin(t *testing.T) {
	for _, late := range []bool{false, true} {
		for _, fails := range []error{nil, io.ErrNoProgress} {
			name := t.TempDir() + "/file"
			wait := make(chan struct{})
			limit := time.Duration(0)
			if !late {
				close(wait)
				limit = time.Hour
			}
			file, err := OpenWithin(limit, func() (*os.File, error) {
				if <-wait; fails != nil {
					return nil, fails
				}
				return os.Create(name)
			})
			if late {
				if err != nil {
					t.Fatal(err)
				}
				if err := file.Close(); err != nil {
					t.Errorf("closed before it was opened: %v", err)
				}
				close(wait)
				_, err = file.Write([]byte("text"))
			} else if _, ok := file.(*os.File); ok != (fails == nil) {
				t.Errorf("%T", file)
			}
			if !errors.Is(err, fails) {
				t.Errorf("late %v, error %v, want %v", late, err, fails)
			}
			if file != nil {
				if err := file.Close(); err != nil {
					t.Error(err)
				}
			}
			if text, _ := os.ReadFile(name); late && fails == nil && string(text) != "text" {
				t.Errorf("the file has %q", text)
			}
		}
	}
}
