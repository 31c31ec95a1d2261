package judge

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"acp-plan-proxy/proxy/programtest/needs"
	"acp-plan-proxy/proxy/recording"
)

// lint lints a recording in any form.
func lint(t *testing.T, recorded []byte) (found []Finding, unjudged string) {
	t.Helper()
	linter := NewLinter(&drafts)
	for m, err := range recording.Messages(bytes.NewReader(recorded), "") {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, linter.Add(&m)...)
	}
	return append(found, linter.End()...), linter.Unjudged()
}

// TestRules: a recording breaks each rule, and has messages that nearly do.
func TestRules(t *testing.T) {
	broken := make(map[string]bool)
	for _, s := range sections(t, "rules.txt") {
		t.Run(s.name, func(t *testing.T) {
			found, unjudged := lint(t, s.recorded)
			got := make([]string, len(s.want))
			for _, f := range found {
				broken[f.Rule] = true
				text := &got[f.Number-1]
				*text = strings.TrimPrefix(fmt.Sprintf("%s => %s: %s", *text, f.Rule, f.Text), " => ")
			}
			if d := diff.Diff(append(s.want, s.unjudged), append(got, unjudged)); d != "" {
				t.Errorf("want (-), got (+):\n%s\n%s", d, strings.Join(s.lines, "\n"))
			}
		})
	}
	for _, rule := range Rules() {
		if !broken[rule] {
			t.Errorf("no recording breaks %s", rule)
		}
	}
}

// violations are the findings in the captures of real agents, except for the mistakes of
// TestCaptures.
var violations = map[string]int{
	"bridge Client not-offered":     2, // the script signs in with a made-up method,
	"bridge Client unknown-session": 8, // and prompts in sessions that it has closed or made up
	"codex2 Agent not-offered":      1, // the current model is not in the list of models
	"grok Agent not-offered":        5, // modes without a list of modes
}

// TestLintCaptures lints recordings of real agents.
func TestLintCaptures(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(needs.Shared(t, "protocol/captures"), "*.jsonl"))
	got := make(map[string]int)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		agent, _, _ := strings.Cut(filepath.Base(file), "-")
		found, _ := lint(t, text)
		for _, f := range found {
			if f.Rule != "schema" {
				got[fmt.Sprintf("%s %s %s", agent, f.By, f.Rule)]++
			}
		}
	}
	if d := diff.Diff(violations, got); d != "" {
		t.Errorf("want (-), got (+):\n%s", d)
	}
}
