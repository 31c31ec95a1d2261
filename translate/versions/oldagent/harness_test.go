package oldagent

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
)

// The words of conversations, see package bridgetest.
type step = bridgetest.Step

var (
	client, agent, wait, gone = bridgetest.Client, bridgetest.Agent, bridgetest.Wait, bridgetest.Gone
	toC, toA                  = bridgetest.ToClient, bridgetest.ToAgent
	full, report              = bridgetest.Full, bridgetest.Report
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

// runCases runs each case on a new Bridge.
func runCases(t *testing.T, cases []testCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.agent == nil {
				c.agent = &able
			}
			p := newPeer(*c.agent)
			p.Judge = bridgetest.NewJudge(t, 2)
			p.Play(t, c.steps)
		})
	}
}

// A peer hands messages to a Bridge.
type peer struct {
	*bridgetest.Peer
	bridge *Bridge
}

func newPeer(a words.OldAgent) *peer {
	ids := 0
	b := New(Options{Agent: a, NewID: func() string {
		ids++
		return strconv.Itoa(ids)
	}})
	return &peer{bridgetest.NewPeer(b, b.check), b}
}

// check reports what is inconsistent in the state of b.
func (b *Bridge) check() error {
	kept := 0
	b.link.Each(translate.Agent, func(c *link.Call) {
		if at, ok := c.Asked.Of.(directory); ok {
			kept += len(at)
		}
	})
	for id, s := range b.sessions.all.All() {
		if n := s.size(); n != s.kept || s.forgotten {
			return fmt.Errorf("session %q has %d bytes, but %d counted", id, n, s.kept)
		}
		kept += s.kept
	}
	if kept != b.sessions.budget.kept || kept > maxKept {
		return fmt.Errorf("%d bytes are kept, but %d counted", kept, b.sessions.budget.kept)
	}
	calls, terminals, held, heldBytes := 0, 0, 0, 0
	for _, e := range b.closings.open.All() {
		for _, h := range e.waiting {
			held++
			heldBytes += h.size()
		}
	}
	for id, s := range b.sessions.all.All() {
		calls += s.toolCalls.Len()
		terminals += len(s.terminals)
		pending := 0 // keys of prompts that are not inserted
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
				return fmt.Errorf("session %q: %d prompts wait for the answer to one that was inserted", id, len(k.repeats))
			}
		}
		if pending != 0 || len(s.keys.kept) > len(s.keys.known) || len(s.keys.kept) > maxKeys {
			return fmt.Errorf("session %q: %d keys of open prompts are missing; of %d keys %d are taken", id, pending, len(s.keys.known), len(s.keys.kept))
		}
		switch {
		case s.id != id || b.sessions.closed.Has(id):
			return fmt.Errorf("session %q is kept as %q", s.id, id)
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
	for _, t := range s.toolCalls.All() {
		n += t.size()
	}
	for id := range s.terminals {
		n += terminalSize(id)
	}
	for _, g := range s.given {
		n += g.size()
	}
	for _, d := range s.keys.kept {
		n += s.keys.known[d].size()
	}
	if s.replay != nil {
		for key := range s.replay.begun {
			n += entrySize + len(key)
		}
		for id, renamed := range s.replay.renamed {
			n += 2*entrySize + len(id) + len(renamed)
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

// A session s is made by these steps, and a prompt begun and inserted.
var (
	made = []step{
		client(`1 session/new {"cwd":"/p"}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
		agent(`1 = {"sessionId":"s"}`, toC(`1 = {"sessionId":"s"}`)),
	}
	prompted = append(slices.Clone(made),
		client(`2 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`,
			toA(`2 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`)))
	begun = append(slices.Clone(prompted), wait(ackDelay, taken("1", 2)...))
)

// taken is what tells the client that the prompt hi was inserted.
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
