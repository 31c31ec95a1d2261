package programtest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"acp-plan-proxy/translate/schematest"
)

// A bridgedSoak is a conversation between a client of a version and an agent of
// the other one.
type bridgedSoak struct {
	client   int // its version
	seed     uint64
	messages int   // that the client says or gets
	sessions int   // one after the other, 16 of them at once
	killed   int64 // how many bytes the agent says before it is killed; 0 if it is not
}

// run lets the two talk.
func (b bridgedSoak) run(t *testing.T) {
	p := startProgram(t, "--max-message="+strconv.Itoa(soakLimit), "--grace=1m", "--log-level=info", "--log-format=json", "--",
		"bridged-soak-agent", strconv.Itoa(3-b.client), strconv.FormatUint(b.seed, 10), strconv.FormatInt(b.killed, 10))
	var peaks []int // of memory, after each tenth
	c := &soakingClient{
		version: b.client, judge: schematest.Of(t, fmt.Sprintf("v%d.unstable", b.client)).Listener(t), reading: rand.New(rand.NewPCG(b.seed, 3)),
		every: b.messages / 10, sample: func() { peaks = append(peaks, peakMemory(p.cmd.Process.Pid)) },
		open: map[string][]*soakRequest{}, sessions: map[string]*clientSession{}, asked: map[string]*soakQuestion{}, faults: map[string]int{},
	}
	c.out.w = p.in
	if b.killed > 0 {
		c.out.w = deaf{p.in} // the agent may be gone
	}
	started := time.Now()
	read := make(chan struct{})
	go func() { defer close(read); c.read(p.out) }()
	b.talk(c)
	last := peakMemory(p.cmd.Process.Pid)
	p.in.Close()
	<-read
	err := p.cmd.Wait() // also for the end of standard error, which the agent shares
	if c.problem != nil {
		t.Fatalf("%v\n%s", c.problem, p.stderr)
	}
	if b.killed > 0 {
		c.checkHeard(t, p.stderr.String())
		if status := p.cmd.ProcessState.ExitCode(); status != killedStatus {
			t.Errorf("exit status %d", status)
		}
		return
	}
	if err != nil || len(c.open) > 0 || c.messages < b.messages {
		t.Errorf("%v, %d messages, %d requests have no answer\n%s", err, c.messages, len(c.open), p.stderr)
	}
	c.checkReports(t, p.stderr.String())
	t.Logf("%d messages in %d sessions in %v", c.messages, b.sessions, time.Since(started).Round(time.Millisecond))
	b.checkFlat(t, append(peaks, last))
}

// talk has the client talk in all sessions.
func (b bridgedSoak) talk(c *soakingClient) {
	hello := `{"protocolVersion":1,"clientCapabilities":{}}`
	if b.client == 2 {
		hello = `{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}`
	}
	if !c.wait(c.request(nil, "initialize", hello, 1)...) {
		return
	}
	numbers := make(chan int)
	go func() {
		defer close(numbers)
		for n := range b.sessions {
			numbers <- n
		}
	}()
	var talks sync.WaitGroup
	for range 16 {
		talks.Go(func() {
			for n := range numbers {
				c.talk(b.seed, n, b.messages/b.sessions)
			}
		})
	}
	talks.Wait()
}

// checkReports compares what came with what the agent says at its end, and the
// losses that the program counts with what both have sent that cannot be converted.
func (c *soakingClient) checkReports(t *testing.T, stderr string) {
	t.Helper()
	var report soakReport
	var log struct {
		Msg      string
		Warnings map[string]int
	}
	for line := range strings.Lines(stderr) {
		json.Unmarshal([]byte(line), &report) // a line is a report or a record
		if log.Msg != "agent exited" {
			json.Unmarshal([]byte(line), &log)
		}
	}
	if log.Msg != "agent exited" || report.Said != c.heard || report.Said == 0 || report.Open > 0 {
		t.Errorf("%d of %d texts came, %d requests of the agent have no answer\n%s", c.heard, report.Said, report.Open, stderr)
	}
	for _, kind := range soakLosses {
		if sent, logged := c.faults[kind]+report.Faults[kind], log.Warnings[kind]; sent != logged {
			t.Errorf("%s: %d were sent, %d are in the log", kind, sent, logged)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(log.Warnings)) {
		t.Logf("%6d %s", log.Warnings[kind], kind)
	}
}

// checkFlat compares the first and the last of the peaks of the program's memory in
// a whole soak. The bridge forgets a session with its end, and the first tenth has
// had whole sessions, so that later ones need no more. A quarter is for the few
// sessions that do not end; 4 MiB are what the garbage collector lets a small heap
// grow by.
func (b bridgedSoak) checkFlat(t *testing.T, peaks []int) {
	t.Helper()
	var shown []string
	for _, peak := range peaks {
		shown = append(shown, fmt.Sprintf("%.1f", float64(peak)/(1<<20)))
	}
	t.Logf("peak memory of the program, after every %d messages: %s MiB", b.messages/10, strings.Join(shown, " "))
	first, last := peaks[0], peaks[len(peaks)-1]
	if b.sessions == soakSessions && last > first+first/4+4<<20 && !raceDetector() {
		t.Error("it grows")
	}
}

// How much a whole bridged soak is.
const (
	soakMessages = 1_000_000
	soakSessions = 200
)

// deaf is a writer whose errors do not count.
type deaf struct{ io.Writer }

func (d deaf) Write(b []byte) (int, error) {
	d.Writer.Write(b)
	return len(b), nil
}

// checkHeard compares what has come with what the agent has said before it was
// killed. A prompt that the agent had got must have an answer. A prompt that
// was on its way then may come too late for the program too.
func (c *soakingClient) checkHeard(t *testing.T, stderr string) {
	t.Helper()
	told := 0
	for line := range strings.Lines(stderr) {
		var session string
		var said, prompts int
		if n, _ := fmt.Sscanf(line, "said %s %d %d", &session, &said, &prompts); n < 3 {
			continue
		}
		told++
		s := c.sessions[session]
		if s == nil {
			s = &clientSession{} // the answer to session/new was on its way
		}
		if s.vain > 0 && s.vain <= prompts {
			t.Errorf("%s: prompt %d has no answer", session, s.vain)
		}
		// One more may be out that the agent had not counted.
		if s.next != said && s.next != said+1 {
			t.Errorf("%s: %d of %d arrived", session, s.next, said)
		}
	}
	if told == 0 {
		t.Errorf("the agent did not tell how far it got:\n%s", stderr)
	}
}

// TestSoakBridged lets a client and an agent of different versions talk in many
// sessions, with stalls, cancelled turns, and much that breaks the protocol. No
// numbered text is lost, doubled or out of order, each prompt is answered once, what
// cannot be converted is counted in the log, and in the whole soak memory is flat.
func TestSoakBridged(t *testing.T) {
	b := bridgedSoak{seed: rand.Uint64N(1 << 32), messages: 20_000, sessions: 40}
	switch {
	case os.Getenv(soakSize) != "":
		b.messages, b.sessions = soakMessages, soakSessions
	case testing.Short():
		b.messages, b.sessions = 5_000, 20
	}
	t.Logf("seed %d", b.seed)
	for b.client = 1; b.client <= 2; b.client++ {
		t.Run(fmt.Sprintf("client %d", b.client), b.run)
	}
}

// TestChaosBridged kills the agent while they talk. All that the
// agent has said arrives, and each prompt of the client has an answer.
func TestChaosBridged(t *testing.T) {
	rounds := 3
	switch {
	case os.Getenv(soakSize) != "":
		rounds = 100
	case testing.Short():
		rounds = 1
	}
	seed := rand.Uint64N(1 << 32)
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 4))
	for round := range rounds {
		for client := 1; client <= 2; client++ {
			b := bridgedSoak{client: client, seed: seed + uint64(round), messages: 1 << 40, sessions: 100, killed: 1 + rnd.Int64N(3_000_000)}
			b.run(t)
		}
	}
}
