package proxy

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport"
)

// BenchmarkBridge is what an agent says while it works, through a bridge, from
// the relay's read to its write: an operation is a line. Of 100 lines 3 are
// plans and 6 belong to tool calls. Each tool call shows a diff and then 10 kB
// of text. Ids do not come again, so what a bridge keeps grows as in a long
// session.
func BenchmarkBridge(b *testing.B) {
	b.Run("client 1, agent 2", func(b *testing.B) {
		benchmarkBridge(b, `{"protocolVersion":1,"clientCapabilities":{}}`,
			failureWith(`"c0"`, `{"code":-32022,"message":"Unsupported protocol version","data":{"requested":1,"supported":[2]}}`)+
				success(`"acp-plan-proxy-1"`, `{"protocolVersion":2,"info":{"name":"agent","version":"1"},"capabilities":{"session":{}},"authMethods":[]}`),
			newStream(2))
	})
	b.Run("client 2, agent 1", func(b *testing.B) {
		const old = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"authMethods":[]}`
		benchmarkBridge(b, `{"protocolVersion":2,"info":{"name":"client","version":"1"},"capabilities":{}}`,
			success(`"c0"`, old)+success(`"acp-plan-proxy-1"`, old),
			newStream(1))
	})
}

func benchmarkBridge(b *testing.B, initialize, answers string, lines *stream) {
	c := newTestConversation(func(o *Options) { o.Bridge = BridgeAuto })
	c.discovery.joiner = newJoiner("agent", c.options.Told, rand.Text)
	for side := range c.outlets {
		c.outlets[side] = transport.NewOutlet(io.Discard, 64<<20)
	}
	relay := func(from translate.Side, lines io.Reader) {
		r := transport.Relay{Src: lines, Dst: c.outlets[from.Other()], Inspector: newDirection(c, from), MaxLine: c.options.MaxMessage}
		if err := r.Run(); err != nil {
			b.Fatal(err)
		}
	}
	relay(translate.Client, strings.NewReader(request(`"c0"`, methodInitialize, initialize)))
	relay(translate.Agent, strings.NewReader(answers))
	if !c.joined.Load() {
		b.Fatal("the two are not joined")
	}
	relay(translate.Client, strings.NewReader(request(`"c1"`, "session/resume", `{"sessionId":"s","cwd":"/p","mcpServers":[]}`)))
	relay(translate.Agent, strings.NewReader(success("1", `{}`)))
	b.SetBytes(int64(lines.size() / len(lines.lines)))
	b.ReportAllocs()
	lines.left = b.N
	b.ResetTimer()
	relay(translate.Agent, lines)
}

func failureWith(id, err string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":` + err + "}\n"
}

// A stream reads as lines that come again and again, each time with other ids.
type stream struct {
	lines [][]byte
	ids   []int // where each has the number of the lap; -1 if it has none
	left  int   // lines to come
	next  int
	lap   int
	rest  []byte // of the line that is being read
}

// idMark is where the ids of a stream have the number of the lap.
const idMark = "10000000"

// newStream returns what an agent of a version says.
func newStream(version int) *stream {
	s := &stream{}
	text := strings.Repeat(`the parser \"reads\" it line by line, naïvely\n\t`, 4)
	for i := range 1000 {
		message := fmt.Sprintf(`"messageId":"m%d-%s",`, i/100, idMark)
		call := fmt.Sprintf(`"toolCallId":"t%d-%s"`, i/100, idMark)
		var update string
		switch n := i % 100; {
		case n%33 == 32:
			update = legacyPlan(strings.Repeat("a step ", 5))
			if version == 2 {
				update = itemsPlan("p", strings.Repeat("a step ", 5))
			}
		case n == 10 || n == 40 || n == 70:
			update = `{"sessionUpdate":"` + map[int]string{1: "tool_call", 2: "tool_call_update"}[version] + `",` + call +
				`,"title":"Edit","kind":"edit","status":"pending","content":[` + diffItem(version) + `],"locations":[{"path":"/p/a.go","line":3}]}`
		case n == 20 || n == 50 || n == 80:
			update = `{"sessionUpdate":"tool_call_update",` + call + `,"status":"completed","content":[` +
				`{"type":"content","content":{"type":"text","text":"` + strings.Repeat(text, 50) + `"}}],"rawOutput":{"exitCode":0}}`
		case version == 1:
			update = `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text + `"}}`
		default:
			update = `{"sessionUpdate":"agent_message_chunk",` + message + `"content":{"type":"text","text":"` + text + `"}}`
		}
		s.lines = append(s.lines, []byte(planLine("s", update)))
		s.ids = append(s.ids, bytes.Index(s.lines[i], []byte(idMark)))
	}
	return s
}

// diffItem returns a diff of a file of 100 lines. Every tenth line changes.
func diffItem(version int) string {
	const line, lines = `\tif err := read(\"a\"); err != nil { // %d\n`, 100
	var before, after, patch strings.Builder
	for i := range lines {
		fmt.Fprintf(&before, line, i)
		if i%10 != 5 {
			fmt.Fprintf(&after, line, i)
			continue
		}
		fmt.Fprintf(&after, line, lines+i)
		fmt.Fprintf(&patch, `@@ -%d,7 +%[1]d,7 @@\n`, i-2)
		for j := i - 3; j < i+4; j++ {
			if j == i {
				fmt.Fprintf(&patch, "-"+line+"+"+line, i, lines+i)
			} else {
				fmt.Fprintf(&patch, " "+line, j)
			}
		}
	}
	if version == 1 {
		return `{"type":"diff","path":"/p/a.go","oldText":"` + before.String() + `","newText":"` + after.String() + `"}`
	}
	return `{"type":"diff","changes":[{"operation":"modify","path":"/p/a.go","fileType":"text"}],"patch":{"format":"git_patch","text":"` +
		`diff --git /p/a.go /p/a.go\n--- /p/a.go\n+++ /p/a.go\n` + patch.String() + `"}}`
}

func (s *stream) size() (n int) {
	for _, line := range s.lines {
		n += len(line)
	}
	return n
}

// Read implements [io.Reader].
func (s *stream) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(s.rest) == 0 && s.left == 0 {
			break
		}
		if len(s.rest) == 0 {
			s.rest = s.lines[s.next]
			if at := s.ids[s.next]; at >= 0 {
				strconv.AppendInt(s.rest[:at], int64(10_000_000+s.lap), 10)
			}
			s.left--
			if s.next++; s.next == len(s.lines) {
				s.next = 0
				s.lap++
			}
		}
		k := copy(p[n:], s.rest)
		n, s.rest = n+k, s.rest[k:]
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
