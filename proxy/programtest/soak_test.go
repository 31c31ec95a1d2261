package programtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/proxy/flags"
)

// soakSize is the environment variable that says how many bytes TestSoak sends
// in each direction: 10GB, say. TestSoakBridged is long then.
const soakSize = "ACP_TEST_SOAK"

// A traffic is an endless stream of lines, the same for the same seed. The
// proxy changes none of them for a legacy client, if it lets text pass.
type traffic struct {
	rnd  *rand.Rand
	rest []byte // of the line that was begun
	pool [][]byte
}

func newTraffic(seed uint64) *traffic {
	t := &traffic{rnd: rand.New(rand.NewPCG(seed, 0))}
	text := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = " abcdefghijklmnopqrstuvwxyzäöü{}[],:0123456789"[t.rnd.IntN(47)]
		}
		return strings.ToValidUTF8(string(b), "?")
	}
	add := func(format string, args ...any) {
		t.pool = append(t.pool, fmt.Appendf(nil, format, args...))
	}
	update := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}` + "\n"
	for range 40 {
		chunk := `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text(t.rnd.IntN(400)) + `"}}`
		add(update, chunk)
		add(update, `{"rawInput":{"sessionUpdate":"plan_update","x":"`+text(t.rnd.IntN(20000))+`"},"sessionUpdate":"tool_call"}`)
		add(`{"jsonrpc":"2.0","id":%d,"result":{"content":"%s"}}`+"\n", t.rnd.IntN(1000), text(t.rnd.IntN(3000)))
		add(update, `{"sessionUpdate":"plan","entries":[{"content":"`+text(50)+`","priority":"low","status":"pending"}]}`)
		add("%s\r\n", text(t.rnd.IntN(100)))
		add(`{"params":{"text":"%s"},"id":%d,"method":"session/prompt"}`+"\n", text(bufferEdge(t.rnd)), t.rnd.IntN(1000))
	}
	add("\n")
	add(`{"jsonrpc":"2.0","id":%d,"method":"session/load","params":{"sessionId":"s"}}`+"\n", t.rnd.IntN(1000))
	add(`{"jsonrpc":"2.0","method":"_big","params":"%s"}`+"\n", text(1<<20))
	return t
}

// bufferEdge returns a length. A line of that length ends near the end of one
// of the buffers that lines go through.
func bufferEdge(rnd *rand.Rand) int {
	return 1<<(12+rnd.IntN(6)) - 40 + rnd.IntN(10)
}

func (t *traffic) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if len(t.rest) == 0 {
			t.rest = t.pool[t.rnd.IntN(len(t.pool))]
		}
		copied := copy(b[n:], t.rest)
		n, t.rest = n+copied, t.rest[copied:]
	}
	return n, nil
}

// expect reads r to its end and reports whether it brought exactly the first n
// bytes of the traffic of that seed. Now and then it stalls.
func expect(r io.Reader, seed uint64, n int64) error {
	stall := rand.New(rand.NewPCG(seed, 1))
	return same(r, io.LimitReader(newTraffic(seed), n), func() {
		if stall.IntN(5000) == 0 {
			time.Sleep(time.Duration(stall.IntN(20)) * time.Millisecond)
		}
	})
}

// same reads got to its end and reports whether it brought exactly what want
// brings. It calls pause after each piece.
func same(got, want io.Reader, pause func()) error {
	piece, model := make([]byte, 256<<10), make([]byte, 256<<10)
	for read := int64(0); ; pause() {
		n, err := got.Read(piece)
		m, _ := io.ReadFull(want, model[:n])
		if !bytes.Equal(piece[:n], model[:m]) {
			return fmt.Errorf("differs between byte %d and %d", read, read+int64(n))
		}
		read += int64(n)
		switch {
		case err == io.EOF:
			if m, _ := want.Read(model[:1]); m > 0 {
				return fmt.Errorf("ends after %d bytes, too early", read)
			}
			return nil
		case err != nil:
			return err
		}
	}
}

// soakAgent sends traffic and expects traffic: soak-agent SEED BYTES MODE,
// where MODE is end; die for one that is killed when it has sent all; or the name
// of a long line, which it sends instead.
func soakAgent() {
	seed, _ := strconv.ParseUint(os.Args[1], 10, 64)
	n, _ := strconv.ParseInt(os.Args[2], 10, 64)
	mode := os.Args[3]
	sends, receives := io.LimitReader(newTraffic(seed), n), n
	if longLines[mode].head != "" {
		sends, receives = longLine(mode, n), 0
	}
	received := make(chan error, 1)
	go func() { received <- expect(os.Stdin, seed+1, receives) }()
	if _, err := io.Copy(os.Stdout, sends); err != nil {
		fmt.Fprintln(os.Stderr, "soak agent: send:", err)
		os.Exit(1)
	}
	if mode == "die" {
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		select {}
	}
	os.Stdout.Close()
	if err := <-received; err != nil {
		fmt.Fprintln(os.Stderr, "soak agent: receive:", err)
		os.Exit(1)
	}
}

// TestSoak sends random traffic through the program, both ways at full speed
// with stalls, and compares every byte.
func TestSoak(t *testing.T) {
	size := 32 << 20
	if s := os.Getenv(soakSize); s != "" {
		var err error
		if size, err = flags.ParseSize(s); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		size = 4 << 20
	}
	seed := rand.Uint64N(1 << 32)
	t.Logf("seed %d", seed)
	p := startSoak(t, seed, int64(size), "end")
	started := time.Now()
	if err := expect(p.out, seed, int64(size)); err != nil {
		t.Errorf("agent to client: %v", err)
	}
	memory := <-p.memory
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("client to agent: %v\n%s", err, p.stderr)
	}
	t.Logf("%d MB each way in %v, peak memory of the proxy %d MiB", size/1e6, time.Since(started).Round(time.Millisecond), memory>>20)
}

// longLines are what lines begin and end with: one that passes, and some that
// may be plan messages for as long as they are looked at.
var longLines = map[string]struct{ head, tail string }{
	"notification": {`{"jsonrpc":"2.0","method":"_vendor/log","params":{"text":"`, `"}}` + "\n"},
	"plan": {`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` +
		`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"`, `"}}}}` + "\n"},
}

// longLine returns a line with n bytes between its head and its tail, which
// takes no memory.
func longLine(name string, n int64) io.Reader {
	l := longLines[name]
	return io.MultiReader(strings.NewReader(l.head), io.LimitReader(new(letters), n), strings.NewReader(l.tail))
}

// letters is an endless text.
type letters struct{ rest []byte }

// Not a multiple of any buffer's size, so that a piece too many or too few is
// noticed.
var someLetters = bytes.Repeat([]byte("abcdefghijklmnopqrstuvwxyz "), 9973)

func (l *letters) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if len(l.rest) == 0 {
			l.rest = someLetters
		}
		copied := copy(b[n:], l.rest)
		n, l.rest = n+copied, l.rest[copied:]
	}
	return n, nil
}

// TestLongLine sends lines of up to 1 GiB through the program without flags.
func TestLongLine(t *testing.T) {
	size := int64(1 << 30)
	switch {
	case raceDetector(): // it watches every byte
		size = 32 << 20
	case testing.Short():
		size = 256 << 20
	}
	for name, l := range longLines {
		t.Run(name, func(t *testing.T) {
			p := startProgram(t, "--", "soak-agent", "0", strconv.FormatInt(size, 10), name)
			line := io.LimitReader(p.out, int64(len(l.head))+size+int64(len(l.tail)))
			if err := same(line, longLine(name, size), func() {}); err != nil {
				t.Error(err)
			}
			memory := peakMemory(p.cmd.Process.Pid)
			p.in.Close()
			if rest, err := io.ReadAll(p.out); err != nil || len(rest) > 0 {
				t.Errorf("after the line: %d bytes, %v", len(rest), err)
			}
			if err := p.cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, p.stderr)
			}
			checkMemory(t, memory, 150<<20)
		})
	}
}

// TestChaos kills the agent, and the proxy, in the middle of traffic, again and
// again. What an agent wrote before it was killed arrives; and nothing is left
// behind: standard error, which all processes share, comes to its end.
func TestChaos(t *testing.T) {
	rounds := 6
	if os.Getenv(soakSize) != "" {
		rounds = 200
	}
	seed := rand.Uint64N(1 << 32)
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 2))
	for range rounds {
		n := rnd.Int64N(8 << 20)
		p := startSoak(t, seed, n, "die")
		if err := expect(p.out, seed, n); err != nil {
			t.Errorf("from an agent that was killed after %d bytes: %v", n, err)
		}
		p.cmd.Wait()

		p = startSoak(t, seed, 1<<40, "end")
		if _, err := io.CopyN(io.Discard, p.out, n); err != nil {
			t.Errorf("read %d bytes: %v", n, err)
		}
		p.cmd.Process.Kill()
		err := p.cmd.Wait() // which waits for the end of standard error
		if errors.Is(err, exec.ErrWaitDelay) {
			t.Errorf("the agent lives on after the proxy was killed")
		}
	}
}

type soak struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr *bytes.Buffer
	memory chan int // the proxy's peak when all has been sent to it
}

// startSoak starts the program with a soak agent, and sends it traffic.
func startSoak(t *testing.T, seed uint64, n int64, mode string) soak {
	t.Helper()
	p := startProgram(t, "--client=legacy", "--grace=1m", "--stray=pass", "--",
		"soak-agent", strconv.FormatUint(seed, 10), strconv.FormatInt(n, 10), mode)
	go func() {
		io.Copy(p.in, io.LimitReader(newTraffic(seed+1), n))
		p.memory <- peakMemory(p.cmd.Process.Pid)
		p.in.Close()
	}()
	return p
}

func startProgram(t *testing.T, args ...string) soak {
	t.Helper()
	p := soak{cmd: exec.Command(programName, args...), stderr: new(bytes.Buffer), memory: make(chan int, 1)}
	p.cmd.Stderr = p.stderr
	p.cmd.WaitDelay = 5 * time.Second
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill() })
	if os.Getenv(soakSize) == "" {
		// What hangs must fail, not hang the test.
		limit := time.AfterFunc(time.Minute, func() { p.cmd.Process.Kill() })
		t.Cleanup(func() { limit.Stop() })
	}
	return p
}

// peakMemory returns the peak of a process's resident memory in bytes, where
// the system tells it, or else 0.
func peakMemory(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kib int
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}

// checkMemory checks a peak of memory, where the peak is known and not mostly
// due to the race detector.
func checkMemory(t *testing.T, peak, limit int) {
	t.Helper()
	t.Logf("peak memory of the proxy %d MiB", peak>>20)
	if peak > limit && !raceDetector() {
		t.Errorf("peak memory of the proxy %d MiB, more than %d", peak>>20, limit>>20)
	}
}

func raceDetector() bool {
	build, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
