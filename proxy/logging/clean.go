package logging

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
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

// A clean is a handler of records whose texts are clean: messages, keys and
// values. Values other than texts, numbers and times become text.
type clean struct {
	next slog.Handler
	text func(string) string // Clean, or stricter
}

func (c clean) Enabled(ctx context.Context, level slog.Level) bool {
	return c.next.Enabled(ctx, level)
}

func (c clean) Handle(ctx context.Context, r slog.Record) error {
	cleaned := slog.NewRecord(r.Time, r.Level, c.text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		cleaned.AddAttrs(c.attr(a))
		return true
	})
	return c.next.Handle(ctx, cleaned)
}

func (c clean) WithAttrs(attrs []slog.Attr) slog.Handler {
	return clean{c.next.WithAttrs(c.attrs(attrs)), c.text}
}

func (c clean) WithGroup(name string) slog.Handler {
	return clean{c.next.WithGroup(c.text(name)), c.text}
}

func (c clean) attrs(attrs []slog.Attr) []slog.Attr {
	cleaned := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		cleaned[i] = c.attr(a)
	}
	return cleaned
}

func (c clean) attr(a slog.Attr) slog.Attr {
	a.Key = c.text(a.Key)
	a.Value = a.Value.Resolve()
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(c.text(a.Value.String()))
	case slog.KindAny:
		if a.Value.Any() != nil {
			a.Value = slog.StringValue(c.text(fmt.Sprint(a.Value.Any())))
		}
	case slog.KindGroup:
		a.Value = slog.GroupValue(c.attrs(a.Value.Group())...)
	}
	return a
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
