package v1agent

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/shapes"
)

// Steps of conversations, see package bridgetest.
type step = bridgetest.Step

var (
	client, agent, wait, gone = bridgetest.Client, bridgetest.Agent, bridgetest.Wait, bridgetest.Gone
	toC, toA                  = bridgetest.ToClient, bridgetest.ToAgent
	full, report, then        = bridgetest.Full, bridgetest.Report, bridgetest.Then
)

// able is an agent with all abilities. unable is an agent with only
// those of all agents of version 1.
var (
	able   = shapes.V1Agent{Load: true, Resume: true, List: true, Close: true, Delete: true, Logout: true}
	unable = shapes.V1Agent{}
)

// A testCase is a conversation with an agent, one that is able if it is nil.
type testCase struct {
	name  string
	agent *shapes.V1Agent
	steps []step
}

func runCases(t *testing.T, cases []testCase) {
	t.Helper()
	for _, c := range cases {
		newPeer(*cmp.Or(c.agent, &able)).Case(t, c.name, 2, c.steps)
	}
}

// A peer hands messages to a Bridge.
type peer struct {
	*bridgetest.Peer
	bridge *Bridge
}

func newPeer(a shapes.V1Agent) *peer {
	ids := 0
	b := New(Options{Agent: a, NewID: func() string {
		ids++
		return strconv.Itoa(ids)
	}})
	return &peer{bridgetest.NewPeer(bridgetest.WithSelectors(b, 2), b.check), b}
}

// check reports an inconsistency in the state of b.
func (b *Bridge) check() error {
	beside := keep.SessionCost
	for id := range b.sessions.closed.All() {
		beside += keep.EntryCost + len(id)
	}
	for id := range b.sessions.deleted.All() {
		beside += keep.EntryCost + len(id)
	}
	for _, h := range b.held.all() {
		beside += h.size()
	}
	all := beside
	for id, s := range b.sessions.all.All() {
		if n := s.size(); n != s.kept.Used() || s.forgotten {
			return fmt.Errorf("session %q has %d bytes, but %d counted", id, n, s.kept.Used())
		}
		all += s.kept.Used()
		pending := 0 // keys of prompts that are not inserted
		for _, h := range b.held.all() {
			if h.behind == s && h.key.key != "" {
				pending++
			}
		}
		if s.turn != nil && s.turn.key.key != "" && !s.turn.isInserted() {
			pending++
		}
		for _, k := range s.keys.All() {
			if k.messageID == "" {
				pending--
			} else if b.held.has(k) {
				return fmt.Errorf("session %q: prompts wait for the answer to one that was inserted", id)
			}
		}
		if pending != 0 {
			return fmt.Errorf("session %q: %d keys of open prompts are missing", id, pending)
		}
		switch {
		case s.id != id || b.sessions.closed.Has(id):
			return fmt.Errorf("session %q is kept as %q", s.id, id)
		case s.turn == nil && (s.state != idle || b.held.has(s)):
			return fmt.Errorf("session %q is %s without a turn, or prompts are held", id, s.state)
		case s.turn != nil && (s.turn.session != s || s.turn.isInserted() == (s.state == idle)):
			return fmt.Errorf("session %q is %s in the turn %+v", id, s.state, s.turn)
		}
	}
	// Where sessions will work that the agent is asked for is counted, too.
	if used := b.sessions.budget.Used(); used < all || used > all && b.link.Waiting(translate.Agent) == 0 && !b.link.Ended() || used > keep.PerConnection {
		return fmt.Errorf("%d bytes are kept, but %d counted", all, used)
	}
	return nil
}

// size returns the cost of a session.
func (s *session) size() int {
	n := keep.SessionCost + len(s.id) + len(s.cwd) + len(s.title) + len(s.updatedAt) + len(s.options.list)
	for id := range s.toolCalls.All() {
		n += keep.EntryCost + len(id) + callCost
	}
	for id := range s.terminals.All() {
		n += keep.EntryCost + len(id)
	}
	if len(s.given.ids) > 0 {
		n += keep.EntryCost
	}
	for _, g := range s.given.ids {
		n += 64 + len(g.id)
	}
	for key, k := range s.keys.All() {
		if k.messageID != "" {
			n += keep.EntryCost + len(key) + len(k.messageID)
		}
	}
	for key, id := range s.history.ids.All() {
		n += keep.EntryCost + len(key) + len(id)
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

// taken are the messages for the client when the prompt hi is inserted.
func taken(messageID string, id int) []string {
	return []string{
		toC(report("user_message", `"messageId":"`+messageID+`","content":[{"type":"text","text":"hi"}]`)),
		toC(strconv.Itoa(id) + ` = {"messageId":"` + messageID + `"}`),
		toC(report("state_update", `"state":"running"`)),
	}
}

// ended is the message for the client at the end of a turn.
func ended(stopReason string) string {
	return toC(report("state_update", `"state":"idle","stopReason":"`+stopReason+`"`))
}
