package judge

import (
	"bytes"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/recording"
)

// BenchmarkJudge has what most of a recording is.
func BenchmarkJudge(b *testing.B) {
	lines := strings.Repeat(`a line of a file\n`, 100)
	entries := strings.Repeat(`{"content":"a step of a plan","priority":"high","status":"pending"},`, 9) + `{"content":"b","priority":"low","status":"completed"}`
	for _, of := range []struct {
		name     string
		version  int
		messages []string
	}{
		{"v1/chunk", 1, []string{update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"some words of a text "}}`)}},
		{"v1/plan", 1, []string{update(`{"sessionUpdate":"plan","entries":[` + entries + `]}`)}},
		{"v1/diff", 1, []string{update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[{"type":"diff","path":"/a","oldText":"` + lines + `","newText":"` + lines + `"}]}`)}},
		{"v1/invalid", 1, []string{update(`{"sessionUpdate":"plan","entries":[` + entries + `,{"content":"a"}]}`)}},
		{"v2/chunk", 2, []string{update(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"some words of a text "}}`)}},
		{"v2/plan", 2, []string{update(`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[` + entries + `]}}`)}},
		{"v2/diff", 2, []string{update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[{"type":"diff","changes":[{"operation":"modify","path":"/a","patch":{"format":"git_patch","text":"` + lines + lines + `"}}]}]}`)}},
	} {
		b.Run(of.name, func(b *testing.B) {
			j := New(&drafts)
			events := events(b, append(begun(of.version), of.messages...)...)
			for _, e := range events {
				j.Judge(&e)
			}
			e := &events[len(events)-1]
			b.ReportAllocs()
			for b.Loop() {
				j.Judge(e)
			}
		})
	}
}

// events returns the events of a recording of lines.
func events(t testing.TB, lines ...string) (events []recording.Message) {
	for e, err := range recording.Events(bytes.NewReader(record(t, lines...))) {
		if err != nil {
			t.Fatal(err)
		}
		e.ID, e.Params, e.Payload = bytes.Clone(e.ID), bytes.Clone(e.Params), bytes.Clone(e.Payload)
		events = append(events, e)
	}
	return events
}
