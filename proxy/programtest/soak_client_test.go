package programtest

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"acp-plan-proxy/translate/schematest"
)

// A soakingClient talks in several sessions at once.
type soakingClient struct {
	version int
	judge   *schematest.Listener // under mu
	out     lineWriter
	reading *rand.Rand
	sample  func() // called after each so many messages
	every   int

	mu       sync.Mutex
	open     map[string][]*soakRequest // by id
	ids      int
	sessions map[string]*clientSession
	asked    map[string]*soakQuestion // what the client has not answered, by id
	messages int                      // said and got
	samples  int
	heard    int            // numbered texts
	faults   map[string]int // sent, by the kind of loss that must be in the log
	problem  error
	over     bool // the agent's output has ended
}

// A soakRequest is a request of the client.
type soakRequest struct {
	session *clientSession
	prompt  int // its number; 0 if it is not a prompt
	answer  soakMessage
	failed  bool          // the answer is an error
	done    chan struct{} // closed when it is answered, or never will be; a prompt: when its turn is over
}

// A soakQuestion is a request of the agent.
type soakQuestion struct {
	session string
	held    bool // until somebody takes it back
}

// A clientSession is what the client knows of one.
type clientSession struct {
	id       string
	rnd      *rand.Rand
	prompts  int // the number of the latest
	notes    int
	messages int // got

	// Of the reader:
	next     int            // the number of the text that comes next
	ended    int            // the prompt of the turn that the agent has ended last
	replayed int            // texts of the history
	accepted []*soakRequest // in version 2: the prompts whose turns are not over
	pieces   map[string]int // how much content tool calls have
	vain     int            // a prompt that got no answer before the agent's end
}

func (c *soakingClient) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failLocked(format, args...)
}

func (c *soakingClient) failLocked(format string, args ...any) {
	if c.problem == nil {
		c.problem = fmt.Errorf(format, args...)
	}
}

func (c *soakingClient) finished() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over || c.problem != nil
}

// say says a line and counts it.
func (c *soakingClient) say(format string, args ...any) {
	c.mu.Lock()
	c.messages++
	c.mu.Unlock()
	c.out.say(format, args...)
}

// request sends a request of a session, as often as it says at once, under one id.
func (c *soakingClient) request(s *clientSession, method, params string, times int) []*soakRequest {
	c.mu.Lock()
	c.ids++
	id := strconv.Itoa(c.ids)
	if c.ids%3 == 0 {
		id = `"ask ` + id + `"`
	}
	var requests []*soakRequest
	for range times {
		r := &soakRequest{session: s, done: make(chan struct{})}
		if method == "session/prompt" && s != nil {
			r.prompt = s.prompts
		}
		if c.over {
			c.inVain(r)
		}
		requests = append(requests, r)
	}
	if !c.over {
		c.open[id] = append(c.open[id], requests...)
	}
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}`, id, method, params)
	for range times {
		c.judge.Says(line)
	}
	c.mu.Unlock()
	for range times {
		c.say("%s", line)
	}
	if method == "_soak/slow" || method == "session/prompt" && s != nil && s.rnd.IntN(20) == 0 {
		c.say(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}`, id)
	}
	return requests
}

// inVain ends a request that gets no answer.
func (c *soakingClient) inVain(r *soakRequest) {
	if r.prompt > 0 && (r.session.vain == 0 || r.prompt < r.session.vain) {
		r.session.vain = r.prompt
	}
	r.failed = true
	close(r.done)
}

// read reads all that comes, and checks that nothing is missing.
func (c *soakingClient) read(r io.Reader) {
	for line, m := range readSoak(r) {
		if m == nil {
			c.fail("unreadable: %s", line)
			continue
		}
		c.mu.Lock()
		if err := c.judge.Gets(string(line)); err != nil {
			c.failLocked("the client got %v", err)
		}
		c.take(m)
		c.mu.Unlock()
		switch c.reading.IntN(20_000) {
		case 0:
			time.Sleep(100 * time.Millisecond)
		case 1, 2, 3, 4, 5, 6, 7, 8, 9:
			time.Sleep(time.Duration(c.reading.IntN(20)) * time.Millisecond)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for _, requests := range c.open {
		for _, r := range requests {
			c.inVain(r)
		}
	}
	for _, s := range c.sessions {
		for _, r := range s.accepted {
			c.failLocked("%s: the turn of prompt %d has no end", s.id, r.prompt)
			close(r.done)
		}
	}
}

func (c *soakingClient) take(m *soakMessage) {
	if c.messages++; c.messages/c.every > c.samples {
		c.samples++
		c.sample()
	}
	switch m.Method {
	case "":
		c.answered(m)
	case "session/update":
		if s := c.sessions[m.Params.SessionID]; s != nil {
			s.messages++
			c.update(s, &m.Params.Update)
		}
	case "session/request_permission":
		c.questioned(m)
	case "$/cancel_request":
		id := string(m.Params.RequestID)
		if q := c.asked[id]; q != nil && (c.version == 2 || !q.held) {
			delete(c.asked, id)
			go c.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32800,"message":"Request cancelled"}}`, id)
		}
	default:
		if m.ID != nil {
			go c.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		}
	}
}

// answered handles an answer.
func (c *soakingClient) answered(m *soakMessage) {
	requests := c.open[string(m.ID)]
	if len(requests) == 0 {
		c.failLocked("request %s was answered, and is not open", m.ID)
		return
	}
	r := requests[0]
	if c.open[string(m.ID)] = requests[1:]; len(requests) == 1 {
		delete(c.open, string(m.ID))
	}
	r.answer, r.failed = *m, len(m.Error) > 0 && string(m.Error) != "null"
	switch {
	case m.Result.SessionID != "" && r.session != nil: // before anything is said of it
		r.session.id = m.Result.SessionID
		c.sessions[r.session.id] = r.session
	case r.prompt == 0 || r.failed:
	case c.version == 2:
		r.session.accepted = append(r.session.accepted, r)
		return
	default:
		c.turnEnded(r, m.Result.StopReason)
	}
	close(r.done)
}

// turnEnded notes that the turn of a prompt is over.
func (c *soakingClient) turnEnded(r *soakRequest, reason string) {
	if s := r.session; reason == "" || reason != "cancelled" && reason != "error" && s.ended != r.prompt {
		c.failLocked("%s: prompt %d ended with %q behind the end of %d", s.id, r.prompt, reason, s.ended)
	}
}

// questioned answers a question of the agent, now or later. The client must not
// stop reading while it answers.
func (c *soakingClient) questioned(m *soakMessage) {
	id, session := string(m.ID), m.Params.SessionID
	title := m.Params.Title + m.Params.ToolCall.Title
	q := &soakQuestion{session: session, held: strings.Contains(title, soakHold)}
	c.asked[id] = q
	how, later := c.reading.IntN(20), time.Duration(c.reading.IntN(20))*time.Millisecond
	if q.held {
		return
	}
	go func() {
		if how < 4 {
			time.Sleep(later)
		}
		if how == 4 {
			c.cancel(session)
		}
		c.mu.Lock()
		mine := c.asked[id] == q
		if mine {
			delete(c.asked, id)
		}
		c.mu.Unlock()
		if mine {
			c.say(`{"jsonrpc":"2.0","id":%s,%s}`, id, soakReplies[how%len(soakReplies)])
		}
	}()
}

// soakReplies are answers to a question. Not all of them can be read.
var soakReplies = []string{
	`"result":{"outcome":{"outcome":"selected","optionId":"y"}}`, `"result":{"outcome":{"outcome":"cancelled"}}`,
	`"error":{"code":-32603,"message":"no"}`, `"result":7`, `"result":{"outcome":{"outcome":"selected","optionId":7}}`,
	`"result":null`, `"error":7`, `"result":{},"error":{}`,
}

// cancel cancels what a session does. In version 1 the client then answers what it
// is asked there.
func (c *soakingClient) cancel(session string) {
	var asked []string
	c.mu.Lock()
	for id, q := range c.asked {
		if q.session == session && c.version == 1 {
			asked = append(asked, id)
			delete(c.asked, id)
		}
	}
	c.mu.Unlock()
	c.say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"%s"}}`, session)
	for _, id := range asked {
		c.say(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"cancelled"}}}`, id)
	}
}

// update handles an update of a session.
func (c *soakingClient) update(s *clientSession, u *soakUpdate) {
	switch kind := u.SessionUpdate; {
	case kind == "state_update":
		if u.State == "idle" && u.StopReason != "" {
			c.idle(s, u.StopReason)
		}
	case strings.HasPrefix(kind, "tool_call"):
		c.toolCall(s, u)
	case kind == "plan" && len(u.Entries) > 0:
		c.text(s, u.Entries[0].Content)
	case kind == "plan_update" && len(u.Plan.Entries) > 0:
		c.text(s, u.Plan.Entries[0].Content)
	case kind == "user_message":
		if text := blocksText(u.Content); text != "" && !strings.HasPrefix(text, "P") {
			c.failLocked("%s: the prompt is %.40q", s.id, text)
		}
	default:
		c.text(s, blocksText(u.Content))
	}
}

// blocksText returns the text of a block, or of the first of several.
func blocksText(content json.RawMessage) string {
	type block struct{ Text string }
	var one block
	if json.Unmarshal(content, &one) == nil {
		return one.Text
	}
	var several []block
	if json.Unmarshal(content, &several) == nil && len(several) > 0 {
		return several[0].Text
	}
	return "" // the content of others has none
}

func (c *soakingClient) idle(s *clientSession, reason string) {
	if len(s.accepted) == 0 {
		c.failLocked("%s: a turn ended that did not begin", s.id)
		return
	}
	r := s.accepted[0]
	s.accepted = s.accepted[1:]
	c.turnEnded(r, reason)
	close(r.done)
}

// toolCall handles a tool call. The piece of content number N is "N …".
func (c *soakingClient) toolCall(s *clientSession, u *soakUpdate) {
	if u.Content != nil && strings.HasPrefix(u.ToolCallID, "long") {
		var items []struct{ Content struct{ Text string } }
		json.Unmarshal(u.Content, &items)
		for i, item := range items {
			if !strings.HasPrefix(item.Content.Text, strconv.Itoa(i)+" ") {
				c.failLocked("%s: piece %d of %s is %.40q", s.id, i, u.ToolCallID, item.Content.Text)
			}
		}
		s.pieces[u.ToolCallID] = len(items)
	}
	c.text(s, u.Title)
	var number, pieces int
	if n, _ := fmt.Sscanf(u.Title, "#%d pieces %d", &number, &pieces); n == 2 {
		if s.pieces[u.ToolCallID] != pieces {
			c.failLocked("%s: %s has %d of %d pieces", s.id, u.ToolCallID, s.pieces[u.ToolCallID], pieces)
		}
		delete(s.pieces, u.ToolCallID)
	}
}

// text handles a text: the one with number N of the session is "#N …", one of the
// history is "RN", and nothing that the user has said must come back.
func (c *soakingClient) text(s *clientSession, text string) {
	if text == "" {
		return
	}
	number, rest, _ := strings.Cut(text[1:], " ")
	switch text[0] {
	case 'P':
		c.failLocked("%s: the prompt was repeated: %.40q", s.id, text)
	case 'R':
		if number != strconv.Itoa(s.replayed) {
			c.failLocked("%s: got %q of the history, not number %d", s.id, text, s.replayed)
		}
		s.replayed++
	case '#':
		if number != strconv.Itoa(s.next) {
			c.failLocked("%s: got %.40q, not number %d", s.id, text, s.next)
		}
		s.next++
		c.heard++
		fmt.Sscanf(rest, "end %d", &s.ended)
	}
}
