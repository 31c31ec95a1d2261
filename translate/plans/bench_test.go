package plans

import (
	"fmt"
	"testing"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// A workload is one update of a usual size, which is translated repeatedly.
type workload struct {
	name      string
	client    capabilities.Client
	update    string
	earlier   []string // sent before
	allocates bool     // memory, each time
}

func workloads() []workload {
	var entries []string
	markdown := `# Plan\n\n`
	for i := range 20 {
		content := fmt.Sprintf("Step %d: do what has to be done, then look whether it helped", i)
		entries = append(entries, todo(content))
		markdown += `- [ ] ` + content + `\n`
	}
	cancelled := append([]string{`{"content":"No","priority":"low","status":"cancelled"}`}, entries...)
	beside := []string{items("q", entries...), legacyPlan(todo("A"))}
	return []workload{
		{"items to legacy", legacyClient, items("plan-1", entries...), nil, false},
		{"items to legacy, several plans", legacyClient, items("plan-1", entries...), beside, false},
		{"items with cancelled to legacy", legacyClient, items("p", cancelled...), nil, true},
		{"legacy to legacy", legacyClient, legacyPlan(entries...), nil, false},
		{"legacy to ops", opsClient, legacyPlan(entries...), nil, false},
		{"items to ops", opsClient, items("plan-1", entries...), nil, false},
		{"markdown to legacy", legacyClient, markdownUpdate("plan-1", markdown), nil, true},
		{"forward on v2", v2Client, items("plan-1", entries...), nil, false},
		{"forward markdown on v2", v2Client, markdownUpdate("plan-1", markdown), nil, false},
	}
}

// start returns a function that reads and translates the update once.
func (w *workload) start(tb testing.TB) (send func()) {
	p := newPeer(defaults(), w.client)
	for _, update := range w.earlier {
		if _, err := p.send("s", update); err != nil {
			tb.Fatal(err)
		}
	}
	text := []byte(textBefore + "s" + middle + w.update + behind)
	var m jsonrpc.Message
	return func() {
		p.cursor.Reset(text)
		m.Read(&p.cursor, text, &p.params)
		p.out.Reset(translate.Agent, &m)
		p.Receive(translate.Agent, &m, time.Time{}, &p.out)
	}
}

func BenchmarkTranslate(b *testing.B) {
	for _, w := range workloads() {
		b.Run(w.name, func(b *testing.B) {
			send := w.start(b)
			b.SetBytes(int64(len(w.update)))
			b.ReportAllocs()
			for b.Loop() {
				send()
			}
		})
	}
}

// TestAllocations verifies that the usual traffic makes no garbage.
func TestAllocations(t *testing.T) {
	for _, w := range workloads() {
		if n := testing.AllocsPerRun(100, w.start(t)); n > 0 && !w.allocates {
			t.Errorf("%s: %v allocations", w.name, n)
		}
	}
}
