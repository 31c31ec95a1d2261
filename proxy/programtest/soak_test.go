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

// soakSize is the environment variable with the number of bytes that TestSoak sends in each
// direction, for example 10GB. If it is set, TestSoakBridged and TestChaos run longer too.
const soakSize = "ACP_TEST_SOAK"

// A traffic is an endless stream of lines, determined by its seed. With --stray=pass the proxy
// forwards all of them to a legacy client unchanged.
type traffic struct {
	rnd  *rand.Rand
	rest []byte // of the current line
	pool [][]byte
}

func newTraffic(seed uint64) *traffic {
	t := &traffic{rnd: rand.New(rand.NewPCG(seed, 0))}
	const alphabet = " abcdefghijklmnopqrstuvwxyzäöü{}[],:0123456789"
	text := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[t.rnd.IntN(len(alphabet))]
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

// bufferEdge returns a random length at which a line ends near the edge of a buffer in the proxy.
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

// expect reads r to its end, with random stalls, and returns an error unless the input is exactly
// the first n bytes of the traffic with that seed.
func expect(r io.Reader, seed uint64, n int64) error {
	stall := rand.New(rand.NewPCG(seed, 1))
	want := io.LimitReader(newTraffic(seed), n)
	piece, model := make([]byte, 256<<10), make([]byte, 256<<10)
	for read := int64(0); ; {
		got, err := r.Read(piece)
		m, _ := io.ReadFull(want, model[:got])
		if !bytes.Equal(piece[:got], model[:m]) {
			return fmt.Errorf("differs between byte %d and %d", read, read+int64(got))
		}
		read += int64(got)
		switch {
		case err == io.EOF && read < n:
			return fmt.Errorf("ends after %d bytes, too early", read)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if stall.IntN(5000) == 0 {
			time.Sleep(time.Duration(stall.IntN(20)) * time.Millisecond)
		}
	}
}

// soakAgent sends traffic and expects traffic: soak-agent SEED BYTES MODE. MODE is end, or die to
// kill the process after it has sent everything.
func soakAgent() {
	seed, _ := strconv.ParseUint(os.Args[1], 10, 64)
	n, _ := strconv.ParseInt(os.Args[2], 10, 64)
	received := make(chan error, 1)
	go func() { received <- expect(os.Stdin, seed+1, n) }()
	if _, err := io.Copy(os.Stdout, io.LimitReader(newTraffic(seed), n)); err != nil {
		fmt.Fprintln(os.Stderr, "soak agent: send:", err)
		os.Exit(1)
	}
	if os.Args[3] == "die" {
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

// TestSoak sends random traffic through the program in both directions, at full speed with
// stalls, and compares every byte.
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
	seed := soakSeed(t)
	p := startSoak(t, seed, int64(size), "end")
	started := time.Now()
	if err := expect(p.out, seed, int64(size)); err != nil {
		t.Errorf("agent to client: %v", err)
	}
	memory := <-p.memory
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("client to agent: %v\n%s", err, p.stderr)
	}
	checkMemory(t, memory, 150<<20)
	t.Logf("%d MB each way in %v", size/1e6, time.Since(started).Round(time.Millisecond))
}

// soakSeed returns the seed of random traffic. $ACP_TEST_SEED repeats that of a failed test.
func soakSeed(t *testing.T) uint64 {
	seed, err := strconv.ParseUint(os.Getenv("ACP_TEST_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64N(1 << 32)
	}
	t.Logf("seed %d", seed)
	return seed
}

// TestChaos repeatedly kills the agent, and the proxy, during traffic. The output that a killed
// agent has written must arrive, and no process may survive: each would keep the shared standard
// error open.
func TestChaos(t *testing.T) {
	rounds := 6
	if os.Getenv(soakSize) != "" {
		rounds = 200
	}
	seed := soakSeed(t)
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
			t.Errorf("the agent survives the killed proxy")
		}
	}
}

// A soak is the running program between the test and an agent with random traffic.
type soak struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr *bytes.Buffer
	memory chan int // the proxy's peak after it has received all input
}

// startSoak starts the program with a soak agent and sends traffic to it.
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
		// Make a hanging program fail instead of blocking the test.
		limit := time.AfterFunc(time.Minute, func() { p.cmd.Process.Kill() })
		t.Cleanup(func() { limit.Stop() })
	}
	return p
}

// peakMemory returns the peak resident memory of a process in bytes, or 0 if it is unknown.
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

// checkMemory checks a peak of memory, unless the race detector inflates it.
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
