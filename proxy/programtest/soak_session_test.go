package programtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// wait waits for answers, and reports whether the agent is still there.
func (c *soakingClient) wait(requests ...*soakRequest) bool {
	there := true
	for _, r := range requests {
		<-r.done
		there = there && !strings.Contains(string(r.answer.Error), "agent exited")
	}
	return there && !c.finished()
}

// talk leads the session of that number from its beginning to its end: until so many
// messages have come in it, or the agent's output has ended.
func (c *soakingClient) talk(seed uint64, number, messages int) {
	s := &clientSession{rnd: rand.New(rand.NewPCG(seed, uint64(100+number))), pieces: map[string]int{}}
	if !c.wait(c.request(s, "session/new", `{"cwd":"/","mcpServers":[]}`, 1)...) {
		return
	}
	for turn := 1; ; turn++ {
		c.mu.Lock()
		enough := s.messages >= messages
		c.mu.Unlock()
		if enough {
			break
		}
		if !c.turn(s) {
			return
		}
		if turn%10 == 0 && !c.checkSaid(s) || s.rnd.IntN(50) == 0 && !c.load(s) {
			return
		}
	}
	if !c.checkSaid(s) {
		return
	}
	// Few clients close or delete sessions. Here most do, so that memory is flat.
	params := fmt.Sprintf(`{"sessionId":"%s"}`, s.id)
	if end := []string{"session/close", "session/delete"}[number%2]; number%20 != 0 {
		if r := c.request(s, end, params, 1); c.wait(r...) && r[0].failed {
			c.fail("%s of %s: %s", end, s.id, r[0].answer.Error)
		}
	}
}

// turn prompts, once or twice at once, does other things in between, and waits
// for the end of it all.
func (c *soakingClient) turn(s *clientSession) bool {
	var requests []*soakRequest
	for range 1 + max(0, s.rnd.IntN(10)-8) {
		s.prompts++
		text := fmt.Sprintf("P%d %s", s.prompts, strings.Repeat("y", s.rnd.IntN(2000)))
		requests = append(requests, c.request(s, "session/prompt", `{"sessionId":"`+s.id+`","prompt":[{"type":"text","text":"`+text+`"}]}`, 1)...)
	}
	for range s.rnd.IntN(3) {
		requests = append(requests, c.disturb(s)...)
	}
	if s.rnd.IntN(10) == 0 {
		time.Sleep(time.Duration(s.rnd.IntN(5)) * time.Millisecond)
		c.cancel(s.id)
	}
	return c.wait(requests...)
}

// disturb says something in addition to a prompt: a numbered notification,
// requests of all kinds, or what breaks the protocol.
func (c *soakingClient) disturb(s *clientSession) []*soakRequest {
	ask := func(method, params string, times int) []*soakRequest {
		return c.request(nil, method, strings.ReplaceAll(params, "SESSION", s.id), times)
	}
	long := strings.Repeat("x", soakLimit)
	switch s.rnd.IntN(12) {
	case 0, 1, 2:
		s.notes++
		c.say(`{"jsonrpc":"2.0","method":"_soak/note","params":{"sessionId":"%s","number":%d}}`, s.id, s.notes)
		return nil
	case 3:
		return ask("session/list", `{}`, 1)
	case 4:
		return ask("_soak/slow", `{}`, 1)
	case 5:
		return ask("_soak/ask", `{}`, 1+s.rnd.IntN(2))
	case 6:
		bad := []string{`7`, `{"sessionId":"SESSION"}`, `{"sessionId":"SESSION","prompt":[]}`, `{"sessionId":"SESSION","prompt":7}`,
			`{"prompt":[{"type":"text","text":"x"}]}`}
		return ask("session/prompt", bad[s.rnd.IntN(len(bad))], 1)
	case 7:
		return ask("session/prompt", `{"sessionId":"nobody's","prompt":[{"type":"text","text":"P1 x"}]}`, 1)
	case 8:
		return ask("session/set_config_option", `{"sessionId":"SESSION","configId":"none","value":7}`, 1)
	case 9:
		c.lost(notPassed)
		return ask("session/prompt", `{"sessionId":"SESSION","prompt":[{"type":"text","text":"`+long+`"}]}`, 1)
	}
	fault := soakFaults[s.rnd.IntN(len(soakFaults))]
	c.lost(fault.loss)
	if fault.loss == notPassed && len(fault.line) < soakLimit {
		c.awaitRefusal()
	}
	c.say("%s", fault.line)
	return nil
}

// awaitRefusal notes that a line is sent that will be refused without an id.
func (c *soakingClient) awaitRefusal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.open["null"] = append(c.open["null"], &soakRequest{done: make(chan struct{})})
	}
}

// lost notes that something was sent that must be said to be lost.
func (c *soakingClient) lost(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kind != "" {
		c.faults[kind]++
	}
}

// checkSaid asks the agent how much it has said. All of that has come by then.
func (c *soakingClient) checkSaid(s *clientSession) bool {
	r := c.request(s, "_soak/said", `{"sessionId":"`+s.id+`"}`, 1)
	if !c.wait(r...) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if said := r[0].answer.Result.Said; said != s.next {
		c.failLocked("%s: %d of %d texts have come", s.id, s.next, said)
	}
	return true
}

// load has the agent repeat the session's history, sometimes after the session
// was closed.
func (c *soakingClient) load(s *clientSession) bool {
	if s.rnd.IntN(2) == 0 && !c.wait(c.request(s, "session/close", `{"sessionId":"`+s.id+`"}`, 1)...) {
		return false
	}
	method, rest := "session/load", ""
	if c.version == 2 {
		method, rest = "session/resume", `,"replayFrom":{"type":"start"}`
	}
	c.mu.Lock()
	s.replayed = 0
	c.mu.Unlock()
	r := c.request(s, method, `{"sessionId":"`+s.id+`","cwd":"/","mcpServers":[]`+rest+`}`, 1)
	if !c.wait(r...) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r[0].failed || s.replayed != soakHistory {
		c.failLocked("%s: %d texts of the history came, %s", s.id, s.replayed, r[0].answer.Error)
	}
	return true
}
