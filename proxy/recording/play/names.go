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
type names struct {
	ids     []name // of sessions, terminals and connections
	folders []name // working directories
}

// A name is one of these. What is below a folder has its own.
type name struct {
	from, to string
	folder   bool
	lane     *lane // the session whose folder it is
}

// call notes that what the recording calls from is called to.
func (n *names) call(from, to string) {
	n.ids = note(n.ids, name{from: from, to: to})
}

// move notes the working directory of a session.
func (n *names) move(l *lane, from, to string) {
	from, to = trimSlash(from), trimSlash(to)
	if len(from) > 1 && to != "" {
		n.folders = note(n.folders, name{from: from, to: to, folder: true, lane: l})
	}
}

func trimSlash(path string) string {
	if trimmed := strings.TrimRight(path, `/\`); trimmed != "" {
		return trimmed
	}
	return path
}

// note notes a name in the place of the one that the thing had.
func note(all []name, n name) []name {
	if n.from == "" {
		return all
	}
	all = slices.DeleteFunc(all, func(old name) bool { return old.from == n.from && old.lane == n.lane })
	return append(all, n)
}

// of returns the names for what the agent says in a session: the longest first, and of
// several folders of one name the session's own.
func (n *names) of(l *lane) []name {
	var all []name
	moved := false
	for _, one := range n.ids {
		if one.from != one.to {
			all, moved = append(all, one), true
		}
	}
	for _, one := range n.folders {
		moved = moved || one.from != one.to
		i := slices.IndexFunc(all, func(other name) bool { return other.folder && other.from == one.from })
		switch {
		case i < 0:
			all = append(all, one)
		case one.lane == l:
			all[i] = one
		}
	}
	if !moved {
		return nil
	}
	// A folder that has kept its name keeps it also below one that has another.
	slices.SortStableFunc(all, func(a, b name) int { return cmp.Compare(len(b.from), len(a.from)) })
	return all
}

// rename appends a message with all names in its strings replaced. Its id becomes id,
// unless that is nil; requestID returns what a request of the client is called now.
func rename(dst, line []byte, all []name, id []byte, requestID func(raw []byte) []byte) []byte {
	start, end := idAt(line)
	if id == nil || end == 0 {
		return renameStrings(dst, line, all, requestID)
	}
	dst = renameStrings(dst, line[:start], all, requestID)
	dst = append(dst, id...)
	return renameStrings(dst, line[end:], all, requestID)
}

// idAt returns where the id of a message is.
func idAt(line []byte) (start, end int) {
	var c rawjson.Cursor
	c.Reset(line)
	if c.Kind() != '{' {
		return 0, 0
	}
	for more := c.Object(); more; more = c.NextMember() {
		found := string(c.Name()) == "id"
		at := c.Offset()
		c.Skip()
		if found && c.Err() == nil {
			return at, c.Pos()
		}
	}
	return 0, 0
}

func renameStrings(dst, line []byte, all []name, requestID func([]byte) []byte) []byte {
	if len(all) == 0 && requestID == nil {
		return append(dst, line...)
	}
	for {
		quote := bytes.IndexByte(line, '"')
		if quote < 0 {
			return append(dst, line...)
		}
		dst = append(dst, line[:quote]...)
		end, ok := rawjson.StringEnd(line, quote+1)
		if !ok {
			return append(dst, line[quote:]...)
		}
		raw := line[quote:end]
		line = line[end:]
		if requestID != nil && string(raw) == `"requestId"` {
			dst, line = renameRequest(append(dst, raw...), line, requestID)
			continue
		}
		dst = renameString(dst, raw, all)
	}
}

// renameRequest handles what follows the name requestId.
func renameRequest(dst, line []byte, requestID func([]byte) []byte) (written, rest []byte) {
	after := bytes.TrimLeft(line, " \t")
	if len(after) == 0 || after[0] != ':' {
		return dst, line
	}
	var c rawjson.Cursor
	c.Reset(after[1:])
	value := c.Value()
	now := requestID(value)
	if value == nil || now == nil {
		return dst, line
	}
	return append(append(dst, ':'), now...), after[1+c.Pos():]
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
