package conversation

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
)

// A wire collects the output to a side.
type wire struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *wire) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(b)
}

// take returns the output since the last call.
func (w *wire) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.b.String()
	w.b.Reset()
	return s
}

// An echo is a bridge that forwards messages, answers pings and cancels a request of the agent.
type echo struct {
	versions.Everything
	next  time.Time
	asked []string
}

func (e *echo) Adopt(id []byte, method, session string) {
	e.asked = append(e.asked, string(id)+" "+method+" "+session)
}

func (e *echo) Receive(side translate.Side, m *jsonrpc.Message, now time.Time, out *translate.Out) {
	switch method := string(m.Method); {
	case side == translate.Agent:
		out.Forward()
	case method == "ping":
		out.Send(translate.Client, []byte(`{"id":`+string(m.ID)+`,"result":"pong"}`))
	case method == "cancel":
		out.Send(translate.Client, []byte(`{"method":"$/cancel_request","params":{"requestId":5}}`))
	case method == "later":
		e.next = now.Add(time.Second)
	case method == "lost":
		out.Lose(translate.Loss{Kind: translate.LossTerminal, Session: "s"})
	default:
		out.Forward()
	}
}

func (e *echo) Wake(_ time.Time, out *translate.Out) {
	e.next = time.Time{}
	out.Send(translate.Agent, []byte(`{"woken":1}`))
}

func (e *echo) NextWake() time.Time { return e.next }

func (e *echo) PeerClosed(side translate.Side, _ time.Time, out *translate.Out) {
	if side == translate.Agent {
		out.Send(translate.Client, []byte(`{"id":9,"error":{"message":"agent exited"}}`))
	}
}

// A connection is a rig with two wires and with processes that can be restarted.
type connection struct {
	*rig
	client, agent wire
	restarts      int
	echo          *echo // the bridge, once there is one
}

func newConnection(t testing.TB, bridge Bridge, configure ...func(*Options)) *connection {
	configure = append([]func(*Options){func(o *Options) { o.Bridge, o.ObserveAll = bridge, false }}, configure...)
	c := &connection{rig: newRig(t, configure...)}
	c.c.outlets[translate.Client] = transport.NewOutlet(&c.client, 1<<20)
	c.c.outlets[translate.Agent] = transport.NewOutlet(&c.agent, 1<<20)
	c.c.kill = func() { c.restarts++ }
	c.c.discovery.joiner = joiner{
		initialize: func(version capabilities.Version, _ []byte) []byte {
			return fmt.Appendf(nil, `{"protocolVersion":%d}`, version)
		},
		bridge: func(capabilities.Version, []byte, []byte) (versions.Bridge, []byte) {
			c.echo = new(echo)
			return c.echo, []byte(`{"protocolVersion":1,"agentInfo":{"name":"joined"}}`)
		},
	}
	return c
}

func observingAll(o *Options) { o.ObserveAll = true }

// exchange sends a line of a side, and checks the output to both.
func (c *connection) exchange(side translate.Side, line, atClient, atAgent string) {
	c.t.Helper()
	d := c.rig.client
	if side == translate.Agent {
		d = c.rig.agent
	}
	passed := inspect(d, line)
	if side == translate.Client {
		c.agent.Write([]byte(passed))
	} else {
		c.client.Write([]byte(passed))
	}
	c.wantOutput(line, atClient, atAgent)
}

func (c *connection) wantOutput(after, atClient, atAgent string) {
	c.t.Helper()
	synctest.Wait()
	if got := c.client.take(); got != atClient {
		c.t.Errorf("%s\nthe client gets %q\nwant            %q", after, got, atClient)
	}
	if got := c.agent.take(); got != atAgent {
		c.t.Errorf("%s\nthe agent gets %q\nwant           %q", after, got, atAgent)
	}
}

const (
	ownInitialize  = `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":1}}` + "\n"
	refusal        = `{"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"no"}}` + "\n"
	joinedAnswer   = `{"jsonrpc":"2.0","id":7,"result":{"protocolVersion":1,"agentInfo":{"name":"joined"}}}` + "\n"
	version2Result = `{"protocolVersion":2,"capabilities":{},"info":{}}`
)

// proxyInitialize returns the n-th initialize request of the proxy itself.
func proxyInitialize(n, version int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":100000000%d,"method":"initialize","params":{"protocolVersion":%d}}`+"\n", n, version)
}

func TestDiscoveryRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.exchange(translate.Client, ownInitialize, "", ownInitialize)
		c.exchange(translate.Agent, refusal, "", proxyInitialize(1, 2))
		time.Sleep(10 * time.Second)
		c.wantOutput("silence", "", "")
		if c.restarts != 1 {
			t.Fatalf("%d restarts", c.restarts)
		}
		c.exchange(translate.Agent, success(`1000000001`, version2Result), "", "") // too late
		if !c.c.AgentEnded() {
			t.Error("no restart is requested")
		}
		c.c.AgentRestarted()
		c.wantOutput("restart", "", proxyInitialize(2, 2))
		c.exchange(translate.Agent, success(`1000000002`, version2Result), joinedAnswer, "")
		if c.c.AgentEnded() {
			t.Error("a restart is requested")
		}
		c.wantOutput("the end", `{"id":9,"error":{"message":"agent exited"}}`+"\n", "")
	})
}

func TestDiscoveryFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.exchange(translate.Client, ownInitialize, "", ownInitialize)
		c.exchange(translate.Agent, refusal, "", proxyInitialize(1, 2))
		if !c.c.AgentEnded() {
			t.Error("no restart is requested")
		}
		c.c.AgentNotRestarted()
		c.wantOutput("no restart", refusal, "")
		if c.c.clientGate() != nil {
			t.Error("the client is held")
		}
		again := strings.Replace(ownInitialize, "7", "8", 1)
		c.exchange(translate.Client, again, "", again)
	})
}

func TestDiscoveryHoldsAllButResponses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		before := time.Now()
		c.fromClient(ownInitialize)
		for line, waits := range map[string]bool{
			`{"id":1,"result":{}}` + "\n": false, `{"id":1,"error":{}}` + "\n": false,
			`{"id":1,"method":"session/new"}` + "\n": true, "garbage\n": true, `[{"id":1,"result":{}}]` + "\n": true,
		} {
			if v := c.rig.client.Inspect([]byte(line)); v != transport.Hold {
				t.Errorf("%q: verdict %v", line, v)
			}
			if held := c.rig.client.Pause([]byte(line)); (held != nil) != waits {
				t.Errorf("%q waits: %v", line, held != nil)
			}
		}
		<-c.c.clientGate()
		if waited := time.Since(before); waited != holdLimit {
			t.Errorf("the client waits %v for an agent that does not answer", waited)
		}
		c.exchange(translate.Agent, success("7", version2Result), joinedAnswer, "")
	})
}

// A request before the initialize response is forwarded at once, because the agent may wait for the
// client's response.
func TestDiscoveryPassesEarlyRequests(t *testing.T) {
	for _, bridge := range []Bridge{BridgeAuto, Bridge2} {
		synctest.Test(t, func(t *testing.T) {
			c := newConnection(t, bridge)
			id, sent := "7", ownInitialize
			if bridge == Bridge2 {
				id, sent = "1000000001", proxyInitialize(1, 2)
			}
			c.exchange(translate.Client, ownInitialize, "", sent)
			question := request("3", "_confirm", `{}`)
			c.exchange(translate.Agent, question, question, "")
			c.exchange(translate.Client, success("3", `{}`), "", success("3", `{}`))
			c.exchange(translate.Agent, success(id, version2Result), joinedAnswer, "")
		})
	}
}

func TestDiscoveryOutlivesTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.exchange(translate.Client, ownInitialize, "", ownInitialize)
		if c.c.ClientClosed() == nil {
			t.Error("the last lines of the client are not held")
		}
		c.exchange(translate.Agent, refusal, "", proxyInitialize(1, 2))
		time.Sleep(againLimit - time.Millisecond)
		c.exchange(translate.Agent, success(`1000000001`, version2Result), joinedAnswer, "")
	})
	synctest.Test(t, func(t *testing.T) {
		for _, bridge := range []Bridge{BridgeAuto, Bridge2} {
			c := newConnection(t, bridge)
			c.fromClient(ownInitialize)
			before := time.Now()
			<-c.c.ClientClosed()
			if waited := time.Since(before); waited != goneLimit {
				t.Errorf("--bridge=%s: lines wait %v for an agent that does not answer", bridge, waited)
			}
		}
	})
}

// The client hangs up before its initialize is read. The proxy requests the preferred version, and
// the client's last lines wait at most goneLimit.
func TestDiscoveryAfterTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, Bridge2)
		if c.c.ClientClosed() != nil {
			t.Error("lines are held before there is a handshake")
		}
		c.exchange(translate.Client, ownInitialize, "", proxyInitialize(1, 2))
		before := time.Now()
		select {
		case <-c.c.clientGate():
			if waited := time.Since(before); waited != goneLimit {
				t.Errorf("lines wait %v for an agent that does not answer", waited)
			}
		case <-time.After(time.Hour):
			t.Error("lines wait for ever for an agent that does not answer")
		}
	})
}

// The agent closes its output before the client's initialize is read. There is nothing to wait for.
func TestDiscoveryAfterTheAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, bridge := range []Bridge{BridgeAuto, Bridge2} {
			c := newConnection(t, bridge)
			c.c.AgentEnded()
			c.exchange(translate.Client, ownInitialize, "", ownInitialize)
			if c.c.ClientClosed() != nil {
				t.Errorf("--bridge=%s: lines are held", bridge)
			}
		}
	})
}

// A slow agent may receive the client's initialize after the time limit of the client's lines. They
// are then not held again.
func TestDiscoveryHoldsNothingTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, Bridge2)
		c.exchange(translate.Client, ownInitialize, "", proxyInitialize(1, 2))
		c.exchange(translate.Agent, failure(`1000000001`), "", ownInitialize)
		<-c.c.clientGate()
		c.exchange(translate.Agent, refusal, "", "")
		c.c.AgentEnded()
		c.c.AgentRestarted()
		c.wantOutput("restart", "", ownInitialize)
		time.Sleep(2 * holdLimit)
		if c.c.clientGate() != nil {
			t.Error("the client is held once more")
		}
	})
}

// Messages before and after the response that ends the handshake keep their order, even within one
// read.
func TestDiscoveryKeepsTheOrder(t *testing.T) {
	const before, after, later = `{"method":"_before"}` + "\n", `{"method":"_after"}` + "\n", `{"method":"_later"}` + "\n"
	one := `{"protocolVersion":1}`
	for _, test := range []struct {
		name              string
		bridge            Bridge
		asks              string   // the client's initialize
		reads             []string // of the agent's output
		toClient, toAgent string   // the output
	}{
		{"the preferred version is refused", Bridge2, ownInitialize, []string{before + failure("1000000001") + after, success("7", one) + later},
			before + after + success("7", one) + later, proxyInitialize(1, 2) + ownInitialize},
		{"every version is refused", BridgeAuto, ownInitialize, []string{refusal, before, failure("1000000001"), before + failure("1000000002") + after},
			before + refusal + after, ownInitialize + proxyInitialize(1, 2) + proxyInitialize(2, 2)},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newConnection(t, test.bridge)
				c.agent.Write([]byte(c.fromClient(test.asks)))
				for _, read := range test.reads {
					if err := c.rig.agent.relay(strings.NewReader(read)); err != nil {
						t.Error(err)
					}
					synctest.Wait()
					if c.c.discovery.restartWith != nil {
						c.c.AgentEnded()
						c.c.AgentRestarted()
					}
				}
				c.wantOutput(test.name, test.toClient, test.toAgent)
			})
		})
	}
}

// A message whose reading overlaps the insertion of the bridge passes through the bridge.
func TestDiscoveryJoinsBesideAMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.fromClient(strings.Replace(ownInitialize, `1}`, `2,"capabilities":{},"info":{}}`, 1))
		c.fromAgent(success("7", `{"protocolVersion":1}`))
		c.rig.agent.handle = func(m *jsonrpc.Message, _ *slot) {
			time.Sleep(againLimit)
			synctest.Wait()
			if !c.c.joined.Load() || m.Reader != nil {
				t.Errorf("joined is %t, and a stage has read the update", c.c.joined.Load())
			}
		}
		c.fromAgent(planLine("s", legacyPlan("a")))
	})
}

// The buffer of messages before the initialize response is bounded.
func TestDiscoveryKeepsLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.exchange(translate.Client, ownInitialize, "", ownInitialize)
		c.exchange(translate.Agent, refusal, "", proxyInitialize(1, 2))
		line := `{"method":"` + strings.Repeat("x", maxBacklog/4-len(`{"method":""}`)) + `"}` + "\n"
		for range 3 {
			c.exchange(translate.Agent, line, "", "")
		}
		c.exchange(translate.Agent, strings.Replace(line, "x", strings.Repeat("y", maxBacklog/4), 1), "", "")
		c.exchange(translate.Agent, `{"method":"late"}`+"\n", "", "")
		c.exchange(translate.Agent, success(`1000000001`, version2Result), joinedAnswer+strings.Repeat(line, 3), "")
		if log := c.log.String(); !strings.Contains(log, "message before initialize was answered") {
			t.Errorf("log: %s", log)
		}
	})
}

const againLimit = 5 * time.Second // of versions.Handshake

// After a further message of the client, the agent is neither restarted nor joined: the message or
// its response would be lost.
func TestDiscoveryGivesUpOnAClientThatSpeaksAhead(t *testing.T) {
	const ahead = `{"id":8,"method":"session/new"}`
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.exchange(translate.Client, ownInitialize, "", ownInitialize)
		<-c.c.clientGate()
		response := success("1", "{}")
		c.exchange(translate.Client, response, "", response)
		c.exchange(translate.Client, ahead+"\n", "", ahead+"\n")
		c.exchange(translate.Agent, refusal, refusal, "")
		c.exchange(translate.Agent, success("8", "{}"), success("8", "{}"), "")
	})
}

// The client's relay locks the outlet to the agent before the conversation. A restart must therefore
// not wait for that outlet under the lock of the conversation.
func TestRestartBesideAClientThatSpeaks(t *testing.T) {
	c := newConnection(t, BridgeAuto)
	c.fromClient(ownInitialize)
	c.fromAgent(refusal)
	c.c.AgentEnded()
	restarted := make(chan struct{})
	in := &interrupted{direction: c.rig.client, before: func() {
		go func() {
			defer close(restarted)
			c.c.outlets[translate.Agent].Restart()
			c.c.AgentRestarted()
		}()
		time.Sleep(50 * time.Millisecond) // for the goroutine to block
	}}
	relay := transport.Relay{
		Src: strings.NewReader(success("1", "{}")), Dst: c.c.outlets[translate.Agent], Inspector: in, MaxLine: 1 << 20,
	}
	go relay.Run()
	select {
	case <-restarted:
	case <-time.After(10 * time.Second):
		t.Fatal("the restart and the relay wait for each other")
	}
}

// An interrupted direction calls before, and then inspects a line.
type interrupted struct {
	*direction
	before func()
}

func (i *interrupted) Inspect(line []byte) transport.Verdict {
	i.before()
	return i.direction.Inspect(line)
}

// The bridge keeps the ids of pending requests, so long ids are refused.
func TestBridgeRefusesLongIDs(t *testing.T) {
	for client := 1; client <= 2; client++ {
		synctest.Test(t, func(t *testing.T) {
			c := newConnection(t, BridgeAuto)
			c.join(client)
			id := `"` + strings.Repeat("x", maxID-2) + `"`
			c.exchange(translate.Client, request(id, "_x", "{}"), "", request("1", "_x", "{}"))
			c.exchange(translate.Agent, request(id, "_x", "{}"), request("1", "_x", "{}"), "")
			c.exchange(translate.Agent, success("1", "{}"), success(id, "{}"), "")
			c.exchange(translate.Client, success("1", "{}"), "", success(id, "{}"))

			id = `"` + strings.Repeat("x", maxID-1) + `"`
			refused := `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"the id is too long"}}` + "\n"
			c.exchange(translate.Client, request(id, "_x", "{}"), refused, "")
			c.exchange(translate.Agent, request(id, "_x", "{}"), "", refused)
		})
	}
}
