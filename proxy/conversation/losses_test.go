package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/vendors"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/jsonrpc"
)

// A leakyBridge is an echo that loses the agent's messages by method, and also has losses from its timer
// and at the end. It forwards session updates with a loss.
type leakyBridge struct {
	echo
	silent bool // its timer sends nothing
}

func (b *leakyBridge) Receive(side translate.Side, m *jsonrpc.Message, now time.Time, out *translate.Out) {
	if side == translate.Client {
		b.echo.Receive(side, m, now, out)
		return
	}
	switch method := string(m.Method); method {
	case "session/update":
		out.Forward()
		out.Lose(translate.Loss{Kind: translate.LossNotice, Detail: "by the bridge"})
	case "many":
		for i := range 100 {
			out.Lose(translate.Loss{Kind: translate.LossCommand, Name: fmt.Sprint(i / 2), Detail: strings.Repeat("x", 1<<10)})
		}
	case "later", "silent":
		b.silent = method == "silent"
		b.next = now.Add(time.Second)
	case "plain", "":
		out.Forward()
	default:
		out.Lose(translate.Loss{Kind: translate.LossNotice, Name: method})
	}
}

func (b *leakyBridge) Wake(now time.Time, out *translate.Out) {
	out.Lose(translate.Loss{Kind: translate.LossNotice, Name: "timer"})
	b.next = (time.Time{})
	if !b.silent {
		b.echo.Wake(now, out)
	}
}

func (b *leakyBridge) PeerClosed(side translate.Side, now time.Time, out *translate.Out) {
	if side == translate.Agent {
		out.Lose(translate.Loss{Kind: translate.LossNotice, Name: "end"})
	}
	b.echo.PeerClosed(side, now, out)
}

// leakyConnection returns a connection through a leaky bridge, without its first events.
func leakyConnection(t *testing.T) *connection {
	c := newConnection(t, BridgeAuto, observingAll)
	c.joinBy(new(leakyBridge), 1)
	c.fromClient(ownInitialize)
	c.fromAgent(`{"id":7,"result":` + version2Result + "}\n")
	c.events = nil
	return c
}

// checkLost checks the events: the sender, the input or else the output, and the kinds and names of
// the losses.
func (r *rig) checkLost(want ...string) {
	r.t.Helper()
	var all []string
	for _, e := range r.events {
		side, what := "agent", e.In
		if e.FromClient {
			side = "client"
		}
		if what == nil {
			side, what = "proxy", e.Out
		}
		var m struct{ Method, ID any }
		d := json.NewDecoder(bytes.NewReader(what))
		d.UseNumber()
		d.Decode(&m)
		line := fmt.Sprint(side, " ", m.Method, " ", m.ID)
		for _, l := range e.Lost {
			line += strings.TrimRight(fmt.Sprintf(" | %v %s", l.Kind, l.Name), " ")
		}
		all = append(all, line)
	}
	if !slices.Equal(all, want) {
		r.t.Errorf("got\n%s\nwant\n%s", strings.Join(all, "\n"), strings.Join(want, "\n"))
	}
}

func TestLostInEvents(t *testing.T) {
	unreadablePlan := planLine("s", `{"sessionUpdate":"plan_update","plan":{"type":"graph","planId":"p"}}`)
	tests := []struct {
		name string
		do   func(c *connection)
		want []string
	}{
		{"a timer without output, whose loss is not of the next message", func(c *connection) {
			c.fromAgent(`{"method":"silent"}` + "\n")
			time.Sleep(2 * time.Second)
			c.fromAgent(`{"method":"plain"}` + "\n")
			if !strings.Contains(c.log.String(), `kind="notice timer"`) {
				c.t.Errorf("the log: %s", c.log)
			}
		}, []string{"agent silent <nil>", "agent plain <nil>"}},
		{"a message that is not observed", func(c *connection) {
			c.c.observer.observesAll = false
			c.fromAgent(`{"method":"a"}` + "\n")
			c.fromAgent(planLine("s", itemsPlan("p", "a")))
		}, []string{"agent session/update <nil> | notice"}},
		{"a dropped message", func(c *connection) { c.fromAgent(`{"method":"a"}` + "\n") }, []string{"agent a <nil> | notice a"}},
		{"a message after a dropped one", func(c *connection) {
			c.fromAgent(`{"method":"a"}` + "\n")
			c.fromAgent(`{"method":"plain"}` + "\n")
		}, []string{"agent a <nil> | notice a", "agent plain <nil>"}},
		{"a batch", func(c *connection) { c.fromAgent(`[{"method":"plain"},{"method":"a"}]` + "\n") },
			[]string{"agent <nil> <nil> | message not passed on"}},
		{"a plan, in the order of the log", func(c *connection) { c.fromAgent(unreadablePlan) },
			[]string{"agent session/update <nil> | type of a plan | notice"}},
		{"a timer with output", func(c *connection) {
			c.fromAgent(`{"method":"later"}` + "\n")
			time.Sleep(2 * time.Second)
			c.fromAgent(`{"method":"plain"}` + "\n")
		}, []string{"agent later <nil>", "proxy <nil> <nil> | notice timer", "agent plain <nil>"}},
		{"the end of the agent", func(c *connection) { c.c.AgentEnded() }, []string{"proxy <nil> 9 | notice end"}},
		{"a line that is no JSON", func(c *connection) { c.fromAgent("{\n") }, []string{"agent <nil> <nil> | message not passed on"}},
		{"a request that is refused", func(c *connection) { c.fromClient(ownInitialize) },
			[]string{"client initialize 7 | message not passed on", "proxy <nil> 7"}},
		{"a line that is too long", func(c *connection) {
			c.rig.client.Oversize([]byte(`{"id":5,"method":"x","params":"`))
			c.rig.client.Rest([]byte(`"}`), true)
		}, []string{"proxy <nil> 5 | message not passed on"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := leakyConnection(t)
				tt.do(c)
				synctest.Wait()
				c.checkLost(tt.want...)
			})
		})
	}
}

// joinBy makes the joiner return a bridge. version is the client's.
func (c *connection) joinBy(b versions.Bridge, version int) {
	c.c.discovery.joiner.bridge = func(capabilities.Version, []byte, []byte) (versions.Bridge, []byte) {
		return b, fmt.Appendf(nil, `{"protocolVersion":%d,"info":{}}`, version)
	}
}

// Buffered messages have their losses after the handshake. The losses of the initialize response
// belong to the response that the client receives.
func TestLostInHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto, observingAll)
		c.joinBy(new(leakyBridge), 1)
		c.fromClient(request("7", "initialize", `{"protocolVersion":1,"clientCapabilities":{"plan":1}}`))
		for _, line := range []string{refusal, `{"method":"a"}`, `{"method":"b"}`, success(`1000000001`, version2Result)} {
			c.fromAgent(line)
		}
		c.checkLost("client initialize 7 | plan capability",
			"agent <nil> 7", "proxy initialize 1000000001", "agent <nil> 1000000001", "proxy <nil> 7",
			"agent a <nil> | notice a", "agent b <nil> | notice b")
	})
}

// Messages on behalf of a vendor's request pass through the bridge. Their losses belong to the
// request's event.
func TestLostOfVendorsWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto, observingAll, func(o *Options) { o.Vendors = vendors.On })
		c.joinBy(new(leakyBridge), 2)
		c.fromClient(strings.Replace(ownInitialize, "1}", "2}", 1))
		c.fromAgent(success("7", `{"protocolVersion":1}`))
		c.fromAgent(success(`1000000001`, `{"protocolVersion":1}`))
		c.events = nil
		c.fromAgent(request("1", "cursor/update_todos", `{"sessionId":"s","todos":[{"id":"1","content":"a"}]}`))
		c.fromAgent(request("2", "cursor/ask_question", `{"sessionId":"s"}`))
		c.checkLost(
			"agent cursor/update_todos 1 | notice", "proxy session/update <nil>", "proxy <nil> 1",
			"agent cursor/ask_question 2 | user not asked", "proxy <nil> 2",
		)
	})
}

// An event has each loss once, cut, and not more than 32.
func TestLostManyTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := leakyConnection(t)
		c.fromAgent(`{"method":"many"}` + "\n")
		lost := c.events[0].Lost
		if len(lost) != maxLost || lost[31].Name != "31" || len(lost[0].Detail) > 200 {
			t.Errorf("%d losses: %.1000v", len(lost), lost)
		}
	})
}

// Without an observer, losses allocate nothing.
func TestLossesCostNothing(t *testing.T) {
	c := newTestConversation(nil)
	loss := translate.Loss{Kind: translate.LossNotice, Detail: "shown as a message"}
	c.Lose(loss)
	if n := testing.AllocsPerRun(100, func() { c.Lose(loss) }); n > 0 || c.observer.lost != nil {
		t.Errorf("%v allocations", n)
	}
}

// With an observer, messages without losses allocate nothing.
func TestNothingLostCostsNothing(t *testing.T) {
	c := newTestConversation(func(o *Options) { o.ObserveAll, o.Observe = true, func(Event) {} })
	d, line := newDirection(c, translate.Agent), []byte(chunkLine)
	d.Rewrite(line)
	if n := testing.AllocsPerRun(100, func() { d.Rewrite(line) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
