package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"acp-plan-proxy/proxy/programtest/needs"
	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
)

// mistakes are those that are in the captures of real agents, by the side that makes
// them. The client's are those of the script that captured.
var mistakes = map[string]int{
	// A scenario of wrong requests, in both versions.
	"client: params.cwd is missing":                                        2,
	"client: params.prompt is missing":                                     2,
	"client: params.prompt[0].data and mimeType are missing":               2,
	"client: version 1 has no method no/such_method":                       1,
	"client: version 2 has no method no/such_method":                       1,
	"client: result is null: it must be an object":                         4, // of fs/write_text_file
	"agent: version 1 has no method craft/drainMidTurnQueue":               1, // of qwen, as the next
	"agent: version 1 has no method qwen/notify/session/prompt-suggestion": 1,
}

// TestCaptures judges what real agents said. Nothing is a mistake but what is one.
func TestCaptures(t *testing.T) {
	found := make(map[string]int)
	judged := 0
	for _, file := range captures(t) {
		j := New(&drafts)
		for e, err := range recording.Events(bytes.NewReader(captured(t, file))) {
			if err != nil {
				t.Fatal(err)
			}
			judged++
			if reason := j.Judge(&e); reason != "" {
				side := map[trace.Component]string{trace.Client: "client", trace.Agent: "agent"}[e.From]
				found[fmt.Sprintf("%s: %s", side, reason)]++
			}
		}
	}
	if d := diff.Diff(mistakes, found); d != "" {
		t.Errorf("the mistakes are (-), found are (+):\n%s", d)
	}
	if judged < 2000 {
		t.Errorf("only %d messages", judged)
	}
}

// captures returns the files with captures.
func captures(t *testing.T) []string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(needs.Shared(t, "protocol/captures"), "*.jsonl"))
	if len(files) == 0 {
		t.Fatal("there are no captures")
	}
	return files
}

// captured returns the recording that a capture is.
func captured(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := trace.New(&b, slog.New(slog.DiscardHandler))
	for line := range bytes.Lines(text) {
		var c struct{ Dir, Line string }
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.Dir == "c2a" {
			w.Message(trace.Client, trace.Agent, []byte(c.Line))
		} else {
			w.Message(trace.Agent, trace.Client, []byte(c.Line))
		}
	}
	return b.Bytes()
}

// FuzzJudge: any recording can be judged, and is judged the same again.
func FuzzJudge(f *testing.F) {
	for _, version := range []int{1, 2} {
		f.Add(record(f, begun(version)...))
		f.Add(record(f, append(begun(version), planWith(`{"content":"a","priority":5}`), prompt(`{"type":"image"}`), `agent {"id":1,"result":{}}`, `agent [1,{"id":2,"error":[]}]`)...))
	}
	f.Fuzz(func(t *testing.T, recorded []byte) {
		judge := func() (found []string) {
			j := New(&drafts)
			for e := range recording.Events(bytes.NewReader(recorded)) {
				found = append(found, j.Judge(&e))
			}
			return found
		}
		first := judge()
		if d := diff.Diff(first, judge()); d != "" {
			t.Error(d)
		}
		for _, reason := range first {
			if len(reason) > 2000 {
				t.Errorf("a reason of %d bytes: %s", len(reason), reason)
			}
		}
	})
}
