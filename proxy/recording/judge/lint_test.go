package judge

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"acp-plan-proxy/proxy/programtest/needs"
	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
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
	return append(found, linter.End()...), linter.UnjudgedReason()
}

// TestRules lints a recording for each rule, with violations and with valid messages that are
// nearly violations.
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

// mistakes are the findings in the captures of real agents. The client is the script that made
// the captures.
var mistakes = map[string]int{
	// A scenario of wrong requests, in both versions.
	"bridge Client params.cwd is missing":                                      2,
	"bridge Client params.prompt is missing":                                   2,
	"bridge Client params.prompt[0].data and mimeType are missing":             2,
	"bridge Client version 1 has no method no/such_method":                     1,
	"bridge Client version 2 has no method no/such_method":                     1,
	"bridge Client not-offered":                                                2, // a made-up sign-in method
	"bridge Client unknown-session":                                            8, // closed or made up
	"grok Client result is null: it must be an object":                         4, // of fs/write_text_file
	"qwen Agent version 1 has no method craft/drainMidTurnQueue":               1,
	"qwen Agent version 1 has no method qwen/notify/session/prompt-suggestion": 1,
	"codex2 Agent not-offered":                                                 1, // the current model is not in the list of models
	"grok Agent not-offered":                                                   5, // modes without a list of modes
}

// TestLintCaptures lints recordings of real agents. Their redacted forms have the same findings.
func TestLintCaptures(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(needs.Shared(t, "protocol/captures"), "*.jsonl"))
	counts := make(map[string]int)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		w := trace.New(&b, slog.New(slog.DiscardHandler))
		for line := range bytes.Lines(text) {
			if m := recording.Parse(line, ""); m != nil {
				w.Message(m.From, m.To, m.Original)
			}
		}
		agent, _, _ := strings.Cut(filepath.Base(file), "-")
		found, _ := lint(t, b.Bytes())
		hidden, _ := lint(t, redacted(t, b.Bytes()))
		for _, f := range found {
			fault := f.Rule
			if fault == "schema" {
				fault = f.Text
			}
			counts[fmt.Sprintf("%s %s %s", agent, f.By, fault)]++
		}
		for _, list := range [][]Finding{found, hidden} {
			for i := range list {
				list[i].Text = ""
			}
		}
		if d := diff.Diff(found, hidden); d != "" {
			t.Errorf("%s: redacted (+):\n%s", file, d)
		}
	}
	if d := diff.Diff(mistakes, counts); d != "" {
		t.Errorf("want (-), got (+):\n%s", d)
	}
}
