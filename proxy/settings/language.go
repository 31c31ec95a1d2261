package settings

import (
	"fmt"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// A language quotes strings and lists of strings.
type language struct {
	text               func(string) string
	open, comma, close string // of a list
}

func (l language) list(texts []string) string {
	var written []string
	for _, text := range texts {
		written = append(written, l.text(text))
	}
	return l.open + strings.Join(written, l.comma) + l.close
}

var (
	jsonLanguage = language{quotedJSON, "[", ", ", "]"}
	lua          = language{quotedLua, "{ ", ", ", " }"}
	lisp         = language{quotedLisp, "(", " ", ")"}
	shell        = language{quotedShell, "", " ", ""}
)

func quotedJSON(text string) string { return string(rawjson.AppendQuoted(nil, text)) }

func quotedLua(text string) string {
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

// quotedLisp quotes a string for Emacs Lisp, on one line.
func quotedLisp(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(text) + `"`
}

// quotedShell quotes a word for the shells of Unix.
func quotedShell(text string) string {
	isPlain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("@%+=:,./-_", r)
	}
	if text != "" && strings.TrimFunc(text, isPlain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
