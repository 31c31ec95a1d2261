package v1agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/selectors"
	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/shapes"
)

// Steps of conversations, see package bridgetest.
type step = bridgetest.Step

var (
	client, agent, wait, gone = bridgetest.Client, bridgetest.Agent, bridgetest.Wait, bridgetest.Gone
	toC, toA                  = bridgetest.ToClient, bridgetest.ToAgent
	full, report, then        = bridgetest.Full, bridgetest.UpdateOf, bridgetest.Then
)

// able is an agent with all optional methods.
var able = shapes.V1Agent{Load: true, Resume: true, List: true, Close: true, Delete: true, Logout: true}

// hi is a prompt. made creates a session, prompted also sends the prompt, and begun also waits
// until it is inserted.
const hi = `{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`

var (
	made     = []step{client(`1 session/new {"cwd":"/p"}`), agent(`1 = {"sessionId":"s"}`)}
	prompted = then(made, client(`2 session/prompt `+hi))
	begun    = then(prompted, wait(ackDelay))
)

// keyed is the prompt with an idempotencyKey.
func keyed(key string) string {
	return strings.TrimSuffix(hi, "}") + `,"idempotencyKey":"` + key + `"}`
}

// talks plays the conversations in testdata that have the name of the test. The agent has all
// optional methods, or those in the options of the conversation.
func talks(t *testing.T) {
	t.Helper()
	bridgetest.Talks(t, 2, func(options string) *bridgetest.Peer {
		can := able
		if options != "" {
			can = shapes.V1Agent{}
			if err := json.Unmarshal([]byte(options), &can); err != nil {
				t.Fatal(err)
			}
		}
		return newPeer(can).Peer
	})
}

func TestNewSession(t *testing.T)           { talks(t) }
func TestResults(t *testing.T)              { talks(t) }
func TestNotifications(t *testing.T)        { talks(t) }
func TestResume(t *testing.T)               { talks(t) }
func TestReplaysOfSubagents(t *testing.T)   { talks(t) }
func TestList(t *testing.T)                 { talks(t) }
func TestClose(t *testing.T)                { talks(t) }
func TestRequestsBehindAClose(t *testing.T) { talks(t) }
func TestOtherRequests(t *testing.T)        { talks(t) }
func TestUnreadable(t *testing.T)           { talks(t) }
func TestPrompts(t *testing.T)              { talks(t) }
func TestPromptKeys(t *testing.T)           { talks(t) }
func TestLateAgents(t *testing.T)           { talks(t) }
func TestEcho(t *testing.T)                 { talks(t) }
func TestMessages(t *testing.T)             { talks(t) }
func TestSharedUpdates(t *testing.T)        { talks(t) }
func TestToolCalls(t *testing.T)            { talks(t) }
func TestDiffs(t *testing.T)                { talks(t) }
func TestTerminals(t *testing.T)            { talks(t) }
func TestPermissions(t *testing.T)          { talks(t) }
func TestElicitation(t *testing.T)          { talks(t) }
func TestOptions(t *testing.T)              { talks(t) }

// A peer hands messages to a Bridge.
type peer struct {
	*bridgetest.Peer
	bridge *Bridge
}

func newPeer(a shapes.V1Agent) *peer {
	ids, s := 0, new(selectors.Stage)
	b := New(Options{Agent: a, Options: s.Options, NewID: func() string {
		ids++
		return strconv.Itoa(ids)
	}})
	return &peer{bridgetest.NewPeer(bridgetest.WithSelectors(b, s, 2), b.check), b}
}

// check reports an inconsistency in the state of b.
func (b *Bridge) check() error {
	all := keep.SessionCost
	for id := range b.closed.All() {
		all += keep.EntryCost + len(id)
	}
	for _, r := range b.queue {
		all += r.size()
	}
	for id, s := range b.sessions.All() {
		for _, p := range s.prompts.All() {
			for _, id := range p.repeats {
				all += queuedCost + len(id)
			}
		}
		if err := s.check(id); err != nil {
			return fmt.Errorf("session %q: %w", id, err)
		}
		all += s.share.Used()
	}
	// The working directories of requested sessions are counted, too.
	if used := b.budget.Used(); used < all || used > all && b.link.Pending[translate.Agent].Len() == 0 && !b.link.Ended || used > keep.PerConnection {
		return fmt.Errorf("the state has %d bytes, but %d are counted", all, used)
	}
	return nil
}

// check reports an inconsistency in the state of a session with that id.
func (s *session) check(id string) error {
	queue := s.bridge.queue
	missing := 0 // keys of prompts that are not inserted
	for _, r := range queue {
		if isPromptOf(s)(r) && r.prompt.key != "" {
			missing++
		}
	}
	if s.turn != nil && s.turn.prompt.key != "" && !s.turn.isInserted() {
		missing++
	}
	for _, p := range s.prompts.All() {
		if p.messageID == "" {
			missing--
		} else if p.repeats != nil {
			return errors.New("repetitions of an inserted prompt have no response")
		}
	}
	n := s.size()
	switch {
	case missing != 0:
		return fmt.Errorf("%d keys of prompts are missing", missing)
	case n != s.share.Used() || s.forgotten:
		return fmt.Errorf("the state has %d bytes, but %d are counted", n, s.share.Used())
	case s.id != id || s.confirmed && s.bridge.closed.Has(id):
		return fmt.Errorf("its id is %q", s.id)
	case s.turn == nil && (s.state != idle || slices.ContainsFunc(queue, isPromptOf(s))):
		return fmt.Errorf("it is %s without a turn, or prompts are queued", s.state)
	case s.turn != nil && (s.turn.session != s || s.turn.isInserted() == (s.state == idle)):
		return fmt.Errorf("it is %s in the turn %+v", s.state, s.turn)
	}
	return nil
}

// size returns the cost of a session.
func (s *session) size() int {
	n := keep.SessionCost + len(s.id) + len(s.cwd)
	for id := range s.toolCalls.All() {
		n += keep.EntryCost + len(id) + callCost
	}
	for id := range s.terminals.All() {
		n += keep.EntryCost + len(id)
	}
	for key, p := range s.prompts.All() {
		if p.messageID != "" {
			n += keep.EntryCost + len(key) + len(p.messageID)
		}
	}
	for _, ids := range []*keep.Map[string]{&s.userIDs.Map, &s.history.ids} {
		for key, id := range ids.All() {
			n += keep.EntryCost + len(key) + len(id)
		}
	}
	if t := s.turn; t != nil {
		n += len(t.content)
	}
	return n
}
