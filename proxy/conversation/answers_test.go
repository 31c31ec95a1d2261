package conversation

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport"
)

// A flood is a reader of many lines, each with a number of its own.
type flood struct {
	line      string // with %d for the number
	lineCount int    // how many there are
	next      int
	rest      []byte
}

func (f *flood) Read(b []byte) (int, error) {
	for ; len(f.rest) < len(b) && f.next < f.lineCount; f.next++ {
		f.rest = fmt.Appendf(f.rest, f.line+"\n", f.next)
	}
	n := copy(b, f.rest)
	f.rest = f.rest[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// join makes c a connection through the bridge for a client of that version.
func (c *connection) join(client int) {
	c.c.discovery.joiner = newJoiner("agent", c.c.options.Announcement, c.c.stages.negotiation.selectors.Options, func() string { return "message" })
	const id = `{"jsonrpc":"2.0","id":0,`
	one := `"result":{"protocolVersion":1,"agentCapabilities":{}}}` + "\n"
	if client == 1 {
		c.fromClient(id + `"method":"initialize","params":{"protocolVersion":1}}` + "\n")
		c.fromAgent(id + `"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{}}}` + "\n")
	} else {
		c.fromClient(id + `"method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}}` + "\n")
		c.fromAgent(id + one)
		c.fromAgent(`{"jsonrpc":"2.0","id":1000000001,` + one)
	}
	if !c.c.joined.Load() {
		c.t.Fatal("the versions are not joined")
	}
	synctest.Wait()
	c.client.take()
	c.agent.take()
}

// The proxy responds to each line of a peer that does not read the responses. It then stops reading
// the peer's lines. When the peer reads, it receives each response once and in order.
func TestUnreadResponses(t *testing.T) {
	const lines = 12_000
	pad := strings.Repeat("x", 400) // makes each response long
	for _, test := range []struct {
		side   translate.Side
		client int // its version
		line   string
	}{
		{translate.Client, 1, `{"jsonrpc":"2.0","id":"%d PAD","method":"session/prompt","params":{}}`},
		{translate.Client, 1, `{"jsonrpc":"2.0","id":"%d PAD","method":"session/prompt","params":{}`},
		{translate.Client, 2, `{"jsonrpc":"2.0","id":"%d PAD","method":"authenticate","params":{}}`},
		{translate.Client, 2, `{"jsonrpc":"2.0","id":"%d PAD","method":7}`},
		{translate.Agent, 1, `{"jsonrpc":"2.0","id":"%d PAD","method":"fs/read_text_file","params":{}}`},
		{translate.Agent, 2, `{"jsonrpc":"2.0","id":"%d PAD","method":"terminal/create","params":{}}`},
		{translate.Agent, 2, `{"jsonrpc":"2.0","id":"%d PAD","method":"x"} and so on`},
	} {
		synctest.Test(t, func(t *testing.T) {
			name := fmt.Sprintf("client %d, the %s sends %s", test.client, test.side, test.line)
			c := newConnection(t, BridgeAuto)
			c.join(test.client)
			read, out := io.Pipe()
			c.c.outlets[test.side] = transport.NewOutlet(out, 64<<20)
			src := &flood{line: strings.ReplaceAll(test.line, "PAD", pad), lineCount: lines}
			ended := make(chan error, 1)
			go func() { ended <- c.c.Relay(test.side, src) }()
			synctest.Wait()
			if src.next > lines/2 {
				t.Errorf("%s: %d lines were read before any response", name, src.next)
			}
			answers := bufio.NewScanner(read)
			for i := range lines {
				if want := fmt.Sprintf(`"id":"%d %s","error"`, i, pad); !answers.Scan() || !strings.Contains(answers.Text(), want) {
					t.Fatalf("%s: answer %d is %.1000q", name, i, answers.Text())
				}
			}
			if err := <-ended; err != nil {
				t.Errorf("%s: %v", name, err)
			}
			read.Close()
		})
	}
}

// Only responses to a peer count. A peer may write for long before it reads other messages.
func TestOnlyResponsesPauseAPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnection(t, BridgeAuto)
		c.join(1)
		read, out := io.Pipe()
		c.c.outlets[translate.Client] = transport.NewOutlet(out, 64<<20)
		inspect(c.rig.agent, `{"method":"_x","params":{"text":"`+strings.Repeat("x", 4<<20)+`"}}`+"\n")
		src := &flood{line: `{"jsonrpc":"2.0","id":%d,"method":"_x"}`, lineCount: 1000}
		relay := transport.Relay{
			Src: src, Dst: c.c.outlets[translate.Agent],
			Inspector: newDirection(c.c, translate.Client), MaxLine: 1 << 20,
		}
		if err := relay.Run(); err != nil {
			t.Error(err)
		}
		if got := strings.Count(c.agent.take(), "\n"); got != 1000 {
			t.Errorf("%d of 1000 lines reach the agent", got)
		}
		read.Close()
	})
}
