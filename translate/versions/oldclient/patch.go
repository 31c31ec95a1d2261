package oldclient

import (
	"bytes"
	"strconv"
	"strings"
)

// A patchedFile is a file that a git patch changes.
type patchedFile struct {
	path  string // the new one, if it stays
	added bool
}

// eachHunk reads a git patch and calls do with each hunk and its file, as long as
// do wants more. The body of a hunk is its lines, which have marks. Paths are taken
// as they are, without a/ and b/ being cut off, and lines are not counted, because
// agents miscount. It reports false if the patch cannot be read, or if do wants no
// more.
func eachHunk(patch []byte, do func(f *patchedFile, body []byte) bool) bool {
	var f patchedFile
	found, inFile := false, false // any file; the header of one is right before
	for rest := patch; len(rest) > 0; {
		line, next := cutLine(rest)
		switch {
		case bytes.HasPrefix(line, []byte("--- ")):
			to, behind := cutLine(next)
			if !bytes.HasPrefix(to, []byte("+++ ")) {
				return false
			}
			f = newPatchedFile(line[4:], to[4:])
			found, inFile, rest = true, true, behind
		case inFile && bytes.HasPrefix(line, []byte("@@")):
			if !isHunkHeader(line) {
				return false
			}
			rest = behindHunk(next)
			if !do(&f, next[:len(next)-len(rest)]) {
				return false
			}
		default: // such as diff --git, or the name before a rename
			inFile, rest = false, next
		}
	}
	return found || len(bytes.TrimSpace(patch)) == 0 || bytes.Contains(patch, []byte("diff --git "))
}

// cutLine returns the first line of a text, without its end, and what follows.
func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

func newPatchedFile(from, to []byte) patchedFile {
	const none = "/dev/null"
	before, path := patchName(from), patchName(to)
	if path == none || path == "" {
		path = before
	}
	return patchedFile{path: path, added: before == none}
}

// patchName returns the name in the header of a file. What follows a tab is a
// time, and unusual names are quoted.
func patchName(header []byte) string {
	name, _, _ := strings.Cut(string(bytes.TrimSpace(header)), "\t")
	if strings.HasPrefix(name, `"`) {
		if unquoted, err := strconv.Unquote(name); err == nil {
			return unquoted
		}
	}
	return name
}

// isHunkHeader reports whether a line is like @@ -1,2 +1,3 @@, with anything
// behind that.
func isHunkHeader(line []byte) bool {
	marks, line, _ := bytes.Cut(line, []byte(" "))
	before, line, _ := bytes.Cut(line, []byte(" "))
	after, line, _ := bytes.Cut(line, []byte(" "))
	end, _, _ := bytes.Cut(line, []byte(" "))
	return string(marks) == "@@" && isRange(before, '-') && isRange(after, '+') && string(end) == "@@"
}

func isRange(text []byte, mark byte) bool {
	if len(text) == 0 || text[0] != mark {
		return false
	}
	start, count, counts := bytes.Cut(text[1:], []byte(","))
	return isNumber(start) && (!counts || isNumber(count))
}

func isNumber(text []byte) bool {
	for _, b := range text {
		if b < '0' || '9' < b {
			return false
		}
	}
	return len(text) > 0
}

// behindHunk returns what follows the lines of a hunk. Lines that look like the
// header of another file are that only if a hunk follows them.
func behindHunk(text []byte) []byte {
	for len(text) > 0 {
		line, next := cutLine(text)
		if len(line) > 0 && !strings.Contains(" -+\\", string(line[:1])) {
			break
		}
		if bytes.HasPrefix(line, []byte("---")) && bytes.HasPrefix(next, []byte("+++")) {
			if _, third := cutLine(next); bytes.HasPrefix(third, []byte("@@")) {
				break
			}
		}
		text = next
	}
	return text
}
