package programtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/schematest"
)

// A soakMessage holds the members of a message that the soak test reads.
type soakMessage struct {
	line   string
	ID     json.RawMessage
	Method string
	Params struct {
		ProtocolVersion int
		SessionID       string
		Update          struct{ State, StopReason string }
	}
	Result struct{ SessionID, StopReason string }
	Error  json.RawMessage
}

// A soakEnd is the client or the agent of TestSoakBridged.
type soakEnd struct {
	version int
	fail    func(format string, args ...any)
	over    chan struct{} // closed at the end of the input

	writing sync.Mutex // guards out; not mu, so that responses are received while a pipe is full
	out     io.Writer

	mu      sync.Mutex // guards the following
	lastID  int
	pending map[string]chan soakMessage // pending requests by id
	judge   *schematest.Listener        // nil for the agent
}

func newSoakEnd(version int, out io.Writer, fail func(format string, args ...any)) *soakEnd {
	return &soakEnd{version: version, out: out, fail: fail, over: make(chan struct{}), pending: make(map[string]chan soakMessage)}
}

// read yields each message of r, and delivers responses to the callers of ask.
func (e *soakEnd) read(r io.Reader) iter.Seq[soakMessage] {
	return func(yield func(soakMessage) bool) {
		defer close(e.over)
		in := bufio.NewReaderSize(r, 1<<16)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			m := soakMessage{line: line}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				e.fail("%v in %s", err, line)
			}
			if !yield(m) {
				return
			}
			if m.Method == "" {
				e.answered(m)
			}
		}
	}
}

func (e *soakEnd) answered(m soakMessage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	answer := e.pending[string(m.ID)]
	if answer == nil {
		e.fail("response without a pending request: %s", m.line)
		return
	}
	answer <- m
	delete(e.pending, string(m.ID))
}

func (e *soakEnd) say(format string, args ...any) {
	line := fmt.Sprintf(`{"jsonrpc":"2.0",`+format+"}", args...)
	e.writing.Lock()
	defer e.writing.Unlock()
	e.mu.Lock()
	if e.judge != nil {
		e.judge.RecordSent(line)
	}
	e.mu.Unlock()
	fmt.Fprintln(e.out, line)
}

// ask sends a request and waits for its response.
func (e *soakEnd) ask(method, format string, args ...any) soakMessage {
	answer := make(chan soakMessage, 1)
	e.mu.Lock()
	e.lastID++
	id := strconv.Itoa(e.lastID)
	if e.lastID%3 == 0 {
		id = `"ask ` + id + `"`
	}
	e.pending[id] = answer
	e.mu.Unlock()
	e.say(`"id":%s,"method":"%s","params":%s`, id, method, fmt.Sprintf(format, args...))
	select {
	case m := <-answer:
		return m
	case <-e.over:
		e.fail("no response to %s", method)
		return soakMessage{}
	}
}

// bridgedSoakAgent is an agent of one version: bridged-soak-agent VERSION SEED. In each turn it
// sends numbered updates of random sizes, with stalls, and permission requests. Finally it writes
// the number of updates to stderr.
func bridgedSoakAgent() {
	version, _ := strconv.Atoi(os.Args[1])
	seed, _ := strconv.ParseUint(os.Args[2], 10, 64)
	a := &soakingAgent{soakEnd: newSoakEnd(version, os.Stdout, func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "soak agent: "+format+"\n", args...)
		os.Exit(1)
	})}
	sessions := map[string]*agentSession{}
	var turns sync.WaitGroup
	for m := range a.read(os.Stdin) {
		s := sessions[m.Params.SessionID]
		switch m.Method {
		case "initialize":
			switch {
			case version == 1:
				a.say(`"id":%s,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"close":{}}}}`, m.ID)
			case m.Params.ProtocolVersion < 2:
				a.say(`"id":%s,"error":{"code":-32022,"message":"no"}`, m.ID)
			default:
				a.say(`"id":%s,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}`, m.ID)
			}
		case "session/new":
			s = &agentSession{id: fmt.Sprint("s", len(sessions)), rnd: rand.New(rand.NewPCG(seed, uint64(len(sessions))))}
			sessions[s.id] = s
			a.say(`"id":%s,"result":{"sessionId":"%s"}`, m.ID, s.id)
		case "session/prompt":
			if version == 1 && s.turning.Swap(true) {
				a.fail("a prompt of %s came before the end of the turn", s.id)
			}
			s.cancelled.Store(false)
			turns.Go(func() { a.turn(s, m.ID) })
		case "session/cancel":
			s.cancelled.Store(true)
		case "session/close":
			a.say(`"id":%s,"result":{}`, m.ID)
		}
	}
	turns.Wait()
	fmt.Fprintln(os.Stderr, "updates:", a.updateCount.Load())
}

// A soakingAgent is the agent of TestSoakBridged.
type soakingAgent struct {
	*soakEnd
	updateCount atomic.Int64
}

// An agentSession is the agent's state of a session.
type agentSession struct {
	id                 string
	rnd                *rand.Rand
	updateCount        int
	turning, cancelled atomic.Bool
}

func (a *soakingAgent) update(s *agentSession, format string, args ...any) {
	a.say(`"method":"session/update","params":{"sessionId":"%s","update":%s}`, s.id, fmt.Sprintf(format, args...))
}

// turn sends the updates of a turn and its end. In version 2 it responds to the prompt before or
// after them, at random.
func (a *soakingAgent) turn(s *agentSession, prompt json.RawMessage) {
	acceptsLate := s.rnd.IntN(3) == 0
	accept := func() { a.say(`"id":%s,"result":{"messageId":"p%s%s"}`, prompt, s.id, prompt) }
	if a.version == 2 {
		if !acceptsLate {
			accept()
		}
		a.update(s, `{"sessionUpdate":"state_update","state":"running"}`)
	}
	reason := "end_turn"
	for range s.rnd.IntN(60) {
		if s.cancelled.Load() {
			reason = "cancelled"
			break
		}
		a.step(s)
	}
	s.turning.Store(false)
	if a.version == 1 {
		a.say(`"id":%s,"result":{"stopReason":"%s"}`, prompt, reason)
		return
	}
	a.update(s, `{"sessionUpdate":"state_update","state":"idle","stopReason":"%s"}`, reason)
	if acceptsLate {
		accept()
	}
}

// step sends an update or a permission request, or stalls.
func (a *soakingAgent) step(s *agentSession) {
	size := s.rnd.IntN(400)
	if s.rnd.IntN(50) == 0 {
		size = bufferEdge(s.rnd)
	}
	text := fmt.Sprintf("#%d %s", s.updateCount, strings.Repeat("x", size))
	switch kind := s.rnd.IntN(20); {
	case kind == 0:
		time.Sleep(time.Duration(s.rnd.IntN(15)) * time.Millisecond)
		return
	case kind == 1:
		subject := `"toolCall":{"toolCallId":"ask","title":"May I?"}`
		if a.version == 2 {
			subject = `"title":"May I?","subject":{"type":"tool_call","toolCall":{"toolCallId":"ask","title":"ask"}}`
		}
		a.ask("session/request_permission", `{"sessionId":"%s",%s,"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}`, s.id, subject)
		return
	case kind < 4:
		a.update(s, `{"sessionUpdate":"%s","toolCallId":"t%d","title":"%s"}`, []string{"tool_call", "tool_call_update"}[a.version-1], s.updateCount, text)
	case kind == 4 && a.version == 1:
		a.update(s, `{"sessionUpdate":"plan","entries":[{"content":"%s","priority":"low","status":"pending"}]}`, text)
	case kind == 4:
		a.update(s, `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"%s","priority":"low","status":"pending"}]}}`, text)
	default:
		a.update(s, `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"%s"}}`, text)
	}
	s.updateCount++
	a.updateCount.Add(1)
}

// A soakingClient prompts in several sessions at once.
type soakingClient struct {
	*soakEnd
	sessions      sync.Map // of *clientSession, by id
	receivedCount int      // numbered updates
}

// A clientSession is the client's state of a session.
type clientSession struct {
	next int         // number of the next update
	idle chan string // in version 2: stop reasons of turns
}

var soakNumber = regexp.MustCompile(`"#(\d+) `)

// listen reads all messages, validates them, and checks that no update is missing.
func (c *soakingClient) listen(r io.Reader) {
	for m := range c.read(r) {
		c.mu.Lock()
		if err := c.judge.Check(strings.TrimSuffix(m.line, "\n")); err != nil {
			c.fail("the client got %v", err)
		}
		c.mu.Unlock()
		known, _ := c.sessions.Load(m.Params.SessionID)
		s, _ := known.(*clientSession)
		switch {
		case m.Method == "session/request_permission":
			go func() {
				time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
				c.say(`"id":%s,"result":{"outcome":{"outcome":"selected","optionId":"y"}}`, m.ID)
			}()
		case s != nil && m.Params.Update.State == "idle" && m.Params.Update.StopReason != "":
			s.idle <- m.Params.Update.StopReason
		case s != nil:
			for _, number := range soakNumber.FindAllStringSubmatch(m.line, -1) {
				if number[1] != strconv.Itoa(s.next) {
					c.fail("%s has number %s, not %d: %.300s", m.Params.SessionID, number[1], s.next, m.line)
				}
				s.next++
				c.receivedCount++
			}
		}
	}
}

// talk runs a session of several turns.
func (c *soakingClient) talk(rnd *rand.Rand, turnCount int) {
	id := c.ask("session/new", `{"cwd":"/","mcpServers":[]}`).Result.SessionID
	s := &clientSession{idle: make(chan string, 10)}
	c.sessions.Store(id, s)
	for range turnCount {
		promptCount := 1
		switch rnd.IntN(10) {
		case 0:
			time.AfterFunc(time.Duration(rnd.IntN(5))*time.Millisecond, func() {
				c.say(`"method":"session/cancel","params":{"sessionId":"%s"}`, id)
			})
		case 1:
			promptCount = c.version // the proxy queues the second
		}
		text := strings.Repeat("y", rnd.IntN(2000))
		var asked sync.WaitGroup
		for range promptCount {
			asked.Go(func() {
				answer := c.ask("session/prompt", `{"sessionId":"%s","prompt":[{"type":"text","text":"%s"}]}`, id, text)
				reason := answer.Result.StopReason
				switch {
				case strings.Contains(answer.line, `"code":-32800`): // cancelled in the queue
					reason = "cancelled"
				case c.version == 2:
					select {
					case reason = <-s.idle:
					case <-c.over:
					}
				}
				if reason != "end_turn" && reason != "cancelled" {
					c.fail("the turn ends with %q: %s", reason, answer.line)
				}
			})
		}
		asked.Wait()
	}
	c.ask("session/close", `{"sessionId":"%s"}`, id)
}

// TestSoakBridged runs many sessions at once between a client and an agent of different versions,
// with stalls and cancelled turns. Updates must arrive once and in order, each request must get
// one response, each line must be valid in the client's version, and memory must stay bounded.
func TestSoakBridged(t *testing.T) {
	sessionCount := 40
	switch {
	case os.Getenv(soakSize) != "":
		sessionCount = 2000
	case testing.Short():
		sessionCount = 16
	}
	for version := 1; version <= 2; version++ {
		t.Run(fmt.Sprintf("client %d", version), func(t *testing.T) {
			seed := soakSeed(t)
			p := startProgram(t, "--grace=1m", "--", "bridged-soak-agent", strconv.Itoa(3-version), strconv.FormatUint(seed, 10))
			c := &soakingClient{soakEnd: newSoakEnd(version, p.in, t.Errorf)}
			c.judge = schematest.NewListener(t, fmt.Sprintf("v%d.unstable", version), translate.Client)
			hello := `{"protocolVersion":1,"clientCapabilities":{}}`
			if version == 2 {
				hello = `{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}`
			}
			read := make(chan struct{})
			go func() { defer close(read); c.listen(p.out) }()
			c.ask("initialize", "%s", hello)
			numbers := make(chan uint64)
			var talks sync.WaitGroup
			for range 16 {
				talks.Go(func() {
					for n := range numbers {
						c.talk(rand.New(rand.NewPCG(seed, n)), 20)
					}
				})
			}
			for n := range sessionCount {
				numbers <- uint64(100 + n)
			}
			close(numbers)
			talks.Wait()
			memory := peakMemory(p.cmd.Process.Pid)
			p.in.Close()
			<-read
			if err := p.cmd.Wait(); err != nil || c.receivedCount == 0 || !strings.Contains(p.stderr.String(), fmt.Sprintf("updates: %d\n", c.receivedCount)) {
				t.Errorf("%v, %d updates received\n%s", err, c.receivedCount, p.stderr)
			}
			checkMemory(t, memory, 100<<20)
		})
	}
}
