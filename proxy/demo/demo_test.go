package demo

import (
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"acp-plan-proxy/proxy/conversation"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/translate/plans"
)

// TestWidth checks that no line of the summary is longer than the screen, and that on a
// usual one it has at most forty lines.
func TestWidth(t *testing.T) {
	for _, c := range clients {
		for _, width := range []int{40, 61, 80, 97, 300} {
			var out strings.Builder
			if err := Run(&out, Options{Client: c.name, Width: width, Proxy: conversation.Options{
				Log:   slog.New(slog.DiscardHandler),
				Plans: plans.Options{SyntheticID: "main", Markdown: plans.MarkdownEntries, Files: plans.FilesRead},
			}}); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			for _, line := range lines {
				if utf8.RuneCountInString(line) > width {
					t.Errorf("%s, %d: %q is longer", c.name, width, line)
				}
			}
			if width >= 80 && len(lines) > 40 || !strings.Contains(out.String(), "joined") {
				t.Errorf("%s, %d: %d lines\n%s", c.name, width, len(lines), &out)
			}
		}
	}
}

// TestCell checks that a cell is as wide as its column, with colours and without.
func TestCell(t *testing.T) {
	lines := []spans{{{terminal.Green, "✓"}, {"", " Größe"}}, {{terminal.Red, "abcdefgh"}, {"", "i"}}, {{"", "abcdefg"}, {terminal.Dim, "hi"}}}
	tests := []struct {
		line int
		want string
	}{
		{0, "✓ Größe "}, {1, "abcdefgh"}, {2, "abcdefg…"}, {3, "        "},
	}
	for _, tt := range tests {
		got := (&screen{}).paint(cell(lines, tt.line, 8))
		if got != tt.want {
			t.Errorf("line %d is %q, not %q", tt.line, got, tt.want)
		}
	}
	if got, want := (&screen{Painter: true}).paint(cell(lines, 0, 8)), terminal.Painter(true).Paint(terminal.Green, "✓")+" Größe "; got != want {
		t.Errorf("in colours it is %q, not %q", got, want)
	}
}

// TestCounted checks the counts in the last line.
func TestCounted(t *testing.T) {
	tests := []struct {
		plans, pairs tally
		want         string
	}{
		{tally{7, 1, 7}, tally{2, 0, 2}, "7 plans, all shown (1 without the proxy); 2 pairs that could not connect, joined"},
		{tally{7, 1, 6}, tally{2, 0, 1}, "7 plans, 6 shown (1 without the proxy); 2 pairs that could not connect, 1 joined"},
	}
	for _, tt := range tests {
		if got := counted(tt.plans, tt.pairs); got != tt.want {
			t.Errorf("%q, not %q", got, tt.want)
		}
	}
}
