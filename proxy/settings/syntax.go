package settings

import (
	"fmt"
	"strings"
)

// luaString writes a text as Lua does.
func luaString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"', c == '\\':
			b.Write([]byte{'\\', c})
		case c < ' ', c == 0x7f:
			fmt.Fprintf(&b, `\%03d`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func luaList(texts []string) string { return "{ " + joined(texts, luaString, ", ") + " }" }

// lispString writes a text as Emacs Lisp does, on one line.
func lispString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(text) + `"`
}

func lispList(texts []string) string { return "(" + joined(texts, lispString, " ") + ")" }

// shellWord writes a text as a word for the shells of Unix.
func shellWord(text string) string {
	isPlain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("@%+=:,./-_", r)
	}
	if text != "" && strings.TrimFunc(text, isPlain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func shellWords(texts []string) string { return joined(texts, shellWord, " ") }

func joined(texts []string, write func(string) string, between string) string {
	var written []string
	for _, text := range texts {
		written = append(written, write(text))
	}
	return strings.Join(written, between)
}
