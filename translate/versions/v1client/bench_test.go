package v1client

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// BenchmarkStream converts the output of an agent in a long session: text in small
// chunks, and every tenth message a report of a tool call. The time includes the
// reading of the message.
func BenchmarkStream(b *testing.B) {
	var lines []string
	for i := range 1000 {
		id := fmt.Sprint("call-", i/20)
		switch {
		case i%20 == 10:
			lines = append(lines,
				full(`{"sessionUpdate":"tool_call_update","toolCallId":"`+id+`","title":"Read file","kind":"read","status":"in_progress","rawInput":{"path":"/p/a.txt"},"locations":[{"path":"/p/a.txt","line":1}]}`))
		case i%20 == 0 && i > 0:
			lines = append(lines,
				full(`{"sessionUpdate":"tool_call_update","toolCallId":"call-`+fmt.Sprint(i/20-1)+`","status":"completed","content":[`+textItem(strings.Repeat("a line of a file\\n", 20))+`]}`))
		default:
			lines = append(lines, full(chunk("agent_message", fmt.Sprint("m", i/100), "some words of text")))
		}
	}
	benchmark(b, lines)
}

// BenchmarkToolCallContent converts content that grows item by item between
// other messages: the cost of a message must not grow with the content so far.
func BenchmarkToolCallContent(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var lines []string
			for range n {
				lines = append(lines, full(contentChunk(textItem("a line that a tool has printed"))), full(hello))
			}
			benchmark(b, lines)
		})
	}
}

// BenchmarkTerminal converts terminal output in small chunks.
func BenchmarkTerminal(b *testing.B) {
	lines := []string{full(call(`,"title":"T","content":[{"type":"terminal","terminalId":"x"}]`))}
	for range 10_000 {
		lines = append(lines, full(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"YSBsaW5lIHRoYXQgYSB0b29sIGhhcyBwcmludGVkCg=="}`), full(hello))
	}
	benchmark(b, lines)
}

// benchmark converts the lines repeatedly, with 10 ms between them on the clock of the bridge.
func benchmark(b *testing.B, lines []string) {
	texts := make([][]byte, len(lines))
	for i, line := range lines {
		texts[i] = []byte(line)
	}
	var (
		p   *Bridge
		c   rawjson.Cursor
		m   jsonrpc.Message
		out translate.Out
		now time.Time
	)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i%len(texts) == 0 {
			p = New(Options{})
			now = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
		}
		text := texts[i%len(texts)]
		i++
		now = now.Add(10 * time.Millisecond)
		if next := p.NextWake(); !next.IsZero() && !next.After(now) {
			out.Reset(translate.Agent, nil)
			p.Wake(now, &out)
		}
		c.Reset(text)
		m.Read(&c, text, nil)
		out.Reset(translate.Agent, &m)
		p.Receive(translate.Agent, &m, now, &out)
	}
}

// BenchmarkDiffs converts tool calls with a patch of three hunks, and with one of 200 KiB.
func BenchmarkDiffs(b *testing.B) {
	for name, lines := range map[string]int{"small": 6, "large": 1500} {
		b.Run(name, func(b *testing.B) {
			var patch strings.Builder
			patch.WriteString("diff --git /p/a.go /p/a.go\n--- /p/a.go\n+++ /p/a.go\n")
			for i := range 3 {
				fmt.Fprintf(&patch, "@@ -%d,%d +%d,%d @@ func f()\n", 100*i, lines+1, 100*i, lines+1)
				patch.WriteString(strings.Repeat(" \tif x == \"y\" { return nil, err }\n", lines) + "-\told := 1\n+\tnew := 2\n")
			}
			text := string(rawjson.AppendQuoted(nil, patch.String()))
			benchmark(b, []string{full(call(`,"content":[{"type":"diff","changes":[{"operation":"modify","path":"/p/a.go"}],"patch":{"format":"git_patch","text":` + text + `}}]`))})
		})
	}
}
