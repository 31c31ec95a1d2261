package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

// A scriptedInspector decides by the first byte of a line that is not a space. It also
// checks that the Relay calls it as documented.
//
//	p  pass
//	h  hold, forward unchanged
//	d  hold, drop
//	r  hold, replace by the rest of the line, twice
//	m  more until the line is complete, then forward unchanged
//	w  more until the first W, then pass
type scriptedInspector struct {
	t             testing.TB
	seen          int // bytes of the current line received
	held          bool
	oversizeCount int

	pausePrefix string        // pause before lines with this prefix
	wait        chan struct{} // result of Pause

	dropsOversize bool     // Oversize returns Drop
	dropped       []byte   // the current dropped line so far
	droppedLines  []string // complete dropped lines
}

func (s *scriptedInspector) Inspect(line []byte) Verdict {
	if len(line) == 0 || len(line) < s.seen || s.held {
		s.t.Errorf("Inspect received %d bytes after %d, held %v", len(line), s.seen, s.held)
	}
	s.seen = len(line)
	text := bytes.TrimLeft(line, " ")
	v := More
	if len(text) > 0 {
		switch {
		case text[0] == 'p', text[0] == 'w' && bytes.IndexByte(text, 'W') >= 0:
			v, s.seen = Pass, 0
		case text[0] == 'h' || text[0] == 'd' || text[0] == 'r':
			v, s.held = Hold, true
		}
	}
	return v
}

func (s *scriptedInspector) Rewrite(line []byte) ([]byte, bool) {
	s.seen, s.held = 0, false
	return rewritten(line)
}

func (s *scriptedInspector) Oversize(beginning []byte) Verdict {
	s.seen, s.held = 0, false
	s.oversizeCount++
	if !s.dropsOversize {
		return Pass
	}
	s.dropped = bytes.Clone(beginning)
	return Drop
}

func (s *scriptedInspector) Rest(piece []byte, end bool) {
	if !s.dropsOversize {
		s.t.Errorf("Rest called for a passing line: %q", piece)
	}
	s.dropped = append(s.dropped, piece...)
	if end {
		s.droppedLines = append(s.droppedLines, string(s.dropped))
	}
}

func (s *scriptedInspector) Pause(line []byte) <-chan struct{} {
	if s.wait == nil || !bytes.HasPrefix(line, []byte(s.pausePrefix)) {
		return nil
	}
	return s.wait
}

func rewritten(line []byte) ([]byte, bool) {
	text := bytes.TrimLeft(line, " ")
	if len(text) > 0 {
		switch text[0] {
		case 'd':
			return nil, true
		case 'r':
			return bytes.Repeat(text[1:], 2), true
		}
	}
	return nil, false
}

// relayed returns the expected output of a Relay with a scriptedInspector.
func relayed(text []byte, maxLine int) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		instead, ok := rewritten(line)
		if !ok || len(bytes.TrimSuffix(line, []byte{'\n'})) > maxLine {
			instead = line
		}
		out = append(out, instead...)
	}
	return out
}

// A pieceReader returns its texts one by one, and then err.
type pieceReader struct {
	texts [][]byte
	err   error
}

func (p *pieceReader) Read(b []byte) (int, error) {
	if len(p.texts) == 0 {
		return 0, p.err
	}
	n := copy(b, p.texts[0])
	if p.texts[0] = p.texts[0][n:]; len(p.texts[0]) == 0 {
		p.texts = p.texts[1:]
	}
	return n, nil
}

func run(t testing.TB, src io.Reader, maxLine int) (out []byte, in *scriptedInspector, err error) {
	t.Helper()
	var dst bytes.Buffer
	in = &scriptedInspector{t: t}
	r := Relay{Src: src, Dst: NewOutlet(&dst, plenty), Inspector: in, MaxLine: maxLine}
	err = r.Run()
	return dst.Bytes(), in, err
}

func checkRelay(t testing.TB, src io.Reader, text []byte, maxLine int) {
	t.Helper()
	out, _, err := run(t, src, maxLine)
	want := relayed(text, maxLine)
	if err != nil || !bytes.Equal(out, want) {
		t.Fatalf("%s\ngot  %s\nwant %s: %v", abridged(text), abridged(out), abridged(want), err)
	}
}

func abridged(b []byte) string {
	if len(b) <= 200 {
		return fmt.Sprintf("%q", b)
	}
	return fmt.Sprintf("%q … %q (%d bytes)", b[:100], b[len(b)-100:], len(b))
}

// split cuts text into pieces of the given sizes, which it repeats.
func split(text []byte, sizes ...int) [][]byte {
	var texts [][]byte
	for i := 0; len(text) > 0; i++ {
		n := min(sizes[i%len(sizes)], len(text))
		texts = append(texts, text[:n])
		text = text[n:]
	}
	return texts
}

const plenty = 1 << 30 // a limit that no test reaches

var mixes = []string{
	"", "\n", "\n\n\n", "p", "p\n", "h", "m", "d", "d\n", "r", "r\n", "rx", "w", "wW",
	"p1\nh2\nd3\nr4\nm5\nw6\nw7W\np8", "r1\nr2\np3\nd4\nd5\nr6\n", "d1\nd2\nd3\n", "  p\n  r\n  d\n   \n h",
	"p crlf\r\nh crlf\r\nr crlf\r\nd crlf\r\n\r\nm\r\n", "p\x00\nh\x00\x00\nr\x00x\n\x00\n", "p\xff\xfe\nr\xff\nh\xc3\n\xc3\n",
	"pppp\n" + strings.Repeat("h\nr-\nd\np\n", 20) + "r end",
}

func TestRelayAnySplit(t *testing.T) {
	for _, mix := range mixes {
		text := []byte(mix)
		for size := 1; size <= min(len(text)+1, 40); size++ {
			checkRelay(t, &pieceReader{texts: split(text, size), err: io.EOF}, text, plenty)
			checkRelay(t, iotest.DataErrReader(&pieceReader{texts: split(text, size), err: io.EOF}), text, plenty)
		}
		for at := range text {
			checkRelay(t, &pieceReader{texts: [][]byte{text[:at], {}, {}, text[at:]}, err: io.EOF}, text, plenty)
		}
		checkRelay(t, bytes.NewReader(text), text, math.MaxInt)
	}
}

// The lengths of the lines are around the sizes of the Relay's buffer, from the first to
// the limit.
func TestRelayLengths(t *testing.T) {
	const maxLine = 5 * bufferSize
	lengths := []int{1, 2}
	for _, n := range []int{
		bufferSize / 2, bufferSize, bufferSize * 3 / 2, 2 * bufferSize, 4*bufferSize - bufferSize/2, 4 * bufferSize, maxLine, maxLine + bufferSize,
		// After a line of 10 bytes.
		bufferSize - 10, 4*bufferSize - bufferSize/2 - 10, 4*bufferSize - 10,
	} {
		for d := -2; d <= 2; d++ {
			lengths = append(lengths, n+d)
		}
	}
	for _, n := range lengths {
		for _, kind := range []string{"p", "m", "r"} {
			line := kind + strings.Repeat("x", n-1)
			for _, text := range []string{line, "h 4567890\n" + line + "\nr tail\n" + line + "\np"} {
				for _, sizes := range [][]int{{plenty}, {1000, 1, bufferSize, 3}} {
					checkRelay(t, &pieceReader{texts: split([]byte(text), sizes...), err: io.EOF}, []byte(text), maxLine)
				}
			}
		}
	}
}

func TestRelayOversize(t *testing.T) {
	for _, maxLine := range []int{2, 10, bufferSize - 1, bufferSize, bufferSize + 1, 3 * bufferSize} {
		for d := -1; d <= 2; d++ {
			for _, kind := range []string{"r", "m"} {
				line := kind + strings.Repeat("x", maxLine+d-1)
				for _, end := range []string{"\n", ""} {
					for _, size := range []int{1000, bufferSize, plenty} {
						text := []byte(line + end)
						out, in, err := run(t, &pieceReader{texts: split(text, size), err: io.EOF}, maxLine)
						if (in.oversizeCount == 1) != (d > 0) || in.oversizeCount > 1 {
							t.Errorf("limit %d, a line of %d bytes: %d times oversize", maxLine, len(line), in.oversizeCount)
						}
						if err != nil || !bytes.Equal(out, relayed(text, maxLine)) {
							t.Errorf("limit %d, a line of %d bytes: %s", maxLine, len(line), abridged(out))
						}
					}
				}
			}
		}
	}
}

// A followingInspector follows lines from their first F on.
type followingInspector struct {
	scriptedInspector
	dst     *bytes.Buffer
	all     []byte // followed lines
	written int    // length of dst at the end of the last followed line
}

func (f *followingInspector) Inspect(line []byte) Verdict {
	if bytes.IndexByte(line, 'F') < 0 {
		return f.scriptedInspector.Inspect(line)
	}
	f.all, f.seen = append(f.all, line...), 0
	return Follow
}

func (f *followingInspector) Rest(piece []byte, end bool) {
	f.all = append(f.all, piece...)
	if end {
		f.written = f.dst.Len()
	}
}

// The Relay streams a followed line through. The Inspector receives the whole line before
// its last piece is written.
func TestRelayFollows(t *testing.T) {
	long := strings.Repeat("x", 3*bufferSize)
	for _, test := range []struct{ before, line, after string }{
		{"p\n", "F1\n", "r2\n"}, {"r\nh\n", "m45F67\n", "d\n"}, {"", "F", ""}, {"p\n", "mF12", ""}, {"", "F" + long + "\n", "F\n"}, {"", "m" + long + "F\n", "p"},
	} {
		text := test.before + test.line + test.after
		for size := 1; size <= 2*len(text); size += size {
			var dst bytes.Buffer
			in := &followingInspector{scriptedInspector: scriptedInspector{t: t}, dst: &dst}
			var src io.Reader = &pieceReader{texts: split([]byte(text), size), err: io.EOF}
			if size > len(text) { // all at once, with the error
				src = iotest.DataErrReader(src)
			}
			r := Relay{Src: src, Dst: NewOutlet(&dst, plenty), Inspector: in, MaxLine: plenty}
			if err := r.Run(); err != nil || !bytes.Equal(dst.Bytes(), relayed([]byte(text), plenty)) {
				t.Fatalf("%s in pieces of %d became %s: %v", abridged([]byte(text)), size, abridged(dst.Bytes()), err)
			}
			want, all := test.line, len(relayed([]byte(test.before+test.line), plenty))
			if strings.HasPrefix(test.after, "F") {
				want, all = want+test.after, dst.Len()
			}
			if string(in.all) != want || in.written > all || in.written == all && strings.HasSuffix(want, "\n") {
				t.Fatalf("%s in pieces of %d: followed %s, %d bytes written before its end", abridged([]byte(text)), size, abridged(in.all), in.written)
			}
			if size < bufferSize && len(test.line) > bufferSize && test.line[0] == 'F' && in.written == 0 {
				t.Fatalf("pieces of %d: the followed line is not streamed", size)
			}
		}
	}
}

// A longTextReader reads a long text and uses no memory for it.
type longTextReader struct {
	head  string
	total int
	pos   int
}

func (r *longTextReader) Read(b []byte) (int, error) {
	n := min(len(b), r.total-r.pos)
	for i := range b[:n] {
		b[i] = 'x'
	}
	if r.pos < len(r.head) {
		copy(b[:n], r.head[r.pos:])
	}
	r.pos += n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func TestRelayMemoryIsBounded(t *testing.T) {
	const maxLine = 1 << 20
	for _, kind := range []string{"p", "h", "m"} {
		src := &longTextReader{head: kind, total: 20 * maxLine}
		largest := 0
		counted := writerFunc(func(b []byte) (int, error) {
			largest = max(largest, len(b))
			return len(b), nil
		})
		r := Relay{Src: src, Dst: NewOutlet(counted, plenty), Inspector: &scriptedInspector{t: t}, MaxLine: maxLine}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := r.Run(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if all := after.TotalAlloc - before.TotalAlloc; all > maxLine*3/2 {
			t.Errorf("%s: %d bytes in buffers", kind, all)
		}
		if largest > maxLine+bufferSize || len(r.buf) > bufferSize || cap(r.out) > 4*bufferSize {
			t.Errorf("%s: wrote %d bytes at once, keeps %d and %d", kind, largest, len(r.buf), cap(r.out))
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestRelayErrors(t *testing.T) {
	broken := errors.New("broken")
	out, _, err := run(t, &pieceReader{texts: split([]byte("p1\nr2\nr3"), 3), err: broken}, plenty)
	if string(out) != "p1\n2\n2\n33" || !errors.Is(err, broken) || errors.As(err, new(*WriteError)) {
		t.Errorf("read error: %q, %v", out, err)
	}
	for _, src := range []string{"p1\n", "r1\n", "h", "p"} {
		r := Relay{
			Src:       strings.NewReader(src),
			Dst:       NewOutlet(writerFunc(func([]byte) (int, error) { return 0, broken }), plenty),
			Inspector: &scriptedInspector{t: t}, MaxLine: plenty,
		}
		if err := r.Run(); !errors.Is(err, broken) || !errors.As(err, new(*WriteError)) {
			t.Errorf("%q: write error: %v", src, err)
		}
	}
	// Dropped lines are not written, so there is no error.
	r := Relay{Src: strings.NewReader("d1\n"), Dst: NewOutlet(writerFunc(func([]byte) (int, error) { return 0, broken }), plenty), Inspector: &scriptedInspector{t: t}, MaxLine: plenty}
	if err := r.Run(); err != nil {
		t.Error(err)
	}
}

// The Relay searches each byte of a held line for the newline once, for every size of reads.
func TestRelaySearchesOnce(t *testing.T) {
	r := Relay{Dst: NewOutlet(io.Discard, plenty), Inspector: &scriptedInspector{t: t}, MaxLine: plenty}
	left := 300
	r.Src = readerFunc(func(b []byte) (int, error) {
		if r.searched != r.end {
			t.Fatalf("%d of %d bytes would be searched again", r.end-r.searched, r.end)
		}
		if left--; left == 0 {
			return 0, io.EOF
		}
		return copy(b, "p\nh"+strings.Repeat("x", 1000)), nil
	})
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// The Relay writes all available output before each Read.
func TestRelayDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, in := io.Pipe()
		var dst bytes.Buffer
		r := Relay{Src: src, Dst: NewOutlet(&dst, plenty), Inspector: &scriptedInspector{t: t}, MaxLine: plenty}
		done := make(chan error)
		go func() { done <- r.Run() }()
		for _, step := range []struct{ in, out string }{
			{"h1\n", "h1\n"},
			{"p", "p"},
			{"2", "2"},
			{"\nr", "\n"},
			{"3", ""},
			{"\nh4", "3\n3\n"},
			{"\nw5", "h4\n"},
			{"W", "w5W"},
			{"\n ", "\n"},
			{"\n\n", " \n\n"},
			{"m", ""},
			{"\np6\nd7\nr8\nh", "m\np6\n8\n8\n"},
			{"9", ""},
		} {
			dst.Reset()
			if _, err := in.Write([]byte(step.in)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if dst.String() != step.out {
				t.Errorf("after %q came %q, want %q", step.in, dst.String(), step.out)
			}
		}
		dst.Reset()
		in.Close()
		if err := <-done; err != nil || dst.String() != "h9" {
			t.Errorf("at the end came %q, %v", dst.String(), err)
		}
	})
}

// While Dst blocks, the Relay does not read Src.
func TestRelayBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, dst := io.Pipe()
		src := &longTextReader{head: "p", total: 10 * bufferSize}
		r := Relay{Src: src, Dst: NewOutlet(dst, plenty), Inspector: &scriptedInspector{t: t}, MaxLine: plenty}
		done := make(chan error)
		go func() { done <- r.Run() }()
		synctest.Wait()
		if src.pos > bufferSize {
			t.Errorf("read %d bytes while Dst blocks", src.pos)
		}
		out.Close()
		if err := <-done; !errors.As(err, new(*WriteError)) {
			t.Error(err)
		}
	})
}

// A repeatingReader reads the same text repeatedly.
type repeatingReader struct {
	text  []byte
	times int
}

func (l *repeatingReader) Read(b []byte) (int, error) {
	if l.times == 0 {
		return 0, io.EOF
	}
	l.times--
	return copy(b, l.text), nil
}

func batch(size int, line string) []byte {
	return bytes.Repeat([]byte(line+"\n"), size/(len(line)+1))
}

func TestRelayDoesNotAllocate(t *testing.T) {
	text := batch(bufferSize, "p"+strings.Repeat("x", 200))
	in := &scriptedInspector{t: t}
	runFor := func(times int) float64 {
		return testing.AllocsPerRun(5, func() {
			r := Relay{Src: &repeatingReader{text, times}, Dst: NewOutlet(io.Discard, plenty), Inspector: in, MaxLine: plenty}
			if err := r.Run(); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := runFor(2), runFor(200); many > few {
		t.Errorf("%v allocations for 2 reads, %v for 200", few, many)
	}
}

func BenchmarkRelay(b *testing.B) {
	for _, kind := range []string{"p", "h", "r"} {
		b.Run(kind, func(b *testing.B) {
			text := batch(bufferSize, kind+strings.Repeat("x", 200))
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			r := Relay{Src: &repeatingReader{text, b.N}, Dst: NewOutlet(io.Discard, plenty), Inspector: &scriptedInspector{t: b}, MaxLine: plenty}
			if err := r.Run(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
