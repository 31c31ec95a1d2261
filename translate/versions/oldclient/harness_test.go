package oldclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A testCase is a conversation after initialize, told step by step. Its name is
// the sentence that it pins.
type testCase struct {
	name   string
	client words.OldClient
	agent  *words.NewAgent // one that starts MCP servers if nil
	steps  []step
}

// A step is something that happens and what leaves then. What happens is a
// message of one side, or time that passes, or the end of the agent. What
// leaves is told in lines: a line that begins with "C " goes to the client, a
// line that begins with "A " to the agent.
type step struct {
	from translate.Side
	line string
	wait time.Duration
	gone string
	want []string
	lost []string // kinds of losses
}

// Messages are told without what all of them have: jsonrpc, and around an update
// the method and the session, which is s.

func client(line string, want ...string) step {
	return step{from: translate.Client, line: line, want: want}
}

func agent(line string, want ...string) step {
	return step{from: translate.Agent, line: line, want: want}
}

// tells is an update by the agent in the session s.
func tells(update string, want ...string) step { return agent(in("s", update), want...) }

func wait(d time.Duration, want ...string) step { return step{wait: d, want: want} }

func gone(why string, want ...string) step { return step{gone: why, want: want} }

// losing is the step with what is lost in it: nothing, if it is not named.
func (s step) losing(kinds ...string) step {
	s.lost = kinds
	return s
}

// in is an update in a session, as a message.
func in(session, update string) string {
	return `{"method":"session/update","params":{"sessionId":"` + session + `","update":` + update + `}}`
}

// shows is what the client gets for an update in the session s.
func shows(update string) string { return "C " + in("s", update) }

func complete(line string) string { return `{"jsonrpc":"2.0",` + strings.TrimPrefix(line, "{") }

// text is a message chunk, block is a content block.
func chunk(kind, id, text string) string {
	return `{"sessionUpdate":"` + kind + `_chunk","messageId":"` + id + `","content":` + block(text) + `}`
}

func block(text string) string { return `{"type":"text","text":"` + text + `"}` }

func state(s string) string { return `{"sessionUpdate":"state_update","state":"` + s + `"}` }

func idle(reason string) string {
	return `{"sessionUpdate":"state_update","state":"idle","stopReason":"` + reason + `"}`
}

// runCases runs each case on a new Bridge.
func runCases(t *testing.T, cases []testCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			j := newJudge(t)
			if c.agent == nil {
				c.agent = &words.NewAgent{Stdio: true}
			}
			p := newPeer(Options{Client: c.client, Agent: *c.agent})
			for i, s := range c.steps {
				if s.line != "" {
					j.asks(s.from, complete(s.line))
				}
				p.losses = nil
				got, err := p.step(s)
				if err == nil {
					err = j.check(got)
				}
				if err != nil {
					t.Fatalf("step %d, %s: %v", i+1, s.line, err)
				}
				var want []string
				for _, w := range s.want {
					want = append(want, w[:2]+complete(w[2:]))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("step %d, %s: (-want +got)\n%s", i+1, s.line, diff)
				}
				if !slices.Equal(s.lost, p.losses) {
					t.Fatalf("step %d, %s: lost %q, want %q", i+1, s.line, p.losses, s.lost)
				}
			}
		})
	}
}

// A peer hands messages to a Bridge in the way package proxy does.
type peer struct {
	bridge  *Bridge
	now     time.Time
	out     translate.Out
	cursor  rawjson.Cursor
	message jsonrpc.Message
	reader  jsonrpc.ParamsReader // see planReader
	losses  []string             // kinds, with their names
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

func newPeer(o Options) *peer {
	return &peer{bridge: New(o), now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}
}

func (p *peer) step(s step) ([]string, error) {
	switch {
	case s.gone != "":
		p.out.Reset(translate.Agent, nil)
		p.bridge.Gone(s.gone, p.now, &p.out)
		return p.left()
	case s.line == "":
		p.now = p.now.Add(s.wait)
		p.out.Reset(translate.Agent, nil)
		if next := p.bridge.Next(); !next.IsZero() && !next.After(p.now) {
			p.bridge.Wake(p.now, &p.out)
		}
		if next := p.bridge.Next(); !next.IsZero() && !next.After(p.now) {
			return nil, fmt.Errorf("it wants to be woken again at once, at %v", next)
		}
		return p.left()
	}
	return p.send(s.from, complete(s.line))
}

// send hands the Bridge a line.
func (p *peer) send(from translate.Side, line string) ([]string, error) {
	text := []byte(line)
	p.cursor.Reset(text)
	p.message.Read(&p.cursor, text, p.reader)
	if !p.cursor.End() {
		return nil, fmt.Errorf("no JSON: %w", p.cursor.Err())
	}
	p.out.Reset(from, &p.message)
	if from == translate.Client {
		p.bridge.FromClient(&p.message, p.now, &p.out)
	} else {
		p.bridge.FromAgent(&p.message, p.now, &p.out)
	}
	return p.left()
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

// left returns what leaves.
func (p *peer) left() (lines []string, err error) {
	for _, l := range p.out.Leaves() {
		text := string(p.out.Text(l))
		if !json.Valid([]byte(text)) {
			return lines, fmt.Errorf("no JSON leaves: %s", text)
		}
		if l.NoPlan && !isPlanless(text) {
			return lines, fmt.Errorf("the plan translation does not see %s", text)
		}
		lines = append(lines, strings.ToUpper(l.To.String()[:1])+" "+text)
	}
	for _, l := range p.out.Losses() {
		p.losses = append(p.losses, strings.TrimSpace(l.Kind.String()+" "+l.Name))
		if l.Kind == 0 || l.Detail == "" || strings.HasSuffix(l.Detail, ".") {
			return lines, fmt.Errorf("a loss that says nothing: %+v", l)
		}
	}
	if p.bridge.link.Ended() != "" {
		return lines, nil // what was held is not needed any more
	}
	return lines, p.bridge.check()
}
