package oldagent

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/bridgetest"
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
	able   = versions.OldAgent{Load: true, Resume: true, List: true, Close: true, Delete: true, Logout: true}
	unable = versions.OldAgent{}
)

// A testCase is a conversation, told step by step. Its name is the sentence that
// it pins.
type testCase struct {
	name  string
	agent *versions.OldAgent // able if nil
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

func newPeer(a versions.OldAgent) *peer {
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
	b.asked.Each(func(c *call) { kept += len(c.Asked.cwd) })
	for id, s := range b.sessions {
		if n := s.size(); n != s.kept || s.dropped {
			return fmt.Errorf("session %q has %d bytes, but %d counted", id, n, s.kept)
		}
		kept += s.kept
	}
	if kept != b.kept || kept > MaxKept {
		return fmt.Errorf("%d bytes are kept, but %d counted", kept, b.kept)
	}
	calls, terminals, held, heldBytes := 0, 0, 0, 0
	for _, e := range b.endings {
		for _, h := range e.waiting {
			held++
			heldBytes += h.size()
		}
	}
	for id, s := range b.sessions {
		calls += len(s.toolCalls.known)
		terminals += len(s.terminals)
		pending := 0 // keys of prompts that are not taken in
		for _, h := range s.held {
			held++
			heldBytes += h.size()
			if h.key != nil {
				pending++
			}
		}
		if s.turn != nil && s.turn.key != nil && !s.turn.acked {
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
		if pending != 0 || len(s.keys.taken) > len(s.keys.known) || len(s.keys.taken) > MaxKeys {
			return fmt.Errorf("session %q: %d keys of open prompts are missing; of %d keys %d are taken", id, pending, len(s.keys.known), len(s.keys.taken))
		}
		switch {
		case s.id != id || b.closed[id]:
			return fmt.Errorf("session %q is kept as %q", s.id, id)
		case len(s.toolCalls.known) != len(s.toolCalls.order):
			return fmt.Errorf("session %q has %d tool calls and an order of %d", id, len(s.toolCalls.known), len(s.toolCalls.order))
		case s.turn == nil && (s.state != idle || len(s.held) > 0):
			return fmt.Errorf("session %q is %s without a turn, %d prompts are held", id, s.state, len(s.held))
		case s.turn != nil && (s.turn.ended || s.turn.session != s || s.turn.acked == (s.state == idle)):
			return fmt.Errorf("session %q is %s in the turn %+v", id, s.state, s.turn)
		}
	}
	if held != b.held || heldBytes != b.heldBytes {
		return fmt.Errorf("%d requests of %d bytes wait, but %d and %d counted", held, heldBytes, b.held, b.heldBytes)
	}
	if calls != b.toolCalls || terminals != b.terminals {
		return fmt.Errorf("%d tool calls and %d terminals are kept, but %d and %d counted", calls, terminals, b.toolCalls, b.terminals)
	}
	return nil
}

// size is what is kept of a session.
func (s *session) size() int {
	n := len(s.cwd) + len(s.title) + len(s.updatedAt) + s.options.size()
	for _, t := range s.toolCalls.known {
		n += t.size()
	}
	for id := range s.terminals {
		n += terminalSize(id)
	}
	for id := range s.promptIDs {
		n += entrySize + len(id)
	}
	for _, d := range s.keys.taken {
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

// A session s is made by these steps, and a prompt begun and taken in.
var (
	made = []step{
		client(`1 session/new {"cwd":"/p"}`, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
		agent(`1 = {"sessionId":"s"}`, toC(`1 = {"sessionId":"s"}`)),
	}
	prompted = append(slices.Clone(made),
		client(`2 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`,
			toA(`2 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`)))
	begun = append(slices.Clone(prompted), wait(AckDelay, taken("1", 2)...))
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
