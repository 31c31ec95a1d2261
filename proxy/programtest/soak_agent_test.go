package programtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// soakLimit is the --max-message of a bridged soak.
const soakLimit = 256 << 10

// A soakReport is what an agent of a bridged soak says of itself at its end, in a
// line of stderr.
type soakReport struct {
	Said   int            // numbered texts
	Faults map[string]int // what was sent that must be said to be lost, by kind
	Open   int            // requests without an answer
}

// bridgedSoakAgent is an agent of one version: bridged-soak-agent VERSION SEED
// BYTES. It says numbered things in each turn, of random sizes and with stalls,
// asks for permission, and breaks the protocol now and then. When it has said that
// many bytes, if they are not 0, it tells on stderr what it has said and been asked
// in each session, and is killed. Otherwise it ends with a [soakReport].
func bridgedSoakAgent() {
	version, _ := strconv.Atoi(os.Args[1])
	seed, _ := strconv.ParseUint(os.Args[2], 10, 64)
	limit, _ := strconv.ParseInt(os.Args[3], 10, 64)
	a := &soakingAgent{
		version: version, seed: seed, limit: limit, sessions: map[string]*soakSession{},
		asked: map[string][]chan struct{}{}, slow: map[string]func(){}, report: soakReport{Faults: map[string]int{}},
	}
	a.out.w = os.Stdout
	stall := rand.New(rand.NewPCG(seed, 5))
	for line, m := range readSoak(os.Stdin) {
		if m == nil {
			a.fail("unreadable: %s", line)
		}
		a.take(m)
		if stall.IntN(3000) == 0 {
			time.Sleep(time.Duration(stall.IntN(100)) * time.Millisecond)
		}
	}
	for _, s := range a.sessions {
		close(s.work)
	}
	a.works.Wait()
	for _, answers := range a.asked {
		a.report.Open += len(answers)
	}
	json.NewEncoder(os.Stderr).Encode(a.report)
}

type soakingAgent struct {
	version int
	seed    uint64
	limit   int64
	out     lineWriter
	works   sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*soakSession
	opened   int
	asked    map[string][]chan struct{} // who waits for the answer to a request, by id
	slow     map[string]func()          // ends a request of the client's that takes its time, by id
	requests int                        // of the agent
	asks     int                        // _soak/ask of the client
	report   soakReport
}

// A soakSession does one thing after the other.
type soakSession struct {
	id      string
	work    chan func()
	unnamed bool // prompts are answered without the message's id, as in August 2026

	// Of the work alone:
	rnd  *rand.Rand
	said int // also read when the agent is killed

	// Of the reader alone:
	prompts int // the number of the latest
	noted   int
	waiting []*soakTurn // those that are not over
}

// A soakTurn is a prompt.
type soakTurn struct {
	id, text  string
	number    int
	cancelled bool
}

func (a *soakingAgent) fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "soak agent: "+format+"\n", args...)
	os.Exit(1)
}

func (a *soakingAgent) answer(id any, result string, args ...any) {
	a.out.say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, fmt.Sprintf(result, args...))
}

func (a *soakingAgent) refuse(id any, code int) {
	a.out.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`, id, code)
}

func (a *soakingAgent) take(m *soakMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id, s := string(m.ID), a.sessions[m.Params.SessionID]
	switch m.Method {
	case "":
		answers := a.asked[id]
		if len(answers) == 0 {
			a.fail("an answer to request %s, which is not open", id)
		}
		close(answers[0])
		a.asked[id] = answers[1:]
		return
	case "initialize":
		a.initialize(m)
		return
	case "session/new":
		s = a.open()
		a.answer(id, `{"sessionId":"%s"}`, s.id)
		return
	case "session/list":
		a.answer(id, `{"sessions":[{"sessionId":"x","cwd":"/"}]}`)
		return
	case "_soak/slow":
		a.takeTime(id)
		return
	case "_soak/ask":
		a.asks++
		a.out.say("%s", strings.NewReplacer("ID", id, "LONG", strings.Repeat("z", soakLimit)).Replace(soakAnswers[a.asks%len(soakAnswers)]))
		if a.asks%len(soakAnswers) == 0 {
			a.report.Faults[notPassed]++
		}
		return
	case "$/cancel_request":
		if end := a.slow[string(m.Params.RequestID)]; end != nil {
			end()
		}
		return
	}
	switch {
	case s == nil && m.ID != nil:
		a.refuse(id, -32002)
	case s == nil:
	default:
		a.takeInSession(s, id, m)
	}
}

// soakAnswers are answers to _soak/ask. Not all can be read, and the first is too
// long.
var soakAnswers = []string{
	`{"jsonrpc":"2.0","id":ID,"result":"LONG"}`, `{"jsonrpc":"2.0","id":ID,"result":{}}`, `{"jsonrpc":"2.0","id":ID,"result":null}`,
	`{"jsonrpc":"2.0","id":ID,"result":7}`, `{"jsonrpc":"2.0","id":ID,"error":{"code":"x"}}`, `{"jsonrpc":"2.0","id":ID,"error":7}`,
	`{"jsonrpc":"2.0","id":ID}`, `{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"both"}}`,
}

func (a *soakingAgent) initialize(m *soakMessage) {
	id := string(m.ID)
	switch {
	case a.version == 1:
		sessions := `"list":{},"delete":{}`
		if a.closes() {
			sessions += `,"close":{}`
		}
		a.answer(id, `{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{%s}}}`, sessions)
	case m.Params.ProtocolVersion < 2:
		a.refuse(id, -32022)
	default:
		a.answer(id, `{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{"delete":{}}}}`)
	}
}

// closes reports whether the agent knows session/close. Not all of version 1 do.
func (a *soakingAgent) closes() bool { return a.version == 2 || a.seed%2 == 0 }

func (a *soakingAgent) open() *soakSession {
	rnd := rand.New(rand.NewPCG(a.seed, uint64(a.opened)))
	s := &soakSession{id: fmt.Sprint("s", a.opened), work: make(chan func(), 1000), unnamed: a.version == 2 && a.opened%4 == 3, rnd: rnd}
	a.opened++
	a.sessions[s.id] = s
	a.works.Go(func() {
		for do := range s.work {
			do()
		}
	})
	return s
}

// takeTime answers a request after a while, or when it is cancelled.
func (a *soakingAgent) takeTime(id string) {
	end := sync.OnceFunc(func() {
		delete(a.slow, id)
		a.answer(id, `{}`)
	})
	a.slow[id] = end
	time.AfterFunc(20*time.Millisecond, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		end()
	})
}

func (a *soakingAgent) takeInSession(s *soakSession, id string, m *soakMessage) {
	switch m.Method {
	case "session/prompt":
		a.prompted(s, id, m)
	case "session/cancel":
		for _, t := range s.waiting {
			t.cancelled = true
		}
	case "session/load", "session/resume":
		s.work <- func() { a.repeat(s, id) }
	case "session/close":
		s.work <- func() { a.answer(id, `{}`) }
	case "session/delete":
		delete(a.sessions, s.id)
		s.work <- func() { a.answer(id, `null`) }
		close(s.work)
	case "_soak/said":
		s.work <- func() { a.answer(id, `{"said":%d}`, s.said) }
	case "_soak/note":
		if s.noted++; m.Params.Number != s.noted {
			a.fail("note %d of %s is number %d", s.noted, s.id, m.Params.Number)
		}
	}
}

// prompted handles a prompt. Prompts that were refused on the way do not come.
// No prompt comes twice or too late.
func (a *soakingAgent) prompted(s *soakSession, id string, m *soakMessage) {
	number := 0
	if len(m.Params.Prompt) > 0 {
		fmt.Sscanf(m.Params.Prompt[0].Text, "P%d ", &number)
	}
	if number <= s.prompts {
		a.fail("a prompt of %s after number %d is %d", s.id, s.prompts, number)
	}
	if a.version == 1 && len(s.waiting) > 0 {
		a.fail("prompt %d of %s came before the end of the turn", number, s.id)
	}
	s.prompts = number
	t := &soakTurn{id: id, text: m.Params.Prompt[0].Text, number: number}
	s.waiting = append(s.waiting, t)
	s.work <- func() { a.turn(s, t) }
}

func (a *soakingAgent) cancelled(t *soakTurn) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return t.cancelled
}

// over takes a turn out of those that wait. The next prompt may come before its
// answer has been written.
func (a *soakingAgent) over(s *soakSession, t *soakTurn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(o *soakTurn) bool { return o == t })
}

// repeat answers session/load with what was said before, which is always the same.
func (a *soakingAgent) repeat(s *soakSession, id string) {
	for i := range soakHistory {
		kind := []string{"user", "agent"}[i%2]
		a.update(s, `{"sessionUpdate":"%s_message_chunk","messageId":"h%d","content":{"type":"text","text":"R%[2]d"}}`, kind, i)
	}
	if a.version == 2 {
		a.update(s, `{"sessionUpdate":"state_update","state":"idle"}`)
	}
	a.answer(id, "%s", []string{`null`, `{}`}[s.rnd.IntN(2)])
}

// soakHistory is how many messages session/load repeats.
const soakHistory = 3

func (a *soakingAgent) turn(s *soakSession, t *soakTurn) {
	if a.cancelled(t) && s.rnd.IntN(2) == 0 {
		a.over(s, t)
		a.refuse(t.id, -32800)
		return
	}
	if s.rnd.IntN(200) == 0 {
		time.Sleep(200 * time.Millisecond) // longer than the proxy waits for a sign of life
	}
	if a.version == 1 {
		a.turn1(s, t)
	} else {
		a.turn2(s, t)
	}
}

// turn1 is a turn in version 1: its end is the prompt's answer.
func (a *soakingAgent) turn1(s *soakSession, t *soakTurn) {
	if s.rnd.IntN(3) == 0 {
		a.update(s, `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"%s"}}`, t.text)
	}
	reason := a.act(s, t)
	a.over(s, t)
	if reason == "error" {
		a.refuse(t.id, -32603)
	} else {
		a.answer(t.id, `{"stopReason":"%s"}`, reason)
	}
	if a.closes() && s.rnd.IntN(3) == 0 {
		a.numbered(s, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"#%d late%s"}}`, 0)
	}
}

// turn2 is a turn in version 2. Agents tell of it in different orders.
func (a *soakingAgent) turn2(s *soakSession, t *soakTurn) {
	state := func(rest string) { a.update(s, `{"sessionUpdate":"state_update","state":%s}`, rest) }
	message := `{"messageId":"` + s.id + `p` + strconv.Itoa(t.number) + `"}`
	taken := func() {
		if s.unnamed {
			message = `{}`
		}
		a.answer(t.id, "%s", message)
	}
	order := s.rnd.IntN(6)
	if order == 3 {
		state(`"idle"`) // of something else
	}
	a.update(s, `{"sessionUpdate":"user_message","messageId":"%sp%d","content":[{"type":"text","text":"%s"}]}`, s.id, t.number, t.text)
	if order != 1 && order != 2 {
		taken()
	}
	if order != 4 {
		state(`"running"`)
	}
	if order == 2 {
		taken()
	}
	if order == 5 {
		state(`"requires_action"`)
		state(`"running"`)
	}
	reason := a.act(s, t)
	a.over(s, t)
	idle := `"idle","stopReason":"` + reason + `"`
	state(idle)
	if order == 1 {
		taken()
	}
	if order == 3 {
		state(idle)
	}
}

// act does what an agent does in a turn, and returns how it ends.
func (a *soakingAgent) act(s *soakSession, t *soakTurn) string {
	reason := "end_turn"
	switch s.rnd.IntN(20) {
	case 0:
		reason = "error"
	case 1, 2:
		reason = "max_tokens"
	}
	for range s.rnd.IntN(60) {
		if a.cancelled(t) {
			reason = "cancelled"
			break
		}
		a.step(s, t)
	}
	a.numbered(s,
		`{"sessionUpdate":"agent_message_chunk","messageId":"e`+strconv.Itoa(t.number)+`","content":{"type":"text","text":"#%d end `+strconv.Itoa(t.number)+` %s"}}`, 0)
	return reason
}

// killEnough kills the agent if it has said enough.
func (a *soakingAgent) killEnough() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.out.mu.Lock()
	defer a.out.mu.Unlock()
	if a.out.written < a.limit {
		return
	}
	// Another session may have said more than it has counted: its line is out,
	// but it waits for the lock that is held here.
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
