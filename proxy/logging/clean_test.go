package logging

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	long := strings.Repeat("x", 300)
	for text, want := range map[string]string{
		"":                          "",
		"plain text":                "plain text",
		"café 计划 👩\u200d💻":          "café 计划 👩\u200d💻",
		"a\nb\tc\x1b[2J\x7f":        "a⟨U+000A⟩b⟨U+0009⟩c⟨U+001B⟩[2J⟨U+007F⟩",
		"\u0085\u009b":              "⟨U+0085⟩⟨U+009B⟩",
		"\u202eevil\u2066\u061c":    "⟨U+202E⟩evil⟨U+2066⟩⟨U+061C⟩",
		"\u200e\u200f\u2028\ufeff":  "⟨U+200E⟩⟨U+200F⟩⟨U+2028⟩⟨U+FEFF⟩",
		"\xff":                      "⟨U+FFFD⟩",
		long[:200]:                  long[:200],
		long[:201]:                  long[:197] + "…",
		strings.Repeat("é", 150):    strings.Repeat("é", 98) + "…",
		long[:199] + "é":            long[:197] + "…",
		strings.Repeat("\x1b", 100): strings.Repeat("⟨U+001B⟩", 16) + "…",
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestCleanForTint(t *testing.T) {
	for text, want := range map[string]string{
		`a \x1b[2J`:                     `a ⟨U+005C⟩x1b[2J`,
		`a\b`:                           `a\b`,
		strings.Repeat(`\x1b`, 50):      strings.Repeat(`⟨U+005C⟩x1b`, 13) + "…",
		strings.Repeat("x", 300) + "\\": strings.Repeat("x", 197) + "…",
	} {
		if got := cleanForTint(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "text", "\x1b[2J", "\u202e\u0085\xff", "👩\u200d💻", strings.Repeat("é", 120), strings.Repeat("x", 199) + "\n", `\x1b`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, clean := range []func(string) string{Clean, cleanForTint} {
			got := clean(text)
			if len(got) > maxText || !utf8.ValidString(got) || dangerous(got) {
				t.Fatalf("%q became %q", text, got)
			}
			if again := clean(got); again != got {
				t.Fatalf("%q became %q, and that %q", text, got, again)
			}
		}
	})
}

// dangerous reports whether a text contains a control character.
func dangerous(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) })
}

type shouting string

func (s shouting) LogValue() slog.Value { return slog.GroupValue(slog.String("shouts", string(s))) }

// In every format and every part of a record, long texts are cut and control
// characters are spelled out.
func TestEveryFormatIsClean(t *testing.T) {
	hostile := "wire \x1b[2J\u009b\x7f\u202e\u2066\u061c\u200f\nlevel=ERROR \\x1b[2J "
	long := hostile + strings.Repeat("x", 1<<20)
	for _, format := range []string{"color", "text", "json"} {
		var out bytes.Buffer
		log := slog.New(Options{Format: format, Level: slog.LevelWarn}.handler(&out))
		log.With("with", long).WithGroup("group").Warn(long, "string", long, hostile, 1, "error", errors.New(long),
			"list", []string{long}, slog.Group("inner", "string", long), "value", shouting(long), "bytes", []byte(long), "nil", nil)
		log.Info("below the level")
		got := out.String()
		line, rest, _ := strings.Cut(got, "\n")
		for _, own := range []string{"\x1b[0m", "\x1b[2m", "\x1b[93m", "\x1b[91m", "\x1b[22m"} {
			if format == "color" {
				line = strings.ReplaceAll(line, own, "")
			}
		}
		if len(line) > 16*maxText || rest != "" || dangerous(line) {
			t.Errorf("%s: %d bytes:\n%q", format, len(got), got)
		}
		if format != "json" {
			continue
		}
		var record map[string]any
		if err := json.Unmarshal(out.Bytes(), &record); err != nil {
			t.Errorf("%v: %s", err, got)
		}
	}
}
