package logging

import (
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxText is how long a text in the log may be, in bytes.
const maxText = 200

// Clean returns what a log says of a text: 200 bytes of UTF-8 at most, on one
// line, with an ellipsis at the end if the text is longer. A character that
// could act on a terminal, would not be seen or would reorder what is around it
// is spelled out, as in ⟨U+001B⟩.
func Clean(text string) string {
	if isClean(text) {
		return text
	}
	const ellipsis = "…"
	var b strings.Builder
	end := 0 // where the ellipsis goes if the text is too long
	for _, r := range text {
		if plain(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
		if b.Len() > maxText {
			return b.String()[:end] + ellipsis
		}
		if b.Len() <= maxText-len(ellipsis) {
			end = b.Len()
		}
	}
	return b.String()
}

// isClean reports whether a text is already clean, as almost all are.
func isClean(text string) bool {
	if len(text) > maxText {
		return false
	}
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// plain reports whether a character can be shown as it is. The zero width
// joiner is a part of many emoji.
func plain(r rune) bool {
	return r != utf8.RuneError && (unicode.IsPrint(r) || r == '\u200d')
}

// cleaned returns what a handler replaces attributes with: keys and texts that are clean,
// by Clean or what is stricter. Values other than texts, numbers and times become text.
// Names of groups are the program's own.
func cleaned(text func(string) string) func(groups []string, a slog.Attr) slog.Attr {
	return func(_ []string, a slog.Attr) slog.Attr {
		a.Key = text(a.Key)
		switch value := a.Value.Any().(type) {
		case nil, slog.Level, bool, int64, uint64, float64, time.Duration, time.Time:
		default:
			a.Value = slog.StringValue(text(fmt.Sprint(value)))
		}
		return a
	}
}

// cleanForTint is Clean for tint. If a text that tint quotes has the four
// characters \x1b, tint takes them for an escape, and writes that escape.
func cleanForTint(text string) string {
	const escape, spelled = `\x1b`, `⟨U+005C⟩x1b`
	text = Clean(text)
	if strings.Contains(text, escape) {
		text = Clean(strings.ReplaceAll(text, escape, spelled))
	}
	return text
}
