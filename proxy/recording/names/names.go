// Package names replaces the ids and directories of a recording with the names in another
// conversation about the same work.
package names

import (
	"bytes"
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"acp-plan-proxy/transport/rawjson"
)

// A Map maps the names in a recording to the names in another conversation. The zero value
// is an empty map. A Map is not safe for concurrent use.
type Map []name

// A name is one spelling of an id or a directory. A directory also matches as the prefix of
// a path below it.
type name struct {
	from, to string
	isDir    bool
	session  string // recorded id of the session that runs in the directory
}

// Add maps an id, replacing its previous mapping.
func (m *Map) Add(from, to string) { m.add(name{from: from, to: to}) }

// AddResult maps the ids in the recorded result of a request to those in the actual result.
func (m *Map) AddResult(recorded, actual []byte) {
	for _, member := range []string{"sessionId", "terminalId", "connectionId"} {
		m.Add(rawjson.StringAt(recorded, member), rawjson.StringAt(actual, member))
	}
}

// AddDir maps the working directory of a session, as a path, in a URI, and as a path
// without its leading slash, which some agents display. Sessions with the same recorded
// directory may have different actual ones.
func (m *Map) AddDir(session, from, to string) {
	from, to = trimSlash(from), trimSlash(to)
	if len(from) <= 1 || to == "" {
		return
	}
	add := func(from, to string) { m.add(name{from: from, to: to, isDir: true, session: session}) }
	for _, host := range []string{"://", "://localhost"} {
		add(host+escapePath(from), host+escapePath(to))
	}
	add(from, to)
	if from[0] == '/' && strings.Count(from, "/") > 1 {
		add(from[1:], strings.TrimPrefix(to, "/"))
	}
}

func (m *Map) add(n name) {
	if n.from == "" || n.to == "" {
		return
	}
	*m = append(slices.DeleteFunc(*m, func(old name) bool {
		return old.from == n.from && old.session == n.session && old.isDir == n.isDir
	}), n)
}

func trimSlash(path string) string {
	return cmp.Or(strings.TrimRight(path, `/\`), path)
}

// escapePath returns the path part of a file URI.
func escapePath(p string) string { return (&url.URL{Path: path.Join("/", p)}).EscapedPath() }

// Apply returns a message with the names in its strings replaced. session is the recorded
// id of the message's session, whose directory takes precedence.
func (m Map) Apply(session string, message []byte) (renamed []byte) {
	// Most messages contain no name. In a message with escapes, a name can contain an escape.
	occurs := func(n name) bool { return bytes.Contains(message, []byte(n.from)) }
	if bytes.IndexByte(message, '\\') < 0 && !slices.ContainsFunc(m, occurs) {
		return bytes.Clone(message)
	}
	// The longest name has precedence, so that a directory below another one has its own mapping.
	rank := func(n name) int {
		if n.session == session {
			return 2*len(n.from) + 1
		}
		return 2 * len(n.from)
	}
	all := slices.SortedStableFunc(slices.Values(m), func(a, b name) int { return rank(b) - rank(a) })
	for len(all) > 0 {
		quote := bytes.IndexByte(message, '"')
		if quote < 0 {
			break
		}
		end, ok := rawjson.StringEnd(message, quote+1)
		if !ok {
			break
		}
		renamed = appendRenamed(append(renamed, message[:quote]...), message[quote:end], all)
		message = message[end:]
	}
	return append(renamed, message...)
}

// appendRenamed appends a JSON string in which the names are replaced. It first searches the whole
// string for each name, because most strings contain none.
func appendRenamed(dst, raw []byte, all []name) []byte {
	text := rawjson.Unquote(raw)
	all = slices.DeleteFunc(slices.Clone(all), func(n name) bool { return !bytes.Contains(text, []byte(n.from)) })
	var renamed []byte
	for i := 0; i < len(text) && len(all) > 0; {
		index := slices.IndexFunc(all, func(n name) bool { return n.isAt(text, i) })
		if index < 0 {
			renamed = append(renamed, text[i])
			i++
			continue
		}
		renamed = append(renamed, all[index].to...)
		i += len(all[index].from)
	}
	if len(all) == 0 || bytes.Equal(renamed, text) {
		return append(dst, raw...)
	}
	return rawjson.AppendQuoted(dst, renamed)
}

// isAt reports whether text[i:] begins with the name, and the name is not part of a longer
// word or path element.
func (n *name) isAt(text []byte, i int) bool {
	rest, ok := bytes.CutPrefix(text[i:], []byte(n.from))
	before, _ := utf8.DecodeLastRune(text[:i])
	after, _ := utf8.DecodeRune(rest)
	switch {
	case !ok || isWord(after):
		return false
	case !n.isDir:
		return !isWord(before) && (n.isDistinct() || len(text) == len(n.from))
	case after == '.' && len(rest) > 1 && rest[1] > ' ': // a file extension, not the end of a sentence
		return false
	}
	// Any scheme can precede the "://" of a URI.
	return n.from[0] == ':' || !isWord(before) && !strings.ContainsRune(`/\.`, before)
}

// isDistinct reports whether an id cannot be an ordinary word.
func (n *name) isDistinct() bool {
	return len(n.from) >= 8 || len(n.from) > 1 && strings.ContainsAny(n.from, "0123456789")
}

func isWord(r rune) bool {
	return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}
