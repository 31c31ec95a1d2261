package proxy

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
)

// A wire is one side's end of a conversation: what has arrived there.
type wire struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *wire) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(b)
}

// take returns what has arrived since the last call.
func (w *wire) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.b.String()
	w.b.Reset()
	return s
}

// An echo is a bridge that passes everything on, marked, answers pings and cancels what
// the agent has asked.
type echo struct {
	next  time.Time
	asked []string
}

func (e *echo) Asked(id []byte, method, session string) {
	e.asked = append(e.asked, string(id)+" "+method+" "+session)
}

func (e *echo) FromClient(m *jsonrpc.Message, now time.Time, out *translate.Out) {
	switch string(m.Method) {
	case "ping":
		out.Send(translate.Client, []byte(`{"id":`+string(m.ID)+`,"result":"pong"}`))
	case "cancel":
		out.Send(translate.Client, []byte(`{"method":"$/cancel_request","params":{"requestId":5}}`))
	case "later":
		e.next = now.Add(time.Second)
	case "lost":
		out.Lose(translate.Loss{Kind: translate.LossTerminal, Session: "s"})
	default:
		out.Forward()
	}
}

func (e *echo) FromAgent(m *jsonrpc.Message, _ time.Time, out *translate.Out) { out.Forward() }

func (e *echo) Wake(_ time.Time, out *translate.Out) {
	e.next = time.Time{}
	out.Send(translate.Agent, []byte(`{"woken":1}`))
}

func (e *echo) Next() time.Time { return e.next }

func (e *echo) Gone(why string, _ time.Time, out *translate.Out) {
	out.Send(translate.Client, []byte(`{"id":9,"error":{"message":"`+why+`"}}`))
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
	c.c.restart = func() { c.restarts++ }
	c.c.discovery.joiner = joiner{
		initialize: func(version int, _ []byte) ([]byte, error) {
			return fmt.Appendf(nil, `{"protocolVersion":%d}`, version), nil
		},
		bridge: func(int, []byte, []byte) (versions.Bridge, []byte, error) {
			c.echo = new(echo)
			return c.echo, []byte(`{"protocolVersion":1,"agentInfo":{"name":"joined"}}`), nil
		},
	}
	return c
}

func observingAll(o *Options) { o.ObserveAll = true }

// says has a side say a line, and checks what arrives at both.
func (c *connection) says(side translate.Side, line, atClient, atAgent string) {
	c.t.Helper()
	d := c.rig.client
	if side == translate.Agent {
		d = c.rig.agent
	}
	passed := through(d, line)
	if side == translate.Client {
		c.agent.Write([]byte(passed))
	} else {
		c.client.Write([]byte(passed))
	}
	c.arrives(line, atClient, atAgent)
}

func (c *connection) arrives(after, atClient, atAgent string) {
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
	ownInitialize = `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":1}}` + "\n"
	refusal       = `{"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"no"}}` + "\n"
	joinedAnswer  = `{"jsonrpc":"2.0","id":7,"result":{"protocolVersion":1,"agentInfo":{"name":"joined"}}}` + "\n"
	two           = `{"protocolVersion":2,"capabilities":{},"info":{}}`
)

func asked(n, version int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":100000000%d,"method":"initialize","params":{"protocolVersion":%d}}`+"\n", n, version)
}

func TestDiscoveryLeavesOthersAlone(t *testing.T) {
	for _, bridge := range []Bridge{BridgeAuto, BridgeOff, Bridge1, ""} {
		synctest.Test(t, func(t *testing.T) {
			c := newConnection(t, bridge)
			c.says(translate.Client, ownInitialize, "", ownInitialize)
			held := c.c.holdsClient()
			if (held != nil) != (bridge == BridgeAuto || bridge == Bridge1) {
				t.Errorf("%s: the client is held: %v", bridge, held != nil)
			}
			notification := `{ "method":"x" }` + "\n"
			c.says(translate.Agent, notification, notification, "")
			answer := `{"id":7,"result":{"protocolVersion":1}}` + "\n"
			c.says(translate.Agent, answer, answer, "")
			if c.c.holdsClient() != nil || c.c.joined.Load() {
				t.Errorf("%s: the client is held afterwards, or joined", bridge)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeOff)
		c.says(translate.Client, ownInitialize, "", ownInitialize)
		c.says(translate.Agent, refusal, refusal, "")
	})
}

func TestDiscoveryJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.says(translate.Client, ownInitialize, "", ownInitialize)
		c.says(translate.Agent, refusal, "", asked(1, 2))
		kept := `{"method":"said","params":{}}`
		c.says(translate.Agent, kept+"\n", "", "")
		if c.c.holdsClient() == nil {
			t.Error("the client is not held")
		}
		c.says(translate.Agent, success(`1000000001`, two), joinedAnswer+kept+"\n", "")
		if c.c.holdsClient() != nil {
			t.Error("the client is held")
		}
		c.shows("legacy")
		if log := c.log.String(); !strings.Contains(log, `joined="client 1, agent 2"`) {
			t.Errorf("log: %s", log)
		}
	})
}

// What the agent asks before it answers initialize goes to the client at once. The
// bridge is told of what the client has not answered by then.
func TestDiscoveryTellsTheBridgeOfEarlyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.says(translate.Client, ownInitialize, "", ownInitialize)
		for _, line := range []string{
			`{ "id":1,"method":"a" }` + "\n", `{"method":"n"}` + "\n",
			`{"id":"x","method":"b","params":{"sessionId":"s"}}` + "\n", `{"id":7,"method":"initialize"}` + "\n",
		} {
			c.says(translate.Agent, line, line, "")
		}
		answer := success("1.0", "{}")
		c.says(translate.Client, answer, "", answer)
		c.says(translate.Agent, `{"id":7,"result":`+two+"}\n", joinedAnswer, "")
		if asked := c.echo.asked; strings.Join(asked, ",") != `"x" b s,7 initialize ` {
			t.Errorf("the bridge knows %q", asked)
		}
	})
	synctest.Test(t, func(t *testing.T) { // of a process that is replaced nothing stays
		c := newConnection(t, BridgeAuto)
		c.says(translate.Client, ownInitialize, "", ownInitialize)
		ask := `{"id":1,"method":"a"}` + "\n"
		c.says(translate.Agent, ask, ask, "")
		c.says(translate.Agent, refusal, "", asked(1, 2))
		c.c.agentEnded()
		c.c.agentRestarted()
		c.arrives("restart", "", asked(2, 2))
		c.says(translate.Agent, success(`1000000002`, two), joinedAnswer, "")
		if asked := c.echo.asked; asked != nil {
			t.Errorf("the bridge knows %q", asked)
		}
	})
}

func TestDiscoveryRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.says(translate.Client, ownInitialize, "", ownInitialize)
		c.says(translate.Agent, refusal, "", asked(1, 2))
		time.Sleep(10 * time.Second)
		c.arrives("silence", "", "")
		if c.restarts != 1 {
			t.Fatalf("%d restarts", c.restarts)
		}
		c.says(translate.Agent, success(`1000000001`, two), "", "") // too late
		if !c.c.agentEnded() {
			t.Error("the agent is not to be started once more")
		}
		c.c.agentRestarted()
		c.arrives("restart", "", asked(2, 2))
		c.says(translate.Agent, success(`1000000002`, two), joinedAnswer, "")
		if c.c.agentEnded() {
			t.Error("the agent is to be started once more")
		}
		c.arrives("the end", `{"id":9,"error":{"message":"agent exited"}}`+"\n", "")
	})
}

func TestDiscoveryFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.says(translate.Client, ownInitialize, "", ownInitialize)
		c.says(translate.Agent, refusal, "", asked(1, 2))
		if !c.c.agentEnded() {
			t.Error("the agent is not to be started once more")
		}
		c.c.agentNotRestarted()
		c.arrives("no restart", refusal, "")
		if c.c.holdsClient() != nil {
			t.Error("the client is held")
		}
		again := strings.Replace(ownInitialize, "7", "8", 1)
		c.says(translate.Client, again, "", again)
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
		<-c.c.holdsClient()
		if waited := time.Since(before); waited != holdLimit {
			t.Errorf("the client waits %v for an agent that does not answer", waited)
		}
		c.says(translate.Agent, success("7", two), joinedAnswer, "")
	})
}

func TestDiscoveryOutlivesTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.says(translate.Client, ownInitialize, "", ownInitialize)
		if c.c.clientGone() == nil {
			t.Error("the lines that the client said last are not held")
		}
		c.says(translate.Agent, refusal, "", asked(1, 2))
		time.Sleep(againLimit - time.Millisecond)
		c.says(translate.Agent, success(`1000000001`, two), joinedAnswer, "")
	})
	synctest.Test(t, func(t *testing.T) {
		for _, bridge := range []Bridge{BridgeAuto, Bridge2} {
			c := newConnection(t, bridge)
			c.fromClient(ownInitialize)
			before := time.Now()
			<-c.c.clientGone()
			if waited := time.Since(before); waited != goneLimit {
				t.Errorf("--bridge=%s: lines wait %v for an agent that does not answer", bridge, waited)
			}
		}
	})
}

// A client that has hung up before its initialize is read: the agent is asked for
// the version that the user prefers, and the client's last lines do not wait for
// ever.
func TestDiscoveryAfterTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, Bridge2)
		if c.c.clientGone() != nil {
			t.Error("lines are held before there is a handshake")
		}
		c.says(translate.Client, ownInitialize, "", asked(1, 2))
		before := time.Now()
		select {
		case <-c.c.holdsClient():
			if waited := time.Since(before); waited != goneLimit {
				t.Errorf("lines wait %v for an agent that does not answer", waited)
			}
		case <-time.After(time.Hour):
			t.Error("lines wait for ever for an agent that does not answer")
		}
	})
}

// A slow agent may get the client's initialize when the client's lines go on already.
// Then nothing waits for a moment that has passed.
func TestDiscoveryHoldsNothingTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, Bridge2)
		c.says(translate.Client, ownInitialize, "", asked(1, 2))
		c.says(translate.Agent, failure(`1000000001`), "", ownInitialize)
		<-c.c.holdsClient()
		c.says(translate.Agent, refusal, "", "")
		c.c.agentEnded()
		c.c.agentRestarted()
		c.arrives("restart", "", ownInitialize)
		time.Sleep(2 * holdLimit)
		if c.c.holdsClient() != nil {
			t.Error("the client is held once more")
		}
	})
}

// What an agent says instead of its answer is kept, but not without end.
func TestDiscoveryKeepsLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.says(translate.Client, ownInitialize, "", ownInitialize)
		c.says(translate.Agent, refusal, "", asked(1, 2))
		line := `{"method":"` + strings.Repeat("x", maxKept/4-len(`{"method":""}`)) + `"}` + "\n"
		for range 3 {
			c.says(translate.Agent, line, "", "")
		}
		c.says(translate.Agent, strings.Replace(line, "x", strings.Repeat("y", maxKept/4), 1), "", "")
		c.says(translate.Agent, `{"method":"late"}`+"\n", "", "")
		c.says(translate.Agent, success(`1000000001`, two), joinedAnswer+strings.Repeat(line, 3), "")
		if log := c.log.String(); !strings.Contains(log, "message before initialize was answered") {
			t.Errorf("log: %s", log)
		}
	})
}

const againLimit = 5 * time.Second // of versions.Handshake

// A message that has gone to the agent behind an unanswered initialize would be
// lost if the agent were started once more, and its answer if the two were joined.
func TestDiscoveryGivesUpOnAClientThatSpeaksAhead(t *testing.T) {
	const ahead = `{"id":8,"method":"session/new"}`
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.says(translate.Client, ownInitialize, "", ownInitialize)
		<-c.c.holdsClient()
		response := success("1", "{}")
		c.says(translate.Client, response, "", response)
		c.says(translate.Client, ahead+"\n", "", ahead+"\n")
		c.says(translate.Agent, refusal, refusal, "")
		c.says(translate.Agent, success("8", "{}"), success("8", "{}"), "")
	})
}

// An agent that is started once more is not told what its predecessor asked for,
// and the client does not hear the predecessor any more.
func TestDiscoveryBetweenTwoProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, Bridge2)
		c.says(translate.Client, ownInitialize, "", asked(1, 2))
		c.says(translate.Agent, failure(`1000000001`), "", ownInitialize)
		c.says(translate.Agent, refusal, "", "")
		if c.restarts != 1 {
			t.Fatalf("%d restarts", c.restarts)
		}
		c.says(translate.Agent, `{"method":"said"}`+"\n", "", "")
		c.says(translate.Client, success("1", "{}"), "", "")
		c.c.agentEnded()
		c.c.agentRestarted()
		c.arrives("restart", "", ownInitialize)
	})
}

// The client's relay holds the outlet to the agent while it takes the lock of
// the conversation. So nobody who has the lock may wait for that outlet.
func TestRestartBesideAClientThatSpeaks(t *testing.T) {
	c := newConnection(t, BridgeAuto)
	c.fromClient(ownInitialize)
	c.fromAgent(refusal)
	c.c.agentEnded()
	restarted := make(chan struct{})
	in := &interrupted{direction: c.rig.client, by: func() {
		go func() {
			defer close(restarted)
			c.c.outlets[translate.Agent].Restart()
			c.c.agentRestarted()
		}()
		time.Sleep(50 * time.Millisecond) // it comes as far as it can
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

// An interrupted direction has something happen while a line is dealt with.
type interrupted struct {
	*direction
	by func()
}

func (i *interrupted) Inspect(line []byte) transport.Verdict {
	i.by()
	return i.direction.Inspect(line)
}

// joinedConnection is a connection through an echo.
func joinedConnection(t testing.TB) *connection {
	c := newConnection(t, BridgeAuto)
	c.says(translate.Client, ownInitialize, "", ownInitialize)
	c.says(translate.Agent, `{"id":7,"result":`+two+"}\n", joinedAnswer, "")
	return c
}

func TestThroughBridge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := joinedConnection(t)
		const client, agent = translate.Client, translate.Agent
		line := `{ "method":"x" }` + "\n"
		c.says(client, line, "", line)
		c.says(agent, line, line, "")
		c.says(client, `{"id":1,"method":"ping"}`+"\n", `{"id":1,"result":"pong"}`+"\n", "")

		// Plans are translated behind the bridge.
		c.says(agent, planLine("s", itemsPlan("p", "a")), planLine("s", legacyPlan("a")), "")
		c.says(agent, planLine("s", removal("none")), "", "")

		// A batch is taken apart.
		c.says(client, `[{"id":1,"method":"ping"},{"method":"x"}]`+"\n", `{"id":1,"result":"pong"}`+"\n", `{"method":"x"}`+"\n")

		// What cannot be read is answered, if it is a request.
		c.says(agent, "garbage\n", "", "")
		c.says(agent, "\n", "", "")
		c.says(agent, "[]\n", "", "")
		c.says(client, ownInitialize, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"initialize may be requested once"}}`+"\n", "")

		c.says(client, `{"method":"later"}`+"\n", "", "")
		time.Sleep(2 * time.Second)
		c.arrives("the timer", "", `{"woken":1}`+"\n")
		c.says(client, `{"method":"later"}`+"\n", "", "")
		c.c.agentEnded()
		c.arrives("the end", `{"id":9,"error":{"message":"agent exited"}}`+"\n", "")
		time.Sleep(2 * time.Second)
		c.arrives("the timer after the end", "", "")
	})
}

// A line that is too long is answered at its end, wherever in it the id is.
func TestBridgeRefusesWhatIsTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := joinedConnection(t)
		const why = `,"error":{"code":-32600,"message":"the message is longer than --max-message"}}` + "\n"
		const state = `"update":{"sessionUpdate":"state_update","state":"idle"`
		for _, test := range []struct {
			line             string // with a mark | behind its beginning
			atClient, atPeer string // what the client and the agent get if the client says it
		}{
			{`{"id":1,"method":"x","params":{"text":"long|"}}`, `{"jsonrpc":"2.0","id":1` + why, ""},
			{`{"id":1,"method":"x","params":{"text":"long|`, `{"jsonrpc":"2.0","id":1` + why, ""},
			{`{"method":"x","params":{"text":"long|"},"id":1}`, `{"jsonrpc":"2.0","id":1` + why, ""},
			{`{"params":{"text":"long|"},"id":"\"}","method":"x"}`, `{"jsonrpc":"2.0","id":"\"}"` + why, ""},
			{`{"id":1,"params":{"text":"long|"},"method":"x","id":2}`, `{"jsonrpc":"2.0","id":2` + why, ""},
			{`{"method":"x","params":{"id":5,"text":"long|"}}`, "", ""},
			{`{"id":3,"result":{"text":"long|"}}`, "", `{"jsonrpc":"2.0","id":3` + why},
			{`{"result":{"id":9,"text":"long|"},"id":3}`, "", `{"jsonrpc":"2.0","id":3` + why},
			{`{"result":{"text":"long|"}}`, "", ""},
			{`"long|"`, "", ""},
			{`[{"id":1,"method":"x","params":"long|"}]`, "", ""},
			{
				`{"method":"session/update","params":{` + state + `,"_meta":"long|"},"sessionId":"s"}}`, "",
				`{"method":"session/update","params":{` + state + `},"sessionId":"s"}}` + "\n",
			},
			{`{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call","x":"long|"},"sessionId":"s"}}`, "", ""},
		} {
			for _, side := range []translate.Side{translate.Client, translate.Agent} {
				d, atClient, atAgent := c.rig.client, test.atClient, test.atPeer
				if side == translate.Agent {
					d, atClient, atAgent = c.rig.agent, atAgent, atClient
				}
				beginning, rest, _ := strings.Cut(test.line, "|")
				if v := d.Oversize([]byte(beginning)); v != transport.Drop {
					t.Errorf("%s: verdict %v", beginning, v)
				}
				for i := range len(rest) {
					d.Rest([]byte(rest[i:i+1]), false)
				}
				c.arrives(beginning, "", "")
				d.Rest([]byte("\n"), true)
				c.arrives(test.line, atClient, atAgent)
			}
		}
	})
}

// What is not JSON is answered as far as it can be read.
func TestBridgeRefusesWhatIsNotJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := joinedConnection(t)
		failure := func(id string, code int, why string) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"%s"}}`+"\n", id, code, why)
		}
		refused := failure("1", -32700, "the line is not valid JSON")
		broken := failure("null", -32700, "the line is not valid JSON")
		noMessage := failure("null", -32600, "neither a request, a notification nor a response")
		const idle = `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}`
		for _, test := range []struct {
			line           string
			atSelf, atPeer string // what the side gets that says it, and the other side
		}{
			{"\xef\xbb\xbf" + `{"id":1,"method":"x"}`, refused, ""},
			{`{"id":1,"method":"x"} and so on`, refused, ""},
			{`{"id":1,"method":"x"}{"id":2,"method":"y"}`, refused, ""},
			{`{"id":1,"method":"x","params":{"a":"b`, refused, ""},
			{`{"id":1,"method":"x","params":{"a":NaN}}`, refused, ""},
			{`{"params":{"a":NaN},"id":1,"method":"x"}`, refused, ""},
			{`{"id":1,"method":"x`, refused, ""},
			{`{"id":1,"method":7}`, failure("1", -32600, "the method is no string"), ""},
			{`{"id":1,"method":null,"params":{}}`, failure("1", -32600, "the method is no string"), ""},
			{`[{"id":1,"method":{}}]`, failure("1", -32600, "the method is no string"), ""},
			{`{"id":3,"result":{"a":`, "", failure("3", -32603, "the line is not valid JSON")},
			{`{"error":{"code":1,},"id":3}`, "", failure("3", -32603, "the line is not valid JSON")},
			{idle + "}", "", idle + "\n"},
			{`{"id":3`, broken, ""}, // request or response
			{`{"id":3,`, broken, ""},
			{`{"method":"x","params":{"a":`, broken, ""},
			{`[{"id":1,"method":"x"},`, broken, ""},
			{`{"params":{"id":1,"method":"x"`, broken, ""},
			{`x {"id":1,"method":"x"}`, broken, ""},
			{`x`, broken, ""},
			{"\x00", broken, ""},
			{`[]`, failure("null", -32600, "the line has no message"), ""},
			{`{}`, noMessage, ""},
			{`{"foo":"bar"}`, noMessage, ""},
			{`{"method":1,"params":"bar"}`, noMessage, ""},
			{`"x"`, noMessage, ""},
			{`[17,true,null]`, noMessage + noMessage + noMessage, ""},
			{`[17,{"method":"x"}]`, noMessage, `{"method":"x"}` + "\n"},
			{`{"error":{}}`, "", `{"error":{}}` + "\n"}, // perhaps about what the side could not read
			{`{"id":null,"error":{}}`, "", `{"id":null,"error":{}}` + "\n"},
		} {
			c.says(translate.Client, test.line+"\n", test.atSelf, test.atPeer)
			if strings.Contains(test.atSelf, `"id":null`) {
				test.atSelf = "" // only agents tell that
			}
			c.says(translate.Agent, test.line+"\n", test.atPeer, test.atSelf)
		}
	})
}

func TestBridgeDropsBlankLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := joinedConnection(t)
		for _, line := range []string{"{\n", "\n", " \r\n"} { // only the first is a loss
			c.says(translate.Agent, line, "", "")
			c.says(translate.Client, strings.TrimPrefix(line, "{"), "", "")
		}
		if lost := c.c.losses.log.Summary().String(); lost != "[message not passed on=1]" {
			t.Errorf("lost are %s", lost)
		}
	})
}

// An id is kept until its request is answered, so a long one is refused.
func TestBridgeRefusesLongIDs(t *testing.T) {
	for client := 1; client <= 2; client++ {
		synctest.Test(t, func(t *testing.T) {
			c := newConnection(t, BridgeAuto)
			c.join(client)
			id := `"` + strings.Repeat("x", maxID-2) + `"`
			c.says(translate.Client, request(id, "_x", "{}"), "", request("1", "_x", "{}"))
			c.says(translate.Agent, request(id, "_x", "{}"), request("1", "_x", "{}"), "")
			c.says(translate.Agent, success("1", "{}"), success(id, "{}"), "")
			c.says(translate.Client, success("1", "{}"), "", success(id, "{}"))

			id = `"` + strings.Repeat("x", maxID-1) + `"`
			refused := `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"the id is too long"}}` + "\n"
			c.says(translate.Client, request(id, "_x", "{}"), refused, "")
			c.says(translate.Agent, request(id, "_x", "{}"), "", refused)
		})
	}
}

func TestLossesAreLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := joinedConnection(t)
		for range 3 {
			c.says(translate.Client, `{"method":"lost"}`+"\n", "", "")
		}
		if n := strings.Count(c.log.String(), "kind=terminal"); n != 1 {
			t.Errorf("logged %d times", n)
		}
	})
}

// What the agent said while it was asked for itself is shown as what it said.
func TestKeptEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto, observingAll)
		c.fromClient(ownInitialize)
		c.fromAgent(refusal)
		const kept = `{"method":"said"}`
		c.fromAgent(kept + "\n")
		c.events = nil
		c.c.agentEnded()
		c.fromAgent(kept + "\n") // by the process that is ending
		c.c.agentNotRestarted()
		if e := c.events; len(e) != 3 || e[0].Action != plans.Drop || e[1].Action != plans.Drop || string(e[2].Out)+"\n" != refusal {
			t.Errorf("restarted: %+v", e)
		}

		c = newConnection(t, Bridge2, observingAll)
		c.fromClient(ownInitialize)
		c.fromAgent(kept + "\n")
		c.events = nil
		c.c.agentEnded()
		if e := c.events; len(e) != 1 || e[0].FromClient || e[0].Action != plans.Forward || string(e[0].In) != kept {
			t.Errorf("native: %+v", e)
		}
	})
}

func TestBridgedEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto, observingAll)
		says := func(side translate.Side, line string) {
			d := c.rig.client
			if side == translate.Agent {
				d = c.rig.agent
			}
			through(d, line)
		}
		says(translate.Client, ownInitialize)
		says(translate.Agent, refusal)
		says(translate.Agent, success(`1000000001`, two))
		says(translate.Client, `{"id":1,"method":"ping"}`+"\n")
		says(translate.Client, `{"method":"x"}`+"\n")
		says(translate.Agent, planLine("s", itemsPlan("p", "a")))
		var got []string
		for _, e := range c.events {
			from := "agent"
			if e.FromClient {
				from = "client"
			}
			got = append(got, fmt.Sprintf("%s %s %s => %s", from, e.Action, strings.TrimSpace(string(e.In)), strings.TrimSpace(string(e.Out))))
		}
		want := []string{
			"client forward " + ownInitialize + " => " + ownInitialize,
			"agent drop " + refusal + " => ",
			"client rewrite  => " + asked(1, 2),
			"agent drop " + success(`1000000001`, two) + " => ",
			"agent rewrite  => " + joinedAnswer,
			`client drop {"id":1,"method":"ping"} => `,
			`agent rewrite  => {"id":1,"result":"pong"}`,
			`client forward {"method":"x"} => {"method":"x"}`,
			"agent rewrite " + planLine("s", itemsPlan("p", "a")) + " => " + planLine("s", legacyPlan("a")),
		}
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], "\n", "")
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}
