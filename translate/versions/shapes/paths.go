package shapes

import (
	"net/url"
	"path"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// Paths have the syntax of the agent's machine, POSIX or Windows.

// Absolute returns the absolute path of a file. Without an absolute cwd, relative paths remain
// relative.
func Absolute(cwd, file string) string {
	switch {
	case translate.IsAbsolute(file) || !translate.IsAbsolute(cwd):
		return file
	case strings.HasPrefix(cwd, "/"):
		return path.Join(cwd, file)
	}
	return strings.TrimRight(cwd, `\/`) + `\` + strings.TrimPrefix(strings.ReplaceAll(file, "/", `\`), `.\`)
}

// writeAbsolutePath writes a path as an absolute one, see [Absolute].
func writeAbsolutePath(w *Writer, value []byte) bool {
	text, ok := rawjson.TextOf(value)
	if ok {
		w.String([]byte(Absolute(w.Cwd, string(text))))
	}
	return ok
}

// uri converts strings that are URIs in version 2.
var uri = towards{String, Func(writeURI)}

// writeURI writes a URI. Paths become absolute, see [Absolute], and get the scheme file. It reports
// false for paths that remain relative.
func writeURI(w *Writer, value []byte) bool {
	text, ok := rawjson.TextOf(value)
	if ok && hasScheme(text) {
		return w.copy(value)
	}
	file := Absolute(w.Cwd, string(text))
	if len(text) == 0 || !translate.IsAbsolute(file) {
		return false
	}
	if !strings.HasPrefix(file, "/") { // only on Windows is a backslash not part of a name
		file = "/" + strings.TrimPrefix(strings.ReplaceAll(file, `\`, "/"), "/")
	}
	w.String([]byte((&url.URL{Scheme: "file", Path: file}).String()))
	return true
}

// copyURI copies strings that begin with a scheme.
func copyURI(w *Writer, value []byte) bool {
	text, ok := rawjson.TextOf(value)
	return ok && hasScheme(text) && w.copy(value)
}

// hasScheme reports whether s begins with the scheme of a URI. A letter, a colon and a slash or
// backslash are a drive of Windows instead.
func hasScheme(s []byte) bool {
	for i, b := range s {
		switch {
		case 'a' <= b|0x20 && b|0x20 <= 'z':
		case i > 0 && ('0' <= b && b <= '9' || b == '+' || b == '-' || b == '.'):
		default:
			return b == ':' && i > 0 && !(i == 1 && len(s) > 2 && (s[2] == '/' || s[2] == '\\'))
		}
	}
	return false
}
