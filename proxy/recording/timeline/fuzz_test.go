package timeline_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/timeline"
)

// FuzzTimeline checks that each event of any recording is a line of one row, and that each
// row has a JSON form. Use -fuzzminimizetime=1x: recordings are long.
func FuzzTimeline(f *testing.F) {
	recordings, err := filepath.Glob("../view/testdata/*.jsonl")
	if err != nil || len(recordings) == 0 {
		f.Fatal("no recordings", err)
	}
	for _, name := range recordings {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(`{"type":"request","ts":1e308,"from":"Client","to":"Agent","id":1,"method":"session/prompt","params":{"sessionId":"s"}}
{"type":"response","ts":-1e308,"from":"Agent","to":"Client","id":1,"is_error":false,"payload":{"stopReason":"end_turn"}}`)
	f.Fuzz(func(t *testing.T, recorded string) {
		var events []int
		for e, err := range recording.Events(strings.NewReader(recorded)) {
			if err == nil && e.Type != "" {
				events = append(events, e.Line)
			}
		}
		rows, _, _ := read(t, recorded)
		var lines []int
		for _, r := range rows {
			for _, l := range r.Lines {
				lines = append(lines, l.Number)
			}
			if !slices.IsSortedFunc(r.Lines, func(a, b timeline.Line) int { return a.Number - b.Number }) || r.Number != r.Lines[0].Number {
				t.Errorf("row %d has the lines %v", r.Number, r.Lines)
			}
			if r.Fate == "" || r.About == "" {
				t.Errorf("row %d: %+v", r.Number, r)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		}
		slices.Sort(lines)
		if !slices.Equal(lines, events) {
			t.Errorf("the events %v are the lines %v", events, lines)
		}
	})
}
