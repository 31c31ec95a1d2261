package view

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/programtest/needs"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/plans"
)

var update = flag.Bool("update", false, "record testdata/*.jsonl again")

// TestSamples records the samples in testdata: plans of every kind, and a captured
// conversation of a real one, in front of a client that knows only "plan".
// Without -update it compares what it records with them.
func TestSamples(t *testing.T) {
	folder := "testdata"
	if !*update {
		folder = t.TempDir()
	}
	record := func(name string, write func(t *testing.T, path string)) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder, name)
			write(t, path)
			got, want := readFile(t, path), readFile(t, filepath.Join("testdata", name))
			if !bytes.Equal(got, want) {
				t.Error("it is not what -update would record")
			}
		})
	}
	record("demo.jsonl", func(t *testing.T, path string) {
		writeSample(t, path, demoLines(t, filepath.Join(t.TempDir(), "plan.md")))
		// The sample is the same wherever temporary files are.
		text := regexp.MustCompile(`file:///[^"]*/plan\.md`).ReplaceAll(readFile(t, path), []byte("file:///tmp/plan.md"))
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	})
	record("bridge.jsonl", func(t *testing.T, path string) { writeBridged(t, path, "testdata/bridge.txt") })
	record("claude.jsonl", func(t *testing.T, path string) { writeSample(t, path, capturedLines(t, "claude-both-plan.jsonl")) })
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// capturedLines returns a conversation of a real agent. It is not part of the
// repository.
func capturedLines(t *testing.T, name string) []passing {
	t.Helper()
	var lines []passing
	for line := range bytes.Lines(readFile(t, needs.Shared(t, "protocol/captures/"+name))) {
		var c struct {
			Dir, Line string
			T         float64
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, passing{text: c.Line, toAgent: c.Dir == "c2a", seconds: c.T / 1000})
	}
	return lines
}

// writeBridged records what a bridge does with a script: what both sides send, in
// the notation of testdata/conversations.
func writeBridged(t *testing.T, name, script string) {
	// The script as a trace without the proxy.
	var events bytes.Buffer
	w := trace.New(&events, slog.New(slog.DiscardHandler))
	var now time.Duration
	for line := range strings.Lines(string(readFile(t, script))) {
		mark, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		from, to := trace.Client, trace.Agent
		switch mark {
		case "wait":
			pause, err := time.ParseDuration(what)
			if err != nil {
				t.Fatal(err)
			}
			now += pause
			continue
		case "agent>":
			from, to = to, from
		case "client>":
		default:
			t.Fatalf("not a step: %s", line)
		}
		w.At(now)
		w.Message(from, to, []byte(what))
	}
	var recorded bytes.Buffer
	out := trace.New(&recorded, slog.New(slog.DiscardHandler))
	options := proxy.Options{
		Replaying: out.At, Bridge: proxy.BridgeAuto, MaxMessage: 1 << 26, Log: slog.New(slog.DiscardHandler), ObserveAll: true,
		Plans: plans.Options{
			SyntheticID: "main", Merge: plans.MergeAll, Markdown: plans.MarkdownEntries,
			Files: plans.FilesRead, Empty: plans.EmptyUpdate,
		},
	}
	options.Observe = func(e proxy.Event) {
		from, to := trace.Agent, trace.Client
		if e.FromClient {
			from, to = to, from
		}
		if e.Action == plans.Forward {
			out.Message(from, to, e.In, lost(e)...)
		} else {
			out.Rewritten(from, to, e.In, e.Out, lost(e)...)
		}
	}
	if err := proxy.Replay(&events, io.Discard, options); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, recorded.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A passing line of a conversation.
type passing struct {
	text    string
	toAgent bool
	seconds float64
}

// demoLines returns what the two sides of the demo's sample say, with its plan file at
// path.
func demoLines(t *testing.T, path string) (lines []passing) {
	const plans = "# Release notes\n\n1. Collect the merged changes\n2. Write the summary\n"
	if err := os.WriteFile(path, []byte(plans), 0o600); err != nil {
		t.Fatal(err)
	}
	inURI := "/" + strings.TrimPrefix(filepath.ToSlash(path), "/") // a drive of Windows has none in front
	sample := bytes.ReplaceAll(readFile(t, "testdata/demo.jsonl"), []byte("/tmp/plan.md"), []byte(inURI))
	for e, err := range trace.Events(bytes.NewReader(sample)) {
		if err != nil {
			t.Fatal(err)
		}
		if e.From != trace.Proxy {
			lines = append(lines, passing{text: string(e.AppendMessage(nil)), toAgent: e.From == trace.Client, seconds: e.Seconds})
		}
	}
	return lines
}

// writeSample records what the proxy does with the lines.
func writeSample(t *testing.T, name string, lines []passing) {
	var all strings.Builder
	for _, l := range lines {
		all.WriteString(l.text + "\n")
	}
	var events []proxy.Event
	options := proxy.Options{
		MaxMessage: 1 << 26, ObserveAll: true,
		Log: slog.New(slog.DiscardHandler),
		Plans: plans.Options{
			SyntheticID: "main", Merge: plans.MergeAll, Markdown: plans.MarkdownEntries,
			Files: plans.FilesRead, Empty: plans.EmptyUpdate,
		},
		Observe: func(e proxy.Event) {
			e.In, e.Out = bytes.Clone(e.In), bytes.Clone(e.Out)
			events = append(events, e)
		},
	}
	if err := options.Client.SetClient("legacy"); err != nil {
		t.Fatal(err)
	}
	if err := proxy.Translate(strings.NewReader(all.String()), io.Discard, options); err != nil {
		t.Fatal(err)
	}
	var recorded bytes.Buffer
	w := trace.New(&recorded, slog.New(slog.DiscardHandler))
	for _, l := range lines {
		from, to := trace.Agent, trace.Client
		if l.toAgent {
			from, to = to, from
		}
		w.At(time.Duration(l.seconds * float64(time.Second)))
		for ; len(events) > 0 && len(events[0].In) == 0; events = events[1:] { // what the proxy says by itself
			w.Rewritten(from, to, nil, events[0].Out, lost(events[0])...)
		}
		if len(events) > 0 && strings.TrimSpace(string(events[0].In)) == l.text {
			e := events[0]
			events = events[1:]
			if e.Action == plans.Forward {
				w.Message(from, to, e.In, lost(e)...)
			} else {
				w.Rewritten(from, to, e.In, e.Out, lost(e)...)
			}
		} else {
			w.Message(from, to, []byte(l.text))
		}
	}
	if len(events) > 0 {
		t.Fatalf("%d events left over", len(events))
	}
	if err := os.WriteFile(name, recorded.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func lost(e proxy.Event) (lost []trace.Loss) {
	for _, l := range e.Lost {
		lost = append(lost, trace.Loss{Kind: l.Kind.String(), Name: l.Name, Detail: l.Detail})
	}
	return lost
}
