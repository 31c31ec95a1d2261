package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"acp-plan-proxy/proxy/flags"
)

// A soakMessage is what the ends of a bridged soak read of a message.
type soakMessage struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProtocolVersion int
		SessionID       string
		Prompt          []struct{ Text string }
		Update          struct {
			SessionUpdate, Title, State string
			Content                     json.RawMessage
		}
	}
	Result struct {
		SessionID string
		Outcome   struct{ OptionID string }
	}
	Error json.RawMessage
}

// text returns the text of a chunk.
func (m *soakMessage) text() string {
	var block struct{ Text string }
	json.Unmarshal(m.Params.Update.Content, &block) // the content of others has none
	return block.Text
}

// A lineWriter writes lines, each as a whole.
type lineWriter struct {
	mu      sync.Mutex
	w       io.Writer
	written int64
}

func (l *lineWriter) say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := fmt.Fprintf(l.w, format+"\n", args...)
	l.written += int64(n)
	if err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
	}
}

// bridgedSoakAgent is an agent of one version: bridged-soak-agent VERSION SEED
// BYTES. It says numbered things in each turn, of random sizes and with stalls,
// and now and then asks for permission. When it has said that many bytes, if they
// are not 0, it tells on stderr what it has said and been asked in each session, and
// is killed.
func bridgedSoakAgent() {
	version, _ := strconv.Atoi(os.Args[1])
	seed, _ := strconv.ParseUint(os.Args[2], 10, 64)
	limit, _ := strconv.ParseInt(os.Args[3], 10, 64)
	a := &soakingAgent{version: version, seed: seed, limit: limit, sessions: map[string]*soakSession{}, asked: map[string]chan string{}}
	a.out.w = os.Stdout
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var m soakMessage
		if err := json.Unmarshal(line, &m); err != nil {
			a.fail("unreadable: %s", line)
		}
		a.take(&m)
	}
	a.turns.Wait()
}

type soakingAgent struct {
	version int
	seed    uint64
	limit   int64
	out     lineWriter
	turns   sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*soakSession
	asked    map[string]chan string // where the answers to requests go, by id
	requests int
}

type soakSession struct {
	id        string
	prompts   int
	said      int
	rnd       *rand.Rand
	cancelled chan struct{} // of the turn
}

func (a *soakingAgent) fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "soak agent: "+format+"\n", args...)
	os.Exit(1)
}

func (a *soakingAgent) take(m *soakMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.sessions[m.Params.SessionID]
	switch {
	case m.Method == "initialize" && a.version == 2 && m.Params.ProtocolVersion < 2:
		a.out.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"Unsupported protocol version"}}`, m.ID)
	case m.Method == "initialize" && a.version == 2:
		a.out.say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}}`, m.ID)
	case m.Method == "initialize":
		a.out.say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}`, m.ID)
	case m.Method == "session/new":
		s = &soakSession{id: fmt.Sprint("s", len(a.sessions)), rnd: rand.New(rand.NewPCG(a.seed, uint64(len(a.sessions))))}
		a.sessions[s.id] = s
		a.out.say(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"%s"}}`, m.ID, s.id)
	case m.Method == "session/prompt":
		s.prompts++
		if got := m.Params.Prompt[0].Text; !strings.HasPrefix(got, fmt.Sprintf("%d ", s.prompts)) {
			a.fail("prompt %d of %s is %.40q", s.prompts, s.id, got)
		}
		s.cancelled = make(chan struct{}, 1)
		a.turns.Go(func() { a.turn(s, string(m.ID), s.cancelled) })
	case m.Method == "session/cancel":
		select {
		case s.cancelled <- struct{}{}:
		default:
		}
	case m.Method == "":
		answer, ok := a.asked[string(m.ID)]
		if !ok {
			a.fail("an answer to request %s, which is not open", m.ID)
		}
		delete(a.asked, string(m.ID))
		answer <- m.Result.Outcome.OptionID
	}
}

func (a *soakingAgent) turn(s *soakSession, id string, cancelled chan struct{}) {
	if a.version == 2 {
		a.update(s, `{"sessionUpdate":"user_message","messageId":"p%d","content":[]}`, s.prompts)
		a.out.say(`{"jsonrpc":"2.0","id":%s,"result":{"messageId":"p%d"}}`, id, s.prompts)
		a.update(s, `{"sessionUpdate":"state_update","state":"running"}`)
	}
	reason := "end_turn"
	for range s.rnd.IntN(40) {
		select {
		case <-cancelled:
			reason = "cancelled"
		default:
		}
		if reason == "cancelled" {
			break
		}
		a.act(s)
	}
	if a.version == 2 {
		a.update(s, `{"sessionUpdate":"state_update","state":"idle","stopReason":"%s"}`, reason)
	} else {
		a.out.say(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"%s"}}`, id, reason)
	}
}

// act says one thing, or asks.
func (a *soakingAgent) act(s *soakSession) {
	switch s.rnd.IntN(20) {
	case 0:
		time.Sleep(time.Duration(s.rnd.IntN(15)) * time.Millisecond)
	case 1:
		a.ask(s)
	case 2, 3, 4:
		kind := "tool_call"
		if a.version == 2 {
			kind = "tool_call_update"
		}
		a.numbered(s, `{"sessionUpdate":"`+kind+`","toolCallId":"t%d","title":"%[1]d %s"}`, s.rnd.IntN(300))
	default:
		size := s.rnd.IntN(200)
		if s.rnd.IntN(50) == 0 {
			size = bufferEdge(s.rnd)
		}
		a.numbered(s, `{"sessionUpdate":"agent_message_chunk","messageId":"m`+fmt.Sprint(s.prompts)+`","content":{"type":"text","text":"%d %s"}}`, size)
	}
}

func (a *soakingAgent) numbered(s *soakSession, format string, size int) {
	a.update(s, format, s.said, strings.Repeat("x", size))
	a.mu.Lock()
	s.said++
	a.mu.Unlock()
	if a.limit == 0 {
		return
	}
	a.out.mu.Lock()
	defer a.out.mu.Unlock()
	if a.out.written < a.limit {
		return
	}
	// Another session may have said more than it has counted: its line is out,
	// but it waits for the lock that is held here.
	a.mu.Lock()
	for _, s := range a.sessions {
		fmt.Fprintln(os.Stderr, "said", s.id, s.said, s.prompts)
	}
	self, _ := os.FindProcess(os.Getpid())
	self.Kill()
	select {}
}

func (a *soakingAgent) update(s *soakSession, format string, args ...any) {
	a.out.say(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"`+s.id+`","update":`+format+`}}`, args...)
}

// ask asks for permission, and waits for the answer.
func (a *soakingAgent) ask(s *soakSession) {
	answer := make(chan string, 1)
	a.mu.Lock()
	a.requests++
	id := strconv.Itoa(a.requests)
	a.asked[id] = answer
	a.mu.Unlock()
	what := `"toolCall":{"toolCallId":"ask","title":"ask"}`
	if a.version == 2 {
		what = `"title":"ask","subject":{"type":"tool_call","toolCall":{"toolCallId":"ask","title":"ask"}}`
	}
	a.out.say(`{"jsonrpc":"2.0","id":%s,"method":"session/request_permission","params":{"sessionId":"%s",%s,"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}}`, id, s.id, what)
	if got := <-answer; got != "y" && got != "" {
		a.fail("permission %s was answered with %q", id, got)
	}
}

// A soakingClient is the other end: it prompts in several sessions at once.
type soakingClient struct {
	version int
	out     lineWriter
	rnd     *rand.Rand // of the reader

	mu       sync.Mutex
	open     map[string]chan soakMessage // requests, by id
	ids      int
	heard    map[string]int         // what comes next, by session
	states   map[string]chan string // in version 2
	received int64
	vain     map[string]int // the prompt that got no answer before the end, by session
	problem  error
	over     bool
}

func (c *soakingClient) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.problem == nil {
		c.problem = fmt.Errorf(format, args...)
	}
}

// request sends a request and returns where its answer goes. That is closed
// without one when the agent's output has ended.
func (c *soakingClient) request(method, params string) <-chan soakMessage {
	answer := make(chan soakMessage, 1)
	c.mu.Lock()
	c.ids++
	id := c.ids
	if c.over {
		close(answer)
	} else {
		c.open[strconv.Itoa(id)] = answer
	}
	c.mu.Unlock()
	c.out.say(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}`, id, method, params)
	return answer
}

// read reads all that comes, and checks that nothing is missing.
func (c *soakingClient) read(r io.Reader) {
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var m soakMessage
		if err := json.Unmarshal(line, &m); err != nil {
			c.fail("unreadable: %s", line)
			continue
		}
		c.take(&m, int64(len(line)))
		if c.rnd.IntN(2000) == 0 {
			time.Sleep(time.Duration(c.rnd.IntN(20)) * time.Millisecond)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for _, answer := range c.open {
		close(answer)
	}
	for _, states := range c.states {
		close(states)
	}
}

func (c *soakingClient) take(m *soakMessage, size int64) {
	c.mu.Lock()
	c.received += size
	session := m.Params.SessionID
	answer := c.open[string(m.ID)]
	if m.Method == "" {
		delete(c.open, string(m.ID))
	}
	states := c.states[session]
	c.mu.Unlock()
	switch {
	case m.Method == "" && answer == nil:
		c.fail("request %s was answered, and is not open", m.ID)
	case m.Method == "":
		answer <- *m
	case m.Method == "session/request_permission":
		// The client must not stop reading while it answers.
		go c.out.say(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}`, m.ID)
	case m.Params.Update.SessionUpdate == "state_update":
		states <- m.Params.Update.State
	case m.Params.Update.SessionUpdate == "agent_message_chunk":
		c.number(session, m.text())
	case strings.HasPrefix(m.Params.Update.SessionUpdate, "tool_call"):
		if title := m.Params.Update.Title; title != "" && title != "ask" {
			c.number(session, title)
		}
	}
}

func (c *soakingClient) number(session, text string) {
	number, _, _ := strings.Cut(text, " ")
	c.mu.Lock()
	want := c.heard[session]
	c.heard[session]++
	c.mu.Unlock()
	if number != strconv.Itoa(want) {
		c.fail("%s: got %.40q, not number %d", session, text, want)
	}
}

// talk prompts in a session of its own until enough has come, or the agent's
// output has ended.
func (c *soakingClient) talk(seed uint64, enough int64) {
	rnd := rand.New(rand.NewPCG(seed, 9))
	opened, ok := <-c.request("session/new", `{"cwd":"/","mcpServers":[]}`)
	if !ok {
		return
	}
	session := opened.Result.SessionID
	states := make(chan string, 100)
	c.mu.Lock()
	c.states[session] = states
	c.mu.Unlock()
	for turn := 1; ; turn++ {
		c.mu.Lock()
		done := c.received >= enough || c.over || c.problem != nil
		c.mu.Unlock()
		if done {
			return
		}
		text := fmt.Sprint(turn, " ", strings.Repeat("y", rnd.IntN(5000)))
		answer := c.request("session/prompt", `{"sessionId":"`+session+`","prompt":[{"type":"text","text":"`+text+`"}]}`)
		if rnd.IntN(10) == 0 {
			time.Sleep(time.Duration(rnd.IntN(5)) * time.Millisecond)
			c.out.say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"%s"}}`, session)
		}
		m, ok := <-answer
		if !ok {
			c.mu.Lock()
			c.vain[session] = turn
			c.mu.Unlock()
			return
		}
		if c.version == 1 || m.Error != nil {
			continue
		}
		state := ""
		for state != "idle" {
			if state, ok = <-states; !ok {
				c.fail("%s: turn %d has no end", session, turn)
				return
			}
		}
	}
}

// soakBridged runs a client of a version against an agent of the other one, which
// is killed after that many bytes if they are not 0.
func soakBridged(t *testing.T, client int, seed uint64, enough, killed int64) {
	p := startProgram(t, "--max-message=4MiB", "--grace=1m", "--", "bridged-soak-agent",
		strconv.Itoa(3-client), strconv.FormatUint(seed, 10), strconv.FormatInt(killed, 10))
	c := &soakingClient{
		version: client, rnd: rand.New(rand.NewPCG(seed, 3)),
		open: map[string]chan soakMessage{}, heard: map[string]int{}, states: map[string]chan string{}, vain: map[string]int{},
	}
	c.out.w = p.in
	if killed > 0 {
		c.out.w = deaf{p.in} // the agent may be gone
	}
	read := make(chan struct{})
	go func() { defer close(read); c.read(p.out) }()
	hello := `{"protocolVersion":1,"clientCapabilities":{}}`
	if client == 2 {
		hello = `{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}`
	}
	<-c.request("initialize", hello)
	var talks sync.WaitGroup
	for i := range uint64(4) {
		talks.Go(func() { c.talk(seed+i, enough) })
	}
	talks.Wait()
	memory := peakMemory(p.cmd.Process.Pid)
	p.in.Close()
	<-read
	err := p.cmd.Wait()
	if c.problem != nil {
		t.Errorf("%v\n%s", c.problem, p.stderr)
	}
	if killed > 0 {
		c.checkHeard(t, p.stderr.String())
		if status := p.cmd.ProcessState.ExitCode(); status != killedStatus {
			t.Errorf("exit status %d", status)
		}
		return
	}
	if err != nil || len(c.open) > 0 {
		t.Errorf("%v, %d requests have no answer\n%s", err, len(c.open), p.stderr)
	}
	checkMemory(t, memory, 150<<20)
}

// deaf is a writer whose errors do not count.
type deaf struct{ io.Writer }

func (d deaf) Write(b []byte) (int, error) {
	d.Writer.Write(b)
	return len(b), nil
}

// checkHeard compares what has come with what the agent has said before it was
// killed. A prompt that the agent had got must have an answer; one that was on its
// way then may come too late for the program too.
func (c *soakingClient) checkHeard(t *testing.T, stderr string) {
	t.Helper()
	sessions := 0
	for line := range strings.Lines(stderr) {
		var session string
		var said, prompts int
		if n, _ := fmt.Sscanf(line, "said %s %d %d", &session, &said, &prompts); n < 3 {
			continue
		}
		sessions++
		if turn := c.vain[session]; turn > 0 && turn <= prompts {
			t.Errorf("%s: prompt %d has no answer", session, turn)
		}
		// One more may be out that the agent had not counted.
		if heard := c.heard[session]; heard != said && heard != said+1 {
			t.Errorf("%s: %d of %d arrived", session, heard, said)
		}
	}
	if sessions == 0 {
		t.Errorf("the agent did not tell how far it got:\n%s", stderr)
	}
}

func soakBytes(t *testing.T, usual, short int) int64 {
	t.Helper()
	if s := os.Getenv(soakSize); s != "" {
		size, err := flags.ParseSize(s)
		if err != nil {
			t.Fatal(err)
		}
		return int64(size)
	}
	if testing.Short() {
		return int64(short)
	}
	return int64(usual)
}

// TestSoakBridged lets a client and an agent of different versions talk in
// several sessions, with stalls and cancelled turns. Nothing is lost, doubled or
// out of order.
func TestSoakBridged(t *testing.T) {
	size := soakBytes(t, 4<<20, 1<<20)
	seed := rand.Uint64N(1 << 32)
	t.Logf("seed %d", seed)
	for client := 1; client <= 2; client++ {
		t.Run(fmt.Sprintf("client %d", client), func(t *testing.T) { soakBridged(t, client, seed, size, 0) })
	}
}

// TestChaosBridged kills the agent, and the proxy, while they talk. All that the
// agent has said arrives, and each request of the client has an answer.
func TestChaosBridged(t *testing.T) {
	rounds := 3
	if os.Getenv(soakSize) != "" {
		rounds = 100
	}
	seed := rand.Uint64N(1 << 32)
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 4))
	for round := range rounds {
		for client := 1; client <= 2; client++ {
			soakBridged(t, client, seed+uint64(round), 1<<40, 1+rnd.Int64N(300_000))
			killBridged(t, client, seed)
		}
	}
}

// killBridged kills the proxy in the middle of a turn.
func killBridged(t *testing.T, client int, seed uint64) {
	t.Helper()
	p := startProgram(t, "--", "bridged-soak-agent", strconv.Itoa(3-client), strconv.FormatUint(seed, 10), "0")
	hello := `{"protocolVersion":1}`
	if client == 2 {
		hello = `{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}`
	}
	fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":%s}`+"\n", hello)
	fmt.Fprintln(p.in, `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`)
	out := bufio.NewReader(p.out)
	for line := []byte{}; !bytes.Contains(line, []byte(`"sessionId"`)); {
		var err error
		if line, err = out.ReadBytes('\n'); err != nil {
			t.Fatalf("%v\n%s", err, p.stderr)
		}
	}
	fmt.Fprintln(p.in, `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s0","prompt":[{"type":"text","text":"1 "}]}}`)
	out.ReadBytes('\n')
	p.cmd.Process.Kill()
	if err := p.cmd.Wait(); errors.Is(err, exec.ErrWaitDelay) {
		t.Error("the agent lives on after the proxy was killed")
	}
}
