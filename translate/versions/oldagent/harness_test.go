package oldagent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// able is an agent that can do everything. unable is an agent that can do only
// what all agents of version 1 can.
var (
	able   = words.OldAgent{Load: true, Resume: true, List: true, Close: true, Delete: true, Logout: true}
	unable = words.OldAgent{}
)

// A testCase is a conversation, told step by step. Its name is the sentence that
// it pins.
type testCase struct {
	name  string
	agent *words.OldAgent // able if nil
	steps []step
}

// A step is something that happens, and what both sides get then.
type step struct {
	client, agent string        // a message of a side
	after         time.Duration // or the time that passes
	gone          bool          // or the agent ends
	want          []string      // messages, with c: or a: before them
	lost          []string      // kinds of losses
}

// client is a step in which the client sends a message, agent one in which the
// agent does. What is left out of messages is put in, see full.
func client(message string, want ...string) step { return step{client: message, want: want} }
func agent(message string, want ...string) step  { return step{agent: message, want: want} }

func after(d time.Duration, want ...string) step { return step{after: d, want: want} }

func gone(want ...string) step { return step{gone: true, want: want} }

func (s step) losing(kinds ...string) step {
	s.lost = kinds
	return s
}

// full completes a message of a test: a body that begins with the kind of an
// update is that update of the session s, one that begins with a method, a
// request or notification.
//
//	update {…}            a session/update, of session s
//	5 session/new {…}     a request
//	session/cancel {…}    a notification
//	5 = {…}, 5 ! {…}      an answer, an error
func full(short string) string {
	head, rest, _ := strings.Cut(short, " ")
	if head == "update" {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + rest + `}}`
	}
	if !json.Valid([]byte(head)) {
		return `{"jsonrpc":"2.0","method":"` + head + `","params":` + rest + `}`
	}
	method, body, _ := strings.Cut(rest, " ")
	switch method {
	case "=":
		return `{"jsonrpc":"2.0","id":` + head + `,"result":` + body + `}`
	case "!":
		return `{"jsonrpc":"2.0","id":` + head + `,"error":` + body + `}`
	}
	return `{"jsonrpc":"2.0","id":` + head + `,"method":"` + method + `","params":` + body + `}`
}

// A peer hands messages to a Bridge.
type peer struct {
	bridge *Bridge
	now    time.Time
	out    translate.Out
	cursor rawjson.Cursor
	reader jsonrpc.ParamsReader // see planReader
	ids    int
	steps  int
	sparse bool // the state is checked after some steps only, where it is large
}

// A planReader reads the update of a message, as the plan translation does. What
// it reads is not there for the bridge.
type planReader struct{}

func (planReader) ReadMember(name []byte, c *rawjson.Cursor, _ []byte) bool {
	if string(name) != "update" {
		return false
	}
	c.Skip()
	return true
}

func newPeer(a words.OldAgent) *peer {
	p := &peer{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	p.bridge = New(Options{Agent: a, NewID: func() string {
		p.ids++
		return strconv.Itoa(p.ids)
	}})
	return p
}

// send hands a message to the bridge and returns what leaves, with c: or a:
// before each, and the kinds of what was lost.
func (p *peer) send(from translate.Side, text string) (left, lost []string, err error) {
	p.cursor.Reset([]byte(text))
	var m jsonrpc.Message
	m.Read(&p.cursor, []byte(text), p.reader)
	if !p.cursor.End() {
		return nil, nil, fmt.Errorf("no JSON: %s", text)
	}
	p.out.Reset(from, &m)
	if from == translate.Client {
		p.bridge.FromClient(&m, p.now, &p.out)
	} else {
		p.bridge.FromAgent(&m, p.now, &p.out)
	}
	return p.outcome()
}

// isPlanless reports whether a message is a session/update that does not concern
// a plan.
func isPlanless(text string) bool {
	var m struct {
		Method string
		Params struct{ Update map[string]any }
	}
	if json.Unmarshal([]byte(text), &m) != nil || m.Method != "session/update" {
		return false
	}
	kind, _ := m.Params.Update["sessionUpdate"].(string)
	return !translate.IsPlan([]byte(kind))
}

func (p *peer) outcome() (left, lost []string, err error) {
	for _, l := range p.out.Leaves() {
		text := string(p.out.Text(l))
		if !json.Valid([]byte(text)) || strings.Contains(text, "\n") {
			return nil, nil, fmt.Errorf("sends no line of JSON: %s", text)
		}
		if l.NoPlan && !isPlanless(text) {
			return nil, nil, fmt.Errorf("the plan translation does not see %s", text)
		}
		left = append(left, l.To.String()[:1]+": "+text)
	}
	for _, l := range p.out.Losses() {
		lost = append(lost, l.Kind.String())
	}
	if p.steps++; p.sparse && p.steps%1000 != 0 {
		return left, lost, nil
	}
	return left, lost, p.bridge.check()
}

// do does a step.
func (p *peer) do(s step) (left, lost []string, err error) {
	switch {
	case s.client != "":
		return p.send(translate.Client, full(s.client))
	case s.agent != "":
		return p.send(translate.Agent, full(s.agent))
	case s.gone:
		p.out.Reset(translate.Agent, nil)
		p.bridge.Gone("agent exited", p.now, &p.out)
	default:
		p.now = p.now.Add(s.after)
		p.out.Reset(translate.Agent, nil)
		if next := p.bridge.Next(); !next.IsZero() && !next.After(p.now) {
			p.bridge.Wake(p.now, &p.out)
		}
		if next := p.bridge.Next(); !next.IsZero() && !next.After(p.now) {
			return nil, nil, fmt.Errorf("it wants to be woken again at once, at %v", next)
		}
	}
	return p.outcome()
}

// check reports what is inconsistent in the state of b.
func (b *Bridge) check() error {
	kept := 0
	b.link.Each(translate.Agent, func(c *link.Call) {
		if at, ok := c.Asked.Of.(directory); ok {
			kept += len(at)
		}
	})
	for id, s := range b.sessions.all {
		if n := s.size(); n != s.kept || s.forgotten {
			return fmt.Errorf("session %q has %d bytes, but %d counted", id, n, s.kept)
		}
		kept += s.kept
	}
	if kept != b.sessions.budget.kept || kept > maxKept {
		return fmt.Errorf("%d bytes are kept, but %d counted", kept, b.sessions.budget.kept)
	}
	calls, terminals, held, heldBytes := 0, 0, 0, 0
	for _, e := range b.closings.open {
		for _, h := range e.waiting {
			held++
			heldBytes += h.size()
		}
	}
	for id, s := range b.sessions.all {
		calls += len(s.toolCalls.all)
		terminals += len(s.terminals)
		pending := 0 // keys of prompts that are not taken in
		for _, h := range s.held {
			held++
			heldBytes += h.size()
			if h.key != nil {
				pending++
			}
		}
		if s.turn != nil && s.turn.key != nil && !s.turn.inserted {
			pending++
		}
		for _, k := range s.keys.known {
			held += len(k.repeats)
			for _, h := range k.repeats {
				heldBytes += h.size()
			}
			if k.messageID == "" {
				pending--
			} else if len(k.repeats) > 0 {
				return fmt.Errorf("session %q: %d prompts wait for the answer to one that was taken in", id, len(k.repeats))
			}
		}
		if pending != 0 || len(s.keys.kept) > len(s.keys.known) || len(s.keys.kept) > maxKeys {
			return fmt.Errorf("session %q: %d keys of open prompts are missing; of %d keys %d are taken", id, pending, len(s.keys.known), len(s.keys.kept))
		}
		switch {
		case s.id != id || b.sessions.closed[id]:
			return fmt.Errorf("session %q is kept as %q", s.id, id)
		case len(s.toolCalls.all) != len(s.toolCalls.order):
			return fmt.Errorf("session %q has %d tool calls and an order of %d", id, len(s.toolCalls.all), len(s.toolCalls.order))
		case s.turn == nil && (s.state != idle || len(s.held) > 0):
			return fmt.Errorf("session %q is %s without a turn, %d prompts are held", id, s.state, len(s.held))
		case s.turn != nil && (s.turn.ended || s.turn.session != s || s.turn.inserted == (s.state == idle)):
			return fmt.Errorf("session %q is %s in the turn %+v", id, s.state, s.turn)
		}
	}
	if held != b.held.count || heldBytes != b.held.bytes {
		return fmt.Errorf("%d requests of %d bytes wait, but %d and %d counted", held, heldBytes, b.held.count, b.held.bytes)
	}
	if calls != b.toolCalls.kept || terminals != b.terminals.kept {
		return fmt.Errorf("%d tool calls and %d terminals are kept, but %d and %d counted", calls, terminals, b.toolCalls.kept, b.terminals.kept)
	}
	return nil
}

// size is what is kept of a session.
func (s *session) size() int {
	n := len(s.cwd) + len(s.title) + len(s.updatedAt) + s.options.size()
	for _, t := range s.toolCalls.all {
		n += t.size()
	}
	for id := range s.terminals {
		n += terminalSize(id)
	}
	for id := range s.promptIDs {
		n += entrySize + len(id)
	}
	for _, d := range s.keys.kept {
		n += s.keys.known[d].size()
	}
	if s.replay != nil {
		for key := range s.replay.begun {
			n += entrySize + len(key)
		}
	}
	if t := s.turn; t != nil {
		n += len(t.prompt)
		for _, text := range t.echo.waiting {
			n += len(text)
		}
	}
	return n
}

// runCases runs each case on a new Bridge.
func runCases(t *testing.T, cases []testCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.agent == nil {
				c.agent = &able
			}
			p := newPeer(*c.agent)
			for i, s := range c.steps {
				got, lost, err := p.do(s)
				if err != nil {
					t.Fatalf("step %d, %+v: %v", i+1, s, err)
				}
				var want []string
				for _, w := range s.want {
					side, rest, _ := strings.Cut(w, " ")
					want = append(want, side+" "+full(rest))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("step %d, %+v: (-want +got)\n%s", i+1, s, diff)
				}
				if !slices.Equal(s.lost, lost) {
					t.Fatalf("step %d, %+v: lost %q, want %q", i+1, s, lost, s.lost)
				}
			}
		})
	}
}

// report is a session update as a message of a test.
func report(kind, rest string) string {
	if rest != "" {
		rest = "," + rest
	}
	return `update {"sessionUpdate":"` + kind + `"` + rest + `}`
}

func toC(short string) string { return "c: " + short }
func toA(short string) string { return "a: " + short }

// A session s is made by these steps, and a prompt begun and taken in.
var (
	made = []step{
		client(`1 session/new {"cwd":"/p"}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
		agent(`1 = {"sessionId":"s"}`, toC(`1 = {"sessionId":"s"}`)),
	}
	prompted = append(slices.Clone(made),
		client(`2 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`,
			toA(`2 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`)))
	begun = append(slices.Clone(prompted), after(ackDelay, taken("1", 2)...))
)

// taken is what tells the client that the prompt hi was taken in.
func taken(messageID string, id int) []string {
	return []string{
		toC(report("user_message", `"messageId":"`+messageID+`","content":[{"type":"text","text":"hi"}]`)),
		toC(strconv.Itoa(id) + ` = {"messageId":"` + messageID + `"}`),
		toC(report("state_update", `"state":"running"`)),
	}
}

// ended is what tells the client that a turn is over.
func ended(stopReason string) string {
	return toC(report("state_update", `"state":"idle","stopReason":"`+stopReason+`"`))
}

// then returns steps with others behind them.
func then(steps []step, more ...step) []step { return append(slices.Clone(steps), more...) }
