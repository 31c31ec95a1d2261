package play

import (
	"bytes"
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// names are what a recording calls things, with what this conversation calls them. The
// zero value is ready for use.
type names []name

// A name is that of a session, a terminal, a connection or a working directory. What is
// below a folder has its own.
type name struct {
	from, to string
	folder   bool
	lane     *lane // the session whose folder it is
}

// call notes that what the recording calls from is called to.
func (n *names) call(from, to string) { n.note(name{from: from, to: to}) }

// move notes the working directory of a session.
func (n *names) move(l *lane, from, to string) {
	if from = trimSlash(from); len(from) > 1 {
		n.note(name{from, trimSlash(to), true, l})
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

// of returns the names for what the agent says in a session: the longest first, and of
// several folders of one name the session's own.
func (n names) of(l *lane) []name {
	if !slices.ContainsFunc(n, func(one name) bool { return one.from != one.to }) {
		return nil
	}
	// A folder that has kept its name keeps it also below one that has another.
	return slices.SortedStableFunc(slices.Values(n), func(a, b name) int {
		switch longer := cmp.Compare(len(b.from), len(a.from)); {
		case longer != 0 || a.lane == b.lane:
			return longer
		case a.lane == l:
			return -1
		case b.lane == l:
			return 1
		}
		return 0
	})
}

// rename appends a message with all names in its strings replaced. Its id becomes id,
// unless that is nil; requestID, which is optional, returns what the request that its
// params name is called now.
func rename(dst, line []byte, all []name, id []byte, requestID func(raw []byte) []byte) []byte {
	var c rawjson.Cursor
	c.Reset(line)
	done := 0
	replace := func(now []byte, start int) {
		if now != nil {
			dst = append(renameStrings(dst, line[done:start], all), now...)
			done = c.Pos()
		}
	}
	for more := c.Kind() == '{' && c.Object(); more; more = c.NextMember() {
		name, start := string(c.Name()), c.Offset()
		if name != "params" || requestID == nil || c.Kind() != '{' {
			if c.Skip(); name == "id" {
				replace(id, start)
			}
			continue
		}
		for more := c.Object(); more; more = c.NextMember() {
			name, start := string(c.Name()), c.Offset()
			if value := c.Value(); name == "requestId" {
				replace(requestID(value), start)
			}
		}
	}
	return renameStrings(dst, line[done:], all)
}

func renameStrings(dst, line []byte, all []name) []byte {
	for len(all) > 0 {
		quote := bytes.IndexByte(line, '"')
		if quote < 0 {
			break
		}
		end, ok := rawjson.StringEnd(line, quote+1)
		if !ok {
			break
		}
		dst = renameString(append(dst, line[:quote]...), line[quote:end], all)
		line = line[end:]
	}
	return append(dst, line...)
}

// renameString appends a string with the names in it replaced.
func renameString(dst, raw []byte, all []name) []byte {
	said := rawjson.Unquote(raw)
	all = present(all, said)
	var renamed []byte
	done := 0
	for i := 0; len(all) > 0 && i < len(said); i++ {
		for _, n := range all {
			length, now := n.at(said, i)
			if length == 0 {
				continue
			}
			renamed = append(append(renamed, said[done:i]...), now...)
			i += length - 1
			done = i + 1
			break
		}
	}
	if done == 0 {
		return append(dst, raw...)
	}
	return rawjson.AppendQuoted(dst, append(renamed, said[done:]...))
}

// present returns the names that may be in a text. Most texts have none, and looking for
// one as a whole is fast.
func present(all []name, said []byte) (found []name) {
	for _, n := range all {
		from := n.from
		if n.folder {
			from = from[1:] // see folderAt
		}
		if bytes.Contains(said, []byte(from)) || n.folder && bytes.Contains(said, []byte("://")) {
			found = append(found, n)
		}
	}
	return found
}

// at returns what takes the place of the name that is at said[i:], and the length of
// that; 0 if it is another one.
func (n *name) at(said []byte, i int) (length int, now string) {
	rest := said[i:]
	if n.folder {
		return n.folderAt(said, i)
	}
	if bytes.HasPrefix(rest, []byte(n.from)) && (len(said) == len(n.from) || n.isDistinct() && isWord(said, i, len(n.from))) {
		return len(n.from), n.to
	}
	return 0, ""
}

// folderAt is at for a folder: as a path, in a URI, and as some agents show it, from
// the root without the slash.
func (n *name) folderAt(said []byte, i int) (length int, now string) {
	from, to := n.from, n.to
	switch first := said[i]; {
	case first == '/' && (bytes.HasSuffix(said[:i], []byte("://")) || bytes.HasSuffix(said[:i], []byte("://localhost"))):
		from, to = escapePath(from), escapePath(to)
	case i > 0 && (isWordByte(said[i-1]) || strings.IndexByte("/\\.", said[i-1]) >= 0):
		return 0, ""
	case first != from[0] && from[0] == '/' && strings.Count(from, "/") > 1:
		from, to = from[1:], strings.TrimPrefix(to, "/")
	}
	if !bytes.HasPrefix(said[i:], []byte(from)) || !endsFolder(said[i+len(from):]) {
		return 0, ""
	}
	return len(from), to
}

// escapePath returns a path as it is spelled in a URI.
func escapePath(p string) string { return (&url.URL{Path: path.Join("/", p)}).EscapedPath() }

// endsFolder reports whether the name of a folder ends in front of rest: another folder
// may only begin with it.
func endsFolder(rest []byte) bool {
	if len(rest) == 0 {
		return true
	}
	if rest[0] == '.' { // at the end of a sentence
		return len(rest) == 1 || rest[1] <= ' '
	}
	return !isWordByte(rest[0])
}

// isDistinct reports whether an id is not a word that can mean something else.
func (n *name) isDistinct() bool {
	return len(n.from) >= 8 || len(n.from) > 1 && strings.ContainsAny(n.from, "0123456789")
}

func isWord(said []byte, i, length int) bool {
	end := i + length
	return (i == 0 || !isWordByte(said[i-1])) && (end == len(said) || !isWordByte(said[end]))
}

func isWordByte(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || b == '_' || b == '-' || b >= 0x80
}
