package logging

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"acp-plan-proxy/proxy/terminal"
)

// maxText limits a text in the log, in bytes.
const maxText = 200

// Clean returns a text for the log: one line of at most 200 bytes of UTF-8, truncated with an
// ellipsis, and printable as by [terminal.Printable].
func Clean(text string) string {
	const ellipsis = "…"
	var b strings.Builder
	end := 0 // the position of the ellipsis, should the text be too long
	for _, r := range text {
		b.WriteString(terminal.Printable(string(r)))
		if b.Len() > maxText {
			return b.String()[:end] + ellipsis
		}
		if b.Len() <= maxText-len(ellipsis) {
			end = b.Len()
		}
	}
	return b.String()
}

// replaceAttr returns a ReplaceAttr function that applies text, such as Clean, to keys and values.
// It formats values as text, except numbers, booleans, times and levels. The names of groups are
// constants of the program.
func replaceAttr(clean func(string) string) func(groups []string, a slog.Attr) slog.Attr {
	return func(_ []string, a slog.Attr) slog.Attr {
		a.Key = clean(a.Key)
		switch value := a.Value.Any().(type) {
		case nil, slog.Level, bool, int64, uint64, float64, time.Duration, time.Time:
		default:
			a.Value = slog.StringValue(clean(fmt.Sprint(value)))
		}
		return a
	}
}

// cleanForTint is Clean for tint, which replaces the four characters \x1b in a quoted text by an
// escape character.
func cleanForTint(text string) string {
	const escape, spelled = `\x1b`, `⟨U+005C⟩x1b`
	text = Clean(text)
	if strings.Contains(text, escape) {
		text = Clean(strings.ReplaceAll(text, escape, spelled))
	}
	return text
}
