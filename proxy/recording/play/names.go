package play

import (
	"bytes"
	"net/url"
	"path"
	"slices"
	"strings"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// names are what a recording calls things, with what this conversation calls them. The
// zero value is ready for use.
type names []name

// A name is that of a session, a terminal, a connection or a working directory, in one
// spelling. What is below a folder has the folder's.
type name struct {
	from, to string
	folder   bool
	lane     *lane // the session whose folder it is
}

// call notes that what the recording calls from is called to.
func (n *names) call(from, to string) { n.note(name{from: from, to: to}) }

// move notes the working directory of a session: as a path, in a URI, and as some agents
// show it, from the root without the slash.
func (n *names) move(l *lane, from, to string) {
	from, to = trimSlash(from), trimSlash(to)
	if len(from) <= 1 || to == "" {
		return
	}
	for _, host := range []string{"://", "://localhost"} {
		n.note(name{host + escapePath(from), host + escapePath(to), true, l})
	}
	n.note(name{from, to, true, l})
	if from[0] == '/' && strings.Count(from, "/") > 1 {
		n.note(name{from[1:], strings.TrimPrefix(to, "/"), true, l})
	}
}

// note notes a name in the place of the one that the thing had.
func (n *names) note(one name) {
	if one.from == "" || one.to == "" {
		return
	}
	*n = append(slices.DeleteFunc(*n, func(old name) bool {
		return old.from == one.from && old.lane == one.lane && old.folder == one.folder
	}), one)
}

func trimSlash(path string) string {
	if trimmed := strings.TrimRight(path, `/\`); trimmed != "" {
		return trimmed
	}
	return path
}

// escapePath returns a path as it is spelled in a URI.
func escapePath(p string) string { return (&url.URL{Path: path.Join("/", p)}).EscapedPath() }

// of returns the names for what the agent says in a session: the longest first, and of
// several folders of one name the session's own.
func (n names) of(l *lane) []name {
	// A folder that has kept its name keeps it also below one that has another.
	rank := func(one name) int {
		if one.lane == l {
			return 2*len(one.from) + 1
		}
		return 2 * len(one.from)
	}
	return slices.SortedStableFunc(slices.Values(n), func(a, b name) int { return rank(b) - rank(a) })
}

// rename returns a message with all names in its strings replaced. Its id, and the one of
// the request that its params name, become others, unless these are nil.
func rename(message []byte, all []name, id, requestID []byte) []byte {
	message = renameStrings(message, all)
	put := func(value []byte, path ...string) {
		if value != nil && rawjson.Get(message, path...) != nil {
			message = rawjson.With(message, value, path...)
		}
	}
	put(id, "id")
	put(requestID, "params", "requestId")
	return message
}

// nowOf returns the id in this conversation of a request that was recorded with another,
// nil if it was not asked.
func nowOf(asked []*call, recorded []byte) []byte {
	id := jsonrpc.IDOf(recorded)
	for _, c := range slices.Backward(asked) {
		if c.now != nil && jsonrpc.IDOf(c.ID) == id {
			return c.now
		}
	}
	return nil
}

// renameStrings returns a message with the names in its strings replaced.
func renameStrings(message []byte, all []name) (renamed []byte) {
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

// appendRenamed appends a string with the names in it replaced. Most texts have none, and
// looking for one as a whole is fast.
func appendRenamed(dst, raw []byte, all []name) []byte {
	said := rawjson.Unquote(raw)
	all = slices.DeleteFunc(slices.Clone(all), func(n name) bool { return !bytes.Contains(said, []byte(n.from)) })
	var text []byte
	for i := 0; i < len(said) && len(all) > 0; {
		at := slices.IndexFunc(all, func(n name) bool { return n.isAt(said, i) })
		if at < 0 {
			text = append(text, said[i])
			i++
			continue
		}
		text = append(text, all[at].to...)
		i += len(all[at].from)
	}
	if len(all) == 0 || bytes.Equal(text, said) {
		return append(dst, raw...)
	}
	return rawjson.AppendQuoted(dst, text)
}

// isAt reports whether the name is at said[i:], and not a part of another.
func (n *name) isAt(said []byte, i int) bool {
	at := func(i int) byte {
		if i < 0 || i >= len(said) {
			return ' '
		}
		return said[i]
	}
	end := i + len(n.from)
	before, behind := at(i-1), at(end)
	switch {
	case !bytes.HasPrefix(said[i:], []byte(n.from)) || isWordByte(behind):
		return false
	case !n.folder:
		return !isWordByte(before) && (n.isDistinct() || len(said) == len(n.from))
	case behind == '.' && at(end+1) > ' ': // not at the end of a sentence
		return false
	}
	return n.from[0] == ':' || !isWordByte(before) && strings.IndexByte(`/\.`, before) < 0
}

// isDistinct reports whether an id is not a word that can mean something else.
func (n *name) isDistinct() bool {
	return len(n.from) >= 8 || len(n.from) > 1 && strings.ContainsAny(n.from, "0123456789")
}

func isWordByte(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || b == '_' || b == '-' || b >= 0x80
}
