package demo

import (
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"acp-plan-proxy/proxy/conversation"
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
			if width >= 80 && len(lines) > 40 || !strings.Contains(out.String(), "A list") {
				t.Errorf("%s, %d: %d lines\n%s", c.name, width, len(lines), &out)
			}
		}
	}
}
